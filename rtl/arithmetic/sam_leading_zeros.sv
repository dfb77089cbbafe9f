// Counts the zeros above the topmost one of x; Width if x is zero. Combinational.
`default_nettype none
module sam_leading_zeros #(
  parameter  int Width  = 24,
  localparam int CountW = $clog2(Width + 1)
) (
  input  logic [Width-1:0]  x,

  output logic [CountW-1:0] count
);

  localparam int RestW = 1 << CountW;

  logic [RestW-1:0] rest;

  // Halving search: skip 2^i places wherever they are all zero.
  always_comb begin
    rest  = {x, {(RestW - Width){1'b1}}};
    count = '0;
    for (int i = CountW - 1; i >= 0; i--) begin
      if ((rest >> (RestW - (1 << i))) == '0) begin
        rest     = rest << (1 << i);
        count[i] = 1'b1;
      end
    end
  end

endmodule
`default_nettype wire
