// y = the square root of a in IEEE-754 binary32, rounded to nearest even, with subnormals.
// A new operand may enter every cycle; its root follows Stages cycles later.
// Stores one value a cut: leading zeros counted | normalized | 13 times two rows of a restoring square root | rounded.
`default_nettype none
module sam_f32_sqrt #(
  parameter int Stages = 15  // 0 or 15
) (
  input  logic        clk,
  input  logic [31:0] a,

  output logic [31:0] y
);

  localparam int Cut   = Stages == 0 ? 0 : 1;
  localparam int Steps = Stages == 0 ? 1 : 13;  // 26 digits of the root
  localparam int StepW = 52 + 27 + 26;          // radicand, rest, root

  if (Stages != 0 && Stages != 15) begin : gen_bad_stages
    sam_f32_sqrt_stages_must_be_0_or_15 u_error ();
  end

  // 1 and 2: normalize, and make the exponent even.
  logic               exact, odd;
  logic        [31:0] exact_y;
  logic signed [9:0]  exponent, even, half;
  logic        [23:0] m;
  logic        [51:0] radicand;

  assign exact   = a[30:0] == '0 || a[31] || a[30:23] == 8'hff;
  assign exact_y = a[30:0] == '0 || a == {1'b0, 8'hff, 23'd0} ? a : 32'h7fc00000;

  sam_f32_normalize #(.Stages(Cut)) u_normalize (.clk, .x(a), .exponent, .m);

  assign odd      = !exponent[0];  // of the exponent without its bias of 127
  assign radicand = odd ? {m, 28'd0} : {1'b0, m, 27'd0};
  assign even     = exponent - 10'sd127 - (odd ? 10'sd1 : 10'sd0);
  assign half     = even >>> 1;

  // 3 to 15: the root of the radicand, digit by digit.
  logic                   exact_s;
  logic        [31:0]     exact_y_s;
  logic signed [9:0]      half_s;
  logic [51:0]            start;
  logic [Steps*StepW-1:0] step_in, step_out;

  sam_delay #(.Width(52), .Stages(Cut)) u_cut_3 (.clk, .d(radicand), .q(start));

  for (genvar i = 0; i < Steps; i++) begin : gen_step
    logic [51:0] radicand_i, radicand_next;
    logic [26:0] rest, rest_next;
    logic [25:0] root, root_next;
    if (i == 0) begin : gen_first
      assign step_in[0 +: StepW] = {start, 53'd0};
    end else begin : gen_next
      assign step_in[i*StepW +: StepW] = step_out[(i-1)*StepW +: StepW];
    end
    assign {radicand_i, rest, root} = step_in[i*StepW +: StepW];
    sam_root_rows #(.RootW(26), .Rows(26 / Steps)) u_rows (
      .radicand(radicand_i), .rest, .root, .radicand_next, .rest_next, .root_next
    );
    sam_delay #(.Width(StepW), .Stages(Cut)) u_cut (
      .clk, .d({radicand_next, rest_next, root_next}), .q(step_out[i*StepW +: StepW])
    );
  end

  sam_delay #(.Width(33), .Stages(15 * Cut)) u_side (
    .clk, .d({exact, exact_y}), .q({exact_s, exact_y_s})
  );
  sam_delay #(.Width(10), .Stages(14 * Cut)) u_half (.clk, .d(half), .q(half_s));

  // 16: round. A root is neither subnormal nor infinite.
  logic [51:0] unused_radicand;
  logic [26:0] rest;
  logic [25:0] root;
  logic [31:0] rounded;
  logic [1:0]  unused_half;

  assign {unused_radicand, rest, root} = step_out[(Steps-1)*StepW +: StepW];

  assign unused_half = half_s[9:8];

  sam_f32_pack u_pack (
    .negative(1'b0), .infinite(1'b0), .field(half_s[7:0] + 8'd126), .sig({root, 5'd0, rest != '0}), .y(rounded)
  );

  assign y = exact_s ? exact_y_s : rounded;

endmodule
`default_nettype wire
