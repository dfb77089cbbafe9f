// Says which of several aligned values are not N, as the bits of a word.
// Fires when all heads are there and there is room; stores nothing.
`default_nettype none
`include "sam_assert.svh"
module sam_flags #(
  parameter int W = 32,  // bits of a coordinate, reference or value
  parameter int N = 2    // streams of values
) (
  input  logic                            clk,
  input  logic                            rst,
  input  logic [N*(sam_pkg::KindW+W)-1:0] val_data,
  input  logic [N-1:0]                    val_valid,
  output logic [N-1:0]                    val_ready,

  output logic [sam_pkg::KindW+W-1:0]     bits_data,
  output logic                            bits_valid,
  input  logic                            bits_ready
);

  localparam int TokenW = sam_pkg::KindW + W;

  logic [N-1:0] is_val, is_element;
  logic         heads, fire;

  for (genvar i = 0; i < N; i++) begin : gen_value
    logic [sam_pkg::KindW-1:0] kind;
    assign kind          = val_data[i*TokenW+W +: sam_pkg::KindW];
    assign is_val[i]     = kind == sam_pkg::KindVal;
    assign is_element[i] = is_val[i] || kind == sam_pkg::KindEmpty;
  end

  assign heads      = &val_valid;
  assign fire       = heads && bits_ready;
  assign val_ready  = {N{fire}};
  assign bits_valid = fire;
  assign bits_data  = is_element[0] ? {sam_pkg::KindVal, W'(is_val)} : val_data[TokenW-1:0];

  `SAM_ASSERT(misaligned, !heads || (is_element[0] ? is_element == '1
                                                   : val_data == {N{val_data[TokenW-1:0]}}))

endmodule
`default_nettype wire
