// Adds a stream of f32 up: a wide sum, as in compiler/primitives/wide_sum.h.
// A new value may enter every cycle. The sum of all values so far, the present one included, follows eight cycles
// later.
// Stores the sum, and what is in the pipelines before and behind it.
`default_nettype none
module sam_f32_sum (
  input  logic        clk,
  input  logic        idle,      // there is no value
  input  logic        fresh,     // a value begins a new sum
  input  logic        add_zero,  // y is the sum plus zero: not -0
  input  logic [31:0] x,

  output logic [31:0] y
);

  logic        idle_2, fresh_2, add_zero_4;
  logic [31:0] integer_part;
  logic [5:0]  bucket;
  logic [2:0]  kinds;
  logic [9:0]  rest;
  logic [63:0] sum;

  sam_f32_sum_align u_align (.clk, .x, .integer_part, .bucket, .kinds);

  sam_delay #(.Width(2), .Stages(2)) u_flags (.clk, .d({idle, fresh}), .q({idle_2, fresh_2}));

  sam_f32_sum_add u_add (
    .clk,
    .idle(idle_2),
    .fresh(fresh_2),
    .integer_part,
    .bucket,
    .kinds,
    .rest,
    .units(sum[63:10]),
    .new_rest(rest),
    .sum
  );

  sam_delay #(.Width(1), .Stages(4)) u_zero (.clk, .d(add_zero), .q(add_zero_4));

  sam_f32_sum_round u_round (.clk, .sum({sum[63:1], sum[0] || add_zero_4}), .y);

endmodule
`default_nettype wire
