# heddle_embed(TARGET FUNCTION FILES...): builds the texts of files, given by repository path, into a target. FUNCTION,
# in namespace heddle, returns them by path: std::map<std::string, std::string>. The C++ file is made anew when a file
# changes.
set(HEDDLE_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed_files.cmake)
get_filename_component(HEDDLE_EMBED_ROOT ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
function(heddle_embed target function)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp)
  list(TRANSFORM ARGN PREPEND ${HEDDLE_EMBED_ROOT}/ OUTPUT_VARIABLE absolute)
  string(REPLACE ";" "," joined "${ARGN}")
  add_custom_command(
    OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} -DROOT=${HEDDLE_EMBED_ROOT} -DOUT=${generated} -DFUNCTION=${function}
            -DFILES=${joined} -P ${HEDDLE_EMBED_SCRIPT}
    DEPENDS ${absolute} ${HEDDLE_EMBED_SCRIPT}
    VERBATIM)
  target_sources(${target} PRIVATE ${generated})
endfunction()
