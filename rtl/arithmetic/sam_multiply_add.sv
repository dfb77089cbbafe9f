// y = a * b + c, of a and c with their signs and b without.
// New operands may enter every cycle; what becomes of them follows Stages cycles later.
// Stores the products of a with each quarter of b, which are then added.
`default_nettype none
module sam_multiply_add #(
  parameter int AW     = 24,
  parameter int BW     = 24,
  parameter int YW     = 48,
  parameter int Stages = 1  // 0 or 1
) (
  input  logic                 clk,
  input  logic signed [AW-1:0] a,
  input  logic        [BW-1:0] b,
  input  logic signed [YW-1:0] c,

  output logic signed [YW-1:0] y
);

  localparam int QuarterW = (BW + 3) / 4;
  localparam int PartW    = AW + QuarterW;

  if (Stages != 0 && Stages != 1) begin : gen_bad_stages
    sam_multiply_add_stages_must_be_0_or_1 u_error ();
  end

  logic        [4*QuarterW-1:0] quarters;
  logic signed [PartW-1:0]      part_0, part_1, part_2, part_3;
  logic signed [PartW-1:0]      part_0_2, part_1_2, part_2_2, part_3_2;
  logic signed [YW-1:0]         c_2;

  assign quarters = (4 * QuarterW)'(b);
  assign part_0   = PartW'(a) * PartW'($signed({1'b0, quarters[0 +: QuarterW]}));
  assign part_1   = PartW'(a) * PartW'($signed({1'b0, quarters[QuarterW +: QuarterW]}));
  assign part_2   = PartW'(a) * PartW'($signed({1'b0, quarters[2*QuarterW +: QuarterW]}));
  assign part_3   = PartW'(a) * PartW'($signed({1'b0, quarters[3*QuarterW +: QuarterW]}));

  sam_delay #(.Width(4 * PartW + YW), .Stages(Stages)) u_cut (
    .clk, .d({part_0, part_1, part_2, part_3, c}), .q({part_0_2, part_1_2, part_2_2, part_3_2, c_2})
  );

  assign y = YW'(part_0_2) + (YW'(part_1_2) <<< QuarterW) + (YW'(part_2_2) <<< 2 * QuarterW)
           + (YW'(part_3_2) <<< 3 * QuarterW) + c_2;

endmodule
`default_nettype wire
