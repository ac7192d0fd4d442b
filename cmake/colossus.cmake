# SPDX-License-Identifier: MIT
# The simulator once more as it is on hosts that do not flush subnormal numbers themselves, under its test of values.
if(NOT BUILD_TESTING OR NOT TARGET tests OR TW_SANITIZE OR NOT TW_X86)
  return()
endif()
file(GLOB sources CONFIGURE_DEPENDS src/poplar/colossus/sim/*.c)
add_executable(colossus_soft_flush tests/poplar/colossus/test_colossus_sim_values.c ${sources})
target_compile_definitions(colossus_soft_flush PRIVATE TW_BUILD=1 TW_SOFT_FLUSH)
target_compile_options(colossus_soft_flush PRIVATE -O1)
target_include_directories(colossus_soft_flush PRIVATE tests)
target_link_libraries(colossus_soft_flush PRIVATE tw_reference_colossus tw_colossus tw_test_select)
add_test(NAME colossus.soft_flush COMMAND colossus_soft_flush)
add_dependencies(tests colossus_soft_flush)
