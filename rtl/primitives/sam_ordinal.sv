// Numbers the elements of a stream.
// Fires when there is a token and room; stores the next number.
`default_nettype none
module sam_ordinal #(
  parameter int W = 32  // bits of a coordinate, reference or value
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] in_data,
  input  logic                        in_valid,
  output logic                        in_ready,

  output logic [sam_pkg::KindW+W-1:0] ref_data,
  output logic                        ref_valid,
  input  logic                        ref_ready
);

  logic [sam_pkg::KindW-1:0] kind;
  logic [W-1:0]              next_d, next_q;
  logic                      fire, is_element;

  assign kind       = in_data[W +: sam_pkg::KindW];
  assign is_element = kind == sam_pkg::KindVal || kind == sam_pkg::KindEmpty;

  assign fire      = in_valid && ref_ready;
  assign in_ready  = fire;
  assign ref_valid = fire;
  assign ref_data  = is_element ? {sam_pkg::KindVal, next_q} : in_data;

  assign next_d = !fire ? next_q : kind == sam_pkg::KindDone ? '0 : next_q + W'(is_element);

  always_ff @(posedge clk) begin
    if (rst) next_q <= '0;
    else     next_q <= next_d;
  end

endmodule
`default_nettype wire
