// Finds coordinates in a dense level: position ref * size + crd.
// Fires when both heads are there and there is room; stores parts of the product, and the coordinate beside them, for a
// cycle.
`default_nettype none
`include "sam_assert.svh"
module sam_locate #(
  parameter int W = 32  // bits of a coordinate, reference or value
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] crd_data,
  input  logic                        crd_valid,
  output logic                        crd_ready,
  input  logic [sam_pkg::KindW+W-1:0] ref_data,
  input  logic                        ref_valid,
  output logic                        ref_ready,

  input  logic [31:0]                 size,

  output logic [sam_pkg::KindW+W-1:0] pos_data,
  output logic                        pos_valid,
  input  logic                        pos_ready
);

  logic [sam_pkg::KindW-1:0]   crd_kind, ref_kind;
  logic [W-1:0]                crd_bits, ref_bits, crd_late;
  logic [sam_pkg::KindW+W-1:0] ref_late;
  logic [31:0]                 product_late;
  logic                        heads, fire, ref_is_val, is_element;

  assign {crd_kind, crd_bits} = crd_data;
  assign {ref_kind, ref_bits} = ref_data;
  assign ref_is_val = ref_kind == sam_pkg::KindVal;

  assign heads     = crd_valid && ref_valid;
  assign fire      = heads && pos_ready;
  assign crd_ready = fire;
  assign ref_ready = fire;
  assign pos_valid = fire;
  assign pos_data  = ref_late[W +: sam_pkg::KindW] == sam_pkg::KindVal
                   ? {sam_pkg::KindVal, W'(product_late) + crd_late} : ref_late;

  sam_i32_mul u_product (.clk, .a(32'(ref_bits)), .b(size), .y(product_late));

  sam_delay #(.Width(sam_pkg::KindW + 2 * W)) u_token (
    .clk, .d({ref_data, crd_bits}), .q({ref_late, crd_late})
  );

  assign is_element = ref_is_val || ref_kind == sam_pkg::KindEmpty;

  `SAM_ASSERT(misaligned, !heads ||
              (is_element ? crd_kind == sam_pkg::KindVal || crd_kind == sam_pkg::KindEmpty
                          : crd_data == ref_data))
  `SAM_ASSERT(out_of_range, !(heads && ref_is_val) || crd_bits < W'(size))

endmodule
`default_nettype wire
