# Runs GENERATOR with the words of ARGS and fails unless it prints the bytes of EXPECTED.
separate_arguments(args UNIX_COMMAND "${ARGS}")
execute_process(COMMAND "${GENERATOR}" ${args} OUTPUT_VARIABLE printed RESULT_VARIABLE status)
file(READ "${EXPECTED}" expected)
if(NOT status EQUAL 0 OR NOT printed STREQUAL expected)
  message(FATAL_ERROR "${EXPECTED} is stale: write it anew with ${GENERATOR} ${ARGS}")
endif()
