// SPDX-License-Identifier: MIT
/* A small layered library of our own on top of aie/vendor.hpp, the way the vendor's is built: class templates around
 * the vector types, traits specialised by type, intrinsics found by overloads through conversion operators. Prints
 * each expectation that does not hold; ends with 1 then. Compiled by vendor_test.sh with clang++ and g++. */
#include <tilewright/aie/vendor.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <tuple>
#include <type_traits>
#include <utility>

static int fails;
#define EXPECT(condition) \
    ((condition) ? (void)0 : (void)(std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition), fails++))

/* --- the types: distinct classes, right size, 16-byte alignment that templates keep -------- */

template <class V> struct traits; /* two rows of one type would be a redefinition */
#define TRAITS(lanes, element, bits)                                                                \
    template <> struct traits<v##lanes##element> {                                                  \
        typedef element type;                                                                       \
    };                                                                                              \
    static_assert(std::is_class<v##lanes##element>::value, "");                                     \
    static_assert(std::is_trivially_copyable<v##lanes##element>::value, "");                        \
    static_assert(std::is_trivially_default_constructible<v##lanes##element>::value, "");           \
    static_assert(std::is_same<decltype(undef_v##lanes##element()), v##lanes##element>::value, ""); \
    static_assert(std::is_same<decltype(null_v##lanes##element()), v##lanes##element>::value, "");  \
    static_assert(alignof(v##lanes##element) == 16, "");                                            \
    static_assert(sizeof(v##lanes##element) == (lanes) * (bits) / 8, "");                           \
    static_assert(alignof(std::array<v##lanes##element, 2>) == 16, "");
TW_AIE_REAL_LIST(TRAITS)
TW_AIE_STRUCT_LIST(TRAITS)
#define ACC_TRAITS(lanes, kind, parts)                                    \
    template <> struct traits<v##lanes##kind> {                           \
        typedef kind type;                                                \
    };                                                                    \
    static_assert(std::is_trivially_copyable<v##lanes##kind>::value, ""); \
    static_assert(std::is_empty<kind>::value || sizeof(kind) > 1, "");
TW_AIE_ACC48_LIST(ACC_TRAITS)
TW_AIE_ACC80_LIST(ACC_TRAITS)

static_assert(!std::is_convertible<v16int16, v8int32>::value, "casts are written");
static_assert(std::is_constructible<v8int32, v16int16>::value, "between types of one width");
static_assert(!std::is_constructible<v8int32, v8int16>::value, "");
static_assert(!std::is_constructible<v8acc48, v16int16>::value, "");
static_assert(std::is_constructible<v4cacc48, v8acc48>::value, "");
static_assert(!std::is_constructible<v8cacc48, v8acc48>::value, "");
static_assert(std::is_same<v8accfloat, v8float>::value, "there are no float accumulators");
static_assert(__AIE_ARCH__ == 10 && __AIE_MODEL_VERSION__ >= 12400 && __AIE_MODEL_VERSION__ < 20000, "");
static_assert(AIE_VECTOR_LDST_ALIGN == 16, "");
static_assert(aie_dm_resource_get_v<int16> == aie_dm_resource::none, "");
static_assert(std::is_same<aie_dm_resource_set_t<int16, aie_dm_resource::ab>, int16>::value, "");
static_assert(sizeof ZERO >= 128 && alignof(decltype(ZERO)) >= 1, "");
static_assert(rnd_conv_odd == 7 && fpadd_mixsub == 3 && fpcmp_nrm == 2, "");
/* Tags of accumulators of later machines are named in concepts. */
typedef std::tuple<acc16, acc24, acc32, acc40, acc56, acc64, acc72, cacc16, cacc24, cacc32, cacc40, cacc56, cacc64,
                   cacc72, accfloat, caccfloat, acc80, cacc80>
    every_tag;

static void test_types()
{
    v16int16 v = { 1, 2, 3 };
    EXPECT(v[0] == 1 && v[2] == 3 && v[15] == 0);
    v[1] = 0x102;
    v8int32 w = (v8int32)v;
    EXPECT(w[0] == 0x01020001);
    const v16int16 back(w);
    EXPECT(back[1] == 0x102);
    v8cint16 c = (v8cint16)v;
    EXPECT(c[0].real == 1 && c[0].imag == 0x102);
    c[3] = cint16{ -1, 4 };
    EXPECT(::ext_elem(c, 3) == (cint16{ -1, 4 }));
    /* An 80-bit lane lies in two slots of 48 bits. */
    v8acc48 a = ::null_v8acc48();
    a.word[0] = 5, a.word[1] = 7;
    v4acc80 wide = (v4acc80)a;
    EXPECT(wide.word[0] == ((int128)7 << 48) + 5);
    int16 line[32] __attribute__((aligned(32)));
    for (int i = 0; i < 32; i++) line[i] = static_cast<int16>(i);
    const v16int16 *p = reinterpret_cast<const v16int16 *>(line);
    line[17] = 99;
    EXPECT(p[1][1] == 99); /* the classes may alias anything */
    EXPECT((*(const v4int32 *)ZERO)[3] == 0);
}

/* --- a layered library ---------------------------------------------------------------------------------------- */

namespace lib {

template <class T, unsigned N> struct native;
#define NATIVE(lanes, element, bits)            \
    template <> struct native<element, lanes> { \
        typedef v##lanes##element type;         \
    };
// clang-format off
TW_AIE_REAL_LIST(NATIVE)
NATIVE(4, cint16, 32) NATIVE(8, cint16, 32) NATIVE(16, cint16, 32) NATIVE(8, cint32, 64) NATIVE(4, cint32, 64)
    // clang-format on

    template <class T, unsigned N>
    class vec {
    typename native<T, N>::type data;

  public:
    vec() : data() {}
    vec(typename native<T, N>::type v) : data(v) {}
    operator typename native<T, N>::type() const { return data; }
    T operator[](unsigned i) const { return data[i]; }
    static vec load(const T *p) { return *reinterpret_cast<const typename native<T, N>::type *>(p); }
    void store(T *p) const { *reinterpret_cast<typename native<T, N>::type *>(p) = data; }
};
template <class T, unsigned N> vec<T, 2 * N> join(vec<T, N> a, vec<T, N> b)
{
    return ::concat(a, b);
}

template <class A> class acc {
    A data;

  public:
    acc(A a) : data(a) {}
    operator A() const { return data; }
};

enum class op { mul, mac, msc, negmul };
/* A function object per operation, as generic lambdas hand them around. */
template <op O> struct mul16_op;
template <> struct mul16_op<op::mul> {
    template <class... P> auto operator()(const P &...p) const -> decltype(::mul16(p...)) { return ::mul16(p...); }
};
template <> struct mul16_op<op::mac> {
    template <class... P> auto operator()(const P &...p) const -> decltype(::mac16(p...)) { return ::mac16(p...); }
};

template <class T, unsigned N> vec<T, N> reverse32(vec<T, N> v)
{
    static_assert(N == 32, "");
    return ::shuffle32(v, 0, 0x080a0c0e, 0x00020406, 0x0123);
}
} // namespace lib

static void test_layers()
{
    int16 in[64] __attribute__((aligned(16))), taps[16] __attribute__((aligned(16)));
    for (int i = 0; i < 64; i++) in[i] = static_cast<int16>(37 * i % 101 - 50);
    for (int i = 0; i < 16; i++) taps[i] = static_cast<int16>(i * i - 30);
    typedef lib::vec<int16, 32> x_t;
    x_t x = lib::join(lib::vec<int16, 16>::load(in), lib::vec<int16, 16>::load(in + 16));
    lib::vec<int16, 16> z = lib::vec<int16, 16>::load(taps);
    lib::acc<v16acc48> a = lib::mul16_op<lib::op::mul>()(x, 0, 0x03020100, 0x07060504, 0x2110, z, 0, 0, 0, 1);
    for (int k = 2; k < 16; k += 2)
        a = lib::mul16_op<lib::op::mac>()(a, x, k, 0x03020100, 0x07060504, 0x2110, z, k, 0, 0, 1);
    lib::vec<int16, 16> y = ::srs(a, 4);
    for (int l = 0; l < 16; l++) {
        int sum = 0;
        for (int k = 0; k < 16; k++) sum += in[l + k] * taps[k];
        EXPECT(y[l] == static_cast<int16>(sum >> 4));
    }
    unsigned less = ::lt32(x, lib::reverse32(x)), cmp = 0;
    lib::vec<int16, 32> most = ::maxcmp32(x, lib::reverse32(x), cmp);
    for (int l = 0; l < 32; l++) {
        EXPECT((less >> l & 1) == (in[l] < in[31 - l]));
        EXPECT(most[l] == (in[l] < in[31 - l] ? in[31 - l] : in[l]));
    }
    /* Self products take z from x; two columns, so no step for either. */
    v16acc48 squares =
        ::mul16(::concat(z, z), 0, 0x73727170, 0x77767574, 0x3120, 0, 0x73727170, 0x77767574, 0x3120);
    for (int l = 0; l < 16; l++) EXPECT(squares.word[l] == 2 * taps[l] * taps[l]);
    v8float f = ::fpmac(::null_v8float(), ::concat(::null_v8float(), ::null_v8float()), 0, 0x76543210,
                        ::null_v8float(), 0, 0);
    EXPECT(f[7] == 0);
    int16 out[16] __attribute__((aligned(16)));
    y.store(out);
    EXPECT(out[3] == y[3]);
    auto cast = ::as_v8int32(z); /* a layered object is cast as its native one is */
    EXPECT(static_cast<int16>(cast[1]) == taps[2]);
}

/* --- overloads beyond the user guide -------------------------------------------------------------------------- */

static void test_extra_overloads()
{
    /* accumulator +- vector */
    v16int16 v = { 1, -2, 3, 32767, -32768 };
    v16acc48 a = ::ups(v, 8);
    v16acc48 sum = a + v, difference = sum - v - v;
    for (int l = 0; l < 16; l++) {
        EXPECT(sum.word[l] == v[l] * 257);
        EXPECT(difference.word[l] == v[l] * 255);
    }
    v4cint32 c = { { { 1 << 30, -5 }, { 7, 8 } } };
    v4cacc80 wide = ::lups(c, 20) + c;
    EXPECT(wide.word[0] == ((int128)1 << 50) + (1 << 30) && wide.word[1] == -(int128)5 * ((1 << 20) + 1));
    EXPECT((wide - c).word[3] == (int128)8 << 20);
    /* conjugation as an argument: the same as the names that say it */
    v16cint16 x;
    v8cint16 z;
    for (int i = 0; i < 16; i++) x[i] = cint16{ static_cast<int16>(100 * i - 700), static_cast<int16>(31 - 5 * i) };
    for (int i = 0; i < 8; i++) z[i] = cint16{ static_cast<int16>(9 - i), static_cast<int16>(i * i) };
    v8cacc48 plain = ::mul8(x, 0, 0x76543210, false, z, 0, 0x76543210, false);
    v8cacc48 both = ::mac8(plain, x, 8, 0x76543210, true, z, 0, 0x76543210, true);
    v8cacc48 want = ::mac8_cc(::mul8(x, 0, 0x76543210, z, 0, 0x76543210), x, 8, 0x76543210, z, 0, 0x76543210);
    for (int k = 0; k < 16; k++) EXPECT(both.word[k] == want.word[k]);
    v8cacc48 sym = ::msc8_sym(plain, x, 0, 0x76543210, 8, false, z, 0, 0x76543210, true);
    for (int l = 0; l < 8; l++) {
        int re = x[l].real + x[8 + l].real, im = x[l].imag + x[8 + l].imag;
        EXPECT(sym.word[2 * l] == plain.word[2 * l] - (re * z[l].real + im * z[l].imag));
        EXPECT(sym.word[2 * l + 1] == plain.word[2 * l + 1] - (im * z[l].real - re * z[l].imag));
    }
    /* acc - (z x + conj(z) y) */
    v8cint32 u = { { { 3, 4 }, { -5, 6 }, { 7, -8 }, { 9, 10 }, { 1, 2 }, { 3, -4 }, { -5, 6 }, { 7, 8 } } };
    v4cacc48 s = ::msc4_conj_sym(::null_v4cacc48(), u, 0, 0x3210, 4, 0, z, 2, 0, false);
    for (int l = 0; l < 4; l++) {
        int zr = z[2].real, zi = z[2].imag;
        EXPECT(s.word[2 * l] == -(zr * (u[l].real + u[4 + l].real) - zi * (u[l].imag - u[4 + l].imag)));
        EXPECT(s.word[2 * l + 1] == -(zr * (u[l].imag + u[4 + l].imag) + zi * (u[l].real - u[4 + l].real)));
    }
    /* z of 512 bits */
    v16int32 wx, wz;
    for (int i = 0; i < 16; i++) wx[i] = 1000003 * (i - 7), wz[i] = -70001 * i + (i << 24);
    v8acc80 w = ::lmac8(::lmul8(wx, 14, 0x76543210, wz, 9, 0x01234567), wx, 2, 0x76543210, wz, 0, 0x76543210);
    v4acc80 w4 = ::lnegmul4(wx, 0, 0x3210, 4, wz, 8, 0x3210, 5);
    for (int l = 0; l < 8; l++)
        EXPECT(w.word[l] == (int128)wx[(14 + l) % 16] * wz[(9 + 7 - l) % 16] + (int128)wx[2 + l] * wz[l]);
    for (int l = 0; l < 4; l++)
        EXPECT(w4.word[l] == -((int128)wx[l] * wz[8 + l] + (int128)wx[4 + l] * wz[(13 + l) % 16]));
    cfloat half = ::fix2float(cint16{ 16384, -8192 }, 15);
    EXPECT(half.real == 0.5f && half.imag == -0.25f);
    EXPECT(::float2fix(half, 2) == (cint32{ 2, -1 }));
    EXPECT(::as_float(0x40200000) == 2.5f && ::as_float(-1082130432) == -1.0f);
    v16float many = ::fix2float_vectorized(v, 1);
    EXPECT(many[1] == -1 && many[4] == -16384);
    v16int16 again = ::float2fix_vectorized(many, 1);
    for (int i = 0; i < 16; i++) EXPECT(again[i] == v[i]);
    EXPECT(::as_cint16(0x00020001) == (cint16{ 1, 2 }));
}

#pragma GCC diagnostic ignored "-Wmissing-braces"
/* Plain sums of vectors, which published kernels write: integers wrap. */
static void test_sums()
{
    v4int32 a = ::null_v4int32(), b = a;
    a[1] = 2147483647, b[1] = 1, a[3] = -5, b[3] = 7;
    v4int32 sum = a + b, difference = a - b;
    EXPECT(sum[1] == -2147483647 - 1 && sum[3] == 2 && sum[0] == 0);
    EXPECT(difference[1] == 2147483646 && difference[3] == -12);
    v2cfloat c = ::null_v2cfloat();
    c[1] = cfloat{ 1, -2 };
    EXPECT((c + c)[1].imag == -4.0f && (c - c)[1].real == 0.0f);
    cint64 wide = { -5, 9 };
    EXPECT((wide >> 1).real == -3 && (wide >> 1).imag == 4 && (wide << 2).real == -20);
}
static void test_scalars()
{
    cint16_t a = { 3, -4 };
    cint32 wide = a; /* widens by itself */
    EXPECT(wide == (cint32{ 3, -4 }));
    EXPECT(wide * a == (cint32{ 9 - 16, -24 }));
    cfloat f = (cfloat)a;
    EXPECT(f == (cfloat{ 3, -4 }));
    EXPECT((cint16)(cint32{ 70000, -1 }) == (cint16{ 70000 - 65536, -1 }));
    static_assert(!std::is_convertible<cint32, cint16>::value && std::is_convertible<cint16, cint32>::value, "");
    static_assert(!std::is_convertible<cint16, cfloat>::value && std::is_trivially_copyable<cint16>::value, "");
    static_assert(!std::is_convertible<cint16, int>::value && sizeof(cint16) == 4, "");
    EXPECT(f * 2.0f == (cfloat{ 6, -8 }) && 1.0f - f == (cfloat{ -2, 4 }));
    EXPECT(a * int16(-2) == (cint16{ -6, 8 }) && int16(1) + a == (cint16{ 4, -4 }));
    static const cint16 flat[2] = { 1, 2, 3, 4 }; /* as generated coefficient files have it */
    EXPECT(flat[1] == (cint16{ 3, 4 }));
}

/* --- spelling of kernels -------------------------------------------------------------------------------------- */

#define TAPS 8
static void kernel(const cint16 *__restrict in, cint16 *__restrict out, const int samples,
                   const int16 *__restrict coefficients)
{
    v8cint16 *__restrict to = (v8cint16 *)out;
    const v16int16 chess_storage(wc0) taps = *(const v16int16 *)coefficients;
    v16cint16 chess_storage(xa) line = ::undef_v16cint16();
    ::set_rnd(rnd_floor);
    ::set_sat();
    for (int i = 0; i < samples; i += 8) chess_prepare_for_pipelining chess_loop_range(4, )
        {
            line = ::upd_w(line, 0, *(const v8cint16 *)(in + i));
            line = ::upd_w(line, 1, *(const v8cint16 *)(in + i + 8));
            v8cacc48 chess_storage(bm0) acc = ::mul8(line, 0, 0x76543210, 1, taps, 0, 0x00000000, 1);
            for (int k = 2; k < TAPS; k += 2)
                chess_flatten_loop acc = ::mac8(acc, line, k, 0x76543210, 1, taps, k, 0x00000000, 1);
            chess_separator_scheduler();
            *to++ = ::srs(acc, 6);
        }
    ::clr_sat();
}
static void test_kernel()
{
    cint16 in[72] __attribute__((aligned(16))), out[64] __attribute__((aligned(16)));
    int16 taps[16] __attribute__((aligned(16))) = { 3, -1, 4, 1, -5, 9, 2, -6 };
    for (int i = 0; i < 72; i++)
        in[i] = cint16{ static_cast<int16>(977 * i % 8191), static_cast<int16>(-311 * i % 4093) };
    kernel(in, out, 64, taps);
    for (int i = 0; i < 64; i++) {
        int re = 0, im = 0;
        for (int k = 0; k < TAPS; k++) re += in[i + k].real * taps[k], im += in[i + k].imag * taps[k];
        EXPECT(out[i].real == re >> 6 && out[i].imag == im >> 6);
    }
}

/* 64 points by decimation in time: a stage of butterflies for parts of 32, 16, 8 and 4 points, the last two by hand;
 * against the transform's sum. */
static void test_transform(bool inv)
{
    enum { N = 64, SHIFT = 15 };
    alignas(32) cint32 x[N], y[N];
    double re[N], im[N];
    const double turn = 6.283185307179586;
    for (int i = 0; i < N; i++) {
        x[i] =
            cint32{ static_cast<int>(40000 * std::sin(i * 1.7)), static_cast<int>(40000 * std::cos(i * i * 0.3)) };
        re[i] = x[i].real, im[i] = x[i].imag;
    }
    cint32 *from = x, *to = y;
    int r = N / 2;
    for (int blocks = 1; blocks < N; blocks *= 2, r /= 2, std::swap(from, to)) {
        alignas(32) cint16 roots[N / 2 + 8];
        for (int b = 0; b < blocks; b++) {
            const double a = -turn * b / (2 * blocks);
            roots[b] = cint16{ static_cast<int16>(std::lround(32767 * std::cos(a))),
                               static_cast<int16>(std::lround(32767 * std::sin(a))) };
        }
        ::set_rdx(2);
        const v4cint32 *low = (const v4cint32 *)from, *high = (const v4cint32 *)(from + r);
        const v4cint32 *low_end = high, *high_end = (const v4cint32 *)(from + 2 * r);
        const v8cint16 *root = (const v8cint16 *)roots;
        umod_t count = 0, same = 0;
        int offsets = 0;
        for (int j = 0; r >= 4 && j < N / 8; j++) {
            const v8cacc48 pair = ::butterfly_dit(::concat(*low, *high), ::undef_v8cint32(), 0x3210, 0x7654, *root,
                                                  0, offsets, inv, SHIFT);
            ((v4cint32 *)to)[j] = ::lsrs(::ext_lo(pair), SHIFT);
            ((v4cint32 *)(to + N / 2))[j] = ::lsrs(::ext_hi(pair), SHIFT);
            low = ::fft_data_incr(low, r / 4, low_end, count);
            high = ::fft_data_incr(high, r / 4, high_end, same);
            root = ::fft_twiddle_incr(root, count, 3);
            offsets = ::fft_zoffs(::fft_mod_delay(same), 3, 1, 0);
        }
        for (int b = 0; r < 4 && b < blocks; b++)
            for (int k = 0; k < r; k++) {
                const cint32 a = from[2 * r * b + k], c = from[2 * r * b + r + k];
                const double wr = roots[b].real / 32768.0, wi = (inv ? -1 : 1) * roots[b].imag / 32768.0;
                const int tr = static_cast<int>(c.real * wr - c.imag * wi),
                          ti = static_cast<int>(c.real * wi + c.imag * wr);
                to[r * b + k] = cint32{ a.real + tr, a.imag + ti };
                to[N / 2 + r * b + k] = cint32{ a.real - tr, a.imag - ti };
            }
    }
    for (int k = 0; k < N; k++) {
        double sr = 0, si = 0;
        for (int i = 0; i < N; i++) {
            const double a = (inv ? 1 : -1) * turn * i * k / N, c = std::cos(a), s = std::sin(a);
            sr += re[i] * c - im[i] * s, si += re[i] * s + im[i] * c;
        }
        EXPECT(std::fabs(from[k].real - sr) < 400 && std::fabs(from[k].imag - si) < 400); /* of up to 1,000,000 */
    }
}
/* x + z y and x - z y, turned by -j (by j with conj), and one product more. */
static void test_butterflies()
{
    const cint32 x{ 1000, -7 }, y{ 5, 300 };
    const cint16 z{ 3, -2 };
    v8cint32 both = ::undef_v8cint32();
    v8cint16 roots = ::undef_v8cint16();
    for (int l = 0; l < 4; l++) both = ::upd_elem(::upd_elem(both, l, x), l + 4, y);
    for (int l = 0; l < 8; l++) roots = ::upd_elem(roots, l, z);
    for (bool conj : { false, true }) {
        const int zi = conj ? -z.imag : z.imag, pr = z.real * y.real - zi * y.imag,
                  pi = z.real * y.imag + zi * y.real;
        const int tr = conj ? -pi : pi, ti = conj ? pr : -pr;
        const v8cacc48 plain = ::butterfly_dit(both, both, 0x3210, 0x7654, roots, 0, 0x3210, conj, 1);
        const v8cacc48 turned = ::butterfly_dit_minj(both, both, 0x3210, 0xfedc, roots, 0, 0x3210, conj, 1);
        const v8cacc48 first = ::half_butterfly_dit(both, both, 0xba98, 0xfedc, roots, 0, 0x3210, conj, 1);
        const v8cacc48 more = ::half_butterfly_dit(first, both, both, 0x7654, roots, 4, 0x3210, conj);
        for (int l = 0; l < 4; l++) {
            EXPECT(plain.lane[l].real == 2 * x.real + pr && plain.lane[l].imag == 2 * x.imag + pi);
            EXPECT(plain.lane[l + 4].real == 2 * x.real - pr && plain.lane[l + 4].imag == 2 * x.imag - pi);
            EXPECT(turned.lane[l].real == 2 * x.real + tr && turned.lane[l].imag == 2 * x.imag + ti);
            EXPECT(turned.lane[l + 4].real == 2 * x.real - tr && turned.lane[l + 4].imag == 2 * x.imag - ti);
            EXPECT(more.lane[l].real == 2 * x.real + 2 * pr && more.lane[l].imag == 2 * x.imag + 2 * pi);
            EXPECT(more.lane[l + 4].real == pr && more.lane[l + 4].imag == pi);
        }
    }
}

int main()
{
    test_transform(false);
    test_transform(true);
    test_butterflies();
    test_types();
    test_layers();
    test_extra_overloads();
    test_sums();
    test_scalars();
    test_kernel();
    return fails != 0;
}
