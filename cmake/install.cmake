# SPDX-License-Identifier: MIT
# What an installed Tilewright consists of. Everything is found relative to the library, so that the tree can be moved.
if(NOT TARGET tilewright_program)
  return()
endif()
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tilewright)

install(TARGETS tilewright tilewright_aie_check tilewright_ascend EXPORT tilewright LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS tilewright_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(name IN LISTS TW_CLI_NAMES)
  install(FILES ${CMAKE_BINARY_DIR}/bin/${name} DESTINATION ${CMAKE_INSTALL_BINDIR})
endforeach()
install(DIRECTORY include/tilewright include/poplar DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY examples/compare DESTINATION ${CMAKE_INSTALL_DATADIR}/tilewright) # programs of `tilewright compare`

install(EXPORT tilewright NAMESPACE tilewright:: DESTINATION ${package_dir} FILE tilewrightConfig.cmake)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/tilewrightConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/tilewrightConfigVersion.cmake DESTINATION ${package_dir})

# ${pcfiledir} is <prefix>/<libdir>/pkgconfig: as many steps up as the library folder is deep, and one more.
string(REGEX REPLACE "[^/]+" ".." up "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
configure_file(cmake/tilewright.pc.in tilewright.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/tilewright.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES completions/tilewright.bash RENAME tilewright
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
