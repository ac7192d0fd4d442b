// SPDX-License-Identifier: MIT
/* popops' headers: texts of expressions, graphs that are those of the calls of C, values, errors, loops. */
#include "../../cxx/expect.hpp"

#include <cmath>
#include <cstring>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/MetadataCreation.hpp>
#include <poplar/TypeConversion.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <popops/Fill.hpp>
#include <popops/Loop.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/Zero.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>
#include <sstream>

using namespace poplar;
using namespace poplar::program;
namespace pe = popops::expr;

template <class E, class F> static bool throws(F f, const char *words)
{
    try {
        f();
    } catch (const E &e) {
        if (std::strstr(e.what(), words)) return true;
        std::printf("'%s' lacks '%s'\n", e.what(), words);
    }
    return false;
}

static Device model(unsigned tiles = 8)
{
    IPUModel m;
    m.tilesPerIPU = tiles;
    return m.createDevice();
}

/* The canonical text of an expression. */
static std::string canonical(const pe::Expr &e)
{
    char *text = tw_popops_expression_text(e.text().c_str());
    std::string s = text ? text : tw_error_message();
    std::free(text);
    return s;
}

static void texts()
{
    using namespace popops::expr;
    EXPECT(canonical(_1 + _2 * 3) == "add(_1,mul(_2,3))");
    EXPECT(canonical((_1 + _2) * 3.5f) == "mul(add(_1,_2),3.5)");
    EXPECT(canonical(2 - _1) == "sub(2,_1)" && canonical(-_1) == "neg(_1)" && canonical(_1 - -3) == "sub(_1,-3)");
    EXPECT(canonical(Select(_1, _2, _1 < 1 && !_3)) == "select(_1,_2,logical_and(lt(_1,1),logical_not(_3)))");
    EXPECT(canonical(Select(Const(1.0f), Const(2.0f), _1)) == "select(1f,2f,_1)");
    EXPECT(canonical(Select(Const(1), _1, _2)) == "select(1,_1,_2)");
    EXPECT(canonical(Select(Const(1), Const(2), _2 == true)) == "select(1i,2i,eq(_2,1b))");
    EXPECT(canonical(Cast(_1, UNSIGNED_INT) >> 3u) == "shift_right(cast(_1,unsigned int),3)");
    EXPECT(canonical(Clamp(_1, Const(-1.0), 1.5_half)) == "clamp(_1,-1,1.5h)");
    EXPECT(canonical(Max(_1, Const(-INFINITY))) == "max(_1,-inf)");
    Any any = Sqrt(Any(_1 + 1) / _20);
    EXPECT(canonical(any) == "sqrt(div(add(_1,1),_20))");
    EXPECT(canonical(BinaryOp(BinaryOpType::ATAN2, UnaryOp(UnaryOpType::POPCOUNT, _1), _2)) ==
           "atan2(popcount(_1),_2)");
    EXPECT(any.clone()->deepEquals(any));
    EXPECT(poputil::templateVertex("V", BinaryOpType::ADD, FLOAT) == "V<popops::expr::BinaryOpType::ADD,float>");
}

