# SPDX-License-Identifier: Apache-2.0
# Rules for `cmake --install` and `cpack`: a man page and a .deb for each program, and the shells' completion
# of capstan.
include(GNUInstallDirs)
set(CAPSTAN_PROGRAMS capstan capstan-demo capstan-controller-manager capstan-node-agent capstan-cri-event-broker)
set(CPACK_COMPONENTS_ALL "")
set(capstan_shipped OFF)  # pages and packages are made of the build that is shipped
if(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo" AND NOT CAPSTAN_SANITIZE)
  set(capstan_shipped ON)
endif()
if(capstan_shipped)
  # The folder and the script's name for each shell.
  set(bash bash-completion/completions/capstan)
  set(zsh zsh/vendor-completions/_capstan)
  set(fish fish/vendor_completions.d/capstan.fish)
  foreach(shell bash zsh fish)
    cmake_path(GET ${shell} PARENT_PATH folder)
    cmake_path(GET ${shell} FILENAME file)
    set(script "${PROJECT_BINARY_DIR}/completion/${file}")
    add_custom_command(OUTPUT "${script}" VERBATIM DEPENDS capstan
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${PROJECT_BINARY_DIR}/completion"
      COMMAND $<TARGET_FILE:capstan> completion ${shell} > "${script}")
    list(APPEND completions "${script}")
    install(FILES "${script}" DESTINATION "${CMAKE_INSTALL_DATADIR}/${folder}" COMPONENT capstan)
  endforeach()
  add_custom_target(capstan_completion ALL DEPENDS ${completions})
endif()
find_package(Python3 3.9 COMPONENTS Interpreter)
foreach(program IN LISTS CAPSTAN_PROGRAMS)
  if(NOT TARGET ${program})
    continue()  # the broker, where there is no gRPC
  endif()
  list(APPEND CPACK_COMPONENTS_ALL ${program})
  install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}/../${program}" COMPONENT ${program} RENAME copyright)
  if(Python3_Interpreter_FOUND AND capstan_shipped)
    set(page "${PROJECT_BINARY_DIR}/man/${program}.1")
    add_custom_command(OUTPUT "${page}" VERBATIM
      COMMAND "${CMAKE_COMMAND}" -E make_directory "${PROJECT_BINARY_DIR}/man"
      COMMAND Python3::Interpreter -B "${PROJECT_SOURCE_DIR}/hack/man_page.py" $<TARGET_FILE:${program}> "${page}"
      DEPENDS ${program} "${PROJECT_SOURCE_DIR}/hack/man_page.py")
    add_custom_target(${program}_man ALL DEPENDS "${page}")
    install(FILES "${page}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT ${program})
  endif()
endforeach()
if(Python3_Interpreter_FOUND AND capstan_shipped AND BUILD_TESTING)
  add_test(NAME Package.InstallsWhatRuns COMMAND Python3::Interpreter -B "${PROJECT_SOURCE_DIR}/hack/package_test.py"
    "${PROJECT_BINARY_DIR}" ${CPACK_COMPONENTS_ALL})
  set_tests_properties(Package.InstallsWhatRuns PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
endif()

# One package for each program, because only the broker needs gRPC.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "the capstan authors <capstan@example.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "CA injection and readiness gates for Kubernetes")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
foreach(program IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${program} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${program})
endforeach()
set(CPACK_COMPONENT_CAPSTAN_DESCRIPTION "Command line program that explains CA injection in a cluster.")
set(CPACK_COMPONENT_CAPSTAN-DEMO_DESCRIPTION "Demo of capstan, with an embedded API server to try things on.")
set(CPACK_COMPONENT_CAPSTAN-CONTROLLER-MANAGER_DESCRIPTION "Injects CA bundles into webhooks, APIServices and CRDs.")
set(CPACK_COMPONENT_CAPSTAN-NODE-AGENT_DESCRIPTION "Opens the readiness gates of a node's pods.")
set(CPACK_COMPONENT_CAPSTAN-CRI-EVENT-BROKER_DESCRIPTION "Tells capstan-node-agent of a container runtime's events.")
set(CPACK_DEBIAN_CAPSTAN_PACKAGE_RECOMMENDS capstan-controller-manager)
set(CPACK_DEBIAN_CAPSTAN-DEMO_PACKAGE_RECOMMENDS "capstan-controller-manager, capstan-node-agent")
include(CPack)
