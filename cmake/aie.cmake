# SPDX-License-Identifier: MIT
# AI Engine: what the general rules for tests, benchmarks and examples do not cover.

# Tests that compare every family with a model. Those of the multiply family compile thousands of overloads as functions:
# optimising them takes longer than running them.
set(aie_mul_tests mul mul_complex mul_complex80)
set(aie_model_tests ${aie_mul_tests} lanes shift float scalar move)
foreach(name IN LISTS aie_mul_tests)
  set_source_files_properties(tests/aie/test_aie_${name}.c PROPERTIES COMPILE_OPTIONS "-O0")
endforeach()
foreach(name IN ITEMS lanes shift scalar move)
  set_source_files_properties(tests/aie/test_aie_${name}.c PROPERTIES COMPILE_OPTIONS "-O1")
endforeach()
# gcc fuses products and sums from -O2 on.
set(fused -O2)
if(TW_SANITIZE)
  set(fused -O1)
endif()
foreach(name IN ITEMS float constant)
  set_source_files_properties(tests/aie/test_aie_${name}.c PROPERTIES COMPILE_OPTIONS "${fused}")
endforeach()

# Half of the time to compile what the functions inline goes into four checks of pointers; AddressSanitizer watches them.
set(lean "")
if(TW_SANITIZE MATCHES "undefined")
  set(lean -fno-sanitize=null,alignment,object-size,pointer-overflow)
endif()
if(BUILD_TESTING)
  foreach(name IN LISTS aie_model_tests ITEMS constant worked contract)
    if(TARGET test_aie_${name})
      target_compile_options(test_aie_${name} PRIVATE ${lean})
    endif()
  endforeach()
endif()

# As users compile: what a compiler contracts by itself must not show.
set(contracted -ffp-contract=on)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  set(contracted -ffp-contract=fast)
endif()
set_source_files_properties(tests/aie/test_aie_contract.c PROPERTIES COMPILE_OPTIONS "${fused};${contracted}")

# ./dev nightly: 100 times the cases of a normal run, which makes a million calls a family and more.
if(BUILD_TESTING AND NOT CMAKE_CROSSCOMPILING)
  foreach(name IN LISTS aie_model_tests ITEMS constant)
    if(TARGET test_aie_${name})
      add_test(NAME nightly.aie_${name} CONFIGURATIONS nightly COMMAND test_aie_${name})
      set_tests_properties(nightly.aie_${name} PROPERTIES LABELS nightly ENVIRONMENT TW_AIE_SCALE=100)
    endif()
  endforeach()
endif()

# The same comparisons in C++, where overloads take the place of macros. Not the multiply family, whose thousands of calls
# would have to be inlined there.
if(BUILD_TESTING AND TARGET tw_aie)
  foreach(name IN ITEMS lanes shift float scalar move)
    if(TW_SANITIZE) # the C programs call the same functions
      add_test(NAME aie.cxx_${name} COMMAND aie_cxx_${name})
      set_tests_properties(aie.cxx_${name} PROPERTIES DISABLED TRUE)
      continue()
    endif()
    set(source ${CMAKE_BINARY_DIR}/aie_cxx/${name}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"aie/test_aie_${name}.c\"\n")
    add_executable(aie_cxx_${name} ${source})
    target_include_directories(aie_cxx_${name} PRIVATE tests)
    target_link_libraries(aie_cxx_${name} PRIVATE tw_aie tw_test_select m)
    set_target_properties(aie_cxx_${name} PROPERTIES CXX_STANDARD 17)
    target_compile_options(aie_cxx_${name} PRIVATE -O0)
    add_test(NAME aie.cxx_${name} COMMAND aie_cxx_${name})
    if(TARGET tests)
      add_dependencies(tests aie_cxx_${name})
    endif()
  endforeach()
endif()

# The same source as C and as C++: every rule of the checks; ports and graphs.
if(BUILD_TESTING AND TARGET tw_aie)
  foreach(name IN ITEMS checks_c.c checks_cxx.cpp ports_c.c ports_cxx.cpp unread_cxx.cpp graph/programs_cxx.cpp
                  graph/parameters_cxx.cpp graph/ports_cxx.cpp graph/packets_cxx.cpp graph/unwind_cxx.cpp graph/starving_cxx.cpp graph/values_cxx.cpp
                  graph/platform_cxx.cpp graph/layered_cxx.cpp graph/published_cxx.cpp)
    string(REGEX REPLACE "\\.[a-z]+$" "" stem "${name}")
    string(REPLACE "/" "_" stem "${stem}")
    if(TW_SANITIZE AND stem STREQUAL checks_cxx) # a minute of compiling; checks_c calls the same functions
      add_test(NAME aie.${stem} COMMAND aie_${stem})
      set_tests_properties(aie.${stem} PROPERTIES DISABLED TRUE)
      continue()
    endif()
    add_executable(aie_${stem} tests/aie/${name})
    target_link_libraries(aie_${stem} PRIVATE tw_aie)
    target_include_directories(aie_${stem} PRIVATE include/tilewright/compat/aie)
    target_compile_options(aie_${stem} PRIVATE ${lean})
    set_target_properties(aie_${stem} PROPERTIES CXX_STANDARD 17)
    if(stem MATCHES "^graph_(values|published)_cxx$") # the size of a graph; designated initialisers
      set_target_properties(aie_${stem} PROPERTIES CXX_STANDARD 20)
    endif()
    if(stem STREQUAL graph_platform_cxx) # initialisation functions are found by their names
      target_link_options(aie_${stem} PRIVATE -rdynamic)
    endif()
    set(level -O1)
    if(TW_SANITIZE AND stem MATCHES "^(graph|unread)_") # a fifth of the time; what checks inlines takes ten times as long
      set(level -O0)
    endif()
    set_source_files_properties(tests/aie/${name} PROPERTIES COMPILE_OPTIONS "${level}")
    add_test(NAME aie.${stem} COMMAND aie_${stem})
    if(TARGET tests)
      add_dependencies(tests aie_${stem})
    endif()
  endforeach()
