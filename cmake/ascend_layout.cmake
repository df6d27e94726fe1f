# Run by `cmake --install`: links and small files under the prefix, so that ASCEND_HOME_PATH may be weft's prefix and the
# documents' build and run scripts work as they stand. Not in /usr and /usr/local, whose folders belong to everybody.
# Given: libdir, bindir.
set(root "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
if(CMAKE_INSTALL_PREFIX MATCHES "^/usr(/local)?/?$")
  message(STATUS "No layout of ASCEND_HOME_PATH in ${CMAKE_INSTALL_PREFIX}: install weft under a prefix of its own for that")
  return()
endif()

# place -> what it is a link to, seen from the place
function(weft_link place to)
  get_filename_component(folder "${root}/${place}" DIRECTORY)
  file(MAKE_DIRECTORY "${folder}")
  if(IS_DIRECTORY "${root}/${place}" AND NOT IS_SYMLINK "${root}/${place}")
    message(STATUS "${root}/${place} is there and stays as it is")
    return()
  endif()
  file(CREATE_LINK "${to}" "${root}/${place}" SYMBOLIC)
  set(CMAKE_INSTALL_MANIFEST_FILES ${CMAKE_INSTALL_MANIFEST_FILES} "${CMAKE_INSTALL_PREFIX}/${place}" PARENT_SCOPE)
endfunction()
function(weft_file place text)
  file(REMOVE "${root}/${place}")
  file(WRITE "${root}/${place}" "${text}")
  set(CMAKE_INSTALL_MANIFEST_FILES ${CMAKE_INSTALL_MANIFEST_FILES} "${CMAKE_INSTALL_PREFIX}/${place}" PARENT_SCOPE)
endfunction()

# Headers: the folders, and of what lies beside them kernels' own.
file(GLOB headers RELATIVE "${root}/include/weft-cann" "${root}/include/weft-cann/*")
foreach(header ${headers})
  if(IS_DIRECTORY "${root}/include/weft-cann/${header}" OR header MATCHES "^(kernel_|tikicpulib|all_ops)")
    weft_link("include/${header}" "weft-cann/${header}")
  endif()
endforeach()
weft_link(opp/built-in/op_proto/inc ../../../include/weft-cann)
weft_link(set_env.sh share/weft/set_env.sh)

# Libraries: what programs link is in weft's; what operator libraries link is in headers alone, and here is empty.
set(links lib64)
if(libdir STREQUAL "lib64")
  set(to "")
else()
  set(to "../${libdir}/")
endif()
foreach(name ascendcl acl_rt acl_rtc acl_mdl acl_op_compiler runtime ascendc_runtime acl_cblas)
  weft_link(${links}/lib${name}.so ${to}libweft_acl.so)
endforeach()
if(to)
  weft_link(${links}/libweft_cann.so ${to}libweft_cann.so)
  weft_link(${links}/libweft.so ${to}libweft.so)
endif()
foreach(name graph graph_base ge_runner ge_runner_v2 ge_compiler ge_common ge_executor)
  weft_file(${links}/lib${name}.so "/* GNU ld script: graphs and sessions are headers over these two */\nINPUT(-lweft_cann -lweft)\n")
endforeach()
foreach(name lowering register gert exe_graph metadef platform tiling_api unified_dlog error_manager opp_registry
    custom_op_registry_static)
  weft_file(${links}/lib${name}.a "!<arch>\n")
endforeach()
# atc, as scripts call it
weft_file(${bindir}/atc "#!/bin/sh\nexec \"$(dirname -- \"$(readlink -f -- \"$0\")\")/weft\" atc \"$@\"\n")
file(CHMOD "${root}/${bindir}/atc" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
# SPDX-License-Identifier: Apache-2.0
