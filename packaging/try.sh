#!/bin/sh
# SPDX-License-Identifier: MIT
# try.sh DIST [FOLDER]: installs the packages of DIST as a user would, into a bare Debian 12 root that debootstrap makes (in
# FOLDER, which stays and is used again; else in a temporary one), and runs programs of each system there (./dev deb --try).
set -eu
say() { printf '%s\n' "$*" >&2; }
die() { say "try: $*"; exit 1; }
dist=$(cd "$1" && pwd)
[ "$(id -u)" = 0 ] || die 'a root of its own needs debootstrap and chroot: run it as root'
command -v debootstrap >/dev/null 2>&1 || die 'debootstrap is missing (apt-get install debootstrap)'
# A mount namespace of its own: whatever is mounted below goes away with this process.
if [ -z "${TILEWRIGHT_TRY:-}" ]; then
  TILEWRIGHT_TRY=1 exec unshare --mount --pid --fork --kill-child --propagation private sh "$0" "$@"
fi
# shellcheck disable=SC2016  # apt expands these
mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' | awk '$2 == "bookworm" { print $1; exit }')
[ -n "$mirror" ] || die "no Debian 12 (bookworm) archive in this machine's apt sources"
root=${2:-}
if [ -z "$root" ]; then
  root=$(mktemp -d "${TMPDIR:-/var/tmp}/tilewright-try.XXXXXX")
  trap 'umount -l "$root/proc" 2>/dev/null || :; rm -rf --one-file-system "$root"' EXIT
  trap 'exit 130' INT TERM HUP
fi
if [ ! -x "$root/usr/bin/apt-get" ]; then
  say "Making a bare Debian 12 root in $root"
  debootstrap --variant=minbase --include=ca-certificates bookworm "$root" "$mirror" >"$root.log" 2>&1 || die "debootstrap failed: $root.log"
  rm -f "$root.log"
  # The machine's own way to its package archive: sources, keys, settings, name resolution.
  rm -rf "$root/etc/apt/sources.list"
  cp -a /etc/apt/. "$root/etc/apt/"
  for file in /etc/resolv.conf /etc/hosts; do
    [ ! -e "$file" ] || cp -L "$file" "$root$file"
  done
fi
mount -t proc proc "$root/proc"
rm -rf "$root/packages" && mkdir "$root/packages" && cp "$dist"/*.deb "$root/packages/"
inside() { # inside COMMAND...
  chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
    ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} "$@"
}
quietly() { # quietly COMMAND...: what it prints matters when it fails
  inside "$@" >"$root/try.log" 2>&1 || { cat "$root/try.log" >&2; die "fails: $*"; }
}
works() { # works COMMAND...
  say "  $*"
  quietly "$@"
}
wanted() { # wanted TEXT COMMAND...
  text=$1
  shift
  works "$@"
  grep -qF -e "$text" "$root/try.log" || { cat "$root/try.log" >&2; die "'$text' is not in what this prints: $*"; }
}
installed() { # kilobytes of all packages
  # shellcheck disable=SC2016  # dpkg expands these
  inside dpkg-query -W -f='${Installed-Size}\n' | awk '{ sum += $1 } END { print sum }'
}
purge() { # all that is installed of them
  names=$(inside dpkg-query -W -f='${Package}\n' | grep tilewright | tr "\n" " ")
  # shellcheck disable=SC2086  # one word a package
  [ -z "$names" ] || quietly dpkg --purge $names
  quietly apt-get autoremove -y -qq --purge # what they needed counts as new
}
install() { # install PACKAGE...: by apt, with what they need
  say "apt install $*"
  paths=
  for package in "$@"; do paths="$paths $(cd "$root" && echo packages/${package}_*.deb | sed 's,^,/,')"; done
  # shellcheck disable=SC2086  # one word a package
  quietly apt-get install -y -qq --no-install-recommends $paths
}

quietly apt-get update -qq
purge # of a root that is used again
before=$(installed)
install libtilewright0 tilewright
size=$((($(installed) - before) / 1024))
[ "$size" -le 60 ] || die "CSL and PTO take $size MB"
say "  $size MB with what they need"
! inside which clang clang-19 gcc >/dev/null || die 'a compiler came along'
examples=/usr/share/doc/tilewright/examples
wanted 'tilewright ' tilewright --version
wanted 'cslc ' cslc --version
wanted 'cycle' tilewright csl run $examples/csl/stencil/layout.csl --arch=wse3 --launch run,20 --stats
quietly tilewright csl run $examples/csl/stencil/layout.csl --arch=wse3 --launch run,20 --report /tmp/stencil.html
wanted '</html>' cat /tmp/stencil.html
quietly cslc $examples/csl/stencil/layout.csl --arch=wse3 -o /tmp/out
wanted 'cycles' tilewright pto run $examples/pto/softmax/softmax.pto --target a2a3 --profile
for name in tilewright cslc cs_python; do
  quietly test -s /usr/share/bash-completion/completions/$name
  quietly test -s /usr/share/fish/vendor_completions.d/$name.fish
done
quietly test -s /usr/share/zsh/vendor-completions/_tilewright
wanted 'Permission is hereby granted' cat /usr/share/doc/tilewright/copyright
install libtilewright-dev tilewright-poplar
for command in $(inside tilewright complete x | grep -v '^-'); do
  [ -s "$root/usr/share/man/man1/tilewright-$command.1.gz" ] || die "no page of man for $command"
done
wanted '2 + 3 = 5' tilewright run --device ipu-model $examples/poplar/adder/adder.c 2 3
works tilewright run $examples/poplar/cxx/adder.cpp
works tilewright run $examples/aie/fir_cint16.c
works tilewright aie run $examples/aie/graph.cpp
say "apt purge"
purge
left=$(inside find /usr -path '*tilewright*')
[ -z "$left" ] || die "left behind: $left"
say 'The packages work in a bare Debian 12 root.'
