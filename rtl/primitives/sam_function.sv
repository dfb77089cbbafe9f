// Applies a function to each value.
// Fires when there is an argument and room; stores what is in the pipeline of the function, and beside it the
// kinds and stop levels.
`default_nettype none
module sam_function #(
  parameter int W       = 32,       // bits of a coordinate, reference or value
  parameter     Op      = "relu",   // function
  parameter     Type    = "f32",    // type of the values
  parameter     Absent  = "empty",  // the function of N: N ("empty"), or that of zero ("zero")
  parameter int Latency = 1         // cycles from firing to visible
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] in_data,
  input  logic                        in_valid,
  output logic                        in_ready,

  output logic [sam_pkg::KindW+W-1:0] val_data,
  output logic                        val_valid,
  input  logic                        val_ready
);

  localparam logic AbsentIsZero = 64'(Absent) == 64'("zero");

  logic [sam_pkg::KindW-1:0]   in_kind, kind;
  logic [W-1:0]                bits;
  logic [31:0]                 result;
  logic [sam_pkg::KindW+W-1:0] token, token_late;  // except for the result
  logic                        fire, is_empty, unused_rst;

  assign {in_kind, bits} = in_data;
  assign is_empty   = in_kind == sam_pkg::KindEmpty;
  assign unused_rst = rst;

  assign token = AbsentIsZero && is_empty ? {sam_pkg::KindVal, W'(0)} : in_data;

  sam_unary #(.Op(Op), .Type(Type), .Stages(Latency - 1)) u_unary (
    .clk,
    .a(is_empty ? '0 : 32'(bits)),
    .y(result)
  );

  sam_delay #(.Width(sam_pkg::KindW + W), .Stages(Latency - 1)) u_token (
    .clk,
    .d(token),
    .q(token_late)
  );

  assign fire      = in_valid && val_ready;
  assign in_ready  = fire;
  assign val_valid = fire;
  assign kind      = token_late[W +: sam_pkg::KindW];
  assign val_data  = kind == sam_pkg::KindVal ? {sam_pkg::KindVal, W'(result)} : token_late;

endmodule
`default_nettype wire
