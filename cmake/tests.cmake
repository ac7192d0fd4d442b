# SPDX-License-Identifier: MIT
# tests/<folder of the box>/test_*.c: one cmocka program each, linked with its box and what lies below it.
# .../ref_*.c: references that several of them share, a library.
# tests/cli/*/*_test.sh: the program and the installed tree, as a user meets them.
# tests/alloc/: commands whose allocations fail, one test for each row of alloc_test.sh.
# tests/fuzz/fuzz_*.c: LLVMFuzzerTestOneInput. A plain main replays the saved corpus and the seeds, as a test; with TW_FUZZ
# libFuzzer runs it, as fuzzers/fuzz_* (target `fuzzers`).
# No test judges how long it takes; this is for what hangs, on the slowest machine under load.
set(DART_TESTING_TIMEOUT 3600) # seconds
include(CTest)
# A cross build tests programs alone: scripts run compilers and tools of this machine, and so do codelets, whose module it
# may lack.
set(TW_TEST_SCRIPTS ${BUILD_TESTING})
set(TW_UNTESTED_BOXES "")
if(CMAKE_CROSSCOMPILING)
  set(TW_TEST_SCRIPTS OFF)
  set(TW_UNTESTED_BOXES codelet graph engine)
endif()
if(NOT CMOCKA_FOUND OR NOT BUILD_TESTING)
  return()
endif()
add_custom_target(tests)
# cmocka, with a choice of single functions by the environment (tests/select.c).
add_library(tw_test_select STATIC tests/select.c)
target_link_libraries(tw_test_select PUBLIC PkgConfig::CMOCKA)
target_link_options(tw_test_select PUBLIC -Wl,--wrap=_cmocka_run_group_tests)
foreach(box IN LISTS TW_BOXES)
  if(NOT TARGET tw_${box} OR box IN_LIST TW_UNTESTED_BOXES)
    continue()
  endif()
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS tests/${TW_DIR_${box}}/test_*.c)
  file(GLOB_RECURSE references CONFIGURE_DEPENDS tests/${TW_DIR_${box}}/ref_*.c)
  set(reference "")
  if(references)
    set(reference tw_reference_${box})
    add_library(${reference} STATIC EXCLUDE_FROM_ALL ${references})
    target_link_libraries(${reference} PRIVATE tw_${box})
    target_include_directories(${reference} PRIVATE tests)
  endif()
  foreach(source IN LISTS tests)
    get_filename_component(name ${source} NAME_WE)
    set(parts "") # of the compiler for the chip; those in folders of their own need LLVM
    if(source MATCHES "/colossus/cc/(sel|front|rt)/")
      if(NOT TARGET tw_cc_llvm)
        continue()
      endif()
      set(parts tw_cc_llvm)
    elseif(source MATCHES "/colossus/cc/" AND TARGET tw_cc)
      set(parts tw_cc)
    endif()
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE ${reference} ${parts} tw_${box} tw_test_select)
    target_include_directories(${name} PRIVATE tests)
    if(CMAKE_BUILD_TYPE STREQUAL "Release") # compiled once, run once; what they test is at -O3
      target_compile_options(${name} PRIVATE -O1 $<$<C_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>) # -O1 guesses
    endif()
    tw_define_folders(${source})
    add_test(NAME ${box}.${name} COMMAND ${name})
    if(TW_SANITIZE OR CMAKE_CROSSCOMPILING) # slow: a share of the cases of tests that look at all values (tests/share.h)
      file(STRINGS ${source} all REGEX "share[.]h|ref_cross[(]")
      if(all)
        set_tests_properties(${box}.${name} PROPERTIES ENVIRONMENT TW_SHARE=11)
        add_test(NAME nightly.${name} CONFIGURATIONS nightly COMMAND ${name})
        set_tests_properties(nightly.${name} PROPERTIES LABELS nightly)
      endif()
    endif()
    add_dependencies(tests ${name})
  endforeach()
endforeach()

if(TW_SANITIZE AND TEST libs.test_libs_tiles) # minutes in the simulator, which test_tiles_compiled watches
  set_tests_properties(libs.test_libs_tiles PROPERTIES DISABLED TRUE)
endif()

