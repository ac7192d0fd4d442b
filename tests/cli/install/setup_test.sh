#!/bin/sh
# SPDX-License-Identifier: MIT
# ./dev setup beside an apt-get that is played: what it asks for, what it says before it downloads, and what it says when
# packages are in the way of others. Nothing is installed here.
. "${0%/*}/../lib.sh"
dir=$work
mkdir "$dir/bin" "$dir/tree"
cp "$source/dev" "$source/CMakePresets.json" "$dir/tree/"
mkdir -p "$dir/tree/web/node_modules"
cp "$source/web/package-lock.json" "$dir/tree/web/"
cp "$source/web/package-lock.json" "$dir/tree/web/node_modules/.installed"
PATH=$dir/bin:$PATH
export dir PATH

fake() { # fake NAME: a program of the text on the standard input
  { echo '#!/bin/sh'; cat; } >"$dir/bin/$1"
  chmod +x "$dir/bin/$1"
}
fake id <<'END'
echo 0
END
fake dpkg-query <<'END'
for p; do :; done
grep -qx "$p" "$dir/installed" && echo installed
END
# Two packages of 1.5 and 2 MB; with a file `conflict`, libomp-19-dev would drive libomp-14-dev out.
fake apt-get <<'END'
echo "$*" >>"$dir/calls"
case " $* " in
  *' --print-uris '*) echo "'http://a/x.deb' x.deb 1500000 SHA256:1"; echo "'http://a/y.deb' y.deb 2000000 SHA256:2"; exit ;;
  *' -s install '*' libomp-19-dev '*) [ ! -e "$dir/conflict" ] || echo 'Remv libomp-14-dev [14]'; exit ;;
  *' -s install '*) exit ;;
esac
if [ -e "$dir/conflict" ]; then
  echo 'E: Packages need to be removed but remove is disabled.'
  exit 100
fi
case " $* " in
  *' APT::Status-Fd=1 '*) echo 'dlstatus:1:40.5:Retrieving file 1 of 2'; echo 'pmstatus:x:80.1:Unpacking x' ;;
esac
END

setup() { # setup [NAME=value...]: the error output in $dir/err
  rm -f "$dir/calls"
  : >"$dir/calls"
  (cd "$dir/tree" && env "$@" ./dev setup) >"$dir/out" 2>"$dir/err"
}

# All but clang's OpenMP is there: a build with gcc asks for nothing.
sed -n '/^packages="/,/"$/p' "$source/dev" | tr -d '"' | sed 's/^packages=//' | tr -s ' ' '\n' | grep . >"$dir/installed"
grep -qx cmake "$dir/installed" || fail 'no list of packages in ./dev'
grep -q libomp "$dir/installed" && fail 'libomp is wanted by every build'
setup || fail 'nothing is missing, and it fails'
[ ! -s "$dir/calls" ] || fail "apt-get is called: $(cat "$dir/calls")"

# The presets whose compiler is clang ask for it, and say how much that is.
for preset in $(sed -n 's/.*{ "name": "\([a-z0-9]*\)", "inherits".*/\1/p' "$source/CMakePresets.json"); do
  setup "PRESET=$preset" || fail "setup of $preset"
  if sed -n "/\"name\": \"$preset\", \"inherits\"/,/} }/p" "$source/CMakePresets.json" | grep -q '"clang-19"'; then
    grep -q '^install -y .*--no-remove.* libomp-19-dev' "$dir/calls" || fail "$preset does not install libomp-19-dev"
    prints err 'Installing with apt-get (4 MB to download): libomp-19-dev'
  elif [ "$preset" != arm64 ] && [ -s "$dir/calls" ]; then
    fail "$preset calls apt-get: $(cat "$dir/calls")"
  fi
done
setup SAN=thread || fail 'setup of SAN=thread'
prints err libomp-19-dev

# What would have to go is named, with the command that would do it; the message of apt alone names nothing.
: >"$dir/conflict"
setup PRESET=clang && fail 'a conflict is no failure'
prints err 'libomp-19-dev cannot be installed beside: libomp-14-dev'
prints err '  apt-get install --no-install-recommends libomp-19-dev'
rm "$dir/conflict"

# On a terminal it shows how far it is.
if command -v script >/dev/null 2>&1; then
  (cd "$dir/tree" && PRESET=clang script -qec './dev setup' /dev/null </dev/null) >"$dir/err" 2>&1 || fail 'on a terminal'
  prints err '[ 40%] Retrieving file 1 of 2'
  prints err '[ 80%] Unpacking x'
  : >"$dir/conflict"
  (cd "$dir/tree" && PRESET=clang script -qec './dev setup' /dev/null </dev/null) >"$dir/err" 2>&1 && fail 'a conflict on a terminal'
  prints err 'libomp-19-dev cannot be installed beside: libomp-14-dev'
fi
finish
