# Replays fuzz/corpus/<target>/ through each fuzz target in the ordinary test build: no clang, no libFuzzer.
list(LENGTH WEFT_PLUGINS WEFT_PLUGINS_COUNT)
file(GLOB WEFT_FUZZ_FILES CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/fuzz_*.c)
foreach(file ${WEFT_FUZZ_FILES})
  get_filename_component(name ${file} NAME_WE)
  string(REGEX REPLACE "^fuzz_" "" target ${name})
  if(NOT EXISTS ${CMAKE_CURRENT_LIST_DIR}/corpus/${target})
    message(WARNING "fuzz/corpus/${target} is missing: ${name} is not replayed")
    continue()
  endif()
  add_executable(replay_${target} ${CMAKE_CURRENT_LIST_DIR}/replay.c ${file})
  target_include_directories(replay_${target} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_compile_definitions(replay_${target} PRIVATE FUZZ_PLUGINS=${WEFT_PLUGINS_COUNT})
  target_link_libraries(replay_${target} PRIVATE weft_flags weft_static weft_ascc_parts)
  add_test(NAME replay_${target} COMMAND replay_${target} ${CMAKE_CURRENT_LIST_DIR}/corpus/${target})
endforeach()
# Mutations of any models, whole: mutate.c. A few of the corpus run with every test.
add_executable(mutate_run ${CMAKE_CURRENT_LIST_DIR}/mutate.c ${CMAKE_CURRENT_LIST_DIR}/fuzz_run.c)
target_include_directories(mutate_run PRIVATE ${CMAKE_SOURCE_DIR}/src)
target_compile_definitions(mutate_run PRIVATE FUZZ_INPUT_BYTES=1048576 FUZZ_LIVE_BYTES=1000000000
  FUZZ_PLUGINS=${WEFT_PLUGINS_COUNT})
target_link_libraries(mutate_run PRIVATE weft_flags weft_static)
add_test(NAME mutate_run COMMAND mutate_run --count 1000 ${CMAKE_CURRENT_LIST_DIR}/corpus/onnx)
# The same of each framework's files: mutate_TARGET --count N --out DIR FILE|DIR...
foreach(target mindspore safetensors tf tflite torch)
  add_executable(mutate_${target} ${CMAKE_CURRENT_LIST_DIR}/mutate.c ${CMAKE_CURRENT_LIST_DIR}/fuzz_${target}.c)
  target_include_directories(mutate_${target} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_compile_definitions(mutate_${target} PRIVATE FUZZ_INPUT_BYTES=1048576 FUZZ_LIVE_BYTES=1000000000
    FUZZ_PLUGINS=${WEFT_PLUGINS_COUNT} MUTATE_FILES)
  target_link_libraries(mutate_${target} PRIVATE weft_flags weft_static)
  add_test(NAME mutate_${target} COMMAND mutate_${target} --count 300 ${CMAKE_CURRENT_LIST_DIR}/corpus/${target})
endforeach()
# SPDX-License-Identifier: Apache-2.0
