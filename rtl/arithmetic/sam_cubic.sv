// y = c0 + t (c1 + t (c2 + t c3)) for t in [0, 1), every product rounded down.
// A row holds c0 to c3 in units of 2^-34, c1 to c3 signed; t has 26 bits.
// Stores one value a cut: two for each Horner step, which multiplies by parts and adds.
`default_nettype none
module sam_cubic #(
  parameter int Stages = 5  // 0 or 5
) (
  input  logic         clk,
  input  logic [110:0] row,
  input  logic [25:0]  t,

  output logic [34:0]  y
);

  localparam int Cut = Stages == 0 ? 0 : 1;

  if (Stages != 0 && Stages != 5) begin : gen_bad_stages
    sam_cubic_stages_must_be_0_or_5 u_error ();
  end

  // 1 and 2: the innermost step. Sums have 26 bits below their unit, which are cut off.
  logic        [34:0] c0;
  logic signed [30:0] c1;
  logic signed [24:0] c2;
  logic signed [19:0] c3;
  logic signed [51:0] sum;

  assign {c0, c1, c2, c3} = row;

  sam_multiply_add #(.AW(20), .BW(26), .YW(52), .Stages(Cut)) u_inner (
    .clk, .a(c3), .b(t), .c({c2[24], c2, 26'd0}), .y(sum)
  );

  // 3 and 4: the middle one.
  logic        [34:0] c0_3;
  logic signed [30:0] c1_3;
  logic        [25:0] t_3;
  logic signed [25:0] sum_3;
  logic signed [57:0] slope;

  sam_delay #(.Width(92), .Stages(2 * Cut)) u_side_3 (.clk, .d({c0, c1, t}), .q({c0_3, c1_3, t_3}));
  sam_delay #(.Width(26), .Stages(Cut)) u_cut_3 (.clk, .d(sum[51:26]), .q(sum_3));

  sam_multiply_add #(.AW(26), .BW(26), .YW(58), .Stages(Cut)) u_middle (
    .clk, .a(sum_3), .b(t_3), .c({c1_3[30], c1_3, 26'd0}), .y(slope)
  );

  // 5 and 6: the outer one.
  logic        [34:0] c0_5;
  logic        [25:0] t_5;
  logic signed [31:0] slope_5;
  logic signed [60:0] value;

  sam_delay #(.Width(61), .Stages(2 * Cut)) u_side_5 (.clk, .d({c0_3, t_3}), .q({c0_5, t_5}));
  sam_delay #(.Width(32), .Stages(Cut)) u_cut_5 (.clk, .d(slope[57:26]), .q(slope_5));

  sam_multiply_add #(.AW(32), .BW(26), .YW(61), .Stages(Cut)) u_outer (
    .clk, .a(slope_5), .b(t_5), .c({c0_5, 26'd0}), .y(value)
  );

  logic [25:0] unused_sum, unused_slope, unused_value;

  assign y            = value[60:26];
  assign unused_sum   = sum[25:0];
  assign unused_slope = slope[25:0];
  assign unused_value = value[25:0];

endmodule
`default_nettype wire
