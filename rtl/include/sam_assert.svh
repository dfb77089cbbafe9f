// SAM_ASSERT(name, expr): expr holds at every clock edge out of reset. The name says what is broken when it
// does not; it ends the path that is printed. Nothing is left of it in synthesis.
`ifndef SAM_ASSERT_SVH
`define SAM_ASSERT_SVH
`ifdef SYNTHESIS
`define SAM_ASSERT(name, expr)
`else
`define SAM_ASSERT(name, expr) \
  always @(posedge clk) begin : name \
    if (!rst && !(expr)) begin \
      $display("%0t: %m: assertion failed", $time); \
      $stop; \
    end \
  end
`endif
`endif
