// Makes a level dense: inserts a zero or an empty element for each missing coordinate.
// Fires when there is a coordinate and room, and unless it inserts also an input token; stores the coordinate whose
// element comes next.
`default_nettype none
`include "sam_assert.svh"
module sam_fill #(
  parameter int W     = 32,  // bits of a coordinate, reference or value
  parameter int Depth = 0    // an element is this many fibers deep; 0: a value
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] crd_data,
  input  logic                        crd_valid,
  output logic                        crd_ready,
  input  logic [sam_pkg::KindW+W-1:0] in_data,
  input  logic                        in_valid,
  output logic                        in_ready,

  input  logic [31:0]                 size,

  output logic [sam_pkg::KindW+W-1:0] out_data,
  output logic                        out_valid,
  input  logic                        out_ready
);

  localparam logic         Fibers = Depth > 0;
  localparam logic [W-1:0] End    = Depth > 0 ? W'(Depth - 1) : '0;  // the stop that ends an element

  logic [sam_pkg::KindW-1:0]   crd_kind, in_kind;
  logic [W-1:0]                crd, in_bits, next_d, next_q;
  logic [sam_pkg::KindW+W-1:0] absent, control;
  logic                        crd_is_val, is_element, is_end, in_part, last, missing, insert, pass, aligned;

  assign {crd_kind, crd} = crd_data;
  assign {in_kind, in_bits} = in_data;
  assign crd_is_val = crd_kind == sam_pkg::KindVal;
  assign is_element = in_kind == sam_pkg::KindVal || in_kind == sam_pkg::KindEmpty;
  assign is_end     = Fibers && in_kind == sam_pkg::KindStop && in_bits == End;
  assign in_part    = is_element || (Fibers && in_kind == sam_pkg::KindStop && in_bits <= End);
  assign last       = Fibers ? is_end : is_element;  // of an element that is there
  assign absent     = {Fibers ? sam_pkg::KindStop : sam_pkg::KindVal, End};

  assign missing = crd_is_val ? next_q < crd
                              : crd_kind == sam_pkg::KindStop && crd == '0 && next_q < W'(size);
  assign insert  = crd_valid && out_ready && missing;
  assign pass    = crd_valid && out_ready && !missing && in_valid;

  assign crd_ready = pass && (!crd_is_val || last);
  assign in_ready  = pass;
  assign out_valid = insert || pass;
  assign out_data  = missing ? absent : in_data;

  assign next_d = insert || (pass && crd_is_val && last) ? next_q + 1'b1 :
                  pass && !crd_is_val ? '0 : next_q;

  always_ff @(posedge clk) begin
    if (rst) next_q <= '0;
    else     next_q <= next_d;
  end

  assign control = {crd_kind, crd_kind == sam_pkg::KindStop ? crd + W'(Depth) : crd};
  assign aligned = crd_is_val ? in_part : in_data == control;

  `SAM_ASSERT(misaligned, !pass || aligned)
  `SAM_ASSERT(out_of_range, !(crd_valid && crd_is_val) || crd < W'(size))

endmodule
`default_nettype wire
