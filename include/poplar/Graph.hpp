// SPDX-License-Identifier: MIT
/* A graph under construction: variables, their tile mapping, vertices, streams, functions. Movable, not copyable;
 * mistakes throw at the call. One thread builds a graph at a time; several may make views and ask of a const
 * graph. */
#ifndef POPLAR_GRAPH_HPP
#define POPLAR_GRAPH_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <ostream>
#include <poplar/ArrayRef.hpp>
#include <poplar/CodeletFileType.hpp>
#include <poplar/DataStream.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Device.hpp>
#include <poplar/FunctionBufferMappingType.hpp>
#include <poplar/GraphElements.hpp>
#include <poplar/Interval.hpp>
#include <poplar/LateInitCallback.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/PerfEstimateFunc.hpp>
#include <poplar/Program.hpp>
#include <poplar/ReplicatedStreamMode.hpp>
#include <poplar/SerializationFormat.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneDuplicationMethod.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>
#include <poplar/VariableMappingMethod.hpp>
#include <poplar/VariableRef.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/replication_factor.hpp>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace poplar {

namespace core {
struct GraphHolder; /* a graph of the C API */
struct LateValue;   /* what it calls for a value that depends on addresses */
} // namespace core

class Graph {
    template <class V> using IfSimple = typename std::enable_if<TypeTraits::isSimpleType<V>()>::type *;
    /* Tensor, for arguments that no braces stand for. */
    template <class T> using IfTensor = typename std::enable_if<std::is_same<T, Tensor>::value, Tensor>::type;

  public:
    /* Index: tile; intervals of the flattened tensor. */
    using TileToTensorMapping = std::vector<std::vector<Interval>>;

    /* One line of the list of connections of a new vertex: {"field", tensor}, {"field", tensors}, {"field", 4.0f}. */
    class ConnectionDesc {
      public:
        ConnectionDesc(StringRef f, Tensor t) : field(f.cloneAsString()), tensors(1, t) {}
        ConnectionDesc(StringRef f, ArrayRef<Tensor> t)
            : field(f.cloneAsString()), tensors(t.cloneAsVector()), isList(true)
        {
        }
        template <class V>
        ConnectionDesc(StringRef f, V v, IfSimple<V> = nullptr)
            : field(f.cloneAsString()), isConstant(true), constant(static_cast<double>(v))
        {
        }

      private:
        friend class Graph;
        std::string field;
        std::vector<Tensor> tensors;
        bool isList = false, isConstant = false;
        double constant = 0;
    };

    Graph() = default; /* invalid */
    explicit Graph(const Target &target, replication_factor factor = replication_factor(1));
    explicit Graph(const Device &device, replication_factor factor = replication_factor(1));
    Graph(Graph &&) = default;
    Graph &operator=(Graph &&) = default;
    Graph(const Graph &) = delete;
    Graph &operator=(const Graph &) = delete;

    const Target &getTarget() const; /* the same object as long as the graph lives */

