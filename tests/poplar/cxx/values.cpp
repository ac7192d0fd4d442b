// SPDX-License-Identifier: MIT
/* Small values of <poplar/...>: references, intervals, types, options, names, trees of values; FP8. */
#include "expect.hpp"

#include <cmath>
#include <gccs/Algorithm.hpp>
#include <gccs/CompilerFeatures.hpp>
#include <gccs/StructHelper.hpp>
#include <map>
#include <poplar/ArrayRef.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/Interval.hpp>
#include <poplar/MetadataCreation.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/QuarterFloat.hpp>
#include <poplar/RuntimeOptions.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeConversion.hpp>
#include <poplar/TypeTraits.hpp>
#include <poplar/exceptions.hpp>
#include <set>
#include <sstream>

using namespace poplar;

static std::size_t sum(ArrayRef<std::size_t> a)
{
    std::size_t s = 0;
    for (std::size_t v : a) s += v;
    return s;
}

static void references()
{
    std::size_t n = 3;
    EXPECT(sum({}) == 0 && sum({ n, 4 }) == 7 && sum(std::vector<std::size_t>{ 1, 2 }) == 3);
    std::array<std::size_t, 2> fixed = { { 5, 6 } };
    EXPECT(sum(fixed) == 11);
    StringRef s = "text";
    std::map<std::string, int> m = { { "text", 1 } };
    EXPECT(m.find(s) != m.end() && std::string("a ") + s == "a text" && "b " + s == "b text" && s == "text");
    std::string out;
    out = s;
    EXPECT(out == "text" && s < StringRef("texu"));
}

static void intervals()
{
    EXPECT(Interval().size() == 0 && Interval(2, 5).size() == 3 && Interval(1, 2) < Interval(1, 3));
    std::ostringstream out;
    out << Interval(1, 4);
    EXPECT(out.str() == "[1,4)");
    std::vector<Interval> v;
    v.emplace_back(1, 2);
    std::vector<Interval> w = { { 0, 4 } };
    EXPECT(v[0] != w[0] && w[0].lower() == 0 && w[0].upper() == 4);
}

/* Made while other libraries are initialised. */
static const std::map<std::string, Type> table{ { "half", HALF }, { "float", FLOAT } };

static void types()
{
    const char *names[] = { "bool",  "char",           "signed char", "unsigned char",
                            "short", "unsigned short", "int",         "unsigned int",
                            "long",  "unsigned long",  "long long",   "unsigned long long",
                            "half",  "float",          "double" };
    Type all[] = { BOOL, CHAR,          SIGNED_CHAR, UNSIGNED_CHAR,     SHORT, UNSIGNED_SHORT, INT,   UNSIGNED_INT,
                   LONG, UNSIGNED_LONG, LONGLONG,    UNSIGNED_LONGLONG, HALF,  FLOAT,          DOUBLE };
    std::set<Type> distinct;
    for (int i = 0; i < 15; i++) {
        EXPECT(all[i].toString() == names[i]);
        distinct.insert(all[i]);
    }
    EXPECT(distinct.size() == 15 && table.at("half") == HALF && table.at("float") != HALF);
    EXPECT(SIGNED == INT && UNSIGNED == UNSIGNED_INT && Type() != BOOL);
    EXPECT(equivalent_device_type<unsigned>().value == UNSIGNED_INT &&
           equivalent_device_type<float>().value == FLOAT);
    TypeTraits t = TypeTraits::make<short>();
    EXPECT(t.size == 2 && t.isSigned && !t.isFloat && TypeTraits::isSimpleType<double>() &&
           !TypeTraits::isSimpleType<std::string>());
    EXPECT(static_cast<float>(IeeeHalf(2049.0f)) == 2048.0f); /* ties to even */
}

static void options()
{
    OptionFlags o{ { "b", "2" }, { "a", "1" } };
    o.set("c", std::string("3"));
    o.set({ { "a", "4" } });
    std::string text;
    for (const auto &f : o) text += f.first + f.second;
    EXPECT(text == "a4b2c3" && o.at("b") == "2");
    EXPECT_THROWS(std::out_of_range, o.at("z"));
    readJSON("{\"n\": 3, \"t\": true, \"s\": \"x\"}", o);
    EXPECT(o.at("n") == "3" && o.at("t") == "true" && o.at("s") == "x");
    EXPECT_THROWS(parse_error, readJSON("[1]", o));
    EXPECT_THROWS(parse_error, readJSON("{\"a\": []}", o));
    std::ostringstream out;
    out << OptionFlags{ { "k", "v\"" } };
    EXPECT(out.str() == "{\"k\":\"v\\\"\"}");
}

