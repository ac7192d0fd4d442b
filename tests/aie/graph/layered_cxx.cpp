// SPDX-License-Identifier: MIT
/* Graphs of kernels in layered C++: names of their own, elements in bare braces, places for whole graphs. */
#include <tilewright/aie/vendor.hpp>

#include <adf.h>

#include <unistd.h>

using namespace adf;

static int failures;
#define EXPECT(condition) \
    ((condition) ? (void)0 : (void)(std::printf("line %d: %s\n", __LINE__, #condition), failures++))

/* Methods with names that open ports in plain programs. */
class scale {
    cint16 by;
    int16 window_in(cint16 v) { return v.real; }
    void stream_out(output_stream_cint16 *out, const v4cint16 *v) { writeincr(out, *v); }

  public:
    explicit scale(cint16 factor) : by(factor) {}
    void run(input_stream_cint16 *in, output_stream_cint16 *out)
    {
        v8cint16 v = null_v8cint16();
        for (int i = 0; i < 4; i++) v = upd_elem(v, i, readincr(in));
        v8cint16 w = upd_elem(null_v8cint16(), 0, by);
        v4cint16 r = ext_v(srs(mul8(concat(v, v), 0, 0x76543210, w, 0, 0), 0), 0);
        stream_out(out, &r);
        EXPECT(window_in(by) == by.real);
    }
    static void registerKernelClass() { REGISTER_FUNCTION(scale::run); }
};
class scaled : public graph {
  public:
    kernel k = kernel::create_object<scale>(cint16{ 0, 2 });
    input_plio in = input_plio::create(plio_32_bits, "x.txt");
    output_plio out = output_plio::create(plio_32_bits, "y.txt");
    scaled()
    {
        connect<stream>(in.out[0], k.in[0]);
        connect<stream>(k.out[0], out.in[0]);
        location<graph>(*this) = bounding_box(3, 0, 5, 7); /* of no effect here */
    }
};
static void names_of_their_own()
{
    std::ofstream("x.txt") << "1 2\n3 4\n5 6\n7 8\n";
    scaled g;
    EXPECT(g.init() == ok && g.run(1) == ok);
    std::ifstream y("y.txt");
    int re, im, n = 0;
    for (string word; y >> word;) {
        if (word == "TLAST") continue;
        re = std::atoi(word.c_str());
        y >> im;
        EXPECT(re == -2 * (2 * n + 2) && im == 2 * (2 * n + 1)); /* (a + bi) 2i */
        n++;
    }
    EXPECT(n == 4);
}
static void elements_in_braces()
{
    v4cfloat f = upd_elem(null_v4cfloat(), 2, { 1, -1 });
    EXPECT(ext_elem(f, 2).real == 1 && ext_elem(f, 2).imag == -1 && ext_elem(f, 1).real == 0);
    v8cint16 c = shft_elem(upd_elem(null_v8cint16(), 0, { 5, -6 }), { 7, 8 });
    EXPECT(ext_elem(c, 0).imag == 8 && ext_elem(c, 1).imag == -6);
}

int main()
{
    char folder[] = "/tmp/tw_graph_layered_XXXXXX";
    EXPECT(mkdtemp(folder) && chdir(folder) == 0);
    names_of_their_own();
    elements_in_braces();
    EXPECT(std::system((string("rm -r ") + folder).c_str()) == 0);
    return failures != 0;
}
