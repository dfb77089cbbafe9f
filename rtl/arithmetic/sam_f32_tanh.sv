// y = tanh(a), by a * Q(|a|).
// A new operand may enter every cycle; its result follows Stages cycles later.
// Stores one value a cut: row found | row looked up | three steps of the cubic | multiplied |
// rounded.
`default_nettype none
module sam_f32_tanh #(
  parameter int Stages = 6  // 0 or 6
) (
  input  logic        clk,
  input  logic [31:0] a,

  output logic [31:0] y
);

  localparam int Cut = Stages == 0 ? 0 : 1;

  if (Stages != 0 && Stages != 6) begin : gen_bad_stages
    sam_f32_tanh_stages_must_be_0_or_6 u_error ();
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

  // 3 to 5: evaluate it.
  logic [110:0] row_3;
  logic [25:0]  t_3;
  logic [34:0]  slope;
  logic [1:0]   unused_slope;

  sam_delay #(.Width(137), .Stages(Cut)) u_cut_3 (.clk, .d({row, t_2}), .q({row_3, t_3}));

  sam_cubic #(.Stages(2 * Cut)) u_cubic (.clk, .row(row_3), .t(t_3), .y(slope));

  assign unused_slope = slope[1:0];

  // 6: multiply.
  logic        exact_6, negative_6;
  logic [31:0] exact_y_6;
  logic [7:0]  exponent_6;
  logic [23:0] m_6;
  logic [32:0] slope_6;
  logic [55:0] product;

  sam_delay #(.Width(33), .Stages(Cut)) u_cut_6 (.clk, .d(slope[34:2]), .q(slope_6));
  sam_delay #(.Width(66), .Stages(5 * Cut)) u_side_6 (
    .clk,
    .d({exact, exact_y, a[31], a[30:23], m}),
    .q({exact_6, exact_y_6, negative_6, exponent_6, m_6})
  );

  assign product = {23'd0, slope_6} * {32'd0, m_6};

  // 7: round. From 1 on, the octave goes into the product, which is then a half at least.
  logic        exact_7, negative_7, high;
  logic [31:0] exact_y_7, rounded;
  logic [7:0]  exponent_7, octave, base;
  logic [55:0] product_7, aligned;
  logic [22:0] unused_aligned;

  sam_delay #(.Width(98), .Stages(Cut)) u_cut_7 (
    .clk,
    .d({exact_6, exact_y_6, negative_6, exponent_6, product}),
    .q({exact_7, exact_y_7, negative_7, exponent_7, product_7})
  );

  assign octave         = exponent_7 < 8'd127 ? 8'd0 : exponent_7 - 8'd127;
  assign base           = exponent_7 < 8'd127 ? exponent_7 : 8'd127;
  assign aligned        = product_7 << octave;
  assign high           = aligned[55];
  assign unused_aligned = aligned[22:0];

  sam_f32_round u_round (
    .negative(negative_7),
    .exponent($signed({3'd0, high ? base : base - 8'd1})),
    .sig(high ? aligned[55:24] : aligned[54:23]),
    .y(rounded)
  );

  assign y = exact_7 ? exact_y_7 : rounded;

endmodule
`default_nettype wire
