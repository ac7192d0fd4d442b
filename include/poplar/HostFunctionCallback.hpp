// SPDX-License-Identifier: MIT
/* Host code of a function that programs call, for Engine::connectHostFunction(). */
#ifndef POPLAR_HOST_FUNCTION_CALLBACK_HPP
#define POPLAR_HOST_FUNCTION_CALLBACK_HPP

#include <memory>
#include <poplar/ArrayRef.hpp>
#include <type_traits>
#include <utility>

namespace poplar {

/* Inputs as the device had them, room for the outputs; valid during the call. */
class HostCallback {
  public:
    virtual ~HostCallback() = default;
    virtual void operator()(ArrayRef<const void *> inputs, ArrayRef<void *> outputs) = 0;
};

/* Owns a callback: made from a unique_ptr to one, or from a callable that takes the same. */
class HostCallbackHandle {
  public:
    template <class C, class = typename std::enable_if<std::is_base_of<HostCallback, C>::value>::type>
    HostCallbackHandle(std::unique_ptr<C> c) : callback(std::move(c))
    {
    }
    template <class F,
              class = decltype(std::declval<F &>()(std::declval<ArrayRef<const void *>>(),
                                                   std::declval<ArrayRef<void *>>())),
              class = void>
    HostCallbackHandle(F f) : callback(new Call<F>(std::move(f)))
    {
    }
    HostCallbackHandle(HostCallbackHandle &&) = default;
    HostCallbackHandle &operator=(HostCallbackHandle &&) = default;
    HostCallbackHandle(const HostCallbackHandle &) = delete;
    std::unique_ptr<HostCallback> release() { return std::move(callback); }

  private:
    template <class F> struct Call : HostCallback {
        F f;
        explicit Call(F g) : f(std::move(g)) {}
        void operator()(ArrayRef<const void *> inputs, ArrayRef<void *> outputs) override { f(inputs, outputs); }
    };
    std::unique_ptr<HostCallback> callback;
};

} // namespace poplar
#endif
