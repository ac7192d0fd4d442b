// SPDX-License-Identifier: MIT
/* Graphs: calls of the C API under the graph's lock, mistakes as exceptions. */
#include "core.hpp"

#include <poplar/TypeConversion.hpp>

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
    core::check(tw_status_of(g), "Graph");
    return std::make_shared<GraphHolder>(g, factor == 1 ? target : Target(tw_graph_target(g)));
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
    return addVariable(type, shape, VariableMappingMethod::NONE, dc);
}

static Tensor newVariable(const std::shared_ptr<GraphHolder> &holder, const Type &type, ArrayRef<std::size_t> shape,
                          const DebugContext &dc)
{
    tw_type t = deviceType(type, "Graph::addVariable");
    std::string name = dc.getPathName();
    return makeTensor(holder,
                      holder->call("Graph::addVariable",
                                   [&](tw_graph *g) {
                                       return tw_graph_add_variable(g, t, static_cast<unsigned>(shape.size()),
                                                                    shape.data(), orNull(name));
                                   }),
                      type);
}

/* n elements in blocks over the tiles in order; no two blocks differ by more than one element. */
static Graph::TileToTensorMapping evenly(std::size_t n, std::size_t tiles)
{
    Graph::TileToTensorMapping mapping(tiles);
    for (std::size_t tile = 0, at = 0; tile < tiles && at < n; tile++) {
        std::size_t end = at + (n - at + tiles - tile - 1) / (tiles - tile);
        mapping[tile].emplace_back(at, end);
        at = end;
    }
    return mapping;
}

Tensor Graph::addVariable(const Type &type, ArrayRef<std::size_t> shape, VariableMappingMethod mapping,
                          const DebugContext &dc)
{
    Tensor t = addPlainVariable(type, shape, mapping, dc);
    if (type == QUARTER) setMetadata(t, Tensor());
    return t;
}

