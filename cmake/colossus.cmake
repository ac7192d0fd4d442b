# SPDX-License-Identifier: MIT
# Headers of the simulator as texts, which stand in front of translated code.
set(sim_dir ${CMAKE_SOURCE_DIR}/src/poplar/colossus/sim)
set(sim_texts ${CMAKE_BINARY_DIR}/generated/sim_texts.c)
set(sim_headers native_call.h native_context.h kinds.h fp.h native_slow.h rows_aux.h log.h rows_main.h)
string(REPLACE ";" "," sim_list "${sim_headers}")
list(TRANSFORM sim_headers PREPEND ${sim_dir}/)
add_custom_command(OUTPUT ${sim_texts} VERBATIM
  COMMAND ${CMAKE_COMMAND} -DDIR=${sim_dir} -DOUT=${sim_texts} -DFILES=${sim_list} -P ${CMAKE_SOURCE_DIR}/cmake/sim_native.cmake
  DEPENDS ${sim_headers} ${CMAKE_SOURCE_DIR}/cmake/sim_native.cmake)
target_sources(tw_colossus PRIVATE ${sim_texts})

# The simulator once more as it is on hosts that do not flush subnormal numbers themselves, under its test of values.
if(NOT BUILD_TESTING OR NOT TARGET tests OR TW_SANITIZE OR NOT TW_X86)
  return()
endif()
file(GLOB sources CONFIGURE_DEPENDS src/poplar/colossus/sim/*.c)
add_executable(colossus_soft_flush tests/poplar/colossus/test_colossus_sim_values.c ${sources} ${sim_texts})
target_compile_definitions(colossus_soft_flush PRIVATE TW_BUILD=1 TW_SOFT_FLUSH)
target_compile_options(colossus_soft_flush PRIVATE -O1)
target_include_directories(colossus_soft_flush PRIVATE tests)
target_link_libraries(colossus_soft_flush PRIVATE tw_reference_colossus tw_colossus tw_test_select)
add_test(NAME colossus.soft_flush COMMAND colossus_soft_flush)
add_dependencies(tests colossus_soft_flush)

# Tests of the simulator a second time, with all code translated before it runs: those of one program after the other
# (thousands of small ones would wait for the compiler; test_codelet_translated has random programs).
foreach(name IN ITEMS flow loops supervisor trace)
  set(target colossus_translated_${name})
  add_executable(${target} tests/poplar/colossus/test_colossus_sim_${name}.c tests/poplar/codelet/translate_all.c)
  target_include_directories(${target} PRIVATE tests src ${CMAKE_BINARY_DIR}/generated)
  target_link_libraries(${target} PRIVATE tw_codelet tw_reference_colossus tw_colossus tw_test_select)
  add_test(NAME colossus.translated_${name} COMMAND ${target})
  add_dependencies(tests ${target})
endforeach()