endif()

# Names and forms of the guide, each called once: functions, because inlining them all takes minutes.
if(BUILD_TESTING AND TARGET tw_aie)
  foreach(name IN ITEMS forms_c.c forms_vendor.cpp)
    cmake_path(GET name STEM stem)
    add_executable(aie_${stem} tests/aie/names/${name})
    target_link_libraries(aie_${stem} PRIVATE tw_aie m)
    set_target_properties(aie_${stem} PROPERTIES CXX_STANDARD 17)
    target_compile_options(aie_${stem} PRIVATE -O0 "-DTW__AIE=static inline __attribute__((unused))")
    add_test(NAME aie.${stem} COMMAND aie_${stem})
    if(TARGET tests)
      add_dependencies(tests aie_${stem})
    endif()
  endforeach()
endif()

# With AVX2 lanes are picked by other code, with constant offsets by yet another: the same tests once more, compiled for
# it.
if(BUILD_TESTING AND TARGET tw_aie AND TW_X86)
  foreach(name IN LISTS aie_model_tests ITEMS constant contract)
    if(TW_SANITIZE AND name MATCHES "^(mul.*|constant)$") # long to compile; lanes in registers are nothing to watch
      add_test(NAME aie.avx2_${name} COMMAND aie_avx2_${name})
      set_tests_properties(aie.avx2_${name} PROPERTIES DISABLED TRUE)
      continue()
    endif()
    add_executable(aie_avx2_${name} tests/aie/test_aie_${name}.c)
    target_include_directories(aie_avx2_${name} PRIVATE tests)
    target_link_libraries(aie_avx2_${name} PRIVATE tw_aie tw_test_select m)
    target_compile_options(aie_avx2_${name} PRIVATE -mavx2 -mfma) # fused products would be wrong
    add_test(NAME aie.avx2_${name} COMMAND sh -c
             "grep -qw fma /proc/cpuinfo || exit 77; exec $<TARGET_FILE:aie_avx2_${name}>")
    set_tests_properties(aie.avx2_${name} PROPERTIES SKIP_RETURN_CODE 77)
    if(TARGET tests)
      add_dependencies(tests aie_avx2_${name})
    endif()
  endforeach()
  foreach(name IN ITEMS ports_c.c ports_cxx.cpp) # vectors of 256 bits at addresses of 16 bytes
    cmake_path(GET name STEM stem)
    add_executable(aie_avx2_${stem} tests/aie/${name})
    target_link_libraries(aie_avx2_${stem} PRIVATE tw_aie)
    target_compile_options(aie_avx2_${stem} PRIVATE -mavx2 -O2)
    add_test(NAME aie.avx2_${stem} COMMAND sh -c
             "grep -qw avx2 /proc/cpuinfo || exit 77; exec $<TARGET_FILE:aie_avx2_${stem}>")
    set_tests_properties(aie.avx2_${stem} PROPERTIES SKIP_RETURN_CODE 77)
    if(TARGET tests)
      add_dependencies(tests aie_avx2_${stem})
    endif()
  endforeach()
endif()

# The overloads of the multiply family are generated: a header of the build tree, beside those of the source tree.
add_executable(aie_mul_calls src/aie/gen/mul_calls.c)
set(aie_calls ${CMAKE_BINARY_DIR}/include/tilewright/aie/detail/mul_calls.h)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include/tilewright/aie/detail)
add_custom_command(OUTPUT ${aie_calls} COMMAND aie_mul_calls ${aie_calls} DEPENDS aie_mul_calls VERBATIM)
add_custom_target(aie_calls DEPENDS ${aie_calls})
foreach(user IN ITEMS tw_aie tilewright)
  if(TARGET ${user})
    add_dependencies(${user} aie_calls)
    target_include_directories(${user} PUBLIC $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>)
  endif()
endforeach()
install(FILES ${aie_calls} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tilewright/aie/detail COMPONENT development)
# For scripts that call compilers themselves.
function(tw_aie_script test)
  set_tests_properties(${test} PROPERTIES ENVIRONMENT_MODIFICATION
                       "CPATH=path_list_prepend:${CMAKE_BINARY_DIR}/include" ${ARGN})
