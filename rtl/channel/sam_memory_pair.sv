// A memory that the host fills and one block reads in pairs: the words of an address and of the one after it
// are there one cycle later. Words outside of it read as 0 and are not written.
// Even and odd words are stored apart, so that each part has one read port and one write port.
`default_nettype none
module sam_memory_pair #(
  parameter int Depth = 1024  // words, at least 1
) (
  input  logic        clk,
  input  logic        rst,
  input  logic        load_we,
  input  logic [31:0] load_addr,
  input  logic [31:0] load_data,
  input  logic [31:0] addr,

  output logic [31:0] data0,
  output logic [31:0] data1
);

  logic [31:0] even_index, odd_index, even_data, odd_data;
  logic        odd_q;

  // A pair that begins in the odd part has its even word one further.
  assign odd_index  = {1'b0, addr[31:1]};
  assign even_index = odd_index + 32'(addr[0]);

  sam_memory #(.Depth((Depth + 1) / 2)) u_even (
    .clk,
    .rst,
    .load_we(load_we && !load_addr[0]),
    .load_addr({1'b0, load_addr[31:1]}),
    .load_data,
    .addr(even_index),
    .data(even_data)
  );

  if (Depth > 1) begin : gen_odd
    sam_memory #(.Depth(Depth / 2)) u_odd (
      .clk,
      .rst,
      .load_we(load_we && load_addr[0]),
      .load_addr({1'b0, load_addr[31:1]}),
      .load_data,
      .addr(odd_index),
      .data(odd_data)
    );
  end else begin : gen_no_odd
    assign odd_data = '0;
    logic unused_index;
    assign unused_index = &odd_index;
  end

  always_ff @(posedge clk) odd_q <= addr[0];

  assign data0 = odd_q ? odd_data : even_data;
  assign data1 = odd_q ? even_data : odd_data;

endmodule
`default_nettype wire
