// A memory that one block writes and the host reads: the word of an address is there one cycle later.
// A write outside of it is dropped and reported in the same cycle; a read outside of it gives 0.
`default_nettype none
module sam_memory_out #(
  parameter int Depth = 1024  // words, at least 1
) (
  input  logic        clk,
  input  logic        rst,
  input  logic        we,
  input  logic [31:0] addr,
  input  logic [31:0] data,
  input  logic [31:0] read_addr,

  output logic [31:0] read_data,
  output logic        overflow
);

  assign overflow = we && addr >= 32'(Depth);

  sam_memory #(.Depth(Depth)) u_memory (
    .clk,
    .rst,
    .load_we(we),
    .load_addr(addr),
    .load_data(data),
    .addr(read_addr),
    .data(read_data)
  );

endmodule
`default_nettype wire
