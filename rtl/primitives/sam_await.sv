// Holds a reference back until the row it names is complete.
// Fires when there is a reference, and if its row is not complete yet or it is the last token, when there is a row;
// passes the reference on when it is complete and there is room. Stores the number of complete rows.
`default_nettype none
`include "sam_assert.svh"
module sam_await #(
  parameter int W = 32  // bits of a coordinate, reference or value
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] ref_data,
  input  logic                        ref_valid,
  output logic                        ref_ready,
  input  logic [sam_pkg::KindW+W-1:0] row_data,
  input  logic                        row_valid,
  output logic                        row_ready,

  output logic [sam_pkg::KindW+W-1:0] out_data,
  output logic                        out_valid,
  input  logic                        out_ready
);

  logic [sam_pkg::KindW-1:0] ref_kind, row_kind;
  logic [W-1:0]              ref_bits, rows_next, rows_d, rows_q;
  logic                      is_val, is_done, waits, known, passes, fire;

  assign {ref_kind, ref_bits} = ref_data;
  assign row_kind = row_data[sam_pkg::KindW+W-1:W];
  assign is_val   = ref_kind == sam_pkg::KindVal;
  assign is_done  = ref_kind == sam_pkg::KindDone;

  assign waits  = is_done || (is_val && ref_bits >= rows_q);
  assign known  = ref_valid && (!waits || row_valid);
  assign passes = !waits || (is_done ? row_kind == sam_pkg::KindDone : ref_bits == rows_q);
  assign fire   = known && (!passes || out_ready);

  assign ref_ready = fire && passes;
  assign row_ready = fire && waits;
  assign out_valid = fire && passes;
  assign out_data  = ref_data;

  // The sum does not wait for the comparison.
  assign rows_next = rows_q + 1'b1;
  assign rows_d    = ref_ready && is_done ? '0 : row_ready ? rows_next : rows_q;

  always_ff @(posedge clk) begin
    if (rst) rows_q <= '0;
    else     rows_q <= rows_d;
  end

  logic unused_row;
  assign unused_row = |row_data[W-1:0];

  `SAM_ASSERT(out_of_range, !(fire && waits && is_val) || row_kind == sam_pkg::KindVal)

endmodule
`default_nettype wire
