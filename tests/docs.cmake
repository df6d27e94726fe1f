# The C snippets of docs/*.md that have an #include are compiled; the example operator joins the tests (docs_test.c).
file(GLOB WEFT_DOC_PAGES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/*.md)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${WEFT_DOC_PAGES} ${CMAKE_SOURCE_DIR}/tools/doc_snippets.py)
execute_process(COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/doc_snippets.py ${CMAKE_BINARY_DIR}/generated/docs
  ${WEFT_DOC_PAGES} OUTPUT_VARIABLE WEFT_DOC_SNIPPETS OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" WEFT_DOC_SNIPPETS "${WEFT_DOC_SNIPPETS}")
add_library(weft_doc_snippets OBJECT ${WEFT_DOC_SNIPPETS})  # some have a main(): compiled only
target_include_directories(weft_doc_snippets PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/ops)
target_link_libraries(weft_doc_snippets PRIVATE weft_flags)
add_dependencies(weft_tests weft_doc_snippets)
target_sources(weft_tests PRIVATE ${CMAKE_BINARY_DIR}/generated/docs/add_an_operator_0.c)
target_compile_definitions(weft_tests PRIVATE WEFT_DOC_OPERATOR=weft__op_smoothstep)
# What pages and public headers name is there: identifiers, files, commands and their options.
add_test(NAME docs_names COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/check_names.py $<TARGET_FILE:weft>)
add_test(NAME switches COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/switches.sh ${CMAKE_SOURCE_DIR})
# SPDX-License-Identifier: Apache-2.0
