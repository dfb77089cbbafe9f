// Deals the elements of each fiber to lanes in turn.
// Fires when there is a token and its lane has room, or at an outer stop every lane; stores whose turn it is.
`default_nettype none
module sam_parallelize #(
  parameter int W     = 32,  // bits of a coordinate, reference or value
  parameter int N     = 2,   // lanes
  parameter int Depth = 0    // an element is this many fibers deep; 0: a token
) (
  input  logic                            clk,
  input  logic                            rst,
  input  logic [sam_pkg::KindW+W-1:0]     in_data,
  input  logic                            in_valid,
  output logic                            in_ready,

  output logic [N*(sam_pkg::KindW+W)-1:0] out_data,
  output logic [N-1:0]                    out_valid,
  input  logic [N-1:0]                    out_ready
);

  localparam logic         Fibers = Depth > 0;
  localparam logic [W-1:0] End    = Depth > 0 ? W'(Depth - 1) : '0;  // the stop that ends an element

  logic [sam_pkg::KindW-1:0] kind;
  logic [W-1:0]              bits;
  logic [N-1:0]              lane_d, lane_q;  // one bit set: whose turn it is
  logic                      is_element, is_stop, in_part, last, fire;

  assign {kind, bits} = in_data;
  assign is_element = kind == sam_pkg::KindVal || kind == sam_pkg::KindEmpty;
  assign is_stop    = kind == sam_pkg::KindStop;
  assign in_part     = is_element || (Fibers && is_stop && bits <= End);
  assign last       = Fibers ? is_stop && bits == End : is_element;

  assign fire      = in_valid && (in_part ? |(out_ready & lane_q) : &out_ready);
  assign in_ready  = fire;
  assign out_valid = !fire ? '0 : in_part ? lane_q : '1;
  assign out_data  = {N{in_data}};

  assign lane_d = !fire ? lane_q : !in_part ? N'(1) : last ? {lane_q[N-2:0], lane_q[N-1]} : lane_q;

  always_ff @(posedge clk) begin
    if (rst) lane_q <= N'(1);
    else     lane_q <= lane_d;
  end

endmodule
`default_nettype wire
