// y = a * b in IEEE-754 binary32, rounded to nearest even, with subnormals.
// A new pair may enter every cycle; its product follows Stages cycles later.
// Stores one value a cut: multiplied | leading zeros counted | shifted | rounded.
`default_nettype none
module sam_f32_mul #(
  parameter int Stages = 3  // 0 or 3
) (
  input  logic        clk,
  input  logic [31:0] a,
  input  logic [31:0] b,

  output logic [31:0] y
);

  localparam int Cut = Stages == 0 ? 0 : 1;

  if (Stages != 0 && Stages != 3) begin : gen_bad_stages
    sam_f32_mul_stages_must_be_0_or_3 u_error ();
  end

  // 1: multiply; a subnormal operand has no leading one.
  logic               a_nan, b_nan, a_inf, b_inf, a_zero, b_zero;
  logic               negative, nan, infinite, zero;
  logic        [7:0]  a_exponent, b_exponent;
  logic        [23:0] a_m, b_m;
  logic        [47:0] product;
  logic signed [10:0] exponent;

  assign a_nan  = a[30:0] > {8'hff, 23'd0};
  assign b_nan  = b[30:0] > {8'hff, 23'd0};
  assign a_inf  = a[30:0] == {8'hff, 23'd0};
  assign b_inf  = b[30:0] == {8'hff, 23'd0};
  assign a_zero = a[30:0] == '0;
  assign b_zero = b[30:0] == '0;

  assign negative = a[31] != b[31];
  assign nan      = a_nan || b_nan || (a_inf && b_zero) || (a_zero && b_inf);
  assign infinite = a_inf || b_inf;
  assign zero     = a_zero || b_zero;

  assign a_exponent = a[30:23] == '0 ? 8'd1 : a[30:23];
  assign b_exponent = b[30:23] == '0 ? 8'd1 : b[30:23];
  assign a_m        = {a[30:23] != '0, a[22:0]};
  assign b_m        = {b[30:23] != '0, b[22:0]};
  assign product    = {24'd0, a_m} * {24'd0, b_m};
  assign exponent   = $signed({3'd0, a_exponent}) + $signed({3'd0, b_exponent}) - 11'sd126;

  // 2: count the leading zeros.
  logic               negative_2, nan_2, infinite_2, zero_2;
  logic        [47:0] product_2;
  logic signed [10:0] exponent_2;
  logic        [5:0]  zeros;

  sam_delay #(.Width(63), .Stages(Cut)) u_cut_2 (
    .clk,
    .d({negative, nan, infinite, zero, exponent, product}),
    .q({negative_2, nan_2, infinite_2, zero_2, exponent_2, product_2})
  );

  sam_leading_zeros #(.Width(48)) u_zeros (.x(product_2), .count(zeros));

  // 3: shift them out.
  logic               negative_3, nan_3, infinite_3, zero_3;
  logic        [47:0] product_3, shifted;
  logic signed [10:0] exponent_3;
  logic        [5:0]  zeros_3;

  sam_delay #(.Width(69), .Stages(Cut)) u_cut_3 (
    .clk,
    .d({negative_2, nan_2, infinite_2, zero_2, exponent_2, product_2, zeros}),
    .q({negative_3, nan_3, infinite_3, zero_3, exponent_3, product_3, zeros_3})
  );

  assign shifted = product_3 << zeros_3;

  // 4: round.
  logic               negative_4, nan_4, infinite_4, zero_4;
  logic        [31:0] sig_4, rounded;
  logic signed [10:0] exponent_4;

  sam_delay #(.Width(47), .Stages(Cut)) u_cut_4 (
    .clk,
    .d({negative_3, nan_3, infinite_3, zero_3, exponent_3 - $signed({5'd0, zeros_3}),
        shifted[47:17], shifted[16:0] != '0}),
    .q({negative_4, nan_4, infinite_4, zero_4, exponent_4, sig_4})
  );

  sam_f32_round u_round (
    .negative(negative_4), .exponent(exponent_4), .sig(sig_4), .y(rounded)
  );

  assign y = nan_4      ? 32'h7fc00000
           : infinite_4 ? {negative_4, 8'hff, 23'd0}
           : zero_4     ? {negative_4, 31'd0}
                        : rounded;

endmodule
`default_nettype wire
