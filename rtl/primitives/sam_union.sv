// Merges the coordinates of all operands.
// Fires when all heads are there and all outputs have room: the operands with the least coordinate move, or all
// at a stop. Stores nothing.
`default_nettype none
`include "sam_assert.svh"
module sam_union #(
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

  logic [N-1:0] is_val, takes;
  logic         heads, fire;

  // An operand takes part if no other one has a lesser coordinate; a coordinate comes before every stop.
  for (genvar i = 0; i < N; i++) begin : gen_operand
    logic [N-1:0] lesser;
    for (genvar j = 0; j < N; j++) begin : gen_other
      assign lesser[j] = is_val[j] && crd_in_data[j*TokenW +: W] < crd_in_data[i*TokenW +: W];
    end
    assign is_val[i] = crd_in_data[i*TokenW+W +: sam_pkg::KindW] == sam_pkg::KindVal;
    assign takes[i]  = is_val[i] ? lesser == '0 : is_val == '0;
    assign ref_data[i*TokenW +: TokenW] = takes[i] ? ref_in_data[i*TokenW +: TokenW]
                                                   : {sam_pkg::KindEmpty, W'(0)};
  end

  // Those that take part have the same token.
  always_comb begin
    crd_data = '0;
    for (int i = 0; i < N; i++) begin
      if (takes[i]) crd_data = crd_data | crd_in_data[i*TokenW +: TokenW];
    end
  end

  assign heads = (&crd_in_valid) && (&ref_in_valid);
  assign fire  = heads && crd_ready && (&ref_ready);

  assign crd_in_ready = fire ? takes : '0;
  assign ref_in_ready = fire ? takes : '0;
  assign crd_valid    = fire;
  assign ref_valid    = {N{fire}};

  `SAM_ASSERT(misaligned, !heads || is_val != '0 ||
              (crd_in_data == {N{crd_data}} && ref_in_data == {N{crd_data}}))

endmodule
`default_nettype wire