static std::string path(const DebugContext &dc)
{
    return dc.getPathName();
}

static void names()
{
    EXPECT(path({}) == "" && path("a") == "a" && path(std::string("a") + "b") == "ab");
    DebugInfo di({ "outer" }, "layer");
    EXPECT(path({ di }) == "outer" && path({ di, "in" }) == "outer/in");
    const DebugNameAndId dnai = { di, "mid" };
    EXPECT(path({ dnai }) == "outer/mid" && path({ dnai, "x" }) == "outer/mid/x");
    EXPECT(path({ DebugContext("p"), "q" }) == "p/q");
}

static void trees()
{
    ProfileValue::Map m;
    m.insert({ "n", 3 });
    m.insert({ "list", ProfileValue::Vector{ 1, 2u, 2.5, true, "s" } });
    ProfileValue v = m;
    EXPECT(v["n"].asInt() == 3 && v["list"].size() == 5 && v["list"][2].asDouble() == 2.5);
    EXPECT(v.getOrNull("none") == nullptr);
    EXPECT_THROWS(std::logic_error, v.asString());
    std::ostringstream json, cbor;
    json << v;
    EXPECT(json.str() == "{\"list\":[1,2,2.5,true,\"s\"],\"n\":3}");
    serializeToCBOR(cbor, ProfileValue::Vector{ 24, -1, "a" });
    EXPECT(cbor.str() == "\x83\x18\x18\x20\x61"
                         "a");
    ProfileValue copy = v;
    EXPECT(copy == v && copy != ProfileValue(3));
}

/* The number that a code stands for: by places, without powers of a library. */
static double byPlaces(unsigned code, bool f152, int scale)
{
    const unsigned mantissa = f152 ? 2 : 3, field = (code & 0x7f) >> mantissa;
    double v = code & ((1u << mantissa) - 1);
    if (field) v += 1u << mantissa;
    const int power = static_cast<int>(field ? field : 1) - (f152 ? 16 : 8) - static_cast<int>(mantissa) + scale;
    for (int i = 0; i < power; i++) v *= 2;
    for (int i = 0; i > power; i--) v /= 2;
    return code & 0x80 ? -v : v;
}
/* The nearest code, even where two are. */
static unsigned nearest(double v, bool f152, int scale)
{
    unsigned best = 0;
    for (unsigned code = 1; code < 0x80; code++) {
        const double d = std::fabs(byPlaces(code, f152, scale) - std::fabs(v)),
                     b = std::fabs(byPlaces(best, f152, scale) - std::fabs(v));
        if (d < b || (d == b && code % 2 == 0)) best = code;
    }
    return best && v < 0 ? best | 0x80 : best;
}

static void quarterNumbers(const QuarterMetadata &meta)
{
    const bool f152 = meta.getFormat() == QuarterMetadata::Format::F152;
    std::vector<unsigned char> codes(256), back(256);
    for (unsigned c = 0; c < 256; c++) codes[c] = static_cast<unsigned char>(c);
    std::vector<double> numbers(256);
    convertFromDeviceType(QUARTER, meta, codes.data(), numbers);
    convertToDeviceType(QUARTER, meta, numbers, back.data());
    EXPECT(back == codes && std::isnan(numbers[0x80]));
    for (unsigned c = 0; c < 256; c++) EXPECT(c == 0x80 || numbers[c] == byPlaces(c, f152, meta.getScale()));
    std::vector<double> any;
    for (unsigned c = 0; c < 255; c++) { /* on and beside what lies in the middle of two */
        const double low = byPlaces(c, f152, meta.getScale()), high = byPlaces(c + 1, f152, meta.getScale());
        for (double share : { 0.25, 0.5, 0.50001, 0.49999 }) any.push_back(low + (high - low) * share);
    }
    const double large = 1000 * byPlaces(0x7f, f152, meta.getScale());
    any.insert(any.end(), { large, -large, HUGE_VAL, -HUGE_VAL, 1e-30, -1e-30 });
    std::vector<unsigned char> seen(any.size());
    convertToDeviceType(QUARTER, meta, any, seen.data());
    for (std::size_t i = 0; i < any.size(); i++)
        EXPECT(seen[i] == (std::isinf(any[i]) ? any[i] < 0 ? 0xff : 0x7f : nearest(any[i], f152, meta.getScale())));
}

