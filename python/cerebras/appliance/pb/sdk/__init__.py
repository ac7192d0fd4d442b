# SPDX-License-Identifier: MIT
"""Messages of the appliance that the SDK uses."""
