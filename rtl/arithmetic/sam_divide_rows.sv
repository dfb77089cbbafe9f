// Some rows of a restoring division: each brings one digit of the dividend down, and subtracts the
// divisor if it fits. Combinational. Quotient digits enter `digits` from below as those of the
// dividend leave it at the top.
`default_nettype none
module sam_divide_rows #(
  parameter int DivisorW = 32,
  parameter int DigitsW  = 32,
  parameter int Rows     = 2
) (
  input  logic [DivisorW-1:0] divisor,
  input  logic [DivisorW-1:0] rest,
  input  logic [DigitsW-1:0]  digits,

  output logic [DivisorW-1:0] rest_next,
  output logic [DigitsW-1:0]  digits_next
);

  logic [DivisorW:0]   brought;
  logic [DivisorW+1:0] left;  // with its sign
  logic [DivisorW-1:0] rest_row;
  logic [DigitsW-1:0]  digits_row;
  logic                digit, fits;

  always_comb begin
    rest_row   = rest;
    digits_row = digits;
    brought    = '0;
    left       = '0;
    digit      = 1'b0;
    fits       = 1'b0;
    for (int i = 0; i < Rows; i++) begin
      digit      = (digits_row >> (DigitsW - 1)) != '0;
      brought    = {rest_row, digit};
      left       = {1'b0, brought} - {2'b00, divisor};
      fits       = (left >> (DivisorW + 1)) == '0;
      rest_row   = fits ? DivisorW'(left) : DivisorW'(brought);
      digits_row = (digits_row << 1) | DigitsW'(fits);
    end
  end

  assign rest_next   = rest_row;
  assign digits_next = digits_row;

endmodule
`default_nettype wire
