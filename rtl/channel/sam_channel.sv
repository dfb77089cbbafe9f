// Holds up to Depth tokens between two blocks and gives them back in order, Latency cycles later at the soonest.
// A push takes its slot at once; its data arrives Latency - 1 cycles after it. A slot freed by a pop can be
// taken in the next cycle. `in_ready` and `out_valid` come from registers only.
// Stores the tokens (deep ones in a block memory), their number, and where the first and the next one are.
`default_nettype none
`include "sam_assert.svh"
module sam_channel #(
  parameter int W       = 32,  // bits of a coordinate, reference or value
  parameter int Depth   = 2,   // tokens, at least 1
  parameter int Latency = 1    // cycles from push to visible, at least 1
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] in_data,
  input  logic                        in_valid,
  output logic                        in_ready,

  output logic [sam_pkg::KindW+W-1:0] out_data,
  output logic                        out_valid,
  input  logic                        out_ready
);
  /*verilator no_inline_module*/  // a design has many: its build is a quarter faster, its run is not slower

  localparam int CountW = $clog2(Depth + 1);
  localparam int IndexW = Depth > 1 ? $clog2(Depth) : 1;
  localparam int DistributedDepth = 16;  // deeper ones are read a cycle ahead, as block memories want it
  localparam logic [CountW-1:0] Full = CountW'(Depth);
  localparam logic [IndexW-1:0] Last = IndexW'(Depth - 1);

  if (Depth < 1) begin : gen_bad_depth
    sam_channel_depth_must_be_positive u_error ();
  end
  if (Latency < 1) begin : gen_bad_latency
    sam_channel_latency_must_be_positive u_error ();
  end

  (* no_rw_check *)  // a word that is written while it is read is taken from the bypass
  logic [sam_pkg::KindW+W-1:0] words [0:Depth-1];

  logic              push, arrive, pop;
  logic [CountW-1:0] taken_q, taken_d;  // slots in use or promised
  logic [CountW-1:0] ready_q, ready_d;  // tokens that have arrived
  logic [IndexW-1:0] head_q, head_d, tail_q, tail_d;

  assign push = in_valid && in_ready;
  assign pop  = out_valid && out_ready;

  assign in_ready  = taken_q != Full;
  assign out_valid = ready_q != '0;

  assign taken_d = taken_q + CountW'(push) - CountW'(pop);
  assign head_d  = !pop ? head_q : head_q == Last ? '0 : head_q + 1'b1;
  assign tail_d  = !arrive ? tail_q : tail_q == Last ? '0 : tail_q + 1'b1;

  if (Latency == 1) begin : gen_direct
    assign arrive  = push;
    assign ready_q = taken_q;
    assign ready_d = taken_d;
    logic unused_ready;
    assign unused_ready = &ready_d;
  end else begin : gen_pipeline
    logic [Latency-1:0] flight;  // pushes of this cycle and of those before
    logic [Latency-2:0] flight_q;
    assign flight  = {flight_q, push};
    assign arrive  = flight[Latency-1];
    assign ready_d = ready_q + CountW'(arrive) - CountW'(pop);
    always_ff @(posedge clk) begin
      if (rst) begin
        flight_q <= '0;
        ready_q  <= '0;
      end else begin
        flight_q <= flight[Latency-2:0];
        ready_q  <= ready_d;
      end
    end
  end

  always_ff @(posedge clk) begin
    if (rst) begin
      taken_q <= '0;
      head_q  <= '0;
      tail_q  <= '0;
    end else begin
      taken_q <= taken_d;
      head_q  <= head_d;
      tail_q  <= tail_d;
    end
  end

  always_ff @(posedge clk) begin
    if (arrive) words[tail_q] <= in_data;
  end

  if (Depth <= DistributedDepth) begin : gen_distributed
    assign out_data = words[head_q];
  end else begin : gen_block
    // The word of the next head is read in this cycle, or is the one that is written in this cycle.
    logic [sam_pkg::KindW+W-1:0] word_q, bypass_q;
    logic                        bypassed_q;
    always_ff @(posedge clk) begin
      word_q     <= words[head_d];
      bypass_q   <= in_data;
      bypassed_q <= arrive && head_d == tail_q;
    end
    assign out_data = bypassed_q ? bypass_q : word_q;
  end

  `SAM_ASSERT(token_without_slot, ready_q <= taken_q)

endmodule
`default_nettype wire
