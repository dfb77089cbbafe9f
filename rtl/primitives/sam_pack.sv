// Joins two levels of coordinates into one: outer * 2^Bits + inner.
// Fires when all heads are there, and except at the end of an inner fiber there is room. Stores nothing.
`default_nettype none
`include "sam_assert.svh"
module sam_pack #(
  parameter int W    = 32,  // bits of a coordinate, reference or value
  parameter int Bits = 10   // inner coordinates are below 2^Bits
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] outer_data,
  input  logic                        outer_valid,
  output logic                        outer_ready,
  input  logic [sam_pkg::KindW+W-1:0] inner_data,
  input  logic                        inner_valid,
  output logic                        inner_ready,
  input  logic [sam_pkg::KindW+W-1:0] val_in_data,
  input  logic                        val_in_valid,
  output logic                        val_in_ready,

  output logic [sam_pkg::KindW+W-1:0] crd_data,
  output logic                        crd_valid,
  input  logic                        crd_ready,
  output logic [sam_pkg::KindW+W-1:0] val_data,
  output logic                        val_valid,
  input  logic                        val_ready,

  output logic                        overflow
);

  logic [sam_pkg::KindW-1:0]   outer_kind, inner_kind, val_kind;
  logic [W-1:0]                outer, inner;
  logic [sam_pkg::KindW+W-1:0] outward;
  logic                        heads, is_val, is_element, is_fiber_end, fits, fire, val_is_element, aligned;

  assign {outer_kind, outer} = outer_data;
  assign {inner_kind, inner} = inner_data;
  assign val_kind     = val_in_data[W +: sam_pkg::KindW];
  assign heads        = outer_valid && inner_valid && val_in_valid;
  assign is_val       = inner_kind == sam_pkg::KindVal;
  assign is_element   = is_val || inner_kind == sam_pkg::KindEmpty;
  assign is_fiber_end = inner_kind == sam_pkg::KindStop && inner == '0;
  assign fits         = inner >> Bits == '0 && outer >> (W - Bits) == '0;

  // The joined level has no stop for the end of an inner fiber.
  assign fire     = heads && (is_fiber_end || (crd_ready && val_ready));
  assign overflow = fire && is_val && !fits;

  assign outer_ready  = fire && !is_val;
  assign inner_ready  = fire;
  assign val_in_ready = fire;
  assign crd_valid    = fire && !is_fiber_end && !overflow;
  assign crd_data     = is_val ? {sam_pkg::KindVal, (outer << Bits) | inner} : outer_data;
  assign val_valid    = fire && !is_fiber_end && !overflow;
  assign val_data     = is_val ? val_in_data : outer_data;

  assign outward        = {outer_kind, outer + W'(outer_kind == sam_pkg::KindStop)};
  assign val_is_element = val_kind == sam_pkg::KindVal || val_kind == sam_pkg::KindEmpty;
  assign aligned = (is_element ? val_is_element : val_in_data == inner_data) &&
                   (is_element || is_fiber_end ? outer_kind == sam_pkg::KindVal : inner_data == outward);

  `SAM_ASSERT(misaligned, !heads || aligned)

endmodule
`default_nettype wire
