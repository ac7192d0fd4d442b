/* Graphs: calls of the C API under the graph's lock, mistakes as exceptions. */
#include "core.hpp"

#include <poplar/VertexIntrospector.hpp>

namespace poplar {

using core::convert;
using core::deviceType;
using core::GraphHolder;
using core::makeTensor;
using core::raise;

static const char *orNull(const std::string &s)
{
    return s.empty() ? nullptr : s.c_str();
}
static std::string str(StringRef s)
{
    return s.cloneAsString();
}

GraphHolder &Graph::get() const
{
    if (!holder) throw poplar_error("Graph: the graph is not valid");
    return *holder;
}

static std::shared_ptr<GraphHolder> newGraph(const Target &target, unsigned factor)
{
    if (!target.get()) raise(TW_E_MACHINE_MODEL, "Graph", "the target is not valid");
    tw_graph *g = factor == 1 ? tw_graph_new(target.get()) : tw_graph_new_replicated(target.get(), factor);
    auto holder = std::make_shared<GraphHolder>(g, target, std::make_shared<std::recursive_mutex>());
    holder->call("Graph", [](tw_graph *) {}); /* throws what the graph was made with */
    return holder;
}

Graph::Graph(const Target &target, replication_factor factor) : holder(newGraph(target, factor.value)) {}
Graph::Graph(const Device &device, replication_factor factor) : Graph(device.getTarget(), factor) {}

const Target &Graph::getTarget() const
{
    return get().target;
}

/* --- variables and constants --- */

Tensor Graph::addVariable(const Type &type, ArrayRef<std::size_t> shape, const DebugContext &dc)
{
    tw_type t = deviceType(type, "Graph::addVariable");
    std::string name = dc.getPathName();
    return makeTensor(holder,
                      get().call("Graph::addVariable",
                                 [&](tw_graph *g) {
                                     return tw_graph_add_variable(g, t, static_cast<unsigned>(shape.size()),
                                                                  shape.data(), orNull(name));
                                 }),
                      type);
}

Tensor Graph::addVariable(const Type &type, ArrayRef<std::size_t> shape, VariableMappingMethod mapping,
                          const DebugContext &dc)
{
    Tensor t = addVariable(type, shape, dc);
    if (mapping == VariableMappingMethod::LINEAR)
        get().call("Graph::addVariable", [&](tw_graph *g) { tw_graph_map_linearly(g, t.get().handle); });
    return t;
}

static std::size_t product(ArrayRef<std::size_t> shape)
{
    std::size_t n = 1;
    for (std::size_t d : shape)
        if (__builtin_mul_overflow(n, d, &n))
            raise(TW_E_OVERFLOW, "Graph", "the shape has more than 2^64 elements");
    return n;
}

void Graph::checkCount(ArrayRef<std::size_t> shape, std::size_t count)
{
    if (product(shape) != count)
        raise(TW_E_TENSOR_CREATION, "Graph",
              std::to_string(count) + " values for " + std::to_string(product(shape)) + " elements");
}

Tensor Graph::addConstant(const Type &type, ArrayRef<std::size_t> shape, const void *values,
                          const TypeTraits &traits, bool broadcast, const DebugContext &dc)
{
    std::vector<unsigned char> data =
        convert(type, broadcast ? 1 : product(shape), values, traits, "Graph::addConstant");
    std::string name = dc.getPathName();
    return makeTensor(holder,
                      get().call("Graph::addConstant",
                                 [&](tw_graph *g) {
                                     return tw_graph_add_constant(g, deviceType(type, "Graph::addConstant"),
                                                                  static_cast<unsigned>(shape.size()), shape.data(),
                                                                  data.data(), broadcast, orNull(name));
                                 }),
                      type);
}

Tensor Graph::addConstantHalf(const Type &type, ArrayRef<std::size_t> shape, std::uint16_t bits,
                              const DebugContext &dc)
{
    float value = tw_f16_to_f32(bits);
    return addConstant(type, shape, static_cast<const void *>(&value), TypeTraits::make<float>(), true, dc);
}
Tensor Graph::addConstantHalf(const Type &type, ArrayRef<std::size_t> shape, const std::uint16_t *bits,
                              const DebugContext &dc)
{
    std::vector<float> values;
    for (std::size_t i = 0, n = product(shape); i < n; i++) values.push_back(tw_f16_to_f32(bits[i]));
    return addConstant(type, shape, static_cast<const void *>(values.data()), TypeTraits::make<float>(), false, dc);
}

void Graph::setInitialValue(const Tensor &t, const void *values, const TypeTraits &traits, bool broadcast)
{
    std::vector<unsigned char> data =
        convert(t.elementType(), broadcast ? 1 : t.numElements(), values, traits, "Graph::setInitialValue");
    get().call("Graph::setInitialValue",
               [&](tw_graph *g) { tw_graph_set_initial_value(g, t.get().handle, data.data(), broadcast); });
}

Tensor Graph::clone(const Type &type, const Tensor &t, const DebugContext &dc, TensorCloneMethod method)
{
    std::string name = dc.getPathName();
    return makeTensor(holder,
                      get().call("Graph::clone",
                                 [&](tw_graph *g) {
                                     return tw_graph_clone(g, deviceType(type, "Graph::clone"), t.get().handle,
                                                           static_cast<tw_clone_method>(method), orNull(name));
                                 }),
                      type);
}
Tensor Graph::clone(const Tensor &t, const DebugContext &dc, TensorCloneMethod method)
{
    return clone(t.elementType(), t, dc, method);
}

/* BY_TILE_CONTIGUOUS_REGION is a matter of places: the clones are views of variables of their own either way. */
Tensor Graph::cloneN(const Type &type, const Tensor &t, std::size_t n, const DebugContext &dc,
                     TensorCloneMethod method, TensorCloneDuplicationMethod)
{
    if (n == 0) {
        std::vector<std::size_t> none = t.shape();
        none.insert(none.begin(), 0);
        return addVariable(type, none, dc);
    }
    std::vector<Tensor> all;
    for (std::size_t i = 0; i < n; i++) all.push_back(clone(type, t, dc, method).expand({ 0 }));
    return concat(all);
}
Tensor Graph::cloneN(const Tensor &t, std::size_t n, const DebugContext &dc, TensorCloneMethod method,
                     TensorCloneDuplicationMethod where)
{
    return cloneN(t.elementType(), t, n, dc, method, where);
}

/* --- tile mapping --- */

void Graph::setTileMapping(VertexRef v, unsigned tile)
{
    get().call("Graph::setTileMapping", [=](tw_graph *g) { tw_graph_map_vertex(g, { v.getId() }, tile); });
}
void Graph::setTileMapping(const Tensor &t, unsigned tile)
{
    get().call("Graph::setTileMapping", [&](tw_graph *g) { tw_graph_map(g, t.get().handle, tile); });
}

void Graph::setTileMapping(const Tensor &t, const TileToTensorMapping &mapping)
{
    std::size_t tiles = getTarget().getNumTiles(), n = t.numElements();
    if (mapping.size() > tiles)
        raise(TW_E_TILE_MAPPING, "Graph::setTileMapping",
              "a mapping of " + std::to_string(mapping.size()) + " tiles for " + std::to_string(tiles));
    for (const auto &list : mapping)
        for (const Interval &i : list)
            if (i.begin() > i.end() || i.end() > n)
                raise(TW_E_TILE_MAPPING, "Graph::setTileMapping",
                      "elements " + std::to_string(i.begin()) + " to " + std::to_string(i.end()) +
                          " of a tensor of " + std::to_string(n));
    get().call("Graph::setTileMapping", [&](tw_graph *g) {
        for (std::size_t tile = 0; tile < mapping.size(); tile++)
            for (const Interval &i : mapping[tile])
                if (i.size())
                    tw_graph_map_range(g, t.get().handle, i.begin(), i.size(), static_cast<unsigned>(tile));
    });
}

Graph::TileToTensorMapping Graph::mappingOf(const Tensor &t, bool *isComplete) const
{
    TileToTensorMapping result(getTarget().getNumTiles());
    get().call("Graph::getTileMapping", [&](tw_graph *g) {
        tw_tensor handle = t.get().handle;
        std::vector<tw_mapped_interval> list(tw_graph_get_mapping(g, handle, nullptr, 0));
        tw_graph_get_mapping(g, handle, list.data(), list.size());
        *isComplete = tw_graph_mapping_complete(g, handle);
        for (const tw_mapped_interval &m : list)
            if (m.tile < result.size()) result[m.tile].emplace_back(m.interval.begin, m.interval.end);
    });
    return result;
}
Graph::TileToTensorMapping Graph::getTileMapping(const Tensor &t, bool requireComplete, bool allowExternal) const
{
    bool complete;
    TileToTensorMapping result = mappingOf(t, &complete);
    if (requireComplete && !allowExternal && !complete)
        raise(TW_E_TILE_MAPPING, "Graph::getTileMapping", "elements of " + t.getDebugStr() + " are on no tile");
    return result;
}
Graph::TileToTensorMapping Graph::getTileMapping(const Tensor &t, bool *isComplete, bool) const
{
    bool complete;
    TileToTensorMapping result = mappingOf(t, &complete);
    if (isComplete) *isComplete = complete;
    return result;
}

/* --- codelets and vertices --- */

bool Graph::addCodelets(StringRef file, CodeletFileType, StringRef flags, StringRef)
{
    std::string name = str(file), options = str(flags);
    get().call("Graph::addCodelets", [&](tw_graph *g) { tw_graph_add_codelets(g, name.c_str(), orNull(options)); });
    return true;
}
/* What the compiler says of code that it refuses goes to `out` too. */
bool Graph::addCodelets(StringRef file, CodeletFileType type, StringRef flags, std::ostream &out, StringRef target)
{
    try {
        return addCodelets(file, type, flags, target);
    } catch (const graph_program_compilation_error &e) {
        out << e.what() << '\n';
        throw;
    }
}
bool Graph::addCodelets(std::stringstream &source, StringRef flags, CodeletFileType type, StringRef)
{
    std::string text = source.str(), options = str(flags);
    const char *language = type == CodeletFileType::CSource ? "c" : "c++";
    get().call("Graph::addCodelets", [&](tw_graph *g) {
        tw_graph_add_codelets_source(g, text.c_str(), language, nullptr, orNull(options));
    });
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

void Graph::connect(FieldRef field, const Tensor &t)
{
    get().call("Graph::connect", [&](tw_graph *g) {
        tw_graph_connect(g, { field.getVertex().getId() }, field.getName().c_str(), t.get().handle);
    });
}
void Graph::connect(FieldRef field, ArrayRef<Tensor> tensors)
{
    std::vector<tw_tensor> handles;
    for (const Tensor &t : tensors) handles.push_back(t.get().handle);
    get().call("Graph::connect", [&](tw_graph *g) {
        tw_graph_connect_list(g, { field.getVertex().getId() }, field.getName().c_str(), handles.size(),
                              handles.data());
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
    get().call("Graph::setInitialValue", [&](tw_graph *g) {
        tw_graph_set_field(g, { field.getVertex().getId() }, field.getName().c_str(), value);
    });
}
void Graph::setFieldInteger(FieldRef field, std::int64_t value)
{
    get().call("Graph::setInitialValue", [&](tw_graph *g) {
        tw_graph_set_field_int(g, { field.getVertex().getId() }, field.getName().c_str(), value);
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
    VertexPerfEstimate e = static_cast<Estimator *>(user)->function(VertexIntrospector(vertex), Target(target));
    return { e.cycles, e.flops };
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
    if (StringRef(tw_vertex_info_layout(vertex, field.c_str(), 1)) != StringRef("")) return 2;
    return StringRef(tw_vertex_info_layout(vertex, field.c_str(), 0)) != StringRef("") ? 1 : 0;
}
double FieldData::value(std::size_t i) const
{
    return tw_vertex_info_value(vertex, field.c_str(), i);
}

/* --- host access and streams --- */

void Graph::createHostWrite(StringRef handle, const Tensor &t, bool)
{
    get().call("Graph::createHostWrite",
               [&](tw_graph *g) { tw_graph_create_host_write(g, str(handle).c_str(), t.get().handle); });
}
void Graph::createHostRead(StringRef handle, const Tensor &t, bool)
{
    get().call("Graph::createHostRead",
               [&](tw_graph *g) { tw_graph_create_host_read(g, str(handle).c_str(), t.get().handle); });
}

static std::string commaList(const OptionFlags &options)
{
    std::string text;
    for (const auto &o : options) text += (text.empty() ? "" : ",") + o.first + "=" + o.second;
    return text;
}

DataStream Graph::addHostToDeviceFIFO(StringRef handle, const Type &type, std::size_t n, ReplicatedStreamMode mode,
                                      const OptionFlags &options)
{
    const char *call = "Graph::addHostToDeviceFIFO";
    std::string list = commaList(options);
    tw_stream s = get().call(call, [&](tw_graph *g) {
        return tw_graph_add_host_to_device_fifo(g, str(handle).c_str(), deviceType(type, call), n,
                                                static_cast<tw_replicated_stream_mode>(mode), orNull(list));
    });
    return DataStream(s.id, handle, DataStreamType::HostToDeviceFIFO, type, n, getReplicationFactor(), mode);
}
DataStream Graph::addDeviceToHostFIFO(StringRef handle, const Type &type, std::size_t n, const OptionFlags &options)
{
    const char *call = "Graph::addDeviceToHostFIFO";
    std::string list = commaList(options);
    tw_stream s = get().call(call, [&](tw_graph *g) {
        return tw_graph_add_device_to_host_fifo(g, str(handle).c_str(), deviceType(type, call), n, orNull(list));
    });
    return DataStream(s.id, handle, DataStreamType::DeviceToHostFIFO, type, n, getReplicationFactor(),
                      ReplicatedStreamMode::REPLICATE);
}
RemoteBuffer Graph::addRemoteBuffer(StringRef handle, const Type &type, std::size_t n, std::size_t repeats,
                                    bool rearrange, bool optimise)
{
    const char *call = "Graph::addRemoteBuffer";
    tw_remote_buffer b = get().call(call, [&](tw_graph *g) {
        return tw_graph_add_remote_buffer(g, str(handle).c_str(), deviceType(type, call), n, repeats, rearrange,
                                          optimise);
    });
    return RemoteBuffer(b.id, handle, type, n, repeats);
}

/* --- functions, virtual and replicated graphs --- */

Function Graph::addFunction(const program::Program &body)
{
    core::Lowering lowering(get());
    tw_program p = lowering.lower(body);
    return Function(
        get().call("Graph::addFunction", [p](tw_graph *g) { return tw_graph_add_function(g, p, nullptr); }).id);
}

/* A view of a graph: its own target, the same lock. */
static std::shared_ptr<GraphHolder> viewOf(GraphHolder &of, tw_graph *view)
{
    return std::make_shared<GraphHolder>(view, Target(tw_graph_target(view)), of.lock);
}
Graph Graph::createVirtualGraph(unsigned lower, unsigned upper)
{
    return Graph(viewOf(get(), get().call("Graph::createVirtualGraph",
                                          [=](tw_graph *g) { return tw_graph_virtual_range(g, lower, upper); })));
}
Graph Graph::createVirtualGraph(unsigned tilesPerIPU)
{
    return Graph(viewOf(get(), get().call("Graph::createVirtualGraph",
                                          [=](tw_graph *g) { return tw_graph_virtual_first(g, tilesPerIPU); })));
}
Graph Graph::createVirtualGraph(const std::vector<unsigned> &tiles)
{
    return Graph(viewOf(get(), get().call("Graph::createVirtualGraph", [&](tw_graph *g) {
        return tw_graph_virtual_tiles(g, static_cast<unsigned>(tiles.size()), tiles.data());
    })));
}
Graph Graph::createReplicatedGraph(unsigned factor)
{
    return Graph(viewOf(get(), get().call("Graph::createReplicatedGraph",
                                          [=](tw_graph *g) { return tw_graph_replicated(g, factor); })));
}
/* The C graph of the whole is borrowed there: a range of all tiles is a view of it that can be owned. */
Graph Graph::getTopLevelGraph()
{
    return Graph(viewOf(get(), get().call("Graph::getTopLevelGraph", [](tw_graph *g) {
        tw_graph *top = tw_graph_top_level(g);
        return tw_graph_virtual_range(top, 0, tw_target_tiles(tw_graph_target(top)));
    })));
}
unsigned Graph::getReplicationFactor() const
{
    return get().call("Graph::getReplicationFactor", tw_graph_replication_factor);
}
Tensor Graph::getNonReplicatedTensor(const Tensor &t) const
{
    return makeTensor(
        holder,
        get().call("Graph::getNonReplicatedTensor",
                   [&](tw_graph *g) { return tw_graph_get_non_replicated_tensor(g, t.get().handle); }),
        t.elementType());
}
Tensor Graph::addReplicationIndexConstant(const DebugContext &dc)
{
    std::string name = dc.getPathName();
    return makeTensor(
        holder,
        get().call("Graph::addReplicationIndexConstant",
                   [&](tw_graph *g) { return tw_graph_add_replication_index_constant(g, orNull(name)); }),
        UNSIGNED_INT);
}

void Graph::outputComputeGraph(std::ostream &out, ArrayRef<program::Program> programs) const
{
    for (const program::Program &p : programs) dumpProgram(*this, p, out);
}

StringRef versionString()
{
    return tw_version();
}
StringRef packageHash()
{
    return tw_version();
}

} // namespace poplar
