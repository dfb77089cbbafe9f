// Moves the units of a wide sum by 0 to 6 buckets of 8 bits to the right, cutting off what leaves. Combinational.
// `moves` says how far, one-hot; y is zero if it is.
`default_nettype none
module sam_f32_sum_move (
  input  logic [53:0] x,
  input  logic [6:0]  moves,

  output logic [53:0] y
);

  always_comb begin
    y = '0;
    for (int k = 0; k < 7; k++) begin
      y = y | (54'($signed(x) >>> (8 * k)) & {54{moves[k]}});
    end
  end

endmodule
`default_nettype wire
