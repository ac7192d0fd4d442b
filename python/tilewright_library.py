# SPDX-License-Identifier: MIT
"""Where libtilewright lies, for the packages beside this file."""

import os


def _places():
    """Where the library may lie: beside the packages, in the build of the tree that they are part of, in the prefix
    that they are installed in. Neither the current directory nor the loader's search path."""
    beside = os.path.dirname(os.path.realpath(__file__))
    places = [beside, os.path.join(beside, "cerebras")]
    above = os.path.dirname(beside)
    if os.path.exists(os.path.join(above, "CMakeLists.txt")):
        places.append(os.path.join(above, "build", "release"))
    share = os.path.join("share", "tilewright", "python")
    if beside.endswith(os.sep + share):
        prefix = beside[:-len(share)]
        places += [os.path.join(prefix, "lib", f"{os.uname().machine}-linux-gnu"), os.path.join(prefix, "lib64"),
                   os.path.join(prefix, "lib")]
    return places


def find():
    """The file that cs_python names in TILEWRIGHT_LIBRARY, or the first one in these places."""
    named = os.environ.get("TILEWRIGHT_LIBRARY")
    if named:
        if not os.path.isabs(named):
            raise ImportError(f"TILEWRIGHT_LIBRARY is '{named}': it must be the whole path of the library")
        return named
    paths = [os.path.join(place, "libtilewright.so") for place in _places()]
    for path in paths:
        if os.path.isfile(path):
            return path
    raise ImportError("there is no libtilewright.so: neither " + " nor ".join(paths))
