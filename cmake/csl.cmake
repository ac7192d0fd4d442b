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

# Examples, run by the program as a user does; the lines "prints: ..." of their layouts say what must come out.
if(TARGET tilewright_program AND BUILD_TESTING)
  function(tw_csl_example name)
    set(layout ${CMAKE_SOURCE_DIR}/examples/csl/${name}/layout.csl)
    foreach(arch IN ITEMS wse2 wse3)
      add_test(NAME examples.csl_${name}_${arch} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/cli/run_example.sh ${layout}
               $<TARGET_FILE:tilewright_program> csl run ${layout} --arch=${arch} --check=error ${ARGN})
      set_tests_properties(examples.csl_${name}_${arch} PROPERTIES TIMEOUT 120)
    endforeach()
  endfunction()
  tw_csl_example(gemv --launch fill --launch columns --launch rows --launch mapped)
  tw_csl_example(gemv_row --launch compute)
  tw_csl_example(fifo)
  tw_csl_example(stencil --launch run,200)
  tw_csl_example(all_reduce --launch all_reduce)
  tw_csl_example(histogram)
endif()
if(TARGET tilewright_program)
  install(DIRECTORY python/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tilewright/python FILES_MATCHING PATTERN "*.py")
  install(DIRECTORY ${csl_lib_dir}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tilewright/csl FILES_MATCHING PATTERN "*.csl")
endif()
