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
# The compiler for the chip is linked with clang's libraries, and makes the runtime library: a cross build has neither.
set_tests_properties(colossus.test_cc_loops colossus.test_cc_rt_link PROPERTIES DISABLED TRUE)
# A cross build has no compiler for codelets, and no archive of the libraries' vertices.
foreach(name IN ITEMS archive block_sparse collectives conv ctc ctc_search encode map matmul norms pooling popnn
        poprand recurrent reduce sequence slice solve sort sparse tiles)
  set_tests_properties(libs.test_libs_${name} PROPERTIES DISABLED TRUE)
endforeach()
set_tests_properties(fuzz.fuzz_checkpoint_graph PROPERTIES DISABLED TRUE)
# qemu-user 7.2 ends in an assertion of its own when the child of a program with threads begins threads.
set_tests_properties(base.test_base_parallel PROPERTIES ENVIRONMENT TW_TEST=every_element|nested)
# Too long to compile (C++) or to emulate for every change: ./dev nightly PRESET=arm64.
set(long aie.cxx_float aie.graph_layered_cxx aie.graph_packets_cxx aie.graph_parameters_cxx aie.graph_platform_cxx
         aie.graph_ports_cxx aie.graph_published_cxx aie.graph_starving_cxx aie.graph_unwind_cxx aie.test_aie_constant
         aie.test_aie_mul_complex aie.test_aie_mul_complex80 aie.unread_cxx colossus.test_colossus_sim_order
         colossus.test_colossus_sim_values colossus.test_cc_rt_divide colossus.test_cc_rt_math
         colossus.test_colossus_text pto.test_pto_core_limits pto.test_pto_grid_fifo
         pto.test_pto_grid_fifo_all pto.test_pto_ops_convert_all pto.test_pto_ops_cube_all
         pto.test_pto_ops_gather_memory_all pto.test_pto_ops_mx_all pto.test_pto_ops_quant_acc_all
         pto.test_pto_ops_quant_all vec.test_vec_math_ulp wse.test_wse_schedule)
set_tests_properties(${long} PROPERTIES LABELS long)
# What the others need: `./dev test` builds no more.
add_custom_target(short DEPENDS compared)
get_property(all DIRECTORY PROPERTY TESTS)
foreach(test IN LISTS all)
  string(REGEX REPLACE "^[a-z]+[.]test_" "test_" program ${test})
  string(REGEX REPLACE "^pto[.](ascend_.*)_(cpu|a5|a2a3)$" "test_pto_\\1" program ${program})
  string(REPLACE "." "_" program ${program})
  if(NOT test IN_LIST long AND TARGET ${program})
    add_dependencies(short ${program})
  endif()
endforeach()