    /* --- variables and constants --- */
    Tensor addVariable(const Type &type, ArrayRef<std::size_t> shape, const DebugContext &debugContext = {});
    Tensor addVariable(const Type &type, ArrayRef<std::size_t> shape, VariableMappingMethod mapping,
                       const DebugContext &debugContext = {});
    /* Braces in place of metadata; the shape is a list with a name, as braces alone are a shape. */
    struct NoMetadata {};
    template <class S, class = typename std::enable_if<std::is_same<S, std::vector<std::size_t>>::value ||
                                                       std::is_same<S, ArrayRef<std::size_t>>::value>::type>
    Tensor addVariable(const Type &type, NoMetadata, const S &shape, const DebugContext &debugContext = {})
    {
        return addVariable(type, ArrayRef<std::size_t>(shape), debugContext);
    }
    /* With metadata of a QUARTER tensor, which may be an invalid tensor: then it gets its own, a variable that is
     * F143 with scale 0 after each load. Of other types it is not looked at. */
    template <class T>
    IfTensor<T> addVariable(const Type &type, const T &metadata, ArrayRef<std::size_t> shape,
                            const DebugContext &debugContext = {})
    {
        return addVariable(type, metadata, shape, VariableMappingMethod::NONE, debugContext);
    }
    template <class T>
    IfTensor<T> addVariable(const Type &type, const T &metadata, ArrayRef<std::size_t> shape,
                            VariableMappingMethod mapping, const DebugContext &debugContext = {})
    {
        Tensor t = addPlainVariable(type, shape, mapping, debugContext);
        setMetadata(t, metadata);
        return t;
    }
    /* Of the variable of a QUARTER tensor; nothing of other types. Not among the vendor's names. */
    void setMetadata(const Tensor &t, const Tensor &metadata);
    /* Values of QUARTER by metadata that are constant; else as if those were F143 with scale 0. */
    template <class T, class V>
    IfTensor<T> addConstant(const Type &type, const T &metadata, ArrayRef<std::size_t> shape, ArrayRef<V> values,
                            const DebugContext &debugContext = { "<const>" })
    {
        checkCount("Graph::addConstant", shape, values.size());
        return addConstantWith(metadata, type, shape, values.data(), TypeTraits::make<V>(), false, debugContext);
    }
    template <class T, class V>
    IfTensor<T> addConstant(const Type &type, const T &metadata, ArrayRef<std::size_t> shape, V value,
                            const DebugContext &debugContext = { "<const>" }, IfSimple<V> = nullptr)
    {
        return addConstantWith(metadata, type, shape, &value, TypeTraits::make<V>(), true, debugContext);
    }
    /* The same with the type of the value named: addConstant<double>(...). */
    template <class V>
    Tensor addConstant(const Type &type, const Tensor &metadata, ArrayRef<std::size_t> shape, V value,
                       const DebugContext &debugContext = { "<const>" }, IfSimple<V> = nullptr)
    {
        return addConstantWith(metadata, type, shape, &value, TypeTraits::make<V>(), true, debugContext);
    }
    template <class T, class V>
    IfTensor<T> addConstant(const Type &type, const T &metadata, ArrayRef<std::size_t> shape, const V *values,
                            const DebugContext &debugContext = { "<const>" })
    {
        return addConstantWith(metadata, type, shape, values, TypeTraits::make<V>(), false, debugContext);
    }
    template <class T>
    IfTensor<T> clone(const Type &type, const T &metadata, const Tensor &t, const DebugContext &debugContext = {},
                      TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES)
    {
        Tensor made = clonePlain(type, t, debugContext, method);
        setMetadata(made, metadata);
        return made;
    }
    template <class T>
    IfTensor<T> clone(const Tensor &metadata, const T &t, const DebugContext &debugContext = {},
                      TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES)
    {
        return clone(t.elementType(), metadata, t, debugContext, method);
    }
    template <class V>
    Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, ArrayRef<V> values,
                       const DebugContext &debugContext = { "<const>" })
    {
        checkCount("Graph::addConstant", shape, values.size());
        return addConstant(type, shape, static_cast<const void *>(values.data()), TypeTraits::make<V>(), false,
                           debugContext);
    }
    template <class V>
    Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, V value,
                       const DebugContext &debugContext = { "<const>" }, IfSimple<V> = nullptr)
    {
        return addConstant(type, shape, static_cast<const void *>(&value), TypeTraits::make<V>(), true,
                           debugContext);
    }
    template <class V>
    Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, const V *values,
                       const DebugContext &debugContext = { "<const>" })
    {
        return addConstant(type, shape, static_cast<const void *>(values), TypeTraits::make<V>(), false,
                           debugContext);
    }
    /* `values`: elements of the host type `traits`, or one for all with `broadcast`. */
    Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, const void *values, const TypeTraits &traits,
                       bool broadcast, const DebugContext &debugContext = { "<const>" });
    Tensor addConstantHalf(const Type &type, ArrayRef<std::size_t> shape, std::uint16_t bits,
                           const DebugContext &debugContext = { "<const>" });
    Tensor addConstantHalf(const Type &type, ArrayRef<std::size_t> shape, const std::uint16_t *bits,
                           const DebugContext &debugContext = { "<const>" });
    Tensor clone(const Type &type, const Tensor &t, const DebugContext &debugContext = {},
                 TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
    Tensor clone(const Tensor &t, const DebugContext &debugContext = {},
                 TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
    /* n clones in a new first dimension. */
    Tensor cloneN(const Type &type, const Tensor &t, std::size_t n, const DebugContext &debugContext = {},
                  TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                  TensorCloneDuplicationMethod where = TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION);
    Tensor cloneN(const Tensor &t, std::size_t n, const DebugContext &debugContext = {},
                  TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                  TensorCloneDuplicationMethod where = TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION);
    /* Value after each load. */
    template <class V> void setInitialValue(const Tensor &t, V value, IfSimple<V> = nullptr)
    {
        setInitialValue(t, &value, TypeTraits::make<V>(), true);
    }
    template <class V> void setInitialValue(const Tensor &t, ArrayRef<V> values)
    {
        std::size_t count[] = { t.numElements() };
        checkCount("Graph::setInitialValue", ArrayRef<std::size_t>(count, 1), values.size());
        setInitialValue(t, values.data(), TypeTraits::make<V>(), false);
    }

    /* The same from bits of IEEE halves. */
    void setInitialValueHalf(const Tensor &t, std::uint16_t bits);
    void setInitialValueHalf(const Tensor &t, ArrayRef<std::uint16_t> bits);

    /* --- tile mapping --- */
    void setTileMapping(VertexRef v, unsigned tile);
    void setTileMapping(const Tensor &t, unsigned tile);
    void setTileMapping(const Tensor &t, const TileToTensorMapping &mapping);
    /* getNumTiles() entries, intervals sorted and merged. invalid_tile_mapping when elements are on no tile. */
    TileToTensorMapping getTileMapping(const Tensor &t, bool requireComplete = true,
                                       bool allowExternal = false) const;
    TileToTensorMapping getTileMapping(const Tensor &t, bool *isComplete, bool allowExternal = false) const;

    /* The same without constants. */
    TileToTensorMapping getVariableTileMapping(const Tensor &t) const;

    /* --- views --- */
    /* The elements of `regions` of the flattened tensor, in lists that are each one rising run of a variable, sorted
     * by variable and place. Further references to an element are left out when `removeAliasedIntervals`; `aliases`
     * gets an entry for each interval of the result: the begin of the interval that stands for the same elements. */
    std::vector<std::vector<Interval>>
    getSortedContiguousRegions(const Tensor &t, ArrayRef<Interval> regions, bool removeAliasedIntervals = false,
                               std::vector<std::size_t> *aliases = nullptr) const;
    /* Reorders the elements of *t and of each of `ts` alike, flattened, so that *t has few regions. */
    void reorderToSimplify(Tensor *t, ArrayRef<Tensor *> ts, bool requireSimplestOrder = true) const;
    /* The smallest view that `t` is a broadcast of; t itself when there is none. */
    Tensor findUnbroadcastTensor(const Tensor &t) const;
    Tensor getVariable(VariableRef v) const; /* whole, in the order of its storage */
    bool isConstant(VariableRef v) const;

    /* --- codelets and vertices --- */
    /* A target name other than "", "cpu" and this graph's ("ipu2") says that the code is for other graphs: nothing is
     * added then. poplar_error for one that does not exist. */
    bool addCodelets(StringRef file, CodeletFileType type = CodeletFileType::Auto, StringRef compileFlags = "",
                     StringRef targetName = "");
    bool addCodelets(StringRef file, CodeletFileType type, StringRef compileFlags, std::ostream &compileOutput,
                     StringRef targetName = "");
    bool addCodelets(std::stringstream &source, StringRef compileFlags = "",
                     CodeletFileType type = CodeletFileType::CppSource, StringRef targetName = "");
    bool addCodelets(std::stringstream &source, StringRef compileFlags, std::ostream &compileOutput,
                     CodeletFileType type = CodeletFileType::CppSource, StringRef targetName = "");
    bool addCodelets(ArrayRef<std::string> files, StringRef compileFlags = "", StringRef targetName = "");
    bool hasCodelet(StringRef name) const;
    ComputeSet addComputeSet(const DebugContext &debugContext = {});
    VertexRef addVertex(ComputeSet cs, StringRef vertexType);
    VertexRef addVertex(ComputeSet cs, StringRef vertexType, ArrayRef<ConnectionDesc> connections);
    VertexRef addVertex(ComputeSet cs, StringRef vertexType, std::initializer_list<ConnectionDesc> connections)
    {
        return addVertex(cs, vertexType, ArrayRef<ConnectionDesc>(connections.begin(), connections.size()));
    }
    void connect(FieldRef field, const Tensor &t);
    void connect(FieldRef field, ArrayRef<Tensor> tensors);
    template <class V> void connect(FieldRef field, V constant, IfSimple<V> = nullptr)
    {
        connectConstant(field, static_cast<double>(constant));
    }
    void setFieldSize(FieldRef field, std::size_t size);
    std::size_t getFieldSize(FieldRef field) const;
    template <class V> void setInitialValue(FieldRef field, V value, IfSimple<V> = nullptr)
    {
        setField(field, value, std::is_floating_point<V>());
    }
    template <class V> void setInitialValue(FieldRef field, ArrayRef<V> values)
    {
        setFieldValues(field, equivalent_device_type<V>().value, values.size(), values.data());
    }
    template <class V> void setInitialValue(FieldRef field, const std::vector<V> &values)
    {
        setInitialValue(field, ArrayRef<V>(values));
    }
    template <class V> void setInitialValue(FieldRef field, std::initializer_list<V> values)
    {
        setInitialValue(field, ArrayRef<V>(values));
    }
    void setInitialValueHalf(FieldRef field, std::uint16_t bits);
    void setInitialValueHalf(FieldRef field, ArrayRef<std::uint16_t> bits);
    template <class V> void setInitialValue(FieldRef field, LateInitCallback<V> callback)
    {
        setLateValue(field, [callback](const VertexEdgeInfo &edges) { return Number(callback(edges)); });
    }
    std::size_t getMaxFieldDim(StringRef vertexType, StringRef field, unsigned dimension) const;
    double getMaxVertexFieldValue(StringRef vertexType, StringRef field) const;
    void setPerfEstimate(VertexRef v, std::uint64_t cycles, std::uint64_t flops = 0);
    void setPerfEstimate(VertexRef v, const VertexPerfEstimate &estimate)
    {
        setPerfEstimate(v, estimate.cycles, estimate.flops);
    }
    template <class I, class = typename std::enable_if<std::is_integral<I>::value>::type>
    void setPerfEstimate(VertexRef v, I cycles)
    {
        setPerfEstimate(v, static_cast<std::uint64_t>(cycles), std::uint64_t(0));
    }
    void setCycleEstimate(VertexRef v, std::uint64_t cycles) { setPerfEstimate(v, cycles, 0); }
    void registerPerfEstimator(StringRef vertexType, PerfEstimateFunc estimator);
    void registerCycleEstimator(StringRef vertexType, PerfEstimateFunc estimator)
    {
        registerPerfEstimator(vertexType, std::move(estimator));
    }
    unsigned getNumVertices() const;

    /* --- host access and streams --- */
    void createHostWrite(StringRef handle, const Tensor &t, bool rearrangeOnHost = false);
    void createHostRead(StringRef handle, const Tensor &t, bool rearrangeOnHost = false);
    DataStream addHostToDeviceFIFO(StringRef handle, const Type &type, std::size_t numElements,
                                   ReplicatedStreamMode mode = ReplicatedStreamMode::REPLICATE,
                                   const OptionFlags &options = {});
    DataStream addDeviceToHostFIFO(StringRef handle, const Type &type, std::size_t numElements,
                                   const OptionFlags &options = {});
    RemoteBuffer addRemoteBuffer(StringRef handle, const Type &type, std::size_t numElements,
                                 std::size_t repeats = 1, bool rearrangeOnHost = false,
                                 bool optimiseMemory = false);

    /* Type and number of elements of an argument. */
    using HostFunctionArgument = std::tuple<Type, std::size_t>;
    /* Code of the host that program::Call runs, between its inputs and its outputs. Each argument is a stream too
     * ("handle/in0", "handle/out0" ...), so listStreams() names it. */
    HostFunction addHostFunction(StringRef handle, ArrayRef<HostFunctionArgument> inputs,
                                 ArrayRef<HostFunctionArgument> outputs);

    /* Views with type, size and mapping of what they show, without values; reading adds variables to this graph. Both
     * formats are one text of this library's own. poplar_error when it is damaged. */
    void serializeTensors(std::ostream &out, ArrayRef<Tensor> tensors, SerializationFormat format) const;
    std::vector<Tensor> deserializeTensors(std::istream &in, SerializationFormat format);

    /* --- functions, virtual and replicated graphs --- */
    Function addFunction(const program::Program &body); /* as the program is now */
    /* Code off the chip, which program::Copy brings to the tiles before a call. The copy takes no time here. */
    FunctionBuffer addFunctionBuffer(const Function &f, FunctionBufferMappingType mapping);
    Graph createVirtualGraph(unsigned lowerTile, unsigned upperTile);
    Graph createVirtualGraph(unsigned tilesPerIPU);
    Graph createVirtualGraph(const std::vector<unsigned> &tilesOfEachIPU);
    Graph createReplicatedGraph(unsigned factor);
    Graph getTopLevelGraph();
    unsigned getReplicationFactor() const;
    Tensor getNonReplicatedTensor(const Tensor &t) const;
    Tensor addReplicationIndexConstant(const DebugContext &debugContext = {});
    unsigned convertTileToTopLevelGraphTile(unsigned tile) const;
    unsigned
    convertTopLevelGraphTileToTile(unsigned tile) const; /* invalid_tile_mapping when it is not in this graph */
    unsigned convertVirtualTileToPhysicalTile(unsigned tile) const { return tile; }
    unsigned convertPhysicalTileToVirtualTile(unsigned tile) const { return tile; }

    /* Programs as text, with the names of compute sets. */
    void outputComputeGraph(std::ostream &out, ArrayRef<program::Program> programs = {}) const;
    /* All vertices with the variables of their fields, for Graphviz. */
    void outputVertexGraph(std::ostream &out, ArrayRef<program::Program> programs = {}) const;
    /* The graph as bytes of a format of our own; JSON is poplar_error. */
    void serialize(std::ostream &out, SerializationFormat format) const;

    core::GraphHolder &get() const; /* poplar_error when invalid */
    const std::shared_ptr<core::GraphHolder> &share() const { return holder; }

  private:
    explicit Graph(std::shared_ptr<core::GraphHolder> h) : holder(std::move(h)) {}
    /* tensor_creation_error */
    Tensor addPlainVariable(const Type &type, ArrayRef<std::size_t> shape, VariableMappingMethod mapping,
                            const DebugContext &debugContext);
    Tensor clonePlain(const Type &type, const Tensor &t, const DebugContext &debugContext,
                      TensorCloneMethod method);
    Tensor addConstantWith(const Tensor &metadata, const Type &type, ArrayRef<std::size_t> shape,
                           const void *values, const TypeTraits &traits, bool broadcast,
                           const DebugContext &debugContext);
    static void checkCount(const char *call, ArrayRef<std::size_t> shape, std::size_t count);
    void setInitialValue(const Tensor &t, const void *values, const TypeTraits &traits, bool broadcast);
    bool addText(const std::string &text, const std::string &name, const std::string &flags, CodeletFileType type);
    void connectConstant(FieldRef field, double value);
    struct Number {
        template <class V, class = typename std::enable_if<std::is_floating_point<V>::value>::type>
        Number(V v) : isInteger(false), integer(0), real(static_cast<double>(v))
        {
        }
        template <class V, class = typename std::enable_if<std::is_integral<V>::value>::type, class = void>
        Number(V v) : isInteger(true), integer(static_cast<std::int64_t>(v)), real(0)
        {
        }
        bool isInteger;
        std::int64_t integer;
        double real;
    };
    void setLateValue(FieldRef field, std::function<Number(const VertexEdgeInfo &)> callback);
    friend struct core::LateValue;
    template <class V> void setField(FieldRef field, V value, std::true_type)
    {
        setFieldReal(field, static_cast<double>(value));
    }
    template <class V> void setField(FieldRef field, V value, std::false_type)
    {
        setFieldInteger(field, static_cast<std::int64_t>(value));
    }
    void setFieldReal(FieldRef field, double value);
    void setFieldInteger(FieldRef field, std::int64_t value);
    void setFieldValues(FieldRef field, const Type &type, std::size_t count, const void *values);
    TileToTensorMapping mappingOf(const Tensor &t, bool *isComplete) const;
    std::shared_ptr<core::GraphHolder> holder;
};

StringRef versionString();
StringRef packageHash();

} // namespace poplar
#endif
