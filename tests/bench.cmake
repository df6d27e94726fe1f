# `weft bench`: its statistics and writers join the unit tests; the command itself is run with engines that misbehave.
foreach(name stats table json svg case)
  target_sources(weft_tests PRIVATE ${CMAKE_SOURCE_DIR}/cli/bench/bench_${name}.c)
endforeach()
target_sources(weft_tests PRIVATE ${CMAKE_SOURCE_DIR}/cli/common.c ${CMAKE_SOURCE_DIR}/cli/limits.c
  ${CMAKE_SOURCE_DIR}/cli/runner.c ${CMAKE_SOURCE_DIR}/cli/shapes.c ${CMAKE_SOURCE_DIR}/cli/dims.c)
add_test(NAME bench_cli COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/bench_cli.sh ${CMAKE_CURRENT_BINARY_DIR}/bench_cli_work
  $<TARGET_FILE:weft> ${CMAKE_SOURCE_DIR})
set_tests_properties(bench_cli PROPERTIES TIMEOUT 1200)
add_test(NAME peer_isa COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/peer_isa.sh ${CMAKE_CURRENT_BINARY_DIR}/peer_isa_work
  $<TARGET_FILE:weft> ${CMAKE_SOURCE_DIR})
set_tests_properties(peer_isa PROPERTIES TIMEOUT 1200 SKIP_RETURN_CODE 77)
# SPDX-License-Identifier: Apache-2.0
