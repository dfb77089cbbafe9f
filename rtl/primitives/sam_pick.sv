// Takes elements out of a stream by their ordinal, as a scanner does from storage.
// Fires when there is a reference, which alone gives the result if it is N, and an input token; one that is wanted
// needs room. Stores the ordinal of the element at the head.
`default_nettype none
`include "sam_assert.svh"
module sam_pick #(
  parameter int W     = 32,  // bits of a coordinate, reference or value
  parameter int Depth = 1    // an element is this many fibers deep; 0: a value
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] ref_data,
  input  logic                        ref_valid,
  output logic                        ref_ready,
  input  logic [sam_pkg::KindW+W-1:0] in_data,
  input  logic                        in_valid,
  output logic                        in_ready,

  output logic [sam_pkg::KindW+W-1:0] out_data,
  output logic                        out_valid,
  input  logic                        out_ready
);

  localparam logic         Fibers = Depth > 0;
  localparam logic [W-1:0] End    = Depth > 0 ? W'(Depth - 1) : '0;  // the stop that ends an element

  logic [sam_pkg::KindW-1:0]   ref_kind, in_kind;
  logic [W-1:0]                ref_bits, in_bits, next_more, next_d, next_q;
  logic [sam_pkg::KindW+W-1:0] control;
  logic                        heads, ref_is_val, ref_is_empty, is_element, is_end, in_element, last;
  logic                        unwanted, absent, skip, pass;

  assign {ref_kind, ref_bits} = ref_data;
  assign {in_kind, in_bits} = in_data;
  assign ref_is_val   = ref_kind == sam_pkg::KindVal;
  assign ref_is_empty = ref_kind == sam_pkg::KindEmpty;
  assign is_element   = in_kind == sam_pkg::KindVal || in_kind == sam_pkg::KindEmpty;
  assign is_end       = in_kind == sam_pkg::KindStop && in_bits == End;
  assign in_element   = is_element || (Fibers && in_kind == sam_pkg::KindStop && in_bits <= End);
  assign last         = Fibers ? is_end : is_element;
  assign unwanted     = in_element && (!ref_is_val || next_q < ref_bits);

  assign heads  = ref_valid && in_valid && !ref_is_empty;
  assign absent = ref_valid && ref_is_empty && out_ready;
  assign skip   = heads && unwanted;
  assign pass   = heads && !unwanted && out_ready;

  assign ref_ready = absent || (pass && (last || !in_element));
  assign in_ready  = skip || pass;
  assign out_valid = absent || pass;
  assign out_data  = !ref_is_empty ? in_data : {Fibers ? sam_pkg::KindStop : sam_pkg::KindEmpty, End};

  // The sum does not wait for the comparison.
  assign next_more = next_q + 1'b1;
  assign next_d = pass && in_kind == sam_pkg::KindDone ? '0 : (skip || pass) && last ? next_more : next_q;

  always_ff @(posedge clk) begin
    if (rst) next_q <= '0;
    else     next_q <= next_d;
  end

  assign control = {ref_kind, ref_kind == sam_pkg::KindStop ? ref_bits + W'(Depth) : ref_bits};

  `SAM_ASSERT(misaligned, !heads || in_element || (!ref_is_val && in_data == control))

endmodule
`default_nettype wire
