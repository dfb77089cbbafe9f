// Keeps the coordinates that all operands have.
// Fires when all heads are there: operands that lag move alone, else all move, which needs room everywhere.
// Stores nothing.
`default_nettype none
`include "sam_assert.svh"
module sam_intersect #(
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
  input  logic [N-1:0]                    ref_ready
);

  localparam int TokenW = sam_pkg::KindW + W;

  logic [N-1:0] is_val, lags, moves;
  logic         heads, emit;

  // A coordinate lags every stop, and every greater coordinate.
  for (genvar i = 0; i < N; i++) begin : gen_operand
    logic [N-1:0] less;
    for (genvar j = 0; j < N; j++) begin : gen_other
      assign less[j] = crd_in_data[i*TokenW +: W] < crd_in_data[j*TokenW +: W];
    end
    assign is_val[i] = crd_in_data[i*TokenW+W +: sam_pkg::KindW] == sam_pkg::KindVal;
    assign lags[i]   = is_val[i] && (!(&is_val) || (|less));
  end

  assign heads = (&crd_in_valid) && (&ref_in_valid);
  assign emit  = heads && lags == '0 && crd_ready && (&ref_ready);
  assign moves = emit ? '1 : heads ? lags : '0;

  assign crd_in_ready = moves;
  assign ref_in_ready = moves;
  assign crd_valid    = emit;
  assign crd_data     = crd_in_data[TokenW-1:0];
  assign ref_valid    = {N{emit}};
  assign ref_data     = ref_in_data;

  `SAM_ASSERT(misaligned, !heads || is_val != '0 ||
              (crd_in_data == {N{crd_data}} && ref_in_data == {N{crd_data}}))

endmodule
`default_nettype wire
