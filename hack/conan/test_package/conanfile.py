# SPDX-License-Identifier: Apache-2.0
"""Builds the examples with the package and runs their tests."""
from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout


class CapstanTestConan(ConanFile):
    settings = "os", "compiler", "build_type", "arch"
    generators = "CMakeDeps", "VirtualRunEnv"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False  # nothing is written beside the sources
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        CMake(self).ctest(["--output-on-failure", "--no-tests=error"])
