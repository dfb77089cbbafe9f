// y = the natural logarithm of a, by e * ln 2 + (m - 1) * Q(m) with m in [0.75, 1.5).
// A new operand may enter every cycle; its result follows Stages cycles later.
// Stores one value a cut: leading zeros counted | normalized | row looked up | three steps of the cubic in six |
// multiplied by parts | these added | both terms added | magnitude | its leading zeros | shifted out | rounded.
`default_nettype none
module sam_f32_log #(
  parameter int Stages = 15  // 0 or 15
) (
  input  logic        clk,
  input  logic [31:0] a,

  output logic [31:0] y
);

  localparam int                 Cut  = Stages == 0 ? 0 : 1;
  localparam logic signed [54:0] Ln2  = 55'sd12486629536330718;  // in units of 2^-54
  localparam int                 Bias = 256;                    // makes powers of two positive

  if (Stages != 0 && Stages != 15) begin : gen_bad_stages
    sam_f32_log_stages_must_be_0_or_15 u_error ();
  end

  // 1 and 2: normalize.
  logic               exact, zero, infinite;
  logic        [31:0] exact_y;
  logic signed [9:0]  exponent;
  logic        [23:0] m;

  assign zero     = a[30:0] == '0;
  assign infinite = a == {1'b0, 8'hff, 23'd0};
  assign exact    = zero || a[31] || a[30:23] == 8'hff;
  assign exact_y  = zero ? {1'b1, 8'hff, 23'd0} : infinite ? a : 32'h7fc00000;

  sam_f32_normalize #(.Stages(Cut)) u_normalize (.clk, .x(a), .exponent, .m);

  // 3: look up Q. The upper half of the mantissas counts as below the next power of two.
  logic signed [9:0]   exponent_3, power;
  logic        [22:0]  fraction_3;
  logic        [110:0] row;
  logic signed [24:0]  distance;  // mantissa - 1 in units of 2^-24

  sam_delay #(.Width(33), .Stages(Cut)) u_cut_3 (
    .clk, .d({exponent, m[22:0]}), .q({exponent_3, fraction_3})
  );

  sam_table_log u_table (.index(fraction_3[22:18]), .row);

  assign distance = fraction_3[22] ? {3'b111, fraction_3[21:0]} : {1'b0, fraction_3, 1'b0};
  assign power    = exponent_3 - 10'sd127 + (fraction_3[22] ? 10'sd1 : 10'sd0);

  // 4 to 9: evaluate it.
  logic        [110:0] row_4;
  logic        [17:0]  t_4;
  logic        [34:0]  slope;

  sam_delay #(.Width(129), .Stages(Cut)) u_cut_4 (
    .clk, .d({row, fraction_3[17:0]}), .q({row_4, t_4})
  );

  sam_cubic #(.Stages(5 * Cut)) u_cubic (.clk, .row(row_4), .t({t_4, 8'd0}), .y(slope));

  // 10 and 11: both terms, in units of 2^-54.
  logic signed [9:0]  power_10;
  logic        [8:0]  biased_10;
  logic signed [24:0] distance_10;
  logic        [30:0] slope_10;
  logic signed [62:0] whole, part;
  logic               unused_m, unused_power;
  logic        [3:0]  unused_slope;

  sam_delay #(.Width(35), .Stages(7 * Cut)) u_side_10 (
    .clk, .d({power, distance}), .q({power_10, distance_10})
  );
  sam_delay #(.Width(31), .Stages(Cut)) u_cut_10 (.clk, .d(slope[34:4]), .q(slope_10));

  assign biased_10    = power_10[8:0] + 9'(Bias);
  assign unused_m     = m[23];
  assign unused_power = power_10[9];
  assign unused_slope = slope[3:0];

  sam_multiply_add #(.AW(55), .BW(9), .YW(63), .Stages(Cut)) u_whole (
    .clk, .a(Ln2), .b(biased_10), .c(-(63'(Ln2) * 63'(Bias))), .y(whole)
  );
  sam_multiply_add #(.AW(25), .BW(31), .YW(63), .Stages(Cut)) u_part (
    .clk, .a(distance_10), .b(slope_10), .c(63'sd0), .y(part)
  );

  // 12: their sum.
  logic signed [62:0] whole_12, part_12, sum;

  sam_delay #(.Width(126), .Stages(Cut)) u_cut_12 (
    .clk, .d({whole, part}), .q({whole_12, part_12})
  );

  assign sum = whole_12 + part_12;

  // 13: its magnitude.
  logic signed [62:0] sum_13;
  logic        [62:0] magnitude;

  sam_delay #(.Width(63), .Stages(Cut)) u_cut_13 (.clk, .d(sum), .q(sum_13));

  assign magnitude = sum_13[62] ? -sum_13 : sum_13;

  // 14: count the leading zeros.
  logic        negative_14;
  logic [62:0] magnitude_14;
  logic [5:0]  zeros;

  sam_delay #(.Width(64), .Stages(Cut)) u_cut_14 (
    .clk, .d({sum_13[62], magnitude}), .q({negative_14, magnitude_14})
  );

  sam_leading_zeros #(.Width(63)) u_zeros (.x(magnitude_14), .count(zeros));

  // 15: shift them out.
  logic        negative_15;
  logic [62:0] magnitude_15, normal;
  logic [5:0]  zeros_15;
  logic [30:0] unused_normal;

  sam_delay #(.Width(70), .Stages(Cut)) u_cut_15 (
    .clk, .d({negative_14, magnitude_14, zeros}), .q({negative_15, magnitude_15, zeros_15})
  );

  assign normal        = magnitude_15 << zeros_15;
  assign unused_normal = normal[30:0];

  // 16: round; neither subnormal nor infinite.
  logic        exact_16, negative_16;
  logic [31:0] exact_y_16, sig_16, rounded;
  logic [5:0]  zeros_16;

  sam_delay #(.Width(39), .Stages(Cut)) u_cut_16 (
    .clk, .d({negative_15, zeros_15, normal[62:31]}), .q({negative_16, zeros_16, sig_16})
  );
  sam_delay #(.Width(33), .Stages(15 * Cut)) u_side_16 (
    .clk, .d({exact, exact_y}), .q({exact_16, exact_y_16})
  );

  sam_f32_pack u_pack (
    .negative(negative_16), .infinite(1'b0), .field(8'd134 - {2'd0, zeros_16}), .sig(sig_16), .y(rounded)
  );

  assign y = exact_16 ? exact_y_16 : sig_16[31] ? rounded : 32'd0;

endmodule
`default_nettype wire
