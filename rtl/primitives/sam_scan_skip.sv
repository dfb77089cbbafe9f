// Enumerates the fibers of a compressed level, skipping what sam_intersect_skip does not need.
// Fires to open a fiber, then, when both outputs have room, to emit its first coordinate; from then on once for each
// word that a search looks at, while there is a skip: the search for the first coordinate that is not less doubles
// its steps, then halves them. After D it takes the D of the skips.
// Stores the bounds of the search, its step, the address of the next word, which is read ahead, and the word at
// the upper bound. The path from the word through the comparison to the next address is within one cycle, so what
// happens is prepared for either outcome of it.
`default_nettype none
`include "sam_assert.svh"
module sam_scan_skip #(
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
  input  logic [sam_pkg::KindW+W-1:0] skip_data,
  input  logic                        skip_valid,
  output logic                        skip_ready,

  output logic [31:0]                 crds_addr,
  input  logic [31:0]                 crds_data,

  output logic [sam_pkg::KindW+W-1:0] crd_data,
  output logic                        crd_valid,
  input  logic                        crd_ready,
  output logic [sam_pkg::KindW+W-1:0] pos_data,
  output logic                        pos_valid,
  input  logic                        pos_ready
);

  localparam logic [1:0] Between = 2'd0;
  localparam logic [1:0] First   = 2'd1;
  localparam logic [1:0] Search  = 2'd2;
  localparam logic [1:0] Ended   = 2'd3;

  logic [1:0]                  phase_d, phase_q;
  logic [sam_pkg::KindW-1:0]   kind, hi_kind, skip_kind;
  logic [W-1:0]                lo, hi, bound, word;
  logic [W-1:0]                at_next, width_less, width_more, next_less, next_more, at_less, at_more;
  logic [W:0]                  middle_less, middle_more;  // twice
  logic [W-1:0]                at_d, at_q, low_q, high_q, step_q, kept_q;
  logic [sam_pkg::KindW+W-1:0] fiber_end;
  logic                        heads, room, searching, open, pass, look, leave;
  logic                        less, closed, found, at_end, kept, over, emit_less, emit_more, emit, move, close;

  assign {kind, lo} = lo_data;
  assign {hi_kind, hi} = hi_data;
  assign {skip_kind, bound} = skip_data;
  assign word = W'(crds_data);

  assign heads     = lo_valid && hi_valid;
  assign room      = crd_ready && pos_ready;
  assign searching = phase_q == Search;
  assign open  = phase_q == Between && heads && kind == sam_pkg::KindVal && lo < hi;
  assign pass  = phase_q == Between && heads && !open && room;
  assign look  = heads && room && (phase_q == First || (searching && skip_valid));
  assign leave = phase_q == Ended && skip_valid;

  // The word in hand is the one, or bounds the search from below or from above.
  assign less      = searching && word < bound;
  assign at_next   = at_q + 1'b1;
  assign closed    = searching && (skip_kind == sam_pkg::KindStop || low_q == hi);
  assign found     = at_q == low_q;  // if not less
  assign at_end    = at_next == high_q;
  assign kept      = at_end && high_q != hi;  // if less
  assign over      = at_end && high_q == hi;  // if less
  assign emit_less = look && !closed && kept;
  assign emit_more = look && !closed && found;
  assign emit      = less ? emit_less : emit_more;
  assign close     = look && (closed || (less && over));
  assign move      = look && !emit && !close;

  // The next word is step_q, all ones, after the low bound, or the one in the middle between the bounds if that is
  // nearer.
  assign width_less  = high_q + ~at_q;  // high_q - at_next
  assign width_more  = at_q - low_q;
  assign middle_less = {1'b0, at_next} + {1'b0, high_q};
  assign middle_more = {1'b0, low_q} + {1'b0, at_q};
  assign next_less   = ((width_less >> 1) & ~step_q) != '0 ? at_next + step_q : middle_less[W:1];
  assign next_more   = ((width_more >> 1) & ~step_q) != '0 ? low_q + step_q : middle_more[W:1];

  // The fiber's own stop, or the one that is a level further out.
  assign fiber_end = kind == sam_pkg::KindVal ? {sam_pkg::KindStop, W'(0)}
                                              : {kind, lo + W'(kind == sam_pkg::KindStop)};

  assign lo_ready   = pass || close;
  assign hi_ready   = pass || close;
  assign skip_ready = leave || (searching && (emit || close));
  assign crd_valid  = pass || close || emit;
  assign crd_data   = emit ? {sam_pkg::KindVal, less ? kept_q : word} : fiber_end;
  assign pos_valid  = pass || close || emit;
  assign pos_data   = emit ? {sam_pkg::KindVal, less ? high_q : at_q} : fiber_end;

  assign phase_d = open ? First :
                   emit ? Search :
                   pass && kind == sam_pkg::KindDone ? Ended :
                   close || leave ? Between : phase_q;

  // Without a look the word has to stay; at the end of a fiber it does not matter.
  assign at_less = emit_less ? high_q + 1'b1 : look && !closed ? next_less : at_q;
  assign at_more = open ? lo : emit_more ? at_next : look && !closed ? next_more : at_q;
  assign at_d    = less ? at_less : at_more;

  assign crds_addr = 32'(at_d);

  always_ff @(posedge clk) begin
    if (rst) phase_q <= Between;
    else     phase_q <= phase_d;
  end

  always_ff @(posedge clk) begin
    at_q <= at_d;
    if (open || emit) begin
      low_q  <= at_d;
      high_q <= hi;
      step_q <= '0;
    end else if (move) begin
      if (less) low_q <= at_next;
      else      high_q <= at_q;
      if (less) step_q <= {step_q[W-2:0], 1'b1};
    end
    if (look && !less) kept_q <= word;  // no matter if this emits or closes: then high_q starts anew, without a word
  end

  logic unused_middle;
  assign unused_middle = middle_less[0] ^ middle_more[0];

  `SAM_ASSERT(misaligned, !heads || kind == hi_kind)
  `SAM_ASSERT(not_a_skip, !(searching && skip_valid) || skip_kind == sam_pkg::KindVal ||
              skip_data == {sam_pkg::KindStop, W'(0)})
  `SAM_ASSERT(skip_too_many, !(phase_q == Ended && skip_valid) || skip_kind == sam_pkg::KindDone)

endmodule
`default_nettype wire
