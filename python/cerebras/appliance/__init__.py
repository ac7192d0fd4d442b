# SPDX-License-Identifier: MIT
"""Names of the appliance that scripts import. There is no appliance here: cerebras.sdk.client works on this machine."""

import logging

logger = logging.getLogger("cerebras.appliance")
