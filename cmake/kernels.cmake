# Instruction sets of kernel files: foo_avx2.c, foo_avx512.c and foo_amx.c are compiled for theirs and called only where the
# processor has it (kernels/cpu/simd/isa.h). Floats are never contracted: where a multiply-add is fused, the source says so.
file(GLOB WEFT_KERNEL_PLAIN ${CMAKE_SOURCE_DIR}/kernels/cpu/*/isa/*_plain.c)
file(GLOB WEFT_KERNEL_AVX2 ${CMAKE_SOURCE_DIR}/kernels/cpu/*/isa/*_avx2.c)
file(GLOB WEFT_KERNEL_AVX512 ${CMAKE_SOURCE_DIR}/kernels/cpu/*/isa/*_avx512.c)
file(GLOB WEFT_KERNEL_NEON ${CMAKE_SOURCE_DIR}/kernels/cpu/*/isa/*_neon.c)
file(GLOB WEFT_KERNEL_AMX ${CMAKE_SOURCE_DIR}/kernels/cpu/*/isa/*_amx.c)
set(WEFT_KERNEL_OPTIONS -fno-math-errno -fno-trapping-math -ffp-contract=off -Wno-psabi)
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
  add_compile_options($<$<COMPILE_LANGUAGE:C>:-Wno-pass-failed>)  # loops over libm, or with sanitizers, are not vectorised
endif()
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  list(APPEND WEFT_KERNEL_OPTIONS -O3)
endif()
# Loops that are written out: all of UBSan's checks in them take minutes to compile and find what is not there. What they keep
# in the default build is AddressSanitizer (by calls, without the stack) and the bounds of arrays, which the stack's are; every
# check comes with WEFT_SANITIZE_KERNELS (make check-long). Memory that is exactly a kernel's own: tests/guard_pages.h.
option(WEFT_SANITIZE_KERNELS "Every check of WEFT_SANITIZE in the innermost loops, too" OFF)
if(WEFT_SANITIZE MATCHES "address" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  list(APPEND WEFT_KERNEL_OPTIONS --param=asan-instrumentation-with-call-threshold=0 -fno-sanitize=object-size,null)
endif()
if(WEFT_SANITIZE MATCHES "undefined" AND NOT WEFT_SANITIZE_KERNELS)
  list(APPEND WEFT_KERNEL_OPTIONS -g1 -fno-sanitize=undefined -fsanitize=bounds)
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    list(APPEND WEFT_KERNEL_OPTIONS --param=asan-stack=0)
  endif()
endif()
set(WEFT_KERNEL_BASE ${WEFT_KERNEL_OPTIONS})
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  list(APPEND WEFT_KERNEL_BASE -fno-schedule-insns)  # it moves loads ahead until sums no longer fit the registers
endif()
set_source_files_properties(${WEFT_KERNEL_PLAIN} ${WEFT_KERNEL_NEON} PROPERTIES COMPILE_OPTIONS "${WEFT_KERNEL_BASE}")
if(WEFT_SANITIZE MATCHES "address")  # gcc poisons inner scopes of functions that ask for no AddressSanitizer, and leaves them so
  set_property(SOURCE ${CMAKE_SOURCE_DIR}/kernels/cpu/amx/isa/amx_block_plain.c APPEND PROPERTY COMPILE_OPTIONS
    -fno-sanitize-address-use-after-scope)
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
  set_source_files_properties(${WEFT_KERNEL_AVX2} PROPERTIES COMPILE_OPTIONS
    "${WEFT_KERNEL_OPTIONS};-mavx2;-mfma;-mf16c")
  set(WEFT_AVX512_OPTIONS -mavx512f -mavx512bw -mavx512dq -mavx512vl -mfma -mf16c -mprefer-vector-width=512)
  if(WEFT_AVX512_EMULATED)  # kernels/cpu/simd/avx512_emulated.h; vectors that a machine has not take minutes to optimise
    set(WEFT_AVX512_OPTIONS -mavx2 -mfma -mf16c -include ${CMAKE_SOURCE_DIR}/kernels/cpu/simd/avx512_emulated.h -DWEFT_AVX512_EMULATED=1)
    if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
      list(APPEND WEFT_AVX512_OPTIONS -O1)
    endif()
    set_property(SOURCE ${CMAKE_SOURCE_DIR}/kernels/cpu/simd/isa.c APPEND PROPERTY COMPILE_DEFINITIONS WEFT_AVX512_EMULATED=1)
  endif()
  set_source_files_properties(${WEFT_KERNEL_AVX512} PROPERTIES COMPILE_OPTIONS "${WEFT_KERNEL_OPTIONS};${WEFT_AVX512_OPTIONS}")
  file(GLOB WEFT_KERNEL_CHOICE ${CMAKE_SOURCE_DIR}/kernels/cpu/*/*.c ${CMAKE_SOURCE_DIR}/kernels/cpu/*/isa/*.c)
  set_property(SOURCE ${WEFT_KERNEL_CHOICE} APPEND PROPERTY COMPILE_DEFINITIONS WEFT_KERNELS_X86=1)
  include(CheckCCompilerFlag)
  check_c_compiler_flag(-mavxvnni WEFT_HAS_AVXVNNI)
  file(GLOB WEFT_KERNEL_VNNI ${CMAKE_SOURCE_DIR}/kernels/cpu/*/isa/*_vnni_*.c)
  if(WEFT_HAS_AVXVNNI)  # dot products of bytes
    foreach(file ${WEFT_KERNEL_VNNI})
      if(WEFT_AVX512_EMULATED)
        set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${WEFT_KERNEL_OPTIONS};${WEFT_AVX512_OPTIONS}")
      elseif(file MATCHES "avx512")
        set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS -mavx512vnni)
      else()
        set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS -mavxvnni)
      endif()
    endforeach()
    set_property(SOURCE ${WEFT_KERNEL_CHOICE} APPEND PROPERTY COMPILE_DEFINITIONS WEFT_KERNELS_VNNI=1)
  else()
    list(REMOVE_ITEM WEFT_SOURCES ${WEFT_KERNEL_VNNI})
  endif()
  check_c_compiler_flag(-mavx512bf16 WEFT_HAS_AVX512BF16)
  if(WEFT_HAS_AVX512BF16)  # dot products of bf16
    if(NOT WEFT_AVX512_EMULATED)
      set_property(SOURCE ${CMAKE_SOURCE_DIR}/kernels/cpu/bf16/isa/bf16_block_dot_avx512.c APPEND PROPERTY COMPILE_OPTIONS -mavx512bf16)
    endif()
    set_property(SOURCE ${WEFT_KERNEL_CHOICE} APPEND PROPERTY COMPILE_DEFINITIONS WEFT_KERNELS_BF16=1)
  else()
    list(REMOVE_ITEM WEFT_SOURCES ${CMAKE_SOURCE_DIR}/kernels/cpu/bf16/isa/bf16_block_dot_avx512.c)
  endif()
  set(CMAKE_REQUIRED_FLAGS "-mamx-tile -mamx-bf16 -mamx-int8")
  check_c_compiler_flag(-mamx-int8 WEFT_HAS_AMX)
  unset(CMAKE_REQUIRED_FLAGS)
  if(WEFT_HAS_AMX AND CMAKE_SYSTEM_NAME STREQUAL "Linux")  # tiles; the system has to be asked for them
    set_source_files_properties(${WEFT_KERNEL_AMX} PROPERTIES COMPILE_OPTIONS
      "${WEFT_KERNEL_OPTIONS};${WEFT_AVX512_OPTIONS};-mamx-tile;-mamx-bf16;-mamx-int8")
    set_property(SOURCE ${WEFT_KERNEL_CHOICE} APPEND PROPERTY COMPILE_DEFINITIONS WEFT_KERNELS_AMX=1)
  else()
    list(REMOVE_ITEM WEFT_SOURCES ${WEFT_KERNEL_AMX})
  endif()
else()
  list(REMOVE_ITEM WEFT_SOURCES ${WEFT_KERNEL_AVX2} ${WEFT_KERNEL_AVX512} ${WEFT_KERNEL_AMX})
endif()
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  list(REMOVE_ITEM WEFT_SOURCES ${CMAKE_SOURCE_DIR}/kernels/cpu/quant/isa/quant_block_plain.c)  # NEON is never missing
  include(CheckCCompilerFlag)
  check_c_compiler_flag(-march=armv8.2-a+dotprod+i8mm WEFT_HAS_I8MM)
  if(WEFT_HAS_I8MM AND CMAKE_SYSTEM_NAME STREQUAL "Linux")  # which tells what the processor has
    set_property(SOURCE ${CMAKE_SOURCE_DIR}/kernels/cpu/quant/isa/quant_block_dot_neon.c APPEND PROPERTY COMPILE_OPTIONS -march=armv8.2-a+dotprod)
    set_property(SOURCE ${CMAKE_SOURCE_DIR}/kernels/cpu/quant/isa/quant_block_i8mm_neon.c APPEND PROPERTY COMPILE_OPTIONS -march=armv8.2-a+i8mm)
    set_property(SOURCE ${CMAKE_SOURCE_DIR}/kernels/cpu/simd/isa.c ${CMAKE_SOURCE_DIR}/kernels/cpu/quant/quant_block.c APPEND PROPERTY COMPILE_DEFINITIONS WEFT_KERNELS_NEON_BYTES=1)
  else()
    list(REMOVE_ITEM WEFT_SOURCES ${CMAKE_SOURCE_DIR}/kernels/cpu/quant/isa/quant_block_dot_neon.c ${CMAKE_SOURCE_DIR}/kernels/cpu/quant/isa/quant_block_i8mm_neon.c)
  endif()
else()
  list(REMOVE_ITEM WEFT_SOURCES ${WEFT_KERNEL_NEON})
endif()
file(GLOB WEFT_GEMM_BLOCK ${CMAKE_SOURCE_DIR}/kernels/cpu/gemm/isa/*.c ${CMAKE_SOURCE_DIR}/kernels/cpu/conv/isa/*.c ${CMAKE_SOURCE_DIR}/kernels/cpu/pool/isa/*.c ${CMAKE_SOURCE_DIR}/kernels/cpu/attention/isa/*.c
  ${CMAKE_SOURCE_DIR}/kernels/cpu/blocked/isa/*.c ${CMAKE_SOURCE_DIR}/kernels/cpu/bf16/isa/*.c ${CMAKE_SOURCE_DIR}/kernels/cpu/typed/isa/*.c
  ${CMAKE_SOURCE_DIR}/kernels/cpu/quant/isa/nbits_block_*.c)  # sums of products: fused where the machine can
set_property(SOURCE ${WEFT_GEMM_BLOCK} APPEND PROPERTY COMPILE_OPTIONS -ffp-contract=fast)
# Blocks of registers: the longest files to compile with AddressSanitizer, and their tests all run once more in memory that ends
# at a page nobody may touch (kernels_*_guarded). WEFT_SANITIZE_KERNELS brings the sanitizers back.
file(GLOB WEFT_REGISTER_BLOCKS ${CMAKE_SOURCE_DIR}/kernels/cpu/*/isa/*_block_*.c)
if(WEFT_SANITIZE MATCHES "address" AND NOT WEFT_SANITIZE_KERNELS)
  set_property(SOURCE ${WEFT_REGISTER_BLOCKS} APPEND PROPERTY COMPILE_OPTIONS -fno-sanitize=all)
endif()
# Sums of single points, where numbers are not finite: tests of convolutions spend a tenth of their time there. AddressSanitizer
# stays.
if(WEFT_SANITIZE MATCHES "undefined" AND NOT WEFT_SANITIZE_KERNELS)
  set_property(SOURCE ${CMAKE_SOURCE_DIR}/kernels/cpu/blocked/blocked_conv_read.c ${CMAKE_SOURCE_DIR}/kernels/cpu/conv/conv_columns.c
    APPEND PROPERTY COMPILE_OPTIONS -O2 -fno-sanitize=undefined)
endif()
# SPDX-License-Identifier: Apache-2.0