endfunction()

if(TW_TEST_SCRIPTS)
  add_test(NAME aie.refused COMMAND sh ${CMAKE_SOURCE_DIR}/tests/aie/names/refused_test.sh ${CMAKE_SOURCE_DIR})
  tw_aie_script(aie.refused)
  if(TW_SANITIZE) # compiles only
    set_tests_properties(aie.refused PROPERTIES DISABLED TRUE)
  endif()
endif()
if(BUILD_TESTING AND TW_X86)
  foreach(compiler IN ITEMS gcc clang-19)
    foreach(arch IN ITEMS x86-64 x86-64-v3)
      string(REPLACE "x86-64-v3" "avx2" suffix "${compiler}_${arch}")
      string(REGEX REPLACE "-19|_x86-64" "" suffix "${suffix}")
      add_test(NAME aie.straight_code_${suffix} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/aie/straight_test.sh
               ${CMAKE_SOURCE_DIR} ${compiler} ${arch})
      tw_aie_script(aie.straight_code_${suffix} SKIP_RETURN_CODE 77)
      if(TW_SANITIZE) # looks at code, runs none
        set_tests_properties(aie.straight_code_${suffix} PROPERTIES DISABLED TRUE)
      endif()
    endforeach()
  endforeach()
endif()

# The same instruction set for the peers and for us.
if(TW_X86)
  set_source_files_properties(bench/bench_aie.c bench/bench_aie_more.c PROPERTIES COMPILE_OPTIONS "-march=x86-64-v3")
endif()

# Examples are built like a user's programs and run as tests.
if(TARGET tilewright)
  set(aie_dir ${CMAKE_BINARY_DIR}/examples/aie)
  file(MAKE_DIRECTORY ${aie_dir})
  set(TW_AIE_EXAMPLES "")
  foreach(file IN ITEMS fir_int16.c fir_cint16.c matmul_int8.c conv2d.c halfband.c cascade.c gemv_float.c graph.cpp)
    cmake_path(GET file STEM name)
    list(APPEND TW_AIE_EXAMPLES ${name})
    set(source ${CMAKE_SOURCE_DIR}/examples/aie/${file})
    add_executable(example_aie_${name} ${source})
    target_link_libraries(example_aie_${name} PRIVATE tilewright m)
    set_target_properties(example_aie_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${aie_dir}
                          CXX_STANDARD 17)
    target_include_directories(example_aie_${name} PRIVATE include/tilewright/compat/aie)
    if(TW_TEST_SCRIPTS)
      add_test(NAME examples.aie_${name} WORKING_DIRECTORY ${aie_dir}
               COMMAND sh ${CMAKE_SOURCE_DIR}/tests/cli/run_example.sh ${source} $<TARGET_FILE:example_aie_${name}>)
    endif()
  endforeach()
  if(TW_TEST_SCRIPTS)
    foreach(what IN ITEMS pointers pointer_cycles zstart examples)
      add_test(NAME aie.reported_${what} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/aie/reported_test.sh ${CMAKE_SOURCE_DIR}
                                                 ${CMAKE_BINARY_DIR} ${what})
      tw_aie_script(aie.reported_${what} SKIP_RETURN_CODE 77)
      if(TW_SANITIZE) # they bring the sanitizers' functions themselves
        set_tests_properties(aie.reported_${what} PROPERTIES DISABLED TRUE)
      endif()
    endforeach()
    if(TARGET tests)
      add_dependencies(tests tilewright_aie_check)
    endif()
  endif()
  if(TW_TEST_SCRIPTS)
    foreach(script IN ITEMS names/names_test.sh names/vendor_test.sh names/clash_test.sh names/forms_test.sh
                    graph/adf_test.sh vendor_api/vendor_api_test.sh)
      string(REGEX REPLACE ".*/|_test\\.sh$" "" name "${script}")
      add_test(NAME aie.${name} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/aie/${script} ${CMAKE_SOURCE_DIR}
               $<TARGET_FILE:tilewright> -Wl,-rpath,$<TARGET_FILE_DIR:tilewright>)
      tw_aie_script(aie.${name})
      if(TW_SANITIZE) # they link programs of their own, without a sanitizer
        set_tests_properties(aie.${name} PROPERTIES DISABLED TRUE)
      endif()
    endforeach()
    set_tests_properties(aie.vendor_api PROPERTIES SKIP_RETURN_CODE 77)
    foreach(name IN ITEMS cycles cycles_published cycles_hints)
      string(REGEX REPLACE "^cycles_" "" script "${name}")
      add_test(NAME aie.${name} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/aie/cycles/${script}_test.sh ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
      set_tests_properties(aie.${name} PROPERTIES SKIP_RETURN_CODE 77)
      if(TW_SANITIZE)
        set_tests_properties(aie.${name} PROPERTIES DISABLED TRUE)
      endif()
    endforeach()
  endif()
endif()
