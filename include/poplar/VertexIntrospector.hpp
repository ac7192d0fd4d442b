// SPDX-License-Identifier: MIT
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
    /* What is known before a run: state, and connections to constants. In two dimensions T is a vector. */
    template <class T> T getInitialValue(const Target &) const
    {
        const std::vector<double> known = values(0);
        return known.empty() ? T() : static_cast<T>(known[0]);
    }
    template <class T> std::vector<T> getInitialValues(const Target &) const
    {
        return initial(static_cast<T *>(nullptr));
    }
    std::string name() const { return field; }

  private:
    std::vector<double> values(std::size_t sub) const;
    template <class T> std::vector<T> converted(std::size_t sub) const
    {
        std::vector<T> result;
        for (double v : values(sub)) result.push_back(static_cast<T>(v));
        return result;
    }
    template <class T> std::vector<T> initial(T *) const { return converted<T>(0); }
    template <class T> std::vector<std::vector<T>> initial(std::vector<T> *) const
    {
        std::vector<std::vector<T>> result;
        for (std::size_t i = 0, n = size(); i < n; i++) result.push_back(converted<T>(i));
        return result;
    }
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
