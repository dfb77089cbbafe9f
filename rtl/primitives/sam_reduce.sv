// Reduces each innermost fiber to one value.
// Fires when there is a token, and for a stop or the end also room; stores the result so far and the number of
// values in it.
`default_nettype none
module sam_reduce #(
  parameter int W     = 32,        // bits of a coordinate, reference or value
  parameter     Op    = "sum",     // operation
  parameter     Type  = "f32",     // type of the values
  parameter     Empty = "empty",   // an empty fiber gives N ("empty"), or the "identity"
  parameter     Zeros = "ignored"  // a fiber with fewer than size elements also contains a zero if "counted"
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] in_data,
  input  logic                        in_valid,
  output logic                        in_ready,

  input  logic [31:0]                 size,

  output logic [sam_pkg::KindW+W-1:0] val_data,
  output logic                        val_valid,
  input  logic                        val_ready
);

  localparam logic TypeIsF32       = 64'(Type) == 64'("f32");
  localparam logic EmptyIsEmpty    = 64'(Empty) == 64'("empty");
  localparam logic ZerosAreCounted = 64'(Zeros) == 64'("counted");
  localparam BinaryOp = Op == "sum" ? "add" : Op;
  localparam logic [31:0] Least    = TypeIsF32 ? 32'hff800000 : 32'h80000000;
  localparam logic [31:0] Greatest = TypeIsF32 ? 32'h7f800000 : 32'h7fffffff;
  localparam logic [31:0] Identity = Op == "sum" ? 32'd0 : Op == "max" ? Least : Greatest;

  logic [sam_pkg::KindW-1:0]   kind;
  logic [W-1:0]                bits;
  logic [31:0]                 sum_d, sum_q, count_d, count_q, more;
  logic [sam_pkg::KindW+W-1:0] result;
  logic                        fire, is_val, is_element, is_end, add_zero;

  assign {kind, bits} = in_data;
  assign is_val     = kind == sam_pkg::KindVal;
  assign is_element = is_val || kind == sam_pkg::KindEmpty;
  assign is_end     = kind == sam_pkg::KindStop && bits == '0;

  // One operator serves the next value and, at the end, the zero that was not stored.
  sam_binary #(.Op(BinaryOp), .Type(Type), .Stages(0)) u_binary (
    .clk,
    .a(sum_q),
    .b(is_val ? 32'(bits) : '0),
    .y(more)
  );

  assign add_zero = ZerosAreCounted && count_q < size;
  assign result   = count_q != '0 ? {sam_pkg::KindVal, add_zero ? W'(more) : W'(sum_q)}
                                  : EmptyIsEmpty ? {sam_pkg::KindEmpty, W'(0)}
                                                 : {sam_pkg::KindVal, W'(Identity)};

  assign fire      = in_valid && (is_element || val_ready);
  assign in_ready  = fire;
  assign val_valid = fire && !is_element;
  assign val_data  = is_end ? result : {kind, bits - W'(kind == sam_pkg::KindStop)};

  assign count_d = !fire ? count_q : is_end ? '0 : count_q + 32'(is_val);
  assign sum_d   = !(fire && is_val) ? sum_q : count_q == '0 ? 32'(bits) : more;

  always_ff @(posedge clk) begin
    if (rst) count_q <= '0;
    else     count_q <= count_d;
  end

  always_ff @(posedge clk) sum_q <= sum_d;

endmodule
`default_nettype wire
