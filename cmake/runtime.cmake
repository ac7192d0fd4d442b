# SPDX-License-Identifier: MIT
# The runtime library of the IPU's tiles (src/poplar/colossus/cc/rt), an object for each part and chip, which the linker
# (src/poplar/colossus/link/library.c) finds beside the modules. Made by the assembler and the compiler of this build.
if(CMAKE_CROSSCOMPILING)
  return()
endif()
set(folder ${CMAKE_BINARY_DIR}/tilewright/runtime)
add_executable(cc_runtime src/poplar/colossus/cc/rt/make.c)
target_link_libraries(cc_runtime PRIVATE tw_colossus)
file(GLOB sources CONFIGURE_DEPENDS src/poplar/colossus/cc/rt/*)
set(module "")
if(TARGET cc_module)
  set(module cc_module)
endif()
add_custom_command(OUTPUT ${folder}/made COMMAND cc_runtime ${CMAKE_SOURCE_DIR}/src/poplar/colossus/cc/rt ${folder}
  COMMAND ${CMAKE_COMMAND} -E touch ${folder}/made DEPENDS cc_runtime ${module} ${sources}
  COMMENT "Making the runtime library of tiles")
add_custom_target(runtime ALL DEPENDS ${folder}/made)
install(DIRECTORY ${folder} DESTINATION ${CMAKE_INSTALL_LIBDIR}/tilewright COMPONENT poplar
        FILES_MATCHING PATTERN "*.o")
if(TARGET tests)
  add_dependencies(tests runtime)
  # More of what the usual tests take a sample of.
  add_test(NAME nightly.cc_csmith CONFIGURATIONS nightly COMMAND test_cc_csmith)
  set_tests_properties(nightly.cc_csmith PROPERTIES LABELS nightly ENVIRONMENT "TW_SEEDS=1:200")
  add_test(NAME nightly.cc_programs CONFIGURATIONS nightly COMMAND test_cc_programs)
  set_tests_properties(nightly.cc_programs PROPERTIES LABELS nightly ENVIRONMENT "TW_TEST=random;TW_SEEDS=100:200")
  add_test(NAME nightly.cc_rt_divide CONFIGURATIONS nightly COMMAND test_cc_rt_divide)
  set_tests_properties(nightly.cc_rt_divide PROPERTIES LABELS nightly ENVIRONMENT "TW_NIGHTLY=1")
endif()
if(TARGET tilewright_program)
  add_dependencies(tilewright_program runtime)
endif()
