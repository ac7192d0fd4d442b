# SPDX-License-Identifier: MIT
"""The two enumerations of copies under the names that scripts for the appliance import them by."""

from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder

__all__ = ["MemcpyDataType", "MemcpyOrder"]
