# SPDX-License-Identifier: Apache-2.0
# The libraries that users link. A component is one library: capstan::NAME for CMake, capstan-NAME for
# pkg-config, libcapstan_NAME.so and .a. Its objects are compiled once, position independent and with hidden
# symbols, for the shared and the static library, and for the folders' libraries of CapstanTargets, which our own
# programs and tests link.
#
#   capstan_component(NAME            declares a component
#     FOLDERS clientgo/httpserver
#     REQUIRES clientgo               components whose headers this one's headers include
#     PACKAGES libyaml)               each has a capstan_package_NAME below
#   capstan_select_components()       computes what CAPSTAN_COMPONENTS needs, also the packages
#   capstan_add_components()          adds the libraries, after all folders were added
include(CMakePackageConfigHelpers)

# Each third-party library: the target, the flags of a static link and the package in Debian. One with a module is
# found by pkg-config.
set(capstan_package_glog glog::glog -lglog libgoogle-glog-dev)
set(capstan_package_gflags gflags -lgflags libgflags-dev)
set(capstan_package_OpenSSL OpenSSL::SSL "-lssl -lcrypto" libssl-dev)
set(capstan_package_nghttp2 PkgConfig::CAPSTAN_NGHTTP2 -lnghttp2 libnghttp2-dev)
set(capstan_package_cpprestsdk cpprestsdk::cpprest -lcpprest libcpprest-dev)
set(capstan_package_ZLIB ZLIB::ZLIB -lz zlib1g-dev)
set(capstan_package_libyaml PkgConfig::CAPSTAN_LIBYAML -lyaml libyaml-dev)
set(capstan_package_prometheus-cpp prometheus-cpp::core -lprometheus-cpp-core prometheus-cpp-dev)
set(capstan_package_re2 PkgConfig::CAPSTAN_RE2 -lre2 libre2-dev)
set(capstan_module_nghttp2 libnghttp2>=1.50)
set(capstan_module_libyaml yaml-0.1>=0.2.5)
set(capstan_module_re2 re2)

set(capstan_all_components "")
macro(capstan_component name)
  cmake_parse_arguments(capstan_${name} "" "DESCRIPTION" "FOLDERS;REQUIRES;PACKAGES" ${ARGN})
  list(APPEND capstan_all_components ${name})
  foreach(folder IN LISTS capstan_${name}_FOLDERS)
    set(capstan_component_of_${folder} ${name})
  endforeach()
endmacro()

# A component comes after the ones that it requires.
capstan_component(clientgo
  DESCRIPTION "Kubernetes client: transport, typed objects, caches, work queue, leader election, Events"
  FOLDERS clientgo/util clientgo/cert clientgo/runtime clientgo/runtime/protobuf clientgo/api clientgo/transport clientgo/auth clientgo/rest clientgo/remotecommand clientgo/discovery
          clientgo/restmapper clientgo/cache clientgo/workqueue clientgo/leaderelection clientgo/record clientgo/kind
          clientgo/client
  PACKAGES glog OpenSSL nghttp2 ZLIB)
capstan_component(api
  DESCRIPTION "The built-in kinds of Kubernetes as structs"
  FOLDERS clientgo/kinds
  REQUIRES clientgo)
capstan_component(clientcmd
  DESCRIPTION "Reads kubeconfig files and the configuration inside a pod"
  FOLDERS clientgo/yaml clientgo/clientcmd
  REQUIRES clientgo
  PACKAGES glog libyaml)
capstan_component(httpserver
  DESCRIPTION "HTTP server for metrics, health and webhooks"
  FOLDERS clientgo/httpserver
  REQUIRES clientgo
  PACKAGES glog OpenSSL)
capstan_component(controller_runtime
  DESCRIPTION "Controllers and the Manager"
  FOLDERS controllers/runtime
  REQUIRES httpserver
  PACKAGES glog)
capstan_component(webhook
  DESCRIPTION "Admission and conversion webhooks"
  FOLDERS controllers/runtime/webhook
  REQUIRES controller_runtime
  PACKAGES glog)
capstan_component(metrics
  DESCRIPTION "Prometheus metrics of the client and of controllers"
  FOLDERS metrics
  REQUIRES controller_runtime
  PACKAGES glog prometheus-cpp)
