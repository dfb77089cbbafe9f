// Stores values one after the other, N as zero.
// Fires on every token; stores the number of values so far, and that of the last run.
`default_nettype none
module sam_write_vals #(
  parameter int W = 32  // bits of a coordinate, reference or value
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] val_data,
  input  logic                        val_valid,
  output logic                        val_ready,

  output logic                        vals_we,
  output logic [31:0]                 vals_addr,
  output logic [31:0]                 vals_data,

  output logic [31:0]                 count,
  output logic                        finish
);

  logic [sam_pkg::KindW-1:0] kind;
  logic [W-1:0]              bits;
  logic [31:0]               count_d, count_q;
  logic                      is_val;

  assign {kind, bits} = val_data;
  assign is_val    = kind == sam_pkg::KindVal;
  assign finish    = val_valid && kind == sam_pkg::KindDone;
  assign val_ready = val_valid;

  assign vals_we   = val_valid && (is_val || kind == sam_pkg::KindEmpty);
  assign vals_addr = count_q;
  assign vals_data = is_val ? 32'(bits) : '0;

  assign count_d = finish ? '0 : count_q + 32'(vals_we);

  always_ff @(posedge clk) begin
    if (rst) begin
      count_q <= '0;
      count   <= '0;
    end else begin
      count_q <= count_d;
      if (finish) count <= count_q;
    end
  end

endmodule
`default_nettype wire
