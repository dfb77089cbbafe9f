// Rounds what sam_f32_denormalize gives to the nearest float, ties to even. Combinational.
`default_nettype none
module sam_f32_pack (
  input  logic        negative,
  input  logic        infinite,
  input  logic [7:0]  field,
  input  logic [31:0] sig,

  output logic [31:0] y
);

  logic        up;
  logic [30:0] bits;

  // The leading one of sig adds one to the exponent; so does the carry of rounding.
  assign up   = sig[7] && (sig[6:0] != '0 || sig[8]);
  assign bits = {field, 23'd0} + {7'd0, sig[31:8]} + {30'd0, up};
  assign y    = infinite ? {negative, 8'hff, 23'd0} : {negative, bits};

endmodule
`default_nettype wire
