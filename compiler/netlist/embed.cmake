# heddle_embed(TARGET FILES...): builds files into a target; embedded_file() finds them by repository path.
# The text is generated into the build tree and made anew when a file changes.
set(HEDDLE_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_DIR}/embed_files.cmake)
function(heddle_embed target)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/embedded_files.cpp)
  set(absolute "")
  foreach(file ${ARGN})
    list(APPEND absolute ${PROJECT_SOURCE_DIR}/${file})
  endforeach()
  string(REPLACE ";" "," joined "${ARGN}")
  add_custom_command(
    OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DOUT=${generated} -DFILES=${joined} -P ${HEDDLE_EMBED_SCRIPT}
    DEPENDS ${absolute} ${HEDDLE_EMBED_SCRIPT}
    VERBATIM)
  target_sources(${target} PRIVATE ${generated})
endfunction()