capstan_component(program
  DESCRIPTION "The main function of a program: flags, feature gates, metrics and status pages"
  FOLDERS featuregate featuregate/flags metrics/statusz controllers/runtime/program
  REQUIRES metrics webhook clientcmd
  PACKAGES glog gflags libyaml)
capstan_component(testing
  DESCRIPTION "Fakes and an embedded API server for tests"
  FOLDERS clientgo/cel clientgo/testing clientgo/testing/apiserver
  REQUIRES httpserver clientcmd
  PACKAGES glog OpenSSL nghttp2 ZLIB re2)
if(CAPSTAN_TRANSPORT_CPPREST)
  list(APPEND capstan_clientgo_PACKAGES cpprestsdk)
endif()

macro(capstan_select_components)
  set(capstan_components "")
  set(capstan_packages "")
  if(CAPSTAN_BUILD_LIBRARY)
    foreach(name IN LISTS CAPSTAN_COMPONENTS)
      if(NOT name IN_LIST capstan_all_components)
        message(FATAL_ERROR "CAPSTAN_COMPONENTS: there is no component ${name}; known: ${capstan_all_components}")
      endif()
    endforeach()
    set(wanted ${CAPSTAN_COMPONENTS})
    if(NOT wanted)
      set(wanted ${capstan_all_components})
    endif()
    set(reversed ${capstan_all_components})
    list(REVERSE reversed)
    foreach(name IN LISTS reversed)
      if(name IN_LIST wanted)
        list(PREPEND capstan_components ${name})
        list(APPEND wanted ${capstan_${name}_REQUIRES})
        list(APPEND capstan_packages ${capstan_${name}_PACKAGES})
      endif()
    endforeach()
  endif()
endmacro()

