// y = a Op b in two's complement for the operations that take no stage. Combinational.
// Sums wrap; comparisons give 1 or 0.
`default_nettype none
module sam_i32_simple #(
  parameter     Op     = "add",  // add, sub, max, min, lt, le, eq, ne
  parameter int Stages = 0       // 0
) (
  input  logic        clk,
  input  logic [31:0] a,
  input  logic [31:0] b,

  output logic [31:0] y
);

  localparam logic [79:0] Name = 80'(Op);

  if (Stages != 0) begin : gen_bad_stages
    sam_i32_simple_stages_must_be_0 u_error ();
  end

  logic unused_clk, less, equal, unused_order;

  assign unused_clk   = clk;
  assign less         = $signed(a) < $signed(b);
  assign equal        = a == b;
  assign unused_order = less || equal;

  if (Name == "add") begin : gen_add
    assign y = a + b;
  end else if (Name == "sub") begin : gen_sub
    assign y = a - b;
  end else if (Name == "max") begin : gen_max
    assign y = less ? b : a;
  end else if (Name == "min") begin : gen_min
    assign y = less ? a : b;
  end else if (Name == "lt") begin : gen_lt
    assign y = {31'd0, less};
  end else if (Name == "le") begin : gen_le
    assign y = {31'd0, less || equal};
  end else if (Name == "eq") begin : gen_eq
    assign y = {31'd0, equal};
  end else if (Name == "ne") begin : gen_ne
    assign y = {31'd0, !equal};
  end else begin : gen_bad_op
    sam_i32_simple_op_is_unknown u_error ();
  end

endmodule
`default_nettype wire
