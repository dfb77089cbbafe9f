// y = a * Phi(a), the exact (erf) form of gelu, by Phi(-u) = e^(-u^2 / 2) * M(u).
// A new operand may enter every cycle; its result follows Stages cycles later.
// Stores one value a cut: squared in two | times log2 e in two | fixed point | 2^z in seven, M beside it |
// multiplied in two | leading zeros counted | shifted | Phi | times a in two | normalized | denormalized |
// rounded.
`default_nettype none
module sam_f32_gelu #(
  parameter int Stages = 21  // 0 or 21
) (
  input  logic        clk,
  input  logic [31:0] a,

  output logic [31:0] y
);

  localparam int                 Cut   = Stages == 0 ? 0 : 1;
  localparam logic signed [36:0] Log2E = 37'sd49570624150;  // in units of 2^-35

  if (Stages != 0 && Stages != 21) begin : gen_bad_stages
    sam_f32_gelu_stages_must_be_0_or_21 u_error ();
  end

  // 1 and 2: square. From 16 on, and for NaN, the result is known.
  logic               exact, nan;
  logic        [31:0] exact_y;
  logic        [7:0]  exponent;
  logic        [23:0] m;
  logic signed [48:0] square;
  logic        [8:0]  unused_square;

  assign nan           = a[30:0] > {8'hff, 23'd0};
  assign exact         = a[30:23] >= 8'd131;
  assign exact_y       = nan ? 32'h7fc00000 : a[31] ? 32'h80000000 : a;
  assign exponent      = a[30:23] == '0 ? 8'd1 : a[30:23];
  assign m             = {a[30:23] != '0, a[22:0]};
  assign unused_square = {square[48], square[7:0]};

  // Of a subnormal operand the shift below leaves nothing, so the leading one need not wait for its exponent.
  sam_multiply_add #(.AW(25), .BW(24), .YW(49), .Stages(Cut)) u_square (
    .clk, .a({2'b01, a[22:0]}), .b({1'b1, a[22:0]}), .c(49'sd0), .y(square)
  );

  // 3 and 4: multiply by log2 e.
  logic        [39:0] square_3;
  logic signed [76:0] product;
  logic        [18:0] unused_product;

  sam_delay #(.Width(40), .Stages(Cut)) u_cut_3 (.clk, .d(square[47:8]), .q(square_3));

  sam_multiply_add #(.AW(37), .BW(40), .YW(77), .Stages(Cut)) u_log2e (
    .clk, .a(Log2E), .b(square_3), .c(77'sd0), .y(product)
  );

  assign unused_product = {product[76], product[17:0]};

  // 5: half of it, in units of 2^-31 and negative; beside it, the row of M.
  logic        negative_5;
  logic [7:0]  exponent_5, index;
  logic [23:0] m_5;
  logic [57:0] product_5, shifted;
  logic [8:0]  shift;
  logic [18:0] unused_shifted;
  logic [25:0] t;

  sam_delay #(.Width(33), .Stages(4 * Cut)) u_side_5 (
    .clk, .d({a[31], exponent, m}), .q({negative_5, exponent_5, m_5})
  );
  sam_delay #(.Width(58), .Stages(Cut)) u_cut_5 (.clk, .d(product[75:18]), .q(product_5));

  assign shift          = 9'd279 - {exponent_5, 1'b0};
  assign shifted        = product_5 >> shift;
  assign unused_shifted = shifted[57:39];

  sam_octave u_octave (.exponent(exponent_5), .m(m_5), .index, .t);

  // 6 to 12: 2^z and M.
  logic signed [39:0]  z_6;
  logic        [7:0]   index_6;
  logic        [25:0]  t_6, t_7;
  logic signed [8:0]   power;
  logic        [34:0]  mantissa, mills;
  logic        [110:0] row, row_7;
  logic        [3:0]   unused_mantissa;
  logic                unused_mills;

  sam_delay #(.Width(74), .Stages(Cut)) u_cut_6 (
    .clk, .d({-{1'b0, shifted[38:0]}, index, t}), .q({z_6, index_6, t_6})
  );

  sam_exp2 #(.Stages(6 * Cut)) u_exp2 (.clk, .z(z_6), .exponent(power), .mantissa);

  sam_table_mills u_table (.index(index_6), .row);

  sam_delay #(.Width(137), .Stages(Cut)) u_cut_7 (.clk, .d({row, t_6}), .q({row_7, t_7}));

  sam_cubic #(.Stages(5 * Cut)) u_cubic (.clk, .row(row_7), .t(t_7), .y(mills));

  assign unused_mantissa = mantissa[3:0];
  assign unused_mills    = mills[34];

  // 13 and 14: Phi(-|a|) = tail * 2^(power - 64).
  logic        [30:0] mantissa_13;
  logic        [33:0] mills_13;
  logic signed [65:0] tail;
  logic        [1:0]  unused_tail;

  sam_delay #(.Width(65), .Stages(Cut)) u_cut_13 (
    .clk, .d({mantissa[34:4], mills[33:0]}), .q({mantissa_13, mills_13})
  );

  sam_multiply_add #(.AW(35), .BW(31), .YW(66), .Stages(Cut)) u_tail (
    .clk, .a({1'b0, mills_13}), .b(mantissa_13), .c(66'sd0), .y(tail)
  );

  assign unused_tail = tail[65:64];

  // 15: count its leading zeros, which are few.
  logic signed [8:0]  power_15;
  logic        [63:0] tail_15;
  logic        [3:0]  zeros;

  sam_delay #(.Width(9), .Stages(3 * Cut)) u_power_15 (.clk, .d(power), .q(power_15));
  sam_delay #(.Width(64), .Stages(Cut)) u_cut_15 (.clk, .d(tail[63:0]), .q(tail_15));

  sam_leading_zeros #(.Width(8)) u_zeros (.x(tail_15[63:56]), .count(zeros));

  // 16: shift it.
  logic signed [8:0]  power_16;
  logic        [63:0] tail_16, normal;
  logic        [33:0] away;
  logic        [3:0]  zeros_16;
  logic        [8:0]  places;
  logic        [29:0] unused_normal;

  sam_delay #(.Width(77), .Stages(Cut)) u_cut_16 (
    .clk, .d({power_15, tail_15, zeros}), .q({power_16, tail_16, zeros_16})
  );

  assign places        = -power_16;
  assign normal        = tail_16 << zeros_16;
  assign away          = tail_16[63:30] >> places;
  assign unused_normal = normal[29:0];

  // 17: Phi(a) = phi * 2^(scale - 34), of full length below zero and at least a half above.
  logic               negative_17;
  logic signed [8:0]  power_17, scale;
  logic        [33:0] normal_17, away_17;
  logic        [34:0] phi;

  sam_delay #(.Width(77), .Stages(Cut)) u_cut_17 (
    .clk,
    .d({power_16 - $signed({5'd0, zeros_16}), normal[63:30], away}),
    .q({power_17, normal_17, away_17})
  );
  sam_delay #(.Width(1), .Stages(12 * Cut)) u_sign_17 (.clk, .d(negative_5), .q(negative_17));

  assign phi   = negative_17 ? {1'b0, normal_17} : {1'b1, 34'd0} - {1'b0, away_17};
  assign scale = negative_17 ? power_17 : 9'sd0;

  // 18 and 19: multiply by |a|.
  logic        [7:0]  exponent_18;
  logic        [23:0] m_18;
  logic        [34:0] phi_18;
  logic signed [8:0]  scale_18;
  logic signed [59:0] result;
  logic signed [10:0] biased;
  logic        [1:0]  unused_result;

  sam_delay #(.Width(44), .Stages(Cut)) u_cut_18 (.clk, .d({scale, phi}), .q({scale_18, phi_18}));
  sam_delay #(.Width(32), .Stages(13 * Cut)) u_side_18 (
    .clk, .d({exponent_5, m_5}), .q({exponent_18, m_18})
  );

  sam_multiply_add #(.AW(36), .BW(24), .YW(60), .Stages(Cut)) u_result (
    .clk, .a({1'b0, phi_18}), .b(m_18), .c(60'sd0), .y(result)
  );

  assign biased        = $signed({3'd0, exponent_18}) + 11'(scale_18);
  assign unused_result = result[59:58];

  // 20: normalize; a subnormal operand leaves more zeros, which rounding understands.
  logic               high;
  logic signed [10:0] biased_20;
  logic        [57:0] result_20;
  logic        [31:0] sig_20;

  sam_delay #(.Width(11), .Stages(2 * Cut)) u_side_20 (.clk, .d(biased), .q(biased_20));
  sam_delay #(.Width(58), .Stages(Cut)) u_cut_20 (.clk, .d(result[57:0]), .q(result_20));

  assign high   = result_20[57];
  assign sig_20 = high ? {result_20[57:27], result_20[26:0] != '0}
                       : {result_20[56:26], result_20[25:0] != '0};

  // 21: shift back what is subnormal.
  logic               infinite;
  logic signed [10:0] biased_21;
  logic        [31:0] sig_21, sig;
  logic        [7:0]  field;

  sam_delay #(.Width(43), .Stages(Cut)) u_cut_21 (
    .clk, .d({high ? biased_20 : biased_20 - 11'sd1, sig_20}), .q({biased_21, sig_21})
  );

  sam_f32_denormalize u_denormalize (
    .exponent(biased_21), .sig(sig_21), .infinite, .field, .shifted(sig)
  );

  // 22: round.
  logic        exact_22, negative_22, infinite_22;
  logic [31:0] exact_y_22, sig_22, rounded;
  logic [7:0]  field_22;

  sam_delay #(.Width(41), .Stages(Cut)) u_cut_22 (
    .clk, .d({infinite, field, sig}), .q({infinite_22, field_22, sig_22})
  );
  sam_delay #(.Width(34), .Stages(21 * Cut)) u_side_22 (
    .clk, .d({a[31], exact, exact_y}), .q({negative_22, exact_22, exact_y_22})
  );

  sam_f32_pack u_pack (
    .negative(negative_22), .infinite(infinite_22), .field(field_22), .sig(sig_22), .y(rounded)
  );

  assign y = exact_22 ? exact_y_22 : rounded;

endmodule
`default_nettype wire
