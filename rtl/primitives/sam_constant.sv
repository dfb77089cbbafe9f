// Replaces every element by a constant.
// Fires when there is a token and room; stores nothing.
`default_nettype none
module sam_constant #(
  parameter int W = 32  // bits of a coordinate, reference or value
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] in_data,
  input  logic                        in_valid,
  output logic                        in_ready,

  input  logic [31:0]                 value,

  output logic [sam_pkg::KindW+W-1:0] out_data,
  output logic                        out_valid,
  input  logic                        out_ready
);

  logic [sam_pkg::KindW-1:0] kind;
  logic                      fire, is_element, unused_clk;

  assign kind       = in_data[W +: sam_pkg::KindW];
  assign is_element = kind == sam_pkg::KindVal || kind == sam_pkg::KindEmpty;
  assign unused_clk = clk && rst;

  assign fire      = in_valid && out_ready;
  assign in_ready  = fire;
  assign out_valid = fire;
  assign out_data  = is_element ? {sam_pkg::KindVal, W'(value)} : in_data;

endmodule
`default_nettype wire
