// SPDX-License-Identifier: MIT
// Part of <pto/pto-inst.hpp>: the host's side of a test program. Memory of the device is memory of the process, a
// stream runs
// what it is given at once, and errors are numbers as in the vendor's runtime: 0 is good.
#ifndef PTO_PTO_RUNTIME_HPP
#define PTO_PTO_RUNTIME_HPP

using aclError = int;
using aclFloat16 = uint16_t;
using aclrtStream = void *;
constexpr aclError ACL_SUCCESS = 0, ACL_ERROR_INVALID_PARAM = 100000, ACL_ERROR_BAD_ALLOC = 200000;
enum aclrtMemMallocPolicy { ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEM_MALLOC_HUGE_ONLY, ACL_MEM_MALLOC_NORMAL_ONLY };
enum aclrtMemcpyKind {
    ACL_MEMCPY_HOST_TO_HOST,
    ACL_MEMCPY_HOST_TO_DEVICE,
    ACL_MEMCPY_DEVICE_TO_HOST,
    ACL_MEMCPY_DEVICE_TO_DEVICE
};

inline aclError aclInit(const char *)
{
    return ACL_SUCCESS;
}
inline aclError aclFinalize()
{
    return ACL_SUCCESS;
}
inline aclError aclrtSetDevice(int32_t device)
{
    return device < 0 ? ACL_ERROR_INVALID_PARAM : ACL_SUCCESS;
}
inline aclError aclrtResetDevice(int32_t device)
{
    return aclrtSetDevice(device);
}
inline aclError aclrtCreateStream(aclrtStream *stream)
{
    static int one; // every stream is in order with every other
    if (!stream) return ACL_ERROR_INVALID_PARAM;
    *stream = &one;
    return ACL_SUCCESS;
}
inline aclError aclrtDestroyStream(aclrtStream)
{
    return ACL_SUCCESS;
}
inline aclError aclrtSynchronizeStream(aclrtStream)
{
    return ACL_SUCCESS;
}
inline aclError aclrtMalloc(void **pointer, std::size_t bytes, aclrtMemMallocPolicy)
{
    if (!pointer || bytes == 0) return ACL_ERROR_INVALID_PARAM;
    *pointer = std::malloc(bytes);
    return *pointer ? ACL_SUCCESS : ACL_ERROR_BAD_ALLOC;
}
inline aclError aclrtFree(void *pointer)
{
    std::free(pointer);
    return ACL_SUCCESS;
}
inline aclError aclrtMallocHost(void **pointer, std::size_t bytes)
{
    return aclrtMalloc(pointer, bytes, ACL_MEM_MALLOC_NORMAL_ONLY);
}
inline aclError aclrtFreeHost(void *pointer)
{
    return aclrtFree(pointer);
}
inline aclError aclrtMemcpy(void *to, std::size_t room, const void *from, std::size_t bytes, aclrtMemcpyKind)
{
    if (bytes > room || (bytes && (!to || !from))) return ACL_ERROR_INVALID_PARAM;
    if (bytes) std::memmove(to, from, bytes);
    return ACL_SUCCESS;
}
inline aclError aclrtMemset(void *to, std::size_t room, int32_t value, std::size_t bytes)
{
    if (bytes > room || (bytes && !to)) return ACL_ERROR_INVALID_PARAM;
    if (bytes) std::memset(to, value, bytes);
    return ACL_SUCCESS;
}
// Where flags between cores live, which kernels pass to set_ffts_base_addr: nowhere, here.
inline int rtGetC2cCtrlAddr(uint64_t *address, uint32_t *bytes)
{
    if (!address || !bytes) return ACL_ERROR_INVALID_PARAM;
    *address = 0;
    *bytes = 0;
    return ACL_SUCCESS;
}

namespace pto {

// Whose memories and rules the core of this thread has. The documents name the macros below without their arguments.
enum class NPUArch { CPU = TW_PTO_CPU, A2A3 = TW_PTO_A2A3, A5 = TW_PTO_A5 };

namespace tw_detail {
inline void fresh_core(tw_pto_target target)
{
    if (own_core().use_count() > 1)
        throw std::logic_error("a new core is made while tiles of the old one are alive");
    own_core() = new_core(target);
}
inline void memory_init(NPUArch arch)
{
    fresh_core(tw_pto_target(int(arch)));
}
inline void memory_init()
{
    fresh_core(tw_pto_get_target(core()));
}
} // namespace tw_detail
} // namespace pto

// A fresh core for this thread, its memories zero: of the architecture given, or of the one that it has.
#define NPU_MEMORY_INIT(...) ::pto::tw_detail::memory_init(__VA_ARGS__)
#define NPU_MEMORY_CLEAR()   ::pto::tw_detail::memory_init()
#endif
