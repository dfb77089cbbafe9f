// Enumerates the fibers of a compressed level: the coordinates at positions lo .. hi-1, and the positions.
// Fires when both bounds are there and both outputs have room; the coordinate array answers a cycle later.
// Stores the next position inside a fiber, and the last coordinate token except for the word that is read.
`default_nettype none
`include "sam_assert.svh"
module sam_scan_compressed #(
  parameter int W = 32  // bits of a coordinate, reference or value
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] lo_data,
  input  logic                        lo_valid,
  output logic                        lo_ready,
  input  logic [sam_pkg::KindW+W-1:0] hi_data,
  input  logic                        hi_valid,
  output logic                        hi_ready,

  output logic [31:0]                 crds_addr,
  input  logic [31:0]                 crds_data,

  output logic [sam_pkg::KindW+W-1:0] crd_data,
  output logic                        crd_valid,
  input  logic                        crd_ready,
  output logic [sam_pkg::KindW+W-1:0] pos_data,
  output logic                        pos_valid,
  input  logic                        pos_ready
);

  logic [sam_pkg::KindW-1:0]   kind, hi_kind;
  logic [W-1:0]                lo, hi, at, next_q;
  logic [sam_pkg::KindW+W-1:0] fiber_end, end_q;
  logic                        fire, more, more_q, inside_d, inside_q;

  assign {kind, lo} = lo_data;
  assign {hi_kind, hi} = hi_data;

  assign fire = lo_valid && hi_valid && crd_ready && pos_ready;
  assign at   = inside_q ? next_q : lo;
  assign more = kind == sam_pkg::KindVal && at < hi;

  // The fiber's own stop, or the one that is a level further out.
  assign fiber_end = kind == sam_pkg::KindVal ? {sam_pkg::KindStop, W'(0)}
                                              : {kind, lo + W'(kind == sam_pkg::KindStop)};

  assign lo_ready  = fire && !more;
  assign hi_ready  = fire && !more;
  assign crds_addr = 32'(at);
  assign crd_valid = fire;
  assign crd_data  = more_q ? {sam_pkg::KindVal, W'(crds_data)} : end_q;
  assign pos_valid = fire;
  assign pos_data  = more ? {sam_pkg::KindVal, at} : fiber_end;

  assign inside_d = fire ? more : inside_q;

  always_ff @(posedge clk) begin
    if (rst) inside_q <= 1'b0;
    else     inside_q <= inside_d;
  end

  always_ff @(posedge clk) begin
    if (fire) next_q <= at + 1'b1;
    more_q <= more;
    end_q  <= fiber_end;
  end

  `SAM_ASSERT(misaligned, !(lo_valid && hi_valid) || kind == hi_kind)

endmodule
`default_nettype wire
