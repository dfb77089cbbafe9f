// Takes a stream that nobody needs.
// Fires on every token; stores nothing.
`default_nettype none
module sam_sink #(
  parameter int W = 32  // bits of a coordinate, reference or value
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] in_data,
  input  logic                        in_valid,
  output logic                        in_ready,

  output logic                        finish
);

  logic [sam_pkg::KindW-1:0] kind;
  logic [W-1:0]              unused_bits;
  logic                      unused_clk;

  assign {kind, unused_bits} = in_data;
  assign unused_clk = clk && rst;

  assign in_ready = in_valid;
  assign finish   = in_valid && kind == sam_pkg::KindDone;

endmodule
`default_nettype wire
