# SPDX-License-Identifier: MIT
# Programs of each system, whose outputs a cross build compares with those of this machine's build, byte by byte. They have
# to be up to date there too: `./dev test` sees to it.
if(NOT TARGET tilewright_program OR NOT BUILD_TESTING)
  return()
endif()
add_custom_target(compared DEPENDS tilewright_program)
foreach(name IN LISTS TW_AIE_EXAMPLES)
  add_dependencies(compared example_aie_${name})
endforeach()
if(NOT CMAKE_CROSSCOMPILING OR NOT TARGET tests)
  return()
endif()
set(TW_NATIVE_BUILD ${CMAKE_SOURCE_DIR}/build/release CACHE PATH "Build of this machine to compare with")
add_test(NAME cross.same_output COMMAND sh ${CMAKE_SOURCE_DIR}/tests/cross/same_output.sh ${CMAKE_SOURCE_DIR}
         ${CMAKE_BINARY_DIR} ${TW_NATIVE_BUILD} ${CMAKE_CROSSCOMPILING_EMULATOR})
add_dependencies(tests compared)

# It limits its processor time, which emulation multiplies.
set_tests_properties(profile.test_profile_untrusted PROPERTIES DISABLED TRUE)
# qemu-user 7.2 ends in an assertion of its own when the child of a program with threads begins threads.
set_tests_properties(base.test_base_parallel PROPERTIES ENVIRONMENT TW_TEST=every_element|nested)
# More than half a minute of processor time to compile or to emulate: ./dev nightly PRESET=arm64.
foreach(test IN ITEMS vec.test_vec_math_ulp colossus.test_colossus_sim_halves aie.test_aie_mul_complex
                      aie.test_aie_mul_complex80 aie.test_aie_constant pto.test_pto_ops_convert_all
                      pto.test_pto_ops_fold_all pto.test_pto_ops_lanes_all)
  set_tests_properties(${test} PROPERTIES LABELS long)
  string(REGEX REPLACE ".*[.]" "" name ${test})
  list(APPEND long ${name})
  set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
endforeach()
add_custom_target(long DEPENDS ${long})
