# SPDX-License-Identifier: MIT
# What an installed Tilewright consists of. Everything is found relative to the library, so that the tree can be moved.
if(NOT TARGET tilewright_program)
  return()
endif()
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tilewright)

install(TARGETS tilewright EXPORT tilewright
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS tilewright_aie_check tilewright_ascend tilewright_adf EXPORT tilewright
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(TARGETS tilewright_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT programs)
# bash and fish look for completions in a file named like the command; zsh reads the names in its one file.
foreach(name IN ITEMS tilewright ${TW_CLI_NAMES})
  set(component programs)
  if(name MATCHES "^popc|^poplar")
    set(component poplar)
  endif()
  if(NOT name STREQUAL tilewright)
    install(FILES ${CMAKE_BINARY_DIR}/bin/${name} DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${component})
  endif()
  install(FILES completions/tilewright.bash RENAME ${name}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT ${component})
  install(FILES completions/tilewright.fish RENAME ${name}.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT ${component})
endforeach()
install(DIRECTORY include/tilewright DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(DIRECTORY include/poplar DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT poplar)
install(DIRECTORY examples/compare DESTINATION ${CMAKE_INSTALL_DATADIR}/tilewright COMPONENT programs) # `tilewright compare`
install(FILES docs/profile.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/tilewright COMPONENT programs)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT programs)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT programs)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT programs)

# Two sets of targets, as the packages are two: what is in the second may not be there.
install(EXPORT tilewright NAMESPACE tilewright:: DESTINATION ${package_dir} FILE tilewrightTargets.cmake
        COMPONENT development)
install(EXPORT tilewright-poplar NAMESPACE tilewright:: DESTINATION ${package_dir} COMPONENT poplar)
install(FILES cmake/tilewrightConfig.cmake DESTINATION ${package_dir} COMPONENT development)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/tilewrightConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/tilewrightConfigVersion.cmake DESTINATION ${package_dir}
        COMPONENT development)

# Two of each: what is installed finds everything relative to itself, so that the tree can be moved, and one in pkgconfig/
# serves programs against the build. ${pcfiledir} is <prefix>/<libdir>/pkgconfig: as many steps up as the library folder is
# deep, and one more.
function(tw_pkg_config name component)
  set(TW_PC_PREFIX ${CMAKE_BINARY_DIR})
  set(TW_PC_INCLUDE ${CMAKE_SOURCE_DIR}/include)
  set(TW_PC_LIB ${CMAKE_BINARY_DIR})
  set(TW_PC_CFLAGS " -I${CMAKE_BINARY_DIR}/include")
  configure_file(cmake/${name}.pc.in pkgconfig/${name}.pc @ONLY)
  string(REGEX REPLACE "[^/]+" ".." up "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
  set(TW_PC_PREFIX "\${pcfiledir}/${up}")
  set(TW_PC_INCLUDE "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
  set(TW_PC_LIB "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
  set(TW_PC_CFLAGS "")
  configure_file(cmake/${name}.pc.in pkgconfig/installed/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/pkgconfig/installed/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT ${component})
endfunction()
tw_pkg_config(tilewright development)
install(FILES completions/_tilewright DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT programs)

# Pages of the manual, by the program.
if(NOT CMAKE_CROSSCOMPILING)
  set(man ${CMAKE_BINARY_DIR}/man)
  add_custom_command(OUTPUT ${man}/tilewright.1.gz VERBATIM DEPENDS tilewright_program packaging/man.sh
    COMMAND sh ${CMAKE_SOURCE_DIR}/packaging/man.sh $<TARGET_FILE:tilewright_program> ${man})
  add_custom_target(man ALL DEPENDS ${man}/tilewright.1.gz)
  install(DIRECTORY ${man}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT programs
          PATTERN "popc*" EXCLUDE PATTERN "poplar*" EXCLUDE)
  install(DIRECTORY ${man}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT poplar
          FILES_MATCHING PATTERN "popc*" PATTERN "poplar*")
endif()

# What the last installation of this build wrote (install_manifest*.txt), and folders that are empty then.
add_custom_target(uninstall USES_TERMINAL VERBATIM
  COMMAND ${CMAKE_COMMAND} -DBUILD=${CMAKE_BINARY_DIR} -P ${CMAKE_SOURCE_DIR}/cmake/uninstall.cmake)

# What an installation consists of, without tests and examples: packages build no more (./dev deb). At the end of the
# configuration all its targets are known; a build may lack some.
add_custom_target(installed)
function(tw_name_installed)
  foreach(target IN ITEMS tilewright tilewright_program debugger_module ir_module cc_module popc_module poplar tw_pva tw_pvti
          tilewright_poplibs libs_gp runtime tilewright_aie_check aie_calls man)
    if(TARGET ${target})
      add_dependencies(installed ${target})
    endif()
  endforeach()
endfunction()
cmake_language(DEFER CALL tw_name_installed)