static void quarters()
{
    using Format = QuarterMetadata::Format;
    const QuarterMetadata meta(Format::F152, -3);
    EXPECT(meta.getBinary() == 0xbd && QuarterMetadata::fromBinary(0xbd) == meta && meta.getScale() == -3);
    EXPECT(QuarterMetadata() == QuarterMetadata(Format::F143, 0) && meta != QuarterMetadata());
    EXPECT_THROWS(poplar_error, QuarterMetadata(Format::F143, 32));
    EXPECT_THROWS(poplar_error, QuarterMetadata(Format::F143, -33));
    for (int scale : { -32, -5, 0, 31 })
        quarterNumbers({ Format::F143, scale }), quarterNumbers({ Format::F152, scale });
    EXPECT(QUARTER.requiresMetadata() && !HALF.requiresMetadata() && !QUARTER_METADATA.requiresMetadata());
    EXPECT(QUARTER.isFloatingPoint() && HALF.isFloatingPoint() && !INT.isFloatingPoint() &&
           !Type().isFloatingPoint());
    EXPECT(QUARTER.toString() == "quarter");

    /* other types: as constants have them */
    const std::vector<float> f = { 1.5f, -2, 300, 65520 };
    std::vector<std::uint16_t> h(4);
    std::vector<int> i(4);
    std::vector<std::int8_t> bytes(4);
    convertToDeviceType(HALF, f, h.data());
    EXPECT(h[0] == 0x3e00 && h[1] == 0xc000 && h[3] == 0x7c00);
    convertFromDeviceType(HALF, h.data(), ArrayRef<int>(i));
    EXPECT(i[0] == 1 && i[1] == -2 && i[2] == 300 && i[3] == 0); /* the last is infinite */
    convertToDeviceType(SIGNED_CHAR, std::vector<long>{ -1, 127, 130, 7 }, bytes.data());
    EXPECT(bytes[0] == -1 && bytes[2] == -126);
    std::vector<double> d(4);
    convertFromDeviceType(SIGNED_CHAR, bytes.data(), d);
    EXPECT(d[0] == -1 && d[1] == 127);
    EXPECT_THROWS(type_error, convertToDeviceType(Type(), f, h.data()));

    const Target t = Target::createIPUTarget(1, "ipu21");
    EXPECT(t.getTypeLimitsMaxAs<std::uint64_t>(UNSIGNED_INT) == 0xffffffffu &&
           t.getTypeLimitsMaxAs<float>(QUARTER) == 240);
    EXPECT(t.getTypeLimitsMaxAs<double>(HALF) == 65504 && t.getTypeLimitsMaxAs<int>(SHORT) == 32767);
    EXPECT(t.getNumConvUnits(HALF, FLOAT) == t.getFp16InFp32OutConvUnitsPerTile() &&
           t.getNumConvUnits(INT, FLOAT) == 0);
    EXPECT(t.getNumConvUnits(QUARTER, HALF) > 0);
    EXPECT(t.getConvUnitMaxPipelineDepth(HALF) == t.getFp16ConvUnitMaxPipelineDepth());
    EXPECT(t.getWeightsPerConvUnit(FLOAT) == t.getWeightsPerConvUnit(true));
    EXPECT(t.getConvUnitInputLoadElemsPerCycle(HALF) == t.getConvUnitInputLoadElemsPerCycle(false));
}

