/* What a cost estimator may ask about a vertex: sizes, layouts and initial values of its fields. */
#ifndef POPLAR_VERTEX_INTROSPECTOR_HPP
#define POPLAR_VERTEX_INTROSPECTOR_HPP

#include <cstddef>
#include <poplar/PerfEstimateFunc.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/Target.hpp>
#include <poplar/VectorLayout.hpp>
#include <string>
#include <vector>

struct tw_vertex_info;

namespace poplar {

class FieldData {
  public:
    class SizeT {
      public:
        explicit SizeT(std::size_t n) : count(n) {}
        std::size_t size() const { return count; }

      private:
        std::size_t count;
    };

    FieldData(const ::tw_vertex_info *v, std::string name) : vertex(v), field(std::move(name)) {}
    FieldData(FieldData &&) = default;
    FieldData(const FieldData &) = delete;
    unsigned rank() const;    /* 0 scalar, 1 vector, 2 vector of vectors */
    std::size_t size() const; /* scalar: 1; of sub-vectors in two dimensions */
    SizeT operator[](std::size_t i) const { return SizeT(getSizeAtIndex(i)); }
    std::size_t getSizeAtIndex(std::size_t i) const; /* of a sub-vector */
    layout::Vector getProfilerVectorLayout(std::size_t nestingLevel) const;
    layout::VectorList getProfilerVectorListLayout() const;
    template <class T> T getInitialValue(const Target &) const { return static_cast<T>(value(0)); }
    template <class T> std::vector<T> getInitialValues(const Target &) const
    {
        std::vector<T> values;
        for (std::size_t i = 0, n = size(); i < n; i++) values.push_back(static_cast<T>(value(i)));
        return values;
    }
    std::string name() const { return field; }

  private:
    double value(std::size_t i) const;
    const ::tw_vertex_info *vertex;
    std::string field;
};

class VertexIntrospector {
  public:
    explicit VertexIntrospector(const ::tw_vertex_info *v) : vertex(v) {}
    FieldData getFieldInfo(const std::string &name) const { return FieldData(vertex, name); }

  private:
    const ::tw_vertex_info *vertex;
};

} // namespace poplar
#endif