/* The same calls in C++ and in C make graphs of the same bytes. */
static void graphs()
{
    Device device = model();
    std::string bytes[2];
    for (int way = 0; way < 2; way++) {
        Graph graph(device.getTarget());
        popops::addCodelets(graph);
        Tensor a = graph.addVariable(FLOAT, { 5, 20 }, "a"), b = graph.addVariable(FLOAT, { 20 }, "b"),
               c = graph.addVariable(INT, { 40 }, "c");
        poputil::mapTensorLinearly(graph, a), graph.setTileMapping(b, 3), poputil::mapTensorLinearly(graph, c);
        Sequence prog;
        if (way == 0) {
            using namespace popops::expr;
            popops::map(graph, Max(_1, Const(0)) * _2, { a, b }, prog, "m");
            popops::add(graph, a, b, prog, "sum");
            popops::mulInPlace(graph, a, 2.5f, prog, "twice");
            popops::cast(graph, c, HALF, prog, "h");
            popops::fill(graph, a, prog, 7, "f");
            popops::zero(graph, b, prog, "z");
            popops::iota(graph, c, 3, prog, "i");
            popops::scaledAddTo(graph, a, a, 0.5f, prog, "s");
        } else {
            tw_graph *g = handles::of(graph);
            tw_tensor ab[] = { handles::of(a), handles::of(b) };
            auto seq = [g](const char *name) { return tw_program_sequence(g, name); }; /* one for each step */
            tw_popops_map(g, "max(_1, 0) * _2", 2, ab, seq("m"), "m", nullptr);
            tw_popops_add(g, ab[0], ab[1], seq("sum"), "sum", nullptr);
            tw_popops_map_in_place(g, "_1 * 2.5", 1, ab, seq("twice"), "twice", nullptr);
            tw_popops_cast(g, handles::of(c), TW_HALF, seq("h"), "h");
            tw_popops_fill(g, ab[0], 7, seq("f"), "f");
            tw_popops_zero(g, ab[1], seq("z"), "z");
            tw_popops_iota(g, handles::of(c), 3, seq("i"), "i");
            tw_popops_scaled_add(g, ab[0], tw_scale{ 1, { 0, 0 } }, ab[0], tw_scale{ 0.5, { 0, 0 } }, seq("s"), "s",
                                 nullptr);
            EXPECT(tw_graph_status(g) == TW_OK);
        }
        std::ostringstream out;
        char *text = nullptr;
        std::size_t size = 0;
        FILE *file = open_memstream(&text, &size);
        EXPECT(tw_graph_serialize(handles::of(graph), file) == TW_OK);
        std::fclose(file);
        bytes[way].assign(text, size);
        std::free(text);
    }
    EXPECT(bytes[0].size() > 1000 && bytes[0] == bytes[1]);
}

