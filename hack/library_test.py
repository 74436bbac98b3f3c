#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs and packs the libraries, and uses them as users do.

usage: hack/library_test.py BUILD_DIR [TEST...]     BUILD_DIR: of the preset library
Each consumer builds examples/, which knows only the installed package, and runs its test.
"""
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

import tidy_docs

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), ".."))
BUILD = ""
COMPONENTS = ("api", "clientgo", "clientcmd", "controller_runtime", "httpserver", "metrics", "program", "testing", "webhook")


def told(*command, cwd=None, **environment):
    result = subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False,
                            env={**os.environ, **environment})
    if result.returncode != 0:
        raise AssertionError(f"{shlex.join(command)} exits {result.returncode}\n"
                             f"{result.stdout[-4000:]}\n{result.stderr[-4000:]}")
    return result.stdout


def files(folder):
    return {os.path.relpath(os.path.join(where, name), folder)
            for where, _, names in os.walk(folder) for name in names}


def public():
    return {os.path.relpath(os.path.join(where, name), os.path.join(ROOT, "include"))
            for where, _, names in os.walk(os.path.join(ROOT, "include")) for name in names}


def setting(name):
    with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as file:
        return re.search(rf"^{name}:\w+=(.*)$", file.read(), re.M).group(1)


def version():
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(r"project\(capstan VERSION (\S+)", file.read()).group(1)


def only_with_all():
    """Skips what compiles the library again, unless it is asked for."""
    if os.environ.get("CI") == "true" and os.environ.get("CAPSTAN_ALL") != "yes":
        raise unittest.SkipTest("left to .ci/run --all")


class HeaderSetsTest(unittest.TestCase):
    """The headers that are installed, with the flags that a target's users get."""

    def test_each_header_compiles_with_what_its_target_brings(self):
        only_with_all()
        told("cmake", "--build", BUILD, "--target", "all_verify_interface_header_sets",
             "-j", os.environ.get("JOBS", str(os.cpu_count())))


