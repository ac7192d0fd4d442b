// SPDX-License-Identifier: MIT
/* Fields of codelets behave as values: assignment moves what they point at, never the pointer (guide 2.8). */
#include "expect.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/VertexIntrospector.hpp>
#include <sstream>

using namespace poplar;
using namespace poplar::program;

static const char codelet[] =
    "#include <poplar/Vertex.hpp>\n"
    "using namespace poplar;\n"
    "class Fields : public Vertex {\n"
    "public:\n"
    "  Input<Vector<float>> in;\n"
    "  Vector<Output<float>> each;\n"
    "  Output<float> a;\n"
    "  InOut<float> b;\n"
    "  Output<half> h;\n"
    "  const std::size_t count; long steps[2]; unsigned char last;\n"
    "  bool compute() {\n"
    "    each[0] = in[0];\n"
    "    each[1] = 1.5f;\n"
    "    each[2] = each[1];\n"
    "    b = b + in[1];\n"
    "    a = b;\n"
    "    h = 0.5f;\n"
    "    if (in->size() != 2) *a = -1;\n"
    "    if (count != 4000000000u || steps[0] != -7 || steps[1] != 8 || last != 9) *a = -2;\n"
    "    return true;\n"
    "  }\n"
    "};\n";

static void run(const Device &d)
{
    Graph g(d);
    std::stringstream source(codelet);
    g.addCodelets(source);
    Tensor in = g.addVariable(FLOAT, { 2 }), each = g.addVariable(FLOAT, { 3 }), ab = g.addVariable(FLOAT, { 2 });
    Tensor h = g.addVariable(HALF, {});
    for (const Tensor &t : { in, each, ab, h }) g.setTileMapping(t, 0);
    g.setInitialValue<float>(in, { 3, 4 });
    g.setInitialValue<float>(ab, { 100, 200 });
    ComputeSet cs = g.addComputeSet();
    VertexRef v =
        g.addVertex(cs, "Fields", { { "in", in }, { "each", each }, { "a", ab[0] }, { "b", ab[1] }, { "h", h } });
    g.setTileMapping(v, 0);
    g.setInitialValue(v["count"], std::size_t(4000000000u)); /* 32 bits on the chip, so it fits */
    const int steps[] = { -7, 8 };
    g.setInitialValue(v["steps"], ArrayRef<int>(steps, 2));
    g.setInitialValue(v["last"], 9);
    Graph other(d);
    std::stringstream again(codelet);
    other.addCodelets(again);
    VertexRef w = other.addVertex(other.addComputeSet(), "Fields");
    EXPECT_THROWS(poplar_error,
                  (other.setInitialValue(w["count"], 1ull << 32), 0)); /* not as a number of the chip */
    g.createHostRead("each", each), g.createHostRead("ab", ab);
    Engine e(g, Execute(cs));
    e.loadAndRun(d);
    float got[5];
    e.readTensor("each", got, got + 3);
    e.readTensor("ab", got + 3, got + 5);
    EXPECT(got[0] == 3 && got[1] == 1.5f && got[2] == 1.5f);
    EXPECT(got[3] == 204 && got[4] == 204);
}

/* How deep fields are nested, as an estimator sees it; counters of the chip without an include. */
static void ranks(const Device &d)
{
    Graph g(d);
    std::stringstream source(
        "#include <poplar/Vertex.hpp>\n"
        "using namespace poplar;\n"
        "class Ranks : public Vertex { public:\n"
        "  Input<Vector<float>> in; Vector<Input<Vector<float>>> rows; unsigned n; Vector<int> list;\n"
        "  Input<VectorList<float, VectorListLayout::DELTANELEMENTS>> deltas;\n"
        "  Vector<Input<float>> each; Output<float> out;\n"
        "  bool compute() {\n"
        "    unsigned begin = __builtin_ipu_get_scount_l(), high = __builtin_ipu_get_scount_u();\n"
        "    *out = high == 0 || __builtin_ipu_get_scount_l() != begin ? 1 : 2;\n"
        "    return true; } };\n");
    g.addCodelets(source);
    Tensor x = g.addVariable(FLOAT, { 4 }), out = g.addVariable(FLOAT, {});
    g.setTileMapping(x, 0), g.setTileMapping(out, 0);
    std::string seen;
    g.registerPerfEstimator("Ranks", [&](const VertexIntrospector &v, const Target &) {
        seen.clear();
        for (const char *f : { "in", "rows", "n", "list", "deltas", "each", "out" })
            seen += std::to_string(v.getFieldInfo(f).rank());
        return 5;
    });
    std::vector<Tensor> rows = { x.slice(0, 1), x.slice(1, 4) };
    ComputeSet cs = g.addComputeSet();
    VertexRef v = g.addVertex(cs, "Ranks",
                              { { "in", x }, { "rows", rows }, { "deltas", rows }, { "each", x }, { "out", out } });
    g.setTileMapping(v, 0);
    g.setInitialValue<int>(v["list"], { 1, 2 });
    Engine e(g, Execute(cs));
    e.loadAndRun(d);
    EXPECT(seen == "1201210" || d.getTarget().getTargetType() == TargetType::CPU);
}

