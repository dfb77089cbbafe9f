// y = a * Phi(a), the exact (erf) form of gelu, by Phi(-u) = e^(-u^2 / 2) * M(u).
// A new operand may enter every cycle; its result follows Stages cycles later.
// Stores one value a cut: squared | times log2 e | fixed point | 2^z in four, M beside it |
// multiplied | leading zeros counted | Phi | times a | rounded.
`default_nettype none
module sam_f32_gelu #(
  parameter int Stages = 11  // 0 or 11
) (
  input  logic        clk,
  input  logic [31:0] a,

  output logic [31:0] y
);

  localparam int          Cut   = Stages == 0 ? 0 : 1;
  localparam logic [75:0] Log2E = 76'd49570624150;  // in units of 2^-35

  if (Stages != 0 && Stages != 11) begin : gen_bad_stages
    sam_f32_gelu_stages_must_be_0_or_11 u_error ();
  end

  // 1: square. From 16 on, and for NaN, the result is known.
  logic        exact, nan;
  logic [31:0] exact_y;
  logic [7:0]  exponent;
  logic [23:0] m;
  logic [47:0] square;
  logic [7:0]  unused_square;

  assign nan           = a[30:0] > {8'hff, 23'd0};
  assign exact         = a[30:23] >= 8'd131;
  assign exact_y       = nan ? 32'h7fc00000 : a[31] ? 32'h80000000 : a;
  assign exponent      = a[30:23] == '0 ? 8'd1 : a[30:23];
  assign m             = {a[30:23] != '0, a[22:0]};
  assign square        = {24'd0, m} * {24'd0, m};
  assign unused_square = square[7:0];

  // 2: multiply by log2 e.
  logic        negative_2;
  logic [7:0]  exponent_2;
  logic [23:0] m_2;
  logic [39:0] square_2;
  logic [75:0] product;
  logic [17:0] unused_product;

  sam_delay #(.Width(73), .Stages(Cut)) u_cut_2 (
    .clk,
    .d({a[31], exponent, m, square[47:8]}),
    .q({negative_2, exponent_2, m_2, square_2})
  );

  assign product        = {36'd0, square_2} * Log2E;
  assign unused_product = product[17:0];

  // 3: half of it, in units of 2^-31 and negative; beside it, the row of M.
  logic        negative_3;
  logic [7:0]  exponent_3, index;
  logic [23:0] m_3;
  logic [57:0] product_3, shifted;
  logic [8:0]  shift;
  logic [18:0] unused_shifted;
  logic [25:0] t;

  sam_delay #(.Width(91), .Stages(Cut)) u_cut_3 (
    .clk,
    .d({negative_2, exponent_2, m_2, product[75:18]}),
    .q({negative_3, exponent_3, m_3, product_3})
  );

  assign shift          = 9'd279 - {exponent_3, 1'b0};
  assign shifted        = product_3 >> shift;
  assign unused_shifted = shifted[57:39];

  sam_octave u_octave (.exponent(exponent_3), .m(m_3), .index, .t);

  // 4 to 7: 2^z and M.
  logic signed [39:0]  z_4;
  logic        [7:0]   index_4;
  logic        [25:0]  t_4, t_5;
  logic signed [8:0]   power;
  logic        [34:0]  mantissa, mills;
  logic        [110:0] row, row_5;
  logic        [3:0]   unused_mantissa;
  logic                unused_mills;

  sam_delay #(.Width(74), .Stages(Cut)) u_cut_4 (
    .clk, .d({-{1'b0, shifted[38:0]}, index, t}), .q({z_4, index_4, t_4})
  );

  sam_exp2 #(.Stages(3 * Cut)) u_exp2 (.clk, .z(z_4), .exponent(power), .mantissa);

  sam_table_mills u_table (.index(index_4), .row);

  sam_delay #(.Width(137), .Stages(Cut)) u_cut_5 (.clk, .d({row, t_4}), .q({row_5, t_5}));

  sam_cubic #(.Stages(2 * Cut)) u_cubic (.clk, .row(row_5), .t(t_5), .y(mills));

  assign unused_mantissa = mantissa[3:0];
  assign unused_mills    = mills[34];

  // 8: Phi(-|a|) = tail * 2^(power - 64).
  logic signed [8:0]  power_8;
  logic        [30:0] mantissa_8;
  logic        [33:0] mills_8;
  logic        [64:0] tail;
  logic               unused_tail;

  sam_delay #(.Width(74), .Stages(Cut)) u_cut_8 (
    .clk, .d({power, mantissa[34:4], mills[33:0]}), .q({power_8, mantissa_8, mills_8})
  );

  assign tail        = {34'd0, mantissa_8} * {31'd0, mills_8};
  assign unused_tail = tail[64];

  // 9: count its leading zeros, which are few.
  logic signed [8:0]  power_9;
  logic        [63:0] tail_9;
  logic        [3:0]  zeros;

  sam_delay #(.Width(73), .Stages(Cut)) u_cut_9 (
    .clk, .d({power_8, tail[63:0]}), .q({power_9, tail_9})
  );

  sam_leading_zeros #(.Width(8)) u_zeros (.x(tail_9[63:56]), .count(zeros));

  // 10: Phi(a) = phi * 2^(scale - 34), of full length below zero and at least a half above.
  logic               negative_10;
  logic signed [8:0]  power_10, scale;
  logic        [63:0] tail_10, normal;
  logic        [33:0] away;
  logic        [3:0]  zeros_10;
  logic        [8:0]  places;
  logic        [34:0] phi;
  logic        [29:0] unused_normal;

  sam_delay #(.Width(77), .Stages(Cut)) u_cut_10 (
    .clk, .d({power_9, tail_9, zeros}), .q({power_10, tail_10, zeros_10})
  );
  sam_delay #(.Width(1), .Stages(7 * Cut)) u_sign_10 (.clk, .d(negative_3), .q(negative_10));

  assign places        = -power_10;
  assign normal        = tail_10 << zeros_10;
  assign away          = tail_10[63:30] >> places;
  assign phi           = negative_10 ? {1'b0, normal[63:30]} : {1'b1, 34'd0} - {1'b0, away};
  assign scale         = negative_10 ? power_10 - $signed({5'd0, zeros_10}) : 9'sd0;
  assign unused_normal = normal[29:0];

  // 11: multiply by |a|.
  logic        [7:0]  exponent_11;
  logic        [23:0] m_11;
  logic        [34:0] phi_11;
  logic signed [8:0]  scale_11;
  logic        [57:0] result;
  logic signed [10:0] biased;

  sam_delay #(.Width(44), .Stages(Cut)) u_cut_11 (.clk, .d({scale, phi}), .q({scale_11, phi_11}));
  sam_delay #(.Width(32), .Stages(8 * Cut)) u_side_11 (
    .clk, .d({exponent_3, m_3}), .q({exponent_11, m_11})
  );

  assign result = {23'd0, phi_11} * {34'd0, m_11};
  assign biased = $signed({3'd0, exponent_11}) + 11'(scale_11);

  // 12: round; a subnormal operand leaves more zeros, which rounding understands.
  logic               exact_12, high;
  logic        [31:0] exact_y_12, rounded;
  logic signed [10:0] biased_12;
  logic        [57:0] result_12;
  logic               negative_12;

  sam_delay #(.Width(69), .Stages(Cut)) u_cut_12 (
    .clk, .d({biased, result}), .q({biased_12, result_12})
  );
  sam_delay #(.Width(34), .Stages(11 * Cut)) u_side_12 (
    .clk, .d({a[31], exact, exact_y}), .q({negative_12, exact_12, exact_y_12})
  );

  assign high = result_12[57];

  sam_f32_round u_round (
    .negative(negative_12),
    .exponent(high ? biased_12 : biased_12 - 11'sd1),
    .sig(high ? {result_12[57:27], result_12[26:0] != '0}
              : {result_12[56:26], result_12[25:0] != '0}),
    .y(rounded)
  );

  assign y = exact_12 ? exact_y_12 : rounded;

endmodule
`default_nettype wire
