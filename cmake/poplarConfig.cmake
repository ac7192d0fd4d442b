# SPDX-License-Identifier: MIT
# The package poplar on top of the package tilewright beside it.
include(CMakeFindDependencyMacro)
find_dependency(tilewright HINTS ${CMAKE_CURRENT_LIST_DIR}/../tilewright)
if(NOT TARGET poplar)
  add_library(poplar INTERFACE IMPORTED)
  target_link_libraries(poplar INTERFACE tilewright::poplar)
  add_executable(popc_bin IMPORTED)
  find_program(POPLAR_POPC popc HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../bin REQUIRED)
  set_target_properties(popc_bin PROPERTIES IMPORTED_LOCATION ${POPLAR_POPC})
endif()
