# Plug-ins (plugins/weft_*.c, src/base/plugin.h): each is a module that links one library of others; weft itself links none.
# An option is AUTO (build what pkg-config finds), ON (all must be found) or OFF. They are built into, and installed under,
# lib/weft/plugins, where weft looks for them from its own place (src/base/plugin_folder.c).
find_package(PkgConfig QUIET)
set(WEFT_PLUGINS_DIR ${CMAKE_INSTALL_FULL_LIBDIR}/weft/plugins)
file(RELATIVE_PATH WEFT_PLUGINS_FROM_BIN ${CMAKE_INSTALL_FULL_BINDIR} ${WEFT_PLUGINS_DIR})
# Seen from the tests, as an installed tool sees it; there even when it is empty, so that no other folder is taken.
get_filename_component(WEFT_PLUGINS_BUILT ${WEFT_PLUGINS_FROM_BIN} ABSOLUTE BASE_DIR ${CMAKE_BINARY_DIR}/tests)
file(MAKE_DIRECTORY ${WEFT_PLUGINS_BUILT})
set_property(SOURCE ${CMAKE_SOURCE_DIR}/src/base/plugin_folder.c APPEND PROPERTY COMPILE_DEFINITIONS
  WEFT_PLUGINS_FROM_BIN="${WEFT_PLUGINS_FROM_BIN}" WEFT_PLUGINS_INSTALLED="${WEFT_PLUGINS_DIR}")
set(WEFT_PLUGINS "")
set(WEFT_PLUGIN_SUMMARY "")

function(weft_plugin_target name library)
  add_library(weft_plugin_${name} MODULE ${CMAKE_SOURCE_DIR}/plugins/weft_${name}.c)
  set_target_properties(weft_plugin_${name} PROPERTIES PREFIX "" SUFFIX .so OUTPUT_NAME weft_${name}
    LIBRARY_OUTPUT_DIRECTORY ${WEFT_PLUGINS_BUILT})
  target_compile_definitions(weft_plugin_${name} PRIVATE WEFT_PLUGIN_LIBRARY="${library}")
  target_include_directories(weft_plugin_${name} PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
  target_include_directories(weft_plugin_${name} SYSTEM PRIVATE ${WEFT_PC_${name}_INCLUDE_DIRS})
  target_link_directories(weft_plugin_${name} PRIVATE ${WEFT_PC_${name}_LIBRARY_DIRS})
  target_link_libraries(weft_plugin_${name} PRIVATE weft_flags ${WEFT_PC_${name}_LIBRARIES})
endfunction()

# weft_plugin(OPTION NAME MODULE PACKAGE): weft_NAME by the pkg-config module MODULE, of the Debian package PACKAGE.
macro(weft_plugin option name module package)
  set_property(CACHE ${option} PROPERTY STRINGS AUTO ON OFF)
  set(weft_found "not found")
  string(TOUPPER "${${option}}" weft_wanted)
  if(weft_wanted STREQUAL "AUTO" OR ${option})
    if(PKG_CONFIG_FOUND)
      pkg_check_modules(WEFT_PC_${name} QUIET ${module})
    endif()
    if(WEFT_PC_${name}_FOUND)
      set(weft_found ${WEFT_PC_${name}_VERSION})
      string(REGEX REPLACE "[<>=].*" "" weft_module ${module})
      weft_plugin_target(${name} "${weft_module} ${weft_found}")
      list(APPEND WEFT_PLUGINS weft_plugin_${name})
    elseif(NOT weft_wanted STREQUAL "AUTO")
      message(FATAL_ERROR "${option}=${${option}} needs pkg-config and ${module}: apt-get install pkg-config ${package}, "
        "or configure with -D${option}=OFF")
    endif()
  else()
    set(weft_found "off")
  endif()
  if(NOT TARGET weft_plugin_${name})  # of an earlier configuration
    file(REMOVE ${WEFT_PLUGINS_BUILT}/weft_${name}.so)
  endif()
  list(APPEND WEFT_PLUGIN_SUMMARY "${module} ${weft_found}")
endmacro()

weft_plugin(WEFT_PCRE2 pcre2 libpcre2-8 libpcre2-dev)
weft_plugin(WEFT_ZLIB zlib zlib zlib1g-dev)
weft_plugin(WEFT_PICTURES jpeg libjpeg libjpeg-dev)
weft_plugin(WEFT_PICTURES png libpng libpng-dev)
weft_plugin(WEFT_PICTURES tiff libtiff-4>=4.5 libtiff-dev)  # 4.5: errors go to the caller, not to a handler of the process
weft_plugin(WEFT_PICTURES jp2 libopenjp2>=2.5 libopenjp2-7-dev)  # 2.5: a cut picture is an error
weft_plugin(WEFT_PICTURES webp libwebp libwebp-dev)
if(TARGET weft_plugin_pcre2)  # examples that need it
  set_property(SOURCE ${CMAKE_SOURCE_DIR}/ops/string/tokenizer.c ${CMAKE_SOURCE_DIR}/ops/string/static_regex_full_match.c ${CMAKE_SOURCE_DIR}/ops/string/regexes.c
    APPEND PROPERTY COMPILE_DEFINITIONS WEFT_WITH_PCRE2=1)
endif()
list(JOIN WEFT_PLUGIN_SUMMARY ", " WEFT_PLUGIN_SUMMARY)
message(STATUS "plug-ins: ${WEFT_PLUGIN_SUMMARY}")
# SPDX-License-Identifier: Apache-2.0
