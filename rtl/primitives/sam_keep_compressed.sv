// Stores a compressed level and tells each row that is complete.
// Fires once at the start, to store the first entry of the segment array; then on every token, if there is room for
// what it tells. Stores the numbers of fibers, coordinates and rows so far, and the first two of the last run.
`default_nettype none
module sam_keep_compressed #(
  parameter int W     = 32,  // bits of a coordinate, reference or value
  parameter int Depth = 1    // a row is this many fibers deep
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

  output logic [sam_pkg::KindW+W-1:0] row_data,
  output logic                        row_valid,
  input  logic                        row_ready,

  output logic [31:0]                 fibers,
  output logic [31:0]                 count
);

  localparam logic [W-1:0] End = W'(Depth - 1);  // the stop that ends a row

  logic [sam_pkg::KindW-1:0] kind;
  logic [W-1:0]              bits, rows_d, rows_q;
  logic [31:0]               fibers_d, fibers_q, count_d, count_q;
  logic                      started_d, started_q, first, take, is_stop, is_done, element, fiber_end, row_end, outer;

  assign {kind, bits} = crd_data;
  assign is_stop   = kind == sam_pkg::KindStop;
  assign is_done   = kind == sam_pkg::KindDone;
  assign element   = kind == sam_pkg::KindVal || kind == sam_pkg::KindEmpty;
  assign fiber_end = is_stop && bits == '0;
  assign row_end   = is_stop && bits == End;
  assign outer     = is_done || (is_stop && bits > End);

  assign first     = crd_valid && !started_q;
  assign row_valid = crd_valid && started_q && (row_end || outer) && row_ready;
  assign take      = crd_valid && started_q && (!(row_end || outer) || row_ready);
  assign crd_ready = take;
  assign row_data  = row_end ? {sam_pkg::KindVal, rows_q} : {kind, is_stop ? bits - W'(Depth) : bits};

  assign crds_we   = take && element;
  assign crds_addr = count_q;
  assign crds_data = 32'(bits);
  assign seg_we    = first || (take && fiber_end);
  assign seg_addr  = first ? '0 : fibers_d;
  assign seg_data  = first ? '0 : count_q;

  assign started_d = (started_q || first) && !(take && is_done);
  assign fibers_d  = take && is_done ? '0 : fibers_q + 32'(take && fiber_end);
  assign count_d   = take && is_done ? '0 : count_q + 32'(take && element);
  assign rows_d    = take && is_done ? '0 : rows_q + W'(take && row_end);

  always_ff @(posedge clk) begin
    if (rst) begin
      started_q <= 1'b0;
      fibers_q  <= '0;
      count_q   <= '0;
      rows_q    <= '0;
      fibers    <= '0;
      count     <= '0;
    end else begin
      started_q <= started_d;
      fibers_q  <= fibers_d;
      count_q   <= count_d;
      rows_q    <= rows_d;
      if (take && is_done) begin
        fibers <= fibers_q;
        count  <= count_q;
      end
    end
  end

endmodule
`default_nettype wire
