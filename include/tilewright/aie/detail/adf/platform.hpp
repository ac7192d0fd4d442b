// SPDX-License-Identifier: MIT
/* The older way to give a graph its files and memory: PLIO and GMIO objects, joined to its ports by a platform. Part
 * of <tilewright/aie/adf.hpp>.
 *
 *     PLIO x("x", plio_32_bits, "x.txt"); GMIO y("y", 64, 1000);
 *     simulation::platform<1, 1> platform(&x, &y);
 *     connect<> a(platform.src[0], g.in), b(g.out, platform.sink[0]);
 *     g.run(4); y.aie2gm(results, bytes); */
#ifndef TILEWRIGHT_ADF_PLATFORM_HPP
#define TILEWRIGHT_ADF_PLATFORM_HPP

#include <tilewright/aie/detail/adf/gmio.hpp>

namespace adf {

struct PLIO : IoAttr {
    std::string name, file;
    plio_type bits;
    double mhz;
    PLIO(std::string n, plio_type b, std::string f, double m = 0)
        : name(std::move(n)), file(std::move(f)), bits(b), mhz(m)
    {
    }
    PLIO(std::string n, std::string f) : PLIO(std::move(n), plio_32_bits, std::move(f)) {}
};

/* Memory of the host; the platform says whether data comes from it or goes to it. */
class GMIO : public IoAttr {
  public:
    std::string name;
    GMIO() = default; /* static members alone */
    /* The length of a burst and the bandwidth change no result. */
    GMIO(std::string n, size_t, size_t) : name(std::move(n)) {}
    static void *malloc(size_t bytes) { return std::aligned_alloc(64, (bytes + 63) / 64 * 64); }
    static void free(void *memory) { std::free(memory); }
    return_code gm2aie_nb(const void *data, size_t bytes)
    {
        return is(detail::node_kind::input, "gm2aie()") ? detail::send(node, data, bytes) : user_error;
    }
    return_code gm2aie(const void *data, size_t bytes) { return gm2aie_nb(data, bytes); }
    return_code aie2gm_nb(void *data, size_t bytes)
    {
        return is(detail::node_kind::output, "aie2gm()") ? detail::receive(node, data, bytes) : user_error;
    }
    return_code aie2gm(void *data, size_t bytes)
    {
        return_code bad = aie2gm_nb(data, bytes);
        return bad ? bad : wait();
    }
    return_code wait()
    {
        if (!node) return detail::complain("GMIO '" + name + "': wait() before a platform has it");
        return node->what == detail::node_kind::output ? detail::land(node) : ok;
    }
    /* Of kernels in the programmable logic with memory of their own. */
    return_code pl_gm(void *, size_t)
    {
        return detail::complain("GMIO '" + name + "': pl_gm() is not modelled: gm2aie() and aie2gm() are");
    }

  private:
    bool is(detail::node_kind what, const char *call) const
    {
        if (node && node->what == what) return true;
        detail::complain("GMIO '" + name + "': " + call +
                         (node ? " at the other end of the platform" : " before a platform has it"));
        return false;
    }
};

namespace simulation {
template <int In, int Out> class platform {
  public:
    detail::endpoint src[In ? In : 1], sink[Out ? Out : 1];
    /* PLIO and GMIO objects, or paths of files for ports of 32 bits: the inputs, then the outputs. */
    template <class... TwP> explicit platform(const TwP &...ends)
    {
        static_assert(sizeof...(TwP) == In + Out, "a platform takes its inputs, then its outputs");
        int i = 0;
        const int taken[] = { 0, (take(ends, i++), 0)... }; /* in order; compilers limit how many a fold takes */
        (void)taken;
    }

  private:
    static detail::node_kind kind_of(int i)
    {
        return i < In ? detail::node_kind::input : detail::node_kind::output;
    }
    void put(const detail::node_ref &n, int i)
    {
        (i < In ? src[i] : sink[i - In]) = { n, 0, i < In ? detail::direction::out : detail::direction::in, -1 };
    }
    void take(const PLIO *p, int i)
    {
        put(p->node = detail::new_file(kind_of(i), p->name, p->bits, p->file, p->mhz), i);
    }
    void take(const std::string &path, int i) { put(detail::new_file(kind_of(i), path, plio_32_bits, path), i); }
    void take(GMIO *g, int i) { put(g->node = detail::new_memory(kind_of(i), g->name), i); }
};
} // namespace simulation

} // namespace adf

#endif