static void values()
{
    Device device = model();
    Graph graph(device.getTarget());
    Tensor x = graph.addVariable(FLOAT, { 50 }, "x"), n = graph.addVariable(INT, { 50 }, "n");
    poputil::mapTensorLinearly(graph, x), poputil::mapTensorLinearly(graph, n);
    Sequence prog;
    {
        using namespace popops::expr;
        Tensor y = popops::map(graph, Select(_1, Const(0.5f), _1 > 1.0f) + 1, { x }, prog, "y");
        popops::subInPlace(graph, y, 0.25f, prog);
        popops::divInPlace(graph, y, x, prog);
        graph.createHostRead("y", y);
    }
    popops::iota(graph, n, -10, prog);
    popops::remInPlace(graph, n, 7, prog);
    Tensor far = popops::sub(graph, 100, n, prog),
           flags = popops::cast(graph, popops::gt(graph, n, 2, prog), INT, prog);
    Tensor inv = popops::varianceToInvStdDev(graph, x, 0.5f, prog, FLOAT);
    Tensor copy = graph.clone(n, "copy");
    prog.add(popops::cast(graph, n, copy));
    Tensor scale = graph.addConstant(FLOAT, {}, 3.0f);
    graph.setTileMapping(scale, 0);
    Tensor s = popops::mul(graph, x, 2.0f, prog);
    popops::scaledAddTo(graph, s, 0.25f, x, 0.5f, prog, popops::ScaledAddSpecialisation::X_MINUS_AX_PLUS_BY);
    popops::scaledSubtractFrom(graph, s, x, scale, prog);
    Tensor sum = graph.addVariable(UNSIGNED_INT, { 1 }, "sum"), limit = graph.addConstant(INT, { 1 }, 10);
    graph.setTileMapping(sum, 1), graph.setTileMapping(limit, 1);
    popops::zero(graph, sum, prog);
    prog.add(popops::countedLoop(graph, 2, 11, 3, [&](const Tensor &i) {
        Sequence body;
        popops::addInPlace(graph, sum, i, body); /* 2 + 5 + 8 */
        return body;
    }));
    Sequence body;
    popops::mulInPlace(graph, sum, 2u, body);
    prog.add(popops::countedForLoop(graph, 4, limit, 2, body)); /* three times */
    Tensor down = graph.addConstant(UNSIGNED_INT, { 1 }, 1u);
    graph.setTileMapping(down, 1);
    prog.add(popops::countedForLoop(graph, 5, down, -2, body)); /* 5, 3 */
    Tensor round = graph.addVariable(INT, { 1 }, "round"), last = graph.addConstant(INT, { 1 }, 9);
    graph.setTileMapping(round, 0), graph.setTileMapping(last, 1);
    popops::fill(graph, round, prog, 3);
    Sequence next; /* 5, 7, 9 */
    Tensor more = popops::addForLoopCounterVertex(graph, round, last, 2, 1, next, "next");
    prog.add(RepeatWhileTrue(next, more, Sequence()));
    graph.createHostRead("round", round);
    ComputeSet sets = graph.addComputeSet("sets");
    Tensor parts = graph.addVariable(INT, { 6 }, "parts");
    poputil::mapTensorLinearly(graph, parts);
    popops::fill(graph, parts, std::vector<Interval>{ { 0, 2 }, { 4, 6 } }, 0, sets, 7);
    popops::zero(graph, parts.slice(2, 4), graph.getTileMapping(parts.slice(2, 4)), sets);
    Tensor halves = popops::cast(graph, parts, HALF, prog);
    Tensor wide = popops::cast(graph, n, FLOAT, sets, "wide");
    prog.add(Execute(sets));
    EXPECT(halves.elementType() == HALF && wide.shape() == n.shape());
    graph.createHostRead("parts", parts), graph.createHostRead("wide", wide);
    EXPECT_THROWS(poputil::poplibs_error, popops::cast(graph, parts, parts, sets));
    EXPECT_THROWS(poputil::poplibs_error, popops::cast(graph, parts, QUARTER, sets));
    EXPECT((throws<poputil::poplibs_error>(
        [&] { popops::cast(graph, parts, last.reshape({ 1 }).broadcast(6, 0), sets); },
        "it has an element more than once")));
    EXPECT((throws<poputil::poplibs_error>([&] { popops::zero(graph, parts, 99, sets); }, "there is no tile 99")));
    Sequence none;
    EXPECT_THROWS(poputil::poplibs_error,
                  popops::addForLoopCounterVertex(graph, parts.slice(0, 2), last, 2, 1, none, "two"));
    EXPECT_THROWS(poputil::poplibs_error,
                  popops::addForLoopCounterVertex(graph, round, parts, 2, 1, none, "limits"));
    EXPECT(none.isEmpty());
    EXPECT_THROWS(poputil::poplibs_error, popops::fill(graph, parts, 0, sets, 1e12));
    std::vector<Tensor> close;
    for (unsigned i = 0; i < 6; i++)
        close.push_back(popops::checkAccuracyWhenCast(graph, inv.slice(i, i + 1), HALF, 2e-4, prog));
    Tensor half = graph.addConstant(HALF, { 1, 1 }, 0.1f);
    graph.setTileMapping(half, 1);
    close.push_back(popops::checkAccuracyWhenCast(graph, half, FLOAT, 0, prog));
    for (Tensor &t : close) {
        EXPECT(t.rank() == 0 && t.elementType() == BOOL);
        t = t.expand({ 0 });
    }
    graph.createHostRead("close", concat(close));
    EXPECT((throws<poputil::poplibs_error>([&] { popops::checkAccuracyWhenCast(graph, inv, HALF, 1, prog); },
                                           "50 elements")));
    EXPECT((throws<poputil::poplibs_error>(
        [&] { popops::checkAccuracyWhenCast(graph, inv.slice(0, 1), FLOAT, 1, prog); }, "from float to float")));
    EXPECT((throws<poputil::poplibs_error>([&] { popops::checkAccuracyWhenCast(graph, sum, HALF, 1, prog); },
                                           "unsigned int")));
    graph.createHostWrite("x", x), graph.createHostRead("n", copy), graph.createHostRead("far", far);
    graph.createHostRead("flags", flags), graph.createHostRead("inv", inv), graph.createHostRead("s", s);
    graph.createHostRead("sum", sum);
    Engine engine(graph, prog);
    engine.load(device);
    float in[50], y[50], v[50], t[50];
    int ns[50], fs[50], bs[50];
    unsigned total;
    for (int i = 0; i < 50; i++) in[i] = 0.125f * (i + 1);
    engine.writeTensor("x", in, in + 50);
    engine.run(0);
    engine.readTensor("y", y, y + 50), engine.readTensor("n", ns, ns + 50), engine.readTensor("far", fs, fs + 50);
    engine.readTensor("flags", bs, bs + 50), engine.readTensor("inv", v, v + 50), engine.readTensor("s", t, t + 50);
    engine.readTensor("sum", &total, &total + 1);
    std::vector<int> partsOut(6);
    std::vector<float> wideOut(50);
    engine.readTensor("parts", partsOut.data(), partsOut.data() + 6);
    engine.readTensor("wide", wideOut.data(), wideOut.data() + 50);
    EXPECT(partsOut == (std::vector<int>{ 7, 7, 0, 0, 7, 7 }));
    for (int k = 0; k < 50; k++) EXPECT(wideOut[k] == static_cast<float>(ns[k]));
    int rounds = 0;
    engine.readTensor("round", &rounds, &rounds + 1);
    EXPECT(rounds == 9);
    for (int i = 0; i < 50; i++) {
        EXPECT(y[i] == ((in[i] > 1 ? in[i] : 0.5f) + 1 - 0.25f) / in[i]);
        EXPECT(ns[i] == (i - 10) % 7 && fs[i] == 100 - ns[i] && bs[i] == (ns[i] > 2));
        EXPECT(std::fabs(v[i] - 1 / std::sqrt(in[i] + 0.5)) < 2e-7);
        EXPECT(t[i] == 2 * in[i] - 0.5f * in[i] + 0.5f * in[i] - 3 * in[i]);
    }
    EXPECT(total == 15 * 8 * 4);
    bool near[7], some = false, all = true;
    engine.readTensor("close", near, near + 7);
    for (int i = 0; i < 6; i++) {
        const double is = static_cast<double>(v[i]), kept = static_cast<double>(static_cast<float>(IeeeHalf(v[i])));
        EXPECT(near[i] == (std::fabs(kept - is) <= 2e-4 * is));
        some |= near[i], all &= near[i];
    }
    EXPECT(some && !all && near[6]);
}

