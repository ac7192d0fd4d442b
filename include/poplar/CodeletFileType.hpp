// SPDX-License-Identifier: MIT
/* What a file of codelets is. */
#ifndef POPLAR_CODELET_FILE_TYPE_HPP
#define POPLAR_CODELET_FILE_TYPE_HPP

namespace poplar {

enum class CodeletFileType { PreprocessedAsmSource, AsmSource, CSource, CppSource, IrSource, Object, Auto };

} // namespace poplar
#endif
