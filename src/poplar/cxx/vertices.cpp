// SPDX-License-Identifier: MIT
/* Graphs: codelets, vertices and their fields, estimators. */
#include "core.hpp"

#include <fstream>
#include <poplar/VertexIntrospector.hpp>
#include <sstream>

namespace poplar {

using core::deviceType;
using core::raise;

static const char *orNull(const std::string &s)
{
    return s.empty() ? nullptr : s.c_str();
}
static std::string str(StringRef s)
{
    return s.cloneAsString();
}
/* The field's name for a C call; `indexed` holds it when it has an index. */
static const char *nameOf(const FieldRef &field, std::string &indexed)
{
    if (!field.isIndexed()) return field.getField().c_str();
    indexed = field.getName();
    return indexed.c_str();
}

/* Is code compiled for the target of that name one for this graph? Models run the code of the CPU. */
static bool isMeant(const Target &target, StringRef name)
{
    if (name.empty() || name == target.getTargetArchString() || name == "cpu") return true;
    std::string all = std::string(",") + tw_popc_targets() + ",";
    if (all.find("," + name + ",") == std::string::npos)
        raise(TW_E_INVALID_ARGUMENT, "Graph::addCodelets",
              "there is no target '" + name + "': one of " + tw_popc_targets());
    return false;
}

/* Code of a file or, without a name, of a stream. */
bool Graph::addText(const std::string &text, const std::string &name, const std::string &flags,
                    CodeletFileType type)
{
    const char *call = "Graph::addCodelets", *language = type == CodeletFileType::CSource ? "c" : "c++";
    if (type != CodeletFileType::CSource && type != CodeletFileType::CppSource && type != CodeletFileType::Auto)
        raise(TW_E_INVALID_ARGUMENT, call, "codelets from a stream are CodeletFileType::CppSource or CSource");
    get().call(call, [&](tw_graph *g) {
        tw_graph_add_codelets_source(g, text.c_str(), language, orNull(name), orNull(flags));
    });
    return true;
}

bool Graph::addCodelets(StringRef file, CodeletFileType type, StringRef flags, StringRef target)
{
    if (!isMeant(getTarget(), target)) return true;
    if (type == CodeletFileType::CSource || type == CodeletFileType::CppSource) { /* whatever its name ends in */
        std::ifstream in(str(file));
        std::stringstream text;
        if (in && text << in.rdbuf()) return addText(text.str(), str(file), str(flags), type);
    }
    std::string name = str(file), options = str(flags);
    get().call("Graph::addCodelets", [&](tw_graph *g) { tw_graph_add_codelets(g, name.c_str(), orNull(options)); });
    return true;
}
/* What the compiler says of code that it refuses goes to `out` too. */
template <class F> static bool withOutput(std::ostream &out, F add)
{
    try {
        return add();
    } catch (const graph_program_compilation_error &e) {
        out << e.what() << '\n';
        throw;
    }
}
bool Graph::addCodelets(StringRef file, CodeletFileType type, StringRef flags, std::ostream &out, StringRef target)
{
    return withOutput(out, [&] { return addCodelets(file, type, flags, target); });
}
bool Graph::addCodelets(std::stringstream &source, StringRef flags, CodeletFileType type, StringRef target)
{
    if (!isMeant(getTarget(), target)) return true;
    return addText(source.str(), "", str(flags), type);
}
bool Graph::addCodelets(std::stringstream &source, StringRef flags, std::ostream &out, CodeletFileType type,
                        StringRef target)
{
    return withOutput(out, [&] { return addCodelets(source, flags, type, target); });
}
bool Graph::addCodelets(ArrayRef<std::string> files, StringRef flags, StringRef target)
{
    for (const std::string &file : files) addCodelets(StringRef(file), CodeletFileType::Auto, flags, target);
    return true;
}
bool Graph::hasCodelet(StringRef name) const
{
    return get().call("Graph::hasCodelet", [&](tw_graph *g) { return tw_graph_has_codelet(g, str(name).c_str()); });
}

ComputeSet Graph::addComputeSet(const DebugContext &dc)
{
    std::string name = dc.getPathName();
    return ComputeSet(
        get()
            .call("Graph::addComputeSet", [&](tw_graph *g) { return tw_graph_add_compute_set(g, name.c_str()); })
            .id);
}
VertexRef Graph::addVertex(ComputeSet cs, StringRef type)
{
    return VertexRef(get()
                         .call("Graph::addVertex",
                               [&](tw_graph *g) {
                                   return tw_graph_add_vertex(g, { cs.getId() }, str(type).c_str(), TW_UNMAPPED);
                               })
                         .id);
}
VertexRef Graph::addVertex(ComputeSet cs, StringRef type, ArrayRef<ConnectionDesc> connections)
{
    VertexRef v = addVertex(cs, type);
    for (const ConnectionDesc &c : connections) {
        if (c.isConstant)
            connectConstant(v[c.field], c.constant);
        else if (c.isList)
            connect(v[c.field], ArrayRef<Tensor>(c.tensors));
        else
            connect(v[c.field], c.tensors[0]);
    }
    return v;
}

/* The metadata that a field of quarters is connected to besides its rows, of which the tensor is one or has all. Not
 * valid: the field has no quarters or no room for metadata, as a scalar has none. */
static Tensor metadataFor(core::GraphHolder &graph, const FieldRef &field, const Tensor &t)
{
    if (t.elementType() != QUARTER) return Tensor();
    const std::string name = field.getField() + ".metadata";
    const bool kept = graph.call("Graph::connect", [&](tw_graph *g) {
        return tw_graph_has_field(g, { field.getVertex().getId() }, name.c_str());
    });
    if (!kept) return Tensor();
    const Tensor metadata = t.getMetadata();
    if (!metadata.valid())
        throw poplar_error("Graph::connect: a tensor of " + QUARTER.toString() + " without metadata");
    return metadata;
}
static core::MetadataKey keyOf(const Tensor &metadata)
{
    return core::metadataKey(*metadata.get().graph, metadata.get().handle());
}
static void sameMetadata(const FieldRef &field, bool same)
{
    if (!same) throw poplar_error("Graph::connect: " + field.getName() + ": rows of one field have one metadata");
}
static void connectMetadata(tw_graph *g, const FieldRef &field, const Tensor &metadata)
{
    const std::string name = field.getField() + ".metadata";
    tw_graph_connect(g, { field.getVertex().getId() }, name.c_str(), metadata.get().handle());
}

void Graph::connect(FieldRef field, const Tensor &t)
{
    std::string indexed;
    const Tensor metadata = metadataFor(get(), field, t);
    core::MetadataKey row;
    bool first = metadata.valid();
    const auto key = std::make_pair(field.getVertex().getId(), field.getField());
    if (first && field.isIndexed()) { /* the first row that is connected brings the metadata */
        row = keyOf(metadata);
        const auto known = get().rows->find(key);
        first = known == get().rows->end();
        sameMetadata(field, first || known->second == row);
    }
    get().call("Graph::connect", [&](tw_graph *g) {
        tw_graph_connect(g, { field.getVertex().getId() }, nameOf(field, indexed), t.get().handle());
        if (first) connectMetadata(g, field, metadata);
    });
    if (first && field.isIndexed()) get().rows->emplace(key, row);
}
void Graph::connect(FieldRef field, ArrayRef<Tensor> tensors)
{
    std::vector<tw_tensor> handles;
    for (const Tensor &t : tensors) handles.push_back(t.get().handle());
    const Tensor metadata = tensors.empty() ? Tensor() : metadataFor(get(), field, tensors[0]);
    if (metadata.valid())
        for (const Tensor &t : tensors) {
            const Tensor own = t.getMetadata();
            sameMetadata(field, own.valid() && keyOf(own) == keyOf(metadata));
        }
    get().call("Graph::connect", [&](tw_graph *g) {
        tw_graph_connect_list(g, { field.getVertex().getId() }, field.getName().c_str(), handles.size(),
                              handles.data());
        if (metadata.valid()) connectMetadata(g, field, metadata);
    });
}
void Graph::connectConstant(FieldRef field, double value)
{
    get().call("Graph::connect", [&](tw_graph *g) {
        tw_graph_connect_constant(g, { field.getVertex().getId() }, field.getName().c_str(), value);
    });
}
void Graph::setFieldSize(FieldRef field, std::size_t size)
{
    get().call("Graph::setFieldSize", [&](tw_graph *g) {
        tw_graph_set_field_size(g, { field.getVertex().getId() }, field.getName().c_str(), size);
    });
}
std::size_t Graph::getFieldSize(FieldRef field) const
{
    return get().call("Graph::getFieldSize", [&](tw_graph *g) {
        return tw_graph_get_field_size(g, { field.getVertex().getId() }, field.getName().c_str());
    });
}
void Graph::setFieldReal(FieldRef field, double value)
{
    std::string indexed;
    get().call("Graph::setInitialValue", [&](tw_graph *g) {
        tw_graph_set_field(g, { field.getVertex().getId() }, nameOf(field, indexed), value);
    });
}
void Graph::setFieldInteger(FieldRef field, std::int64_t value)
{
    std::string indexed;
    get().call("Graph::setInitialValue", [&](tw_graph *g) {
        tw_graph_set_field_int(g, { field.getVertex().getId() }, nameOf(field, indexed), value);
    });
}
void Graph::setFieldValues(FieldRef field, const Type &type, std::size_t count, const void *values)
{
    tw_type t = deviceType(type, "Graph::setInitialValue");
    if (type == LONG) t = TW_I64; /* the host's long has 8 bytes */
    if (type == UNSIGNED_LONG) t = TW_U64;
    get().call("Graph::setInitialValue", [&](tw_graph *g) {
        tw_graph_set_field_values(g, { field.getVertex().getId() }, field.getName().c_str(), t, count, values);
    });
}

/* --- values that depend on addresses --- */

std::exception_ptr &core::thrownByCallback()
{
    static thread_local std::exception_ptr thrown;
    return thrown;
}

struct core::LateValue {
    std::function<Graph::Number(const VertexEdgeInfo &)> function;

