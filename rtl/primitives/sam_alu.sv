// Combines two aligned value streams.
// Fires when both operands are there and there is room; stores what is in the pipeline of the operation, and
// beside it the kinds and stop levels.
`default_nettype none
`include "sam_assert.svh"
module sam_alu #(
  parameter int W       = 32,      // bits of a coordinate, reference or value
  parameter     Op      = "add",   // operation
  parameter     Type    = "f32",   // type of the values
  parameter     Absent  = "zero",  // N if: never ("zero"), "any" is N, "both" are, the "left" one is; else N is
                                   // zero, if never also beside an infinity; "neutral": N if both are; else N is
                                   // what changes nothing
  parameter int Latency = 1        // cycles from firing to visible
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] a_data,
  input  logic                        a_valid,
  output logic                        a_ready,
  input  logic [sam_pkg::KindW+W-1:0] b_data,
  input  logic                        b_valid,
  output logic                        b_ready,

  output logic [sam_pkg::KindW+W-1:0] val_data,
  output logic                        val_valid,
  input  logic                        val_ready
);

  localparam logic AbsentIsAny  = 64'(Absent) == 64'("any");
  localparam logic AbsentIsBoth = 64'(Absent) == 64'("both");
  localparam logic AbsentIsLeft = 64'(Absent) == 64'("left");
  localparam logic AbsentIsNeutral = 64'(Absent) == 64'("neutral");

  // A factor N makes a product zero, and a dividend N a quotient, whatever the other operand is.
  localparam logic ProductVanishes  = 64'(Absent) == 64'("zero") && 64'(Op) == 64'("mul");
  localparam logic QuotientVanishes = 64'(Absent) == 64'("zero") && 64'(Op) == 64'("div");

  localparam logic TypeIsF32 = 64'(Type) == 64'("f32");
  localparam logic [31:0] Neutral =
      64'(Op) == 64'("add") ? (TypeIsF32 ? 32'h8000_0000 : 32'h0000_0000) :
      64'(Op) == 64'("max") ? (TypeIsF32 ? 32'hff80_0000 : 32'h8000_0000) :
      64'(Op) == 64'("min") ? (TypeIsF32 ? 32'h7f80_0000 : 32'h7fff_ffff) : 32'h0000_0000;
  localparam logic [31:0] One     = TypeIsF32 ? 32'h3f80_0000 : 32'h0000_0001;
  localparam logic [31:0] Nothing = AbsentIsNeutral ? Neutral : 32'h0000_0000;  // what an operand N counts as

  logic [sam_pkg::KindW-1:0]   a_kind, b_kind, kind;
  logic [W-1:0]                a, b;
  logic [31:0]                 left, right, result;
  logic [sam_pkg::KindW+W-1:0] token, token_late;  // except for the result
  logic                        fire, a_is_val, b_is_val, is_element, absent;

  assign {a_kind, a} = a_data;
  assign {b_kind, b} = b_data;
  assign a_is_val   = a_kind == sam_pkg::KindVal;
  assign b_is_val   = b_kind == sam_pkg::KindVal;
  assign is_element = a_is_val || a_kind == sam_pkg::KindEmpty;

  assign absent = AbsentIsAny  ? !a_is_val || !b_is_val :
                  AbsentIsBoth || AbsentIsNeutral ? !a_is_val && !b_is_val :
                  AbsentIsLeft ? !a_is_val : 1'b0;

  assign token = !is_element ? a_data : {absent ? sam_pkg::KindEmpty : sam_pkg::KindVal, W'(0)};

  assign left  = !a_is_val || (ProductVanishes && !b_is_val) ? Nothing : 32'(a);
  assign right = QuotientVanishes && !a_is_val ? One :  // zero by that is zero
                 !b_is_val || (ProductVanishes && !a_is_val) ? Nothing : 32'(b);

  sam_binary #(.Op(Op), .Type(Type), .Stages(Latency - 1)) u_binary (
    .clk,
    .a(left),
    .b(right),
    .y(result)
  );

  sam_delay #(.Width(sam_pkg::KindW + W), .Stages(Latency - 1)) u_token (
    .clk,
    .d(token),
    .q(token_late)
  );

  assign fire      = a_valid && b_valid && val_ready;
  assign a_ready   = fire;
  assign b_ready   = fire;
  assign val_valid = fire;
  assign kind      = token_late[W +: sam_pkg::KindW];
  assign val_data  = kind == sam_pkg::KindVal ? {sam_pkg::KindVal, W'(result)} : token_late;

  `SAM_ASSERT(misaligned, !(a_valid && b_valid) ||
              (is_element ? b_is_val || b_kind == sam_pkg::KindEmpty : a_data == b_data))

endmodule
`default_nettype wire
