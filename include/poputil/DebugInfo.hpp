// SPDX-License-Identifier: MIT
/* Records of what calls of libraries were given, for the file of debug information.
 *
 *     poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(in, dims));
 *     ...
 *     di.addOutput(out);
 *
 * A type of one's own gets a specialisation of toProfileValue(). */
#ifndef POPUTIL_DEBUG_INFO_HPP
#define POPUTIL_DEBUG_INFO_HPP

#include <array>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <string>
#include <utility>
#include <vector>

namespace poputil {

template <class T> poplar::ProfileValue toProfileValue(const T &value);

#define TW__NUMBER(type)                                                      \
    template <> inline poplar::ProfileValue toProfileValue(const type &value) \
    {                                                                         \
        return poplar::ProfileValue(value);                                   \
    }
TW__NUMBER(int)
TW__NUMBER(unsigned)
TW__NUMBER(long)
TW__NUMBER(unsigned long)
TW__NUMBER(unsigned char)
TW__NUMBER(bool)
TW__NUMBER(float)
TW__NUMBER(double)
TW__NUMBER(std::string)
#undef TW__NUMBER
template <> inline poplar::ProfileValue toProfileValue(const poplar::Type &type)
{
    return poplar::ProfileValue(std::string(type.toString()));
}
template <> inline poplar::ProfileValue toProfileValue(const poplar::Tensor &tensor)
{
    if (!tensor.valid()) return poplar::ProfileValue("<poplar::Tensor: none>");
    poplar::ProfileValue::Vector shape;
    for (std::size_t n : tensor.shape()) shape.push_back(poplar::ProfileValue(n));
    return poplar::ProfileValue::Map{ { "type", toProfileValue(tensor.elementType()) }, { "shape", shape } };
}
template <> inline poplar::ProfileValue toProfileValue(const poplar::OptionFlags &options)
{
    poplar::ProfileValue::Map map;
    for (const auto &o : options) map.insert({ o.first, poplar::ProfileValue(o.second) });
    return map;
}

template <class T> poplar::ProfileValue toProfileValue(const T *value)
{
    return value ? toProfileValue(*value) : poplar::ProfileValue("<nullptr>");
}
template <class T> poplar::ProfileValue toProfileValue(T *const &value)
{
    return value ? toProfileValue(*value) : poplar::ProfileValue("<nullptr>");
}
template <class A, class B> poplar::ProfileValue toProfileValue(const std::pair<A, B> &pair)
{
    return poplar::ProfileValue::Map{ { "first", toProfileValue(pair.first) },
                                      { "second", toProfileValue(pair.second) } };
}
namespace detail {
template <class List> poplar::ProfileValue listValue(const List &list)
{
    poplar::ProfileValue::Map map;
    for (std::size_t i = 0; i < list.size(); i++)
        map.insert({ std::to_string(i), toProfileValue<typename List::value_type>(list[i]) });
    return map;
}
} // namespace detail
template <class T> poplar::ProfileValue toProfileValue(const std::vector<T> &list)
{
    return detail::listValue(list);
}
template <class T, std::size_t N> poplar::ProfileValue toProfileValue(const std::array<T, N> &list)
{
    return detail::listValue(list);
}

/* A name and what it stands for. */
struct ArgType {
    std::string n;
    poplar::ProfileValue pv;
    ArgType(std::string name, poplar::ProfileValue value) : n(std::move(name)), pv(std::move(value)) {}
};

class OpDebugInfo : public poplar::DebugInfo {
  public:
    OpDebugInfo(const poplar::DebugContext &debugContext, std::string api)
        : poplar::DebugInfo(debugContext, "poplibs")
    {
        setValue("api", poplar::ProfileValue(std::move(api)));
    }
    void add(std::string name, const std::vector<ArgType> &args)
    {
        poplar::ProfileValue::Map map;
        for (const ArgType &a : args) map.insert({ a.n, a.pv });
        if (!map.empty()) setValue(std::move(name), map);
    }
    void add(std::string name, poplar::ProfileValue value) { setValue(std::move(name), std::move(value)); }
};

class PoplibsOpDebugInfo : public OpDebugInfo {
  public:
    PoplibsOpDebugInfo(const poplar::DebugContext &debugContext, const std::vector<ArgType> &args = {},
                       const std::string &api = __builtin_FUNCTION())
        : OpDebugInfo(debugContext, api)
    {
        add("args", args);
    }
    void addOutputs(const std::vector<ArgType> &outputs) { add("outputs", outputs); }
    void addOutput(const poplar::Tensor &output) { add("output", toProfileValue(output)); }
};

} // namespace poputil

/* { { "a", value of a }, ... } of up to 16 names. */
#define TW__DI_1(a)                                                            poputil::ArgType(#a, poputil::toProfileValue(a))
#define TW__DI_2(a, ...)                                                       TW__DI_1(a), TW__DI_1(__VA_ARGS__)
#define TW__DI_3(a, ...)                                                       TW__DI_1(a), TW__DI_2(__VA_ARGS__)
#define TW__DI_4(a, ...)                                                       TW__DI_1(a), TW__DI_3(__VA_ARGS__)
#define TW__DI_5(a, ...)                                                       TW__DI_1(a), TW__DI_4(__VA_ARGS__)
#define TW__DI_6(a, ...)                                                       TW__DI_1(a), TW__DI_5(__VA_ARGS__)
#define TW__DI_7(a, ...)                                                       TW__DI_1(a), TW__DI_6(__VA_ARGS__)
#define TW__DI_8(a, ...)                                                       TW__DI_1(a), TW__DI_7(__VA_ARGS__)
#define TW__DI_9(a, ...)                                                       TW__DI_1(a), TW__DI_8(__VA_ARGS__)
#define TW__DI_10(a, ...)                                                      TW__DI_1(a), TW__DI_9(__VA_ARGS__)
#define TW__DI_11(a, ...)                                                      TW__DI_1(a), TW__DI_10(__VA_ARGS__)
#define TW__DI_12(a, ...)                                                      TW__DI_1(a), TW__DI_11(__VA_ARGS__)
#define TW__DI_13(a, ...)                                                      TW__DI_1(a), TW__DI_12(__VA_ARGS__)
#define TW__DI_14(a, ...)                                                      TW__DI_1(a), TW__DI_13(__VA_ARGS__)
#define TW__DI_15(a, ...)                                                      TW__DI_1(a), TW__DI_14(__VA_ARGS__)
#define TW__DI_16(a, ...)                                                      TW__DI_1(a), TW__DI_15(__VA_ARGS__)
#define TW__DI_PICK(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, name, ...) name
#define DI_ARGS(...)                                                                                        \
    { TW__DI_PICK(__VA_ARGS__, TW__DI_16, TW__DI_15, TW__DI_14, TW__DI_13, TW__DI_12, TW__DI_11, TW__DI_10, \
                  TW__DI_9, TW__DI_8, TW__DI_7, TW__DI_6, TW__DI_5, TW__DI_4, TW__DI_3, TW__DI_2, TW__DI_1, \
                  0)(__VA_ARGS__) }

#endif
