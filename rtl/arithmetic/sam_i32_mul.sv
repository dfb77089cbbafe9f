// y = a * b in two's complement, wrapping.
// A new pair may enter every cycle; its product follows Stages cycles later.
// Stores the operands, so that the multiplier has a cycle for itself.
`default_nettype none
module sam_i32_mul #(
  parameter int Stages = 1  // 0 or 1
) (
  input  logic        clk,
  input  logic [31:0] a,
  input  logic [31:0] b,

  output logic [31:0] y
);

  if (Stages != 0 && Stages != 1) begin : gen_bad_stages
    sam_i32_mul_stages_must_be_0_or_1 u_error ();
  end

  logic [31:0] a_2, b_2;

  sam_delay #(.Width(64), .Stages(Stages)) u_cut_2 (.clk, .d({a, b}), .q({a_2, b_2}));

  assign y = a_2 * b_2;

endmodule
`default_nettype wire
