cstruct s { char a; short b; int c[3]; };
union u { float f; unsigned w; };
struct f { unsigned a : 3; int b : 7; };
struct s swap(struct s x, union u y, struct f *p) { x.c[1] = (int)y.w; p->b = x.a; return x; }
int call(int (*h)(int), struct s *x) { return h(x->c[0]) + h(x->b); }
int list(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); int r = __builtin_va_arg(l, int); __builtin_va_end(l); return r; }
