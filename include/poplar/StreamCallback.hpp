// SPDX-License-Identifier: MIT
/* Host code that fills or takes the data of a stream. */
#ifndef POPLAR_STREAM_CALLBACK_HPP
#define POPLAR_STREAM_CALLBACK_HPP

#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace poplar {

class StreamCallbackBase {
  public:
    enum class Result { Success, NotAvailable };
    virtual ~StreamCallbackBase() = default;
    virtual void complete() = 0;
    virtual void invalidatePrefetched() {}
};

/* prefetch() may run ahead of the program; what it could not give, fetch() must. complete() follows each transfer. */
class StreamCallback : public StreamCallbackBase {
  public:
    using StreamCallbackBase::Result;
    virtual Result prefetch(void *data) = 0;
    virtual void fetch(void *data) = 0;
};

/* fetch() alone, never ahead of the program. */
class LegacyStreamCallback : public StreamCallback {
  public:
    Result prefetch(void *) override { return Result::NotAvailable; }
    void complete() override {}
};

/* Owns a callback: made from a unique_ptr to one, or from a callable that takes the buffer. */
class StreamCallbackHandle {
  public:
    template <class C, class = typename std::enable_if<std::is_base_of<StreamCallback, C>::value>::type>
    StreamCallbackHandle(std::unique_ptr<C> c) : callback(std::move(c))
    {
    }
    template <class F, class = decltype(std::declval<F &>()(static_cast<void *>(nullptr))), class = void>
    StreamCallbackHandle(F f) : callback(new Call<F>(std::move(f)))
    {
    }
    StreamCallbackHandle(StreamCallbackHandle &&) = default;
    StreamCallbackHandle &operator=(StreamCallbackHandle &&) = default;
    StreamCallbackHandle(const StreamCallbackHandle &) = delete;
    StreamCallback *get() const { return callback.get(); }
    std::unique_ptr<StreamCallback> release() { return std::move(callback); }

  private:
    template <class F> struct Call : LegacyStreamCallback {
        F f;
        explicit Call(F g) : f(std::move(g)) {}
        void fetch(void *data) override { f(data); }
    };
    std::unique_ptr<StreamCallback> callback;
};

} // namespace poplar
#endif
