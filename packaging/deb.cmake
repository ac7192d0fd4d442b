# SPDX-License-Identifier: MIT
# CPack runs this between installation into one folder for each package, and packing (cmake/packages.cmake): what a package for
# Debian has, and an installed tree that can be moved has not. CPACK_TEMPORARY_DIRECTORY/COMPONENT/usr/...
set(source ${CMAKE_CURRENT_LIST_DIR}/..)
file(READ ${source}/LICENSE licence)
string(REGEX REPLACE "\n\n" "\n.\n" licence "${licence}")
string(REGEX REPLACE "\n$" "" licence "${licence}")
string(REPLACE "\n" "\n " licence "${licence}")
# The time of the commit, or of now where there is none.
execute_process(COMMAND git -C ${source} log -1 --format=%aD OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT date)
  string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
endif()
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  set(doc ${root}/share/doc/${package})
  file(WRITE ${doc}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Tilewright

Files: *
Copyright: 2026 Tilewright contributors
License: Expat
 ${licence}
")
  file(WRITE ${doc}/changelog "tilewright (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * What changed for users: CHANGELOG.md in the package tilewright.

 -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${date}
")
  execute_process(COMMAND gzip -9nf ${doc}/changelog COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE ${doc}/LICENSE)
  # Libraries are in folders that the loader searches.
  file(GLOB objects ${root}/bin/* ${root}/lib/lib*.so* ${root}/lib/tilewright/*.so)
  foreach(object IN LISTS objects)
    if(IS_SYMLINK ${object})
      continue()
    endif()
    file(READ ${object} magic LIMIT 4 HEX)
    if(magic STREQUAL "7f454c46")
      file(RPATH_REMOVE FILE ${object})
    endif()
  endforeach()
endforeach()
