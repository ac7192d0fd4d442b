# SPDX-License-Identifier: MIT
"""Heat after so many steps, from the host: `cs_python run.py --name out` on a folder that cslc wrote with --memcpy."""

import argparse

import numpy as np

from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime

parser = argparse.ArgumentParser()
parser.add_argument("--name", default="out", help="the folder")
parser.add_argument("--size", type=int, default=5, help="of the square, as it was compiled")
parser.add_argument("--steps", type=int, default=200)
arguments = parser.parse_args()

run = SdkRuntime(arguments.name)
run.load()
run.run()
run.launch("run", np.uint16(arguments.steps), nonblock=False)
heat = np.zeros(arguments.size**2, np.float32)
run.memcpy_d2h(heat, run.get_id("t"), 0, 0, arguments.size, arguments.size, 1, streaming=False,
               order=MemcpyOrder.ROW_MAJOR, data_type=MemcpyDataType.MEMCPY_32BIT, nonblock=False)
run.stop()
print(np.array_str(heat.reshape(arguments.size, -1), precision=1, suppress_small=True))
assert abs(heat[arguments.size**2 // 2] - 25) < 1  # the mean of the rim, a quarter of which is at 100
