# Headers, libraries, tool, pkg-config files and CMake package.
include(CMakePackageConfigHelpers)
install(DIRECTORY include/weft DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
weft_install(weft_shared weft_static weft_runtime EXPORT weft-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY DESTINATION ${CMAKE_INSTALL_LIBDIR}/weft/plugins)  # also when it stays empty: weft looks nowhere else then
if(WEFT_PLUGINS)
  weft_install(${WEFT_PLUGINS} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/weft/plugins)
endif()
if(TARGET weft)
  weft_install(weft DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(PROGRAMS tools/peer_onnxruntime.py tools/peer_isa.py DESTINATION ${CMAKE_INSTALL_DATADIR}/weft)  # weft bench --peer onnxruntime
install(PROGRAMS tools/peer_tensorflow.py tools/peer_tflite.py tools/peer_torch.py tools/peer_torch_compile.py
  DESTINATION ${CMAKE_INSTALL_DATADIR}/weft)
install(FILES tools/peer_isa.c tools/peer_frameworks.py DESTINATION ${CMAKE_INSTALL_DATADIR}/weft)
install(EXPORT weft-targets NAMESPACE weft:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/weft)
configure_package_config_file(cmake/weft-config.cmake.in ${CMAKE_BINARY_DIR}/weft-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/weft PATH_VARS WEFT_PLUGINS_DIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/weft-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/weft-config.cmake ${CMAKE_BINARY_DIR}/weft-config-version.cmake
  cmake/weft-cann-package.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/weft)
# From where it lies, so that `cmake --install --prefix ELSEWHERE` and a moved tree work.
file(RELATIVE_PATH WEFT_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" WEFT_PC_TO_PREFIX ${WEFT_PC_TO_PREFIX})
configure_file(cmake/weft.pc.in ${CMAKE_BINARY_DIR}/weft.pc @ONLY)
configure_file(cmake/weft-runtime.pc.in ${CMAKE_BINARY_DIR}/weft-runtime.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/weft.pc ${CMAKE_BINARY_DIR}/weft-runtime.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
configure_file(cmake/set_env.sh.in ${CMAKE_BINARY_DIR}/set_env.sh @ONLY)
install(PROGRAMS ${CMAKE_BINARY_DIR}/set_env.sh DESTINATION ${CMAKE_INSTALL_DATADIR}/weft)
# The compiler of Ascend C and its language for CMake; and a layout that ASCEND_HOME_PATH may name.
weft_install(weft-ascc DESTINATION ${CMAKE_INSTALL_BINDIR})
set(WEFT_ASC_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/ASC)
file(RELATIVE_PATH WEFT_ASC_TO_PREFIX ${CMAKE_INSTALL_PREFIX}/${WEFT_ASC_FOLDER} ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" WEFT_ASC_TO_PREFIX ${WEFT_ASC_TO_PREFIX})
configure_file(cmake/asc/ASCConfig.cmake.in ${CMAKE_BINARY_DIR}/asc/ASCConfig.cmake @ONLY)
configure_file(cmake/asc/CMakeDetermineASCCompiler.cmake.in ${CMAKE_BINARY_DIR}/asc/CMakeDetermineASCCompiler.cmake @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/asc/ASCConfig.cmake DESTINATION ${WEFT_ASC_FOLDER})
install(FILES ${CMAKE_BINARY_DIR}/asc/CMakeDetermineASCCompiler.cmake cmake/asc/CMakeASCCompiler.cmake.in
  cmake/asc/CMakeASCInformation.cmake cmake/asc/CMakeTestASCCompiler.cmake DESTINATION ${WEFT_ASC_FOLDER}/modules)
install(CODE "set(libdir \"${CMAKE_INSTALL_LIBDIR}\")\nset(bindir \"${CMAKE_INSTALL_BINDIR}\")")
install(SCRIPT cmake/ascend_layout.cmake)
# SPDX-License-Identifier: Apache-2.0
