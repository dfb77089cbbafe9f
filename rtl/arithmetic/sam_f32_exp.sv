// y = e^a, by 2^(a * log2 e); the worst error is in the table of README.md.
// A new operand may enter every cycle; its result follows Stages cycles later.
// Stores one value a cut: times log2 e in two | fixed point | 2^z in seven | denormalized | rounded.
`default_nettype none
module sam_f32_exp #(
  parameter int Stages = 11  // 0 or 11
) (
  input  logic        clk,
  input  logic [31:0] a,

  output logic [31:0] y
);

  localparam int                 Cut   = Stages == 0 ? 0 : 1;
  localparam logic signed [36:0] Log2E = 37'sd49570624150;  // in units of 2^-35

  if (Stages != 0 && Stages != 11) begin : gen_bad_stages
    sam_f32_exp_stages_must_be_0_or_11 u_error ();
  end

  // 1 and 2: multiply by log2 e. From 128 on, and for infinities and NaN, the result is known.
  logic        exact, nan;
  logic [31:0] exact_y;
  logic [7:0]  shift;
  logic [23:0] m;
  logic signed [60:0] product;
  logic        unused_product;

  assign nan     = a[30:0] > {8'hff, 23'd0};
  assign exact   = a[30:23] >= 8'd134;
  assign exact_y = nan ? 32'h7fc00000 : a[31] ? 32'd0 : {1'b0, 8'hff, 23'd0};
  assign shift   = 8'd154 - (a[30:23] == '0 ? 8'd1 : a[30:23]);
  assign m       = {a[30:23] != '0, a[22:0]};
  assign unused_product = product[60];

  sam_multiply_add #(.AW(37), .BW(24), .YW(61), .Stages(Cut)) u_product (
    .clk, .a(Log2E), .b(m), .c(61'sd0), .y(product)
  );

  // 3: in units of 2^-31, signed.
  logic               negative_3;
  logic        [7:0]  shift_3;
  logic        [59:0] product_3, shifted;
  logic        [20:0] unused_shifted;
  logic signed [39:0] z, z_4;

  sam_delay #(.Width(9), .Stages(2 * Cut)) u_side_3 (.clk, .d({a[31], shift}), .q({negative_3, shift_3}));
  sam_delay #(.Width(60), .Stages(Cut)) u_cut_3 (.clk, .d(product[59:0]), .q(product_3));

  assign shifted        = product_3 >> shift_3;
  assign unused_shifted = shifted[59:39];
  assign z              = negative_3 ? -{1'b0, shifted[38:0]} : {1'b0, shifted[38:0]};

  sam_delay #(.Width(40), .Stages(Cut)) u_cut_4 (.clk, .d(z), .q(z_4));

  // 4 to 10: 2^z.
  logic signed [8:0]  exponent, exponent_11;
  logic        [34:0] mantissa, mantissa_11;

  sam_exp2 #(.Stages(6 * Cut)) u_exp2 (.clk, .z(z_4), .exponent, .mantissa);

  sam_delay #(.Width(44), .Stages(Cut)) u_cut_11 (
    .clk, .d({exponent, mantissa}), .q({exponent_11, mantissa_11})
  );

  // 11: shift back what is subnormal.
  logic        infinite;
  logic [7:0]  field;
  logic [31:0] sig;
  logic [2:0]  unused_mantissa;

  assign unused_mantissa = mantissa_11[2:0];

  sam_f32_denormalize u_denormalize (
    .exponent(11'(exponent_11) + 11'sd127), .sig(mantissa_11[34:3]), .infinite, .field, .shifted(sig)
  );

  // 12: round.
  logic        exact_12, infinite_12;
  logic [31:0] exact_y_12, sig_12, rounded;
  logic [7:0]  field_12;

  sam_delay #(.Width(33), .Stages(11 * Cut)) u_side_12 (
    .clk, .d({exact, exact_y}), .q({exact_12, exact_y_12})
  );
  sam_delay #(.Width(41), .Stages(Cut)) u_cut_12 (
    .clk, .d({infinite, field, sig}), .q({infinite_12, field_12, sig_12})
  );

  sam_f32_pack u_pack (
    .negative(1'b0), .infinite(infinite_12), .field(field_12), .sig(sig_12), .y(rounded)
  );

  assign y = exact_12 ? exact_y_12 : rounded;

endmodule
`default_nettype wire
