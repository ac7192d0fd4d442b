// SPDX-License-Identifier: MIT
/* Small names of things in a graph: compute sets, vertices, their fields, functions. Valid as long as the graph
 * is. */
#ifndef POPLAR_GRAPH_ELEMENTS_HPP
#define POPLAR_GRAPH_ELEMENTS_HPP

#include <cstddef>
#include <poplar/StringRef.hpp>
#include <string>

namespace poplar {

class ComputeSet {
  public:
    ComputeSet() : id(0) {}
    explicit ComputeSet(unsigned i) : id(i) {}
    unsigned getId() const { return id; }

  private:
    unsigned id;
};
inline bool operator==(ComputeSet a, ComputeSet b)
{
    return a.getId() == b.getId();
}
inline bool operator!=(ComputeSet a, ComputeSet b)
{
    return !(a == b);
}

class FieldRef;

class VertexRef {
  public:
    VertexRef() : id(0) {}
    explicit VertexRef(unsigned i) : id(i) {}
    FieldRef operator[](StringRef field) const;
    unsigned getId() const { return id; }

  private:
    unsigned id;
};
inline bool operator==(VertexRef a, VertexRef b)
{
    return a.getId() == b.getId();
}
inline bool operator<(VertexRef a, VertexRef b)
{
    return a.getId() < b.getId();
}

class FieldRef {
  public:
    FieldRef() = default;
    FieldRef(VertexRef v, StringRef field) : vertex(v), name(field.cloneAsString()) {}
    FieldRef operator[](std::size_t i) const
    {
        FieldRef f = *this;
        f.indexed = true, f.index = i;
        return f;
    }
    bool isIndexed() const { return indexed; }
    std::size_t getIndex() const { return index; }
    VertexRef getVertex() const { return vertex; }
    const std::string &getField() const { return name; }
    /* "rows", or "rows[3]" */
    std::string getName() const { return indexed ? name + "[" + std::to_string(index) + "]" : name; }

  private:
    VertexRef vertex;
    std::string name;
    std::size_t index = 0;
    bool indexed = false;
};
inline FieldRef VertexRef::operator[](StringRef field) const
{
    return FieldRef(*this, field);
}

class Function {
  public:
    Function() : id(0) {}
    explicit Function(unsigned i) : id(i) {}
    unsigned getId() const { return id; }

  private:
    unsigned id;
};
inline bool operator==(Function a, Function b)
{
    return a.getId() == b.getId();
}

/* A place off the chip for the code of a function: Graph::addFunctionBuffer(). */
class FunctionBuffer {
  public:
    FunctionBuffer() : id(0) {}
    explicit FunctionBuffer(unsigned i) : id(i) {}
    unsigned getId() const { return id; }

  private:
    unsigned id;
};
inline bool operator==(FunctionBuffer a, FunctionBuffer b)
{
    return a.getId() == b.getId();
}

/* Host code that programs call: Graph::addHostFunction(). */
class HostFunction {
  public:
    HostFunction() : id(0) {}
    explicit HostFunction(unsigned i) : id(i) {}
    unsigned getId() const { return id; }

  private:
    unsigned id;
};
inline bool operator==(HostFunction a, HostFunction b)
{
    return a.getId() == b.getId();
}

} // namespace poplar
#endif
