// Joins the innermost fibers of each outer one.
// Fires when there is a token, and room unless it is the stop of an innermost fiber; stores nothing.
`default_nettype none
module sam_flatten #(
  parameter int W = 32  // bits of a coordinate, reference or value
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] in_data,
  input  logic                        in_valid,
  output logic                        in_ready,

  output logic [sam_pkg::KindW+W-1:0] out_data,
  output logic                        out_valid,
  input  logic                        out_ready
);

  logic [sam_pkg::KindW-1:0] kind;
  logic [W-1:0]              bits;
  logic                      is_stop, is_fiber_end, pass, unused_clock;

  assign {kind, bits}  = in_data;
  assign is_stop      = kind == sam_pkg::KindStop;
  assign is_fiber_end = is_stop && bits == '0;
  assign pass         = in_valid && !is_fiber_end && out_ready;

  assign in_ready  = pass || (in_valid && is_fiber_end);
  assign out_valid = pass;
  assign out_data  = {kind, bits - W'(is_stop)};

  assign unused_clock = clk || rst;

endmodule
`default_nettype wire
