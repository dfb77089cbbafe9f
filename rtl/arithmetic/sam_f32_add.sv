// y = a + b in IEEE-754 binary32, rounded to nearest even, with subnormals.
// A new pair may enter every cycle; its sum follows Stages cycles later.
// Stores one value a cut: operands ordered | aligned | added | leading zeros counted | shifted | rounded.
`default_nettype none
module sam_f32_add #(
  parameter int Stages = 5  // 0 or 5
) (
  input  logic        clk,
  input  logic [31:0] a,
  input  logic [31:0] b,

  output logic [31:0] y
);

  localparam int Cut = Stages == 0 ? 0 : 1;

  if (Stages != 0 && Stages != 5) begin : gen_bad_stages
    sam_f32_add_stages_must_be_0_or_5 u_error ();
  end

  // 1: order the operands by magnitude, and find those that decide the sum alone.
  logic        swap, subtract, nan, infinite, negative;
  logic [31:0] big;
  logic [30:0] little;
  logic [7:0]  big_exponent, little_exponent, distance;
  logic [23:0] big_m, little_m;
  logic        a_nan, b_nan, a_inf, b_inf;

  assign a_nan = a[30:0] > {8'hff, 23'd0};
  assign b_nan = b[30:0] > {8'hff, 23'd0};
  assign a_inf = a[30:0] == {8'hff, 23'd0};
  assign b_inf = b[30:0] == {8'hff, 23'd0};

  assign swap            = b[30:0] > a[30:0];
  assign big             = swap ? b : a;
  assign little          = swap ? a[30:0] : b[30:0];
  assign big_exponent    = big[30:23] == '0 ? 8'd1 : big[30:23];
  assign little_exponent = little[30:23] == '0 ? 8'd1 : little[30:23];
  assign big_m           = {big[30:23] != '0, big[22:0]};
  assign little_m        = {little[30:23] != '0, little[22:0]};
  assign distance        = big_exponent - little_exponent;
  assign subtract        = a[31] != b[31];
  assign negative        = big[31];
  assign nan             = a_nan || b_nan || (a_inf && b_inf && subtract);
  assign infinite        = a_inf || b_inf;

  // 2: align the smaller one, keeping a sticky bit.
  logic        nan_2, infinite_2, negative_2, subtract_2;
  logic [7:0]  exponent_2, distance_2;
  logic [23:0] big_m_2, little_m_2;
  logic [4:0]  places;
  logic [53:0] shifted;
  logic [26:0] aligned;

  sam_delay #(.Width(68), .Stages(Cut)) u_cut_2 (
    .clk,
    .d({nan, infinite, negative, subtract, big_exponent, distance, big_m, little_m}),
    .q({nan_2, infinite_2, negative_2, subtract_2, exponent_2, distance_2, big_m_2, little_m_2})
  );

  assign places  = distance_2 > 8'd27 ? 5'd27 : distance_2[4:0];
  assign shifted = {little_m_2, 30'd0} >> places;
  assign aligned = {shifted[53:28], shifted[27:0] != '0};

  // 3: add.
  logic        nan_3, infinite_3, negative_3, subtract_3;
  logic [7:0]  exponent_3;
  logic [23:0] big_m_3;
  logic [26:0] aligned_3;
  logic [27:0] sum;

  sam_delay #(.Width(63), .Stages(Cut)) u_cut_3 (
    .clk,
    .d({nan_2, infinite_2, negative_2, subtract_2, exponent_2, big_m_2, aligned}),
    .q({nan_3, infinite_3, negative_3, subtract_3, exponent_3, big_m_3, aligned_3})
  );

  assign sum = subtract_3 ? {1'b0, big_m_3, 3'd0} - {1'b0, aligned_3}
                          : {1'b0, big_m_3, 3'd0} + {1'b0, aligned_3};

  // 4: count the leading zeros.
  logic        nan_4, infinite_4, negative_4, subtract_4;
  logic [7:0]  exponent_4;
  logic [27:0] sum_4;
  logic [4:0]  zeros;

  sam_delay #(.Width(40), .Stages(Cut)) u_cut_4 (
    .clk,
    .d({nan_3, infinite_3, negative_3, subtract_3, exponent_3, sum}),
    .q({nan_4, infinite_4, negative_4, subtract_4, exponent_4, sum_4})
  );

  sam_leading_zeros #(.Width(28)) u_zeros (.x(sum_4), .count(zeros));

  // 5: shift them out, as far as the exponent allows. The top bit of the sum is the carry; field is the exponent
  // less the one that sig will add.
  logic        nan_5, infinite_5, negative_5, cancels_5;
  logic [7:0]  exponent_5, field;
  logic [27:0] sum_5, sig;
  logic [4:0]  zeros_5, room;

  sam_delay #(.Width(45), .Stages(Cut)) u_cut_5 (
    .clk,
    .d({nan_4, infinite_4, negative_4, subtract_4 && zeros == 5'd28, exponent_4, zeros, sum_4}),
    .q({nan_5, infinite_5, negative_5, cancels_5, exponent_5, zeros_5, sum_5})
  );

  assign room  = exponent_5 > 8'd28 ? 5'd28 : exponent_5[4:0];
  assign sig   = sum_5 << (zeros_5 < room ? zeros_5 : room);
  assign field = zeros_5 < room ? exponent_5 - {3'd0, zeros_5} : 8'd0;

  // 6: round; the carry may enter the exponent.
  logic        nan_6, infinite_6, negative_6, up, overflow;
  logic [7:0]  field_6;
  logic [27:0] sig_6;
  logic [30:0] bits;

  sam_delay #(.Width(39), .Stages(Cut)) u_cut_6 (
    .clk,
    .d({nan_5, infinite_5, negative_5 && (infinite_5 || !cancels_5), field, sig}),
    .q({nan_6, infinite_6, negative_6, field_6, sig_6})
  );

  assign up   = sig_6[3] && (sig_6[2:0] != '0 || sig_6[4]);
  assign bits = {field_6, 23'd0} + {7'd0, sig_6[27:4]} + {30'd0, up};

  assign overflow = bits[30:23] == 8'hff;

  assign y = nan_6                  ? 32'h7fc00000
           : infinite_6 || overflow ? {negative_6, 8'hff, 23'd0}
                                    : {negative_6, bits};

endmodule
`default_nettype wire