Tensor Graph::addPlainVariable(const Type &type, ArrayRef<std::size_t> shape, VariableMappingMethod mapping,
                               const DebugContext &dc)
{
    get();
    Tensor t = newVariable(holder, type, shape, dc);
    if (mapping == VariableMappingMethod::LINEAR)
        setTileMapping(t, evenly(t.numElements(), getTarget().getNumTiles()));
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

void Graph::checkCount(const char *call, ArrayRef<std::size_t> shape, std::size_t count)
{
    if (product(shape) != count)
        raise(TW_E_TENSOR_CREATION, call,
              std::to_string(count) + " values for " + std::to_string(product(shape)) + " elements");
}

Tensor Graph::addConstant(const Type &type, ArrayRef<std::size_t> shape, const void *values,
                          const TypeTraits &traits, bool broadcast, const DebugContext &dc)
{
    return addConstantWith(Tensor(), type, shape, values, traits, broadcast, dc);
}

Tensor Graph::addConstantWith(const Tensor &metadata, const Type &type, ArrayRef<std::size_t> shape,
                              const void *values, const TypeTraits &traits, bool broadcast, const DebugContext &dc)
{
    const std::size_t count = broadcast ? 1 : product(shape);
    std::vector<unsigned char> data = convert(type, count, values, traits, "Graph::addConstant");
    unsigned char bits;
    if (type == QUARTER && metadata.valid() && metadata.getConstantValue(&bits))
        convertToDeviceType(type, QuarterMetadata::fromBinary(bits), values, traits, count, data.data());
    std::string name = dc.getPathName();
    Tensor made =
        makeTensor(holder,
                   get().call("Graph::addConstant",
                              [&](tw_graph *g) {
                                  return tw_graph_add_constant(g, deviceType(type, "Graph::addConstant"),
                                                               static_cast<unsigned>(shape.size()), shape.data(),
                                                               data.data(), broadcast, orNull(name));
                              }),
                   type);
    if (type == QUARTER) setMetadata(made, metadata);
    return made;
}

static void checkHalf(const Type &type)
{
    if (type != HALF)
        raise(TW_E_TYPE, "Graph::addConstantHalf", "bits of halves are of type half, not " + type.toString());
}
Tensor Graph::addConstantHalf(const Type &type, ArrayRef<std::size_t> shape, std::uint16_t bits,
                              const DebugContext &dc)
{
    checkHalf(type);
    float value = tw_f16_to_f32(bits);
    return addConstant(type, shape, static_cast<const void *>(&value), TypeTraits::make<float>(), true, dc);
}
Tensor Graph::addConstantHalf(const Type &type, ArrayRef<std::size_t> shape, const std::uint16_t *bits,
                              const DebugContext &dc)
{
    checkHalf(type);
    std::vector<float> values;
    for (std::size_t i = 0, n = bits ? product(shape) : 0; i < n; i++) values.push_back(tw_f16_to_f32(bits[i]));
    return addConstant(type, shape, static_cast<const void *>(values.data()), TypeTraits::make<float>(), false, dc);
}

void Graph::setInitialValue(const Tensor &t, const void *values, const TypeTraits &traits, bool broadcast)
{
    std::vector<unsigned char> data =
        convert(t.elementType(), broadcast ? 1 : t.numElements(), values, traits, "Graph::setInitialValue");
    get().call("Graph::setInitialValue",
               [&](tw_graph *g) { tw_graph_set_initial_value(g, t.get().handle(), data.data(), broadcast); });
}

/* Of a clone: the graph's own, or that of the replicas which the tensor has. */
static const std::shared_ptr<GraphHolder> &holderFor(const std::shared_ptr<GraphHolder> &holder, const Tensor &t)
{
    const std::shared_ptr<GraphHolder> &its = t.get().graph;
    return tw_graph_replication_factor(its->graph) > 1 ? its : holder;
}
Tensor Graph::clone(const Type &type, const Tensor &t, const DebugContext &dc, TensorCloneMethod method)
{
    const Tensor metadata = type == QUARTER ? t.getMetadata() : Tensor();
    Tensor made = clonePlain(type, t, dc, method);
    if (type == QUARTER) setMetadata(made, metadata);
    return made;
}
Tensor Graph::clonePlain(const Type &type, const Tensor &t, const DebugContext &dc, TensorCloneMethod method)
{
    std::string name = dc.getPathName();
    return makeTensor(holderFor(holder, t),
                      get().call("Graph::clone",
                                 [&](tw_graph *g) {
                                     return tw_graph_clone(g, deviceType(type, "Graph::clone"), t.get().handle(),
                                                           static_cast<tw_clone_method>(method), orNull(name));
                                 }),
                      type);
}
Tensor Graph::clone(const Tensor &t, const DebugContext &dc, TensorCloneMethod method)
{
    return clone(t.elementType(), t, dc, method);
}

Tensor Graph::cloneN(const Type &type, const Tensor &t, std::size_t n, const DebugContext &dc,
                     TensorCloneMethod method, TensorCloneDuplicationMethod where)
{
    const Tensor metadata = type == QUARTER ? t.getMetadata() : Tensor();
    std::string name = dc.getPathName();
    tw_clone_duplication duplication = where == TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION
                                           ? TW_CLONE_BY_OUTER_DIMENSION
                                           : TW_CLONE_BY_TILE_CONTIGUOUS_REGION;
    Tensor made = makeTensor(holderFor(holder, t),
                             get().call("Graph::cloneN",
                                        [&](tw_graph *g) {
                                            return tw_graph_clone_n(
                                                g, deviceType(type, "Graph::cloneN"), t.get().handle(), n,
                                                static_cast<tw_clone_method>(method), duplication, orNull(name));
                                        }),
                             type);
    if (type == QUARTER) setMetadata(made, metadata);
    return made;
}
Tensor Graph::cloneN(const Tensor &t, std::size_t n, const DebugContext &dc, TensorCloneMethod method,
                     TensorCloneDuplicationMethod where)
{
    return cloneN(t.elementType(), t, n, dc, method, where);
}

static float fromBits(std::uint16_t bits)
{
    return tw_f16_to_f32(bits);
}
static std::vector<float> fromBits(ArrayRef<std::uint16_t> bits)
{
    std::vector<float> values;
    for (std::uint16_t b : bits) values.push_back(fromBits(b));
    return values;
}
void Graph::setInitialValueHalf(const Tensor &t, std::uint16_t bits)
{
    setInitialValue(t, fromBits(bits));
}
void Graph::setInitialValueHalf(const Tensor &t, ArrayRef<std::uint16_t> bits)
{
    setInitialValue(t, ArrayRef<float>(fromBits(bits)));
}
void Graph::setInitialValueHalf(FieldRef field, std::uint16_t bits)
{
    setInitialValue(field, fromBits(bits));
}
void Graph::setInitialValueHalf(FieldRef field, ArrayRef<std::uint16_t> bits)
{
    setInitialValue(field, fromBits(bits));
}
/* --- tile mapping --- */

void Graph::setTileMapping(VertexRef v, unsigned tile)
{
    get().call("Graph::setTileMapping", [=](tw_graph *g) { tw_graph_map_vertex(g, { v.getId() }, tile); });
}
void Graph::setTileMapping(const Tensor &t, unsigned tile)
{
    get().call("Graph::setTileMapping", [&](tw_graph *g) { tw_graph_map(g, t.get().handle(), tile); });
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
                    tw_graph_map_range(g, t.get().handle(), i.begin(), i.size(), static_cast<unsigned>(tile));
    });
}

