# SPDX-License-Identifier: MIT
# The page of reports: web/ bundled by esbuild into one template, which becomes part of the library. Without Node.js or
# the packages (./dev setup gets them; the build downloads nothing) the library is complete but for that page, and says so.
if(NOT TARGET tw_report)
  return()
endif()
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
target_link_libraries(tw_report PUBLIC PkgConfig::ZLIB)
target_link_libraries(tilewright PRIVATE PkgConfig::ZLIB)
find_program(NODE NAMES node nodejs)
set(report_page ${CMAKE_BINARY_DIR}/generated/report.html)
set(report_source ${CMAKE_BINARY_DIR}/generated/report_page.c)
option(TW_REPORT "Build the page of reports when Node.js and its packages are there" ON)
if(TW_REPORT AND NODE AND EXISTS ${CMAKE_SOURCE_DIR}/web/node_modules/esbuild AND EXISTS ${CMAKE_SOURCE_DIR}/web/node_modules/echarts)
  file(GLOB_RECURSE report_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/src/*)
  add_custom_command(OUTPUT ${report_page} VERBATIM
    COMMAND ${NODE} ${CMAKE_SOURCE_DIR}/web/build.mjs ${report_page}
    DEPENDS ${report_files} ${CMAKE_SOURCE_DIR}/web/build.mjs ${CMAKE_SOURCE_DIR}/web/package-lock.json)
  # The assembler reads the file: a table of its bytes in C would take longer to compile than all the rest.
  file(CONFIGURE OUTPUT ${report_source} CONTENT "#include \"report/report.h\"
__asm__(\".pushsection .rodata\\n.globl tw__report_page_begin\\n.hidden tw__report_page_begin\\ntw__report_page_begin:\\n\"
        \".incbin \\\"${report_page}\\\"\\n.globl tw__report_page_end\\n.hidden tw__report_page_end\\ntw__report_page_end:\\n\"
        \".byte 0\\n.popsection\\n\");
extern const char tw__report_page_begin[] __attribute__((visibility(\"hidden\")));
extern const char tw__report_page_end[] __attribute__((visibility(\"hidden\")));
const char *tw__report_template(size_t *bytes)
{
    *bytes = (size_t)(tw__report_page_end - tw__report_page_begin);
    return tw__report_page_begin;
}
")
  set_source_files_properties(${report_source} PROPERTIES OBJECT_DEPENDS ${report_page})
else()
  file(CONFIGURE OUTPUT ${report_source} CONTENT "#include \"report/report.h\"
const char *tw__report_template(size_t *bytes)
{
    *bytes = 0;
    return NULL;
}
")
endif()
target_sources(tw_report PRIVATE ${report_source})
