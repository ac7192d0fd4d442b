# AI Engine: what the general rules for tests, benchmarks and examples do not cover.

# Tests of thousands of overloads, compiled as functions: optimising them takes longer than running them.
if(TARGET test_aie_mul)
  set_source_files_properties(tests/aie/test_aie_mul.c PROPERTIES COMPILE_OPTIONS "-O0")
endif()

# The overloads of the multiply family are generated and kept, so that programs outside the build tree need no second
# include folder. `ninja aie_calls` rewrites them; a test says when they are not what the table gives.
add_executable(aie_mul_calls src/aie/gen/mul_calls.c)
set(aie_calls ${CMAKE_SOURCE_DIR}/include/tilewright/aie/calls_mul.h)
add_custom_target(aie_calls COMMAND aie_mul_calls ${aie_calls} VERBATIM)
if(BUILD_TESTING)
  add_test(NAME aie.calls_are_current COMMAND aie_mul_calls --check ${aie_calls})
endif()
if(BUILD_TESTING)
  add_test(NAME aie.straight_code COMMAND sh ${CMAKE_SOURCE_DIR}/tests/aie/straight_test.sh ${CMAKE_SOURCE_DIR})
endif()

# The same instruction set for the peers and for us.
set_source_files_properties(bench/bench_aie.c PROPERTIES COMPILE_OPTIONS "-march=x86-64-v3")
