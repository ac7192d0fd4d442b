# SPDX-License-Identifier: MIT
# Debian packages, by CPack: ./dev deb. Which file goes where is said where it is installed (COMPONENT). What the linker needs to
# know of the library's path is not in them (packaging/deb.cmake): the system's folders are searched anyway.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "Tilewright contributors")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/dist)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL library programs development poplar)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
    WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/packaging/deb.cmake)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "Tilewright contributors <tilewright@users.noreply.github.com>")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

# What the linker's cache and packages that are built against a library have to know.
function(tw_package_libraries component package)
  set(lines "")
  foreach(library IN LISTS ARGN)
    string(APPEND lines "lib${library} 0 ${package} (>= ${PROJECT_VERSION})\n")
  endforeach()
  set(folder ${CMAKE_BINARY_DIR}/control/${component})
  file(WRITE ${folder}/shlibs "${lines}")
  file(WRITE ${folder}/triggers "activate-noawait ldconfig\n")
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA "${folder}/shlibs;${folder}/triggers" PARENT_SCOPE)
endfunction()
tw_package_libraries(library libtilewright0 tilewright)
tw_package_libraries(poplar tilewright-poplar poplar pva pvti tilewright_poplibs)

# Component, name, section, what it needs beside its libraries, what goes well with it, summary, text in lines of 80.
set(about "Tilewright runs programs for the Graphcore IPU, the Cerebras wafer, the AMD
AI Engine and Ascend on an ordinary machine.")
function(tw_package component name section depends recommends summary text)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_RECOMMENDS "${recommends}" PARENT_SCOPE)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${about}\n${text}" PARENT_SCOPE)
endfunction()
set(same "(= ${PROJECT_VERSION})")
tw_package(library libtilewright0 libs "" "" "programs for tile processors - shared library"
  "This is what its programs, and those that users build, run with.")
tw_package(programs tilewright devel "libtilewright0 ${same}" "python3-numpy, tilewright-poplar ${same}"
  "programs for tile processors - compile, run and profile them"
  "This is the program. CSL and PTO-AS run with it alone, kernels and graphs of
the AI Engine with libtilewright-dev, graphs of the IPU with
tilewright-poplar. Manuals and examples lie in /usr/share/doc/tilewright.")
tw_package(development libtilewright-dev libdevel "libtilewright0 ${same}" "g++, pkg-config"
  "programs for tile processors - headers"
  "These are headers, with pkg-config and CMake files, to build programs
against the library.")
tw_package(poplar tilewright-poplar devel
  "libtilewright0 ${same}, libtilewright-dev ${same}, tilewright ${same}, clang-19, lld-19, g++" ""
  "programs for tile processors - graphs of the IPU"
  "This compiles codelets, by clang 19, for the machine and for the chip. With
it come the interface in C++ and libraries of vertices.")
include(CPack)
