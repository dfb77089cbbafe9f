// y = a / b in IEEE-754 binary32, rounded to nearest even, with subnormals.
// A new pair may enter every cycle; its quotient follows Stages cycles later.
// Stores one value a cut: leading zeros counted | normalized | 13 times two rows of a restoring division | normalized |
// denormalized | rounded.
`default_nettype none
module sam_f32_div #(
  parameter int Stages = 17  // 0 or 17
) (
  input  logic        clk,
  input  logic [31:0] a,
  input  logic [31:0] b,

  output logic [31:0] y
);

  localparam int Cut   = Stages == 0 ? 0 : 1;
  localparam int Steps = Stages == 0 ? 1 : 13;  // 26 quotient digits
  localparam int StepW = 24 + 24 + 26;          // divisor, rest, digits

  if (Stages != 0 && Stages != 17) begin : gen_bad_stages
    sam_f32_div_stages_must_be_0_or_17 u_error ();
  end

  // 1: count the leading zeros of both, and find the operands that decide the quotient alone.
  logic        a_nan, b_nan, a_inf, b_inf, a_zero, b_zero;
  logic        negative, nan, infinite, zero;
  logic        a_subnormal, b_subnormal;
  logic [4:0]  a_zeros, b_zeros;

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

  assign a_subnormal = a[30:23] == '0;
  assign b_subnormal = b[30:23] == '0;

  sam_leading_zeros #(.Width(24)) u_a_zeros (.x({!a_subnormal, a[22:0]}), .count(a_zeros));
  sam_leading_zeros #(.Width(24)) u_b_zeros (.x({!b_subnormal, b[22:0]}), .count(b_zeros));

  // 2: normalize.
  logic               a_subnormal_2, b_subnormal_2;
  logic        [4:0]  a_zeros_2, b_zeros_2;
  logic        [30:0] a_2, b_2;
  logic        [23:0] a_m, b_m;
  logic signed [9:0]  a_exponent, b_exponent;
  logic signed [10:0] exponent;

  sam_delay #(.Width(74), .Stages(Cut)) u_cut_2 (
    .clk,
    .d({a_subnormal, a_zeros, a[30:0], b_subnormal, b_zeros, b[30:0]}),
    .q({a_subnormal_2, a_zeros_2, a_2, b_subnormal_2, b_zeros_2, b_2})
  );

  // A subnormal number has the exponent 1, and zeros to shift out; of others there are none.
  assign a_m        = {!a_subnormal_2, a_2[22:0]} << a_zeros_2;
  assign b_m        = {!b_subnormal_2, b_2[22:0]} << b_zeros_2;
  assign a_exponent = $signed({2'd0, a_2[30:24], a_2[23] || a_subnormal_2}) - $signed({5'd0, a_zeros_2});
  assign b_exponent = $signed({2'd0, b_2[30:24], b_2[23] || b_subnormal_2}) - $signed({5'd0, b_zeros_2});
  assign exponent   = $signed({a_exponent[9], a_exponent}) - $signed({b_exponent[9], b_exponent})
                    + 11'sd127;

  // 3 to 15: a_m * 2^25 / b_m, from the digit before the binary point.
  logic                   negative_s, nan_s, infinite_s, zero_s;
  logic signed [10:0]     exponent_s;
  logic [StepW-1:0]       start;
  logic [Steps*StepW-1:0] step_in, step_out;

  sam_delay #(.Width(StepW), .Stages(Cut)) u_cut_3 (
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

  sam_delay #(.Width(4), .Stages(15 * Cut)) u_side (
    .clk, .d({negative, nan, infinite, zero}), .q({negative_s, nan_s, infinite_s, zero_s})
  );
  sam_delay #(.Width(11), .Stages(14 * Cut)) u_exponent (.clk, .d(exponent), .q(exponent_s));

  // 16: normalize; the quotient is at least a half.
  logic [23:0]        unused_divisor, rest;
  logic [25:0]        quotient;
  logic               negative_n, nan_n, infinite_n, zero_n, too_large;
  logic signed [10:0] exponent_n;
  logic [7:0]         field;
  logic [31:0]        sig, sig_n, sig_d;

  assign {unused_divisor, rest, quotient} = step_out[(Steps-1)*StepW +: StepW];

  assign sig = quotient[25] ? {quotient, 5'd0, rest != '0} : {quotient[24:0], 6'd0, rest != '0};

  sam_delay #(.Width(47), .Stages(Cut)) u_cut_17 (
    .clk,
    .d({negative_s, nan_s, infinite_s, zero_s, quotient[25] ? exponent_s : exponent_s - 11'sd1, sig}),
    .q({negative_n, nan_n, infinite_n, zero_n, exponent_n, sig_n})
  );

  // 17: shift back what is subnormal.
  sam_f32_denormalize u_denormalize (
    .exponent(exponent_n), .sig(sig_n), .infinite(too_large), .field, .shifted(sig_d)
  );

  // 18: round.
  logic        negative_r, nan_r, infinite_r, zero_r;
  logic [7:0]  field_r;
  logic [31:0] sig_r, rounded;

  sam_delay #(.Width(44), .Stages(Cut)) u_cut_18 (
    .clk,
    .d({negative_n, nan_n, infinite_n || (too_large && !zero_n), zero_n, field, sig_d}),
    .q({negative_r, nan_r, infinite_r, zero_r, field_r, sig_r})
  );

  sam_f32_pack u_pack (
    .negative(negative_r), .infinite(infinite_r), .field(field_r), .sig(sig_r), .y(rounded)
  );

  assign y = nan_r                 ? 32'h7fc00000
           : zero_r && !infinite_r ? {negative_r, 31'd0}
                                   : rounded;

endmodule
`default_nettype wire
