# The runtime alone: what a program needs to run, without importers, inference of graphs, passes and compiler. The whole
# archive is linked, so that anything missing fails the build; the test runs a program that `weft compile` made.
add_library(weft_runtime STATIC EXCLUDE_FROM_ALL
  $<FILTER:$<TARGET_OBJECTS:weft_objects>,INCLUDE,/src/base/|/src/tensor/|/src/op/|/src/ir/|/src/device/|/src/plan/|/src/program/|/src/run/|/ops/|/kernels/|/catalogue/|op_table>)
set_target_properties(weft_runtime PROPERTIES LINKER_LANGUAGE C)
target_include_directories(weft_runtime PUBLIC ${CMAKE_SOURCE_DIR}/include)
target_link_libraries(weft_runtime PUBLIC m ${CMAKE_DL_LIBS} Threads::Threads)
target_link_directories(weft_runtime PRIVATE ${WEFT_LIBRARY_DIRS})
target_link_libraries(weft_runtime PRIVATE ${WEFT_LIBRARIES})
add_executable(runtime_only runtime_only.c)
target_link_libraries(runtime_only PRIVATE weft_flags -Wl,--whole-archive weft_runtime -Wl,--no-whole-archive)
add_test(NAME runtime_only COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/runtime_only.sh $<TARGET_FILE:weft>
  $<TARGET_FILE:runtime_only> ${CMAKE_CURRENT_BINARY_DIR}/runtime_only_work)
