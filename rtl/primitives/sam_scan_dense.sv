// Enumerates the fibers of a dense level: coordinates 0 .. size-1 of each reference, and their positions.
// Fires when there is a reference and both outputs have room; stores the next coordinate, and for a cycle parts of the
// product, and what is beside them.
`default_nettype none
`include "sam_assert.svh"
module sam_scan_dense #(
  parameter int W     = 32,    // bits of a coordinate, reference or value
  parameter     Fiber = "any"  // "first": all references are 0, and positions are coordinates
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] ref_data,
  input  logic                        ref_valid,
  output logic                        ref_ready,

  input  logic [31:0]                 size,

  output logic [sam_pkg::KindW+W-1:0] crd_data,
  output logic                        crd_valid,
  input  logic                        crd_ready,
  output logic [sam_pkg::KindW+W-1:0] pos_data,
  output logic                        pos_valid,
  input  logic                        pos_ready
);

  localparam logic IsFirst = 64'(Fiber) == 64'("first");

  logic [sam_pkg::KindW-1:0]   kind;
  logic [W-1:0]                bits, next_d, next_q;
  logic [sam_pkg::KindW+W-1:0] fiber_end;
  logic                        fire, more, is_element;

  assign {kind, bits} = ref_data;
  assign is_element = kind == sam_pkg::KindVal || kind == sam_pkg::KindEmpty;

  assign fire = ref_valid && crd_ready && pos_ready;
  assign more = kind == sam_pkg::KindVal && next_q < W'(size);

  // The fiber's own stop; an absent fiber is an empty one.
  assign fiber_end = is_element ? {sam_pkg::KindStop, W'(0)}
                                : {kind, bits + W'(kind == sam_pkg::KindStop)};

  assign ref_ready = fire && !more;
  assign crd_valid = fire;
  assign crd_data  = more ? {sam_pkg::KindVal, next_q} : fiber_end;
  assign pos_valid = fire;

  if (IsFirst) begin : gen_first
    assign pos_data = crd_data;
  end else begin : gen_any
    logic [31:0]                 product_late;
    logic [sam_pkg::KindW-1:0]   kind_late;
    logic [W-1:0]                bits_late;

    sam_i32_mul u_product (.clk, .a(32'(bits)), .b(size), .y(product_late));
    sam_delay #(.Width(sam_pkg::KindW + W)) u_coordinate (
      .clk, .d(crd_data), .q({kind_late, bits_late})
    );
    assign pos_data = {kind_late, kind_late == sam_pkg::KindVal ? W'(product_late) + bits_late : bits_late};
  end

  assign next_d = !fire ? next_q : more ? next_q + 1'b1 : '0;

  always_ff @(posedge clk) begin
    if (rst) next_q <= '0;
    else     next_q <= next_d;
  end

  `SAM_ASSERT(out_of_range, !(IsFirst && ref_valid && kind == sam_pkg::KindVal) || bits == '0)

endmodule
`default_nettype wire
