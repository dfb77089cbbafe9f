// The kinds of tokens. Generated from compiler/primitives/token.h by scripts/update_generated.sh; do not edit.
package sam_pkg;
  localparam int KindW = 2;
  localparam logic [KindW-1:0] KindVal = 2'd0;
  localparam logic [KindW-1:0] KindStop = 2'd1;
  localparam logic [KindW-1:0] KindEmpty = 2'd2;
  localparam logic [KindW-1:0] KindDone = 2'd3;
endpackage
