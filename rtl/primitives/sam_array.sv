// Loads values by position.
// Fires when there is a position and room; the value array answers a cycle later, when the token's kind and
// stop level, which are stored, meet it.
`default_nettype none
module sam_array #(
  parameter int W      = 32,      // bits of a coordinate, reference or value
  parameter     Absent = "empty"  // what N becomes: N ("empty") or the value zero ("zero")
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] ref_data,
  input  logic                        ref_valid,
  output logic                        ref_ready,

  output logic [31:0]                 vals_addr,
  input  logic [31:0]                 vals_data,

  output logic [sam_pkg::KindW+W-1:0] val_data,
  output logic                        val_valid,
  input  logic                        val_ready
);

  localparam logic AbsentIsZero = 64'(Absent) == 64'("zero");

  logic [sam_pkg::KindW-1:0]   kind;
  logic [W-1:0]                bits;
  logic [sam_pkg::KindW+W-1:0] token_d, token_q;  // except for the word that is read
  logic                        fire, read_d, read_q, unused_rst;

  assign {kind, bits} = ref_data;
  assign unused_rst = rst;

  assign fire      = ref_valid && val_ready;
  assign vals_addr = 32'(bits);
  assign read_d    = kind == sam_pkg::KindVal;
  assign token_d   = AbsentIsZero && kind == sam_pkg::KindEmpty ? {sam_pkg::KindVal, W'(0)} : ref_data;

  assign ref_ready = fire;
  assign val_valid = fire;
  assign val_data  = read_q ? {sam_pkg::KindVal, W'(vals_data)} : token_q;

  always_ff @(posedge clk) begin
    token_q <= token_d;
    read_q  <= read_d;
  end

endmodule
`default_nettype wire
