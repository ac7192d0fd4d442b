# SPDX-License-Identifier: MIT
"""Messages of the appliance."""
