# SPDX-License-Identifier: Apache-2.0
# Debian's gRPC without TLS and protobuf without reflection, and code generated from a .proto:
#
#   capstan_proto_library(<target> <folder> cri/x.proto)     #include "cri/x.grpc.pb.h"
#
# The code is generated during configuration, so that tools which read compile_commands.json find the
# headers. They are system headers in <build>/generated and are not linted. CRI_PROTO_MISSING names
# missing packages; it is empty if there are none.
find_program(CRI_PROTOC protoc)
find_program(CRI_GRPC_PLUGIN grpc_cpp_plugin)
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(CRI_GRPC QUIET IMPORTED_TARGET grpc++_unsecure protobuf-lite)
endif()
set(CRI_PROTO_MISSING "")
if(NOT CRI_PROTOC)
  set(CRI_PROTO_MISSING "protoc (protobuf-compiler)")
elseif(NOT CRI_GRPC_PLUGIN)
  set(CRI_PROTO_MISSING "grpc_cpp_plugin (protobuf-compiler-grpc)")
elseif(NOT CRI_GRPC_FOUND)
  set(CRI_PROTO_MISSING "grpc++_unsecure and protobuf-lite (libgrpc++-dev, libprotobuf-dev)")
endif()

function(capstan_proto_library target root proto)
  set(out "${PROJECT_BINARY_DIR}/generated")
  file(MAKE_DIRECTORY "${out}")
  execute_process(COMMAND "${CRI_PROTOC}" "--proto_path=${root}" "--cpp_out=${out}" "--grpc_out=${out}"
      "--plugin=protoc-gen-grpc=${CRI_GRPC_PLUGIN}" "${proto}"
    COMMAND_ERROR_IS_FATAL ANY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${root}/${proto}")
  string(REGEX REPLACE "\\.proto$" "" stem "${proto}")
  add_library(${target} STATIC "${out}/${stem}.pb.cc" "${out}/${stem}.grpc.pb.cc")
  target_compile_features(${target} PUBLIC cxx_std_20)
  # The debug information, and so the build ID, must not depend on the folder.
  target_compile_options(${target} PRIVATE "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=")
  target_include_directories(${target} SYSTEM PUBLIC "${out}")
  # pkg-config names all of gRPC's libraries. Unused ones are not loaded.
  target_link_libraries(${target} PUBLIC "-Wl,--as-needed" PkgConfig::CRI_GRPC Threads::Threads)
endfunction()
