// Chooses between two aligned value streams: c != 0 ? a : b.
// Fires when all heads are there and there is room; stores nothing.
`default_nettype none
`include "sam_assert.svh"
module sam_select #(
  parameter int W      = 32,     // bits of a coordinate, reference or value
  parameter     Type   = "f32",  // type of the condition
  parameter     Absent = "zero"  // N if: never ("zero"), "all" operands are; N counts as zero otherwise
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] c_data,
  input  logic                        c_valid,
  output logic                        c_ready,
  input  logic [sam_pkg::KindW+W-1:0] a_data,
  input  logic                        a_valid,
  output logic                        a_ready,
  input  logic [sam_pkg::KindW+W-1:0] b_data,
  input  logic                        b_valid,
  output logic                        b_ready,

  output logic [sam_pkg::KindW+W-1:0] val_data,
  output logic                        val_valid,
  input  logic                        val_ready
);

  localparam logic TypeIsF32   = 64'(Type) == 64'("f32");
  localparam logic AbsentIsAll = 64'(Absent) == 64'("all");

  logic [sam_pkg::KindW-1:0]   c_kind, a_kind, b_kind, kind;
  logic [W-1:0]                c, bits;
  logic                        heads, fire, a_is_element, b_is_element, is_element, nonzero, all_empty;

  assign {c_kind, c} = c_data;
  assign a_kind       = a_data[W +: sam_pkg::KindW];
  assign b_kind       = b_data[W +: sam_pkg::KindW];
  assign is_element   = c_kind == sam_pkg::KindVal || c_kind == sam_pkg::KindEmpty;
  assign a_is_element = a_kind == sam_pkg::KindVal || a_kind == sam_pkg::KindEmpty;
  assign b_is_element = b_kind == sam_pkg::KindVal || b_kind == sam_pkg::KindEmpty;

  // Both zeros of f32 are zero.
  assign nonzero = c_kind == sam_pkg::KindVal && (TypeIsF32 ? c << 1 : c) != '0;
  assign {kind, bits} = nonzero ? a_data : b_data;
  assign all_empty = AbsentIsAll && c_kind == sam_pkg::KindEmpty && a_kind == sam_pkg::KindEmpty &&
                     b_kind == sam_pkg::KindEmpty;

  assign heads     = c_valid && a_valid && b_valid;
  assign fire      = heads && val_ready;
  assign c_ready   = fire;
  assign a_ready   = fire;
  assign b_ready   = fire;
  assign val_valid = fire;
  assign val_data  = !is_element ? c_data :
                     {all_empty ? sam_pkg::KindEmpty : sam_pkg::KindVal,
                      kind == sam_pkg::KindVal ? bits : W'(0)};

  `SAM_ASSERT(misaligned, !heads || (is_element ? a_is_element && b_is_element
                                                : a_data == c_data && b_data == c_data))

endmodule
`default_nettype wire
