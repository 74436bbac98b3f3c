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
    line=$(grep -Eo '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -1 || true)
    read -r p _ f _ s _ <<<"${line:-0 passed, 1 failed, 0 skipped}"  # no line: it died
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  done
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" = 0 ]
}

# what_failed <log>...: what these logs say of scenarios, unit tests, checks and builds that failed.
what_failed() {
  awk '/^=== / { block = "" } { block = block $0 "\n" } /^--- FAIL/ { printf "%s", block }
       /Test .*\*\*\*(Failed|Timeout|Exception)/ || /^==> verify .*: FAILED/ || /^==> stage .*: exit code/ ||
       /^FAILED: / || /^[^ :]+:[0-9]+:([0-9]+:)? [a-z][a-z0-9., -]*: /' "$@"
}

# So that ccache knows an unchanged file in any checkout: no path of one is in what is compiled.
export CCACHE_BASEDIR=$ROOT CCACHE_NOHASHDIR=true

# progress: passes on what ninja prints, but of its "[n/m] what" lines only one a minute.
progress() {
  local line begin=$SECONDS printed=$SECONDS
  while IFS= read -r line; do
    if ! [[ $line =~ ^\[[0-9]+/[0-9]+\] ]]; then
      [ "$line" = "ninja: no work to do." ] || printf '%s\n' "$line"
    elif [ $((SECONDS - printed)) -ge 60 ]; then
      printed=$SECONDS
      echo "    ${BASH_REMATCH[0]} after $((SECONDS - begin)) s"
    fi
  done
}

# build <preset> [target...]: shows ninja's count, on a terminal all the time, in a log once a minute.
build() {
  local preset=$1
  shift
  local command=(cmake --build --preset "$preset" -j "$JOBS" ${1:+--target "$@"})
  if [ -t 1 ]; then "${command[@]}"; else "${command[@]}" 2>&1 | progress; fi
}

# configure_and_build <preset> [target...]
configure_and_build() {
  configure "$1"
  say "build, preset $1 (build/$1)"
  build "$@"
}

# configure <preset>
configure() {
  local preset=$1
  local log=build/$preset.configure.log
  mkdir -p build
  # Not elsewhere: a newer compiler's new warnings must not stop users.
  local strict=()
  in_ci && strict=(-DCMAKE_COMPILE_WARNING_AS_ERROR=ON)
  if ! cmake --preset "$preset" "${strict[@]}" >"$log" 2>&1; then
    cat "$log"
    die "cmake --preset $preset failed"
  fi
}

# Every C++ file of ours, NUL-separated.
cxx_files() {
  find . -path ./build -prune -o -path ./.git -prune -o -type f \( -name '*.cc' -o -name '*.h' \) -print0 |
    sort -z
}
