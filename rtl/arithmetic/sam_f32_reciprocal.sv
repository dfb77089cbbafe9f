// y = 1 / a in IEEE-754 binary32, rounded to nearest even, with subnormals.
// A new operand may enter every cycle; its result follows Stages cycles later. Stores what the
// divider stores.
`default_nettype none
module sam_f32_reciprocal #(
  parameter int Stages = 17  // 0 or 17
) (
  input  logic        clk,
  input  logic [31:0] a,

  output logic [31:0] y
);

  sam_f32_div #(.Stages(Stages)) u_div (.clk, .a(32'h3f800000), .b(a), .y);

endmodule
`default_nettype wire
