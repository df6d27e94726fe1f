# Ascend C on the CPU: libweft_ascendc, which needs libc and threads alone. Its loops over floats are compiled once for each
# instruction set, as kernels are (cmake/kernels.cmake).
file(GLOB WEFT_ASC_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/cann/ascendc/*.c)
list(APPEND WEFT_ASC_SOURCES ${CMAKE_SOURCE_DIR}/cann/ascendc/isa/float_loops_plain.c)
set(WEFT_ASC_LOOPS ${CMAKE_SOURCE_DIR}/cann/ascendc/isa/float_loops)
set_property(SOURCE ${WEFT_ASC_LOOPS}_plain.c ${CMAKE_SOURCE_DIR}/cann/ascendc/integers.c
  ${CMAKE_SOURCE_DIR}/cann/ascendc/cube_loops.c PROPERTY COMPILE_OPTIONS ${WEFT_KERNEL_BASE})
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
  list(APPEND WEFT_ASC_SOURCES ${WEFT_ASC_LOOPS}_avx2.c ${WEFT_ASC_LOOPS}_avx512.c)
  set_property(SOURCE ${WEFT_ASC_LOOPS}_avx2.c PROPERTY COMPILE_OPTIONS ${WEFT_KERNEL_OPTIONS} -mavx2 -mfma -mf16c)
  set_property(SOURCE ${WEFT_ASC_LOOPS}_avx512.c PROPERTY COMPILE_OPTIONS ${WEFT_KERNEL_OPTIONS} -mavx512f -mavx512bw
    -mavx512dq -mavx512vl -mfma -mf16c -mprefer-vector-width=512)
endif()
add_library(weft_ascendc_objects OBJECT ${WEFT_ASC_SOURCES})
set_target_properties(weft_ascendc_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(weft_ascendc_objects PRIVATE ${CMAKE_SOURCE_DIR}/cann/ascendc ${CMAKE_SOURCE_DIR}/cann/include
  ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/kernels)
target_link_libraries(weft_ascendc_objects PRIVATE weft_flags)
foreach(kind SHARED STATIC)
  string(TOLOWER ${kind} suffix)
  add_library(weft_ascendc_${suffix} ${kind} $<TARGET_OBJECTS:weft_ascendc_objects>)
  set_target_properties(weft_ascendc_${suffix} PROPERTIES OUTPUT_NAME weft_ascendc VERSION ${PROJECT_VERSION} SOVERSION 0
    EXPORT_NAME ascendc_${suffix})
  target_link_libraries(weft_ascendc_${suffix} INTERFACE weft_cann PRIVATE m Threads::Threads)
endforeach()
weft_install(weft_ascendc_shared weft_ascendc_static EXPORT weft-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# SPDX-License-Identifier: Apache-2.0
