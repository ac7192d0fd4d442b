# SPDX-License-Identifier: MIT
# Examples are built like a user's programs, against the shared library, and run as tests from their own folders; the
# lines "prints: ..." of their first comment say what must come out. adder is also run from source (tests/cli).
if(NOT TARGET tilewright_program OR NOT TARGET popc_module)
  return()
endif()
set(example_dir ${CMAKE_BINARY_DIR}/examples)
file(MAKE_DIRECTORY ${example_dir})
set(run_example ${CMAKE_SOURCE_DIR}/tests/cli/run_example.sh)

# tw_example_on_tiles(name source program [arguments...]): an example runs once more on simulated tiles, where its
# codelets are code of the chip, and prints the same.
function(tw_example_on_tiles name source)
  if(NOT TARGET cc_module)
    return()
  endif()
  get_filename_component(folder ${source} DIRECTORY)
  add_test(NAME examples.${name}_on_tiles COMMAND sh ${run_example} ${source} ${ARGN})
  set_tests_properties(examples.${name}_on_tiles PROPERTIES SKIP_RETURN_CODE 77 WORKING_DIRECTORY ${folder}
    ENVIRONMENT "TILEWRIGHT_DEVICE=ipu-sim;TILEWRIGHT_DEVICES=sim")
  if(TW_SANITIZE AND name MATCHES "^(heat|scale_host)$") # minutes in the simulator, which the others and the tests watch
    set_tests_properties(examples.${name}_on_tiles PROPERTIES DISABLED TRUE)
  endif()
endfunction()

# tw_example(folder name [arguments...]): examples/poplar/<folder>/<name>.c
function(tw_example folder name)
  set(source ${CMAKE_SOURCE_DIR}/examples/poplar/${folder}/${name}.c)
  add_executable(example_${name} ${source})
  target_link_libraries(example_${name} PRIVATE tilewright m)
  set_target_properties(example_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${example_dir})
  if(BUILD_TESTING)
    add_test(NAME examples.${name} COMMAND sh ${run_example} ${source} $<TARGET_FILE:example_${name}> ${ARGN})
    set_tests_properties(examples.${name} PROPERTIES SKIP_RETURN_CODE 77
      WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}/examples/poplar/${folder})
  endif()
endfunction()

tw_example(adder adder)
tw_example(adder_popc adder_popc ${example_dir}/adder_codelets.gp)
tw_example(scale scale_host)
tw_example(vector_add vector_add)
tw_example(heat heat ${example_dir}/heat.ppm)
tw_example(streams streams)
tw_example(pipeline pipeline)
tw_example(guide guide_control_flow)
tw_example(guide guide_virtual_graphs)
tw_example(guide guide_streams)
tw_example(guide guide_device_code)
tw_example(colossus addend)
tw_example(colossus split)
tw_example(colossus dot)
tw_example(guide guide_profile ${example_dir}/graph_profile.json ${example_dir}/execution_profile.json)

# The pair for matmul is made by matmul itself; the shapes divide neither by tiles nor by workers.
tw_example(matmul matmul ${example_dir}/a.npy ${example_dir}/b.npy ${example_dir}/c.npy)
if(BUILD_TESTING)
  add_test(NAME examples.matmul_make
           COMMAND example_matmul --make 301 203 257 ${example_dir}/a.npy ${example_dir}/b.npy)
  set_tests_properties(examples.matmul_make PROPERTIES FIXTURES_SETUP matrices)
  set_tests_properties(examples.matmul PROPERTIES FIXTURES_REQUIRED matrices)
endif()

# The precompiled codelets of adder_popc.
set(adder_codelets ${CMAKE_SOURCE_DIR}/examples/poplar/adder/adder_codelets.cpp)
add_custom_command(OUTPUT ${example_dir}/adder_codelets.gp VERBATIM
  COMMAND tilewright_program popc ${adder_codelets} -o ${example_dir}/adder_codelets.gp
  DEPENDS ${adder_codelets} tilewright_program)
add_custom_target(example_gp ALL DEPENDS ${example_dir}/adder_codelets.gp)
add_dependencies(example_gp popc_module)

# On simulated tiles; heat stops earlier there.
if(BUILD_TESTING)
  set(poplar_examples ${CMAKE_SOURCE_DIR}/examples/poplar)
  foreach(name IN ITEMS adder/adder vector_add/vector_add scale/scale_host streams/streams pipeline/pipeline
                        guide/guide_control_flow guide/guide_streams guide/guide_virtual_graphs)
    get_filename_component(program ${name} NAME)
    tw_example_on_tiles(${program} ${poplar_examples}/${name}.c $<TARGET_FILE:example_${program}>)
  endforeach()
  tw_example_on_tiles(adder_popc ${poplar_examples}/adder_popc/adder_popc.c $<TARGET_FILE:example_adder_popc>
                      ${example_dir}/adder_codelets.gp)
  tw_example_on_tiles(heat ${poplar_examples}/heat/heat.c $<TARGET_FILE:example_heat> ${example_dir}/heat_sim.ppm 3e-3)
  tw_example_on_tiles(matmul ${poplar_examples}/matmul/matmul.c $<TARGET_FILE:example_matmul> ${example_dir}/a.npy
                      ${example_dir}/b.npy ${example_dir}/c_sim.npy)
  if(TARGET cc_module)
    set_tests_properties(examples.matmul_on_tiles PROPERTIES FIXTURES_REQUIRED matrices)
  endif()
endif()
