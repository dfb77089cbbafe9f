// y = 1 / (1 + e^-a), by E / (1 + E) below zero and 1 / (1 + E) above, with E = e^-|a|.
// A new operand may enter every cycle; its result follows Stages cycles later.
// Stores one value a cut: times log2 e | fixed point | 2^z in four | E | row looked up | three
// steps of the cubic | multiplied | rounded.
`default_nettype none
module sam_f32_sigmoid #(
  parameter int Stages = 12  // 0 or 12
) (
  input  logic        clk,
  input  logic [31:0] a,

  output logic [31:0] y
);

  localparam int          Cut   = Stages == 0 ? 0 : 1;
  localparam logic [59:0] Log2E = 60'd49570624150;  // in units of 2^-35

  if (Stages != 0 && Stages != 12) begin : gen_bad_stages
    sam_f32_sigmoid_stages_must_be_0_or_12 u_error ();
  end

  // 1: multiply by log2 e. From 128 on, and for infinities and NaN, the result is known.
  logic        exact, nan;
  logic [31:0] exact_y;
  logic [7:0]  shift;
  logic [23:0] m;
  logic [59:0] product;

  assign nan     = a[30:0] > {8'hff, 23'd0};
  assign exact   = a[30:23] >= 8'd134;
  assign exact_y = nan ? 32'h7fc00000 : a[31] ? 32'd0 : 32'h3f800000;
  assign shift   = 8'd154 - (a[30:23] == '0 ? 8'd1 : a[30:23]);
  assign m       = {a[30:23] != '0, a[22:0]};
  assign product = {36'd0, m} * Log2E;

  // 2: in units of 2^-31, and negative.
  logic        [7:0]  shift_2;
  logic        [59:0] product_2, shifted;
  logic        [20:0] unused_shifted;
  logic signed [39:0] z_3;

  sam_delay #(.Width(68), .Stages(Cut)) u_cut_2 (
    .clk, .d({shift, product}), .q({shift_2, product_2})
  );

  assign shifted        = product_2 >> shift_2;
  assign unused_shifted = shifted[59:39];

  sam_delay #(.Width(40), .Stages(Cut)) u_cut_3 (.clk, .d(-{1'b0, shifted[38:0]}), .q(z_3));

  // 3 to 6: E = 2^z.
  logic signed [8:0]  exponent;
  logic        [34:0] mantissa;
  logic        [2:0]  unused_mantissa;

  sam_exp2 #(.Stages(3 * Cut)) u_exp2 (.clk, .z(z_3), .exponent, .mantissa);

  assign unused_mantissa = mantissa[2:0];

  // 7: E in units of 2^-31, and below 1.
  logic signed [8:0]  exponent_7;
  logic        [8:0]  places;
  logic        [31:0] mantissa_7, fixed;
  logic        [30:0] e;

  sam_delay #(.Width(41), .Stages(Cut)) u_cut_7 (
    .clk, .d({exponent, mantissa[34:3]}), .q({exponent_7, mantissa_7})
  );

  assign places = -exponent_7;
  assign fixed  = mantissa_7 >> places;
  assign e      = fixed[31] ? 31'h7fffffff : fixed[30:0];

  // 8: look 1 / (1 + E) up.
  logic [30:0]  e_8;
  logic [110:0] row;

  sam_delay #(.Width(31), .Stages(Cut)) u_cut_8 (.clk, .d(e), .q(e_8));

  sam_table_reciprocal u_table (.index(e_8[30:26]), .row);

  // 9 to 11: evaluate it.
  logic [110:0] row_9;
  logic [25:0]  t_9;
  logic [34:0]  reciprocal;
  logic [2:0]   unused_reciprocal;

  sam_delay #(.Width(137), .Stages(Cut)) u_cut_9 (.clk, .d({row, e_8[25:0]}), .q({row_9, t_9}));

  sam_cubic #(.Stages(2 * Cut)) u_cubic (.clk, .row(row_9), .t(t_9), .y(reciprocal));

  assign unused_reciprocal = reciprocal[2:0];

  // 12: multiply by 1 or E.
  logic               negative_12;
  logic signed [8:0]  exponent_e, exponent_12;
  logic        [31:0] reciprocal_12, mantissa_12, numerator;
  logic        [63:0] product_12;

  sam_delay #(.Width(32), .Stages(Cut)) u_cut_12 (
    .clk, .d(reciprocal[34:3]), .q(reciprocal_12)
  );
  sam_delay #(.Width(41), .Stages(5 * Cut)) u_side_12 (
    .clk, .d({exponent_7, mantissa_7}), .q({exponent_e, mantissa_12})
  );
  sam_delay #(.Width(1), .Stages(11 * Cut)) u_sign_12 (.clk, .d(a[31]), .q(negative_12));

  assign numerator   = negative_12 ? mantissa_12 : 32'h80000000;
  assign exponent_12 = negative_12 ? exponent_e : 9'sd0;
  assign product_12  = {32'd0, numerator} * {32'd0, reciprocal_12};

  // 13: round; the product lies above a quarter, and is one at most.
  logic               exact_13, high;
  logic        [31:0] exact_y_13, rounded;
  logic signed [8:0]  exponent_13;
  logic signed [10:0] biased;
  logic        [32:0] product_13;

  sam_delay #(.Width(42), .Stages(Cut)) u_cut_13 (
    .clk, .d({exponent_12, product_12[62:30]}), .q({exponent_13, product_13})
  );
  sam_delay #(.Width(33), .Stages(12 * Cut)) u_side_13 (
    .clk, .d({exact, exact_y}), .q({exact_13, exact_y_13})
  );

  logic        unused_top;
  logic [29:0] unused_bottom;

  assign unused_top    = product_12[63];
  assign unused_bottom = product_12[29:0];

  assign high   = product_13[32];
  assign biased = 11'(exponent_13) + 11'sd127;

  sam_f32_round u_round (
    .negative(1'b0),
    .exponent(high ? biased : biased - 11'sd1),
    .sig(high ? product_13[32:1] : product_13[31:0]),
    .y(rounded)
  );

  assign y = exact_13 ? exact_y_13 : rounded;

endmodule
`default_nettype wire
