# SPDX-License-Identifier: Apache-2.0
"""The recipe for Conan 2. docs/library/install.md describes it."""
import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir
from conan.tools.system.package_manager import Apt

# Debian's packages of the third-party libraries, by component.
ALWAYS = ["libboost-dev", "rapidjson-dev", "libexpected-dev", "pkg-config", "libgoogle-glog-dev", "libssl-dev",
          "libnghttp2-dev", "zlib1g-dev"]
PACKAGES = {"clientgo": [], "clientcmd": ["libyaml-dev"], "httpserver": [], "controller_runtime": [],
            "metrics": ["prometheus-cpp-dev"],
            "program": ["prometheus-cpp-dev", "libyaml-dev", "libgflags-dev"], "testing": ["libre2-dev"],
            "webhook": []}


class CapstanConan(ConanFile):
    name = "capstan"
    description = "Kubernetes client and controllers in C++"
    license = "Apache-2.0"
    topics = ("kubernetes", "controller", "operator")
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "components": ["ANY"]}
    default_options = {"shared": False, "components": ",".join(PACKAGES)}

    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "hack/CMakeLists.txt", "hack/cmake/*", "include/*", "clientgo/*",
                        "controllers/runtime/*", "featuregate/*", "metrics/*"):
            copy(self, pattern, self._root(), self.export_sources_folder)

    def set_version(self):
        text = load(self, os.path.join(self._root(), "CMakeLists.txt"))
        self.version = re.search(r"project\(capstan VERSION (\S+)", text).group(1)

    def _components(self):
        return str(self.options.components).split(",")

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("capstan needs Linux")
        unknown = set(self._components()) - set(PACKAGES)
        if unknown:
            raise ConanInvalidConfiguration(f"no components: {', '.join(sorted(unknown))}; known: {', '.join(PACKAGES)}")

    def layout(self):
        cmake_layout(self)

    def system_requirements(self):
        wanted = ALWAYS + [package for name in self._components() for package in PACKAGES[name]]
        Apt(self).install(sorted(set(wanted)), check=True)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables.update({
            "CAPSTAN_BUILD_PROGRAMS": False, "CAPSTAN_BUILD_TESTING": False, "BUILD_TESTING": False,
            "CAPSTAN_BUILD_SHARED": bool(self.options.shared), "CAPSTAN_BUILD_STATIC": not self.options.shared,
            "CAPSTAN_COMPONENTS": ";".join(self._components())})
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        rmdir(self, os.path.join(self.package_folder, "share"))
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        # The package has its own capstanConfig.cmake, with components and their dependencies.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "capstan")]
        self.cpp_info.libs = []
