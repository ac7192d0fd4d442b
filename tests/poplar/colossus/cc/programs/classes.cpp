// SPDX-License-Identifier: MIT
/* C++: classes with constructors and destructors, virtual functions, templates, references, lambdas, pointers to
 * members. */
#include "program.h"

struct Shape {
    virtual int area() const = 0;
    virtual int sides() const { return 0; }
    int id = 0;
};
struct Square : Shape {
    explicit Square(int w) : width(w) { id = 1; }
    int area() const override { return width * width; }
    int sides() const override { return 4; }
    int width;
};
struct Other {
    virtual int more() { return 7; }
    int value = 3;
};
struct Both : Square, Other {
    Both(int w, int v) : Square(w) { value = v, id = 2; }
    int area() const override { return Square::area() + value; }
    int more() override { return value * width; }
};
static int trace;
struct Guard {
    explicit Guard(int n) : number(n) { trace = trace * 10 + n; }
    Guard(const Guard &other) : number(other.number + 1) { trace = trace * 10 + number; }
    ~Guard() { trace = trace * 10 + 9; }
    int number;
};
template <typename T, unsigned N> struct Array {
    T items[N];
    T sum() const
    {
        T s = 0;
        for (const T &i : items) s += i;
        return s;
    }
    template <typename F> void each(F f)
    {
        for (T &i : items) f(i);
    }
};
template <typename T> T largest(T a, T b)
{
    return a > b ? a : b;
}
template <typename T, typename... Rest> T largest(T a, T b, Rest... rest)
{
    return largest(largest(a, b), rest...);
}

struct Complex {
    float re, im;
    Complex operator*(const Complex &o) const { return { re * o.re - im * o.im, re * o.im + im * o.re }; }
    Complex &operator+=(const Complex &o)
    {
        re += o.re, im += o.im;
        return *this;
    }
    bool operator==(const Complex &o) const { return re == o.re && im == o.im; }
};
namespace {
enum class Color : u8 { red, green = 5, blue };
NOINLINE int paint(Color c)
{
    return c == Color::green ? 1 : c == Color::blue ? 2 : 3;
}
} // namespace
NOINLINE int total(Shape *const *shapes, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) s = s * 31 + shapes[i]->area() * 10 + shapes[i]->sides() + shapes[i]->id;
    return s;
}
NOINLINE int more(Other &o)
{
    return o.more();
}
NOINLINE Guard pass(Guard g)
{
    return Guard(g.number * 2);
}
NOINLINE void change(int &x, int *&p)
{
    x += 5, p = &x;
}
NOINLINE int by_member(Both &b, int Both::*field, int (Both::*call)())
{
    return b.*field + (b.*call)();
}
constexpr int power(int x, int n)
{
    return n ? x * power(x, n - 1) : 1;
}

int main()
{
    Square square(3);
    Both both(4, 10);
    Shape *shapes[] = { &square, &both };
    out((u32)total(shapes, 2)), out((u32)more(both)), out((u32)by_member(both, &Both::value, &Both::more));
    {
        Guard a(1), b = pass(a);
        out((u32)b.number);
    }
    out((u32)trace);
    Array<int, 5> ints = { { 1, 2, 3, 4, 5 } };
    Array<float, 3> floats = { { 1.5f, 2.5f, -3 } };
    int by = 3;
    ints.each([&](int &i) { i = i * by + power(2, 5), by++; });
    out((u32)ints.sum()), out_float(floats.sum()), out((u32)by), out((u32)largest(3, 9, 4)),
        out_float(largest(2.5f, -1.0f));
    Complex z = { 0.5f, -0.25f }, w = z;
    for (int i = 0; i < 5; i++) w = w * w, w += z;
    out_float(w.re), out_float(w.im), out((u32)(w == z)), out((u32)paint(Color::blue) * 10 + (u32)paint((Color)5));
    int x = 7, *p = nullptr;
    change(x, p), out((u32)*p);
    return 0;
}
