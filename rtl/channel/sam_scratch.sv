// Holds the words of an accumulator by address.
// One cycle after an address is given, `old` is the word that it had, and if it came with `put`, `word` must be the
// one that is left there. Every cycle may give any address.
// Stores the words.
`default_nettype none
module sam_scratch #(
  parameter int Bits = 10  // of an address
) (
  input  logic            clk,
  input  logic            put,
  input  logic [Bits-1:0] addr,
  input  logic [31:0]     word,

  output logic [31:0]     old
);

  // The word that was read, or the one that was written while it was read.
  (* no_rw_check *)
  logic [31:0]     words [0:(1<<Bits)-1];
  logic [31:0]     read_q, written_q;
  logic [Bits-1:0] addr_q;
  logic            put_q, forward_q;

  assign old = forward_q ? written_q : read_q;

  always_ff @(posedge clk) begin
    put_q     <= put;
    addr_q    <= addr;
    written_q <= word;
    forward_q <= put_q && addr == addr_q;
  end

  always_ff @(posedge clk) begin
    read_q <= words[addr];
    if (put_q) words[addr_q] <= word;
  end

endmodule
`default_nettype wire