/* Tensors of quarters: metadata of variables, constants, views and clones; from the host, through a Copy and back. */
static void quarterTensors()
{
    using Format = QuarterMetadata::Format;
    Device device = Device::createCPUDevice();
    Graph graph(device.getTarget());
    const Tensor scaled = createConstantMetadataTensor(graph, Format::F152, 2),
                 changing = createVariableMetadataTensor(graph, Format::F143, -1);
    Tensor own = graph.addVariable(QUARTER, { 4 }, VariableMappingMethod::LINEAR, "own"),
           given = graph.addVariable(QUARTER, changing, { 2, 2 }, VariableMappingMethod::LINEAR, "given"),
           plain = graph.addVariable(FLOAT, Tensor(), { 2 }, "plain");
    Tensor fixed = graph.addConstant(QUARTER, scaled, { 4 }, std::vector<float>{ 4, -8, 1e9f, 0 }.data());
    EXPECT(own.hasMetadata() && own.getMetadata().elementType() == QUARTER_METADATA &&
           own.getMetadata().rank() == 0);
    EXPECT(given.getMetadata() == changing && given[1].getMetadata() == changing && fixed.getMetadata() == scaled);
    EXPECT(!plain.hasMetadata() && !plain.getMetadata().valid() && !Tensor().hasMetadata());
    EXPECT(graph.clone(given).getMetadata() == changing && graph.clone(scaled, given).getMetadata() == scaled);
    EXPECT(graph.clone(QUARTER, scaled, plain, "c").getMetadata() == scaled &&
           !graph.clone(FLOAT, given).hasMetadata());
    EXPECT(graph.cloneN(given, 3)[2].getMetadata() == changing && graph.cloneN(QUARTER, plain, 2).hasMetadata() &&
           !graph.cloneN(FLOAT, given, 2).hasMetadata());
    EXPECT_THROWS(poplar_error, graph.addVariable(QUARTER, plain, { 2 }));
    const Tensor mixed = concat(own, given.flatten()),
                 alike = concat(given.flatten(), graph.clone(given).flatten());
    EXPECT(alike.getMetadata() == changing && mixed.slice(4, 8).getMetadata() == changing &&
           graph.clone(scaled, mixed).getMetadata() == scaled && !graph.clone(FLOAT, mixed).hasMetadata());
    EXPECT_THROWS(poplar_error, mixed.getMetadata());
    EXPECT_THROWS(poplar_error, mixed.hasMetadata());
    /* constants of one value are alike; a program may change variables; parts without metadata, wherever they are */
    const Tensor again = createConstantMetadataTensor(graph, Format::F152, 2),
                 other = createConstantMetadataTensor(graph, Format::F152, 3);
    const Tensor one = graph.addVariable(QUARTER, scaled, { 4 }, "one"),
                 two = graph.addVariable(QUARTER, again, { 4 }, "2"),
                 three = graph.addVariable(QUARTER, other, { 4 }, "three"),
                 none = graph.addVariable(UNSIGNED_CHAR, { 4 }, "none").reinterpret(QUARTER);
    EXPECT(concat(one, two).getMetadata() == scaled && concat(two, one).getMetadata() == again);
    EXPECT(concat(fixed, graph.addConstant(QUARTER, again, { 1 }, 4.0f)).hasMetadata());
    EXPECT_THROWS(poplar_error, concat(one, three).hasMetadata());
    EXPECT_THROWS(poplar_error, concat(own, graph.addVariable(QUARTER, { 4 }, "own too")).hasMetadata());
    EXPECT(!none.hasMetadata() && !concat(none, one).hasMetadata() && !concat({ one, none, three }).hasMetadata() &&
           !concat({ one, three, none }).hasMetadata() && !concat({ own, given.flatten(), none }).hasMetadata());
    EXPECT_THROWS(poplar_error, graph.clone(mixed));
    EXPECT_THROWS(poplar_error, graph.createHostRead("mixed", mixed));
    graph.setTileMapping(fixed, 0);
    graph.createHostWrite("own", own);
    graph.createHostRead("given", given);
    graph.createHostRead("own", own);
    graph.createHostRead("fixed", fixed);
    program::Sequence prog;
    prog.add(program::Copy(own.reshape({ 2, 2 }), given));
    prog.add(program::Copy(own.getMetadata(), given.getMetadata()));
    Engine engine(graph, prog);
    engine.load(device);
    const unsigned char codes[4] = { 1, 0x80, 0x7f, 0xff };
    unsigned char seen[4];
    QuarterMetadata meta;
    engine.readTensor("given", meta, seen, seen + 4);
    EXPECT(meta == QuarterMetadata(Format::F143, -1));
    engine.readTensor("own", meta, seen, seen + 4);
    EXPECT(meta == QuarterMetadata());
    engine.writeTensor("own", QuarterMetadata(Format::F152, 7), codes, codes + 4);
    engine.run();
    engine.readTensor("given", meta, seen, seen + 4);
    EXPECT(meta == QuarterMetadata(Format::F152, 7) && std::equal(seen, seen + 4, codes));
    engine.readTensor("fixed", seen, seen + 4);
    std::vector<float> numbers(4);
    convertFromDeviceType(QUARTER, QuarterMetadata(Format::F152, 2), seen, numbers);
    EXPECT((numbers == std::vector<float>{ 4, -8, 57344 * 4.0f, 0 }));
}

