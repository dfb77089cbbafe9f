// y = 1 / (1 + e^-a), by E / (1 + E) below zero and 1 / (1 + E) above, with E = e^-|a|.
// A new operand may enter every cycle; its result follows Stages cycles later.
// Stores one value a cut: times log2 e in two | fixed point | 2^z in seven | E | row looked up |
// three steps of the cubic in six | numerator | multiplied in two | normalized | denormalized | rounded.
`default_nettype none
module sam_f32_sigmoid #(
  parameter int Stages = 23  // 0 or 23
) (
  input  logic        clk,
  input  logic [31:0] a,

  output logic [31:0] y
);

  localparam int                 Cut   = Stages == 0 ? 0 : 1;
  localparam logic signed [36:0] Log2E = 37'sd49570624150;  // in units of 2^-35

  if (Stages != 0 && Stages != 23) begin : gen_bad_stages
    sam_f32_sigmoid_stages_must_be_0_or_23 u_error ();
  end

  // 1 and 2: multiply by log2 e. From 128 on, and for infinities and NaN, the result is known.
  logic               exact, nan, unused_product;
  logic        [31:0] exact_y;
  logic        [7:0]  shift;
  logic        [23:0] m;
  logic signed [60:0] product;

  assign nan     = a[30:0] > {8'hff, 23'd0};
  assign exact   = a[30:23] >= 8'd134;
  assign exact_y = nan ? 32'h7fc00000 : a[31] ? 32'd0 : 32'h3f800000;
  assign shift   = 8'd154 - (a[30:23] == '0 ? 8'd1 : a[30:23]);
  assign m       = {a[30:23] != '0, a[22:0]};

  sam_multiply_add #(.AW(37), .BW(24), .YW(61), .Stages(Cut)) u_log2e (
    .clk, .a(Log2E), .b(m), .c(61'sd0), .y(product)
  );

  assign unused_product = product[60];

  // 3: in units of 2^-31, and negative.
  logic        [7:0]  shift_3;
  logic        [59:0] product_3, shifted;
  logic        [20:0] unused_shifted;
  logic signed [39:0] z_4;

  sam_delay #(.Width(8), .Stages(2 * Cut)) u_side_3 (.clk, .d(shift), .q(shift_3));
  sam_delay #(.Width(60), .Stages(Cut)) u_cut_3 (.clk, .d(product[59:0]), .q(product_3));

  assign shifted        = product_3 >> shift_3;
  assign unused_shifted = shifted[59:39];

  sam_delay #(.Width(40), .Stages(Cut)) u_cut_4 (.clk, .d(-{1'b0, shifted[38:0]}), .q(z_4));

  // 4 to 10: E = 2^z.
  logic signed [8:0]  exponent;
  logic        [34:0] mantissa;
  logic        [2:0]  unused_mantissa;

  sam_exp2 #(.Stages(6 * Cut)) u_exp2 (.clk, .z(z_4), .exponent, .mantissa);

  assign unused_mantissa = mantissa[2:0];

  // 11: E in units of 2^-31, and below 1.
  logic signed [8:0]  exponent_11;
  logic        [8:0]  places;
  logic        [31:0] mantissa_11, fixed;
  logic        [30:0] e;

  sam_delay #(.Width(41), .Stages(Cut)) u_cut_11 (
    .clk, .d({exponent, mantissa[34:3]}), .q({exponent_11, mantissa_11})
  );

  assign places = -exponent_11;
  assign fixed  = mantissa_11 >> places;
  assign e      = fixed[31] ? 31'h7fffffff : fixed[30:0];

  // 12: look 1 / (1 + E) up.
  logic [30:0]  e_12;
  logic [110:0] row;

  sam_delay #(.Width(31), .Stages(Cut)) u_cut_12 (.clk, .d(e), .q(e_12));

  sam_table_reciprocal u_table (.index(e_12[30:26]), .row);

  // 13 to 18: evaluate it.
  logic [110:0] row_13;
  logic [25:0]  t_13;
  logic [34:0]  reciprocal;
  logic [2:0]   unused_reciprocal;

  sam_delay #(.Width(137), .Stages(Cut)) u_cut_13 (.clk, .d({row, e_12[25:0]}), .q({row_13, t_13}));

  sam_cubic #(.Stages(5 * Cut)) u_cubic (.clk, .row(row_13), .t(t_13), .y(reciprocal));

  assign unused_reciprocal = reciprocal[2:0];

  // 19: 1 or E.
  logic               negative_19;
  logic signed [8:0]  exponent_e, exponent_19;
  logic        [31:0] reciprocal_19, mantissa_19, numerator;

  sam_delay #(.Width(32), .Stages(Cut)) u_cut_19 (
    .clk, .d(reciprocal[34:3]), .q(reciprocal_19)
  );
  sam_delay #(.Width(41), .Stages(8 * Cut)) u_side_19 (
    .clk, .d({exponent_11, mantissa_11}), .q({exponent_e, mantissa_19})
  );
  sam_delay #(.Width(1), .Stages(18 * Cut)) u_sign_19 (.clk, .d(a[31]), .q(negative_19));

  assign numerator   = negative_19 ? mantissa_19 : 32'h80000000;
  assign exponent_19 = negative_19 ? exponent_e : 9'sd0;

  // 20 and 21: multiply it by the reciprocal.
  logic        [31:0] reciprocal_20, numerator_20;
  logic signed [64:0] product_21;
  logic        [1:0]  unused_top;
  logic        [29:0] unused_bottom;

  sam_delay #(.Width(64), .Stages(Cut)) u_cut_20 (
    .clk, .d({reciprocal_19, numerator}), .q({reciprocal_20, numerator_20})
  );

  sam_multiply_add #(.AW(33), .BW(32), .YW(65), .Stages(Cut)) u_product (
    .clk, .a({1'b0, numerator_20}), .b(reciprocal_20), .c(65'sd0), .y(product_21)
  );

  assign unused_top    = product_21[64:63];
  assign unused_bottom = product_21[29:0];

  // 22: normalize; the product lies above a quarter, and is one at most.
  logic               high;
  logic signed [8:0]  exponent_22;
  logic signed [10:0] biased;
  logic        [32:0] product_22;

  sam_delay #(.Width(9), .Stages(3 * Cut)) u_side_22 (.clk, .d(exponent_19), .q(exponent_22));
  sam_delay #(.Width(33), .Stages(Cut)) u_cut_22 (.clk, .d(product_21[62:30]), .q(product_22));

  assign high   = product_22[32];
  assign biased = 11'(exponent_22) + (high ? 11'sd127 : 11'sd126);

  // 23: shift back what is subnormal.
  logic               infinite, unused_infinite;
  logic signed [10:0] biased_23;
  logic        [31:0] sig_23, sig;
  logic        [7:0]  field;

  sam_delay #(.Width(43), .Stages(Cut)) u_cut_23 (
    .clk, .d({biased, high ? product_22[32:1] : product_22[31:0]}), .q({biased_23, sig_23})
  );

  sam_f32_denormalize u_denormalize (
    .exponent(biased_23), .sig(sig_23), .infinite, .field, .shifted(sig)
  );

  assign unused_infinite = infinite;

  // 24: round.
  logic        exact_24;
  logic [31:0] exact_y_24, sig_24, rounded;
  logic [7:0]  field_24;

  sam_delay #(.Width(40), .Stages(Cut)) u_cut_24 (.clk, .d({field, sig}), .q({field_24, sig_24}));
  sam_delay #(.Width(33), .Stages(23 * Cut)) u_side_24 (
    .clk, .d({exact, exact_y}), .q({exact_24, exact_y_24})
  );

  sam_f32_pack u_pack (
    .negative(1'b0), .infinite(1'b0), .field(field_24), .sig(sig_24), .y(rounded)
  );

  assign y = exact_24 ? exact_y_24 : rounded;

endmodule
`default_nettype wire
