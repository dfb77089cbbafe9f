// Adds up the fibers of each group by coordinate.
// Fires when both heads are there. Elements are added one a cycle; at the end of a group one coordinate a cycle
// is emitted in order until none is left, which needs room, as the outer stops and the end do.
// Stores the sums of the group by coordinate, and what is in the pipeline of the operation, beside it the control
// tokens. Sums of f32 are wide ones (sam_f32_sums).
`default_nettype none
`include "sam_assert.svh"
module sam_accumulate #(
  parameter int W     = 32,     // bits of a coordinate, reference or value
  parameter     Op    = "sum",  // operation
  parameter     Type  = "f32",  // type of the values
  parameter int Bits  = 10,     // coordinates are below 2^Bits
  parameter int Level = 1       // level of the stop that ends a group; its inner fibers are merged
) (
  input  logic                        clk,
  input  logic                        rst,
  input  logic [sam_pkg::KindW+W-1:0] crd_in_data,
  input  logic                        crd_in_valid,
  output logic                        crd_in_ready,
  input  logic [sam_pkg::KindW+W-1:0] val_in_data,
  input  logic                        val_in_valid,
  output logic                        val_in_ready,

  output logic [sam_pkg::KindW+W-1:0] crd_data,
  output logic                        crd_valid,
  input  logic                        crd_ready,
  output logic [sam_pkg::KindW+W-1:0] val_data,
  output logic                        val_valid,
  input  logic                        val_ready,

  output logic                        overflow
);

  localparam logic [W-1:0] GroupEnd = W'(Level);
  localparam logic IsWide = 64'(Op) == 64'("sum") && 64'(Type) == 64'("f32");
  localparam BinaryOp     = Op == "sum" ? "add" : Op;
  localparam int Levels   = Bits <= 10 ? 2 : Bits <= 15 ? 3 : 4;
  localparam int Lag      = 2 * Levels - 1;  // of a coordinate
  localparam int Stages   = IsWide ? 9 : 1;  // of a value after it

  logic [sam_pkg::KindW-1:0]   crd_kind, val_kind;
  logic [W-1:0]                crd, value, value_late;
  logic [Bits-1:0]             path;
  logic [31:0]                 result;
  logic [sam_pkg::KindW+W-1:0] control, control_late, control_later;
  logic                        heads, is_element, is_fiber_end, is_group_end, is_term, fits;
  logic                        absorb, emit, emit_late, emit_later, pass, any, fresh, put, put_late;

  assign {crd_kind, crd} = crd_in_data;
  assign {val_kind, value} = val_in_data;
  assign heads        = crd_in_valid && val_in_valid;
  assign is_element   = crd_kind == sam_pkg::KindVal || crd_kind == sam_pkg::KindEmpty;
  assign is_group_end = crd_kind == sam_pkg::KindStop && crd == GroupEnd;
  assign is_term      = is_element && val_kind == sam_pkg::KindVal;
  assign fits         = crd >> Bits == '0;

  if (Level == 0) begin : gen_one_fiber
    assign is_fiber_end = 1'b0;
  end else begin : gen_fibers
    assign is_fiber_end = crd_kind == sam_pkg::KindStop && crd < GroupEnd;
  end

  // An element or the end of a fiber inside the group; a sum of the group; an outer stop or the end.
  assign absorb = heads && (is_element || is_fiber_end);
  assign emit   = heads && is_group_end && any && crd_ready && val_ready;
  assign pass   = heads && !is_element && !is_fiber_end && !(is_group_end && any) && crd_ready && val_ready;

  assign put      = heads && is_term && fits;
  assign overflow = heads && is_term && !fits;

  sam_presence #(.Bits(Bits), .Levels(Levels)) u_presence (
    .clk,
    .rst,
    .put,
    .take(emit),
    .addr(crd[Bits-1:0]),
    .any,
    .path,
    .fresh
  );

  sam_delay #(.Width(2 + W + sam_pkg::KindW + W), .Stages(Lag)) u_late (
    .clk, .d({put, emit, value, control}), .q({put_late, emit_late, value_late, control_late})
  );

  if (IsWide) begin : gen_wide
    sam_f32_sums #(.Bits(Bits)) u_sums (
      .clk, .put(put_late), .fresh, .addr(path), .x(32'(value_late)), .y(result)
    );
  end else begin : gen_narrow
    logic [31:0] value_later, sum;
    logic        first;

    sam_scratch #(.Bits(Bits)) u_scratch (
      .clk, .put(put_late), .addr(path), .word(first ? value_later : sum), .old(result)
    );

    sam_delay #(.Width(33), .Stages(1)) u_value (
      .clk, .d({fresh, 32'(value_late)}), .q({first, value_later})
    );

    sam_binary #(.Op(BinaryOp), .Type(Type), .Stages(0)) u_binary (
      .clk, .a(result), .b(value_later), .y(sum)
    );
  end

  assign control = {crd_kind, crd_kind == sam_pkg::KindStop ? crd - GroupEnd : crd};

  assign crd_in_ready = absorb || pass;
  assign val_in_ready = absorb || pass;
  assign crd_valid    = emit || pass;
  assign crd_data     = emit_late ? {sam_pkg::KindVal, W'(path)} : control_late;
  assign val_valid    = emit || pass;
  assign val_data     = emit_later ? {sam_pkg::KindVal, W'(result)} : control_later;

  sam_delay #(.Width(1 + sam_pkg::KindW + W), .Stages(Stages)) u_later (
    .clk, .d({emit_late, control_late}), .q({emit_later, control_later})
  );

  `SAM_ASSERT(misaligned, !heads ||
              (is_element ? val_kind == sam_pkg::KindVal || val_kind == sam_pkg::KindEmpty
                          : crd_in_data == val_in_data))

endmodule
`default_nettype wire
