# SPDX-License-Identifier: Apache-2.0
# With CMAKE_UNITY_BUILD, sources are compiled together: headers are read once, and functions of headers are compiled
# once (decision 25). Presets without it compile each source alone, and so show which includes are missing.
#
#   capstan_unit(NAME FOLDER...)                       the sources of these folders are one file
#   capstan_compile_together(<target> SOURCE...)       the sources of a target: one file per unit, or else per folder
#   capstan_add_to_unit(<target> ...)                  as add_library, but the unit's library has the sources
#
# A program links the whole unit when it uses one of its folders, so a unit has folders that need the same
# third-party libraries. Two sources of a unit cannot have a function or constant of the same name.
macro(capstan_unit name)
  foreach(folder IN ITEMS ${ARGN})
    set(capstan_unit_of_${folder} ${name})
  endforeach()
endmacro()

capstan_unit(base clientgo/util clientgo/kind clientgo/api clientgo/workqueue)
capstan_unit(runtime clientgo/runtime clientgo/runtime/protobuf)
capstan_unit(transport clientgo/cert clientgo/transport clientgo/auth clientgo/httpserver clientgo/yaml clientgo/clientcmd)
capstan_unit(client clientgo/rest clientgo/discovery clientgo/restmapper clientgo/cache clientgo/leaderelection
  clientgo/record clientgo/client)
capstan_unit(controllers controllers/runtime controllers/runtime/webhook)
capstan_unit(program metrics metrics/statusz featuregate controllers/runtime/program controllers/resolver)
capstan_unit(cainjector controllers/cainjector controllers/cainjector/api controllers/cainjector/endpoints
  controllers/cainjector/rules controllers/cainjector/sources controllers/cainjector/targets cmd/injector cmd/controller-manager)
capstan_unit(readinessgate controllers/readinessgate controllers/readinessgate/gates cmd/node-agent)
capstan_unit(inspect cmd/capstan/inspect cmd/capstan-demo)
capstan_unit(apiserver clientgo/testing clientgo/testing/apiserver clientgo/testing/apiserver/admission
  clientgo/testing/apiserver/http clientgo/testing/apiserver/http2 clientgo/testing/apiserver/kinds
  clientgo/testing/apiserver/printers clientgo/testing/apiserver/registry)
capstan_unit(apiserver_access clientgo/testing/apiserver/authentication clientgo/testing/apiserver/authorization)
capstan_unit(apiserver_objects clientgo/testing/apiserver/decoding clientgo/testing/apiserver/patch
  clientgo/testing/apiserver/storage clientgo/testing/apiserver/types clientgo/testing/apiserver/validation)

# Sets the unit of a folder, or the folder as an identifier.
function(capstan_find_unit variable folder)
  string(MAKE_C_IDENTIFIER "${folder}" unit)
  if(DEFINED capstan_unit_of_${folder})
    set(unit ${capstan_unit_of_${folder}})
  endif()
  set(${variable} ${unit} PARENT_SCOPE)
endfunction()

function(capstan_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE file)
    cmake_path(GET file PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
    capstan_find_unit(group "${folder}")
    set_source_files_properties("${file}" TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${group})
  endforeach()
endfunction()

# capstan_add_to_unit(<target> UNIT <unit> SRCS <source>... APART <source>... LINKS <library>...)
function(capstan_add_to_unit target)
  cmake_parse_arguments(ARG "" "UNIT" "SRCS;APART;LINKS" ${ARGN})
  set(library capstan_unit_${ARG_UNIT})
  if(NOT TARGET ${library})
    add_library(${library} STATIC)
    target_include_directories(${library} PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}")
    target_compile_features(${library} PRIVATE cxx_std_20)
    target_link_libraries(${library} PRIVATE capstan_options)
    capstan_compile_for_users(${library})
    if(ARG_UNIT MATCHES "^apiserver")
      target_compile_options(${library} PRIVATE ${CAPSTAN_TEST_SERVER_OPTIONS})
    endif()
  endif()
  list(TRANSFORM ARG_SRCS PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  list(TRANSFORM ARG_APART PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  target_sources(${library} PRIVATE ${ARG_SRCS})
  target_link_libraries(${library} PRIVATE ${ARG_LINKS})
  capstan_compile_together(${library} ${ARG_SRCS})
  set_source_files_properties(${ARG_APART} TARGET_DIRECTORY ${library} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  add_library(${target} INTERFACE)
  target_link_libraries(${target} INTERFACE ${library})
endfunction()
