// y = a * b in two's complement, wrapping.
// A new pair may enter every cycle; its product follows Stages cycles later.
// Stores the products of a with each byte of b, which are then added.
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

  logic [31:0] part_0, part_0_2;
  logic [23:0] part_1, part_1_2;
  logic [15:0] part_2, part_2_2;
  logic [7:0]  part_3, part_3_2;

  assign part_0 = a * {24'd0, b[7:0]};
  assign part_1 = a[23:0] * {16'd0, b[15:8]};
  assign part_2 = a[15:0] * {8'd0, b[23:16]};
  assign part_3 = a[7:0] * b[31:24];

  sam_delay #(.Width(80), .Stages(Stages)) u_cut_2 (
    .clk, .d({part_0, part_1, part_2, part_3}), .q({part_0_2, part_1_2, part_2_2, part_3_2})
  );

  assign y = part_0_2 + {part_1_2, 8'd0} + {part_2_2, 16'd0} + {part_3_2, 24'd0};

endmodule
`default_nettype wire
