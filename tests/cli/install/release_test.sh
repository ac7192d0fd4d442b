# SPDX-License-Identifier: MIT
# `./dev release --check`: header, changelog and tag tell the same version (docs/release.md).
. "$1/tests/cli/lib.sh"

expect 0 sh "$source/packaging/release.sh" "$build" --check

# A repository of its own with what the check reads.
tree=$work/tree
mkdir -p "$tree/packaging" "$tree/include/tilewright"
cp "$source/packaging/release.sh" "$tree/packaging/"
cd "$tree" || exit 1
git init -q . && git config user.name nobody && git config user.email nobody@example.org
header() { printf '#define TW_VERSION_MAJOR %s\n#define TW_VERSION_MINOR %s\n#define TW_VERSION_PATCH %s\n' "$@" >include/tilewright/base.h; }
changes() { printf '# Changelog\n\n## Unreleased\n\n## %s\n\n- Something.\n\n## 0.1.0 (2025-01-01)\n' "$1" >CHANGELOG.md; }
check() { expect "$1" sh packaging/release.sh build --check; }

header 1 2 3
changes '1.2.3 (2026-12-31)'
check 0
changes '1.2.3 (not yet released)'
check 0
changes '1.2.3 (soon)'
check 1
prints err "CHANGELOG.md: '## 1.2.3 (2026-12-31)' with its day"
changes '1.2.4 (2026-12-31)'
check 1
prints err "CHANGELOG.md: its first section with a number is '## 1.2.4', include/tilewright/base.h says 1.2.3"
header 1 2 beta
check 1
prints err "come to '1.2.beta', not to three numbers"
header 1 2 3
changes '1.2.3 (not yet released)'
git add . && git commit -qm first && git tag v1.2.3
check 1
prints err "v1.2.3 is out, but its section says '(not yet released)'"
changes '1.2.3 (2026-12-31)'
check 0
git tag -d v1.2.3 >/dev/null && git tag v1.3.0
check 1
prints err 'the tag v1.3.0 is at this commit, whose version is 1.2.3'
git tag -d v1.3.0 >/dev/null
expect 1 sh packaging/release.sh build # a changelog that is not committed
prints err 'the tree has changes that are not committed'
finish
