#!/bin/sh
# SPDX-License-Identifier: MIT
# release.sh BUILD [--check]: what a release consists of, into BUILD/dist (docs/release.md; ./dev release calls it).
# --check: only whether the version is told alike everywhere; nothing is built.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
build=$1
cd "$here"
failed=
complain() { printf 'release: %s\n' "$*" >&2; failed=1; }
stop() { [ -z "$failed" ] || exit 1; }

version=$(sed -n 's/^#define TW_VERSION_[A-Z]*  *//p' include/tilewright/base.h | paste -sd.)
expr "$version" : '[0-9]*\.[0-9]*\.[0-9]*$' >/dev/null ||
  complain "include/tilewright/base.h: TW_VERSION_MAJOR, _MINOR and _PATCH come to '$version', not to three numbers"

# The first section that has a number is this version's, dated or about to be.
section=$(sed -n 's/^## \([0-9][0-9.]*\) .*/\1/p' CHANGELOG.md | head -1)
[ "$section" = "$version" ] ||
  complain "CHANGELOG.md: its first section with a number is '## $section', include/tilewright/base.h says $version"
date=$(sed -n "s/^## $version (\(.*\))\$/\1/p" CHANGELOG.md)
expr "$date" : '20[0-9][0-9]-[01][0-9]-[0-3][0-9]$' >/dev/null || [ "$date" = 'not yet released' ] ||
  complain "CHANGELOG.md: '## $version (2026-12-31)' with its day, or '(not yet released)', is wanted"
for tag in $(git tag --points-at HEAD --list 'v*' 2>/dev/null); do
  [ "$tag" = "v$version" ] || complain "the tag $tag is at this commit, whose version is $version"
  [ "$date" != 'not yet released' ] || complain "CHANGELOG.md: $tag is out, but its section says '(not yet released)'"
done
stop
[ "${2:-}" != --check ] || exit 0

git diff --quiet HEAD || complain 'the tree has changes that are not committed: a release is a commit'
stop
name=tilewright-$version
machine=$(uname -m)
dist=$build/dist
stamp=$(git log -1 --format=%ct)
rm -rf "$dist"
mkdir -p "$dist"
# The same bytes whenever it is made: names in order, nobody's files, the time of the commit.
archive() { # archive FILE FOLDER NAME
  tar -C "$2" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$stamp" -cf - "$3" | xz -T0 -6 >"$1"
}
git archive --prefix="$name/" HEAD | xz -T0 -6 >"$dist/$name.tar.xz"
cmake --install "$build" --strip --prefix "$dist/$name-$machine" >/dev/null
cp LICENSE README.md CHANGELOG.md "$dist/$name-$machine/"
archive "$dist/$name-linux-$machine.tar.xz" "$dist" "$name-$machine"
rm -rf "${dist:?}/$name-$machine"

# What was packed works where it is unpacked, and says what it is.
trial=$(mktemp -d)
trap 'rm -rf "$trial"' EXIT
tar -C "$trial" -xf "$dist/$name-linux-$machine.tar.xz"
tilewright=$trial/$name-$machine/bin/tilewright
"$tilewright" --version | grep -q "^tilewright $version ($(git rev-parse --short=12 HEAD))\$" ||
  complain "the packed program says '$("$tilewright" --version)'"
"$tilewright" csl run examples/csl/stencil/layout.csl --arch=wse3 --launch run,20 >/dev/null || complain 'the packed program does not run CSL'
"$tilewright" pto check examples/pto/softmax/softmax.pto --target a2a3 >/dev/null || complain 'the packed program does not check PTO'
tar -C "$trial" -xf "$dist/$name.tar.xz"
grep -q "^$(git rev-parse HEAD)\$" "$trial/$name/cmake/commit.txt" || complain 'the archive of sources does not say its commit'
stop
(cd "$dist" && sha256sum ./*.tar.xz >SHA256SUMS && cat SHA256SUMS)
