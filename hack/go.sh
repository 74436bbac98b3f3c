# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Building Go programs from their modules, for commands that sourced hack/lib.sh.
#
# The go.mod of a module says which Go builds it: any that is not older than its line "go", and the
# one of its line "toolchain" when none is installed.

# new_enough <go> <module folder>: whether it can compile the module.
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

# The proxy serves toolchains as modules; a Go older than 1.21 knows nothing of them, but can
# download a module. Modules carry no executable bits.
fetch_go() {
  local old work dir part dest toolchain
  toolchain=$(sed -n 's/^toolchain //p' "$1/go.mod")
  dest=${CACHE:?}/${toolchain:?}
  old=$(command -v go || echo /usr/bin/go)
  if [ ! -x "$old" ]; then
    say "apt-get install golang-go, to fetch $toolchain with"
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
  [ -d "$dir" ] || die "the Go module proxy gave no toolchain $toolchain"
  part=$(mktemp -d "$CACHE/part.$toolchain.XXXX")
  cp -r "$dir/." "$part"
  chmod -R u+w "$part"
  chmod 755 "$part" "$part/bin/"* "$part/pkg/tool/"*/*
  # Another run may have been faster: what it put there is in use, and as good.
  new_enough "$dest/bin/go" "$1" || rm -rf "$dest"
  mv -T "$part" "$dest" 2>/dev/null || rm -rf "$part"
}

# need_go <module folder>: sets $go, to one that is here or is fetched.
need_go() {
  mkdir -p "$CACHE"
  find_go "$1" >/dev/null || fetch_go "$1"
  go=$(find_go "$1") || die "no Go that can build $1, and none could be fetched"
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
