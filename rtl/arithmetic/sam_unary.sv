// y = Op a on values of the given type; Op and Type are the names that programs use.
// A new operand may enter every cycle; the result follows Stages cycles later. Stages is 0 for a
// combinational unit, or one less than the latency of the operation.
`default_nettype none
module sam_unary #(
  parameter     Op     = "neg",  // neg, abs, relu; for f32 also sqrt, exp, log, rsqrt, reciprocal,
                                 // tanh, sigmoid, gelu
  parameter     Type   = "f32",  // f32, i32
  parameter int Stages = 0
) (
  input  logic        clk,
  input  logic [31:0] a,

  output logic [31:0] y
);

  // Strings compare without lint warnings at one width.
  localparam logic [79:0] Name     = 80'(Op);
  localparam logic [79:0] TypeName = 80'(Type);

  if (TypeName != "f32" && TypeName != "i32") begin : gen_bad_type
    sam_unary_type_must_be_f32_or_i32 u_error ();
  end

  if (Name == "neg" || Name == "abs" || Name == "relu") begin : gen_sign
    sam_sign #(.Op(Op), .Type(Type), .Stages(Stages)) u_sign (.clk, .a, .y);
  end else if (TypeName == "i32") begin : gen_bad_i32
    sam_unary_op_is_unknown_for_i32 u_error ();
  end else if (Name == "sqrt") begin : gen_sqrt
    sam_f32_sqrt #(.Stages(Stages)) u_sqrt (.clk, .a, .y);
  end else if (Name == "exp") begin : gen_exp
    sam_f32_exp #(.Stages(Stages)) u_exp (.clk, .a, .y);
  end else if (Name == "log") begin : gen_log
    sam_f32_log #(.Stages(Stages)) u_log (.clk, .a, .y);
  end else if (Name == "rsqrt") begin : gen_rsqrt
    sam_f32_rsqrt #(.Stages(Stages)) u_rsqrt (.clk, .a, .y);
  end else if (Name == "reciprocal") begin : gen_reciprocal
    sam_f32_reciprocal #(.Stages(Stages)) u_reciprocal (.clk, .a, .y);
  end else if (Name == "tanh") begin : gen_tanh
    sam_f32_tanh #(.Stages(Stages)) u_tanh (.clk, .a, .y);
  end else if (Name == "sigmoid") begin : gen_sigmoid
    sam_f32_sigmoid #(.Stages(Stages)) u_sigmoid (.clk, .a, .y);
  end else if (Name == "gelu") begin : gen_gelu
    sam_f32_gelu #(.Stages(Stages)) u_gelu (.clk, .a, .y);
  end else begin : gen_bad_op
    sam_unary_op_is_unknown u_error ();
  end

endmodule
`default_nettype wire
