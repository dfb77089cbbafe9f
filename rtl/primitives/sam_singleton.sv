// Makes a fiber of each coordinate: the rows of an identity matrix.
// Fires when there is a token and room; stores whether the coordinate at the head has been emitted.
`default_nettype none
module sam_singleton #(
  parameter int W = 32  // bits of a coordinate, reference or value
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] in_data,
  input  logic                        in_valid,
  output logic                        in_ready,

  output logic [sam_pkg::KindW+W-1:0] crd_data,
  output logic                        crd_valid,
  input  logic                        crd_ready
);

  logic [sam_pkg::KindW-1:0]   kind;
  logic [W-1:0]                bits;
  logic [sam_pkg::KindW+W-1:0] fiber_end;
  logic                        fire, is_element, opens, inside_d, inside_q;

  assign {kind, bits} = in_data;
  assign is_element = kind == sam_pkg::KindVal || kind == sam_pkg::KindEmpty;

  assign fire  = in_valid && crd_ready;
  assign opens = kind == sam_pkg::KindVal && !inside_q;  // N gives an empty fiber

  // The fiber's own stop, or the one that is a level further out.
  assign fiber_end = is_element ? {sam_pkg::KindStop, W'(0)}
                                : {kind, bits + W'(kind == sam_pkg::KindStop)};

  assign in_ready  = fire && !opens;
  assign crd_valid = fire;
  assign crd_data  = opens ? in_data : fiber_end;

  assign inside_d = fire ? opens : inside_q;

  always_ff @(posedge clk) begin
    if (rst) inside_q <= 1'b0;
    else     inside_q <= inside_d;
  end

endmodule
`default_nettype wire
