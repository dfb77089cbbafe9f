// y = a * b in IEEE-754 binary32, rounded to nearest even, with subnormals.
// A new pair may enter every cycle; its product follows Stages cycles later.
// Stores one value a cut: multiplied by parts | added | leading zeros counted | shifted | denormalized | rounded.
`default_nettype none
module sam_f32_mul #(
  parameter int Stages = 5  // 0 or 5
) (
  input  logic        clk,
  input  logic [31:0] a,
  input  logic [31:0] b,

  output logic [31:0] y
);

  localparam int Cut = Stages == 0 ? 0 : 1;

  if (Stages != 0 && Stages != 5) begin : gen_bad_stages
    sam_f32_mul_stages_must_be_0_or_5 u_error ();
  end

  // 1: multiply with a quarter of b each; a subnormal operand has no leading one.
  logic               a_nan, b_nan, a_inf, b_inf, a_zero, b_zero;
  logic               negative, nan, infinite, zero;
  logic        [7:0]  a_exponent, b_exponent;
  logic        [23:0] a_m, b_m;
  logic        [29:0] part_0, part_1, part_2, part_3;
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
  assign part_0     = {6'd0, a_m} * {24'd0, b_m[5:0]};
  assign part_1     = {6'd0, a_m} * {24'd0, b_m[11:6]};
  assign part_2     = {6'd0, a_m} * {24'd0, b_m[17:12]};
  assign part_3     = {6'd0, a_m} * {24'd0, b_m[23:18]};
  assign exponent   = $signed({3'd0, a_exponent}) + $signed({3'd0, b_exponent}) - 11'sd126;

  // 2: add.
  logic               negative_2, nan_2, infinite_2, zero_2;
  logic        [29:0] part_0_2, part_1_2, part_2_2, part_3_2;
  logic        [47:0] product;
  logic signed [10:0] exponent_2;

  sam_delay #(.Width(135), .Stages(Cut)) u_cut_2 (
    .clk,
    .d({negative, nan, infinite, zero, exponent, part_0, part_1, part_2, part_3}),
    .q({negative_2, nan_2, infinite_2, zero_2, exponent_2, part_0_2, part_1_2, part_2_2, part_3_2})
  );

  assign product = {18'd0, part_0_2} + {12'd0, part_1_2, 6'd0} + {6'd0, part_2_2, 12'd0} + {part_3_2, 18'd0};

  // 3: count the leading zeros.
  logic               negative_3, nan_3, infinite_3, zero_3;
  logic        [47:0] product_3;
  logic signed [10:0] exponent_3;
  logic        [5:0]  zeros;

  sam_delay #(.Width(63), .Stages(Cut)) u_cut_3 (
    .clk,
    .d({negative_2, nan_2, infinite_2, zero_2, exponent_2, product}),
    .q({negative_3, nan_3, infinite_3, zero_3, exponent_3, product_3})
  );

  sam_leading_zeros #(.Width(48)) u_zeros (.x(product_3), .count(zeros));

  // 4: shift them out.
  logic               negative_4, nan_4, infinite_4, zero_4;
  logic        [47:0] product_4, shifted;
  logic signed [10:0] exponent_4;
  logic        [5:0]  zeros_4;

  sam_delay #(.Width(69), .Stages(Cut)) u_cut_4 (
    .clk,
    .d({negative_3, nan_3, infinite_3, zero_3, exponent_3, product_3, zeros}),
    .q({negative_4, nan_4, infinite_4, zero_4, exponent_4, product_4, zeros_4})
  );

  assign shifted = product_4 << zeros_4;

  // 5: shift back what is subnormal.
  logic               negative_5, nan_5, infinite_5, zero_5, too_large;
  logic        [31:0] sig_5, sig;
  logic signed [10:0] exponent_5;
  logic        [7:0]  field;

  sam_delay #(.Width(47), .Stages(Cut)) u_cut_5 (
    .clk,
    .d({negative_4, nan_4, infinite_4, zero_4, exponent_4 - $signed({5'd0, zeros_4}),
        shifted[47:17], shifted[16:0] != '0}),
    .q({negative_5, nan_5, infinite_5, zero_5, exponent_5, sig_5})
  );

  sam_f32_denormalize u_denormalize (
    .exponent(exponent_5), .sig(sig_5), .infinite(too_large), .field, .shifted(sig)
  );

  // 6: round.
  logic        negative_6, nan_6, infinite_6, zero_6;
  logic [7:0]  field_6;
  logic [31:0] sig_6, rounded;

  sam_delay #(.Width(44), .Stages(Cut)) u_cut_6 (
    .clk,
    .d({negative_5, nan_5, infinite_5 || (too_large && !zero_5), zero_5, field, sig}),
    .q({negative_6, nan_6, infinite_6, zero_6, field_6, sig_6})
  );

  sam_f32_pack u_pack (
    .negative(negative_6), .infinite(infinite_6), .field(field_6), .sig(sig_6), .y(rounded)
  );

  assign y = nan_6                 ? 32'h7fc00000
           : zero_6 && !infinite_6 ? {negative_6, 31'd0}
                                   : rounded;

endmodule
`default_nettype wire
