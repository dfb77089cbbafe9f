// y = 1 / sqrt(a), by a cubic over [1, 4).
// A new operand may enter every cycle; its result follows Stages cycles later.
// Stores one value a cut: leading zeros counted | normalized | row looked up | three steps of the cubic in six |
// rounded.
`default_nettype none
module sam_f32_rsqrt #(
  parameter int Stages = 9  // 0 or 9
) (
  input  logic        clk,
  input  logic [31:0] a,

  output logic [31:0] y
);

  localparam int Cut = Stages == 0 ? 0 : 1;

  if (Stages != 0 && Stages != 9) begin : gen_bad_stages
    sam_f32_rsqrt_stages_must_be_0_or_9 u_error ();
  end

  // 1 and 2: normalize.
  logic               exact, zero, infinite, unused_m;
  logic        [31:0] exact_y;
  logic signed [9:0]  exponent;
  logic        [23:0] m;

  assign zero     = a[30:0] == '0;
  assign infinite = a == {1'b0, 8'hff, 23'd0};
  assign exact    = zero || a[31] || a[30:23] == 8'hff;
  assign exact_y  = zero ? {a[31], 8'hff, 23'd0} : infinite ? 32'd0 : 32'h7fc00000;
  assign unused_m = m[23];

  sam_f32_normalize #(.Stages(Cut)) u_normalize (.clk, .x(a), .exponent, .m);

  // 3: look the row up, after making the exponent even.
  logic signed [9:0]   exponent_3, even, half;
  logic        [22:0]  fraction_3;
  logic                odd;
  logic        [110:0] row;

  sam_delay #(.Width(33), .Stages(Cut)) u_cut_3 (
    .clk, .d({exponent, m[22:0]}), .q({exponent_3, fraction_3})
  );

  assign odd  = !exponent_3[0];  // of the exponent without its bias of 127
  assign even = exponent_3 - 10'sd127 - (odd ? 10'sd1 : 10'sd0);
  assign half = even >>> 1;

  sam_table_rsqrt u_table (.index({odd, fraction_3[22:18]}), .row);

  // 4 to 9: evaluate it.
  logic [110:0] row_4;
  logic [17:0]  t_4;
  logic [34:0]  root;

  sam_delay #(.Width(129), .Stages(Cut)) u_cut_4 (
    .clk, .d({row, fraction_3[17:0]}), .q({row_4, t_4})
  );

  sam_cubic #(.Stages(5 * Cut)) u_cubic (.clk, .row(row_4), .t({t_4, 8'd0}), .y(root));

  // 10: round; neither subnormal nor infinite, as the root is above a half, and one at most.
  logic               exact_10, one;
  logic        [31:0] exact_y_10, rounded;
  logic signed [9:0]  half_10;
  logic        [34:0] root_10;
  logic        [1:0]  unused_root;
  logic        [7:0]  exponent_10;
  logic        [1:0]  unused_half;

  sam_delay #(.Width(35), .Stages(Cut)) u_cut_10 (.clk, .d(root), .q(root_10));
  sam_delay #(.Width(10), .Stages(7 * Cut)) u_half (.clk, .d(half), .q(half_10));
  sam_delay #(.Width(33), .Stages(9 * Cut)) u_side (
    .clk, .d({exact, exact_y}), .q({exact_10, exact_y_10})
  );

  assign one         = root_10[34];
  assign exponent_10 = 8'd127 - half_10[7:0];
  assign unused_half = half_10[9:8];
  assign unused_root = root_10[1:0];

  sam_f32_pack u_pack (
    .negative(1'b0),
    .infinite(1'b0),
    .field(one ? exponent_10 - 8'd1 : exponent_10 - 8'd2),
    .sig(one ? root_10[34:3] : root_10[33:2]),
    .y(rounded)
  );

  assign y = exact_10 ? exact_y_10 : rounded;

endmodule
`default_nettype wire
