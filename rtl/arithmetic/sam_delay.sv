// Delays a bundle of wires by a fixed number of clock cycles, none included.
// Stores Stages values; they need no reset, because validity travels elsewhere.
`default_nettype none
module sam_delay #(
  parameter int Width  = 1,
  parameter int Stages = 1
) (
  input  logic             clk,
  input  logic [Width-1:0] d,

  output logic [Width-1:0] q
);

  if (Stages == 0) begin : gen_wire
    logic unused_clk;
    assign unused_clk = clk;
    assign q = d;
  end else if (Stages == 1) begin : gen_register
    logic [Width-1:0] value_q;
    always_ff @(posedge clk) value_q <= d;
    assign q = value_q;
  end else begin : gen_line
    logic [Stages*Width-1:0] line_q;
    always_ff @(posedge clk) line_q <= {line_q[(Stages-1)*Width-1:0], d};
    assign q = line_q[Stages*Width-1 -: Width];
  end

endmodule
`default_nettype wire
