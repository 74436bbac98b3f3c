# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Functions that the commands in hack/, e2e/ and .ci/ share. Sourcing it changes to the repository's root.
set -euo pipefail
SELF=$(realpath "$0")
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"

# Go and Python need HOME, which a container or a systemd unit may not set.
export HOME=${HOME:-/root}
# The cache holds what was built or fetched for all checkouts.
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
    line=$(grep -Eo '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -1 || true)
    read -r p _ f _ s _ <<<"${line:-0 passed, 1 failed, 0 skipped}"  # no line: the command died
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  done
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" = 0 ]
}

# what_failed <log>...: prints the failed scenarios, unit tests, checks and builds of these logs. The
# linker's note about getaddrinfo is no failure (decision 17).
what_failed() {
  awk '/ in statically linked applications / { next }
       /^=== / { block = "" } { block = block $0 "\n" } /^--- FAIL/ { printf "%s", block }
       /Test .*\*\*\*(Failed|Timeout|Exception)/ || /^==> verify .*: FAILED/ || /^==> stage .*: exit code/ ||
       /^FAILED: / || /^[^ :]+:[0-9]+:([0-9]+:)? [a-z][a-z0-9., -]*: /' "$@"
}

# No path of a checkout is in the compiled code, so that ccache recognises a file in any checkout.
export CCACHE_BASEDIR=$ROOT CCACHE_NOHASHDIR=true

# progress: forwards ninja's output. Its "[n/m] what" lines become "step 120 of 289, about 90 s left": on a
# terminal always in one place, in a log every 20 seconds.
progress() {
  local line at total left begin=$SECONDS printed=$SECONDS shown=
  while IFS= read -r line; do
    if ! [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
      [ "$line" = "ninja: no work to do." ] || printf '%s%s\n' "$shown" "$line"
      continue
    fi
    at=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
    [ "$at" != 0 ] || continue  # CMake runs again
    left=$(((SECONDS - begin) * (total - at) / at))
    if [ -t 1 ]; then
      shown=$'\n'
      printf '\r    step %d of %d, about %d s left  ' "$at" "$total" "$left"
    elif [ $((SECONDS - printed)) -ge 20 ]; then
      printed=$SECONDS
      echo "    step $at of $total, about $left s left"
    fi
  done
  printf %s "$shown"
}

# build <preset> [target...]
build() {
  local preset=$1
  shift
  cmake --build --preset "$preset" -j "$JOBS" ${1:+--target "$@"} 2>&1 | progress
}

# configure_and_build <preset> [target...]
configure_and_build() {
  configure "$1"
  say "build, preset $1 (build/$1)"
  build "$@"
}

# configure <preset> [option of cmake...]
configure() {
  local preset=$1
  shift
  local log=build/$preset.configure.log
  mkdir -p build
  # Only in CI, because new warnings of a newer compiler must not stop users.
  local strict=()
  in_ci && strict=(-DCMAKE_COMPILE_WARNING_AS_ERROR=ON)
  # The release preset links as images do, once an image was built.
  local archives='' options=()
  case $preset in
    release) archives=$(hack/archives --cached 2>/dev/null || true) ;;
    release-*)
      options=("-DCAPSTAN_SYSROOT=$(hack/sysroot --cached "${preset#release-}" 2>/dev/null ||
        hack/sysroot "${preset#release-}")")
      archives=$(hack/archives "${preset#release-}")
      ;;
    cpprest) hack/setup cpprest ;;
  esac
  if ! cmake --preset "$preset" "${strict[@]}" "${options[@]}" "-DCAPSTAN_ARCHIVES=${archives#none}" "$@" >"$log" 2>&1; then
    cat "$log"
    die "cmake --preset $preset failed"
  fi
}

# cxx_files: prints our C++ files, separated by NUL.
cxx_files() {
  find . -path ./build -prune -o -path ./.git -prune -o -type f \( -name '*.cc' -o -name '*.h' \) -print0 |
    sort -z
}
