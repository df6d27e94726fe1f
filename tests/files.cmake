# What the tool writes and where it cannot: full disks, programs in use.
add_test(NAME files_cli COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/files_cli.sh $<TARGET_FILE:weft> ${CMAKE_SOURCE_DIR})
set_tests_properties(files_cli PROPERTIES TIMEOUT 300)
