# SPDX-License-Identifier: MIT
# The package pva on top of the package tilewright beside it.
include(CMakeFindDependencyMacro)
find_dependency(tilewright HINTS ${CMAKE_CURRENT_LIST_DIR}/../tilewright)
if(NOT TARGET pva)
  add_library(pva INTERFACE IMPORTED)
  target_link_libraries(pva INTERFACE tilewright::pva)
endif()
