// y = the natural logarithm of a, by e * ln 2 + (m - 1) * Q(m) with m in [0.75, 1.5).
// A new operand may enter every cycle; its result follows Stages cycles later.
// Stores one value a cut: normalized | row looked up | three steps of the cubic | multiplied |
// added | magnitude and its leading zeros | rounded.
`default_nettype none
module sam_f32_log #(
  parameter int Stages = 8  // 0 or 8
) (
  input  logic        clk,
  input  logic [31:0] a,

  output logic [31:0] y
);

  localparam int                 Cut = Stages == 0 ? 0 : 1;
  localparam logic signed [62:0] Ln2 = 63'sd12486629536330718;  // in units of 2^-54

  if (Stages != 0 && Stages != 8) begin : gen_bad_stages
    sam_f32_log_stages_must_be_0_or_8 u_error ();
  end

  // 1: normalize.
  logic               exact, zero, infinite;
  logic        [31:0] exact_y;
  logic signed [9:0]  exponent;
  logic        [23:0] m;

  assign zero     = a[30:0] == '0;
  assign infinite = a == {1'b0, 8'hff, 23'd0};
  assign exact    = zero || a[31] || a[30:23] == 8'hff;
  assign exact_y  = zero ? {1'b1, 8'hff, 23'd0} : infinite ? a : 32'h7fc00000;

  sam_f32_normalize u_normalize (.x(a), .exponent, .m);

  // 2: look up Q. The upper half of the mantissas counts as below the next power of two.
  logic signed [9:0]   exponent_2, power;
  logic        [22:0]  fraction_2;
  logic        [110:0] row;
  logic signed [24:0]  distance;  // mantissa - 1 in units of 2^-24

  sam_delay #(.Width(33), .Stages(Cut)) u_cut_2 (
    .clk, .d({exponent, m[22:0]}), .q({exponent_2, fraction_2})
  );

  sam_table_log u_table (.index(fraction_2[22:18]), .row);

  assign distance = fraction_2[22] ? {3'b111, fraction_2[21:0]} : {1'b0, fraction_2, 1'b0};
  assign power    = exponent_2 - 10'sd127 + (fraction_2[22] ? 10'sd1 : 10'sd0);

  // 3 to 5: evaluate it.
  logic        [110:0] row_3;
  logic        [17:0]  t_3;
  logic        [34:0]  slope;

  sam_delay #(.Width(129), .Stages(Cut)) u_cut_3 (
    .clk, .d({row, fraction_2[17:0]}), .q({row_3, t_3})
  );

  sam_cubic #(.Stages(2 * Cut)) u_cubic (.clk, .row(row_3), .t({t_3, 8'd0}), .y(slope));

  // 6: both terms, in units of 2^-54.
  logic signed [9:0]  power_6;
  logic signed [24:0] distance_6;
  logic        [30:0] slope_6;
  logic signed [62:0] whole, part;
  logic               unused_m;

  sam_delay #(.Width(35), .Stages(4 * Cut)) u_side_6 (
    .clk, .d({power, distance}), .q({power_6, distance_6})
  );
  sam_delay #(.Width(31), .Stages(Cut)) u_cut_6 (.clk, .d(slope[34:4]), .q(slope_6));

  assign whole    = 63'(power_6) * Ln2;
  assign part     = 63'(distance_6) * 63'($signed({1'b0, slope_6}));
  assign unused_m = m[23];

  // 7: their sum.
  logic signed [62:0] whole_7, part_7, sum;
  logic        [3:0]  unused_slope;

  sam_delay #(.Width(126), .Stages(Cut)) u_cut_7 (
    .clk, .d({whole, part}), .q({whole_7, part_7})
  );

  assign sum          = whole_7 + part_7;
  assign unused_slope = slope[3:0];

  // 8: its magnitude.
  logic signed [62:0] sum_8;
  logic        [62:0] magnitude;
  logic        [5:0]  zeros;

  sam_delay #(.Width(63), .Stages(Cut)) u_cut_8 (.clk, .d(sum), .q(sum_8));

  assign magnitude = sum_8[62] ? -sum_8 : sum_8;

  sam_leading_zeros #(.Width(63)) u_zeros (.x(magnitude), .count(zeros));

  // 9: round.
  logic        exact_9, negative_9;
  logic [31:0] exact_y_9, rounded;
  logic [62:0] magnitude_9, normal;
  logic [5:0]  zeros_9;
  logic [30:0] unused_normal;

  sam_delay #(.Width(70), .Stages(Cut)) u_cut_9 (
    .clk, .d({sum_8[62], magnitude, zeros}), .q({negative_9, magnitude_9, zeros_9})
  );
  sam_delay #(.Width(33), .Stages(8 * Cut)) u_side_9 (
    .clk, .d({exact, exact_y}), .q({exact_9, exact_y_9})
  );

  assign normal        = magnitude_9 << zeros_9;
  assign unused_normal = normal[30:0];

  sam_f32_round u_round (
    .negative(negative_9),
    .exponent(11'sd135 - $signed({5'd0, zeros_9})),
    .sig(normal[62:31]),
    .y(rounded)
  );

  assign y = exact_9 ? exact_y_9 : magnitude_9 == '0 ? 32'd0 : rounded;

endmodule
`default_nettype wire
