// Keeps the coordinates present in a mask.
// Fires when all heads are there: the side that lags moves alone, else all move, which needs room. Stores nothing.
`default_nettype none
`include "sam_assert.svh"
module sam_mask #(
  parameter int W = 32  // bits of a coordinate, reference or value
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] crd_in_data,
  input  logic                        crd_in_valid,
  output logic                        crd_in_ready,
  input  logic [sam_pkg::KindW+W-1:0] ref_in_data,
  input  logic                        ref_in_valid,
  output logic                        ref_in_ready,
  input  logic [sam_pkg::KindW+W-1:0] mask_data,
  input  logic                        mask_valid,
  output logic                        mask_ready,

  output logic [sam_pkg::KindW+W-1:0] crd_data,
  output logic                        crd_valid,
  input  logic                        crd_ready,
  output logic [sam_pkg::KindW+W-1:0] ref_data,
  output logic                        ref_valid,
  input  logic                        ref_ready
);

  logic [sam_pkg::KindW-1:0] crd_kind, mask_kind;
  logic [W-1:0]              crd, mask;
  logic                      heads, crd_is_val, mask_is_val, crd_lags, mask_lags, emit;

  assign {crd_kind, crd} = crd_in_data;
  assign {mask_kind, mask} = mask_data;
  assign heads       = crd_in_valid && ref_in_valid && mask_valid;
  assign crd_is_val  = crd_kind == sam_pkg::KindVal;
  assign mask_is_val = mask_kind == sam_pkg::KindVal;

  // A coordinate lags every stop.
  assign crd_lags  = heads && crd_is_val && (!mask_is_val || crd < mask);
  assign mask_lags = heads && mask_is_val && (!crd_is_val || mask < crd);
  assign emit      = heads && !crd_lags && !mask_lags && crd_ready && ref_ready;

  assign crd_in_ready = crd_lags || emit;
  assign ref_in_ready = crd_lags || emit;
  assign mask_ready   = mask_lags || emit;
  assign crd_valid    = emit;
  assign crd_data     = crd_in_data;
  assign ref_valid    = emit;
  assign ref_data     = ref_in_data;

  `SAM_ASSERT(misaligned, !heads || crd_is_val || mask_is_val ||
              (crd_in_data == mask_data && crd_in_data == ref_in_data))

endmodule
`default_nettype wire
