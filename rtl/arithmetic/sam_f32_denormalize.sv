// Makes sig * 2^(exponent - 127 - 31) ready for rounding: shifts it if it is subnormal. Combinational.
// The exponent counts as in the format. The low bit of sig may stand for a lost remainder, and its
// top bit is set unless the result is subnormal; the same holds for shifted.
`default_nettype none
module sam_f32_denormalize (
  input  logic signed [10:0] exponent,
  input  logic        [31:0] sig,

  output logic               infinite,
  output logic        [7:0]  field,    // less the one that the leading bit of shifted adds
  output logic        [31:0] shifted
);

  logic               subnormal;
  logic signed [10:0] shift;
  logic        [4:0]  places;
  logic        [62:0] wide;

  // A subnormal result has the exponent 1 and as many leading zeros as that takes.
  assign subnormal = exponent < 11'sd1;
  assign shift     = 11'sd1 - exponent;
  assign places    = !subnormal ? 5'd0 : shift[10:5] != '0 ? 5'd31 : shift[4:0];
  assign wide      = {sig, 31'd0} >> places;
  assign shifted   = {wide[62:32], wide[31:0] != '0};
  assign field     = subnormal ? 8'd0 : exponent[7:0] - 8'd1;
  assign infinite  = exponent >= 11'sd255;

endmodule
`default_nettype wire
