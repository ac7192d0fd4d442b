pstruct a { virtual int f(int x) { return x + 1; } int y = 3; };
struct b : a { int f(int x) override { return x * y; } };
template <typename T, int N> struct arr { T v[N]; T sum() const { T s = 0; for (auto x : v) s += x; return s; } };
int g(a &x, arr<float, 4> &y) { auto l = [&](int k) { return x.f(k) + (int)y.sum(); }; return l(7); }
b one; a *p = &one;
