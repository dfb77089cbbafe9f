// Looks up where the fibers of a compressed level begin and end.
// Fires when there is a reference and both outputs have room; the segment array answers a cycle later, when the
// token's kind and stop level, which are stored, meet it.
`default_nettype none
module sam_segment #(
  parameter int W = 32  // bits of a coordinate, reference or value
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] ref_data,
  input  logic                        ref_valid,
  output logic                        ref_ready,

  output logic [31:0]                 seg_addr,
  input  logic [31:0]                 seg_data0,
  input  logic [31:0]                 seg_data1,

  output logic [sam_pkg::KindW+W-1:0] lo_data,
  output logic                        lo_valid,
  input  logic                        lo_ready,
  output logic [sam_pkg::KindW+W-1:0] hi_data,
  output logic                        hi_valid,
  input  logic                        hi_ready
);

  logic [sam_pkg::KindW-1:0]   kind;
  logic [W-1:0]                bits;
  logic [sam_pkg::KindW+W-1:0] token_d, token_q;  // except for the word that is read
  logic                        fire, read_d, read_q, unused_rst;

  assign {kind, bits} = ref_data;
  assign unused_rst = rst;

  assign fire     = ref_valid && lo_ready && hi_ready;
  assign seg_addr = 32'(bits);
  assign read_d   = kind == sam_pkg::KindVal;

  // An absent fiber is an empty one.
  assign token_d = kind == sam_pkg::KindEmpty ? {sam_pkg::KindVal, W'(0)} : ref_data;

  assign ref_ready = fire;
  assign lo_valid  = fire;
  assign lo_data   = read_q ? {sam_pkg::KindVal, W'(seg_data0)} : token_q;
  assign hi_valid  = fire;
  assign hi_data   = read_q ? {sam_pkg::KindVal, W'(seg_data1)} : token_q;

  always_ff @(posedge clk) begin
    token_q <= token_d;
    read_q  <= read_d;
  end

endmodule
`default_nettype wire
