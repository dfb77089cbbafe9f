// Removes outer coordinates whose inner fiber is empty, with that fiber.
// Fires on the inner head alone within a fiber that is kept, else when both heads are there; what is not removed
// needs room. Stores whether it is within a fiber whose outer coordinate is already passed on.
`default_nettype none
`include "sam_assert.svh"
module sam_crd_drop #(
  parameter int W     = 32,  // bits of a coordinate, reference or value
  parameter int Depth = 1    // an outer coordinate's part of the inner stream is this many fibers deep
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] outer_in_data,
  input  logic                        outer_in_valid,
  output logic                        outer_in_ready,
  input  logic [sam_pkg::KindW+W-1:0] inner_in_data,
  input  logic                        inner_in_valid,
  output logic                        inner_in_ready,

  output logic [sam_pkg::KindW+W-1:0] outer_data,
  output logic                        outer_valid,
  input  logic                        outer_ready,
  output logic [sam_pkg::KindW+W-1:0] inner_data,
  output logic                        inner_valid,
  input  logic                        inner_ready
);

  localparam logic [W-1:0] End = W'(Depth - 1);  // the stop that ends an outer coordinate's part

  logic [sam_pkg::KindW-1:0]   outer_kind, inner_kind;
  logic [W-1:0]                outer, inner;
  logic [sam_pkg::KindW+W-1:0] outward;
  logic                        heads, is_element, is_end, in_part, outer_is_element, aligned;
  logic                        go_on, drop, open, kept_d, kept_q;

  assign {outer_kind, outer} = outer_in_data;
  assign {inner_kind, inner} = inner_in_data;
  assign heads        = inner_in_valid && outer_in_valid && !kept_q;
  assign is_element   = inner_kind == sam_pkg::KindVal || inner_kind == sam_pkg::KindEmpty;
  assign is_end       = inner_kind == sam_pkg::KindStop && inner == End;
  assign in_part      = is_element || (inner_kind == sam_pkg::KindStop && inner <= End);

  assign go_on = inner_in_valid && kept_q && inner_ready;
  assign drop  = heads && is_end;
  assign open  = heads && !is_end && outer_ready && inner_ready;

  assign outer_in_ready = drop || open;
  assign inner_in_ready = go_on || drop || open;
  assign outer_valid    = open;
  assign outer_data     = outer_in_data;
  assign inner_valid    = go_on || open;
  assign inner_data     = inner_in_data;

  assign kept_d = go_on ? !is_end : open ? in_part : kept_q;

  always_ff @(posedge clk) begin
    if (rst) kept_q <= 1'b0;
    else     kept_q <= kept_d;
  end

  assign outer_is_element = outer_kind == sam_pkg::KindVal || outer_kind == sam_pkg::KindEmpty;
  assign outward = {outer_kind, outer_kind == sam_pkg::KindStop ? outer + W'(Depth) : outer};
  assign aligned = in_part ? outer_is_element : inner_in_data == outward;

  `SAM_ASSERT(misaligned, !heads || aligned)

endmodule
`default_nettype wire
