// Repeats a reference or value once per element of another stream's fiber.
// Fires when both heads are there and there is room; stores nothing.
`default_nettype none
`include "sam_assert.svh"
module sam_repeat #(
  parameter int W = 32  // bits of a coordinate, reference or value
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] in_data,
  input  logic                        in_valid,
  output logic                        in_ready,
  input  logic [sam_pkg::KindW+W-1:0] crd_data,
  input  logic                        crd_valid,
  output logic                        crd_ready,

  output logic [sam_pkg::KindW+W-1:0] out_data,
  output logic                        out_valid,
  input  logic                        out_ready
);

  logic [sam_pkg::KindW-1:0] in_kind, crd_kind;
  logic [W-1:0]              in_bits, crd_bits;
  logic                      fire, is_element, in_fiber, aligned;

  assign {in_kind, in_bits} = in_data;
  assign {crd_kind, crd_bits} = crd_data;
  assign is_element = crd_kind == sam_pkg::KindVal || crd_kind == sam_pkg::KindEmpty;

  assign fire      = in_valid && crd_valid && out_ready;
  assign in_ready  = fire && !is_element;
  assign crd_ready = fire;
  assign out_valid = fire;
  assign out_data  = is_element ? in_data : crd_data;

  // An element of `in` belongs to a fiber with its stop; a stop of `in` to the stop a level further out.
  assign in_fiber = is_element || (crd_kind == sam_pkg::KindStop && crd_bits == '0);
  assign aligned  = in_fiber ? in_kind == sam_pkg::KindVal || in_kind == sam_pkg::KindEmpty
                          : crd_data == {in_kind, in_bits + W'(in_kind == sam_pkg::KindStop)};

  `SAM_ASSERT(misaligned, !(in_valid && crd_valid) || aligned)

endmodule
`default_nettype wire
