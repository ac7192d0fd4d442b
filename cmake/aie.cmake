# AI Engine: what the general rules for tests, benchmarks and examples do not cover.
