# SPDX-License-Identifier: MIT
# What CTest has to know of tests: which begin first, which share work between threads.
if(NOT BUILD_TESTING)
  return()
endif()

# Tests of half a minute and more begin first, so that none of them is left alone at the end.
foreach(test IN ITEMS cli.aie_run_test cli.report_browser_test cli.header_test aie.reported_zstart aie.reported_examples
                      aie.vendor aie.adf aie.clash aie.reported_pointers poplar.cxx_standards codelet.test_codelet_errors
                      codelet.test_codelet_math pto.test_pto_ops_convert_all pto.test_pto_ops_fold_all
                      pto.test_pto_ops_move_all pto.ascend_refused colossus.test_colossus_sim_halves)
  if(TEST ${test})
    set_tests_properties(${test} PROPERTIES COST 1000)
  endif()
endforeach()

# Threads that work on the same data, of the library or of the caller: what `./dev test SAN=thread L=threads` looks at.
set(threads base.test_base_error base.test_base_log base.test_base_parallel engine.test_engine_copy
    engine.test_engine_faults engine.test_engine_random engine.test_engine_stream engine.test_engine_threads engine.test_tiles_options
    poplar.cxx_threads tile.test_tile_place wse.test_csl_messages wse.test_csl_profile wse.test_wse_fabric
    wse.test_wse_random wse.test_wse_schedule)
foreach(test IN LISTS threads)
  if(TEST ${test})
    set_property(TEST ${test} APPEND PROPERTY LABELS threads)
  elseif(TW_TEST_SCRIPTS AND TARGET tilewright_program AND TARGET popc_module)
    message(FATAL_ERROR "cmake/labels.cmake names a test that there is not: ${test}")
  endif()
endforeach()
# Two of its programs are enough where each takes minutes.
if(TEST wse.test_wse_random AND (CMAKE_CROSSCOMPILING OR TW_SANITIZE MATCHES "thread"))
  set_tests_properties(wse.test_wse_random PROPERTIES ENVIRONMENT TW_WSE_SEEDS=2)
endif()