static void reductions()
{
    Device device = model();
    Graph graph(device.getTarget());
    Tensor x = graph.addVariable(FLOAT, { 20, 30 }, "x"), scale = graph.addConstant(FLOAT, {}, 0.5f);
    poputil::mapTensorLinearly(graph, x), graph.setTileMapping(scale, 0);
    Sequence prog;
    using popops::Operation;
    Tensor rows = popops::reduce(graph, x, { 1 }, popops::ReduceParams(Operation::ADD), prog, "rows");
    Tensor most = popops::reduce(graph, x, { 0 }, Operation::MAX, prog);
    popops::reduceWithOutput(graph, x, rows, { 1 }, { Operation::SQUARE_ADD, true, scale }, prog);
    std::vector<Tensor> many;
    popops::reduceMany(graph, { { x, { 0, 1 }, Operation::ADD, HALF, "all" }, { x, { 0 }, Operation::MIN } }, many,
                       prog);
    EXPECT(many.size() == 2 && many[0].rank() == 0 && many[0].elementType() == HALF);
    std::vector<ComputeSet> css;
    Tensor again = popops::reduce(graph, x, { 0 }, Operation::MAX, css, "again");
    const std::size_t steps = css.size();
    Tensor more = popops::reduce(graph, x, FLOAT, { 1 }, Operation::SQUARE_ADD, css, "more");
    popops::reduceWithOutput(graph, x, graph.clone(more), { 1 }, Operation::ADD, css);
    EXPECT(steps > 0 && css.size() == steps && more.dim(0) == 20);
    for (const ComputeSet &cs : css) prog.add(Execute(cs));
    graph.createHostRead("again", again);
    graph.createHostWrite("x", x), graph.createHostRead("rows", rows), graph.createHostRead("most", most);
    graph.createHostRead("least", many[1]);
    Engine engine(graph, prog);
    engine.load(device);
    float in[20][30], sums[20], maxima[30], minima[30], same[30];
    for (int i = 0; i < 600; i++) in[i / 30][i % 30] = static_cast<float>(i * 37 % 101 - 50);
    engine.writeTensor("x", &in[0][0], &in[0][0] + 600);
    engine.run(0);
    engine.readTensor("rows", sums, sums + 20), engine.readTensor("most", maxima, maxima + 30);
    engine.readTensor("least", minima, minima + 30);
    engine.readTensor("again", same, same + 30);
    EXPECT(std::memcmp(same, maxima, sizeof same) == 0);
    for (int i = 0; i < 20; i++) {
        float sum = 0, squares = 0;
        for (int j = 0; j < 30; j++) sum += in[i][j], squares += in[i][j] * in[i][j];
        EXPECT(sums[i] == sum + 0.5f * squares);
    }
    for (int j = 0; j < 30; j++) {
        float high = -100, low = 100;
        for (int i = 0; i < 20; i++) high = std::fmax(high, in[i][j]), low = std::fmin(low, in[i][j]);
        EXPECT(maxima[j] == high && minima[j] == low);
    }
    EXPECT((throws<poputil::poplibs_error>([&] { popops::reduce(graph, x, { 2 }, Operation::ADD, prog); },
                                           "popops::reduce: 'x' float[20, 30] has no dimension 2")));
    std::stringstream text;
    Operation op = Operation::ADD;
    text << Operation::LOG_ADD;
    text >> op;
    EXPECT(op == Operation::LOG_ADD);
}

