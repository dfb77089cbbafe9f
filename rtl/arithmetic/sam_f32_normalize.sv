// Splits a positive float into m * 2^(exponent - 150) with the top bit of m set, subnormals too.
// Combinational. The sign is ignored; zero gives m = 0.
`default_nettype none
module sam_f32_normalize (
  input  logic        [31:0] x,

  output logic signed [9:0]  exponent,
  output logic        [23:0] m
);

  logic        unused_sign;
  logic [7:0]  field;
  logic [22:0] fraction;
  logic        subnormal;
  logic [4:0]  zeros;

  assign {unused_sign, field, fraction} = x;
  assign subnormal = field == '0;

  sam_leading_zeros #(.Width(24)) u_zeros (.x({1'b0, fraction}), .count(zeros));

  assign exponent = subnormal ? 10'sd1 - $signed({5'd0, zeros}) : $signed({2'd0, field});
  assign m        = subnormal ? {1'b0, fraction} << zeros : {1'b1, fraction};

endmodule
`default_nettype wire
