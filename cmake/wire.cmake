# SPDX-License-Identifier: MIT
# Modules that hold the only code linked with MPI, one for each MPI library that is there; src/core/wire/start.c loads the
# one of the launcher. Without MPI there is none, everything runs in one process, and tests of several ranks are skipped.
# The library and the program say of which commit they are: what the program prints, what ranks compare.
add_custom_target(tw_commit BYPRODUCTS ${CMAKE_BINARY_DIR}/commit/commit.h VERBATIM
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DOUT=${CMAKE_BINARY_DIR}/commit/commit.h
          -P ${CMAKE_SOURCE_DIR}/cmake/commit.cmake)
set_property(SOURCE src/core/base/build.c APPEND PROPERTY INCLUDE_DIRECTORIES ${CMAKE_BINARY_DIR}/commit)
add_dependencies(tw_base tw_commit)
set(TW_WIRE_MODULES "")
function(tw_wire_module name library package title)
  pkg_check_modules(${name} QUIET IMPORTED_TARGET ${package})
  if(NOT ${name}_FOUND)
    return()
  endif()
  add_library(${name} MODULE src/core/wire/mpi/module.c)
  target_include_directories(${name} PRIVATE src include)
  target_link_libraries(${name} PRIVATE PkgConfig::${name})
  target_compile_definitions(${name} PRIVATE TW_MPI_NAME="${title}")
  set_target_properties(${name} PROPERTIES PREFIX "" OUTPUT_NAME ${library}
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tilewright)
  tw_installed_beside(${name} "")
  tw_harden(${name})
  install(TARGETS ${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tilewright COMPONENT mpi)
  foreach(user IN ITEMS tw_wire tilewright)
    add_dependencies(${user} ${name})
  endforeach()
  set(TW_WIRE_MODULES ${TW_WIRE_MODULES} ${name} PARENT_SCOPE)
endfunction()
if(NOT CMAKE_CROSSCOMPILING AND NOT TW_SANITIZE) # MPI itself leaks and races
  tw_wire_module(wire_openmpi wire-openmpi ompi-c "Open MPI")
  tw_wire_module(wire_mpich wire-mpich mpich "MPICH")
endif()
if(NOT TW_WIRE_MODULES AND NOT TW_SANITIZE)
  message(STATUS "libopenmpi-dev or libmpich-dev is not there: programs run in one process, tests of several are skipped")
endif()

# Tests of several ranks: `tw_ranks(NAME COUNT COMMAND...)` is the test mpi.NAME_COUNT. On a machine with fewer cores ranks
# take turns.
find_program(TW_MPIRUN NAMES mpirun.openmpi mpirun)
set(TW_RANKS OFF)
if(TARGET wire_openmpi AND TW_MPIRUN)
  set(TW_RANKS ON)
  # Containers may forbid copies from process to process, and have no network or ssh: none of it is needed here.
  set(TW_LAUNCH ${TW_MPIRUN} --allow-run-as-root --oversubscribe --mca pml ob1 --mca btl self,vader
      --mca btl_vader_single_copy_mechanism none)
endif()
function(tw_ranks name count)
  add_test(NAME mpi.${name}_${count} COMMAND ${TW_LAUNCH} -n ${count} ${ARGN})
  set_tests_properties(mpi.${name}_${count} PROPERTIES LABELS mpi PROCESSORS ${count}
    ENVIRONMENT "TW_WIRE_RANKS=${count};OMP_NUM_THREADS=1;POPLAR_ENGINE_OPTIONS={\"mpi.map\":\"tiles\"}")
endfunction()
