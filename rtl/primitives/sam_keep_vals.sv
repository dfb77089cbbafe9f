// Stores values one after the other, N as zero, and tells each row that is complete.
// Fires on every token, if there is room for what it tells; stores the numbers of values and rows so far, and the
// number of values of the last run.
`default_nettype none
module sam_keep_vals #(
  parameter int W     = 32,  // bits of a coordinate, reference or value
  parameter int Depth = 1    // a row is this many fibers deep; 0: a value
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] val_data,
  input  logic                        val_valid,
  output logic                        val_ready,

  output logic                        vals_we,
  output logic [31:0]                 vals_addr,
  output logic [31:0]                 vals_data,

  output logic [sam_pkg::KindW+W-1:0] row_data,
  output logic                        row_valid,
  input  logic                        row_ready,

  output logic [31:0]                 count
);

  localparam logic         Fibers = Depth > 0;
  localparam logic [W-1:0] Outer  = W'(Depth);                    // the stop that ends the rows
  localparam logic [W-1:0] End    = Depth > 0 ? W'(Depth - 1) : '0;  // the stop that ends a row

  logic [sam_pkg::KindW-1:0] kind;
  logic [W-1:0]              bits, rows_d, rows_q;
  logic [31:0]               count_d, count_q;
  logic                      take, is_val, is_stop, is_done, element, row_end, outer;

  assign {kind, bits} = val_data;
  assign is_val  = kind == sam_pkg::KindVal;
  assign is_stop = kind == sam_pkg::KindStop;
  assign is_done = kind == sam_pkg::KindDone;
  assign element = is_val || kind == sam_pkg::KindEmpty;
  assign row_end = Fibers ? is_stop && bits == End : element;
  assign outer   = is_done || (is_stop && (bits == Outer || bits > End));

  assign take      = val_valid && (!(row_end || outer) || row_ready);
  assign val_ready = take;
  assign row_valid = take && (row_end || outer);
  assign row_data  = row_end ? {sam_pkg::KindVal, rows_q} : {kind, is_stop ? bits - Outer : bits};

  assign vals_we   = take && element;
  assign vals_addr = count_q;
  assign vals_data = is_val ? 32'(bits) : '0;

  assign count_d = take && is_done ? '0 : count_q + 32'(vals_we);
  assign rows_d  = take && is_done ? '0 : rows_q + W'(take && row_end);

  always_ff @(posedge clk) begin
    if (rst) begin
      count_q <= '0;
      rows_q  <= '0;
      count   <= '0;
    end else begin
      count_q <= count_d;
      rows_q  <= rows_d;
      if (take && is_done) count <= count_q;
    end
  end

endmodule
`default_nettype wire