    /* Exceptions wait until C code has returned. */
    static bool call(const tw_edge_place *edges, std::size_t count, tw_field_number *value, void *user)
    {
        try {
            VertexEdgeInfo info;
            for (std::size_t i = 0; i < count; i++)
                info.storage[edges[i].field].push_back(
                    { edges[i].offset, static_cast<std::uint32_t>(edges[i].bytes) });
            const Graph::Number n = static_cast<LateValue *>(user)->function(info);
            *value = { n.isInteger, n.integer, n.real };
            return true;
        } catch (...) {
            thrownByCallback() = std::current_exception();
            return false;
        }
    }
    static void destroy(void *user) { delete static_cast<LateValue *>(user); }
};

void Graph::setLateValue(FieldRef field, std::function<Number(const VertexEdgeInfo &)> callback)
{
    std::string indexed;
    std::unique_ptr<core::LateValue> value(new core::LateValue{ std::move(callback) });
    get().call("Graph::setInitialValue", [&](tw_graph *g) {
        if (tw_graph_set_field_late(g, { field.getVertex().getId() }, nameOf(field, indexed), core::LateValue::call,
                                    value.get(), core::LateValue::destroy))
            (void)value.release(); /* the graph has it */
    });
}
std::size_t Graph::getMaxFieldDim(StringRef type, StringRef field, unsigned dimension) const
{
    return get().call("Graph::getMaxFieldDim", [&](tw_graph *g) {
        return tw_graph_max_field_dim(g, str(type).c_str(), str(field).c_str(), dimension);
    });
}
double Graph::getMaxVertexFieldValue(StringRef type, StringRef field) const
{
    return get().call("Graph::getMaxVertexFieldValue", [&](tw_graph *g) {
        return tw_graph_max_field_value(g, str(type).c_str(), str(field).c_str());
    });
}
void Graph::setPerfEstimate(VertexRef v, std::uint64_t cycles, std::uint64_t flops)
{
    get().call("Graph::setPerfEstimate",
               [=](tw_graph *g) { tw_graph_set_perf_estimate(g, { v.getId() }, cycles, flops); });
}
unsigned Graph::getNumVertices() const
{
    return static_cast<unsigned>(get().call("Graph::getNumVertices", tw_graph_vertex_count));
}

/* --- estimators --- */

namespace {
struct Estimator {
    PerfEstimateFunc function;
};
} // namespace
static tw_perf_estimate estimate(const tw_vertex_info *vertex, const tw_target *target, void *user)
{
    try { /* exceptions wait until C code has returned, the first one of them is thrown */
        VertexPerfEstimate e = static_cast<Estimator *>(user)->function(VertexIntrospector(vertex), Target(target));
        return { e.cycles, e.flops };
    } catch (...) {
        if (!core::thrownByCallback()) core::thrownByCallback() = std::current_exception();
        return { 0, 0 };
    }
}
static void destroyEstimator(void *user)
{
    delete static_cast<Estimator *>(user);
}
void Graph::registerPerfEstimator(StringRef type, PerfEstimateFunc f)
{
    get().call("Graph::registerPerfEstimator", [&](tw_graph *g) {
        tw_graph_register_perf_estimator(g, str(type).c_str(), estimate, new Estimator{ std::move(f) },
                                         destroyEstimator);
    });
}

/* The names of layouts as the C API has them, in the order of the enums. */
template <class E>
static E layoutOf(const tw_vertex_info *v, const std::string &field, unsigned dim, ArrayRef<const char *> names)
{
    StringRef name = tw_vertex_info_layout(v, field.c_str(), dim);
    for (std::size_t i = 0; i < names.size(); i++)
        if (name == names[i]) return static_cast<E>(i);
    return static_cast<E>(0);
}
layout::Vector FieldData::getProfilerVectorLayout(std::size_t level) const
{
    static const char *const names[] = { "NotAVector",  "Span",        "ShortSpan",   "OnePtr",
                                         "ScaledPtr32", "ScaledPtr64", "ScaledPtr128" };
    return layoutOf<layout::Vector>(vertex, field, static_cast<unsigned>(level), ArrayRef<const char *>(names, 7));
}
layout::VectorList FieldData::getProfilerVectorListLayout() const
{
    static const char *const names[] = { "NotAVector",   "OnePtr", "ScaledPtr32",   "ScaledPtr64",
                                         "ScaledPtr128", "DeltaN", "DeltaNElements" };
    return layoutOf<layout::VectorList>(vertex, field, 0, ArrayRef<const char *>(names, 7));
}
std::size_t FieldData::size() const
{
    return tw_vertex_info_field_size(vertex, field.c_str());
}
std::size_t FieldData::getSizeAtIndex(std::size_t i) const
{
    return tw_vertex_info_sub_size(vertex, field.c_str(), i);
}
unsigned FieldData::rank() const
{
    if (getProfilerVectorListLayout() != layout::VectorList::NotAVector) return 2;
    for (unsigned r = 2; r > 0; r--)
        if (getProfilerVectorLayout(r - 1) != layout::Vector::NotAVector) return r;
    return 0;
}
std::vector<double> FieldData::values(std::size_t sub) const
{
    std::vector<double> result(64);
    const std::size_t count = tw_vertex_info_values(vertex, field.c_str(), sub, result.data(), result.size());
    const bool more = count > result.size();
    result.resize(count);
    if (more) tw_vertex_info_values(vertex, field.c_str(), sub, result.data(), count);
    return result;
}

} // namespace poplar