/* Fields of quarters: a vertex reads format and scale behind each of them, whatever tile they lie on. */
static const char quarterCodelet[] = R"(
#include <poplar/QuarterFloat.hpp>
#include <poplar/Vertex.hpp>
using namespace poplar;
class Double : public Vertex {
public:
  Input<Vector<quarter>> in;
  Vector<Input<Vector<quarter>>> rows;
  Output<Vector<quarter, VectorLayout::ONE_PTR>> out;
  Output<Vector<float>> sums;
  bool compute() {
    const quarter_metadata from = unpackMetadata(in.getMetadata()), to = unpackMetadata(out.getMetadata());
    for (unsigned i = 0; i < in.size(); i++) out[i] = toQuarter(2 * toFloat(in[i], from), to);
    for (unsigned r = 0; r < rows.size(); r++) {
      sums[r] = 0;
      for (quarter q : rows[r]) sums[r] += toFloat(q, unpackMetadata(rows.getMetadata()));
    }
    return true;
  }
};
)";
static void quarterFields(const Device &device)
{
    using Format = QuarterMetadata::Format;
    Graph graph(device.getTarget());
    std::stringstream code(quarterCodelet);
    graph.addCodelets(code);
    const unsigned tiles = graph.getTarget().getNumTiles();
    const Tensor coarse = createVariableMetadataTensor(graph, Format::F152, 3);
    Tensor in = graph.addVariable(QUARTER, { 4 }, "in"), out = graph.addVariable(QUARTER, coarse, { 4 }, "out");
    Tensor fixed = graph.addConstant(QUARTER, createConstantMetadataTensor(graph, Format::F143, 4), { 2, 3 },
                                     std::vector<float>{ 16, 32, 48, -64, 128, 8 }.data());
    Tensor sums = graph.addVariable(FLOAT, { 2 }, "sums");
    for (const Tensor &t : { in, out, fixed, sums }) graph.setTileMapping(t, tiles - 1);
    ComputeSet cs = graph.addComputeSet("cs");
    VertexRef v = graph.addVertex(cs, "Double");
    graph.connect(v["in"], in);
    graph.connect(v["out"], out);
    graph.connect(v["sums"], sums);
    graph.setFieldSize(v["rows"], 2);
    for (unsigned r = 0; r < 2; r++) graph.connect(v["rows"][r], fixed[r]);
    graph.setTileMapping(v, tiles - 1);
    const Tensor bytes = graph.addVariable(UNSIGNED_CHAR, { 4 }, "bytes");
    EXPECT_THROWS(poplar_error, graph.connect(v["in"], bytes)); /* are no quarters */
    graph.createHostWrite("in", in);
    graph.createHostRead("out", out);
    graph.createHostRead("sums", sums);
    Engine engine(graph, program::Execute(cs));
    engine.load(device);
    const QuarterMetadata fine(Format::F143, -2);
    unsigned char codes[4];
    convertToDeviceType(QUARTER, fine, std::vector<float>{ 1.25f, -3, 0, 28 }, codes);
    engine.writeTensor("in", fine, codes, codes + 4);
    engine.run();
    QuarterMetadata meta;
    std::vector<float> numbers(4), added(2);
    engine.readTensor("out", meta, codes, codes + 4);
    EXPECT(meta == QuarterMetadata(Format::F152, 3));
    convertFromDeviceType(QUARTER, meta, codes, numbers);
    EXPECT((numbers == std::vector<float>{ 2.5f, -6, 0, 56 }));
    engine.readTensor("sums", added.data(), added.data() + 2);
    EXPECT((added == std::vector<float>{ 96, 72 }));
}