Graph::TileToTensorMapping Graph::mappingOf(const Tensor &t, bool *isComplete) const
{
    TileToTensorMapping result(getTarget().getNumTiles());
    get().call("Graph::getTileMapping", [&](tw_graph *g) {
        tw_tensor handle = t.get().handle();
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

Graph::TileToTensorMapping Graph::getVariableTileMapping(const Tensor &t) const
{
    std::vector<Tensor> parts;
    TileToTensorMapping result(getTarget().getNumTiles());
    std::size_t at = 0;
    for (const VariableInterval &v : t.getVarRegions()) { /* in the order of elements */
        Tensor part = t.flatten().slice(at, at + v.interval.size());
        TileToTensorMapping one = isConstant(v.var) ? TileToTensorMapping() : getTileMapping(part, false);
        for (std::size_t tile = 0; tile < one.size(); tile++)
            for (const Interval &i : one[tile]) {
                Interval moved(at + i.begin(), at + i.end());
                std::vector<Interval> &list = result[tile];
                if (!list.empty() && list.back().end() == moved.begin())
                    list.back() = Interval(list.back().begin(), moved.end());
                else
                    list.push_back(moved);
            }
        at += v.interval.size();
    }
    return result;
}

/* --- host access and streams --- */

HostFunction Graph::addHostFunction(StringRef handle, ArrayRef<HostFunctionArgument> inputs,
                                    ArrayRef<HostFunctionArgument> outputs)
{
    const char *call = "Graph::addHostFunction";
    std::vector<tw_host_argument> all;
    for (const ArrayRef<HostFunctionArgument> &side : { inputs, outputs })
        for (const HostFunctionArgument &a : side)
            all.push_back({ deviceType(std::get<0>(a), call), std::get<1>(a) });
    unsigned in = static_cast<unsigned>(inputs.size()), out = static_cast<unsigned>(outputs.size());
    return HostFunction(get()
                            .call(call,
                                  [&](tw_graph *g) {
                                      return tw_graph_add_host_function(g, str(handle).c_str(), in, all.data(), out,
                                                                        all.data() + in);
                                  })
                            .id);
}

void Graph::createHostWrite(StringRef handle, const Tensor &t, bool)
{
    if (t.hasMetadata() && !t.getMetadata().containsConstant())
        createHostWrite(core::metadataHandle(handle), t.getMetadata());
    get().call("Graph::createHostWrite",
               [&](tw_graph *g) { tw_graph_create_host_write(g, str(handle).c_str(), t.get().handle()); });
}
void Graph::createHostRead(StringRef handle, const Tensor &t, bool)
{
    if (t.hasMetadata()) createHostRead(core::metadataHandle(handle), t.getMetadata());
    get().call("Graph::createHostRead",
               [&](tw_graph *g) { tw_graph_create_host_read(g, str(handle).c_str(), t.get().handle()); });
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

/* The graph that f makes of another one; a call that fails gives a reference too. */
template <class F> static std::shared_ptr<GraphHolder> viewOf(GraphHolder &of, const char *call, F f)
{
    core::GraphLock guard(of.graph);
    tw_graph *view = of.call(call, f); /* throws what went wrong */
    auto made = std::make_shared<GraphHolder>(view, Target(tw_graph_target(view)));
    made->rows = of.rows; /* vertices and variables are those of the whole graph */
    made->metadata = of.metadata;
    return made;
}
FunctionBuffer Graph::addFunctionBuffer(const Function &f, FunctionBufferMappingType)
{
    return FunctionBuffer(get()
                              .call("Graph::addFunctionBuffer",
                                    [&](tw_graph *g) { return tw_graph_add_function_buffer(g, { f.getId() }); })
                              .id);
}
Graph Graph::createVirtualGraph(unsigned lower, unsigned upper)
{
    return Graph(viewOf(get(), "Graph::createVirtualGraph",
                        [=](tw_graph *g) { return tw_graph_virtual_range(g, lower, upper); }));
}
Graph Graph::createVirtualGraph(unsigned tilesPerIPU)
{
    return Graph(viewOf(get(), "Graph::createVirtualGraph",
                        [=](tw_graph *g) { return tw_graph_virtual_first(g, tilesPerIPU); }));
}
Graph Graph::createVirtualGraph(const std::vector<unsigned> &tiles)
{
    return Graph(viewOf(get(), "Graph::createVirtualGraph", [&](tw_graph *g) {
        return tw_graph_virtual_tiles(g, static_cast<unsigned>(tiles.size()), tiles.data());
    }));
}
Graph Graph::createReplicatedGraph(unsigned factor)
{
    return Graph(
        viewOf(get(), "Graph::createReplicatedGraph", [=](tw_graph *g) { return tw_graph_replicated(g, factor); }));
}
/* The C graph of the whole is borrowed there; once replicated, it is referenced. */
Graph Graph::getTopLevelGraph()
{
    return Graph(viewOf(get(), "Graph::getTopLevelGraph",
                        [](tw_graph *g) { return tw_graph_replicated(tw_graph_top_level(g), 1); }));
}
unsigned Graph::convertTileToTopLevelGraphTile(unsigned tile) const
{
    const char *call = "Graph::convertTileToTopLevelGraphTile";
    unsigned tiles = getTarget().getNumTiles();
    if (tile >= tiles)
        raise(TW_E_TILE_MAPPING, call, "tile " + std::to_string(tile) + ": the graph has " + std::to_string(tiles));
    return get().call(call, [=](tw_graph *g) { return tw_graph_to_top_level_tile(g, tile); });
}
unsigned Graph::convertTopLevelGraphTileToTile(unsigned tile) const
{
    const char *call = "Graph::convertTopLevelGraphTileToTile";
    unsigned found = get().call(call, [=](tw_graph *g) { return tw_graph_from_top_level_tile(g, tile); });
    if (found == TW_UNMAPPED)
        raise(TW_E_TILE_MAPPING, call, "tile " + std::to_string(tile) + " is not one of this graph's");
    return found;
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
                   [&](tw_graph *g) { return tw_graph_get_non_replicated_tensor(g, t.get().handle()); }),
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

static void writeWith(GraphHolder &graph, const char *call, std::ostream &out,
                      tw_status (*write)(tw_graph *, FILE *))
{
    FILE *stream = core::streamTo(out);
    if (!stream) raise(TW_E_NO_MEMORY, call, "no memory for a stream");
    core::GraphLock guard(graph.graph);
    tw_status status = write(graph.graph, stream);
    if (std::fclose(stream) != 0 && status == TW_OK) raise(TW_E_IO, call, "the stream takes no more");
    core::check(status, call);
}
void Graph::outputVertexGraph(std::ostream &out, ArrayRef<program::Program>) const
{
    writeWith(get(), "Graph::outputVertexGraph", out, tw_graph_print_vertices);
}
void Graph::serialize(std::ostream &out, SerializationFormat format) const
{
    if (format != SerializationFormat::Binary)
        raise(TW_E_NOT_SUPPORTED, "Graph::serialize", "graphs are written as SerializationFormat::Binary only");
    writeWith(get(), "Graph::serialize", out, tw_graph_serialize);
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
