# CSL: our libraries become a table of texts in the library itself.
if(NOT TARGET tw_csl)
  return()
endif()
set(csl_lib_dir ${CMAKE_SOURCE_DIR}/src/csl/lang/lib)
set(csl_lib_table ${CMAKE_BINARY_DIR}/generated/csl_library.c)
file(GLOB_RECURSE csl_lib_files CONFIGURE_DEPENDS ${csl_lib_dir}/*.csl)
add_custom_command(OUTPUT ${csl_lib_table} VERBATIM
  COMMAND ${CMAKE_COMMAND} -DDIR=${csl_lib_dir} -DOUT=${csl_lib_table} -P ${CMAKE_SOURCE_DIR}/cmake/csl_embed.cmake
  DEPENDS ${csl_lib_files} ${CMAKE_SOURCE_DIR}/cmake/csl_embed.cmake)
target_sources(tw_csl PRIVATE ${csl_lib_table})
