// Reduces each innermost fiber to one value.
// Fires when there is a token, and for a stop or the end also room; stores the result so far, the number of values
// in it, and for a sum of f32 (sam_f32_sum) what is in its pipeline and the tokens beside it.
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
  localparam logic IsWide          = TypeIsF32 && 64'(Op) == 64'("sum");
  localparam int   Stages          = IsWide ? 8 : 0;
  localparam BinaryOp = Op == "sum" ? "add" : Op;
  localparam logic [31:0] Least    = TypeIsF32 ? 32'hff800000 : 32'h80000000;
  localparam logic [31:0] Greatest = TypeIsF32 ? 32'h7f800000 : 32'h7fffffff;
  localparam logic [31:0] Identity = Op == "sum" ? 32'd0 : Op == "max" ? Least : Greatest;

  logic [sam_pkg::KindW-1:0]   kind;
  logic [W-1:0]                bits;
  logic [31:0]                 count_d, count_q, result;
  logic [sam_pkg::KindW+W-1:0] token, token_late;  // but for the result
  logic                        fire, is_val, is_element, is_end, is_first, has_result, has_result_late, add_zero;

  assign {kind, bits} = in_data;
  assign is_val     = kind == sam_pkg::KindVal;
  assign is_element = is_val || kind == sam_pkg::KindEmpty;
  assign is_end     = kind == sam_pkg::KindStop && bits == '0;

  assign is_first   = count_q == '0;
  assign has_result = is_end && !is_first;
  assign add_zero   = ZerosAreCounted && count_q < size;
  assign token      = !is_end ? {kind, bits - W'(kind == sam_pkg::KindStop)}
                    : EmptyIsEmpty ? {sam_pkg::KindEmpty, W'(0)} : {sam_pkg::KindVal, W'(Identity)};

  assign fire      = in_valid && (is_element || val_ready);
  assign in_ready  = fire;
  assign val_valid = fire && !is_element;
  assign val_data  = has_result_late ? {sam_pkg::KindVal, W'(result)} : token_late;

  sam_delay #(.Width(1 + sam_pkg::KindW + W), .Stages(Stages)) u_token (
    .clk, .d({has_result, token}), .q({has_result_late, token_late})
  );

  if (IsWide) begin : gen_wide
    sam_f32_sum u_sum (
      .clk, .idle(!(fire && is_val)), .fresh(is_first), .add_zero, .x(32'(bits)), .y(result)
    );
  end else begin : gen_narrow
    // One operator serves the next value and, at the end, the zero that was not stored.
    logic [31:0] so_far_q, more;

    sam_binary #(.Op(BinaryOp), .Type(Type), .Stages(0)) u_binary (
      .clk, .a(so_far_q), .b(is_val ? 32'(bits) : '0), .y(more)
    );

    assign result = add_zero ? more : so_far_q;

    always_ff @(posedge clk) begin
      if (fire && is_val) so_far_q <= is_first ? 32'(bits) : more;
    end
  end

  assign count_d = !fire ? count_q : is_end ? '0 : count_q + 32'(is_val);

  always_ff @(posedge clk) begin
    if (rst) count_q <= '0;
    else     count_q <= count_d;
  end

endmodule
`default_nettype wire
