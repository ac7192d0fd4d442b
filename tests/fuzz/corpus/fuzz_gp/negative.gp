!<arch>
manifest/       0           0     0     100644  236       `
{"tilewright_gp": 1, "units": [{"source": "a.cpp", "language": "c++", "flags": [], "text": "0.src", "headers": [{"path": "h.hpp", "member": "4.h"}], "tables": {"cpu-float": "1.json", "ipu2": "2.json"}, "objects": {"cpu-float": "3.o"}}]}0.src/          0           0     0     100644  6         `
int x;1.json/         0           0     0     100644  389       `
{"version": 1, "vertices": [{"name": "A<float,2>", "code": "A", "kind": "Vertex", "size": -5, "align": 8, "external": false, "compute": 0, "line": 1, "fields": [{"name": "x", "direction": "input", "form": "edge_vector", "type": "float", "min_align": 1, "interleaved": false, "list": false, "count": 1, "offset": 0, "size": -1, "layout": ["SPAN"]}], "constraints": ["elem(*x)!=elem(*y)"]}]}
2.json/         0           0     0     100644  2         `
[]3.o/            0           0     0     100644  4         `
ELF4.h/            0           0     0     100644  0         `
