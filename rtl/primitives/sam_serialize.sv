// Takes the elements of each fiber back from lanes in turn.
// Fires when the lane whose turn it is has a token, or at an outer stop every lane, and there is room; stores whose
// turn it is.
`default_nettype none
`include "sam_assert.svh"
module sam_serialize #(
  parameter int W     = 32,  // bits of a coordinate, reference or value
  parameter int N     = 2,   // lanes
  parameter int Depth = 0    // an element is this many fibers deep; 0: a token
) (
  input  logic                            clk,
  input  logic                            rst,
  input  logic [N*(sam_pkg::KindW+W)-1:0] in_data,
  input  logic [N-1:0]                    in_valid,
  output logic [N-1:0]                    in_ready,

  output logic [sam_pkg::KindW+W-1:0]     out_data,
  output logic                            out_valid,
  input  logic                            out_ready
);

  localparam int           TokenW = sam_pkg::KindW + W;
  localparam logic         Fibers = Depth > 0;
  localparam logic [W-1:0] End    = Depth > 0 ? W'(Depth - 1) : '0;  // the stop that ends an element

  logic [sam_pkg::KindW-1:0] kind;
  logic [W-1:0]              bits;
  logic [N-1:0]              lane_d, lane_q;  // one bit set: whose turn it is
  logic                      is_element, is_stop, in_part, last, fire;

  always_comb begin
    out_data = '0;
    for (int i = 0; i < N; i++) begin
      if (lane_q[i]) out_data = out_data | in_data[i*TokenW +: TokenW];
    end
  end

  assign {kind, bits} = out_data;
  assign is_element = kind == sam_pkg::KindVal || kind == sam_pkg::KindEmpty;
  assign is_stop    = kind == sam_pkg::KindStop;
  assign in_part     = is_element || (Fibers && is_stop && bits <= End);
  assign last       = Fibers ? is_stop && bits == End : is_element;

  assign fire      = out_ready && |(in_valid & lane_q) && (in_part || &in_valid);
  assign out_valid = fire;
  assign in_ready  = !fire ? '0 : in_part ? lane_q : '1;

  assign lane_d = !fire ? lane_q : !in_part ? N'(1) : last ? {lane_q[N-2:0], lane_q[N-1]} : lane_q;

  always_ff @(posedge clk) begin
    if (rst) lane_q <= N'(1);
    else     lane_q <= lane_d;
  end

  `SAM_ASSERT(misaligned, !fire || in_part || in_data == {N{out_data}})

endmodule
`default_nettype wire
