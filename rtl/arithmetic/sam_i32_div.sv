// y = a / b in two's complement, truncated towards zero; a / 0 = -1 and INT_MIN / -1 = INT_MIN.
// A new pair may enter every cycle; its quotient follows Stages cycles later.
// Stores one value a cut: magnitudes | 16 times two rows of a restoring division | signed.
`default_nettype none
module sam_i32_div #(
  parameter int Stages = 17  // 0 or 17
) (
  input  logic        clk,
  input  logic [31:0] a,
  input  logic [31:0] b,

  output logic [31:0] y
);

  localparam int Cut   = Stages == 0 ? 0 : 1;
  localparam int Steps = Stages == 0 ? 1 : 16;  // 32 quotient digits
  localparam int StepW = 3 * 32;                // divisor, rest, digits

  if (Stages != 0 && Stages != 17) begin : gen_bad_stages
    sam_i32_div_stages_must_be_0_or_17 u_error ();
  end

  // 1: magnitudes. The quotient by zero comes out as all ones, and keeps that sign.
  logic        negative;
  logic [31:0] dividend, divisor;

  assign dividend = a[31] ? -a : a;
  assign divisor  = b[31] ? -b : b;
  assign negative = a[31] != b[31] && b != '0;

  // 2 to 17: digits of the quotient.
  logic                   negative_s;
  logic [63:0]            start;
  logic [Steps*StepW-1:0] step_in, step_out;

  sam_delay #(.Width(64), .Stages(Cut)) u_cut_2 (.clk, .d({divisor, dividend}), .q(start));

  for (genvar i = 0; i < Steps; i++) begin : gen_step
    logic [31:0] divisor_i, rest, rest_next, digits, digits_next;
    if (i == 0) begin : gen_first
      assign step_in[0 +: StepW] = {start[63:32], 32'd0, start[31:0]};
    end else begin : gen_next
      assign step_in[i*StepW +: StepW] = step_out[(i-1)*StepW +: StepW];
    end
    assign {divisor_i, rest, digits} = step_in[i*StepW +: StepW];
    sam_divide_rows #(.DivisorW(32), .DigitsW(32), .Rows(32 / Steps), .Beside(1)) u_rows (
      .divisor(divisor_i), .rest, .digits, .rest_next, .digits_next
    );
    sam_delay #(.Width(StepW), .Stages(Cut)) u_cut (
      .clk, .d({divisor_i, rest_next, digits_next}), .q(step_out[i*StepW +: StepW])
    );
  end

  sam_delay #(.Width(1), .Stages(17 * Cut)) u_side (.clk, .d(negative), .q(negative_s));

  // 18: the sign.
  logic [31:0] unused_divisor, unused_rest, quotient;

  assign {unused_divisor, unused_rest, quotient} = step_out[(Steps-1)*StepW +: StepW];

  assign y = negative_s ? -quotient : quotient;

endmodule
`default_nettype wire
