// y = -a, |a| or max(a, 0); Op and Type say which. Combinational: the operations take no stage.
// i32 wraps; an f32 result that is no number is the canonical NaN, and relu(-0) is +0.
`default_nettype none
module sam_sign #(
  parameter     Op     = "neg",  // neg, abs, relu
  parameter     Type   = "f32",  // f32, i32
  parameter int Stages = 0       // 0
) (
  input  logic        clk,
  input  logic [31:0] a,

  output logic [31:0] y
);

  localparam logic [79:0] Name = 80'(Op);
  localparam logic [79:0] TypeName = 80'(Type);

  if (Stages != 0) begin : gen_bad_stages
    sam_sign_stages_must_be_0 u_error ();
  end

  logic        unused_clk, nan;
  logic [31:0] negated, canonical;

  assign unused_clk = clk;

  if (TypeName == "i32") begin : gen_i32
    assign nan     = 1'b0;
    assign negated = -a;
  end else begin : gen_f32
    assign nan     = a[30:0] > {8'hff, 23'd0};
    assign negated = {!a[31], a[30:0]};
  end

  if (Name == "neg") begin : gen_neg
    assign canonical = negated;
  end else if (Name == "abs") begin : gen_abs
    assign canonical = a[31] ? negated : a;
  end else begin : gen_relu
    logic [31:0] unused_negated;
    assign unused_negated = negated;
    assign canonical      = a[31] ? 32'd0 : a;
  end

  assign y = nan ? 32'h7fc00000 : canonical;

endmodule
`default_nettype wire