/* Scalars are quarters as they are; the rows of a list have one metadata, and what is refused has no effect. */
static void quarterRows(const Device &device)
{
    Graph graph(device.getTarget());
    std::stringstream code(R"(
#include <poplar/QuarterFloat.hpp>
#include <poplar/Vertex.hpp>
using namespace poplar;
class Rows : public Vertex {
public:
  Input<quarter> one;
  Vector<Input<quarter>> each;
  Vector<Input<Vector<quarter>>> rows;
  Output<Vector<unsigned char>> out;
  bool compute() {
    out[0] = one->bits, out[1] = each[1]->bits;
    for (unsigned r = 0; r < rows.size(); r++) out[2 + r] = rows[r][0].bits;
    out[4] = *rows.getMetadata();
    return true;
  }
};
)");
    graph.addCodelets(code);
    const Tensor coarse = createConstantMetadataTensor(graph, QuarterMetadata::Format::F152, 3);
    const unsigned char codes[] = { 0x11, 0x22, 0x33, 0x44 };
    Tensor all = graph.addVariable(QUARTER, coarse, { 4 }, "all"), other = graph.addVariable(QUARTER, { 2 }, "x");
    Tensor bytes = graph.addVariable(UNSIGNED_CHAR, { 2 }, "bytes");
    /* metadata of the same value; quarters that have none are for fields that ask for none */
    Tensor alike = graph.addVariable(QUARTER, createConstantMetadataTensor(graph, QuarterMetadata::Format::F152, 3),
                                     { 1 }, "alike");
    const Tensor plain = bytes.reinterpret(QUARTER);
    for (const Tensor &t : { all, other, bytes, coarse, alike }) graph.setTileMapping(t, 0);
    ComputeSet cs = graph.addComputeSet("cs");
    for (int way = 0; way < 2; way++) {
        VertexRef v = graph.addVertex(cs, "Rows");
        graph.setTileMapping(v, 0);
        graph.connect(v["one"], way ? plain[0] : all[0]);
        if (way) {
            graph.connect(v["each"], all.slice(0, 2));
            EXPECT_THROWS(poplar_error, graph.connect(v["rows"], { all.slice(2, 3), other.slice(0, 1) }));
            EXPECT_THROWS(poplar_error, graph.connect(v["rows"], { all.slice(2, 3), all.slice(0, 0) }));
            EXPECT_THROWS(poplar_error, graph.connect(v["rows"], { all.slice(2, 3), bytes }));
            EXPECT_THROWS(poplar_error, graph.connect(v["rows"], { plain, plain }));
            graph.connect(v["rows"], { all.slice(2, 3), alike });
        } else {
            graph.setFieldSize(v["each"], 2);
            graph.setFieldSize(v["rows"], 2);
            for (unsigned i = 0; i < 2; i++) graph.connect(v["each"][i], all[i]);
            EXPECT_THROWS(poplar_error, graph.connect(v["rows"][2], other)); /* is not remembered */
            graph.connect(v["rows"][1], alike);
            EXPECT_THROWS(poplar_error, graph.connect(v["rows"][0], other));
            graph.connect(v["rows"][0], all.slice(2, 3));
        }
        Tensor mine = graph.addVariable(UNSIGNED_CHAR, { 5 }, "mine");
        graph.setTileMapping(mine, 0);
        graph.connect(v["out"], mine);
        graph.createHostRead(way ? "list" : "one by one", mine);
    }
    graph.createHostWrite("all", all);
    graph.createHostWrite("alike", alike);
    graph.createHostWrite("bytes", bytes);
    Engine engine(graph, program::Execute(cs));
    engine.load(device);
    engine.writeTensor("all", codes, codes + 4);
    engine.writeTensor("alike", codes + 3, codes + 4);
    engine.writeTensor("bytes", codes, codes + 2);
    engine.run();
    for (const char *way : { "list", "one by one" }) {
        unsigned char seen[5];
        engine.readTensor(way, seen, seen + 5);
        EXPECT(std::equal(codes, codes + 4, seen) &&
               seen[4] == QuarterMetadata(QuarterMetadata::Format::F152, 3).getBinary());
    }
}