/* Fields of different directions in `?:` and in assignments with an operation; StackSizeDefs.hpp without a folder. */
static void directions(const Device &d)
{
    Graph g(d);
    std::stringstream source(
        "#include <poplar/Vertex.hpp>\n"
        "#include <StackSizeDefs.hpp>\n"
        "using namespace poplar;\n"
        "template <class T> class Mixed : public Vertex { public:\n"
        "  Vector<InOut<T>> a; Vector<Input<T>> b; Output<T> out; InOut<T> both; Input<T> one;\n"
        "  Output<Vector<T>> got; unsigned first;\n"
        "  bool compute() {\n"
        "    bool f = first;\n"
        "    got[0] = f ? a[0] : b[0];\n"
        "    got[1] = f ? b[1] : a[1];\n"
        "    T t = f ? both : one;\n"
        "    got[2] = t;\n"
        "    out = f ? one : both;\n"
        "    got[3] = f ? out : both;\n"
        "    got[4] = f ? out : b[0];\n"
        "    const Vector<InOut<T>> &ca = a;\n"
        "    got[5] = f ? ca[0] : b[0];\n"
        "    both += a[1]; both -= b[0]; both *= one; both = out; both = a[0];\n"
        "    a[0] += T(1); a[1] *= 2; a[1] += got[0];\n"
        "    got[6] = a[0]; got[7] = a[1];\n"
        "    return true; } };\n"
        "template class Mixed<half>;\ntemplate class Mixed<float>;\ntemplate class Mixed<int>;\n");
    g.addCodelets(source);
    struct {
        const char *name;
        poplar::Type type;
    } const types[] = { { "Mixed<half>", HALF }, { "Mixed<float>", FLOAT }, { "Mixed<int>", INT } };
    ComputeSet cs = g.addComputeSet();
    std::vector<Tensor> results;
    for (const auto &t : types)
        for (unsigned first = 0; first < 2; first++) {
            Tensor a = g.addVariable(t.type, { 2 }), b = g.addVariable(t.type, { 2 }),
                   x = g.addVariable(t.type, { 3 });
            Tensor got = g.addVariable(t.type, { 8 });
            for (const Tensor &v : { a, b, x, got }) g.setTileMapping(v, 0);
            const float as[] = { 1, 2 }, bs[] = { 3, 4 }, xs[] = { 5, 6, 7 };
            if (t.type == INT) {
                const int ai[] = { 1, 2 }, bi[] = { 3, 4 }, xi[] = { 5, 6, 7 };
                g.setInitialValue(a, ArrayRef<int>(ai, 2)), g.setInitialValue(b, ArrayRef<int>(bi, 2));
                g.setInitialValue(x, ArrayRef<int>(xi, 3));
            } else {
                g.setInitialValue(a, ArrayRef<float>(as, 2)), g.setInitialValue(b, ArrayRef<float>(bs, 2));
                g.setInitialValue(x, ArrayRef<float>(xs, 3));
            }
            VertexRef v = g.addVertex(
                cs, t.name,
                { { "a", a }, { "b", b }, { "out", x[0] }, { "both", x[1] }, { "one", x[2] }, { "got", got } });
            g.setInitialValue(v["first"], first);
            g.setTileMapping(v, 0);
            results.push_back(got);
        }
    for (size_t i = 0; i < results.size(); i++) g.createHostRead("got" + std::to_string(i), results[i]);
    Engine e(g, Execute(cs));
    e.loadAndRun(d);
    const float want[2][8] = { { 3, 2, 7, 6, 3, 3, 2, 7 }, { 1, 4, 6, 7, 7, 1, 2, 5 } };
    for (size_t i = 0; i < results.size(); i++) {
        unsigned bytes = d.getTarget().getTypeSize(results[i].elementType());
        std::vector<char> raw(8 * bytes);
        e.readTensor("got" + std::to_string(i), raw.data(), raw.data() + raw.size());
        for (int k = 0; k < 8; k++) {
            float f = 0;
            if (results[i].elementType() == HALF)
                copyDeviceHalfToFloat(d.getTarget(), raw.data() + k * bytes, &f, 1);
            else if (results[i].elementType() == INT)
                f = float(reinterpret_cast<int *>(raw.data())[k]);
            else
                f = reinterpret_cast<float *>(raw.data())[k];
            EXPECT(f == want[i % 2][k]);
        }
    }
}

int main()
{
    IPUModel m;
    m.tilesPerIPU = 1;
    run(m.createDevice());
    run(Device::createCPUDevice());
    ranks(m.createDevice());
    ranks(Device::createCPUDevice());
    directions(m.createDevice());
    directions(Device::createCPUDevice());
    return failures;
}