# The same programs as several ranks (cmake/wire.cmake).
set(tiles "POPLAR_ENGINE_OPTIONS={\"mpi.map\":\"tiles\"}") # targets of any size
if(TW_RANKS AND NOT TW_SANITIZE)
  add_executable(wire_misbehave tests/core/wire/misbehave.c)
  target_link_libraries(wire_misbehave PRIVATE tw_wire)
  add_dependencies(tests wire_misbehave)
  foreach(count IN ITEMS 2 4)
    tw_ranks(wire_messages ${count} $<TARGET_FILE:test_wire_messages>)
  endforeach()
  if(TARGET tw_wse) # random programs on a wafer that ranks share, against one process; at night all of them
    foreach(count IN ITEMS 2 4)
      tw_ranks(wse_random ${count} $<TARGET_FILE:test_wse_random> 2)
      add_test(NAME nightly.mpi_wse_random_${count} CONFIGURATIONS nightly
               COMMAND ${TW_LAUNCH} -n ${count} $<TARGET_FILE:test_wse_random>)
      add_test(NAME nightly.mpi_wse_schedule_${count} CONFIGURATIONS nightly
               COMMAND ${TW_LAUNCH} -n ${count} $<TARGET_FILE:test_wse_schedule>)
      set_tests_properties(nightly.mpi_wse_random_${count} nightly.mpi_wse_schedule_${count}
                           PROPERTIES LABELS nightly ENVIRONMENT OMP_NUM_THREADS=1)
    endforeach()
  endif()
  if(TARGET tw_wse)
    set_property(TEST mpi.wse_random_4 APPEND PROPERTY ENVIRONMENT TILEWRIGHT_WSE_CUT=1,2,9) # ranks with a single row
    tw_ranks(wse_slow_readers 4 $<TARGET_FILE:test_wse_schedule>)
    set_property(TEST mpi.wse_slow_readers_4 APPEND PROPERTY ENVIRONMENT TW_TEST=slow)
  endif()
  add_test(NAME mpi.wire_failures COMMAND sh ${CMAKE_SOURCE_DIR}/tests/core/wire/failures.sh
                                          $<TARGET_FILE:wire_misbehave> ${TW_LAUNCH})
  set_tests_properties(mpi.wire_failures PROPERTIES LABELS mpi PROCESSORS 4)
  if(TARGET tw_engine AND TARGET tilewright AND TARGET popc_module)
    # Graphs as several ranks: the tests of the engine, and random graphs that have to print what one process prints. A
    # selection of two minutes; at night all of them.
    add_executable(ranks_random tests/poplar/engine/ranks/ranks_random.c)
    target_link_libraries(ranks_random PRIVATE tilewright)
    add_dependencies(tests ranks_random)
    foreach(count IN ITEMS 2 4)
      foreach(name IN ITEMS adder copy created edges host stream remote replica print random clock cycles errors faults)
        tw_ranks(engine_${name} ${count} $<TARGET_FILE:test_engine_${name}>)
      endforeach()
      set(compare sh ${CMAKE_SOURCE_DIR}/tests/poplar/engine/ranks/compare.sh ${count} $<TARGET_FILE:ranks_random>)
      add_test(NAME mpi.random_graphs_${count} COMMAND ${compare} 1 20 -- ${TW_LAUNCH})
      set_tests_properties(mpi.random_graphs_${count} PROPERTIES LABELS mpi PROCESSORS ${count} ENVIRONMENT OMP_NUM_THREADS=1)
      add_test(NAME nightly.mpi_random_graphs_${count} CONFIGURATIONS nightly COMMAND ${compare} 1000 2000 -- ${TW_LAUNCH})
      set_tests_properties(nightly.mpi_random_graphs_${count} PROPERTIES LABELS nightly ENVIRONMENT OMP_NUM_THREADS=1)
      file(GLOB sources CONFIGURE_DEPENDS tests/${TW_DIR_engine}/test_*.c tests/${TW_DIR_engine}/*/test_*.c)
      list(FILTER sources EXCLUDE REGEX test_engine_alloc) # the wire's memory fails there, too: no call works after that
      foreach(source IN LISTS sources)
        get_filename_component(name ${source} NAME_WE)
        add_test(NAME nightly.mpi_${name}_${count} CONFIGURATIONS nightly
                 COMMAND ${TW_LAUNCH} -n ${count} $<TARGET_FILE:${name}>)
        set_tests_properties(nightly.mpi_${name}_${count} PROPERTIES LABELS nightly ENVIRONMENT "OMP_NUM_THREADS=1;${tiles}")
      endforeach()
    endforeach()
  endif()
elseif(NOT CMAKE_CROSSCOMPILING AND NOT TW_SANITIZE)
  add_test(NAME mpi.none COMMAND sh -c "echo 'no MPI here: tests of several ranks are skipped'; exit 77")
  set_tests_properties(mpi.none PROPERTIES LABELS mpi SKIP_RETURN_CODE 77)
endif()

if(NOT TW_TEST_SCRIPTS)
  return()
endif()
# Arguments: source folder, build folder. 77 = cannot be judged on this machine. CC and CXX carry the sanitizers of this
# build: a program outside has to be linked with the same ones.
if(TARGET tilewright_program)
  set(sanitizers "")
  if(TW_SANITIZE)
    set(sanitizers " -fsanitize=${TW_SANITIZE}")
  endif()
  file(GLOB_RECURSE scripts CONFIGURE_DEPENDS tests/cli/*_test.sh)
  foreach(script IN LISTS scripts)
    get_filename_component(name ${script} NAME_WE)
    add_test(NAME cli.${name} COMMAND sh ${script} ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
    set_tests_properties(cli.${name} PROPERTIES SKIP_RETURN_CODE 77 ENVIRONMENT
      "CC=${CMAKE_C_COMPILER}${sanitizers};CXX=${CMAKE_CXX_COMPILER}${sanitizers}")
  endforeach()
  add_test(NAME nightly.compare CONFIGURATIONS nightly COMMAND sh ${CMAKE_SOURCE_DIR}/tests/cli/commands/compare_test.sh
                                                              ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
  set_tests_properties(nightly.compare PROPERTIES LABELS nightly ENVIRONMENT TW_NIGHTLY=1)
  foreach(name IN ITEMS install packages products) # they write the build's list of what was installed
    set_tests_properties(cli.${name}_test PROPERTIES RESOURCE_LOCK install_manifest)
  endforeach()
  if(TW_SANITIZE) # these judge headers, sources and the page: no line of ours runs in them that a sanitizer could watch
    # The second row runs what other tests run, a minute and more of clang and shells between short pieces of ours.
    foreach(name IN ITEMS header report_browser floors includes names subjects symbols words install packages products
                    tutorials compare examples readme aie_run)
      set_tests_properties(cli.${name}_test PROPERTIES DISABLED TRUE)
    endforeach()
  endif()
endif()

# A preloaded malloc and that of a sanitizer do not go together.
if(TARGET tilewright_program AND NOT TW_SANITIZE)
  add_library(alloc_fail MODULE tests/alloc/fail_alloc.c)
  add_executable(alloc_sweep tests/alloc/sweep.c)
  add_executable(alloc_host tests/alloc/host.c)
  target_link_libraries(alloc_host PRIVATE tilewright)
  # The library again, with arenas that ask for each piece by itself: so that each piece can fail.
  set(objects ${TW_OBJECTS})
  list(TRANSFORM objects REPLACE ".*tw_base.*" "$<FILTER:$<TARGET_OBJECTS:tw_base>,EXCLUDE,base/arena[.]c>")
  add_library(alloc_tilewright SHARED ${objects} src/core/base/arena.c)
  target_compile_definitions(alloc_tilewright PRIVATE TW_BUILD=1 TW_SINGLE_BLOCKS)
  target_include_directories(alloc_tilewright PRIVATE include src)
  target_link_libraries(alloc_tilewright PRIVATE $<TARGET_PROPERTY:tilewright,LINK_LIBRARIES>)
  target_link_options(alloc_tilewright PRIVATE LINKER:--version-script=${CMAKE_SOURCE_DIR}/src/tilewright.map)
  set_target_properties(alloc_tilewright PROPERTIES OUTPUT_NAME tilewright SOVERSION 0 LINKER_LANGUAGE C)
  set_target_properties(alloc_fail alloc_sweep alloc_host alloc_tilewright PROPERTIES
    PREFIX "" RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/alloc LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/alloc)
  set_target_properties(alloc_tilewright PROPERTIES PREFIX lib)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/alloc)
  file(CREATE_LINK ../tilewright ${CMAKE_BINARY_DIR}/alloc/tilewright SYMBOLIC) # modules lie beside the library
  add_dependencies(tests alloc_fail alloc_sweep alloc_host alloc_tilewright)
  set(script ${CMAKE_SOURCE_DIR}/tests/alloc/alloc_test.sh)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
  execute_process(COMMAND sh ${script} OUTPUT_VARIABLE rows OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REPLACE "\n" ";" rows "${rows}")
  foreach(row IN LISTS rows)
    add_test(NAME alloc.${row} COMMAND sh ${script} ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR} ${row} 1500)
    set_tests_properties(alloc.${row} PROPERTIES TIMEOUT 900)
    add_test(NAME nightly.alloc_${row} CONFIGURATIONS nightly
             COMMAND sh ${script} ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR} ${row} 0)
    set_tests_properties(nightly.alloc_${row} PROPERTIES LABELS nightly TIMEOUT 3600)
  endforeach()
endif()

add_custom_target(fuzzers)
# Mutators that know structure, for targets that define LLVMFuzzerCustomMutator.
add_library(tw_fuzz_mutate STATIC EXCLUDE_FROM_ALL tests/fuzz/mutate.c tests/fuzz/grammar.c)
target_include_directories(tw_fuzz_mutate PUBLIC tests/fuzz)
# The debug adapter of a simulated tile, which is a part of the program, for fuzz_dap.
if(TARGET tw_colossus AND TARGET tilewright_program)
  add_library(tw_dap STATIC EXCLUDE_FROM_ALL ${TW_SIM_SESSION})
  target_include_directories(tw_dap PUBLIC src include)
  target_compile_options(tw_dap PRIVATE ${TW_FUZZ_OPTIONS})
  target_link_libraries(tw_dap PUBLIC tw_colossus PkgConfig::GLIB PkgConfig::JANSSON)
endif()
file(GLOB fuzzers CONFIGURE_DEPENDS tests/fuzz/fuzz_*.c)
foreach(source IN LISTS fuzzers)
  get_filename_component(name ${source} NAME_WE)
  file(STRINGS ${source} needs REGEX "^// needs: ")     # first such line: the box it links
  string(REGEX REPLACE "^// needs: *" "" needs "${needs}")
  if(NOT TARGET tw_${needs})
    continue()
  endif()
  add_executable(${name} ${source} tests/fuzz/main.c)
  target_link_libraries(${name} PRIVATE tw_${needs} tw_fuzz_mutate)
  add_dependencies(tests ${name})
  if(TW_FUZZ)
    add_executable(fuzzer_${name} EXCLUDE_FROM_ALL ${source})
    target_link_libraries(fuzzer_${name} PRIVATE tw_${needs} tw_fuzz_mutate)
    target_link_options(fuzzer_${name} PRIVATE -fsanitize=fuzzer)
    set_target_properties(fuzzer_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzzers)
    add_dependencies(fuzzers fuzzer_${name})
  endif()
  # "// seeds: PATTERN... [+PREFIX]": texts of examples and tests, replayed behind the prefix like the saved corpus.
  file(STRINGS ${source} patterns REGEX "^// seeds: ")
  string(REGEX REPLACE "^// seeds: *" "" patterns "${patterns}")
  string(REGEX MATCH "[+].*" prefix "${patterns}")
  string(REGEX REPLACE " *[+].*" "" patterns "${patterns}")
  separate_arguments(patterns)
  set(seeds "")
  if(patterns)
    list(TRANSFORM patterns PREPEND ${CMAKE_SOURCE_DIR}/)
    file(GLOB seeds CONFIGURE_DEPENDS ${patterns})
  endif()
  add_test(NAME fuzz.${name} COMMAND ${name} ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${name} ${prefix} ${seeds})
  # Fresh and freed memory holds no zeros: whoever reads it is seen.
  set_tests_properties(fuzz.${name} PROPERTIES ENVIRONMENT
    "MALLOC_PERTURB_=165;ASAN_OPTIONS=max_malloc_fill_size=16777216:malloc_fill_byte=165")
endforeach()
