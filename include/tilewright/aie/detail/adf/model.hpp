// SPDX-License-Identifier: MIT
/* What graphs consist of before they are built: nodes and connections, in one list each, by serial number. Part of
 * <tilewright/aie/adf.hpp>. One thread builds graphs at a time. */
#ifndef TILEWRIGHT_ADF_MODEL_HPP
#define TILEWRIGHT_ADF_MODEL_HPP

#include <tilewright/aie/detail/adf/ports.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <list>
#include <map>
#include <set>

namespace adf {
namespace detail {

struct design;

enum class node_kind { kernel, port, input, output };
/* Where the data of an input or output comes from or goes to. */
enum class media { file, memory };
struct node;
typedef std::shared_ptr<node> node_ref;
struct endpoint {
    node_ref node;
    int index = 0;
    direction dir = direction::in;
    int64_t async = -1;
};
/* A place of the host's memory that results go to. */
struct landing {
    char *at;
    size_t bytes;
};
struct node {
    node_kind what;
    unsigned long serial;
    std::string name, path; /* of a kernel: its source; of a file: its path */
    media medium = media::file;
    kernel_code code;
    std::function<void()> initialise; /* before the first firing */
    std::string by_name;              /* of an initialisation function given as text: nobody can call it */
    std::vector<std::shared_ptr<void>> arguments; /* what a kernel's object may refer to */
    int packet_ids[2] = { -1,
                          -1 }; /* of a packet switch: of the branches at its outputs (split) or inputs (merge) */
    direction branches = direction::out;
    bool headless[2] = { false, false }; /* branches of a split whose reader gets the words alone */
    tw_aie_kernel handle = { 0 };        /* in the array, once there is one */
    int column = -1, row = -1, bits = 32;
    node_ref like; /* placed from another kernel's tile, so far away from it */
    int like_column = 0, like_row = 0;
    double ratio = 0;
    double mhz = 0; /* of a file's port; 0: not said */
    unsigned repeat = 1, stack_bytes = 0, heap_bytes = 0;
    struct size {
        int index;
        direction dir;
        unsigned samples;
    };
    std::vector<size> sizes;
    port_info *parameter = nullptr; /* of a graph's port that leads to one */
    tw_aie_array *array =
        nullptr; /* of files and memory, when it is built: the array, and the kernel's port there */
    tw_aie_port end = { { 0 }, TW_AIE_IN, 0 };
    int memory = -1;
    std::list<landing> landings;
    std::vector<std::pair<direction, int>> singles; /* windows of one block */
    bool logic = false;                             /* a kernel in the programmable logic */
    bool bypassed = false;                          /* its last parameter takes it out of the graph */
    std::string waits_for;                          /* a value of a parameter; "" = it does not wait */
    const void *home = nullptr; /* of a kernel: the object that names it, a member of its graph mostly */
};
/* What connect<> says that a stream holds at one of its ends. */
enum class content { unsaid, words, packets };
struct connection {
    endpoint from, to;
    content leaves = content::unsaid, arrives = content::unsaid;
    unsigned bytes = 0, margin = 0, depth = 0;
    unsigned source_bytes = 0; /* where the two ends are given windows of different sizes */
    bool typed = false;
    kind what = kind::stream;
    std::string refused; /* why it cannot be built */
    unsigned long serial;
};

inline unsigned long next_serial()
{
    static unsigned long last = 0;
    return ++last;
}
/* Everything made and not yet built; graphs that have been initialised. */
inline std::vector<node_ref> &nodes()
{
    static std::vector<node_ref> &all = *new std::vector<node_ref>; /* graphs may be global: it outlives them */
    return all;
}
inline std::vector<std::shared_ptr<connection>> &nets()
{
    static std::vector<std::shared_ptr<connection>> &all =
        *new std::vector<std::shared_ptr<connection>>; /* graphs may be global: it outlives them */
    return all;
}
inline std::map<unsigned long, design *> &tops()
{
    static std::map<unsigned long, design *> &all = *new std::map<unsigned long, design *>;
    return all;
}
/* Every graph that was ever made: where it lies (null: gone), how long it is (0: not known), the name of its class
 * and its number among those (set for those that lie in an initialised one). */
struct design_place {
    const void *object;
    size_t bytes;
    void *base; /* the class graph in it */
    std::string name;
};
inline std::map<unsigned long, design_place> &designs()
{
    static std::map<unsigned long, design_place> &all = *new std::map<unsigned long, design_place>;
    return all;
}
/* The graphs within graph `first` that an object lies in, "outer/inner"; "": in none, or outside. */
inline std::string group_of(const void *object, unsigned long first)
{
    std::map<size_t, std::string, std::greater<size_t>> around; /* by size */
    const char *at = static_cast<const char *>(object);
    for (const auto &d : designs()) {
        const char *begin = static_cast<const char *>(d.second.object);
        if (d.first != first && at && begin && !d.second.name.empty() && at >= begin && at < begin + d.second.bytes)
            around[d.second.bytes] = d.second.name;
    }
    std::string path;
    for (const auto &a : around) path += (path.empty() ? "" : "/") + a.second;
    return path;
}
/* The initialised graph that a node belongs to: the last one that began before it. */
inline design *top_of(const node_ref &n)
{
    auto behind = tops().upper_bound(n->serial);
    return behind == tops().begin() ? nullptr : std::prev(behind)->second;
}
inline node_ref new_node(node_kind what)
{
    node_ref n = std::make_shared<node>();
    n->what = what, n->serial = next_serial();
    n->name = (what == node_kind::kernel ? "kernel " : "port ") + std::to_string(n->serial);
    nodes().push_back(n);
    return n;
}
/* Kernels of one source: "fir" becomes "fir 1", "fir 2", so that messages and profiles tell them apart. */
inline void number_kernels(const std::vector<node_ref> &all)
{
    std::map<std::string, int> count, number;
    for (const node_ref &n : all)
        if (n->what == node_kind::kernel) count[n->name]++;
    for (const node_ref &n : all)
        if (n->what == node_kind::kernel && count[n->name] > 1) {
            int i = ++number[n->name];
            n->name += " " + std::to_string(i);
        }
}
inline node_ref new_file(node_kind what, std::string name, int bits, std::string path, double mhz = 0)
{
    node_ref n = new_node(what);
    n->name = std::move(name), n->bits = bits, n->path = std::move(path), n->mhz = mhz;
    return n;
}
/* Memory of a platform is older than the graph that it is joined to, and belongs to it from then on. */
inline void adopt(const endpoint &memory, const endpoint &other)
{
    if (memory.node && other.node && memory.node->medium == media::memory &&
        memory.node->serial < other.node->serial)
        memory.node->serial = other.node->serial;
}
inline std::shared_ptr<connection> new_connection(const endpoint &from, const endpoint &to)
{
    adopt(from, to);
    adopt(to, from);
    auto c = std::make_shared<connection>();
    c->from = from, c->to = to, c->serial = next_serial();
    nets().push_back(c);
    return c;
}
inline std::shared_ptr<void> &object()
{
    static std::shared_ptr<void> made;
    return made;
}
inline kernel_code &object_code()
{
    static kernel_code code;
    return code;
}
/* A vector or a std::array stands for the array that a kernel's class wants. */
template <class TwT> struct array_argument {
    TwT *values;
    size_t count;
    template <size_t TwN> using array = TwT[TwN];
    template <size_t TwN> operator array<TwN> &() const { return as<TwN>(); }
    template <size_t TwN> operator const array<TwN> &() const { return as<TwN>(); }
    template <size_t TwN> array<TwN> &as() const
    {
        if (count != TwN)
            std::fprintf(stderr, "graph: a kernel's class takes an array of %zu values, %zu are given\n", TwN,
                         count);
        if (count < TwN) std::abort();
        return *reinterpret_cast<array<TwN> *>(values);
    }
};
template <class TwA> TwA &&as_argument(std::vector<std::shared_ptr<void>> &, TwA &&a)
{
    return std::forward<TwA>(a);
}
template <class TwT>
array_argument<TwT> as_argument(std::vector<std::shared_ptr<void>> &kept, const std::vector<TwT> &v)
{
    auto copy = std::make_shared<std::vector<TwT>>(v);
    kept.push_back(copy);
    return { copy->data(), copy->size() };
}
template <class TwT> array_argument<TwT> as_argument(std::vector<std::shared_ptr<void>> &kept, std::vector<TwT> &v)
{
    return as_argument(kept, const_cast<const std::vector<TwT> &>(v));
}
template <class TwT> array_argument<TwT> as_argument(std::vector<std::shared_ptr<void>> &kept, std::vector<TwT> &&v)
{
    return as_argument(kept, const_cast<const std::vector<TwT> &>(v));
}
template <class TwT, size_t TwN>
array_argument<TwT> as_argument(std::vector<std::shared_ptr<void>> &kept, const std::array<TwT, TwN> &a)
{
    return as_argument(kept, std::vector<TwT>(a.begin(), a.end()));
}
template <class TwT, size_t TwN>
array_argument<TwT> as_argument(std::vector<std::shared_ptr<void>> &kept, std::array<TwT, TwN> &a)
{
    return as_argument(kept, const_cast<const std::array<TwT, TwN> &>(a));
}
template <class TwT, size_t TwN>
array_argument<TwT> as_argument(std::vector<std::shared_ptr<void>> &kept, std::array<TwT, TwN> &&a)
{
    return as_argument(kept, const_cast<const std::array<TwT, TwN> &>(a));
}
template <class TwC, class... TwA>
std::shared_ptr<TwC> make_object(std::vector<std::shared_ptr<void>> &kept, TwA &&...arguments)
{
    if constexpr (std::is_constructible<TwC, TwA...>::value)
        return std::shared_ptr<TwC>(new TwC(std::forward<TwA>(arguments)...));
    else
        return std::shared_ptr<TwC>(new TwC(as_argument(kept, std::forward<TwA>(arguments))...));
}
template <class TwC, class... TwA> void register_member(void (TwC::*f)(TwA...))
{
    auto self = std::static_pointer_cast<TwC>(object());
    auto run = [self, f](TwA... arguments) { ((*self).*f)(static_cast<TwA>(arguments)...); };
    object_code() = code_of<decltype(run), TwA...>(run);
}

/* The parameter of a kernel that an endpoint names: inputs, outputs and inouts count by themselves. */
inline port_info *port_of(const endpoint &e)
{
    int n = e.index;
    if (!e.node || e.node->what != node_kind::kernel) return nullptr;
    for (port_info &p : e.node->code.ports)
        if (p.dir == e.dir && n-- == 0) return &p;
    return nullptr;
}
inline port_info *find_parameter(const endpoint &e, bool reading)
{
    port_info *p = e.node && e.node->what == node_kind::port ? e.node->parameter : port_of(e);
    return p && p->what == kind::parameter && (!reading || p->dir != direction::in) ? p : nullptr;
}

} // namespace detail
} // namespace adf

#endif
