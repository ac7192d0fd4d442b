# SPDX-License-Identifier: MIT
# The package tilewright: targets tilewright::tilewright, ::adf, ::ascend and ::tilewright_aie_check; those of graph programs
# in C++ where they are installed.
include(${CMAKE_CURRENT_LIST_DIR}/tilewrightTargets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/tilewright-poplar.cmake OPTIONAL)
