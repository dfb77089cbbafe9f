// Knows which addresses of an accumulator are present, and finds the least of them.
// In a cycle, `put` makes `addr` present, or `take` makes the least present address absent; not both. `path` is the
// address that is meant, and `present` says whether it was present before.
// Stores presence bits as a tree with a bit per non-empty part: what lies below an absent bit is meaningless, so
// that only the root is reset and the rest can be memories.
`default_nettype none
`include "sam_assert.svh"
module sam_presence #(
  parameter int Bits = 10  // of an address
) (
  input  logic            clk,
  input  logic            rst,
  input  logic            put,
  input  logic            take,
  input  logic [Bits-1:0] addr,

  output logic            any,
  output logic [Bits-1:0] path,
  output logic            present
);

  localparam int DigitW = 6;  // address bits of a level of the tree
  localparam int Levels = (Bits + DigitW - 1) / DigitW;
  localparam int Root   = Levels - 1;

  logic [Levels-1:0] last;  // the node on the path has one member only

  for (genvar l = Root; l >= 0; l = l - 1) begin : gen_level
    localparam int Low    = DigitW * l;
    localparam int ThisW  = l == Root ? Bits - Low : DigitW;
    localparam int Degree = 1 << ThisW;

    logic [Degree-1:0] members, members_d, lowest, mark;
    logic [ThisW-1:0]  digit, lowest_digit;
    logic [Bits-1:Low] prefix;  // of the path, down to this level
    logic              present_here, changes;

    // The least member, and its number: one-hot to binary.
    assign lowest = members & (~members + 1'b1);
    for (genvar k = 0; k < ThisW; k++) begin : gen_digit
      localparam logic [Degree-1:0] Odd =
          {(Degree >> (k + 1)){{(1 << k){1'b1}}, {(1 << k){1'b0}}}};
      assign lowest_digit[k] = |(lowest & Odd);
    end

    assign digit        = put ? addr[Low +: ThisW] : lowest_digit;
    assign mark         = put ? Degree'(1) << digit : lowest;
    assign present_here = |(members & mark);
    assign members_d    = put ? members | mark : members & ~mark;
    assign last[l]      = members == lowest;

    // A member goes when all below it have gone.
    if (l == 0) begin : gen_leaf
      assign changes = put || take;
    end else begin : gen_inner
      assign changes = put || (take && (&last[l-1:0]));
    end

    if (l == Root) begin : gen_root
      logic [Degree-1:0] root_q;
      assign members = root_q;
      assign prefix  = digit;
      assign any     = root_q != '0;
      always_ff @(posedge clk) begin
        if (rst)          root_q <= '0;
        else if (changes) root_q <= members_d;
      end
    end else begin : gen_node
      localparam int Nodes = 1 << (Bits - Low - DigitW);
      logic [Degree-1:0] nodes [0:Nodes-1];
      assign members = gen_level[l+1].present_here ? nodes[gen_level[l+1].prefix] : '0;
      assign prefix  = {gen_level[l+1].prefix, digit};
      always_ff @(posedge clk) begin
        if (changes) nodes[gen_level[l+1].prefix] <= members_d;
      end
    end
  end

  assign path    = gen_level[0].prefix;
  assign present = gen_level[0].present_here;

  logic unused_last;
  assign unused_last = last[Root];

  `SAM_ASSERT(put_and_take_at_once, !(put && take))
  `SAM_ASSERT(nothing_to_take, !take || any)

endmodule
`default_nettype wire
