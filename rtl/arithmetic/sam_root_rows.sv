// Some pairs of rows of a restoring square root: each row brings two digits of the radicand down, and subtracts
// four times the root so far plus one if that fits. Combinational. The second row of a pair is formed for both
// outcomes of the first, beside it: a pair takes little longer than one subtraction.
`default_nettype none
module sam_root_rows #(
  parameter int RootW = 26,
  parameter int Rows  = 2  // even
) (
  input  logic [2*RootW-1:0] radicand,
  input  logic [RootW:0]     rest,
  input  logic [RootW-1:0]   root,

  output logic [2*RootW-1:0] radicand_next,
  output logic [RootW:0]     rest_next,
  output logic [RootW-1:0]   root_next
);

  if (Rows % 2 != 0) begin : gen_bad_rows
    sam_root_rows_rows_must_be_even u_error ();
  end

  logic [2*RootW-1:0] radicand_row;
  logic [RootW:0]     rest_row;
  logic [RootW-1:0]   root_row;
  logic [1:0]         digits, digits_2;               // of the first row, of the second
  logic [RootW+2:0]   brought, brought_1, brought_0;  // _1: the second row, if the first fits; _0: if not
  logic [RootW+3:0]   left, left_1, left_0;           // with their signs
  logic               fits, fits_1, fits_0;

  always_comb begin
    radicand_row = radicand;
    rest_row     = rest;
    root_row     = root;
    {digits, digits_2}              = '0;
    {brought, brought_1, brought_0} = '0;
    {left, left_1, left_0}          = '0;
    {fits, fits_1, fits_0}          = '0;
    for (int i = 0; i < Rows; i += 2) begin
      digits       = 2'(radicand_row >> (2 * RootW - 2));
      digits_2     = 2'(radicand_row >> (2 * RootW - 4));
      brought      = {rest_row, digits};
      left         = {1'b0, brought} - {2'b00, root_row, 2'b01};
      fits         = (left >> (RootW + 3)) == '0;
      brought_1    = {(RootW + 1)'(left), digits_2};
      brought_0    = {(RootW + 1)'(brought), digits_2};
      left_1       = {1'b0, brought_1} - {1'b0, root_row, 3'b101};
      left_0       = {1'b0, brought_0} - {1'b0, root_row, 3'b001};
      fits_1       = (left_1 >> (RootW + 3)) == '0;
      fits_0       = (left_0 >> (RootW + 3)) == '0;
      rest_row     = fits ? (fits_1 ? (RootW + 1)'(left_1) : (RootW + 1)'(brought_1))
                          : (fits_0 ? (RootW + 1)'(left_0) : (RootW + 1)'(brought_0));
      root_row     = (root_row << 2) | RootW'({fits, fits ? fits_1 : fits_0});
      radicand_row = radicand_row << 4;
    end
  end

  assign radicand_next = radicand_row;
  assign rest_next     = rest_row;
  assign root_next     = root_row;

endmodule
`default_nettype wire
