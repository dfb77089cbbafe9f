// y = tanh(a), by a * Q(|a|).
// A new operand may enter every cycle; its result follows Stages cycles later.
// Stores one value a cut: row found | row looked up | three steps of the cubic in six | multiplied by parts | these
// added | shifted | rounded.
`default_nettype none
module sam_f32_tanh #(
  parameter int Stages = 11  // 0 or 11
) (
  input  logic        clk,
  input  logic [31:0] a,

  output logic [31:0] y
);

  localparam int Cut = Stages == 0 ? 0 : 1;

  if (Stages != 0 && Stages != 11) begin : gen_bad_stages
    sam_f32_tanh_stages_must_be_0_or_11 u_error ();
  end

  // 1: find the row. Below 2^-12 the result is a, and from 16 on it is 1.
  logic        nan, tiny, huge, exact;
  logic [31:0] exact_y;
  logic [23:0] m;
  logic [7:0]  index;
  logic [25:0] t;

  assign nan     = a[30:0] > {8'hff, 23'd0};
  assign tiny    = a[30:23] < 8'd115;
  assign huge    = a[30:23] >= 8'd131;
  assign exact   = tiny || huge;
  assign exact_y = nan ? 32'h7fc00000 : tiny ? a : {a[31], 8'd127, 23'd0};
  assign m       = {1'b1, a[22:0]};

  sam_octave u_octave (.exponent(a[30:23]), .m, .index, .t);

  // 2: look it up.
  logic [7:0]   index_2;
  logic [25:0]  t_2;
  logic [110:0] row;

  sam_delay #(.Width(34), .Stages(Cut)) u_cut_2 (.clk, .d({index, t}), .q({index_2, t_2}));

  sam_table_tanh u_table (.index(index_2), .row);

  // 3 to 8: evaluate it.
  logic [110:0] row_3;
  logic [25:0]  t_3;
  logic [34:0]  slope;
  logic [1:0]   unused_slope;

  sam_delay #(.Width(137), .Stages(Cut)) u_cut_3 (.clk, .d({row, t_2}), .q({row_3, t_3}));

  sam_cubic #(.Stages(5 * Cut)) u_cubic (.clk, .row(row_3), .t(t_3), .y(slope));

  assign unused_slope = slope[1:0];

  // 9 and 10: multiply.
  logic               unused_product;
  logic        [23:0] m_9;
  logic        [32:0] slope_9;
  logic signed [57:0] product;

  sam_delay #(.Width(33), .Stages(Cut)) u_cut_9 (.clk, .d(slope[34:2]), .q(slope_9));
  sam_delay #(.Width(24), .Stages(8 * Cut)) u_side_9 (.clk, .d(m), .q(m_9));

  sam_multiply_add #(.AW(34), .BW(24), .YW(58), .Stages(Cut)) u_product (
    .clk, .a({1'b0, slope_9}), .b(m_9), .c(58'sd0), .y(product)
  );

  assign unused_product = |product[57:56];

  // 11: shift. From 1 on, the octave goes into the product, which is then a half at least.
  logic [7:0]  exponent_11, octave;
  logic [55:0] product_11, aligned;
  logic [22:0] unused_aligned;
  logic [4:0]  unused_octave;

  sam_delay #(.Width(8), .Stages(10 * Cut)) u_side_11 (.clk, .d(a[30:23]), .q(exponent_11));
  sam_delay #(.Width(56), .Stages(Cut)) u_cut_11 (.clk, .d(product[55:0]), .q(product_11));

  assign octave         = exponent_11 < 8'd127 ? 8'd0 : exponent_11 - 8'd127;
  assign aligned        = product_11 << octave[2:0];
  assign unused_aligned = aligned[22:0];
  assign unused_octave  = octave[7:3];

  // 12: round; neither subnormal nor infinite.
  logic        exact_12, negative_12, high;
  logic [31:0] exact_y_12, rounded;
  logic [7:0]  exponent_12, base;
  logic [32:0] aligned_12;

  sam_delay #(.Width(41), .Stages(Cut)) u_cut_12 (
    .clk, .d({exponent_11, aligned[55:23]}), .q({exponent_12, aligned_12})
  );
  sam_delay #(.Width(34), .Stages(11 * Cut)) u_side_12 (
    .clk, .d({exact, exact_y, a[31]}), .q({exact_12, exact_y_12, negative_12})
  );

  assign base = exponent_12 < 8'd127 ? exponent_12 : 8'd127;
  assign high = aligned_12[32];

  sam_f32_pack u_pack (
    .negative(negative_12),
    .infinite(1'b0),
    .field(high ? base - 8'd1 : base - 8'd2),
    .sig(high ? aligned_12[32:1] : aligned_12[31:0]),
    .y(rounded)
  );

  assign y = exact_12 ? exact_y_12 : rounded;

endmodule
`default_nettype wire