class Folder(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.mkdtemp(prefix="capstan-library-")
        self.addCleanup(shutil.rmtree, self.work)


class PackageTest(unittest.TestCase):
    """The .deb packages, which are made once."""

    @classmethod
    def setUpClass(cls):
        if not shutil.which("dpkg-shlibdeps") or not shutil.which("file"):
            raise unittest.SkipTest("needs dpkg-dev and file; hack/setup test installs them")
        cls.work = tempfile.mkdtemp(prefix="capstan-library-")
        cls.addClassCleanup(shutil.rmtree, cls.work)
        told("cpack", "--config", os.path.join(BUILD, "CPackConfig.cmake"), "-B", cls.work,
             "-D", "CPACK_COMPONENTS_ALL=libcapstan;libcapstan-dev")
        cls.packages = {os.path.basename(path).split("_")[0]: path
                        for path in glob.glob(os.path.join(cls.work, "*.deb"))}
        cls.soversion = ".".join(version().split(".")[:2])

    def unpacked(self, package):
        root = os.path.join(self.work, "root", package)
        if not os.path.exists(root):
            os.makedirs(root)
            told("dpkg-deb", "-x", self.packages[package], root)
        return root

    def field(self, package, name):
        return told("dpkg-deb", "-f", self.packages[package], name).strip()

    def test_names_and_dependencies(self):
        runtime = f"libcapstan{self.soversion}"
        self.assertEqual({runtime, "libcapstan-dev"}, set(self.packages))
        depends = self.field(runtime, "Depends")
        self.assertIn("libssl3", depends)
        for unwanted in ("grpc", "gtest", "protobuf", "-dev"):
            self.assertNotIn(unwanted, depends)
        self.assertEqual(f"{runtime} (= {version()}), libexpected-dev",
                         self.field("libcapstan-dev", "Depends"))
        self.assertIn("libnghttp2-dev", self.field("libcapstan-dev", "Suggests"))

    def test_runtime_package_has_the_shared_libraries(self):
        root = self.unpacked(f"libcapstan{self.soversion}")
        folder = f"usr/{setting('CMAKE_INSTALL_LIBDIR')}"
        libraries = {f"{folder}/libcapstan_{name}.so.{v}" for name in COMPONENTS
                     for v in (version(), self.soversion)}
        self.assertEqual(
            libraries | {"usr/share/doc/libcapstan/copyright"}, files(root))

    def test_dev_package_has_the_public_headers_only(self):
        root = self.unpacked("libcapstan-dev")
        found = files(root)
        self.assertEqual({f"usr/include/{header}" for header in public()},
                         {path for path in found if path.startswith("usr/include/")})
        folder = f"usr/{setting('CMAKE_INSTALL_LIBDIR')}"
        for name in COMPONENTS:
            for path in (f"libcapstan_{name}.so", f"libcapstan_{name}.a", f"pkgconfig/capstan-{name}.pc",
                         f"cmake/capstan/capstan-{name}-shared.cmake"):
                self.assertIn(f"{folder}/{path}", found)
        for path in ("examples/CMakeLists.txt", "examples/hello/main.cc", "library/first-controller.md",
                     "docs/examples/first-controller/foo.yaml", "docs/examples/kubectl/web.yaml"):
            self.assertIn(f"usr/share/doc/libcapstan-dev/{path}", found)
        for path in found:
            if path.endswith(".cmake") or path.endswith(".pc"):
                with open(os.path.join(root, path), encoding="utf-8") as file:
                    self.assertNotIn(ROOT, file.read(), path)

    def test_links_of_the_installed_pages_lead_to_installed_files(self):
        root = self.unpacked("libcapstan-dev")
        pages = [path for path in files(root) if path.endswith(".md")]
        self.assertIn("usr/share/doc/libcapstan-dev/library/first-controller.md", pages)
        self.assertIn("usr/share/doc/libcapstan-dev/examples/hello/README.md", pages)
        for page in pages:
            with open(os.path.join(root, page), encoding="utf-8") as file:
                targets = {target for target in tidy_docs.LINK.findall(file.read()) if "://" not in target}
            folder = os.path.join(root, os.path.dirname(page))
            self.assertEqual([], sorted(target for target in targets
                                        if not os.path.exists(os.path.join(folder, target))), page)

    def test_only_our_names_are_exported(self):
        root = self.unpacked(f"libcapstan{self.soversion}")
        for path in glob.glob(os.path.join(root, "usr/lib/**/*.so.*.*.*"), recursive=True):
            names = [line.split(maxsplit=2)[2] for line in
                     told("nm", "-D", "--defined-only", "-C", path).splitlines()]
            self.assertTrue(names, path)
            foreign = [name for name in names if "capstan::" not in name]
            self.assertEqual([], foreign[:20], path)


class ConsumerTest(Folder):
    """Projects that use the installed package, or the sources."""

    def setUp(self):
        super().setUp()
        self.prefix = os.path.join(self.work, "prefix")

    def install(self):
        told("cmake", "--install", BUILD, "--prefix", self.prefix)

    def build(self, source, *options, **environment):
        """Configures, builds and tests a project. Returns the output of the configuration."""
        build = os.path.join(self.work, "build")
        launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        out = told("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
                   "-DCMAKE_BUILD_TYPE=RelWithDebInfo", *launcher, *options, **environment)
        told("cmake", "--build", build, "-j", os.environ.get("JOBS", str(os.cpu_count())))
        told("ctest", "--test-dir", build, "--output-on-failure", "--no-tests=error")
        return out

    def libraries_of(self, program):
        out = told("ldd", os.path.join(self.work, "build", program))
        return set(re.findall(r"libcapstan_(\w+)", out))

    def example(self, *options):
        # A copy, so that nothing of the repository is found by a relative path.
        source = os.path.join(self.work, "examples")
        shutil.copytree(os.path.join(ROOT, "examples"), source)
        return self.build(source, *options)

    def test_find_package_shared(self):
        self.install()
        # The third-party libraries are not searched, so their -dev packages are not needed.
        self.example("-DEXAMPLES=namespaces", *(f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in
                       ("glog", "gflags", "OpenSSL", "ZLIB", "PkgConfig", "prometheus-cpp", "Boost", "GTest")))
        self.assertEqual({"clientgo", "clientcmd"}, self.libraries_of("namespaces/namespaces"))

    def test_examples(self):
        """All examples with the shared libraries, and the controller of README with the static ones."""
        self.install()
        for static, examples in (("OFF", ()), ("ON", ("-DEXAMPLES=hello",))):
            with self.subTest(static=static):
                self.example(f"-DCAPSTAN_USE_STATIC_LIBS={static}", *examples)
                self.assertEqual(set() if static == "ON" else set(COMPONENTS) - {"testing"},
                                 self.libraries_of("hello/hello"))
                shutil.rmtree(os.path.join(self.work, "build"))
                shutil.rmtree(os.path.join(self.work, "examples"))

    def test_find_package_static(self):
        self.install()
        self.example("-DCAPSTAN_USE_STATIC_LIBS=ON", "-DEXAMPLES=namespaces",
                     *(f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in
                       ("prometheus-cpp", "Boost", "GTest")))  # glog needs gflags
        self.assertEqual(set(), self.libraries_of("namespaces/namespaces"))

    def test_fetch_content(self):
        only_with_all()
        self.example(f"-DCAPSTAN_SOURCE_DIR={ROOT}", "-DEXAMPLES=namespaces",
                     *(f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in
                       ("prometheus-cpp", "GTest")))
        self.assertEqual(set(), self.libraries_of("namespaces/namespaces"))
        with open(os.path.join(self.work, "build/CMakeCache.txt"), encoding="utf-8") as file:
            cache = dict(re.findall(r"^(\w+):\w+=(.*)$", file.read(), re.M))
        # The project's own settings are as it made them, and its packages are not ours.
        self.assertEqual("RelWithDebInfo", cache["CMAKE_BUILD_TYPE"])
        for name in ("BUILD_SHARED_LIBS", "CMAKE_CXX_STANDARD", "CMAKE_POSITION_INDEPENDENT_CODE",
                     "CMAKE_INSTALL_LIBDIR", "CPACK_GENERATOR", "GTest_DIR", "prometheus-cpp_DIR"):
            self.assertNotIn(name, cache)
        self.assertFalse(os.path.exists(os.path.join(self.work, "build/CPackConfig.cmake")))
        targets = told("ninja", "-C", os.path.join(self.work, "build"), "-t", "targets", "all")
        for name in ("capstan-demo", "clientgo_util", "clientgo_util_test", "capstan_options", "capstan_metrics_static"):
            self.assertNotIn(f"\n{name}: phony", targets)
        told("cmake", "--install", os.path.join(self.work, "build"), "--prefix", self.prefix)
        self.assertFalse(os.path.exists(self.prefix) and files(self.prefix))

    def consumer(self, cmake):
        source = os.path.join(self.work, "consumer")
        os.makedirs(source, exist_ok=True)
        with open(os.path.join(source, "CMakeLists.txt"), "w", encoding="utf-8") as file:
            file.write("cmake_minimum_required(VERSION 3.25)\nproject(consumer LANGUAGES CXX)\n"
                       "set(CMAKE_CXX_VISIBILITY_PRESET hidden)\nenable_testing()\n"
                       + cmake + "add_test(NAME consumer COMMAND consumer)\n")
        with open(os.path.join(source, "main.cc"), "w", encoding="utf-8") as file:
            file.write(MAIN)
        return source

    def test_every_component_links_and_errors_cross_the_border(self):
        self.install()
        targets = " ".join(f"capstan::{name}" for name in COMPONENTS)
        for static in ("OFF", "ON"):
            with self.subTest(static=static):
                source = self.consumer("find_package(capstan 0.2 CONFIG REQUIRED)\n"
                                       f"add_executable(consumer main.cc)\n"
                                       f"target_link_libraries(consumer PRIVATE {targets})\n"
                                       # Each library is loaded, also when nothing of it is used.
                                       "target_link_options(consumer PRIVATE -Wl,--no-as-needed)\n")
                self.build(source, f"-DCAPSTAN_USE_STATIC_LIBS={static}")
                self.assertEqual(set() if static == "ON" else set(COMPONENTS),
                                 self.libraries_of("consumer"))
                shutil.rmtree(os.path.join(self.work, "build"))

    def refused(self, find, *options, **environment):
        shutil.rmtree(os.path.join(self.work, "build"), ignore_errors=True)
        source = self.consumer(find + "add_executable(consumer main.cc)\n")
        with self.assertRaises(AssertionError) as error:
            self.build(source, *options, **environment)
        return " ".join(str(error.exception).split())

    def test_find_package_says_why_it_refuses(self):
        self.install()
        self.assertIn("there is no component grpc; installed:",
                      self.refused("find_package(capstan 0.2 CONFIG REQUIRED COMPONENTS grpc)\n"))
        others = os.path.join(self.work, "pkgconfig")
        os.mkdir(others)
        shutil.copy(os.path.join(told("pkg-config", "--variable=pcfiledir", "libnghttp2").strip(), "libnghttp2.pc"), others)
        self.assertIn("component clientcmd: its static library needs the package libyaml", self.refused(
            "find_package(capstan 0.2 CONFIG REQUIRED COMPONENTS clientcmd)\n",
            "-DCAPSTAN_USE_STATIC_LIBS=ON", PKG_CONFIG_LIBDIR=others))
        major, minor = map(int, version().split(".")[:2])
        for other in (f"{major}.{minor + 1}", f"{major}.{minor - 1}", f"{major + 1}.0"):
            self.assertIn("compatible with requested version",
                          self.refused(f"find_package(capstan {other} CONFIG REQUIRED)\n"))
        self.assertIn("not both", self.refused(
            "find_package(capstan CONFIG REQUIRED)\nset(CAPSTAN_USE_STATIC_LIBS ON)\n"
            "find_package(capstan CONFIG REQUIRED)\n"))

    def test_pkg_config(self):
        self.install()
        path = os.path.join(self.prefix, setting("CMAKE_INSTALL_LIBDIR"), "pkgconfig")
        flags = shlex.split(told("pkg-config", "--cflags", "--libs", "capstan-clientcmd", "capstan-testing",
                                 PKG_CONFIG_PATH=path))
        program = os.path.join(self.work, "namespaces_test")
        folder = os.path.join(ROOT, "examples/namespaces")
        sources = [os.path.join(folder, name) for name in ("namespaces_test.cc", "namespaces.cc")]
        told("g++", "-std=c++20", "-I" + os.path.join(ROOT, "examples"), *sources, *flags, "-o", program)
        namespaces = os.path.join(self.work, "namespaces")
        sources = [os.path.join(folder, name) for name in ("main.cc", "namespaces.cc")]
        told("g++", "-std=c++20", *sources, *flags, "-o", namespaces)
        told(program, namespaces, LD_LIBRARY_PATH=os.path.dirname(path))
        self.assertEqual(version(), told("pkg-config", "--modversion", "capstan-clientgo",
                                         PKG_CONFIG_PATH=path).strip())
        # Of a static link: what CMake links is what pkg-config names.
        static = told("pkg-config", "--libs", "--static", "capstan-clientcmd", PKG_CONFIG_PATH=path)
        for flag in ("-lyaml", "-lnghttp2", "-lssl", "-lcrypto", "-lz", "-lglog"):
            self.assertIn(flag, static.split())


class ConanTest(unittest.TestCase):
    """The recipe, with its test_package."""

    CACHE = os.environ.get("CAPSTAN_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "capstan")

    def setUp(self):
        self.conan = shutil.which("conan") or os.path.join(self.CACHE, "conan/bin/conan")
        if not os.path.exists(self.conan):
            self.skipTest("needs conan; hack/setup library installs it")
        only_with_all()
        # One folder for all runs, so that ccache recognises the sources.
        self.home = os.path.join(self.CACHE, "conan-home")
        self.environment = {"CONAN_HOME": self.home, "CCACHE_BASEDIR": self.home, "CCACHE_NOHASHDIR": "true"}
        if shutil.which("ccache"):
            self.environment["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"

    def test_create(self):
        """Creates both kinds. Conan then builds examples with the package, and runs their tests."""
        told(self.conan, "profile", "detect", "--force", **self.environment)
        for shared in (True, False):
            with self.subTest(shared=shared):
                told(self.conan, "create", os.path.join(ROOT, "hack/conan"), "--no-remote", "--build=missing",
                     "-o", f"capstan/*:shared={shared}", "-o", "capstan/*:components=program,testing",
                     "-s", "compiler.cppstd=20", "-c", "tools.cmake.cmake_layout:test_folder=$TMP",
                     "-c", "tools.build:jobs=" + os.environ.get("JOBS", str(os.cpu_count())),
                     **self.environment)


# Uses each component, and throws and casts what crosses the border of a library.
MAIN = """
#include <stdexcept>
#include <string>

#include "capstan/api/object_metadata.h"
#include "capstan/clientcmd/config.h"
#include "capstan/error.h"
#include "capstan/manager.h"
#include "capstan/featuregate/feature_gate.h"
#include "capstan/httpserver/server.h"
#include "capstan/metrics/metrics.h"
#include "capstan/program.h"
#include "capstan/testing/apiserver/server.h"
#include "capstan/testing/fake_clock.h"

using capstan::Error;
using capstan::Expected;

int main() {
  // A template of the error of one library, which another library returned.
  const Expected<capstan::rest::Config> config =
      capstan::clientcmd::LoadConfig({.kubeconfig = "/nowhere"});
  try {
    (void)config.value();
    return 1;
  } catch (const tl::bad_expected_access<Error>& e) {
    if (e.error().message.find("/nowhere") == std::string::npos) return 2;
  }
  capstan::testing::apiserver::Server server({.tls = false});
  if (!server.Start()) return 3;
  auto client = capstan::rest::Client::New({.host = server.url()});
  if (!client) return 4;
  const auto type = capstan::api::MakeMetadataType(
      {.gvr = {"", "v1", "namespaces"}, .kind = "Namespace"});
  // From the program through the library to the program.
  try {
    (void)(*client)->List({}, type, {}, [](const capstan::runtime::ObjectPtr& object) {
      if (dynamic_cast<const capstan::api::ObjectMetadata*>(object.get()) == nullptr) return;
      throw std::runtime_error(std::string(object->name()));
    });
    return 5;
  } catch (const std::runtime_error&) {
  }
  capstan::metrics::Metrics metrics({.version = "0.2.0", .commit = "x"});
  capstan::testing::FakeClock clock;
  clock.Step(std::chrono::seconds(1));
  return metrics.Serialize().empty() ? 6 : 0;
}
"""

if __name__ == "__main__":
    BUILD = os.path.realpath(sys.argv[1])
    del sys.argv[1]
    unittest.main()