static void errors()
{
    Device device = model();
    Graph graph(device.getTarget());
    Tensor x = graph.addVariable(FLOAT, { 2, 3 }, "x"), i = graph.addVariable(INT, { 4 }, "i");
    graph.setTileMapping(x, 0), graph.setTileMapping(i, 0);
    Sequence prog;
    unsigned before = graph.getNumVertices();
    using poputil::poplibs_error;
    EXPECT((throws<poplibs_error>([&] { popops::add(graph, x, i, prog); },
                                  "popops::map: operands of 'add' are float and int")));
    EXPECT((throws<poplibs_error>([&] { popops::addInPlace(graph, i, 0.5f, prog); },
                                  "popops::add: a number with a point")));
    EXPECT((throws<poplibs_error>([&] { popops::scaledAddTo(graph, x, x[0], 1.0f, prog); },
                                  "popops::scaledAddTo: 'x' float[2, 3]")));
    EXPECT((throws<invalid_option>([&] { popops::abs(graph, x, prog, {}, { { "enableGenerateCodelet", "1" } }); },
                                   "option 'enableGenerateCodelet' cannot be '1'")));
    EXPECT((throws<poplibs_error>([&] { popops::fill(graph, i, prog, 1.5f); }, "1.5 is no value of 'i' int[4]")));
    EXPECT((throws<poplibs_error>(
        [&] { popops::countedLoop(graph, 0, 4, 0, [](const Tensor &) { return Sequence(); }); }, "no steps")));
    EXPECT((throws<poplibs_error>(
        [&] { popops::countedLoop(graph, 4, 4, 1, [](const Tensor &) { return Sequence(); }); }, "no steps")));
    const std::size_t past = std::size_t(1) << 32;
    for (const std::vector<std::size_t> &r :
         { std::vector<std::size_t>{ 0, past, 1 }, { past, past + 4, 1 }, { 0, 5, past + 1 } })
        EXPECT((throws<poplibs_error>(
            [&] { popops::countedLoop(graph, r[0], r[1], r[2], [](const Tensor &) { return Sequence(); }); },
            "more than an unsigned int counts")));
    EXPECT(graph.getNumVertices() == before && prog.isEmpty());
}

