# SPDX-License-Identifier: MIT
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
if(TARGET tilewright_program AND TW_TEST_SCRIPTS)
  # The same bytes of trace, profile, memory and output for 1, 2 and 7 threads.
  function(tw_csl_threads name layout)
    add_test(NAME examples.csl_threads_${name} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/cli/csl/csl_threads.sh
             $<TARGET_FILE:tilewright_program> csl run ${layout} ${ARGN})
  endfunction()
  function(tw_csl_example name)
    cmake_parse_arguments(PARSE_ARGV 1 only "" "" CHIPS)
    set(ARGN ${only_UNPARSED_ARGUMENTS})
    set(layout ${CMAKE_SOURCE_DIR}/examples/csl/${name}/layout.csl)
    if(NOT only_CHIPS)
      set(only_CHIPS wse2 wse3)
    endif()
    foreach(arch IN LISTS only_CHIPS)
      add_test(NAME examples.csl_${name}_${arch} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/cli/run_example.sh ${layout}
               $<TARGET_FILE:tilewright_program> csl run ${layout} --arch=${arch} --check=error ${ARGN})
      tw_csl_threads(${name}_${arch} ${layout} --arch=${arch} --check=error ${ARGN})
    endforeach()
  endfunction()
  tw_csl_example(gemv --launch fill --launch columns --launch rows --launch mapped)
  tw_csl_example(gemv_row --launch compute)
  tw_csl_example(fifo)
  tw_csl_example(stencil --launch run,200)
  tw_csl_example(all_reduce --launch all_reduce)
  tw_csl_example(histogram)
  tw_csl_example(messages --launch transpose CHIPS wse3)
  # large enough for strips of rows per thread
  set(csl_examples ${CMAKE_SOURCE_DIR}/examples/csl)
  if(NOT TW_SANITIZE) # the fabric's work is that of the next one
    tw_csl_threads(stencil_40 ${csl_examples}/stencil/layout.csl --params=size:40 --launch run,10)
  endif()
  tw_csl_threads(all_reduce_16 ${csl_examples}/all_reduce/layout.csl --params=width:16,height:16 --launch all_reduce)
  # as one process and as several (cmake/wire.cmake)
  if(TW_RANKS AND NOT TW_SANITIZE)
    add_test(NAME mpi.csl_stencil COMMAND sh ${CMAKE_SOURCE_DIR}/tests/cli/csl/csl_ranks.sh "2 3"
             $<TARGET_FILE:tilewright_program> csl run ${csl_examples}/stencil/layout.csl --params=size:9 --launch run,20)
    add_test(NAME mpi.csl_all_reduce COMMAND sh ${CMAKE_SOURCE_DIR}/tests/cli/csl/csl_ranks.sh "4"
             $<TARGET_FILE:tilewright_program> csl run ${csl_examples}/all_reduce/layout.csl
             --params=width:6,height:6 --launch all_reduce)
    set_tests_properties(mpi.csl_stencil mpi.csl_all_reduce PROPERTIES LABELS mpi PROCESSORS 4)
  endif()
  tw_csl_threads(messages_20 ${csl_examples}/messages/layout.csl --arch=wse3 --params=size:20 --launch transpose)
endif()
if(TARGET tilewright_program)
  install(DIRECTORY python/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tilewright/python COMPONENT programs
          FILES_MATCHING PATTERN "*.py")
  install(DIRECTORY ${csl_lib_dir}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tilewright/csl COMPONENT programs
          FILES_MATCHING PATTERN "*.csl")
endif()
