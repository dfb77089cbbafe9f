// Splits joined coordinates outer * 2^Bits + inner into two levels.
// Fires when both heads are there and the outputs that take a token have room; stores the outer coordinate of the
// inner fiber that is open, if one is.
`default_nettype none
`include "sam_assert.svh"
module sam_unpack #(
  parameter int W    = 32,  // bits of a coordinate, reference or value
  parameter int Bits = 10   // inner coordinates are below 2^Bits
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] crd_in_data,
  input  logic                        crd_in_valid,
  output logic                        crd_in_ready,
  input  logic [sam_pkg::KindW+W-1:0] val_in_data,
  input  logic                        val_in_valid,
  output logic                        val_in_ready,

  output logic [sam_pkg::KindW+W-1:0] outer_data,
  output logic                        outer_valid,
  input  logic                        outer_ready,
  output logic [sam_pkg::KindW+W-1:0] inner_data,
  output logic                        inner_valid,
  input  logic                        inner_ready,
  output logic [sam_pkg::KindW+W-1:0] val_data,
  output logic                        val_valid,
  input  logic                        val_ready
);

  logic [sam_pkg::KindW-1:0]   crd_kind, val_kind;
  logic [W-1:0]                crd, outer, outer_q;
  logic [sam_pkg::KindW+W-1:0] outward, fiber_end;
  logic                        heads, room, is_val, is_element, closes, close, move, inside_d, inside_q;

  assign {crd_kind, crd} = crd_in_data;
  assign val_kind   = val_in_data[W +: sam_pkg::KindW];
  assign is_val     = crd_kind == sam_pkg::KindVal;
  assign is_element = is_val || crd_kind == sam_pkg::KindEmpty;
  assign outer      = crd >> Bits;
  assign outward    = {crd_kind, crd + W'(crd_kind == sam_pkg::KindStop)};
  assign fiber_end  = {sam_pkg::KindStop, W'(0)};

  assign heads  = crd_in_valid && val_in_valid;
  assign room   = inner_ready && val_ready;
  assign closes = inside_q && (!is_val || outer != outer_q);  // the open inner fiber is over
  assign close  = heads && room && closes;
  assign move   = heads && room && !closes && (inside_q || outer_ready);

  assign crd_in_ready = move;
  assign val_in_ready = move;
  assign outer_valid  = move && !inside_q;
  assign outer_data   = is_val ? {sam_pkg::KindVal, outer} : crd_in_data;
  assign inner_valid  = close || move;
  assign inner_data   = closes ? fiber_end :
                        is_val ? {sam_pkg::KindVal, crd & ~({W{1'b1}} << Bits)} : outward;
  assign val_valid    = close || move;
  assign val_data     = closes ? fiber_end : is_val ? val_in_data : outward;

  assign inside_d = close ? 1'b0 : move ? is_val : inside_q;

  always_ff @(posedge clk) begin
    if (rst) inside_q <= 1'b0;
    else     inside_q <= inside_d;
  end

  always_ff @(posedge clk) if (move) outer_q <= outer;

  `SAM_ASSERT(misaligned, !heads ||
              (is_element ? val_kind == sam_pkg::KindVal || val_kind == sam_pkg::KindEmpty
                          : crd_in_data == val_in_data))

endmodule
`default_nettype wire