/* Casts from and to FP8 are what the host's conversions are; metadata are read when the program runs. */
static void quarters()
{
    Device device = model();
    Graph graph(device.getTarget());
    Tensor meta = createVariableMetadataTensor(graph, QuarterMetadata::Format::F143, 0);
    const std::size_t count = 600;
    Tensor q = graph.addVariable(QUARTER, meta, { 256 }, "q"), x = graph.addVariable(FLOAT, { count }, "x");
    poputil::mapTensorLinearly(graph, q), poputil::mapTensorLinearly(graph, x);
    Sequence prog;
    Tensor floats = popops::cast(graph, q, FLOAT, prog), bytes = popops::cast(graph, x, QUARTER, meta, prog);
    EXPECT(bytes.elementType() == QUARTER && popops::cast(graph, q, HALF, prog).elementType() == HALF);
    EXPECT((throws<poputil::poplibs_error>([&] { popops::castWithOutput(graph, x, bytes.slice(0, 2), prog); },
                                           "{600} to {2}")));
    graph.createHostWrite("q", q), graph.createHostWrite("x", x);
    graph.createHostRead("floats", floats), graph.createHostRead("bytes", bytes);
    Engine engine(graph, prog);
    engine.load(device);
    std::vector<unsigned char> codes(256), want(count), got(count);
    std::vector<float> values(256), right(256), in(count);
    for (std::size_t i = 0; i < 256; i++) codes[i] = static_cast<unsigned char>(i);
    for (std::size_t i = 0; i < count; i++)
        in[i] =
            static_cast<float>(std::ldexp(std::sin(1.7 * static_cast<double>(i)), static_cast<int>(i % 90) - 55));
    in[0] = 0, in[1] = -0.0f, in[2] = INFINITY, in[3] = -INFINITY, in[4] = NAN;
    for (int scale : { 0, -32, 31 })
        for (auto format : { QuarterMetadata::Format::F143, QuarterMetadata::Format::F152 }) {
            QuarterMetadata now(format, scale), back;
            engine.writeTensor("q", now, codes.data(), codes.data() + 256);
            engine.writeTensor("x", in.data(), in.data() + count);
            engine.run(0);
            engine.readTensor("floats", values.data(), values.data() + 256);
            engine.readTensor("bytes", back, got.data(), got.data() + count);
            convertFromDeviceType(QUARTER, now, codes.data(), ArrayRef<float>(right));
            convertToDeviceType(QUARTER, now, in, want.data());
            for (std::size_t i = 0; i < 256; i++) EXPECT(i == 128 ? std::isnan(values[i]) : values[i] == right[i]);
            EXPECT(got == want && back == now);
        }
}

/* Scales that no half holds: the sum is one of floats, but where the tolerance says that the half will do. */
static void scales()
{
    IPUModel m;
    m.tilesPerIPU = 4;
    Device device = m.createDevice();
    Graph graph(device.getTarget());
    const float one = 0x1p-10f, thousand = 1000, k = 2e-8f; /* 0 as a half */
    Tensor b = graph.addConstant(HALF, { 3 }, thousand), factor = graph.addConstant(FLOAT, {}, k);
    Tensor a[4];
    graph.setTileMapping(b, 1), graph.setTileMapping(factor, 2);
    Sequence prog;
    for (int i = 0; i < 4; i++) {
        a[i] = graph.addVariable(HALF, { 3 });
        poputil::mapTensorLinearly(graph, a[i]);
        popops::fill(graph, a[i], prog, one);
        const OptionFlags loose{ { "scaleFloatToHalfTolerance", i < 2 ? "1e-6" : "2" } };
        if (i % 2)
            popops::scaledAddTo(graph, a[i], b, factor, prog, "run", loose);
        else
            popops::scaledAddTo(graph, a[i], b, k, prog, "number", loose);
    }
    Tensor all = popops::cast(graph, concat({ a[0], a[1], a[2], a[3] }), FLOAT, prog);
    graph.createHostRead("all", all);
    Engine engine(graph, prog);
    engine.load(device);
    engine.run();
    std::vector<float> out(12);
    engine.readTensor("all", out.data(), out.data() + 12);
    for (int i = 0; i < 12; i++)
        EXPECT(i < 6 ? std::fabs(out[i] - (one + k * thousand)) < 0x1p-20f : out[i] == one);
    Sequence trivial; /* reductions of nothing to add are copies, no vertices */
    std::vector<Tensor> results;
    popops::reduceMany(graph, { { all, {}, { popops::Operation::ADD }, "same" } }, results, trivial);
    std::ostringstream text, copies;
    dumpProgram(graph, trivial, copies);
    EXPECT(copies.str().find("Copy") != std::string::npos && copies.str().find("Execute") == std::string::npos);
    dumpProgram(graph, prog, text); /* what a call has appended is told */
    EXPECT(text.str().find("Execute 'run'") != std::string::npos);
}

int main()
{
    scales();
    quarters();
    texts();
    graphs();
    values();
    reductions();
    errors();
    return failures;
}
