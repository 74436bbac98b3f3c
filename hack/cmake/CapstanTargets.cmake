# SPDX-License-Identifier: Apache-2.0
# capstan_library: one library target and one test binary for each folder.
#
#   capstan_library(NAME clientgo::cache
#     API   cache/store.h             # the headers of include/capstan that the folder implements
#     SRCS  store.cc reflector.cc
#     APART store.cc                # not compiled with the others: some programs take only this, or not this
#     DEPS  clientgo::rest            # linked PUBLIC: what the headers expose
#     PRIVATE_DEPS third_party::yaml  # linked PRIVATE: what only the sources use
#     TESTS store_test.cc             # one binary, discovered test by test
#     TEST_DEPS clientgo::testing
#     OPTIONS -O2)                    # compile options of the sources
#
# A folder with an API is also a part of a component (CapstanLibrary).
#
# The target's real name is the namespace with '_' for '::' (clientgo_cache, clientgo_cache_test).
function(capstan_library)
  cmake_parse_arguments(ARG "" "NAME" "API;SRCS;APART;DEPS;PRIVATE_DEPS;TESTS;TEST_DEPS;OPTIONS" ${ARGN})
  string(REPLACE "::" "_" target "${ARG_NAME}")
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE folder)
  set(component "${capstan_component_of_${folder}}")
  if(ARG_API AND NOT component)
    message(FATAL_ERROR "${folder} has an API, but is in no component of hack/cmake/CapstanLibrary.cmake")
  endif()
  set(compiled ${ARG_SRCS})
  if(component AND component IN_LIST capstan_components)
    capstan_add_folder(${component} ${target} API ${ARG_API} SRCS ${ARG_SRCS} DEPS ${ARG_DEPS} ${ARG_PRIVATE_DEPS}
      OPTIONS ${ARG_OPTIONS})
    set(compiled $<TARGET_OBJECTS:capstan_objects_${target}>)
  endif()
  if(NOT CAPSTAN_BUILD_FOLDERS)
    return()
  endif()
  if(CMAKE_UNITY_BUILD AND DEFINED capstan_unit_of_${folder} AND compiled STREQUAL ARG_SRCS AND NOT CAPSTAN_TRANSPORT_CPPREST)
    capstan_add_to_unit(${target} UNIT ${capstan_unit_of_${folder}} SRCS ${ARG_SRCS} APART ${ARG_APART}
      LINKS ${ARG_DEPS} ${ARG_PRIVATE_DEPS})
    set(scope INTERFACE)
  elseif(ARG_SRCS)
    add_library(${target} STATIC ${compiled})
    capstan_compile_together(${target} ${ARG_SRCS})
    set_source_files_properties(${ARG_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
    set(scope PUBLIC)
    target_link_libraries(${target} PRIVATE ${ARG_PRIVATE_DEPS} capstan_options)
    target_compile_options(${target} PRIVATE ${ARG_OPTIONS})
    if(component)
      capstan_compile_for_users(${target})  # also without components
    endif()
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  if(NOT TARGET ${ARG_NAME})
    add_library(${ARG_NAME} ALIAS ${target})
  endif()
  target_include_directories(${target} ${scope} "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}")
  target_compile_features(${target} ${scope} cxx_std_20)
  target_link_libraries(${target} ${scope} ${ARG_DEPS})
  if(ARG_TESTS AND CAPSTAN_BUILD_TESTING)
    add_executable(${target}_test ${ARG_TESTS})
    capstan_compile_together(${target}_test ${ARG_TESTS})
    set_target_properties(${target}_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/tests")
    target_link_libraries(${target}_test PRIVATE ${ARG_NAME} ${ARG_TEST_DEPS} GTest::gmock_main capstan_test_options)
    set(timeout 120)
    if(CMAKE_CROSSCOMPILING)  # QEMU needs about ten times as long
      set(timeout 1200)
    endif()
    gtest_discover_tests(${target}_test DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT ${timeout} LABELS ${target}_test)
  endif()
endfunction()

# capstan_declaration_error: a mistake in a declaration is an error of the compiler that says what to do. Each
# case is a macro of the source, and has the label of its test binary. The message is a regular expression for the
# rest of the error's line. Without one, the case must compile. The first test compiles the source's headers for all
# into a file of over 100 MB. A sanitizer would change nothing, so its builds do without.
function(capstan_declaration_error test_binary source case message)
  if(CAPSTAN_SANITIZE)
    return()
  endif()
  set(test DeclarationErrors.${test_binary})
  set(headers "${CMAKE_CURRENT_BINARY_DIR}/declaration_errors.h")
  set(compile ${CMAKE_CXX_COMPILER} -std=c++20 "-I${PROJECT_SOURCE_DIR}/include" "-I${PROJECT_SOURCE_DIR}")
  if(NOT TEST ${test}.Headers)
    file(STRINGS "${source}" includes REGEX "^#include")
    list(JOIN includes "\n" includes)
    file(CONFIGURE OUTPUT "${headers}" CONTENT "${includes}\n" @ONLY)
    add_test(NAME ${test}.Headers COMMAND ${compile} -x c++-header "${headers}" -o "${headers}.gch")
    set_tests_properties(${test}.Headers PROPERTIES TIMEOUT 120 LABELS ${test_binary} FIXTURES_SETUP ${test})
  endif()
  add_test(NAME DeclarationErrors.${test_binary}.${case}
    COMMAND ${compile} -fsyntax-only -include "${headers}" -D${case} ${source}
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  set_tests_properties(${test}.${case} PROPERTIES TIMEOUT 120 LABELS ${test_binary} FIXTURES_REQUIRED ${test})
  if(message)
    set_tests_properties(${test}.${case} PROPERTIES PASS_REGULAR_EXPRESSION "error: [^\n]*${message}"
      FAIL_REGULAR_EXPRESSION "error:.*error:")
  endif()
endfunction()

# capstan_program_path: sets the variable to the file that runs a program, for a test that starts it. Where the
# program needs an emulator, the file is a script.
function(capstan_program_path variable program)
  set(path "$<TARGET_FILE:${program}>")
  if(CMAKE_CROSSCOMPILING_EMULATOR)
    list(JOIN CMAKE_CROSSCOMPILING_EMULATOR " " emulator)
    set(path "${PROJECT_BINARY_DIR}/emulated/${program}")
    file(WRITE "${path}" "#!/bin/sh\nexec ${emulator} ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${program} \"$@\"\n")
    file(CHMOD "${path}" PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  endif()
  set(${variable} "${path}" PARENT_SCOPE)
endfunction()

# capstan_program: one main() under cmd/, installed into bin. STATIC: with CAPSTAN_ARCHIVES it is linked
# statically, and the installed program is another one in bin/shared.
#   capstan_program(NAME capstan SRCS main.cc DEPS cmd::capstan)
function(capstan_program)
  cmake_parse_arguments(ARG "STATIC" "NAME" "SRCS;DEPS" ${ARGN})
  add_executable(${ARG_NAME} ${ARG_SRCS})
  target_include_directories(${ARG_NAME} PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}")
  target_link_libraries(${ARG_NAME} PRIVATE ${ARG_DEPS} capstan_options)
  set(installed ${ARG_NAME})
  if(CAPSTAN_ARCHIVES AND ARG_STATIC)
    capstan_link_statically(${ARG_NAME})
    set(installed ${ARG_NAME}_shared)
    add_executable(${installed} $<TARGET_OBJECTS:${ARG_NAME}>)
    set_target_properties(${installed} PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME ${ARG_NAME}
      RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin/shared")
    target_link_libraries(${installed} PRIVATE ${ARG_DEPS} capstan_options)
  endif()
  install(TARGETS ${installed} RUNTIME COMPONENT ${ARG_NAME})
  set_property(GLOBAL APPEND PROPERTY capstan_installed_programs ${installed})
endfunction()
