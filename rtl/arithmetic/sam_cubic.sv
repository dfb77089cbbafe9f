// y = c0 + t (c1 + t (c2 + t c3)) for t in [0, 1), every product rounded down.
// A row holds c0 to c3 in units of 2^-34, c1 to c3 signed; t has 26 bits.
// Stores one value a cut: one Horner step each.
`default_nettype none
module sam_cubic #(
  parameter int Stages = 2  // 0 or 2
) (
  input  logic         clk,
  input  logic [110:0] row,
  input  logic [25:0]  t,

  output logic [34:0]  y
);

  localparam int Cut = Stages == 0 ? 0 : 1;

  if (Stages != 0 && Stages != 2) begin : gen_bad_stages
    sam_cubic_stages_must_be_0_or_2 u_error ();
  end

  // 1: the innermost step.
  logic        [34:0] c0;
  logic signed [30:0] c1;
  logic signed [24:0] c2;
  logic signed [19:0] c3;
  logic signed [46:0] product;
  logic signed [25:0] sum;
  logic        [25:0] unused_product;

  assign {c0, c1, c2, c3} = row;
  assign product          = 47'($signed({1'b0, t})) * 47'(c3);
  assign unused_product   = product[25:0];
  assign sum              = 26'(c2) + 26'($signed(product[46:26]));

  // 2: the middle one.
  logic        [34:0] c0_2;
  logic signed [30:0] c1_2;
  logic        [25:0] t_2;
  logic signed [25:0] sum_2;
  logic signed [52:0] product_2;
  logic signed [31:0] slope;
  logic        [25:0] unused_product_2;

  sam_delay #(.Width(118), .Stages(Cut)) u_cut_2 (
    .clk, .d({c0, c1, t, sum}), .q({c0_2, c1_2, t_2, sum_2})
  );

  assign product_2        = 53'($signed({1'b0, t_2})) * 53'(sum_2);
  assign unused_product_2 = product_2[25:0];
  assign slope            = 32'(c1_2) + 32'($signed(product_2[52:26]));

  // 3: the outer one.
  logic        [34:0] c0_3;
  logic        [25:0] t_3;
  logic signed [31:0] slope_3;
  logic signed [58:0] product_3;
  logic        [25:0] unused_product_3;

  sam_delay #(.Width(93), .Stages(Cut)) u_cut_3 (
    .clk, .d({c0_2, t_2, slope}), .q({c0_3, t_3, slope_3})
  );

  assign product_3        = 59'($signed({1'b0, t_3})) * 59'(slope_3);
  assign unused_product_3 = product_3[25:0];
  assign y                = c0_3 + 35'($signed(product_3[58:26]));

endmodule
`default_nettype wire
