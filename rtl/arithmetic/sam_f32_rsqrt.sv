// y = 1 / sqrt(a), by a cubic over [1, 4).
// A new operand may enter every cycle; its result follows Stages cycles later.
// Stores one value a cut: normalized | row looked up | three steps of the cubic | rounded.
`default_nettype none
module sam_f32_rsqrt #(
  parameter int Stages = 5  // 0 or 5
) (
  input  logic        clk,
  input  logic [31:0] a,

  output logic [31:0] y
);

  localparam int Cut = Stages == 0 ? 0 : 1;

  if (Stages != 0 && Stages != 5) begin : gen_bad_stages
    sam_f32_rsqrt_stages_must_be_0_or_5 u_error ();
  end

  // 1: normalize.
  logic               exact, zero, infinite, unused_m;
  logic        [31:0] exact_y;
  logic signed [9:0]  exponent;
  logic        [23:0] m;

  assign zero     = a[30:0] == '0;
  assign infinite = a == {1'b0, 8'hff, 23'd0};
  assign exact    = zero || a[31] || a[30:23] == 8'hff;
  assign exact_y  = zero ? {a[31], 8'hff, 23'd0} : infinite ? 32'd0 : 32'h7fc00000;
  assign unused_m = m[23];

  sam_f32_normalize u_normalize (.x(a), .exponent, .m);

  // 2: look the row up, after making the exponent even.
  logic signed [9:0]   exponent_2, even, half;
  logic        [22:0]  fraction_2;
  logic                odd;
  logic        [110:0] row;

  sam_delay #(.Width(33), .Stages(Cut)) u_cut_2 (
    .clk, .d({exponent, m[22:0]}), .q({exponent_2, fraction_2})
  );

  assign odd  = !exponent_2[0];  // of the exponent without its bias of 127
  assign even = exponent_2 - 10'sd127 - (odd ? 10'sd1 : 10'sd0);
  assign half = even >>> 1;

  sam_table_rsqrt u_table (.index({odd, fraction_2[22:18]}), .row);

  // 3 to 5: evaluate it.
  logic [110:0] row_3;
  logic [17:0]  t_3;
  logic [34:0]  root;

  sam_delay #(.Width(129), .Stages(Cut)) u_cut_3 (
    .clk, .d({row, fraction_2[17:0]}), .q({row_3, t_3})
  );

  sam_cubic #(.Stages(2 * Cut)) u_cubic (.clk, .row(row_3), .t({t_3, 8'd0}), .y(root));

  // 6: round; the root is above a half, and one at most.
  logic               exact_6, one;
  logic        [31:0] exact_y_6, rounded;
  logic signed [9:0]  half_6;
  logic        [34:0] root_6;
  logic        [1:0]  unused_root;
  logic signed [10:0] exponent_6;

  sam_delay #(.Width(35), .Stages(Cut)) u_cut_6 (.clk, .d(root), .q(root_6));
  sam_delay #(.Width(10), .Stages(4 * Cut)) u_half (.clk, .d(half), .q(half_6));
  sam_delay #(.Width(33), .Stages(5 * Cut)) u_side (
    .clk, .d({exact, exact_y}), .q({exact_6, exact_y_6})
  );

  assign one         = root_6[34];
  assign exponent_6  = 11'sd127 - 11'(half_6);
  assign unused_root = root_6[1:0];

  sam_f32_round u_round (
    .negative(1'b0),
    .exponent(one ? exponent_6 : exponent_6 - 11'sd1),
    .sig(one ? root_6[34:3] : root_6[33:2]),
    .y(rounded)
  );

  assign y = exact_6 ? exact_y_6 : rounded;

endmodule
`default_nettype wire
