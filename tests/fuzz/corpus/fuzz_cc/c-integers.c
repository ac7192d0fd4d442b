cint f(int x, unsigned y, long long z) { return x / 3 + (int)(y % 10) + (int)(z >> 33) * (x < 0 ? -x : x); }
static short table[7] = { 1, 2, 3 };
int g(int n) { int s = 0; for (int i = 0; i < n; i++) { s += table[i % 7]; if (s > 100) break; } return s; }
