// Copies a stream to several readers, to all at once.
// Fires when there is a token and every reader has room; stores nothing.
`default_nettype none
module sam_fork #(
  parameter int W = 32,  // bits of a coordinate, reference or value
  parameter int N = 2    // readers
) (
  input  logic                            clk,
  input  logic                            rst,
  input  logic [sam_pkg::KindW+W-1:0]     in_data,
  input  logic                            in_valid,
  output logic                            in_ready,

  output logic [N*(sam_pkg::KindW+W)-1:0] out_data,
  output logic [N-1:0]                    out_valid,
  input  logic [N-1:0]                    out_ready
);

  logic fire, unused_clk;

  assign unused_clk = clk && rst;

  assign fire = in_valid && (&out_ready);

  assign in_ready  = fire;
  assign out_valid = {N{fire}};
  assign out_data  = {N{in_data}};

endmodule
`default_nettype wire
