// Some rows of a restoring division: each brings one digit of the dividend down, and subtracts the
// divisor if it fits. Combinational. Quotient digits enter `digits` from below as those of the
// dividend leave it at the top. With Beside, the second row of each pair is formed for both outcomes
// of the first, beside it: half as much again, and a pair takes little longer than one subtraction.
`default_nettype none
module sam_divide_rows #(
  parameter int DivisorW = 32,
  parameter int DigitsW  = 32,
  parameter int Rows     = 2,  // even, if Beside is 1
  parameter int Beside   = 0   // 0 or 1
) (
  input  logic [DivisorW-1:0] divisor,
  input  logic [DivisorW-1:0] rest,
  input  logic [DigitsW-1:0]  digits,

  output logic [DivisorW-1:0] rest_next,
  output logic [DigitsW-1:0]  digits_next
);

  if (Beside != 0 && Rows % 2 != 0) begin : gen_bad_rows
    sam_divide_rows_rows_must_be_even u_error ();
  end

  logic [DivisorW-1:0] rest_row;
  logic [DigitsW-1:0]  digits_row;
  logic [DivisorW:0]   brought;
  logic [DivisorW+1:0] left;  // with its sign
  logic                fits;

  if (Beside != 0) begin : gen_beside
    logic                digit_1, digit_2;      // of the first row, of the second
    logic [DivisorW:0]   brought_1, brought_0;  // of the second row, if the first fits, and if not
    logic [DivisorW+1:0] left_1, left_0;
    logic                fits_1, fits_0;

    always_comb begin
      rest_row   = rest;
      digits_row = digits;
      {digit_1, digit_2}              = '0;
      {brought, brought_1, brought_0} = '0;
      {left, left_1, left_0}          = '0;
      {fits, fits_1, fits_0}          = '0;
      for (int i = 0; i < Rows; i += 2) begin
        digit_1    = 1'(digits_row >> (DigitsW - 1));
        digit_2    = 1'(digits_row >> (DigitsW - 2));
        brought    = {rest_row, digit_1};
        left       = {1'b0, brought} - {2'b00, divisor};
        fits       = (left >> (DivisorW + 1)) == '0;
        brought_1  = {DivisorW'(left), digit_2};
        brought_0  = {DivisorW'(brought), digit_2};
        left_1     = {1'b0, brought_1} - {2'b00, divisor};
        left_0     = {1'b0, brought_0} - {2'b00, divisor};
        fits_1     = (left_1 >> (DivisorW + 1)) == '0;
        fits_0     = (left_0 >> (DivisorW + 1)) == '0;
        rest_row   = fits ? (fits_1 ? DivisorW'(left_1) : DivisorW'(brought_1))
                          : (fits_0 ? DivisorW'(left_0) : DivisorW'(brought_0));
        digits_row = (digits_row << 2) | DigitsW'({fits, fits ? fits_1 : fits_0});
      end
    end
  end else begin : gen_after
    logic digit;

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
  end

  assign rest_next   = rest_row;
  assign digits_next = digits_row;

endmodule
`default_nettype wire
