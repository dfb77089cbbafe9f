// y = a + b in IEEE-754 binary32, rounded to nearest even, with subnormals.
// A new pair may enter every cycle; its sum follows Stages cycles later.
// Stores one value a cut: operands ordered | aligned and added | normalized | rounded.
`default_nettype none
module sam_f32_add #(
  parameter int Stages = 3  // 0 or 3
) (
  input  logic        clk,
  input  logic [31:0] a,
  input  logic [31:0] b,

  output logic [31:0] y
);

  localparam int Cut = Stages == 0 ? 0 : 1;

  if (Stages != 0 && Stages != 3) begin : gen_bad_stages
    sam_f32_add_stages_must_be_0_or_3 u_error ();
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

  // 2: align the smaller one, keeping a sticky bit, and add.
  logic        nan_2, infinite_2, negative_2, subtract_2;
  logic [7:0]  exponent_2, distance_2;
  logic [23:0] big_m_2, little_m_2;
  logic [4:0]  places;
  logic [26:0] shifted, aligned;
  logic        lost;
  logic [27:0] sum;

  sam_delay #(.Width(68), .Stages(Cut)) u_cut_2 (
    .clk,
    .d({nan, infinite, negative, subtract, big_exponent, distance, big_m, little_m}),
    .q({nan_2, infinite_2, negative_2, subtract_2, exponent_2, distance_2, big_m_2, little_m_2})
  );

  assign places  = distance_2 > 8'd27 ? 5'd27 : distance_2[4:0];
  assign shifted = {little_m_2, 3'd0} >> places;
  assign lost    = (shifted << places) != {little_m_2, 3'd0};
  assign aligned = {shifted[26:1], shifted[0] || lost};
  assign sum     = subtract_2 ? {1'b0, big_m_2, 3'd0} - {1'b0, aligned}
                              : {1'b0, big_m_2, 3'd0} + {1'b0, aligned};

  // 3: normalize, as far as the exponent allows.
  logic        nan_3, infinite_3, negative_3, subtract_3, negative_sum;
  logic [7:0]  exponent_3, field;
  logic [27:0] sum_3, sig;
  logic [4:0]  zeros, room;

  sam_delay #(.Width(40), .Stages(Cut)) u_cut_3 (
    .clk,
    .d({nan_2, infinite_2, negative_2, subtract_2, exponent_2, sum}),
    .q({nan_3, infinite_3, negative_3, subtract_3, exponent_3, sum_3})
  );

  sam_leading_zeros #(.Width(28)) u_zeros (.x(sum_3), .count(zeros));

  // The top bit of sum_3 is the carry; field is the exponent less the one that sig will add.
  assign room  = exponent_3 > 8'd28 ? 5'd28 : exponent_3[4:0];
  assign sig   = sum_3 << (zeros < room ? zeros : room);
  assign field = zeros < room ? exponent_3 - {3'd0, zeros} : 8'd0;
  assign negative_sum = negative_3 && !(subtract_3 && sum_3 == '0);

  // 4: round; the carry may enter the exponent.
  logic        nan_4, infinite_4, negative_4, up, overflow;
  logic [7:0]  field_4;
  logic [27:0] sig_4;
  logic [30:0] bits;

  sam_delay #(.Width(39), .Stages(Cut)) u_cut_4 (
    .clk,
    .d({nan_3, infinite_3, infinite_3 ? negative_3 : negative_sum, field, sig}),
    .q({nan_4, infinite_4, negative_4, field_4, sig_4})
  );

  assign up   = sig_4[3] && (sig_4[2:0] != '0 || sig_4[4]);
  assign bits = {field_4, 23'd0} + {7'd0, sig_4[27:4]} + {30'd0, up};

  assign overflow = bits[30:23] == 8'hff;

  assign y = nan_4                  ? 32'h7fc00000
           : infinite_4 || overflow ? {negative_4, 8'hff, 23'd0}
                                    : {negative_4, bits};

endmodule
`default_nettype wire
