// Lets values pass where a bit of a word is set; the others become N.
// Fires when both heads are there and there is room; stores nothing.
`default_nettype none
`include "sam_assert.svh"
module sam_gate #(
  parameter int W   = 32,  // bits of a coordinate, reference or value
  parameter int Bit = 0    // the bit that says whether the value is there
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] in_data,
  input  logic                        in_valid,
  output logic                        in_ready,
  input  logic [sam_pkg::KindW+W-1:0] bits_data,
  input  logic                        bits_valid,
  output logic                        bits_ready,

  output logic [sam_pkg::KindW+W-1:0] val_data,
  output logic                        val_valid,
  input  logic                        val_ready
);

  logic [sam_pkg::KindW-1:0] in_kind, bits_kind;
  logic                      heads, fire, is_element, there;

  assign in_kind    = in_data[W +: sam_pkg::KindW];
  assign bits_kind  = bits_data[W +: sam_pkg::KindW];
  assign is_element = in_kind == sam_pkg::KindVal || in_kind == sam_pkg::KindEmpty;
  assign there      = bits_kind == sam_pkg::KindVal && bits_data[Bit];

  assign heads      = in_valid && bits_valid;
  assign fire       = heads && val_ready;
  assign in_ready   = fire;
  assign bits_ready = fire;
  assign val_valid  = fire;
  assign val_data   = is_element && !there ? {sam_pkg::KindEmpty, W'(0)} : in_data;

  `SAM_ASSERT(misaligned, !heads ||
              (is_element ? bits_kind == sam_pkg::KindVal || bits_kind == sam_pkg::KindEmpty
                          : in_data == bits_data))

endmodule
`default_nettype wire
