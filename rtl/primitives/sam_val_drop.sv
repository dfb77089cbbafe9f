// Removes coordinates whose value is N.
// Fires when both heads are there, and unless they are removed there is room; stores nothing.
`default_nettype none
`include "sam_assert.svh"
module sam_val_drop #(
  parameter int W = 32  // bits of a coordinate, reference or value
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] crd_in_data,
  input  logic                        crd_in_valid,
  output logic                        crd_in_ready,
  input  logic [sam_pkg::KindW+W-1:0] val_in_data,
  input  logic                        val_in_valid,
  output logic                        val_in_ready,

  output logic [sam_pkg::KindW+W-1:0] crd_data,
  output logic                        crd_valid,
  input  logic                        crd_ready,
  output logic [sam_pkg::KindW+W-1:0] val_data,
  output logic                        val_valid,
  input  logic                        val_ready
);

  logic [sam_pkg::KindW-1:0] crd_kind, val_kind;
  logic                      heads, drop, emit, is_element;

  assign crd_kind   = crd_in_data[W +: sam_pkg::KindW];
  assign val_kind   = val_in_data[W +: sam_pkg::KindW];
  assign is_element = val_kind == sam_pkg::KindVal || val_kind == sam_pkg::KindEmpty;

  assign heads = crd_in_valid && val_in_valid;
  assign drop  = heads && val_kind == sam_pkg::KindEmpty;
  assign emit  = heads && val_kind != sam_pkg::KindEmpty && crd_ready && val_ready;

  assign crd_in_ready = drop || emit;
  assign val_in_ready = drop || emit;
  assign crd_valid    = emit;
  assign crd_data     = crd_in_data;
  assign val_valid    = emit;
  assign val_data     = val_in_data;

  `SAM_ASSERT(misaligned, !heads ||
              (is_element ? crd_kind == sam_pkg::KindVal || crd_kind == sam_pkg::KindEmpty
                          : crd_in_data == val_in_data))

endmodule
`default_nettype wire
