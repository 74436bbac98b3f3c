# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Functions that build Go programs from their modules, for commands that source hack/lib.sh.
#
# A module's go.mod determines its Go: an installed Go that is not older than its line "go", otherwise
# the one of its line "toolchain".

# new_enough <go> <module folder>: succeeds if this Go can compile the module.
new_enough() {
  local minor needed
  needed=$(sed -n 's/^go 1\.\([0-9]*\).*/\1/p' "$2/go.mod")
  minor=$(GOTOOLCHAIN=local "$1" env GOVERSION 2>/dev/null | sed -n 's/^go1\.\([0-9]*\).*/\1/p')
  [ "${minor:-0}" -ge "${needed:?}" ]
}

# find_go <module folder>
find_go() {
  local go
  for go in "$(command -v go || true)" /usr/local/go/bin/go /usr/lib/go-1.*/bin/go \
    "$CACHE"/go1.*/bin/go; do
    if [ -x "$go" ] && new_enough "$go" "$1"; then
      echo "$go"
      return
    fi
  done
  return 1
}

# The proxy serves toolchains as modules. A Go older than 1.21 does not know toolchains but can download
# modules. Modules have no executable bits.
fetch_go() {
  local old work dir part dest toolchain
  toolchain=$(sed -n 's/^toolchain //p' "$1/go.mod")
  dest=${CACHE:?}/${toolchain:?}
  old=$(command -v go || echo /usr/bin/go)
  if [ ! -x "$old" ]; then
    say "apt-get install golang-go, to fetch $toolchain"
    as_root apt-get -q update >/dev/null
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Acquire::Retries=3 install \
      --no-install-recommends golang-go ca-certificates >/dev/null
  fi
  say "go mod download golang.org/toolchain ($toolchain)"
  work=$(mktemp -d)
  dir=$(cd "$work" && "$old" mod download -json \
    "golang.org/toolchain@v0.0.1-$toolchain.linux-$("$old" env GOARCH)" |
    sed -n 's/^\t"Dir": "\(.*\)",$/\1/p')
  rm -rf "$work"
  [ -d "$dir" ] || die "the Go module proxy has no toolchain $toolchain"
  part=$(mktemp -d "$CACHE/part.$toolchain.XXXX")
  cp -r "$dir/." "$part"
  chmod -R u+w "$part"
  chmod 755 "$part" "$part/bin/"* "$part/pkg/tool/"*/*
  # Another run may have been faster; its toolchain is equal and in use.
  new_enough "$dest/bin/go" "$1" || rm -rf "$dest"
  mv -T "$part" "$dest" 2>/dev/null || rm -rf "$part"
}

# need_go <module folder>: sets $go to an installed or fetched Go.
need_go() {
  mkdir -p "$CACHE"
  find_go "$1" >/dev/null || fetch_go "$1"
  go=$(find_go "$1") || die "no Go can build $1, and fetching one failed"
}

# go_build <module folder> <output folder> <ldflags> <package>...
go_build() {
  local folder=$1 out=$2 ldflags=$3 try
  shift 3
  for try in 1 2 3; do
    (cd "$folder" && GOTOOLCHAIN=local "$go" mod download) && break
    [ "$try" = 3 ] && die "go mod download failed in $folder"
    sleep 5
  done
  (cd "$folder" && CGO_ENABLED=0 GOTOOLCHAIN=local "$go" build -mod=readonly \
    -trimpath -buildvcs=false -ldflags "-s -w $ldflags" -o "$out/" "$@")
}
