// SPDX-License-Identifier: MIT
/* Graphs of AI Engine kernels in C++, spelled like the vendor's, over tilewright/aie/array.h: C++17, header only.
 *
 *     class fir_graph : public adf::graph {
 *     public:
 *         adf::input_plio in; adf::output_plio out; adf::kernel fir;
 *         fir_graph()
 *         {
 *             // void fir_kernel(input_window<int16> *, output_window<int16> *)
 *             fir = adf::kernel::create(fir_kernel);
 *             in = adf::input_plio::create("in", adf::plio_32_bits, "x.txt");
 *             out = adf::output_plio::create("out", adf::plio_32_bits, "y.txt");
 *             adf::connect<adf::window<256, 32>>(in.out[0], fir.in[0]);
 *             adf::connect<adf::window<256>>(fir.out[0], out.in[0]);
 *             adf::source(fir) = "fir.cpp"; adf::runtime<adf::ratio>(fir) = 0.9;
 *         }
 *     };
 *     fir_graph g; g.init(); g.run(4); g.end();
 *
 * init(), run(), update() and the like return ok, or print what is wrong and return user_error. Where several graphs
 * stand on top, init() of all of them comes before the first run(). A run ends when run() returns; wait() adds
 * nothing. What is simulated, and how, is in docs/aie.md.
 *
 * Threads: a graph and its array are used by one thread at a time, two top graphs by two. */
#ifndef TILEWRIGHT_ADF_HPP
#define TILEWRIGHT_ADF_HPP

#include <tilewright/aie/detail/adf/ports.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <dlfcn.h>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <list>
#include <map>
#include <new>
#include <numeric>
#include <set>
#include <typeinfo>

/* What builds graphs runs once: inlined into one another its functions would take longer to compile than the kernels
 * do, and those of a precompiled header would be optimised in each unit again. */
#ifdef __clang__
#pragma clang attribute tw_graphs.push(__attribute__((noinline)), apply_to = function)
#endif
#include <tilewright/aie/detail/adf/design.hpp>
#include <tilewright/aie/detail/adf/event.hpp>
#include <tilewright/aie/detail/adf/properties.hpp>
#ifdef __clang__
#pragma clang attribute tw_graphs.pop
#endif

namespace adf {
namespace detail {
inline size_t *&asked_size()
{
    static size_t *at = nullptr;
    return at;
}
} // namespace detail

/* --- the graph ------------------------------------------------------------------------------------------------ */

/* Copies are handles of the same graph, so graphs may be returned, assigned and kept in containers. */
class graph {
  public:
    graph() : self(std::make_shared<detail::design>(this)) {}
    graph(const graph &other) : self(other.self) { here(); }
    graph &operator=(const graph &other)
    {
        self = other.self;
        here();
        return *this;
    }
    virtual ~graph() = default;
    virtual return_code init()
    {
        here();
        detail::tops()[self->first] = self.get();
        name_parts();
        return self->refuse(detail::unconnected_port(self->first));
    }
#ifdef __cpp_lib_destroying_delete
    static void operator delete(graph *g, std::destroying_delete_t, size_t bytes)
    {
        if (size_t *asked = std::exchange(detail::asked_size(), nullptr)) {
            *asked = bytes;
            return;
        }
        void *whole = dynamic_cast<void *>(g);
        g->~graph();
        ::operator delete(whole);
    }
    static void operator delete(void *p) { ::operator delete(p); }
#endif
    /* n firings of each kernel; below 1, or none: until the input files end. */
    virtual return_code run(int n = -1) { return self->run(n); }
    virtual return_code wait() { return self->wait(); }
    virtual return_code wait(unsigned long long) { return ok; }
    virtual return_code resume() { return ok; }
    /* With TW_AIE_CHECK: reports data that nobody has read; so does the end of a graph's life without it. */
    virtual return_code end() { return self->end(); }
    virtual return_code end(unsigned long long) { return self->end(); }
    /* Run-time parameters. A firing takes one value of a synchronous one, and kernels that wait for it go on; an
     * asynchronous one keeps its value from the next firing on. */
    template <class TwT> return_code update(const detail::endpoint &port, const TwT &value)
    {
        const typename std::remove_cv<TwT>::type copy = value;
        return self->update(port, &copy, sizeof copy);
    }
    template <class TwT> return_code update(const detail::endpoint &port, const TwT *values, size_t count)
    {
        return self->update(port, values, count * sizeof(TwT));
    }
    template <class TwT> return_code read(const detail::endpoint &port, TwT &value)
    {
        return self->read(port, &value, sizeof value);
    }
    template <class TwT> return_code read(const detail::endpoint &port, TwT *values, size_t count)
    {
        return self->read(port, values, count * sizeof(TwT));
    }
    /* Estimated cycles by kernel and tile, memory: after a run, owned by the graph. */
    const tw_profile *profile() { return self->array ? tw_aie_array_profile(self->array) : nullptr; }

  private:
    std::shared_ptr<detail::design> self;

    /* Graphs that are members of this one, by the names of their classes. */
    void name_parts()
    {
        const detail::design_place whole = detail::designs()[self->first];
        const char *begin = static_cast<const char *>(whole.object), *end = begin + whole.bytes;
        std::map<std::string, std::vector<detail::design_place *>> classes;
        for (auto &d : detail::designs()) {
            const char *at = static_cast<const char *>(d.second.object);
            if (d.first <= self->first || at < begin || at >= end) continue;
            graph &part = *static_cast<graph *>(d.second.base);
            d.second.bytes = part.size();
            std::string name = detail::class_name(typeid(part).name());
            d.second.name = name;
            classes[name].push_back(&d.second);
        }
        for (auto &c : classes)
            for (size_t i = 0; c.second.size() > 1 && i < c.second.size(); i++)
                c.second[i]->name += " " + std::to_string(i + 1);
    }
    void here() { detail::designs()[self->first] = { dynamic_cast<void *>(this), size(), this, "" }; }
    /* Of the whole object. Only the operator delete of a class with a virtual destructor is told. */
    size_t size()
    {
        size_t bytes = 0;
#ifdef __cpp_lib_destroying_delete
        detail::asked_size() = &bytes;
        delete this; /* destroys nothing */
#endif
        return bytes;
    }
};

} // namespace adf

#endif
