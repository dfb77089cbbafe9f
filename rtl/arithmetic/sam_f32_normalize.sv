// Splits a positive float into m * 2^(exponent - 150) with the top bit of m set, subnormals too.
// The sign is ignored; zero gives m = 0. The result follows Stages cycles later.
// Stores the leading zeros, counted, beside the number.
`default_nettype none
module sam_f32_normalize #(
  parameter int Stages = 0  // 0 or 1
) (
  input  logic               clk,
  input  logic        [31:0] x,

  output logic signed [9:0]  exponent,
  output logic        [23:0] m
);

  logic        unused_sign;
  logic [7:0]  field;
  logic [22:0] fraction;
  logic        subnormal;
  logic [4:0]  zeros, zeros_2;

  if (Stages != 0 && Stages != 1) begin : gen_bad_stages
    sam_f32_normalize_stages_must_be_0_or_1 u_error ();
  end

  assign subnormal = field == '0;

  sam_leading_zeros #(.Width(24)) u_zeros (.x({1'b0, x[22:0]}), .count(zeros));

  sam_delay #(.Width(37), .Stages(Stages)) u_cut (
    .clk, .d({x, zeros}), .q({unused_sign, field, fraction, zeros_2})
  );

  assign exponent = subnormal ? 10'sd1 - $signed({5'd0, zeros_2}) : $signed({2'd0, field});
  assign m        = subnormal ? {1'b0, fraction} << zeros_2 : {1'b1, fraction};

endmodule
`default_nettype wire
