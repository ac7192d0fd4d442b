// SPDX-License-Identifier: MIT
/* A graph and its programs, ready for an engine. Movable. */
#ifndef POPLAR_EXECUTABLE_HPP
#define POPLAR_EXECUTABLE_HPP

#include <functional>
#include <istream>
#include <memory>
#include <ostream>
#include <poplar/ArrayRef.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>

namespace poplar {

namespace core {
struct Compiled; /* an engine of the C API */
}

using ProgressFunc = std::function<void(int, int)>;

class Executable {
  public:
    Executable() = default;
    Executable(Executable &&) = default;
    Executable &operator=(Executable &&) = default;
    Executable(const Executable &) = delete;
    /* The file of an executable holds its graph, its programs and its compiled codelets; reading one throws
     * file_load_error when it is damaged or of another version. */
    void serialize(std::ostream &out) const;
    static Executable deserialize(std::istream &in);
    static Executable deserialize(std::unique_ptr<std::istream> in);

    explicit Executable(std::shared_ptr<core::Compiled> c) : compiled(std::move(c)) {}
    const std::shared_ptr<core::Compiled> &get() const { return compiled; }

  private:
    std::shared_ptr<core::Compiled> compiled;
};

Executable compileGraph(const Graph &graph, ArrayRef<program::Program> programs, const OptionFlags &options = {},
                        ProgressFunc progress = {}, const DebugContext &debugContext = {});
Executable compileGraph(Graph &&graph, ArrayRef<program::Program> programs, const OptionFlags &options = {},
                        ProgressFunc progress = {}, const DebugContext &debugContext = {});

} // namespace poplar
#endif
