ctypedef float f4 __attribute__((ext_vector_type(4)));
typedef _Float16 h4 __attribute__((ext_vector_type(4)));
f4 v(f4 a, h4 b, float c) { a[2] += c; return a * c + __builtin_convertvector(b, f4).wzyx; }
double d(double x, float y, _Float16 z) { return x < y ? x * 3 : (double)z / y; }
void scale(float *restrict x, const _Float16 *y, int n) { for (int i = 0; i < n; i++) x[i] = x[i] * 2 + (float)y[i]; }
int sw(int x) { switch (x) { case 0: return 3; case 1: return 5; case 2: return 9; case 7: return 1; default: return x; } }