/* As codelets convert: all codes and metadata, against conversions on the host; numbers between two neighbours. */
static void codeletQuarters()
{
    for (unsigned packed = 0; packed < 256; packed++) {
        if (packed & 0x40) continue; /* not of a metadata element */
        const unsigned char byte = static_cast<unsigned char>(packed);
        const quarter_metadata m = unpackMetadata(&byte);
        const QuarterMetadata host = QuarterMetadata::fromBinary(byte);
        EXPECT((m.fmt == quarter_metadata::format::f152) == (host.getFormat() == QuarterMetadata::Format::F152));
        EXPECT(m.scale == host.getScale());
        for (unsigned code = 0; code < 256; code++) {
            const unsigned char q = static_cast<unsigned char>(code);
            float value, nearby[5];
            convertFromDeviceType(QUARTER, host, &q, ArrayRef<float>(&value, 1));
            const float own = toFloat(quarter{ q }, m);
            EXPECT(std::isnan(value) ? std::isnan(own) : own == value);
            EXPECT(toQuarter(own, m).bits == q);
            for (int i = 0; i < 5; i++) nearby[i] = own * (1 + static_cast<float>(i) / 32);
            unsigned char there[5];
            convertToDeviceType(QUARTER, host, ArrayRef<float>(nearby, 5), there);
            for (int i = 0; i < 5; i++) EXPECT(toQuarter(nearby[i], m).bits == there[i]);
        }
        const float large = std::ldexp(1.0f, 100), least = std::ldexp(1.0f, -140);
        EXPECT(toQuarter(large, m).bits == 0x7f && toQuarter(-large, m).bits == 0xff);
        EXPECT(toQuarter(-large, m, true).bits == 0x80 && toQuarter(INFINITY, m).bits == 0x7f);
        EXPECT(toQuarter(least, m).bits == 0 && toQuarter(-0.0f, m).bits == 0 && toQuarter(NAN, m).bits == 0x80);
    }
}

/* gccs: by counting. */
struct Pair {
    int a;
    std::string b;
};
GC_DEPRECATED void old();
static void helpers()
{
    for (unsigned n = 0; n < 40; n++) {
        unsigned log = 0, triangle = 0;
        while ((1u << log) < n) log++;
        for (unsigned i = 1; i <= n; i++) triangle += i;
        EXPECT(gccs::ceilLog2(n) == log && gccs::nthTriangular(n) == triangle && gccs::ceildiv0(n, 0u) == 0);
        for (unsigned d = 1; d < 9; d++) {
            unsigned low = 0, high = 0;
            while ((low + 1) * d <= n) low++;
            while (high * d < n) high++;
            EXPECT(gccs::floordiv(n, d) == low && gccs::ceildiv(n, d) == high && gccs::ceildiv0(n, d) == high);
            EXPECT(gccs::alignPrev(n, d) == low * d && gccs::alignNext(n, d) == high * d);
            const auto parts = gccs::balancedPartition(n, d);
            EXPECT(parts.first + parts.second == d && parts.first * high + parts.second * low == n);
        }
    }
    EXPECT(gccs::ceildiv(std::size_t(1) << 40, 3u) == ((std::size_t(1) << 40) + 2) / 3);
    const auto by = gccs::makeStructHelper(&Pair::a, &Pair::b);
    const Pair x = { 1, "x" }, y = { 1, "y" }, z = { 2, "a" };
    EXPECT(by.lt(x, y) && by.lt(y, z) && by.lt(x, z) && !by.lt(y, x) && !by.lt(z, y) && !by.lt(x, x));
    EXPECT(by.eq(x, x) && !by.eq(x, y) && !by.eq(x, z));
    const std::vector<int> v = { 1, 2 };
    gccs::ArrayRef<int> reference(v);
    EXPECT(reference.size() == 2 && reference[1] == 2);
}

int main()
{
    quarters();
    quarterTensors();
    quarterFields(Device::createCPUDevice());
    quarterFields(IPUModel().createDevice());
    quarterFields(Device::createSimulatorDevice(Target::createIPUTarget(1, 4, "ipu2")));
    quarterRows(Device::createCPUDevice());
    quarterRows(Device::createSimulatorDevice(Target::createIPUTarget(1, 4, "ipu2")));
    references();
    intervals();
    types();
    options();
    names();
    trees();
    helpers();
    codeletQuarters();
    return failures;
}
