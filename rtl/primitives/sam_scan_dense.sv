// Enumerates the fibers of a dense level: coordinates 0 .. size-1 of each reference, and their positions.
// Fires when there is a reference and both outputs have room; stores the next coordinate.
`default_nettype none
module sam_scan_dense #(
  parameter int W = 32  // bits of a coordinate, reference or value
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] ref_data,
  input  logic                        ref_valid,
  output logic                        ref_ready,

  input  logic [31:0]                 size,

  output logic [sam_pkg::KindW+W-1:0] crd_data,
  output logic                        crd_valid,
  input  logic                        crd_ready,
  output logic [sam_pkg::KindW+W-1:0] pos_data,
  output logic                        pos_valid,
  input  logic                        pos_ready
);

  logic [sam_pkg::KindW-1:0]   kind;
  logic [W-1:0]                bits, next_d, next_q;
  logic [sam_pkg::KindW+W-1:0] fiber_end;
  logic                        fire, more, is_element;

  assign {kind, bits} = ref_data;
  assign is_element = kind == sam_pkg::KindVal || kind == sam_pkg::KindEmpty;

  assign fire = ref_valid && crd_ready && pos_ready;
  assign more = kind == sam_pkg::KindVal && next_q < W'(size);

  // The fiber's own stop; an absent fiber is an empty one.
  assign fiber_end = is_element ? {sam_pkg::KindStop, W'(0)}
                                : {kind, bits + W'(kind == sam_pkg::KindStop)};

  assign ref_ready = fire && !more;
  assign crd_valid = fire;
  assign crd_data  = more ? {sam_pkg::KindVal, next_q} : fiber_end;
  assign pos_valid = fire;
  assign pos_data  = more ? {sam_pkg::KindVal, bits * W'(size) + next_q} : fiber_end;

  assign next_d = !fire ? next_q : more ? next_q + 1'b1 : '0;

  always_ff @(posedge clk) begin
    if (rst) next_q <= '0;
    else     next_q <= next_d;
  end

endmodule
`default_nettype wire
