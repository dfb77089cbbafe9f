// A memory that the host fills and one block reads: the word of an address is there one cycle later.
// Words outside of it read as 0 and are not written.
`default_nettype none
module sam_memory #(
  parameter int Depth = 1024  // words, at least 1
) (
  input  logic        clk,
  input  logic        rst,
  input  logic        load_we,
  input  logic [31:0] load_addr,
  input  logic [31:0] load_data,
  input  logic [31:0] addr,

  output logic [31:0] data
);

  localparam int IndexW = Depth > 1 ? $clog2(Depth) : 1;

  if (Depth < 1) begin : gen_bad_depth
    sam_memory_depth_must_be_positive u_error ();
  end

  (* no_rw_check *)  // nobody reads a word in the cycle in which it is written
  logic [31:0] words [0:Depth-1];

  logic [31:0] word_q;
  logic        inside_q;

  assign data = inside_q ? word_q : '0;

  always_ff @(posedge clk) begin
    if (rst) inside_q <= 1'b0;
    else     inside_q <= addr < 32'(Depth);
  end

  always_ff @(posedge clk) begin
    if (load_we && load_addr < 32'(Depth)) words[load_addr[IndexW-1:0]] <= load_data;
  end

  always_ff @(posedge clk) word_q <= words[addr[IndexW-1:0]];

endmodule
`default_nettype wire
