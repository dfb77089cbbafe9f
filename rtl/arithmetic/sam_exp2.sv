// mantissa * 2^(exponent - 34) = 2^z for z in units of 2^-31; 2^34 <= mantissa < 2^35.
// Stores one value a cut: row looked up | three steps of the cubic in six.
`default_nettype none
module sam_exp2 #(
  parameter int Stages = 6  // 0 or 6
) (
  input  logic               clk,
  input  logic signed [39:0] z,

  output logic signed [8:0]  exponent,
  output logic        [34:0] mantissa
);

  localparam int Cut = Stages == 0 ? 0 : 1;

  if (Stages != 0 && Stages != 6) begin : gen_bad_stages
    sam_exp2_stages_must_be_0_or_6 u_error ();
  end

  logic [110:0] row, row_2;
  logic [25:0]  t_2;

  sam_table_exp2 u_table (.index(z[30:26]), .row);

  sam_delay #(.Width(137), .Stages(Cut)) u_cut_2 (.clk, .d({row, z[25:0]}), .q({row_2, t_2}));
  sam_delay #(.Width(9), .Stages(6 * Cut)) u_side (.clk, .d(z[39:31]), .q(exponent));

  sam_cubic #(.Stages(5 * Cut)) u_cubic (.clk, .row(row_2), .t(t_2), .y(mantissa));

endmodule
`default_nettype wire
