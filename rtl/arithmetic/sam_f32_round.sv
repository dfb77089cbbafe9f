// Rounds sig * 2^(exponent - 127 - 31) to the nearest float, ties to even. Combinational.
// The exponent counts as in the format. The low bit of sig may stand for a lost remainder, and its
// top bit is set unless the result is subnormal.
`default_nettype none
module sam_f32_round (
  input  logic               negative,
  input  logic signed [10:0] exponent,
  input  logic        [31:0] sig,

  output logic        [31:0] y
);

  logic               subnormal, lost, up;
  logic signed [10:0] shift;
  logic        [4:0]  places;
  logic        [31:0] shifted, sig_s;
  logic        [7:0]  field;
  logic        [30:0] bits;

  // A subnormal result has the exponent 1 and as many leading zeros as that takes.
  assign subnormal = exponent < 11'sd1;
  assign shift     = 11'sd1 - exponent;
  assign places    = shift > 11'sd31 ? 5'd31 : shift[4:0];
  assign shifted   = sig >> places;
  assign lost      = (shifted << places) != sig;
  assign sig_s     = subnormal ? {shifted[31:1], shifted[0] || lost} : sig;
  assign field     = subnormal ? 8'd0 : exponent[7:0] - 8'd1;

  // The leading one of sig adds one to the exponent; so does the carry of rounding.
  assign up   = sig_s[7] && (sig_s[6:0] != '0 || sig_s[8]);
  assign bits = {field, 23'd0} + {7'd0, sig_s[31:8]} + {30'd0, up};

  assign y = exponent >= 11'sd255 ? {negative, 8'hff, 23'd0} : {negative, bits};

endmodule
`default_nettype wire
