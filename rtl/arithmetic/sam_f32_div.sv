// y = a / b in IEEE-754 binary32, rounded to nearest even, with subnormals.
// A new pair may enter every cycle; its quotient follows Stages cycles later.
// Stores one value a cut: normalized | 13 times two rows of a restoring division | rounded.
`default_nettype none
module sam_f32_div #(
  parameter int Stages = 14  // 0 or 14
) (
  input  logic        clk,
  input  logic [31:0] a,
  input  logic [31:0] b,

  output logic [31:0] y
);

  localparam int Cut   = Stages == 0 ? 0 : 1;
  localparam int Steps = Stages == 0 ? 1 : 13;  // 26 quotient digits
  localparam int StepW = 24 + 24 + 26;          // divisor, rest, digits

  if (Stages != 0 && Stages != 14) begin : gen_bad_stages
    sam_f32_div_stages_must_be_0_or_14 u_error ();
  end

  // 1: normalize both, and find the operands that decide the quotient alone.
  logic               a_nan, b_nan, a_inf, b_inf, a_zero, b_zero;
  logic               negative, nan, infinite, zero;
  logic signed [9:0]  a_exponent, b_exponent;
  logic        [23:0] a_m, b_m;
  logic signed [10:0] exponent;

  assign a_nan  = a[30:0] > {8'hff, 23'd0};
  assign b_nan  = b[30:0] > {8'hff, 23'd0};
  assign a_inf  = a[30:0] == {8'hff, 23'd0};
  assign b_inf  = b[30:0] == {8'hff, 23'd0};
  assign a_zero = a[30:0] == '0;
  assign b_zero = b[30:0] == '0;

  assign negative = a[31] != b[31];
  assign nan      = a_nan || b_nan || (a_inf && b_inf) || (a_zero && b_zero);
  assign infinite = a_inf || b_zero;
  assign zero     = a_zero || b_inf;

  sam_f32_normalize u_a (.x(a), .exponent(a_exponent), .m(a_m));
  sam_f32_normalize u_b (.x(b), .exponent(b_exponent), .m(b_m));

  assign exponent = $signed({a_exponent[9], a_exponent}) - $signed({b_exponent[9], b_exponent})
                  + 11'sd127;

  // 2 to 14: a_m * 2^25 / b_m, from the digit before the binary point.
  logic                   negative_s, nan_s, infinite_s, zero_s;
  logic signed [10:0]     exponent_s;
  logic [StepW-1:0]       start;
  logic [Steps*StepW-1:0] step_in, step_out;

  sam_delay #(.Width(StepW), .Stages(Cut)) u_cut_2 (
    .clk, .d({b_m, 1'b0, a_m[23:1], a_m[0], 25'd0}), .q(start)
  );

  for (genvar i = 0; i < Steps; i++) begin : gen_step
    logic [23:0] divisor, rest, rest_next;
    logic [25:0] digits, digits_next;
    if (i == 0) begin : gen_first
      assign step_in[0 +: StepW] = start;
    end else begin : gen_next
      assign step_in[i*StepW +: StepW] = step_out[(i-1)*StepW +: StepW];
    end
    assign {divisor, rest, digits} = step_in[i*StepW +: StepW];
    sam_divide_rows #(.DivisorW(24), .DigitsW(26), .Rows(26 / Steps)) u_rows (
      .divisor, .rest, .digits, .rest_next, .digits_next
    );
    sam_delay #(.Width(StepW), .Stages(Cut)) u_cut (
      .clk, .d({divisor, rest_next, digits_next}), .q(step_out[i*StepW +: StepW])
    );
  end

  sam_delay #(.Width(15), .Stages(14 * Cut)) u_side (
    .clk,
    .d({negative, nan, infinite, zero, exponent}),
    .q({negative_s, nan_s, infinite_s, zero_s, exponent_s})
  );

  // 15: round; the quotient is at least a half.
  logic [23:0] unused_divisor, rest;
  logic [25:0] quotient;
  logic [31:0] sig, rounded;

  assign {unused_divisor, rest, quotient} = step_out[(Steps-1)*StepW +: StepW];

  assign sig = quotient[25] ? {quotient, 5'd0, rest != '0} : {quotient[24:0], 6'd0, rest != '0};

  sam_f32_round u_round (
    .negative(negative_s),
    .exponent(quotient[25] ? exponent_s : exponent_s - 11'sd1),
    .sig,
    .y(rounded)
  );

  assign y = nan_s      ? 32'h7fc00000
           : infinite_s ? {negative_s, 8'hff, 23'd0}
           : zero_s     ? {negative_s, 31'd0}
                        : rounded;

endmodule
`default_nettype wire
