# SPDX-License-Identifier: MIT
# The package libpvti on top of the package tilewright beside it.
include(CMakeFindDependencyMacro)
find_dependency(tilewright HINTS ${CMAKE_CURRENT_LIST_DIR}/../tilewright)
if(NOT TARGET libpvti)
  add_library(libpvti INTERFACE IMPORTED)
  target_link_libraries(libpvti INTERFACE tilewright::pvti)
endif()
