// SPDX-License-Identifier: MIT
/* Memory layouts of vector fields (guide tables 4.1 and 4.3, Poplar API, codelet headers). */
#ifndef POPLAR_VECTOR_LAYOUT_HPP
#define POPLAR_VECTOR_LAYOUT_HPP

namespace poplar {

enum class VectorLayout {
    NOT_A_VECTOR,
    SPAN,
    SHORT_SPAN,
    ONE_PTR,
    SCALED_PTR32,
    SCALED_PTR64,
    SCALED_PTR128,
    COMPACT_PTR
};

enum class VectorListLayout {
    NOT_A_VECTOR,
    ONE_PTR,
    SCALED_PTR32,
    SCALED_PTR64,
    SCALED_PTR128,
    DELTAN,
    DELTANELEMENTS,
    COMPACT_DELTAN
};

namespace layout {

/* The same as the host's estimators name them. */
enum class Vector { NotAVector, Span, ShortSpan, OnePtr, ScaledPtr32, ScaledPtr64, ScaledPtr128 };
enum class VectorList { NotAVector, OnePtr, ScaledPtr32, ScaledPtr64, ScaledPtr128, DeltaN, DeltaNElements };

} // namespace layout
} // namespace poplar
#endif
