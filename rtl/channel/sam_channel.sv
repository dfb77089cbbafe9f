// Holds up to Depth tokens between two blocks and gives them back in order, Latency cycles later at the soonest.
// A push takes its slot at once; its data arrives Latency - 1 cycles after it. A slot freed by a pop can be
// taken in the next cycle. `in_ready` and `out_valid` come from registers only.
// Stores the tokens, their number, and where the first and the next one are. Deep ones are in a block memory, and
// their first token in a register, too.
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
  localparam int DistributedDepth = 16;  // deeper ones are read ahead, as block memories want it
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
  logic [IndexW-1:0] tail_q, tail_d;

  assign push = in_valid && in_ready;
  assign pop  = out_valid && out_ready;

  assign in_ready  = taken_q != Full;
  assign out_valid = ready_q != '0;

  assign taken_d = taken_q + CountW'(push) - CountW'(pop);
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
      tail_q  <= '0;
    end else begin
      taken_q <= taken_d;
      tail_q  <= tail_d;
    end
  end

  always_ff @(posedge clk) begin
    if (arrive) words[tail_q] <= in_data;
  end

  if (Depth <= DistributedDepth) begin : gen_distributed
    logic [IndexW-1:0] head_q;
    always_ff @(posedge clk) begin
      if (rst) head_q <= '0;
      else if (pop) head_q <= head_q == Last ? '0 : head_q + 1'b1;
    end
    assign out_data = words[head_q];
  end else begin : gen_block
    // The first token comes from a register, as a block memory gives its words late in a cycle. The word behind
    // it is read in the cycle before it is wanted, or is the one that was written then.
    logic                        alone, bypassed_q;  // alone: what arrives has no token before it
    logic [IndexW-1:0]           second_q, second_d;
    logic [sam_pkg::KindW+W-1:0] first_q, word_q, bypass_q;

    assign alone    = ready_q == '0 || (pop && ready_q == CountW'(1));
    assign second_d = !pop ? second_q : second_q == Last ? '0 : second_q + 1'b1;

    always_ff @(posedge clk) begin
      if (rst) second_q <= IndexW'(1);
      else second_q <= second_d;
    end
    always_ff @(posedge clk) begin
      word_q     <= words[second_d];
      bypass_q   <= in_data;
      bypassed_q <= arrive && second_d == tail_q;
      if (alone) first_q <= in_data;
      else if (pop) first_q <= bypassed_q ? bypass_q : word_q;
    end
    assign out_data = first_q;
  end

  `SAM_ASSERT(token_without_slot, ready_q <= taken_q)

endmodule
`default_nettype wire
