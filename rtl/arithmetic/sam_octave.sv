// Finds the row and the place within it for |x| < 16 in a table that has 32 rows on [0, 1) and 32
// on each octave above. Combinational. The sign of x is not an input.
`default_nettype none
module sam_octave (
  input  logic [7:0]  exponent,  // 1 for a subnormal x
  input  logic [23:0] m,

  output logic [7:0]  index,
  output logic [25:0] t
);

  logic        below_one;
  logic [7:0]  shift, octave;
  logic [30:0] fixed;
  logic [4:0]  unused_octave;

  assign below_one     = exponent < 8'd127;
  assign shift         = 8'd126 - exponent;
  assign fixed         = {m, 7'd0} >> shift;
  assign octave        = exponent - 8'd126;
  assign unused_octave = octave[7:3];

  assign index = below_one ? {3'd0, fixed[30:26]} : {octave[2:0], m[22:18]};
  assign t     = below_one ? fixed[25:0] : {m[17:0], 8'd0};

endmodule
`default_nettype wire
