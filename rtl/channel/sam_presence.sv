// Knows which addresses of an accumulator are present, and finds the least of them.
// In a cycle, `put` makes `addr` present, or `take` makes the least present address absent, or neither happens; puts
// come again only when a group has been taken to its end. `any` says at once whether something can be taken. What
// takes time follows Lag = 2 * Levels - 1 cycles later: `path`, the address that was put or taken, and `fresh`,
// whether there was a put that found it absent.
// Stores presence bits as a tree with a bit per non-empty part: what lies below an absent bit is meaningless, so
// that only the root is reset and the rest are memories. As taking lags behind, there are two trees, and the next
// group is put into the other one.
`default_nettype none
`include "sam_assert.svh"
module sam_presence #(
  parameter int Bits   = 10,  // of an address
  parameter int Levels = 2    // of the tree: 2 to 4. More would still be read when their tree is wanted again
) (
  input  logic            clk,
  input  logic            rst,
  input  logic            put,
  input  logic            take,
  input  logic [Bits-1:0] addr,

  output logic            any,
  output logic [Bits-1:0] path,
  output logic            fresh
);

  localparam int Lag    = 2 * Levels - 1;
  localparam int AddrW  = Bits > Levels ? Bits : Levels;
  localparam int DigitW = (AddrW + Levels - 1) / Levels;  // address bits of a level; the root has what is left
  localparam int Root   = Levels - 1;
  localparam int CountW = Bits + 2;

  logic              bank_q, bank_1, taking_q;  // the tree for puts; the other one is for takes
  logic [AddrW-1:0]  addr_0, addr_1, addr_late, taken;
  logic              put_1, put_late, take_late, fresh_1, fresh_2;
  logic [Levels-1:0] has;  // the put's address or what it lies in, a cycle later

  assign addr_0 = AddrW'(addr);

  for (genvar l = Root; l >= 0; l = l - 1) begin : gen_level
    localparam int Low    = DigitW * l;
    localparam int ThisW  = l == Root ? AddrW - Low : DigitW;
    localparam int Degree = 1 << ThisW;

    // Putting, a cycle later.
    logic [Degree-1:0] mark;
    // Taking: the least member of a node, one-hot, and as a number behind that of the node and its tree.
    logic [Degree-1:0]   lowest;
    logic [ThisW-1:0]    digit;
    logic [AddrW-Low:0]  element;
    logic                valid, pop;

    assign mark = Degree'(1) << addr_1[Low +: ThisW];
    for (genvar k = 0; k < ThisW; k++) begin : gen_digit
      localparam logic [Degree-1:0] Odd =
          {(Degree >> (k + 1)){{(1 << k){1'b1}}, {(1 << k){1'b0}}}};
      assign digit[k] = |(lowest & Odd);
    end

    if (l == 0) begin : gen_last
      assign pop = take_late;
    end else begin : gen_inner
      assign pop = gen_level[l-1].gen_node.free;
    end

    if (l == Root) begin : gen_root
      logic [Degree-1:0] root_0_q, root_1_q, members;
      assign has[l]  = |((bank_1 ? root_1_q : root_0_q) & mark);
      assign members = bank_q ? root_0_q : root_1_q;
      assign lowest  = members & (~members + 1'b1);
      assign valid   = members != '0;
      assign element = {!bank_q, digit};
      always_ff @(posedge clk) begin
        if (rst) begin
          root_0_q <= '0;
          root_1_q <= '0;
        end else begin
          if (put_1 && !bank_1) root_0_q <= root_0_q | mark;
          else if (pop && bank_q) root_0_q <= root_0_q & ~lowest;
          if (put_1 && bank_1) root_1_q <= root_1_q | mark;
          else if (pop && !bank_q) root_1_q <= root_1_q & ~lowest;
        end
      end
    end else begin : gen_node
      localparam int NodeW = AddrW - Low - DigitW + 1;  // tree and number of a node
      logic [Degree-1:0] put_nodes  [0:(1<<NodeW)-1];
      logic [Degree-1:0] take_nodes [0:(1<<NodeW)-1];  // the same, for its own reader

      // Putting: the node that is read, or that has just been written.
      logic [NodeW-1:0]  node_0, node_1;
      logic [Degree-1:0] read_1, written_q, found, node_d;
      logic              same_1;
      assign node_0 = {bank_q, addr_0[AddrW-1:Low+DigitW]};
      assign found  = same_1 ? written_q : read_1;
      assign has[l] = |(found & mark);
      assign node_d = (&has[Root:l+1] ? found : '0) | mark;
      always_ff @(posedge clk) begin
        read_1    <= put_nodes[node_0];
        node_1    <= node_0;
        same_1    <= put_1 && node_0 == node_1;
        written_q <= node_d;
        if (put_1) begin
          put_nodes[node_1]  <= node_d;
          take_nodes[node_1] <= node_d;
        end
      end

      // Taking: a node that is being taken apart into its least member and the rest, and the next node, which has been
      // read.
      logic              free, read_valid_q, valid_q, last_q, done;
      logic [NodeW-1:0]  read_node_q, node_q;
      logic [Degree-1:0] read_q, lowest_q, rest_q, lowest_d, rest_d, parts;
      assign parts    = done ? read_q : rest_q;
      assign lowest_d = parts & (~parts + 1'b1);
      assign rest_d   = parts & ~lowest_d;
      assign lowest   = lowest_q;
      assign valid    = valid_q;
      assign element = {node_q, digit};
      assign done    = !valid_q || (pop && last_q);
      assign free    = !read_valid_q || done;
      always_ff @(posedge clk) begin
        if (rst) begin
          read_valid_q <= 1'b0;
          valid_q      <= 1'b0;
        end else begin
          if (free) read_valid_q <= gen_level[l+1].valid;
          if (done) valid_q <= read_valid_q;
        end
      end
      always_ff @(posedge clk) begin
        if (free) begin
          read_q      <= take_nodes[gen_level[l+1].element];
          read_node_q <= gen_level[l+1].element;
        end
        if (done) node_q <= read_node_q;
        if (done || pop) begin
          lowest_q <= lowest_d;
          rest_q   <= rest_d;
          last_q   <= rest_d == '0;
        end
      end
    end
  end

  assign fresh_1 = put_1 && !(&has);
  assign taken   = gen_level[0].element[AddrW-1:0];
  // Zero if there was neither, not anything: a simulator that knows X would carry it into comparisons.
  assign path    = ({Bits{put_late}} & addr_late[Bits-1:0]) | ({Bits{take_late}} & taken[Bits-1:0]);

  // Present addresses, but for the puts of the last two cycles. Of these the first may be the one that is missing, so
  // the count can be -1 until it is in. If the last cycle had a put, there is something.
  logic [CountW-1:0] count_d, count_q;
  logic              put_2, some_q, none_q;

  assign count_d = count_q + CountW'(fresh_2) - CountW'(take);
  assign any     = put_1 || some_q || (none_q && fresh_2);

  always_ff @(posedge clk) begin
    if (rst) begin
      count_q  <= '0;
      some_q   <= 1'b0;
      none_q   <= 1'b1;
      put_1    <= 1'b0;
      put_2    <= 1'b0;
      fresh_2  <= 1'b0;
      bank_q   <= 1'b0;
      taking_q <= 1'b0;
    end else begin
      count_q  <= count_d;
      some_q   <= !count_d[CountW-1] && count_d != '0;
      none_q   <= count_d == '0;
      put_1    <= put;
      put_2    <= put_1;
      fresh_2  <= fresh_1;
      bank_q   <= bank_q ^ (take && !taking_q);
      taking_q <= !put && (take || taking_q);
    end
  end

  always_ff @(posedge clk) begin
    addr_1 <= addr_0;
    bank_1 <= bank_q;
  end

  // What is late. Takes are in the pipeline of their own.
  logic [Lag-1:0] take_q;

  assign take_late = take_q[Lag-1];

  always_ff @(posedge clk) begin
    if (rst) take_q <= '0;
    else     take_q <= {take_q[Lag-2:0], take};
  end

  sam_delay #(.Width(1), .Stages(Lag - 2)) u_put (.clk, .d(put_2), .q(put_late));
  sam_delay #(.Width(1), .Stages(Lag - 2)) u_fresh (.clk, .d(fresh_2), .q(fresh));
  sam_delay #(.Width(AddrW), .Stages(Lag - 1)) u_addr (.clk, .d(addr_1), .q(addr_late));

  logic unused_bank, unused_taken;
  assign unused_bank  = gen_level[0].element[AddrW];
  assign unused_taken = |taken || |addr_late;

  `SAM_ASSERT(put_and_take_at_once, !(put && take))
  `SAM_ASSERT(nothing_to_take, !take || any)
  `SAM_ASSERT(taken_too_soon, !take_late || gen_level[0].valid)

endmodule
`default_nettype wire
