// Joins the fibers of one level: takes out their stops.
// Fires when there is a token, and room unless it is a stop that goes; stores nothing.
`default_nettype none
module sam_flatten #(
  parameter int W     = 32,  // bits of a coordinate, reference or value
  parameter int Level = 0    // level of the stops that go
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] in_data,
  input  logic                        in_valid,
  output logic                        in_ready,

  output logic [sam_pkg::KindW+W-1:0] out_data,
  output logic                        out_valid,
  input  logic                        out_ready
);

  localparam logic [W-1:0] Gone = W'(Level);

  logic [sam_pkg::KindW-1:0] kind;
  logic [W-1:0]              bits;
  logic                      is_stop, goes, pass, unused_clock;

  assign {kind, bits} = in_data;
  assign is_stop = kind == sam_pkg::KindStop;
  assign goes    = is_stop && bits == Gone;
  assign pass    = in_valid && !goes && out_ready;

  assign in_ready  = pass || (in_valid && goes);
  assign out_valid = pass;
  assign out_data  = {kind, bits - W'(is_stop && bits > Gone)};

  assign unused_clock = clk || rst;

endmodule
`default_nettype wire
