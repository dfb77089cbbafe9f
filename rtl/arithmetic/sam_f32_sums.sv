// Adds f32 up by address: wide sums, as in compiler/primitives/wide_sum.h.
// In a cycle a value may be added at any address, or none; the sum at that address, with the value, follows nine
// cycles later.
// Stores the sums in a memory, and what is in the pipelines before and behind it. A sum is read two cycles before
// its first part is needed and written when it is complete, so those of the last four addresses are taken from
// the pipeline.
`default_nettype none
module sam_f32_sums #(
  parameter int Bits = 10  // of an address
) (
  input  logic            clk,
  input  logic            put,    // there is a value
  input  logic            fresh,  // it is the first one at its address
  input  logic [Bits-1:0] addr,
  input  logic [31:0]     x,

  output logic [31:0]     y
);

  // A suffix counts the cycles since an address entered.
  logic [Bits-1:0] addr_1, addr_2, addr_3, addr_4, addr_5;
  logic            put_1, put_2, put_3, put_4, put_5, fresh_1, fresh_2, fresh_3;
  logic [31:0]     x_1;

  always_ff @(posedge clk) begin
    {addr_5, addr_4, addr_3, addr_2, addr_1} <= {addr_4, addr_3, addr_2, addr_1, addr};
    {put_5, put_4, put_3, put_2, put_1}      <= {put_4, put_3, put_2, put_1, put};
    {fresh_3, fresh_2, fresh_1}              <= {fresh_2, fresh_1, fresh};
    x_1                                      <= x;
  end

  // Whether the address is that of the entry one to four cycles before.
  logic same1_2, same1_3, same1_4, same2_2, same2_3, same3_2, same4_2;

  always_ff @(posedge clk) begin
    same1_2            <= addr_1 == addr_2;
    same2_2            <= addr_1 == addr_3;
    same3_2            <= addr_1 == addr_4;
    same4_2            <= addr_1 == addr_5;
    {same1_4, same1_3} <= {same1_3, same1_2};
    same2_3            <= same2_2;
  end

  (* no_rw_check *)
  logic [63:0] words [0:(1<<Bits)-1];
  logic [63:0] read_2, word_2, word_3, sum_5, sum_6;
  logic [53:0] units_4;
  logic [9:0]  rest_3, new_rest_4;

  assign word_2 = same3_2 ? sum_5 : same4_2 ? sum_6 : read_2;

  always_ff @(posedge clk) begin
    read_2  <= words[addr_1];
    word_3  <= word_2;
    rest_3  <= same2_2 ? new_rest_4 : word_2[9:0];
    units_4 <= same2_3 ? sum_5[63:10] : word_3[63:10];
    sum_6   <= sum_5;
    if (put_5) words[addr_5] <= sum_5;
  end

  logic [31:0] integer_3;
  logic [5:0]  bucket_3;
  logic [2:0]  kinds_3;
  logic        unused_rest;

  assign unused_rest = word_3[9:0] != '0;

  sam_f32_sum_align u_align (
    .clk, .x(x_1), .integer_part(integer_3), .bucket(bucket_3), .kinds(kinds_3)
  );

  sam_f32_sum_add u_add (
    .clk,
    .idle(!put_3),
    .fresh(fresh_3),
    .integer_part(integer_3),
    .bucket(bucket_3),
    .kinds(kinds_3),
    .rest(same1_3 ? new_rest_4 : rest_3),
    .units(same1_4 ? sum_5[63:10] : units_4),
    .new_rest(new_rest_4),
    .sum(sum_5)
  );

  sam_f32_sum_round u_round (.clk, .sum(sum_5), .y);

endmodule
`default_nettype wire
