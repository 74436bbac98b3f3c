# SPDX-License-Identifier: Apache-2.0
# third_party::NAME is a shared library of Debian. In a program with the property CAPSTAN_STATIC it is the
# archive instead (decision 17).
#
#   capstan_link_statically(<program>)     links everything into the program, the C library too
set(CAPSTAN_ARCHIVES "" CACHE PATH "Folder of hack/archives. With it, the manager and the node agent in bin are static; the installed ones are in bin/shared")
if(CAPSTAN_ARCHIVES AND NOT EXISTS "${CAPSTAN_ARCHIVES}/libgoogle-glog-dev/libglog.a")
  message(FATAL_ERROR "CAPSTAN_ARCHIVES=${CAPSTAN_ARCHIVES} has no libglog.a; hack/archives prints the folder")
endif()
if(CAPSTAN_ARCHIVES AND CAPSTAN_TRANSPORT_CPPREST)
  message(FATAL_ERROR "CAPSTAN_TRANSPORT_CPPREST needs programs with shared libraries; unset CAPSTAN_ARCHIVES")
endif()
set(capstan_is_static "$<BOOL:$<TARGET_PROPERTY:CAPSTAN_STATIC>>")

# capstan_third_party(<name> <shared target> <archive>...)
function(capstan_third_party name shared)
  if(NOT TARGET ${shared})
    return()  # no selected part needs it
  endif()
  add_library(capstan_third_party_${name} INTERFACE)
  add_library(third_party::${name} ALIAS capstan_third_party_${name})
  target_link_libraries(capstan_third_party_${name} INTERFACE "$<$<NOT:${capstan_is_static}>:${shared}>")
  if(NOT CAPSTAN_ARCHIVES)
    return()
  endif()
  target_compile_definitions(capstan_third_party_${name} INTERFACE
    "$<TARGET_PROPERTY:${shared},INTERFACE_COMPILE_DEFINITIONS>")
  foreach(archive IN LISTS ARGN)
    find_library(found NAMES ${archive} HINTS "${CAPSTAN_ARCHIVES}"
      PATH_SUFFIXES libgoogle-glog-dev prometheus-cpp-dev NO_CACHE)
    if(NOT found)
      message(FATAL_ERROR "${archive} is missing; on Debian, hack/setup and hack/archives provide it")
    endif()
    target_link_libraries(capstan_third_party_${name} INTERFACE "$<${capstan_is_static}:${found}>")
    unset(found)
  endforeach()
endfunction()

set(capstan_crypto_archives libcrypto.a)
if(OPENSSL_VERSION VERSION_GREATER_EQUAL 3.2)  # it can compress with zstd; Debian compiles that in
  list(APPEND capstan_crypto_archives libzstd.a)
endif()
capstan_third_party(crypto OpenSSL::Crypto ${capstan_crypto_archives})
capstan_third_party(ssl OpenSSL::SSL libssl.a ${capstan_crypto_archives})
capstan_third_party(nghttp2 PkgConfig::CAPSTAN_NGHTTP2 libnghttp2.a)
capstan_third_party(zlib ZLIB::ZLIB libz.a)
capstan_third_party(cpprest cpprestsdk::cpprest)
capstan_third_party(yaml PkgConfig::CAPSTAN_LIBYAML libyaml.a)
capstan_third_party(re2 PkgConfig::CAPSTAN_RE2 libre2.a)
capstan_third_party(gflags gflags libgflags.a)
capstan_third_party(glog glog::glog libglog.a libgflags.a)
capstan_third_party(expected tl::expected)
capstan_third_party(prometheus prometheus-cpp::core libprometheus-cpp-core.a)

set(CMAKE_LINK_DEPENDS_USE_LINKER OFF)  # newer CMake would have another list of the archives written instead of ours
function(capstan_link_statically program)
  # hack/link_order.py makes the script, which puts the code that is used side by side.
  set(order "${PROJECT_SOURCE_DIR}/hack/cmake/link_order.ld")
  set_target_properties(${program} PROPERTIES CAPSTAN_STATIC ON LINK_DEPENDS "${order}")
  # Packed relocations need a bit instead of 24 bytes where they are dense. The dependency file lists the
  # archives, for the list of an image's contents.
  if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")  # Debian 12's ld cannot pack them there
    target_link_options(${program} PRIVATE -Wl,-z,pack-relative-relocs)
  endif()
  target_link_options(${program} PRIVATE -static-pie "-Wl,-T,${order}"
    "-Wl,--dependency-file=$<TARGET_FILE:${program}>.d")
endfunction()