function(capstan_compile_for_users target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# Adds the headers and the objects of a folder to its component.
function(capstan_add_folder component target)
  cmake_parse_arguments(ARG "" "" "API;SRCS;DEPS;OPTIONS" ${ARGN})
  list(TRANSFORM ARG_API PREPEND "${PROJECT_SOURCE_DIR}/include/capstan/")
  set_property(GLOBAL APPEND PROPERTY capstan_${component}_HEADERS ${ARG_API})
  if(NOT ARG_SRCS)
    return()
  endif()
  set(objects capstan_objects_${target})
  add_library(${objects} OBJECT ${ARG_SRCS})
  capstan_compile_together(${objects} ${ARG_SRCS})
  capstan_compile_for_users(${objects})
  target_include_directories(${objects} PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}")
  target_compile_features(${objects} PRIVATE cxx_std_20)
  target_compile_options(${objects} PRIVATE ${ARG_OPTIONS})
  # The folder's own libraries are sources of a component, too.
  list(FILTER ARG_DEPS INCLUDE REGEX "^(third_party|Boost|Threads)::")
  target_link_libraries(${objects} PRIVATE ${ARG_DEPS} third_party::glog third_party::expected Threads::Threads
    capstan_options)
  set_property(GLOBAL APPEND PROPERTY capstan_${component}_OBJECTS ${objects})
endfunction()

# capstan_add_component(NAME shared|static)
function(capstan_add_component name kind)
  set(target capstan_${name}_${kind})
  get_property(objects GLOBAL PROPERTY capstan_${name}_OBJECTS)
  get_property(headers GLOBAL PROPERTY capstan_${name}_HEADERS)
  string(TOUPPER ${kind} type)
  list(TRANSFORM objects REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
  add_library(${target} ${type} ${objects})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME capstan_${name} EXPORT_NAME ${name}
    VERSION ${PROJECT_VERSION} SOVERSION ${CAPSTAN_SOVERSION} INSTALL_RPATH "$ORIGIN"
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib" ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
  target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include" FILES ${headers})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PUBLIC tl::expected Threads::Threads)
  foreach(required IN LISTS capstan_${name}_REQUIRES)
    target_link_libraries(${target} PUBLIC capstan_${required}_${kind})
  endforeach()
  foreach(package IN LISTS capstan_${name}_PACKAGES)
    list(GET capstan_package_${package} 0 library)
    target_link_libraries(${target} PRIVATE ${library})
  endforeach()
  if(CAPSTAN_BUILD_SHARED AND kind STREQUAL "static")
    set_target_properties(${target} PROPERTIES VERIFY_INTERFACE_HEADER_SETS OFF)  # they are the same headers
  endif()
  if(kind STREQUAL "shared")
    set(exports "${PROJECT_SOURCE_DIR}/hack/cmake/exports.map")
    set_target_properties(${target} PROPERTIES LINK_DEPENDS "${exports}")
    target_link_libraries(${target} PRIVATE capstan_options)
    target_link_options(${target} PRIVATE "-Wl,--version-script=${exports}")
    if(NOT CAPSTAN_SANITIZE)
      target_link_options(${target} PRIVATE -Wl,--no-undefined)
    endif()
  endif()
  if(CAPSTAN_INSTALL)
    install(TARGETS ${target} EXPORT capstan-${name}-${kind}
      LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT libcapstan NAMELINK_COMPONENT libcapstan-dev
      ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT libcapstan-dev
      FILE_SET HEADERS DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT libcapstan-dev)
    install(EXPORT capstan-${name}-${kind} NAMESPACE capstan:: DESTINATION "${CAPSTAN_INSTALL_CMAKEDIR}"
      COMPONENT libcapstan-dev)
  endif()
endfunction()

# Writes capstan-NAME.pc. Libs.private instead of Requires.private: pkg-config would want the .pc files of the
# latter also for the shared library.
function(capstan_write_pkg_config name)
  set(PC_NAME ${name})
  set(PC_DESCRIPTION "${capstan_${name}_DESCRIPTION}")
  list(TRANSFORM capstan_${name}_REQUIRES REPLACE "(.+)" "capstan-\\1 = ${PROJECT_VERSION}" OUTPUT_VARIABLE PC_REQUIRES)
  list(JOIN PC_REQUIRES ", " PC_REQUIRES)
  set(PC_LIBS_PRIVATE "")
  foreach(package IN LISTS capstan_${name}_PACKAGES)
    list(GET capstan_package_${package} 1 flags)
    string(APPEND PC_LIBS_PRIVATE " ${flags}")
  endforeach()
  string(STRIP "${PC_LIBS_PRIVATE}" PC_LIBS_PRIVATE)
  # The package can be moved, unless a folder is absolute.
  set(PC_LIBDIR "${CMAKE_INSTALL_LIBDIR}")
  set(PC_INCLUDEDIR "${CMAKE_INSTALL_INCLUDEDIR}")
  set(PC_PREFIX "${CMAKE_INSTALL_PREFIX}")
  if(NOT IS_ABSOLUTE "${PC_LIBDIR}")
    file(RELATIVE_PATH up "/p/${PC_LIBDIR}/pkgconfig" /p)
    string(REGEX REPLACE "/$" "" up "${up}")
    set(PC_PREFIX "\${pcfiledir}/${up}")
    string(PREPEND PC_LIBDIR "\${prefix}/")
  endif()
  if(NOT IS_ABSOLUTE "${PC_INCLUDEDIR}")
    string(PREPEND PC_INCLUDEDIR "\${prefix}/")
  endif()
  configure_file("${PROJECT_SOURCE_DIR}/hack/cmake/capstan.pc.in" "${PROJECT_BINARY_DIR}/package/capstan-${name}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/package/capstan-${name}.pc"
    DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT libcapstan-dev)
endfunction()

# Installs examples/ and docs/library/, and rewrites the links of their pages: a header is in the include folder,
# and a link to a file that is not installed becomes its text.
function(capstan_install_pages)
  set(folder "${CMAKE_INSTALL_DATADIR}/doc/libcapstan-dev")
  file(RELATIVE_PATH include "${CMAKE_INSTALL_FULL_DATADIR}/doc/libcapstan-dev/library" "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/examples" DESTINATION "${folder}" COMPONENT libcapstan-dev
    PATTERN README.md EXCLUDE)
  # The manifests that the pages apply.
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/docs/examples/first-controller" "${PROJECT_SOURCE_DIR}/docs/examples/kubectl"
    DESTINATION "${folder}/docs/examples" COMPONENT libcapstan-dev)
  file(GLOB pages CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/docs/library/*.md"
    "${PROJECT_SOURCE_DIR}/examples/*/README.md")
  foreach(page IN LISTS pages)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${page}")
    file(READ "${PROJECT_SOURCE_DIR}/${page}" text)
    if(page MATCHES "^docs/")
      string(REPLACE "](../examples/kubectl)" "](../../docs/examples/kubectl)" text "${text}")
      string(REGEX REPLACE "\\[([^]]*)\\]\\(\\.\\./([^.)]|\\.\\./([A-Z]|(clientgo|controllers|e2e|featuregate|metrics)/))[^)]*\\)" "\\1" text "${text}")
      string(REGEX REPLACE "\\]\\(\\.\\./\\.\\./(docs|examples)" "](../\\1" text "${text}")
      string(REPLACE "](../../include)" "](${include}/capstan)" text "${text}")
      string(REPLACE "](../../include/capstan" "](${include}/capstan" text "${text}")
    else()
      string(REPLACE "](../../docs/library/" "](../../library/" text "${text}")
      string(REGEX REPLACE "\\[([^]]*)\\]\\(\\.\\./\\.\\./(docs|hack)/[^)]*\\)" "\\1" text "${text}")
    endif()
    string(REGEX REPLACE "^docs/" "" page "${page}")
    cmake_path(GET page PARENT_PATH parent)
    file(WRITE "${PROJECT_BINARY_DIR}/package/${page}" "${text}")
    install(FILES "${PROJECT_BINARY_DIR}/package/${page}" DESTINATION "${folder}/${parent}" COMPONENT libcapstan-dev)
  endforeach()
endfunction()

function(capstan_install_package)
  set(table "")
  foreach(name IN LISTS capstan_components)
    string(APPEND table "set(_capstan_requires_${name} ${capstan_${name}_REQUIRES})\n"
      "set(_capstan_packages_${name} ${capstan_${name}_PACKAGES})\n")
    capstan_write_pkg_config(${name})
  endforeach()
  foreach(package IN LISTS capstan_packages)
    if(capstan_module_${package})
      string(APPEND table "set(_capstan_module_${package} ${capstan_module_${package}})\n")
    endif()
  endforeach()
  set(CAPSTAN_COMPONENT_TABLE "${table}")
  set(package "${PROJECT_BINARY_DIR}/package")
  configure_package_config_file("${PROJECT_SOURCE_DIR}/hack/cmake/capstanConfig.cmake.in" "${package}/capstanConfig.cmake"
    INSTALL_DESTINATION "${CAPSTAN_INSTALL_CMAKEDIR}" NO_CHECK_REQUIRED_COMPONENTS_MACRO)
  # Before 1.0 a new minor version may change the API (docs/library/public-api.md).
  set(compatible SameMajorVersion)
  if(PROJECT_VERSION_MAJOR EQUAL 0)
    set(compatible SameMinorVersion)
  endif()
  write_basic_package_version_file("${package}/capstanConfigVersion.cmake" COMPATIBILITY ${compatible})
  install(FILES "${package}/capstanConfig.cmake" "${package}/capstanConfigVersion.cmake"
    "${PROJECT_SOURCE_DIR}/hack/cmake/capstanGenerate.cmake"
    DESTINATION "${CAPSTAN_INSTALL_CMAKEDIR}" COMPONENT libcapstan-dev)
  # The Conan recipe has only the sources.
  if(EXISTS "${PROJECT_SOURCE_DIR}/examples")
    capstan_install_pages()
  endif()
endfunction()

function(capstan_add_components)
  set(kinds "")
  if(CAPSTAN_BUILD_SHARED)
    list(APPEND kinds shared)
  endif()
  if(CAPSTAN_BUILD_STATIC)
    list(APPEND kinds static)
  endif()
  if(NOT kinds)
    message(FATAL_ERROR "CAPSTAN_BUILD_SHARED and CAPSTAN_BUILD_STATIC are both OFF; set one, or CAPSTAN_BUILD_LIBRARY=OFF")
  endif()
  foreach(name IN LISTS capstan_components)
    foreach(kind IN LISTS kinds)
      capstan_add_component(${name} ${kind})
    endforeach()
    # For a project that adds this one as a subdirectory.
    list(GET kinds 0 kind)
    if(CAPSTAN_USE_STATIC_LIBS AND CAPSTAN_BUILD_STATIC)
      set(kind static)
    endif()
    add_library(capstan::${name} ALIAS capstan_${name}_${kind})
  endforeach()
  if(CAPSTAN_INSTALL)
    set(CAPSTAN_KINDS ${kinds})
    capstan_install_package()
  endif()
endfunction()
