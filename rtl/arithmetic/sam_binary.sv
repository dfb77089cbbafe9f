// y = a Op b on values of the given type; Op and Type are the names that programs use.
// A new pair may enter every cycle; the result follows Stages cycles later. Stages is 0 for a
// combinational unit, or one less than the latency of the operation.
`default_nettype none
module sam_binary #(
  parameter     Op     = "add",  // add, sub, mul, div, max, min, lt, le, eq, ne
  parameter     Type   = "f32",  // f32, i32
  parameter int Stages = 0
) (
  input  logic        clk,
  input  logic [31:0] a,
  input  logic [31:0] b,

  output logic [31:0] y
);

  // Strings compare without lint warnings at one width.
  localparam logic [79:0] Name     = 80'(Op);
  localparam logic [79:0] TypeName = 80'(Type);

  if (TypeName == "f32") begin : gen_f32
    if (Name == "add") begin : gen_add
      sam_f32_add #(.Stages(Stages)) u_add (.clk, .a, .b, .y);
    end else if (Name == "sub") begin : gen_sub
      sam_f32_add #(.Stages(Stages)) u_add (.clk, .a, .b({!b[31], b[30:0]}), .y);
    end else if (Name == "mul") begin : gen_mul
      sam_f32_mul #(.Stages(Stages)) u_mul (.clk, .a, .b, .y);
    end else if (Name == "div") begin : gen_div
      sam_f32_div #(.Stages(Stages)) u_div (.clk, .a, .b, .y);
    end else begin : gen_compare
      sam_f32_compare #(.Op(Op), .Stages(Stages)) u_compare (.clk, .a, .b, .y);
    end
  end else if (TypeName == "i32") begin : gen_i32
    if (Name == "mul") begin : gen_mul
      sam_i32_mul #(.Stages(Stages)) u_mul (.clk, .a, .b, .y);
    end else if (Name == "div") begin : gen_div
      sam_i32_div #(.Stages(Stages)) u_div (.clk, .a, .b, .y);
    end else begin : gen_simple
      sam_i32_simple #(.Op(Op), .Stages(Stages)) u_simple (.clk, .a, .b, .y);
    end
  end else begin : gen_bad_type
    sam_binary_type_must_be_f32_or_i32 u_error ();
  end

endmodule
`default_nettype wire
