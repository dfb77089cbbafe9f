// Makes an f32 a term of a wide sum: an integer in units of its bucket, as in compiler/primitives/wide_sum.h.
// A new value may enter every cycle; its term follows two cycles later.
// Stores one value a cut: signed | shifted.
`default_nettype none
module sam_f32_sum_align (
  input  logic        clk,
  input  logic [31:0] x,

  output logic [31:0] integer_part,  // in units of 2^20 of the bucket
  output logic [5:0]  bucket,
  output logic [2:0]  kinds          // +infinity or NaN, -infinity or NaN, anything but -0
);

  // 1: sign, and what is no number.
  logic        subnormal, nan, infinite;
  logic [24:0] magnitude, signed_m;
  logic [2:0]  place, kinds_1;

  assign subnormal = x[30:23] == '0;
  assign nan       = x[30:0] > {8'hff, 23'd0};
  assign infinite  = x[30:0] == {8'hff, 23'd0};
  assign magnitude = {1'b0, !subnormal, x[22:0]};
  assign signed_m  = x[31] ? -magnitude : magnitude;
  assign place     = subnormal ? 3'd1 : x[25:23];
  assign kinds_1   = {nan || (infinite && !x[31]), nan || (infinite && x[31]), x != 32'h80000000};

  // 2: shift to the place within the bucket.
  logic [24:0] signed_m_2;
  logic [2:0]  place_2, kinds_2;
  logic [4:0]  bucket_2;

  sam_delay #(.Width(36), .Stages(1)) u_cut_2 (
    .clk, .d({signed_m, place, x[30:26], kinds_1}), .q({signed_m_2, place_2, bucket_2, kinds_2})
  );

  sam_delay #(.Width(41), .Stages(1)) u_cut_3 (
    .clk,
    .d({{{7{signed_m_2[24]}}, signed_m_2} << place_2, {1'b0, bucket_2}, kinds_2}),
    .q({integer_part, bucket, kinds})
  );

endmodule
`default_nettype wire
