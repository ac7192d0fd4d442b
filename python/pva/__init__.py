# SPDX-License-Identifier: MIT
"""Reports of Poplar engines, for scripts:

    import pva
    report = pva.openReport("profile.json")
    print(report.compilation.graph.numVertices, sum(s.ipus[0].cycles for s in report.execution.steps))

Names are those of <pva/pva.hpp>, which says what they mean: attributes here, but for children(), accept(visitor) and
blocks(tile). What was not recorded is 0, a list empty. A report never changes, and threads may share it."""

from ._report import (Block, Compilation, ComputeSet, DoExchangeProgram, Execution, LivenessProgramStep,
                      OnTileExecuteProgram, Program, ProgramVisitor, Report, Step, Tile, Var, openReport)

__all__ = ["Block", "Compilation", "ComputeSet", "DoExchangeProgram", "Execution", "LivenessProgramStep",
           "OnTileExecuteProgram", "Program", "ProgramVisitor", "Report", "Step", "Tile", "Var", "openReport"]
