// y = the larger or the smaller of a and b, or 1.0 / 0.0 as they compare; Op says which.
// Combinational: the operations take no stage. NaN makes max and min NaN; of the comparisons it
// makes ne alone true. The zeros compare equal, but for max and min -0 lies below +0.
`default_nettype none
module sam_f32_compare #(
  parameter     Op     = "max",  // max, min, lt, le, eq, ne
  parameter int Stages = 0       // 0
) (
  input  logic        clk,
  input  logic [31:0] a,
  input  logic [31:0] b,

  output logic [31:0] y
);

  localparam logic [79:0] Name = 80'(Op);

  if (Stages != 0) begin : gen_bad_stages
    sam_f32_compare_stages_must_be_0 u_error ();
  end

  logic unused_clk, unused_order, nan, zeros, equal, less;

  assign unused_clk = clk;

  assign nan   = a[30:0] > {8'hff, 23'd0} || b[30:0] > {8'hff, 23'd0};
  assign zeros = a[30:0] == '0 && b[30:0] == '0;
  assign equal = a == b;

  // -0 below +0; the magnitudes of negative numbers order in reverse.
  assign less = a[31] != b[31] ? a[31] : (a[30:0] < b[30:0]) != a[31] && !equal;

  assign unused_order = zeros || less;

  if (Name == "max") begin : gen_max
    assign y = nan ? 32'h7fc00000 : less ? b : a;
  end else if (Name == "min") begin : gen_min
    assign y = nan ? 32'h7fc00000 : less ? a : b;
  end else begin : gen_compare
    logic holds;
    if (Name == "lt") begin : gen_lt
      assign holds = !nan && less && !zeros;
    end else if (Name == "le") begin : gen_le
      assign holds = !nan && (less || equal || zeros);
    end else if (Name == "eq") begin : gen_eq
      assign holds = !nan && (equal || zeros);
    end else if (Name == "ne") begin : gen_ne
      assign holds = nan || !(equal || zeros);
    end else begin : gen_bad_op
      sam_f32_compare_op_is_unknown u_error ();
    end
    assign y = holds ? 32'h3f800000 : 32'd0;
  end

endmodule
`default_nettype wire
