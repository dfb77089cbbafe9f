// Some rows of a restoring square root: each brings two digits of the radicand down, and subtracts
// four times the root so far plus one if that fits. Combinational.
`default_nettype none
module sam_root_rows #(
  parameter int RootW = 26,
  parameter int Rows  = 2
) (
  input  logic [2*RootW-1:0] radicand,
  input  logic [RootW:0]     rest,
  input  logic [RootW-1:0]   root,

  output logic [2*RootW-1:0] radicand_next,
  output logic [RootW:0]     rest_next,
  output logic [RootW-1:0]   root_next
);

  logic [2*RootW-1:0] radicand_row;
  logic [RootW:0]     rest_row;
  logic [RootW-1:0]   root_row;
  logic [RootW+2:0]   brought, trial;
  logic [RootW+3:0]   left;  // with its sign
  logic [1:0]         digits;
  logic               fits;

  always_comb begin
    radicand_row = radicand;
    rest_row     = rest;
    root_row     = root;
    brought      = '0;
    trial        = '0;
    left         = '0;
    digits       = '0;
    fits         = 1'b0;
    for (int i = 0; i < Rows; i++) begin
      digits       = 2'(radicand_row >> (2 * RootW - 2));
      brought      = {rest_row, digits};
      trial        = {1'b0, root_row, 2'b01};
      left         = {1'b0, brought} - {1'b0, trial};
      fits         = (left >> (RootW + 3)) == '0;
      rest_row     = fits ? (RootW + 1)'(left) : (RootW + 1)'(brought);
      root_row     = (root_row << 1) | RootW'(fits);
      radicand_row = radicand_row << 2;
    end
  end

  assign radicand_next = radicand_row;
  assign rest_next     = rest_row;
  assign root_next     = root_row;

endmodule
`default_nettype wire
