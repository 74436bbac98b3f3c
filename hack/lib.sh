# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# What the commands in hack/, e2e/ and .ci/ share. Source it; it moves to the root of the repository.
set -euo pipefail
SELF=$(realpath "$0")
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"

# Go and Python want one, and a container or a unit of systemd may have none.
export HOME=${HOME:-/root}
# Everything built or fetched that outlives a checkout is kept here.
CACHE=${CAPSTAN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/capstan}
JOBS=${JOBS:-$(nproc)}
export CAPSTAN_CACHE=$CACHE PATH="$CACHE/bin:$PATH:/usr/sbin:/sbin"

say() { echo "==> $*"; }
die() {
  echo "${0##*/}: $*" >&2
  exit 1
}
in_ci() { [ "${CI:-}" = true ]; }

# The comment block below the SPDX line is the help text of every command here.
usage() { sed -n '3,/^[^#]/{s/^# \{0,1\}//p}' "$SELF"; }

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  else
    command -v sudo >/dev/null || die "needs root or sudo for: $*"
    sudo "$@"
  fi
}

# totals <log>...: adds up the last "N passed, N failed, N skipped" line of each log.
totals() {
  local log line passed=0 failed=0 skipped=0
  for log in "$@"; do
    line=$(grep -Eo '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -1)
    read -r p _ f _ s _ <<<"${line:-0 passed, 1 failed, 0 skipped}"  # no line: it died
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  done
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" = 0 ]
}

# what_failed <log>...: what these logs say of scenarios, unit tests and checks that failed.
what_failed() {
  awk '/^=== / { block = "" } { block = block $0 "\n" } /^--- FAIL/ { printf "%s", block }
       /Test .*\*\*\*(Failed|Timeout|Exception)/ || /^==> verify .*: FAILED/' "$@"
}

# So that ccache knows an unchanged file in any checkout: no path of one is in what is compiled.
export CCACHE_BASEDIR=$ROOT CCACHE_NOHASHDIR=true

# configure_and_build <preset> [target...]
configure_and_build() {
  local preset=$1
  shift
  local log=build/$preset.configure.log
  mkdir -p build
  # Not elsewhere: a newer compiler's new warnings must not stop users.
  local strict=()
  in_ci && strict=(-DCMAKE_COMPILE_WARNING_AS_ERROR=ON)
  if ! cmake --preset "$preset" "${strict[@]}" >"$log" 2>&1; then
    cat "$log"
    die "cmake --preset $preset failed"
  fi
  say "build, preset $preset (build/$preset)"
  cmake --build --preset "$preset" -j "$JOBS" ${1:+--target "$@"} -- --quiet
}

# Every C++ file of ours, NUL-separated.
cxx_files() {
  find . -path ./build -prune -o -path ./.git -prune -o -type f \( -name '*.cc' -o -name '*.h' \) -print0 |
    sort -z
}
