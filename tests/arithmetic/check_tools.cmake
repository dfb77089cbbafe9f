# One check of the arithmetic modules by a tool other than the lockstep test's.
#
#   CHECK=icarus   a few thousand vectors through some pipelined units
#   CHECK=yosys    every unit elaborates and has no latch, loop or undriven wire
#   CHECK=stages   a wrong number of stages, name or type stops every tool
function(run result output)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY "${WORK}" RESULT_VARIABLE status
                  OUTPUT_VARIABLE text ERROR_VARIABLE text)
  set(${result} "${status}" PARENT_SCOPE)
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

if(CHECK STREQUAL "icarus")
  if(NOT IVERILOG OR NOT VVP)
    message("Icarus Verilog is not installed")
    return()
  endif()
  execute_process(COMMAND "${WRITE_BENCH}" vectors add,mul,div,sqrt,exp,sigmoid 3000
                  OUTPUT_FILE "${WORK}/arithmetic_vectors.sv" COMMAND_ERROR_IS_FATAL ANY)
  run(status text "${IVERILOG}" -g2012 -Wall -Wno-timescale "-y${RTL}" -Y.sv -s arithmetic_vectors
      -o "${WORK}/arithmetic_vectors.vvp" "${WORK}/arithmetic_vectors.sv")
  if(NOT status EQUAL 0 OR text)
    message(FATAL_ERROR "iverilog: ${text}")
  endif()
  run(status text "${VVP}" "${WORK}/arithmetic_vectors.vvp")
  message("${text}")
  if(NOT text MATCHES "all 3000 vectors agree")
    message(FATAL_ERROR "the modules differ from arithmetic.h under Icarus")
  endif()

elseif(CHECK STREQUAL "yosys")
  if(NOT YOSYS)
    message("Yosys is not installed")
    return()
  endif()
  execute_process(COMMAND "${WRITE_BENCH}" units
                  OUTPUT_FILE "${WORK}/arithmetic_yosys.sv" COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB modules "${RTL}/*.sv")
  string(REPLACE ";" " " modules "${modules}")
  file(WRITE "${WORK}/arithmetic_yosys.ys"
       "read_verilog -sv ${WORK}/arithmetic_yosys.sv ${modules}\n"
       "hierarchy -check -top arithmetic_bench\n"
       "proc\ncheck -assert\nselect -assert-none t:$*latch*\n")
  run(status text "${YOSYS}" -q -s "${WORK}/arithmetic_yosys.ys")
  if(NOT status EQUAL 0 OR text)
    message(FATAL_ERROR "yosys: ${text}")
  endif()

elseif(CHECK STREQUAL "stages")
  set(wrong
      "sam_binary #(.Op(\"add\"), .Type(\"f32\"), .Stages(2)) u (.clk, .a, .b, .y)"
      "sam_binary #(.Op(\"add\"), .Type(\"i32\"), .Stages(1)) u (.clk, .a, .b, .y)"
      "sam_binary #(.Op(\"plus\"), .Type(\"f32\"), .Stages(0)) u (.clk, .a, .b, .y)"
      "sam_binary #(.Op(\"add\"), .Type(\"f64\"), .Stages(0)) u (.clk, .a, .b, .y)"
      "sam_unary #(.Op(\"exp\"), .Type(\"f32\"), .Stages(1)) u (.clk, .a, .y)"
      "sam_unary #(.Op(\"exp\"), .Type(\"i32\"), .Stages(0)) u (.clk, .a, .y)"
      "sam_unary #(.Op(\"cosh\"), .Type(\"f32\"), .Stages(0)) u (.clk, .a, .y)"
      "sam_unary #(.Op(\"neg\"), .Type(\"f64\"), .Stages(0)) u (.clk, .a, .y)")
  file(GLOB modules "${RTL}/*.sv")
  string(REPLACE ";" " " module_words "${modules}")
  foreach(instance IN LISTS wrong)
    file(WRITE "${WORK}/arithmetic_wrong.sv"
         "module arithmetic_wrong (input logic clk, input logic [31:0] a, input logic [31:0] b,\n"
         "  output logic [31:0] y);\n  ${instance};\nendmodule\n")
    run(verilator_status text "${VERILATOR}" --lint-only -y "${RTL}" "${WORK}/arithmetic_wrong.sv")
    if(verilator_status EQUAL 0 OR NOT text MATCHES "_must_be_|_is_unknown")
      message(SEND_ERROR "Verilator accepts ${instance}: ${text}")
    endif()
    if(IVERILOG)
      run(icarus_status text "${IVERILOG}" -g2012 "-y${RTL}" -Y.sv -s arithmetic_wrong
          -o "${WORK}/arithmetic_wrong.vvp" "${WORK}/arithmetic_wrong.sv")
      if(icarus_status EQUAL 0 OR NOT text MATCHES "_must_be_|_is_unknown")
        message(SEND_ERROR "Icarus accepts ${instance}: ${text}")
      endif()
    endif()
    if(YOSYS)
      file(WRITE "${WORK}/arithmetic_wrong.ys"
           "read_verilog -sv ${WORK}/arithmetic_wrong.sv ${module_words}\n"
           "hierarchy -check -top arithmetic_wrong\n")
      run(yosys_status text "${YOSYS}" -q -s "${WORK}/arithmetic_wrong.ys")
      if(yosys_status EQUAL 0 OR NOT text MATCHES "_must_be_|_is_unknown")
        message(SEND_ERROR "Yosys accepts ${instance}: ${text}")
      endif()
    endif()
  endforeach()
endif()
