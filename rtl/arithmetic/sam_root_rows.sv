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
  logic [1:0]         digits;
  logic               fits;

  always_comb begin
    radicand_row = radicand;
    rest_row     = rest;
    root_row     = root;
    brought      = '0;
    trial        = '0;
    digits       = '0;
    fits         = 1'b0;
    for (int i = 0; i < Rows; i++) begin
      digits       = 2'(radicand_row >> (2 * RootW - 2));
      brought      = {rest_row, digits};
      trial        = {1'b0, root_row, 2'b01};
      fits         = brought >= trial;
      rest_row     = (RootW + 1)'(fits ? brought - trial : brought);
      root_row     = (root_row << 1) | RootW'(fits);
      radicand_row = radicand_row << 2;
    end
  end

  assign radicand_next = radicand_row;
  assign rest_next     = rest_row;
  assign root_next     = root_row;

endmodule
`default_nettype wire
