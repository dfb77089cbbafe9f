// Stores a compressed level.
// Fires on every token; stores the numbers of fibers and coordinates so far, and those of the last run.
`default_nettype none
module sam_write_compressed #(
  parameter int W = 32  // bits of a coordinate, reference or value
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] crd_data,
  input  logic                        crd_valid,
  output logic                        crd_ready,

  output logic                        seg_we,
  output logic [31:0]                 seg_addr,
  output logic [31:0]                 seg_data,
  output logic                        crds_we,
  output logic [31:0]                 crds_addr,
  output logic [31:0]                 crds_data,

  output logic [31:0]                 fibers,
  output logic [31:0]                 count,
  output logic                        finish
);

  logic [sam_pkg::KindW-1:0] kind;
  logic [W-1:0]              bits;
  logic [31:0]               fibers_d, fibers_q, fibers_next, count_d, count_q;
  logic                      element, fiber_end;

  assign {kind, bits} = crd_data;
  assign element   = crd_valid && (kind == sam_pkg::KindVal || kind == sam_pkg::KindEmpty);
  assign fiber_end = crd_valid && kind == sam_pkg::KindStop && bits == '0;
  assign finish    = crd_valid && kind == sam_pkg::KindDone;
  assign crd_ready = crd_valid;

  assign crds_we   = element;
  assign crds_addr = count_q;
  assign crds_data = 32'(bits);

  // The first entry, which is 0, comes last.
  assign fibers_next = fibers_q + 32'd1;
  assign seg_we      = fiber_end || finish;
  assign seg_addr    = finish ? '0 : fibers_next;
  assign seg_data    = finish ? '0 : count_q;

  assign fibers_d = finish ? '0 : fiber_end ? fibers_next : fibers_q;
  assign count_d  = finish ? '0 : count_q + 32'(element);

  always_ff @(posedge clk) begin
    if (rst) begin
      fibers_q <= '0;
      count_q  <= '0;
      fibers   <= '0;
      count    <= '0;
    end else begin
      fibers_q <= fibers_d;
      count_q  <= count_d;
      if (finish) begin
        fibers <= fibers_q;
        count  <= count_q;
      end
    end
  end

endmodule
`default_nettype wire
