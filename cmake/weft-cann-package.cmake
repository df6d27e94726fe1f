# Included by find_package(weft); needs weft::cann, weft_TOOL (the program weft) and weft_ASCC (weft-ascc).
#
# weft_cann_package(NAME SOURCES FILE... [OUTPUT FOLDER] [KERNELS FOLDER [RECORDS FILE] [SOC NAME] [FLAGS FLAG...]])
#   A package of operators in CANN's C++, which ASCEND_CUSTOM_OPP_PATH=OUTPUT names (OUTPUT: NAME in the build folder).
#   SOURCES: definition, inference, tiling: the module NAME, a target as any other.
#   KERNELS: the folder of their kernels in Ascend C, add_custom.cpp or .asc for AddCustom. The target NAME_kernels compiles
#   them for each combination of types, beside the module; it does so again when a file of the folder, the record or the
#   module changes. RECORDS, SOC, FLAGS: as `weft op kernels --help` says.
function(weft_cann_package name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUTPUT;KERNELS;RECORDS;SOC" "SOURCES;FLAGS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "weft_cann_package(${name}): '${arg_UNPARSED_ARGUMENTS}' belongs to no keyword; sources follow SOURCES")
  endif()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "weft_cann_package(${name}): SOURCES is missing: the files with the operators' definitions")
  endif()
  if(NOT arg_OUTPUT)
    set(arg_OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  endif()
  get_filename_component(output "${arg_OUTPUT}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  set(folder "${output}/op_graph/lib/linux/${CMAKE_SYSTEM_PROCESSOR}")

  add_library(${name} MODULE ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE weft::cann)
  # $<1:...>: generators of several configurations add no folder of their own
  set_target_properties(${name} PROPERTIES PREFIX lib LIBRARY_OUTPUT_DIRECTORY "$<1:${folder}>")
  if(NOT arg_KERNELS)
    return()
  endif()

  get_filename_component(kernels "${arg_KERNELS}" ABSOLUTE)
  if(NOT IS_DIRECTORY "${kernels}")
    message(FATAL_ERROR "weft_cann_package(${name}): KERNELS: '${kernels}' is no folder")
  endif()
  set(words "${kernels}" --out "${folder}/kernels" --compiler "${weft_ASCC}")
  file(GLOB_RECURSE needed CONFIGURE_DEPENDS "${kernels}/*")
  if(arg_RECORDS)
    get_filename_component(records "${arg_RECORDS}" ABSOLUTE)
    list(APPEND words --records "${records}")
    list(APPEND needed "${records}")
  endif()
  if(arg_SOC)
    list(APPEND words --soc "${arg_SOC}")
  endif()
  foreach(flag ${arg_FLAGS})
    list(APPEND words "--flag=${flag}")
  endforeach()
  set(stamp "${CMAKE_CURRENT_BINARY_DIR}/${name}_kernels.stamp")
  add_custom_command(OUTPUT "${stamp}"
    COMMAND "${CMAKE_COMMAND}" -E env "ASCEND_CUSTOM_OPP_PATH=${output}" "${weft_TOOL}" op kernels ${words}
    COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
    DEPENDS ${name} ${needed} COMMENT "Kernels in Ascend C of ${name}" VERBATIM)
  add_custom_target(${name}_kernels ALL DEPENDS "${stamp}")
endfunction()
# SPDX-License-Identifier: Apache-2.0
