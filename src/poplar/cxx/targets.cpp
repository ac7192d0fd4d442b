// SPDX-License-Identifier: MIT
/* Targets, devices, the IPU Model. */
#include "core.hpp"

#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <poplar/DeviceManager.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/TypeConversion.hpp>
#include <string>
#include <tilewright/poplar/colossus/sim.h>
#include <vector>

namespace poplar {

using core::deviceType;
using core::raise;

/* --- Target --- */

Target::Target() = default;

static void unref(const tw_target *t)
{
    tw_target_free(t);
}

Target::Target(const tw_target *t) : target(tw_target_ref(t), unref) {}

/* A target that the caller owns; NULL is thrown. */
static Target owned(tw_target *t, const char *call)
{
    if (!t) raise(TW_E_MACHINE_MODEL, call, tw_error_message());
    Target result(t);
    tw_target_free(t);
    return result;
}

static tw_chip chipOf(const std::string &name, const char *call)
{
    const struct {
        const char *name;
        tw_chip chip;
    } chips[] = { { "ipu1", TW_MK1 }, { "ipu2", TW_MK2 }, { "ipu21", TW_MK21 } };
    for (const auto &c : chips)
        if (name == c.name) return c.chip;
    raise(TW_E_MACHINE_MODEL, call, "there is no chip '" + name + "': ipu1, ipu2 and ipu21 are known");
}

Target Target::createCPUTarget(bool accurateHalf, unsigned)
{
    return owned(tw_target_new_cpu(accurateHalf), "Target::createCPUTarget");
}

/* Options of a target, and what POPLAR_TARGET_OPTIONS sets in their place. */
static void setOptions(tw_ipu_model &model, OptionFlags options, const char *call)
{
    readJSONFromEnv("POPLAR_TARGET_OPTIONS", options);
    for (const auto &flag : options) {
        tw_status status = tw_ipu_model_set_option(&model, flag.first.c_str(), flag.second.c_str());
        if (status != TW_OK) raise(status, call, tw_error_message());
    }
}

/* tiles: 0 for all that the chip has. */
static Target ipuTarget(unsigned ipus, unsigned tiles, StringRef systemType, const OptionFlags &options)
{
    const char *call = "Target::createIPUTarget";
    if (!ipus) raise(TW_E_MACHINE_MODEL, call, "a target of 0 IPUs: at least one is needed");
    tw_ipu_model model = tw_ipu_model();
    model.size = sizeof model;
    model.chip = chipOf(systemType, call);
    model.num_ipus = ipus;
    model.tiles_per_ipu = tiles;
    setOptions(model, options, call);
    return owned(tw_target_new_ipu_sim(&model), call);
}

Target Target::createIPUTarget(unsigned numIPUs, unsigned tilesPerIPU, StringRef systemType,
                               const OptionFlags &options)
{
    if (!tilesPerIPU)
        raise(TW_E_MACHINE_MODEL, "Target::createIPUTarget", "IPUs of 0 tiles: at least one is needed");
    return ipuTarget(numIPUs, tilesPerIPU, systemType, options);
}

Target Target::createIPUTarget(unsigned numIPUs, StringRef systemType, const OptionFlags &options)
{
    return ipuTarget(numIPUs, 0, systemType, options);
}

Target Target::createIPUTarget(StringRef systemType, const OptionFlags &options)
{
    return ipuTarget(1, 0, systemType, options);
}

/* What a getter asks; a target that was only default constructed has no figures. */
static const tw_target *known(const Target &t, const char *call)
{
    if (!t.get()) raise(TW_E_MACHINE_MODEL, call, "the target is not valid");
    return t.get();
}

Target Target::createVirtualTarget(unsigned numIPUs, unsigned tilesPerIPU) const
{
    const char *call = "Target::createVirtualTarget";
    return owned(tw_target_new_virtual(known(*this, call), numIPUs, tilesPerIPU), call);
}

TargetType Target::getTargetType() const
{
    switch (tw_target_get_kind(known(*this, "Target::getTargetType"))) {
    case TW_TARGET_CPU: return TargetType::CPU;
    case TW_TARGET_IPU: return TargetType::IPU;
    case TW_TARGET_IPU_MODEL: break;
    }
    return TargetType::IPU_MODEL;
}

#define GETTER(type, cxx, c)                                        \
    type Target::cxx() const                                        \
    {                                                               \
        return static_cast<type>(c(known(*this, "Target::" #cxx))); \
    }
GETTER(unsigned, getNumTiles, tw_target_tiles)
GETTER(unsigned, getNumIPUs, tw_target_ipus)
GETTER(unsigned, getTilesPerIPU, tw_target_tiles_per_ipu)
GETTER(unsigned, getNumWorkerContexts, tw_target_worker_contexts)
GETTER(std::uint64_t, getBytesPerTile, tw_target_bytes_per_tile)
GETTER(std::uint64_t, getMemoryBytes, tw_target_memory_bytes)
GETTER(unsigned, getExchangeBytesPerCycle, tw_target_exchange_bytes_per_cycle)
GETTER(unsigned, getMemcpyBytesPerCycle, tw_target_memcpy_bytes_per_cycle)
GETTER(unsigned, getMinIPUSyncDelay, tw_target_min_sync_delay)
GETTER(unsigned, getMaxIPUSyncDelay, tw_target_max_sync_delay)
GETTER(unsigned, getGlobalSyncCycles, tw_target_global_sync_cycles)
GETTER(double, getTileClockFrequency, tw_target_clock_hz)
GETTER(unsigned, getNumTilesPerXBContext, tw_target_tiles_per_xb_context)
GETTER(unsigned, getNumContextXBs, tw_target_contexts_per_xb)
GETTER(unsigned, getInterleavedMemoryElementIndex, tw_target_interleaved_memory_element_index)
GETTER(bool, supportsExchangeBusSharing, tw_target_supports_exchange_bus_sharing)
GETTER(unsigned, getTilesPerSharedExchangeBus, tw_target_tiles_per_shared_exchange_bus)
GETTER(unsigned, getDataPathWidth, tw_target_data_path_width)
GETTER(std::size_t, getAtomicStoreGranularity, tw_target_atomic_store_granularity)
GETTER(unsigned, getNumStrideBits, tw_target_num_stride_bits)
GETTER(unsigned, getRptCountMax, tw_target_rpt_count_max)
GETTER(unsigned, getConvUnitCoeffLoadBytesPerCycle, tw_target_conv_unit_coeff_load_bytes_per_cycle)
GETTER(bool, hasAccurateHalf, tw_target_accurate_half)
GETTER(std::size_t, hash, tw_target_hash)
GETTER(IpuLinkTopology, getIpuLinkTopology, tw_target_ipu_link_topology)
GETTER(IpuLinkConfiguration, getIpuLinkConfiguration, tw_target_ipu_link_configuration)
GETTER(unsigned, getIpuLinkDomainSize, tw_target_ipu_link_domain_size)
GETTER(unsigned, getInstanceSize, tw_target_instance_size)
GETTER(bool, getGatewayMode, tw_target_gateway_mode)
#undef GETTER

#define OF_TYPE(cxx, c, ...)                                                         \
    unsigned Target::cxx() const                                                     \
    {                                                                                \
        return static_cast<unsigned>(c(known(*this, "Target::" #cxx), __VA_ARGS__)); \
    }
OF_TYPE(getFloatVectorWidth, tw_target_vector_width, TW_FLOAT)
OF_TYPE(getHalfVectorWidth, tw_target_vector_width, TW_HALF)
OF_TYPE(getFp16ConvUnitMaxPipelineDepth, tw_target_conv_unit_max_pipeline_depth, TW_HALF)
OF_TYPE(getFp32ConvUnitMaxPipelineDepth, tw_target_conv_unit_max_pipeline_depth, TW_FLOAT)
OF_TYPE(getFp16ConvUnitInputLoadElemsPerCycle, tw_target_conv_unit_input_load_elems_per_cycle, TW_HALF)
OF_TYPE(getFp32ConvUnitInputLoadElemsPerCycle, tw_target_conv_unit_input_load_elems_per_cycle, TW_FLOAT)
OF_TYPE(getFp16InFp16OutConvUnitsPerTile, tw_target_conv_units, TW_HALF, TW_HALF)
OF_TYPE(getFp16InFp32OutConvUnitsPerTile, tw_target_conv_units, TW_HALF, TW_FLOAT)
OF_TYPE(getFp32InFp32OutConvUnitsPerTile, tw_target_conv_units, TW_FLOAT, TW_FLOAT)
#undef OF_TYPE

unsigned Target::getWeightsPerConvUnit(bool floatActivations) const
{
    return tw_target_weights_per_conv_unit(known(*this, "Target::getWeightsPerConvUnit"),
                                           floatActivations ? TW_FLOAT : TW_HALF);
}
unsigned Target::getConvUnitInputLoadElemsPerCycle(bool floatActivations) const
{
    return tw_target_conv_unit_input_load_elems_per_cycle(known(*this, "Target::getConvUnitInputLoadElemsPerCycle"),
                                                          floatActivations ? TW_FLOAT : TW_HALF);
}
#define OF_ANY_TYPE(cxx, c)                                                         \
    unsigned Target::cxx(const Type &type) const                                    \
    {                                                                               \
        return c(known(*this, "Target::" #cxx), deviceType(type, "Target::" #cxx)); \
    }
OF_ANY_TYPE(getConvUnitMaxPipelineDepth, tw_target_conv_unit_max_pipeline_depth)
OF_ANY_TYPE(getWeightsPerConvUnit, tw_target_weights_per_conv_unit)
OF_ANY_TYPE(getConvUnitInputLoadElemsPerCycle, tw_target_conv_unit_input_load_elems_per_cycle)
#undef OF_ANY_TYPE
unsigned Target::getNumConvUnits(const Type &input, const Type &partial) const
{
    const char *call = "Target::getNumConvUnits";
    return tw_target_conv_units(known(*this, call), deviceType(input, call), deviceType(partial, call));
}
void Target::typeLimitsMax(const Type &type, void *value, const TypeTraits &traits) const
{
    const char *call = "Target::getTypeLimitsMaxAs";
    unsigned char max[16] = { 0x7f }; /* of QUARTER */
    if (!tw_target_type_limits(known(*this, call), deviceType(type, call), nullptr, max) && type != QUARTER)
        raise(TW_E_TYPE, call, type.toString() + " has no largest value");
    convertFromDeviceType(type, QuarterMetadata(), max, value, traits, 1);
}
std::size_t Target::getTypeSize(const Type &type) const
{
    return tw_target_type_size(known(*this, "Target::getTypeSize"), deviceType(type, "Target::getTypeSize"));
}
unsigned Target::getVectorWidth(const Type &type) const
{
    return tw_target_vector_width(known(*this, "Target::getVectorWidth"),
                                  deviceType(type, "Target::getVectorWidth"));
}
StringRef Target::getTargetArchString() const
{
    return tw_target_arch(known(*this, "Target::getTargetArchString"));
}
StringRef Target::getTargetSystemString() const
{
    return tw_target_system(known(*this, "Target::getTargetSystemString"));
}

/* Lists are kept for each C target, whose address is that of the shared object: references to them stay valid. */
template <class T, class Make> static const std::vector<T> &kept(const tw_target *target, Make make)
{
    static std::mutex lock;
    static std::unordered_map<std::uint64_t, std::vector<T>> lists;
    std::lock_guard<std::mutex> guard(lock);
    std::uint64_t key = target ? tw_target_hash(target) : 0; /* equal targets have equal lists */
    auto found = lists.find(key);
    if (found == lists.end()) found = lists.emplace(key, make()).first;
    return found->second;
}

const std::vector<unsigned> &Target::getMemoryElementOffsets() const
{
    return kept<unsigned>(known(*this, "Target::getMemoryElementOffsets"), [this] {
        std::size_t count;
        const std::uint64_t *offsets = tw_target_memory_element_offsets(get(), &count);
        return std::vector<unsigned>(offsets, offsets + count);
    });
}

/* The model limits each tile and each link alone. One constraint that says as much: callers divide by what they
 * find. */
const std::vector<GlobalExchangeConstraint> &Target::getGlobalExchangeConstraints() const
{
    return kept<GlobalExchangeConstraint>(known(*this, "Target::getGlobalExchangeConstraints"), [this] {
        std::vector<GlobalExchangeConstraint> list;
        std::size_t count;
        const tw_global_exchange_constraint *c = tw_target_global_exchange_constraints(get(), &count);
        for (std::size_t i = 0; i < count; i++) {
            std::vector<GlobalExchangeFlow> flows;
            for (std::size_t k = 0; k < c[i].flow_count; k++)
                flows.emplace_back(c[i].flows[k].src, c[i].flows[k].dst);
            list.emplace_back(c[i].bandwidth, flows);
        }
        unsigned ipus = getNumIPUs();
        if (!list.empty() || ipus < 2) return list;
        double bits = getTileClockFrequency() * getExchangeBytesPerCycle() * 8;
        for (unsigned from = 0; from < ipus; from++) {
            std::vector<GlobalExchangeFlow> flows;
            for (unsigned to = 0; to < ipus; to++)
                if (to != from) flows.emplace_back(from, to);
            list.emplace_back(bits, flows);
        }
        return list;
    });
}

bool operator==(const Target &a, const Target &b)
{
    if (!a.get() || !b.get()) return a.get() == b.get();
    return tw_target_equal(a.get(), b.get());
}
bool operator<(const Target &a, const Target &b)
{
    return (a.get() ? a.hash() : 0) < (b.get() ? b.hash() : 0);
}

/* --- half on the device --- */

void copyFloatToDeviceHalf(const Target &t, const float *src, void *dst, std::size_t n)
{
    tw_target_copy_float_to_half(known(t, "copyFloatToDeviceHalf"), src, dst, n);
}
void copyDeviceHalfToFloat(const Target &t, const void *src, float *dst, std::size_t n)
{
    tw_target_copy_half_to_float(known(t, "copyDeviceHalfToFloat"), src, dst, n);
}
void copyDoubleToDeviceHalf(const Target &t, const double *src, void *dst, std::size_t n)
{
    bool two = t.getTypeSize(HALF) == 2;
    for (std::size_t i = 0; i < n; i++)
        if (two)
            static_cast<std::uint16_t *>(dst)[i] = tw_f64_to_f16(src[i], TW_ROUND_NEAREST_EVEN, 0);
        else
            static_cast<float *>(dst)[i] = static_cast<float>(src[i]);
}
void copyDeviceHalfToDouble(const Target &t, const void *src, double *dst, std::size_t n)
{
    bool two = t.getTypeSize(HALF) == 2;
    for (std::size_t i = 0; i < n; i++)
        dst[i] = two ? static_cast<double>(tw_f16_to_f32(static_cast<const std::uint16_t *>(src)[i]))
                     : static_cast<double>(static_cast<const float *>(src)[i]);
}

/* --- Device --- */

Device::Device(tw_device *d, unsigned i, OptionFlags given)
    : device(d, tw_device_free), attached(std::make_shared<bool>(false)), target(tw_device_target(d)), id(i),
      options(std::move(given))
{
}

static tw_device *known(const Device &d, const char *call)
{
    if (!d.get()) raise(TW_E_MACHINE_MODEL, call, "the device is not valid");
    return d.get();
}

static Device ownedDevice(tw_device *d, unsigned id, const char *call, OptionFlags options = {})
{
    if (!d) raise(TW_E_MACHINE_MODEL, call, tw_error_message());
    return Device(d, id, std::move(options));
}

Device Device::createCPUDevice(unsigned)
{
    return ownedDevice(tw_device_cpu(), 0, "Device::createCPUDevice");
}

Device Device::createSimulatorDevice(const Target &target, const OptionFlags &options)
{
    const handles::OptionList pairs(options);
    tw_ipu_model model = tw_ipu_model();
    model.size = sizeof model;
    model.chip = chipOf(target.getTargetArchString(), "Device::createSimulatorDevice");
    model.num_ipus = target.getNumIPUs();
    model.tiles_per_ipu = target.getTilesPerIPU();
    if (!model.tiles_per_ipu) /* which would stand for all that the chip has */
        raise(TW_E_MACHINE_MODEL, "Device::createSimulatorDevice", "the target has no tiles");
    model.ipu_link_topology = tw_target_ipu_link_topology(target.get());
    model.ipu_link_configuration = tw_target_ipu_link_configuration(target.get());
    model.sync_configuration = tw_target_sync_configuration(target.get());
    /* 0 is what the number of IPUs gives */
    if (target.getIpuLinkDomainSize() != model.num_ipus) model.ipu_link_domain_size = target.getIpuLinkDomainSize();
    if (target.getInstanceSize() != model.num_ipus) model.instance_size = target.getInstanceSize();
    model.gateway_mode = target.getGatewayMode();
    tw_sim_options checked = tw_sim_options();
    checked.size = sizeof checked;
    if (tw_sim_options_read(&checked, pairs.data()) != TW_OK)
        raise(TW_E_INVALID_OPTION, "Device::createSimulatorDevice", tw_error_message());
    return ownedDevice(tw_device_ipu_sim_options(&model, pairs.data()), 0, "Device::createSimulatorDevice",
                       options);
}

Device Device::createVirtualDevice(unsigned tilesPerIPU)
{
    return ownedDevice(tw_device_virtual(known(*this, "Device::createVirtualDevice"), tilesPerIPU), id,
                       "Device::createVirtualDevice", options);
}

bool Device::attach() const
{
    *attached = tw_device_attach(known(*this, "Device::attach"));
    return *attached;
}
void Device::detach() const
{
    tw_device_detach(known(*this, "Device::detach"));
    *attached = false;
}
void Device::getDriverVersion(unsigned &major, unsigned &minor, unsigned &point) const
{
    major = TW_VERSION_MAJOR, minor = TW_VERSION_MINOR, point = TW_VERSION_PATCH;
}
std::map<std::string, std::string> Device::getAttributes() const
{
    return { { "description", "model of " + target.getTargetArchString() + " in Tilewright " + tw_version() } };
}
std::string Device::getAttribute(StringRef name) const
{
    auto all = getAttributes();
    auto found = all.find(name.cloneAsString());
    return found == all.end() ? std::string() : found->second;
}

/* --- DeviceManager --- */

/* What stands for hardware: TILEWRIGHT_DEVICES is "model" or "sim". */
static bool offers(const char *kind)
{
    const char *value = std::getenv("TILEWRIGHT_DEVICES");
    return value && std::strcmp(value, kind) == 0;
}

static bool offersIPUs()
{
    return offers("model") || offers("sim");
}

unsigned DeviceManager::getNumDevices() const
{
    return offersIPUs() ? 2 : 1; /* an IPU, which programs for hardware take the first device for, and the CPU */
}

/* Options are those of a target, and mistakes in them are found even where there is no device to apply them to. */
std::vector<Device> DeviceManager::getDevices(TargetType type, unsigned ipus, const OptionFlags &options) const
{
    const char *call = "DeviceManager::getDevices";
    std::vector<Device> list;
    tw_ipu_model model = tw_ipu_model();
    model.size = sizeof model;
    model.chip = TW_MK2;
    model.num_ipus = ipus ? ipus : 1;
    setOptions(model, options, call);
    if (type == TargetType::CPU)
        list.push_back(ownedDevice(tw_device_cpu(), offersIPUs() ? 1 : 0, call));
    else if (type == TargetType::IPU && offers("sim"))
        list.push_back(ownedDevice(tw_device_ipu_sim_with(&model), 0, call, options));
    else if (type == TargetType::IPU_MODEL || offers("model"))
        list.push_back(ownedDevice(tw_device_ipu_model_with(&model), 0, call, options));
    return list;
}

std::vector<Device> DeviceManager::getDevices(const OptionFlags &options) const
{
    std::vector<Device> list = getDevices(TargetType::IPU, 1, options);
    for (Device &d : getDevices(TargetType::CPU, 1, options)) list.push_back(std::move(d));
    return list;
}

Device DeviceManager::getDevice(unsigned id, const OptionFlags &options) const
{
    std::vector<Device> all = getDevices(options);
    if (id < all.size()) return std::move(all[id]);
    raise(TW_E_INDEX, "DeviceManager::getDevice",
          "there is no device " + std::to_string(id) + ", only " + std::to_string(all.size()) +
              " (TILEWRIGHT_DEVICES=model offers an IPU Model, =sim a simulated IPU)");
}

std::vector<unsigned> DeviceManager::getChildDeviceIds(unsigned id, unsigned) const
{
    return { id };
}

/* --- IPUModel --- */

IPUModel::IPUModel(char const *version)
{
    if (!version) raise(TW_E_MACHINE_MODEL, "IPUModel", "there is no name of a chip: the pointer is null");
    IPUVersion = version;
    chipOf(IPUVersion, "IPUModel"); /* refused by this name */
    Target t = Target::createIPUTarget(1, version);
    numIPUs = 1;
    tilesPerIPU = t.getTilesPerIPU();
    numWorkerContexts = t.getNumWorkerContexts();
    memoryBytesPerTile = t.getBytesPerTile();
    exchangeBytesPerCycle = t.getExchangeBytesPerCycle();
    memcpyBytesPerCycle = t.getMemcpyBytesPerCycle();
    minIPUSyncDelay = t.getMinIPUSyncDelay();
    relativeSyncDelay = RelativeSyncDelayType::AUTO;
    globalSyncCycles = 0;
    tileClockFrequency = t.getTileClockFrequency();
    compileIPUCode = false;
    instructionBytes = 4;
    tilesPerSuperTile = t.getTilesPerSharedExchangeBus();
    supportsSuperTileSendReceive = t.supportsExchangeBusSharing();
    for (unsigned o : t.getMemoryElementOffsets()) memoryElementOffsets.push_back(o);
    interleavedMemoryElementIndex = t.getInterleavedMemoryElementIndex();
    dataPathWidth = t.getDataPathWidth();
    fp16ConvUnitMaxPipelineDepth = t.getFp16ConvUnitMaxPipelineDepth();
    fp32ConvUnitMaxPipelineDepth = t.getFp32ConvUnitMaxPipelineDepth();
    fp16ConvUnitInputLoadElemsPerCycle = t.getFp16ConvUnitInputLoadElemsPerCycle();
    fp32ConvUnitInputLoadElemsPerCycle = t.getFp32ConvUnitInputLoadElemsPerCycle();
    fp16InFp16OutConvUnitsPerTile = t.getFp16InFp16OutConvUnitsPerTile();
    fp16InFp32OutConvUnitsPerTile = t.getFp16InFp32OutConvUnitsPerTile();
    fp32InFp32OutConvUnitsPerTile = t.getFp32InFp32OutConvUnitsPerTile();
    convUnitCoeffLoadBytesPerCycle = t.getConvUnitCoeffLoadBytesPerCycle();
    rptCountMax = t.getRptCountMax();
    atomicStoreGranularity = static_cast<unsigned>(t.getAtomicStoreGranularity());
    numStrideBits = t.getNumStrideBits();
}

bool IPUModel::operator==(const IPUModel &o) const
{
    return IPUVersion == o.IPUVersion && numIPUs == o.numIPUs && tilesPerIPU == o.tilesPerIPU &&
           numWorkerContexts == o.numWorkerContexts && memoryBytesPerTile == o.memoryBytesPerTile &&
           exchangeBytesPerCycle == o.exchangeBytesPerCycle && memcpyBytesPerCycle == o.memcpyBytesPerCycle &&
           minIPUSyncDelay == o.minIPUSyncDelay && relativeSyncDelay == o.relativeSyncDelay &&
           globalSyncCycles == o.globalSyncCycles && tileClockFrequency == o.tileClockFrequency &&
           globalExchangeConstraints == o.globalExchangeConstraints && compileIPUCode == o.compileIPUCode &&
           memoryElementOffsets == o.memoryElementOffsets && dataPathWidth == o.dataPathWidth &&
           interleavedMemoryElementIndex == o.interleavedMemoryElementIndex &&
           instructionBytes == o.instructionBytes && tilesPerSuperTile == o.tilesPerSuperTile &&
           supportsSuperTileSendReceive == o.supportsSuperTileSendReceive &&
           fp16ConvUnitMaxPipelineDepth == o.fp16ConvUnitMaxPipelineDepth &&
           fp32ConvUnitMaxPipelineDepth == o.fp32ConvUnitMaxPipelineDepth &&
           fp16ConvUnitInputLoadElemsPerCycle == o.fp16ConvUnitInputLoadElemsPerCycle &&
           fp32ConvUnitInputLoadElemsPerCycle == o.fp32ConvUnitInputLoadElemsPerCycle &&
           fp16InFp16OutConvUnitsPerTile == o.fp16InFp16OutConvUnitsPerTile &&
           fp16InFp32OutConvUnitsPerTile == o.fp16InFp32OutConvUnitsPerTile &&
           fp32InFp32OutConvUnitsPerTile == o.fp32InFp32OutConvUnitsPerTile &&
           convUnitCoeffLoadBytesPerCycle == o.convUnitCoeffLoadBytesPerCycle && rptCountMax == o.rptCountMax &&
           atomicStoreGranularity == o.atomicStoreGranularity && numStrideBits == o.numStrideBits;
}

/* The C model's 0 is the chip's own value, so that 0 itself cannot be asked for. */
static unsigned positive(unsigned value, const char *name)
{
    if (!value) raise(TW_E_MACHINE_MODEL, "IPUModel::createDevice", std::string(name) + " cannot be 0");
    return value;
}

static void setFigures(tw_ipu_model &model, const IPUModel &m)
{
#define FIGURE(to, from) model.to = positive(m.from, #from)
    FIGURE(num_ipus, numIPUs);
    FIGURE(tiles_per_ipu, tilesPerIPU);
    FIGURE(worker_contexts, numWorkerContexts);
    FIGURE(exchange_bytes_per_cycle, exchangeBytesPerCycle);
    FIGURE(memcpy_bytes_per_cycle, memcpyBytesPerCycle);
    FIGURE(instruction_bytes, instructionBytes);
    FIGURE(tiles_per_super_tile, tilesPerSuperTile);
    FIGURE(data_path_width, dataPathWidth);
    FIGURE(conv_pipeline_depth, fp16ConvUnitMaxPipelineDepth);
    FIGURE(conv_pipeline_depth_f32, fp32ConvUnitMaxPipelineDepth);
    FIGURE(conv_input_f16, fp16ConvUnitInputLoadElemsPerCycle);
    FIGURE(conv_input_f32, fp32ConvUnitInputLoadElemsPerCycle);
    FIGURE(conv_units_f16_f16, fp16InFp16OutConvUnitsPerTile);
    FIGURE(conv_units_f16_f32, fp16InFp32OutConvUnitsPerTile);
    FIGURE(conv_units_f32_f32, fp32InFp32OutConvUnitsPerTile);
    FIGURE(conv_coeff_bytes_per_cycle, convUnitCoeffLoadBytesPerCycle);
    FIGURE(rpt_count_max, rptCountMax);
    FIGURE(atomic_store_granularity, atomicStoreGranularity);
    FIGURE(num_stride_bits, numStrideBits);
#undef FIGURE
    model.no_super_tile_send_receive = !m.supportsSuperTileSendReceive;
}

static void setSyncDelays(tw_ipu_model &model, const IPUModel &m)
{
    bool together = m.relativeSyncDelay == IPUModel::RelativeSyncDelayType::NO_DELAY;
    model.min_sync_delay = m.minIPUSyncDelay ? m.minIPUSyncDelay : TW_NO_DELAY;
    model.no_relative_sync_delay = together;
    model.no_sync_delay = together && !m.minIPUSyncDelay;
    model.global_sync_cycles = m.globalSyncCycles;
}

Device IPUModel::createDevice(OptionFlags options, bool accurateHalf, unsigned deviceManagerId) const
{
    tw_ipu_model model = tw_ipu_model();
    model.size = sizeof model;
    model.chip = chipOf(IPUVersion, "IPUModel::createDevice");
    model.bytes_per_tile = memoryBytesPerTile;
    model.clock_hz = tileClockFrequency;
    model.accurate_half = accurateHalf;
    model.compile_ipu_code = compileIPUCode;
    setSyncDelays(model, *this);
    setFigures(model, *this);
    setOptions(model, options, "IPUModel::createDevice");
    IPUModel own(IPUVersion.c_str());
    if (memoryElementOffsets != own.memoryElementOffsets ||
        interleavedMemoryElementIndex != own.interleavedMemoryElementIndex) {
        model.memory_element_offsets = memoryElementOffsets.data();
        model.memory_element_count = memoryElementOffsets.size();
        model.interleaved_memory_element_index = interleavedMemoryElementIndex;
    }
    std::vector<std::vector<tw_global_exchange_flow>> flows;
    std::vector<tw_global_exchange_constraint> constraints;
    for (const GlobalExchangeConstraint &c : globalExchangeConstraints) {
        flows.emplace_back();
        for (const GlobalExchangeFlow &f : c.flows) flows.back().push_back({ f.src, f.dst });
        constraints.push_back({ c.bandwidth, flows.back().size(), flows.back().data() });
    }
    model.global_exchange_constraints = constraints.data();
    model.global_exchange_constraint_count = constraints.size();
    unsigned id = deviceManagerId == std::numeric_limits<unsigned>::max() ? 0 : deviceManagerId;
    return ownedDevice(tw_device_ipu_model_with(&model), id, "IPUModel::createDevice", std::move(options));
}

} // namespace poplar
