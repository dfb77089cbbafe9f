// y = e^a, by 2^(a * log2 e); the worst error is in the table of README.md.
// A new operand may enter every cycle; its result follows Stages cycles later.
// Stores one value a cut: times log2 e | fixed point | 2^z in four | rounded.
`default_nettype none
module sam_f32_exp #(
  parameter int Stages = 6  // 0 or 6
) (
  input  logic        clk,
  input  logic [31:0] a,

  output logic [31:0] y
);

  localparam int          Cut   = Stages == 0 ? 0 : 1;
  localparam logic [59:0] Log2E = 60'd49570624150;  // in units of 2^-35

  if (Stages != 0 && Stages != 6) begin : gen_bad_stages
    sam_f32_exp_stages_must_be_0_or_6 u_error ();
  end

  // 1: multiply by log2 e. From 128 on, and for infinities and NaN, the result is known.
  logic        exact, nan;
  logic [31:0] exact_y;
  logic [7:0]  shift;
  logic [23:0] m;
  logic [59:0] product;

  assign nan     = a[30:0] > {8'hff, 23'd0};
  assign exact   = a[30:23] >= 8'd134;
  assign exact_y = nan ? 32'h7fc00000 : a[31] ? 32'd0 : {1'b0, 8'hff, 23'd0};
  assign shift   = 8'd154 - (a[30:23] == '0 ? 8'd1 : a[30:23]);
  assign m       = {a[30:23] != '0, a[22:0]};
  assign product = {36'd0, m} * Log2E;

  // 2: in units of 2^-31, signed.
  logic               negative_2;
  logic        [7:0]  shift_2;
  logic        [59:0] product_2, shifted;
  logic        [20:0] unused_shifted;
  logic signed [39:0] z, z_3;

  sam_delay #(.Width(69), .Stages(Cut)) u_cut_2 (
    .clk, .d({a[31], shift, product}), .q({negative_2, shift_2, product_2})
  );

  assign shifted        = product_2 >> shift_2;
  assign unused_shifted = shifted[59:39];
  assign z              = negative_2 ? -{1'b0, shifted[38:0]} : {1'b0, shifted[38:0]};

  sam_delay #(.Width(40), .Stages(Cut)) u_cut_3 (.clk, .d(z), .q(z_3));

  // 3 to 6: 2^z.
  logic signed [8:0]  exponent, exponent_7;
  logic        [34:0] mantissa, mantissa_7;

  sam_exp2 #(.Stages(3 * Cut)) u_exp2 (.clk, .z(z_3), .exponent, .mantissa);

  sam_delay #(.Width(44), .Stages(Cut)) u_cut_7 (
    .clk, .d({exponent, mantissa}), .q({exponent_7, mantissa_7})
  );

  // 7: round.
  logic        exact_7;
  logic [31:0] exact_y_7, rounded;
  logic [2:0]  unused_mantissa;

  sam_delay #(.Width(33), .Stages(6 * Cut)) u_side (
    .clk, .d({exact, exact_y}), .q({exact_7, exact_y_7})
  );

  assign unused_mantissa = mantissa_7[2:0];

  sam_f32_round u_round (
    .negative(1'b0),
    .exponent(11'(exponent_7) + 11'sd127),
    .sig(mantissa_7[34:3]),
    .y(rounded)
  );

  assign y = exact_7 ? exact_y_7 : rounded;

endmodule
`default_nettype wire
