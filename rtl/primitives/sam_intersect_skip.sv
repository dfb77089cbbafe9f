// Keeps the coordinates that all operands have, and lets sam_scan_skip skip the others.
// Fires when all heads are there: operands that lag move alone, which needs room for their skips, else all move, which
// needs room everywhere, except that stops send no skip. Each coordinate that is taken is answered by one skip: the
// greatest of the heads if it lags, one more than itself after a match, S0 if another operand's fiber has ended.
// Stores nothing.
`default_nettype none
`include "sam_assert.svh"
module sam_intersect_skip #(
  parameter int W = 32,  // bits of a coordinate, reference or value
  parameter int N = 2    // operands
) (
  input  logic                            clk,
  input  logic                            rst,
  input  logic [N*(sam_pkg::KindW+W)-1:0] crd_in_data,
  input  logic [N-1:0]                    crd_in_valid,
  output logic [N-1:0]                    crd_in_ready,
  input  logic [N*(sam_pkg::KindW+W)-1:0] ref_in_data,
  input  logic [N-1:0]                    ref_in_valid,
  output logic [N-1:0]                    ref_in_ready,

  output logic [sam_pkg::KindW+W-1:0]     crd_data,
  output logic                            crd_valid,
  input  logic                            crd_ready,
  output logic [N*(sam_pkg::KindW+W)-1:0] ref_data,
  output logic [N-1:0]                    ref_valid,
  input  logic [N-1:0]                    ref_ready,
  output logic [N*(sam_pkg::KindW+W)-1:0] skip_data,
  output logic [N-1:0]                    skip_valid,
  input  logic [N-1:0]                    skip_ready
);

  localparam int TokenW = sam_pkg::KindW + W;

  logic [N-1:0] is_val, lags, moves;
  logic [W-1:0] target, after_first;
  logic         heads, lagging, answers, advance, emit;

  // A coordinate lags every stop, and every greater coordinate. What does not lag is the greatest.
  for (genvar i = 0; i < N; i++) begin : gen_operand
    logic [N-1:0] less;
    for (genvar j = 0; j < N; j++) begin : gen_other
      assign less[j] = crd_in_data[i*TokenW +: W] < crd_in_data[j*TokenW +: W];
    end
    assign is_val[i] = crd_in_data[i*TokenW+W +: sam_pkg::KindW] == sam_pkg::KindVal;
    assign lags[i]   = is_val[i] && (!(&is_val) || (|less));
    assign skip_data[i*TokenW +: TokenW] =
        !is_val[i]  ? crd_in_data[i*TokenW +: TokenW] :
        !(&is_val)  ? {sam_pkg::KindStop, W'(0)} : {sam_pkg::KindVal, target};
  end

  // If none lags, all are equal: the one after them is that of the first, and need not wait for the comparison.
  assign after_first = crd_in_data[W-1:0] + 1'b1;
  always_comb begin
    target = after_first;
    for (int i = 0; i < N; i++)
      if (lagging && !lags[i]) target = crd_in_data[i*TokenW +: W];
  end

  assign heads   = (&crd_in_valid) && (&ref_in_valid);
  assign lagging = lags != '0;
  assign advance = heads && lagging && (lags & ~skip_ready) == '0;
  assign answers = is_val[0] || crd_data[W +: sam_pkg::KindW] == sam_pkg::KindDone;
  assign emit    = heads && !lagging && crd_ready && (&ref_ready) && (!answers || (&skip_ready));
  assign moves   = emit ? '1 : advance ? lags : '0;

  assign crd_in_ready = moves;
  assign ref_in_ready = moves;
  assign crd_valid    = emit;
  assign crd_data     = crd_in_data[TokenW-1:0];
  assign ref_valid    = {N{emit}};
  assign ref_data     = ref_in_data;
  assign skip_valid   = emit && !answers ? '0 : moves;

  `SAM_ASSERT(misaligned, !heads || is_val != '0 ||
              (crd_in_data == {N{crd_data}} && ref_in_data == {N{crd_data}}))

endmodule
`default_nettype wire
