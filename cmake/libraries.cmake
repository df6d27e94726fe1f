# Libraries that weft uses where they are installed. An option is AUTO (use what is found), ON (must be found) or OFF.
# What is used: WEFT_LIBRARIES (names to link), WEFT_LIBRARY_DIRS, WEFT_LIBRARY_INCLUDES, WEFT_LIBRARY_DEFINITIONS
# (WEFT_WITH_<NAME>=1), and WEFT_LIBS_PRIVATE, the flags that a static link against libweft.a needs (weft.pc).
# Libs.private and not Requires.private: a program that links libweft.so needs none of the -dev packages. The order
# and the repeats of the flags stay: a fully static link needs them.
find_package(PkgConfig QUIET)

# weft_use(OPTION NAME MODULE PACKAGE): the pkg-config module MODULE, of the Debian package PACKAGE.
macro(weft_use option name module package)
  set_property(CACHE ${option} PROPERTY STRINGS AUTO ON OFF)
  set(WEFT_WITH_${name} OFF)
  set(WEFT_FOUND_${name} "not found")
  string(TOUPPER "${${option}}" weft_wanted)
  if(weft_wanted STREQUAL "AUTO" OR ${option})
    if(PKG_CONFIG_FOUND)
      pkg_check_modules(WEFT_PC_${name} QUIET ${module})
    endif()
    if(WEFT_PC_${name}_FOUND)
      set(WEFT_WITH_${name} ON)
      set(WEFT_FOUND_${name} ${WEFT_PC_${name}_VERSION})
      list(APPEND WEFT_LIBRARIES ${WEFT_PC_${name}_LIBRARIES})
      list(APPEND WEFT_LIBRARY_DIRS ${WEFT_PC_${name}_LIBRARY_DIRS})
      list(APPEND WEFT_LIBRARY_INCLUDES ${WEFT_PC_${name}_INCLUDE_DIRS})
      list(APPEND WEFT_LIBRARY_DEFINITIONS WEFT_WITH_${name}=1)
      list(APPEND WEFT_LIBS_PRIVATE ${WEFT_PC_${name}_STATIC_LDFLAGS})
    elseif(NOT weft_wanted STREQUAL "AUTO")
      message(FATAL_ERROR "${option}=${${option}} needs pkg-config and ${module}: apt-get install pkg-config ${package}, "
        "or configure with -D${option}=OFF")
    endif()
  else()
    set(WEFT_FOUND_${name} "off")
  endif()
  list(APPEND WEFT_LIBRARY_SUMMARY "${module} ${WEFT_FOUND_${name}}")
endmacro()

foreach(list LIBRARIES LIBRARY_DIRS LIBRARY_INCLUDES LIBRARY_DEFINITIONS LIBS_PRIVATE LIBRARY_SUMMARY)
  set(WEFT_${list} "")
endforeach()
weft_use(WEFT_PCRE2 PCRE2 libpcre2-8 libpcre2-dev)
weft_use(WEFT_ZLIB ZLIB zlib zlib1g-dev)
weft_use(WEFT_PICTURES JPEG libjpeg libjpeg-dev)
weft_use(WEFT_PICTURES PNG libpng libpng-dev)
weft_use(WEFT_PICTURES TIFF libtiff-4>=4.5 libtiff-dev)  # 4.5: errors go to the caller, not to a handler of the process
weft_use(WEFT_PICTURES JP2 libopenjp2>=2.5 libopenjp2-7-dev)  # 2.5: a cut picture is an error
weft_use(WEFT_PICTURES WEBP libwebp libwebp-dev)
foreach(list LIBRARIES LIBRARY_DIRS LIBRARY_INCLUDES)
  list(REMOVE_DUPLICATES WEFT_${list})
endforeach()
foreach(dir ${CMAKE_C_IMPLICIT_LINK_DIRECTORIES})
  list(REMOVE_ITEM WEFT_LIBS_PRIVATE "-L${dir}")
endforeach()
list(JOIN WEFT_LIBS_PRIVATE " " WEFT_LIBS_PRIVATE)
list(JOIN WEFT_LIBRARY_SUMMARY ", " WEFT_LIBRARY_SUMMARY)
message(STATUS "libraries: ${WEFT_LIBRARY_SUMMARY}")
