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

  logic        infinite;
  logic [7:0]  field;
  logic [31:0] shifted;

  sam_f32_denormalize u_denormalize (.exponent, .sig, .infinite, .field, .shifted);

  sam_f32_pack u_pack (.negative, .infinite, .field, .sig(shifted), .y);

endmodule
`default_nettype wire
