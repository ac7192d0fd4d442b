# SPDX-License-Identifier: MIT
"""terminal.py [WAIT KEYS]... -- COMMAND...: runs it at a terminal; each time that WAIT has come, types KEYS (with \\e,
\\t, \\r). Prints what the terminal showed."""
import os
import pty
import signal
import sys

cut = sys.argv.index("--")
steps, command = sys.argv[1:cut], sys.argv[cut + 1 :]
child, terminal = pty.fork()
if child == 0:
    os.environ["TERM"] = "xterm"
    os.execvp(command[0], command)
signal.alarm(300)  # what waits for ever fails, and takes nobody's hour
shown, seen = b"", 0
while True:
    try:
        block = os.read(terminal, 4096)
    except OSError:  # the other end is closed
        block = b""
    if not block:
        break
    shown += block
    while steps and (at := shown.find(steps[0].encode(), seen)) >= 0:
        seen = at + len(steps[0].encode())
        keys = steps[1].replace("\\e", "\x1b").encode().decode("unicode_escape")
        os.write(terminal, keys.encode())
        steps = steps[2:]
status = os.waitpid(child, 0)[1]
sys.stdout.write(shown.decode(errors="replace"))
sys.exit(os.waitstatus_to_exitcode(status) or bool(steps))
