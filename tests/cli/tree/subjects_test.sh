# SPDX-License-Identifier: MIT
# .ci/subjects: what it says of subjects, and which commits it looks at.
. "$1/tests/cli/lib.sh"
command -v git >/dev/null || exit 77
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@localhost \
  GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@localhost
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
mkdir -p "$work/tree/.ci" && cd "$work/tree" && git init -q -b main . || exit 1
commit() { git commit -q --allow-empty -m "$1"; }
judge() { expect "$1" sh .ci/subjects; }

commit 'Before there was a rule.'
cp "$source/.ci/subjects" .ci/
judge 1 # nothing says yet since when there is one
prints out 'ends in a full stop'
git add .ci && commit 'ci: subjects are judged'
judge 0
commit 'pto, aie: two boxes'
commit 'colossus sim: a part of a box'
longest="pto: $(printf %055d 0)"
commit "$longest"
judge 0
for wrong in 'pto: ends so.' 'no box' 'PTO: a name in capitals' 'pto:no blank' "${longest}0"; do
  commit "$wrong"
  judge 1
  prints out "\"$wrong\""
  git tag -f released >/dev/null 2>&1
  git commit -q --allow-empty -m 'pto: after a tag'
  judge 0 # what came before the tag is done
  git tag -d released >/dev/null && git reset -q --hard HEAD~2
done
commit 'not in origin'
git update-ref refs/remotes/origin/main HEAD
commit 'pto: beyond origin'
judge 0
finish
