# Instruction sets of kernel files: foo_avx2.c, foo_avx512.c and foo_amx.c are compiled for theirs and called only where the
# processor has it (kernels/cpu/isa.h). Floats are never contracted: where a multiply-add is fused, the source says so.
file(GLOB WEFT_KERNEL_PLAIN ${CMAKE_SOURCE_DIR}/kernels/cpu/*_plain.c)
file(GLOB WEFT_KERNEL_AVX2 ${CMAKE_SOURCE_DIR}/kernels/cpu/*_avx2.c)
file(GLOB WEFT_KERNEL_AVX512 ${CMAKE_SOURCE_DIR}/kernels/cpu/*_avx512.c)
file(GLOB WEFT_KERNEL_AMX ${CMAKE_SOURCE_DIR}/kernels/cpu/*_amx.c)
set(WEFT_KERNEL_OPTIONS -fno-math-errno -fno-trapping-math -ffp-contract=off -Wno-psabi)
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
  add_compile_options($<$<COMPILE_LANGUAGE:C>:-Wno-pass-failed>)  # loops over libm, or with sanitizers, are not vectorised
endif()
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  list(APPEND WEFT_KERNEL_OPTIONS -O3)
endif()
if(WEFT_SANITIZE MATCHES "address" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  # Loops that are written out: checks by calls, and none that AddressSanitizer makes needless, compile in a quarter of the time.
  list(APPEND WEFT_KERNEL_OPTIONS --param=asan-instrumentation-with-call-threshold=0 -fno-sanitize=object-size,null)
endif()
set(WEFT_KERNEL_BASE ${WEFT_KERNEL_OPTIONS})
if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64" AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  list(APPEND WEFT_KERNEL_BASE -fno-schedule-insns)  # it moves loads ahead until sums no longer fit the registers
endif()
set_source_files_properties(${WEFT_KERNEL_PLAIN} PROPERTIES COMPILE_OPTIONS "${WEFT_KERNEL_BASE}")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
  set_source_files_properties(${WEFT_KERNEL_AVX2} PROPERTIES COMPILE_OPTIONS
    "${WEFT_KERNEL_OPTIONS};-mavx2;-mfma;-mf16c")
  set_source_files_properties(${WEFT_KERNEL_AVX512} PROPERTIES COMPILE_OPTIONS
    "${WEFT_KERNEL_OPTIONS};-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mfma;-mf16c;-mprefer-vector-width=512")
  file(GLOB WEFT_KERNEL_CHOICE ${CMAKE_SOURCE_DIR}/kernels/cpu/*.c)
  set_source_files_properties(${WEFT_KERNEL_CHOICE} PROPERTIES COMPILE_DEFINITIONS WEFT_KERNELS_X86=1)
  include(CheckCCompilerFlag)
  check_c_compiler_flag(-mavxvnni WEFT_HAS_AVXVNNI)
  file(GLOB WEFT_KERNEL_VNNI ${CMAKE_SOURCE_DIR}/kernels/cpu/*_vnni_*.c)
  if(WEFT_HAS_AVXVNNI)  # dot products of bytes
    foreach(file ${WEFT_KERNEL_VNNI})
      if(file MATCHES "avx512")
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
    set_property(SOURCE ${CMAKE_SOURCE_DIR}/kernels/cpu/bf16_block_dot_avx512.c APPEND PROPERTY COMPILE_OPTIONS -mavx512bf16)
    set_property(SOURCE ${WEFT_KERNEL_CHOICE} APPEND PROPERTY COMPILE_DEFINITIONS WEFT_KERNELS_BF16=1)
  else()
    list(REMOVE_ITEM WEFT_SOURCES ${CMAKE_SOURCE_DIR}/kernels/cpu/bf16_block_dot_avx512.c)
  endif()
  set(CMAKE_REQUIRED_FLAGS "-mamx-tile -mamx-bf16 -mamx-int8")
  check_c_compiler_flag(-mamx-int8 WEFT_HAS_AMX)
  unset(CMAKE_REQUIRED_FLAGS)
  if(WEFT_HAS_AMX AND CMAKE_SYSTEM_NAME STREQUAL "Linux")  # tiles; the system has to be asked for them
    set_source_files_properties(${WEFT_KERNEL_AMX} PROPERTIES COMPILE_OPTIONS
      "${WEFT_KERNEL_OPTIONS};-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mfma;-mprefer-vector-width=512;-mamx-tile;-mamx-bf16;-mamx-int8")
    set_property(SOURCE ${WEFT_KERNEL_CHOICE} APPEND PROPERTY COMPILE_DEFINITIONS WEFT_KERNELS_AMX=1)
  else()
    list(REMOVE_ITEM WEFT_SOURCES ${WEFT_KERNEL_AMX})
  endif()
else()
  list(REMOVE_ITEM WEFT_SOURCES ${WEFT_KERNEL_AVX2} ${WEFT_KERNEL_AVX512} ${WEFT_KERNEL_AMX})
endif()
file(GLOB WEFT_GEMM_BLOCK ${CMAKE_SOURCE_DIR}/kernels/cpu/gemm_block_*.c ${CMAKE_SOURCE_DIR}/kernels/cpu/attention_block_*.c ${CMAKE_SOURCE_DIR}/kernels/cpu/blocked_block_*.c
  ${CMAKE_SOURCE_DIR}/kernels/cpu/bf16_block_*.c)  # sums of products: fused where the machine can
set_property(SOURCE ${WEFT_GEMM_BLOCK} APPEND PROPERTY COMPILE_OPTIONS -ffp-contract=fast)
