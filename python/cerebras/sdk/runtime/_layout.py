# SPDX-License-Identifier: MIT
"""SdkLayout: regions of PEs, their colors, ports and connections, made into an ordinary layout.csl.

Colors that are connected become one color number, so that a connection is a chain of routes. Every PE of the fabric up to
the last region belongs to the rectangle; PEs of no region run an empty program and only route."""

import collections
import enum
import json
import os

import numpy as np

from cerebras.geometry.geometry import IntRectangle
from cerebras.sdk import _native


class SdkTarget(enum.Enum):
    WSE2 = 0
    WSE3 = 1


class SimfabConfig:
    """Settings of the vendor's simulator; threads are the only one with an effect here."""

    def __init__(self, num_threads=16, suppress_trace=False, dump_core=False, core_path=None, **_unused):
        self.num_threads = num_threads
        self.suppress_trace = suppress_trace
        self.dump_core = dump_core
        self.core_path = core_path


class FP16TYPE(enum.Enum):
    """What @fp16() stands for in the programs of a layout."""
    F16 = 0
    BF16 = 1
    CB16 = 2


class SdkExecutionPlatform:
    """Where a program runs: always the simulator."""

    def __init__(self, config, target):
        self.config = config
        self.target = target

    def is_simulation(self):
        return True

    def is_system(self):
        return False


def get_platform(cmaddr, config=None, target=SdkTarget.WSE3):
    if cmaddr:
        return get_system(cmaddr)
    return SdkExecutionPlatform(config or SimfabConfig(), target)


def get_simulator(config=None, target=SdkTarget.WSE3):
    return get_platform(None, config, target)


def get_system(cmaddr):
    raise RuntimeError(f"cmaddr = '{cmaddr}': there is no machine here, only the simulator")


class Route(enum.Enum):
    WEST = 0
    EAST = 1
    SOUTH = 2
    NORTH = 3
    RAMP = 4


class Edge(enum.Enum):
    LEFT = 0
    RIGHT = 1
    BOTTOM = 2
    TOP = 3


_EDGE_ROUTE = {Edge.LEFT: Route.WEST, Edge.RIGHT: Route.EAST, Edge.BOTTOM: Route.SOUTH, Edge.TOP: Route.NORTH}
_STEP = {Route.WEST: (-1, 0), Route.EAST: (1, 0), Route.SOUTH: (0, 1), Route.NORTH: (0, -1)}
_OPPOSITE = {Route.WEST: Route.EAST, Route.EAST: Route.WEST, Route.SOUTH: Route.NORTH, Route.NORTH: Route.SOUTH}


class RoutingPosition:
    """Where wavelets of a color come from and go to, at one position of its switch."""

    def __init__(self):
        self.input, self.output = [], []

    def set_input(self, routes):
        self.input = list(routes)
        return self

    def set_output(self, routes):
        self.output = list(routes)
        return self

    def add_input(self, route):
        self.input.append(route)
        return self

    def add_output(self, route):
        self.output.append(route)
        return self

    def get_input(self):
        return list(self.input)

    def get_output(self):
        return list(self.output)

    def _with(self, fill_input, fill_output):
        """A copy whose missing half is the edge's."""
        return RoutingPosition().set_input(self.input or fill_input).set_output(self.output or fill_output)


class EdgeRouteInfo:
    """Routes of the PEs at one edge of a region."""

    def __init__(self, edge, positions):
        self.edge, self.positions = edge, list(positions)


def get_edge_routing(edge, positions):
    return EdgeRouteInfo(edge, positions)


class Color:
    """A color of its own; connected ones share their number."""

    def __init__(self, name, value=None):
        if value is not None and not 0 <= int(value) < 24:
            raise ValueError(f"color '{name}' is {value}; there are colors 0 to 23")
        self.name, self.local_name = name, name
        self.fixed = value
        self.same_as = None

    def _root(self):
        root = self
        while root.same_as is not None:
            root = root.same_as
        return root

    def _join(self, other):
        a, b = self._root(), other._root()
        if a is b:
            return
        if None not in (a.fixed, b.fixed) and a.fixed != b.fixed:
            raise RuntimeError(f"colors '{a.name}' ({a.fixed}) and '{b.name}' ({b.fixed}) are connected and have "
                               "different fixed numbers")
        b.same_as = a
        a.fixed = a.fixed if a.fixed is not None else b.fixed


class PortHandle:
    """A color at an edge of a region."""

    def __init__(self, region, color, edge, size, is_input, name):
        self.region, self.color, self.edge, self.size = region, color, edge, size
        self.is_input, self.name = is_input, name

    def coords(self):
        """The PEs of the port on the fabric, from the top or left end."""
        return [self.region._at(c) for c in self.region._edge(self.edge)]


class CodeRegion:
    """A rectangle of PEs that run one file."""

    def __init__(self, file, name, width, height):
        self.file, self.name, self.width, self.height = os.path.abspath(file), name, width, height
        self.position = None
        self.params = collections.defaultdict(dict)  # (x, y) -> name -> int or Color
        self.routes = collections.defaultdict(dict)  # (x, y) -> Color -> [RoutingPosition]
        self.symbols = []                            # (name, array [height][width][elements])
        self.ports = set()                           # names

    # --- placement ---

    def place(self, x, y):
        self.position = (x, y)
        return self

    def _at(self, coord):
        return (self.position[0] + coord[0], self.position[1] + coord[1])

    def _all(self):
        return [(x, y) for y in range(self.height) for x in range(self.width)]

    def _edge(self, edge):
        fixed = {Edge.LEFT: (0, None), Edge.RIGHT: (self.width - 1, None), Edge.TOP: (None, 0),
                 Edge.BOTTOM: (None, self.height - 1)}[edge]
        return [(x, y) for x, y in self._all() if fixed[0] in (None, x) and fixed[1] in (None, y)]

    def _range(self, rectangle):
        if isinstance(rectangle, IntRectangle):
            coords = [tuple(p) for p in rectangle.points()]
        else:
            (x0, y0), (x1, y1) = rectangle
            coords = [(x, y) for y in range(y0, y1) for x in range(x0, x1)]
        for x, y in coords:
            if not (0 <= x < self.width and 0 <= y < self.height):
                raise IndexError(f"PE ({x}, {y}) is outside region '{self.name}' of {self.width} x {self.height}")
        return coords

    # --- parameters ---

    def color(self, name, value=None):
        result = Color(f"{self.name}_{name}", value)
        result.local_name = name
        return result

    def _set(self, coords, arguments):
        if len(arguments) == 1:
            name, value = arguments[0].local_name, arguments[0]
        else:
            name, value = arguments
        for coord in coords:
            self.params[coord][name] = value

    def set_param_all(self, *arguments):
        self._set(self._all(), arguments)

    def set_param(self, coord, *arguments):
        self._set(self._range((coord, (coord[0] + 1, coord[1] + 1))), arguments)

    def set_param_range(self, rectangle, *arguments):
        self._set(self._range(rectangle), arguments)

    def set_symbol_all(self, name, data, width, height):
        if width % self.width or height % self.height or width < 1 or height < 1:
            raise ValueError(f"data of {width} x {height} cannot be cut into equal parts for the {self.width} x "
                             f"{self.height} PEs of region '{self.name}'")
        if np.size(data) != width * height:
            raise ValueError(f"the data of '{name}' has {np.size(data)} elements, not {width} x {height}")
        tiles = np.asarray(data).reshape(self.height, height // self.height, self.width, width // self.width)
        self.symbols.append((name, tiles.transpose(0, 2, 1, 3).reshape(self.height, self.width, -1)))

    # --- routes ---

    def _paint(self, coords, color, positions):
        for coord in coords:
            self.routes[coord][color] = list(positions)

    def paint(self, coord, color, positions):
        self._paint(self._range((coord, (coord[0] + 1, coord[1] + 1))), color, positions)

    def paint_range(self, rectangle, color, positions):
        self._paint(self._range(rectangle), color, positions)

    def paint_all(self, color, positions, edges=()):
        self._paint(self._all(), color, positions)
        for routing in edges:
            self._paint(self._edge(routing.edge), color, routing.positions)

    def _port(self, color, edge, positions, size, prefix, is_input):
        name = f"{self.name}_{color.local_name}{prefix}"
        if name in self.ports:
            raise RuntimeError(f"there is already a port '{name}': give one of them a prefix")
        self.ports.add(name)
        side = [_EDGE_ROUTE[edge]]
        filled = [p._with(side, []) if is_input else p._with([], side) for p in positions]
        if is_input:
            filled = [p.set_input(side) for p in filled]
        else:
            filled = [p.set_output(side) for p in filled]
        self._paint(self._edge(edge), color, filled)
        return PortHandle(self, color, edge, size, is_input, name)

    def create_input_port(self, color, edge, positions, size, prefix=""):
        return self._port(color, edge, positions, size, prefix, True)

    def create_output_port(self, color, edge, positions, size, prefix=""):
        return self._port(color, edge, positions, size, prefix, False)


class SdkCompileArtifacts:
    """A folder that cslc or SdkLayout.compile wrote."""

    def __init__(self, path):
        self.path = os.fspath(path)
        self.input_streams, self.output_streams, self.symbols = {}, {}, []
        ports = os.path.join(self.path, "ports.json")
        if os.path.exists(ports):
            with open(ports, encoding="utf-8") as file:
                saved = json.load(file)
            for name, row in saved["input"].items():
                self.input_streams[name] = _native.Port(*row)
            for name, row in saved["output"].items():
                self.output_streams[name] = _native.Port(*row)
            for k, (x, y, name) in enumerate(saved["symbols"]):
                self.symbols.append((x, y, name, np.load(os.path.join(self.path, f"symbol_{k}.npy"))))

    def input(self, name):
        return _lookup(self.input_streams, name, "input")

    def output(self, name):
        return _lookup(self.output_streams, name, "output")


def _lookup(streams, name, kind):
    if name not in streams:
        raise RuntimeError(f"there is no {kind} stream '{name}'; there are: {', '.join(streams) or 'none'}")
    return streams[name]


class SdkLayout:
    """What a script builds; compile() makes it a program."""

    def __init__(self, platform):
        self.platform = platform
        self.regions = []
        self.connections = []
        self.inputs, self.outputs = {}, {}
        self.routes = {}  # (x, y) of the fabric -> Color -> [RoutingPosition]

    def create_code_region(self, file, name, width, height):
        if width < 1 or height < 1:
            raise ValueError(f"region '{name}' has no PEs: {width} x {height}")
        if any(r.name == name for r in self.regions):
            raise RuntimeError(f"there is already a region '{name}'")
        self.regions.append(CodeRegion(file, name, width, height))
        return self.regions[-1]

    def connect(self, sender, receiver):
        if sender.is_input or not receiver.is_input:
            raise RuntimeError("connect() takes an output port and then an input port")
        if sender.size != receiver.size or len(sender.region._edge(sender.edge)) != len(
                receiver.region._edge(receiver.edge)):
            raise RuntimeError(f"ports '{sender.name}' and '{receiver.name}' differ in size")
        for port in (sender, receiver):
            if port.name in {**self.inputs, **self.outputs} or any(port in pair for pair in self.connections):
                raise RuntimeError(f"port '{port.name}' is already connected")
        sender.color._join(receiver.color)
        self.connections.append((sender, receiver))

    def create_input_stream(self, port, io_loc=None, io_buffer_size=1024):
        _ = io_loc, io_buffer_size  # the host's data enters at the port itself
        return self._stream(self.inputs, port, True)

    def create_output_stream(self, port, io_loc=None, io_buffer_size=1024):
        _ = io_loc, io_buffer_size
        return self._stream(self.outputs, port, False)

    def _stream(self, streams, port, is_input):
        if port.is_input != is_input:
            raise RuntimeError(f"'{port.name}' is an {'input' if port.is_input else 'output'} port")
        if port.name in streams or any(port in pair for pair in self.connections):
            raise RuntimeError(f"port '{port.name}' is already connected")
        streams[port.name] = port
        return port.name

    def create_input_stream_from_loc(self, port, loc, io_buffer_size=1024):
        return self.create_input_stream(port, loc, io_buffer_size)

    def create_output_stream_from_loc(self, port, loc, io_buffer_size=1024):
        return self.create_output_stream(port, loc, io_buffer_size)

    def _place_in_line(self, regions, right):
        x, y = next((r.position for r in regions if r.position), (0, 0))
        for region in regions:
            region.place(x, y)
            x, y = (x + region.width, y) if right else (x, y + region.height)

    def hstack(self, *regions):
        self._place_in_line(regions, True)

    def vstack(self, *regions):
        self._place_in_line(regions, False)

    def compile(self, out_prefix="out", libs=None, cslc_prefix=None, save_port_map=False, f16_type=None):
        _ = cslc_prefix, save_port_map  # ports.json is always there
        self._place_rest()
        self.routes = {}
        self._number_colors()
        self._collect_routes()
        for sender, receiver in self.connections:
            for source, target in zip(sender.coords(), receiver.coords()):
                self._connect(source, sender, target, receiver)
        width = 1 + max(x for x, _ in self._occupied() | set(self.routes))
        height = 1 + max(y for _, y in self._occupied() | set(self.routes))
        os.makedirs(out_prefix, exist_ok=True)
        file = os.path.join(out_prefix, "layout.csl")
        with open(os.path.join(out_prefix, "router.csl"), "w", encoding="utf-8") as out:
            out.write("// A PE that only routes.\n")
        with open(file, "w", encoding="utf-8") as out:
            out.write(self._text(width, height))
        self._save(out_prefix)
        _native.compile_program(file, out_prefix, self.platform.target.value, {}, (width, height),
                                fp16=f16_type.value if f16_type else 0, import_paths=libs or ())
        return SdkCompileArtifacts(out_prefix)

    # --- colors ---

    def _colors(self):
        for region in self.regions:
            for params in region.params.values():
                yield from (v for v in params.values() if isinstance(v, Color))
            for routes in region.routes.values():
                yield from routes
        for port in [p for pair in self.connections for p in pair]:
            yield port.color

    def _number_colors(self):
        roots = list(dict.fromkeys(c._root() for c in self._colors()))
        used = {r.fixed for r in roots if r.fixed is not None}
        free = iter([n for n in range(24) if n not in used])
        for root in roots:
            if root.fixed is None:
                root.fixed = next(free, None)
                if root.fixed is None:
                    raise RuntimeError("the layout needs more than 24 colors")

    # --- placement and routes ---

    def _occupied(self):
        return {r._at(c) for r in self.regions for c in r._all()}

    def _place_rest(self):
        x = max((r.position[0] + r.width + 1 for r in self.regions if r.position), default=0)
        for region in self.regions:
            if region.position is None:
                region.place(x, 0)
                x += region.width + 1
        if len(self._occupied()) != sum(r.width * r.height for r in self.regions):
            raise RuntimeError("two regions overlap")

    def _collect_routes(self):
        for region in self.regions:
            for coord, routes in region.routes.items():
                for color, positions in routes.items():
                    self._add_route(region._at(coord), color._root(), positions)

    def _add_route(self, at, color, positions):
        if color in self.routes.setdefault(at, {}):
            raise RuntimeError(f"color '{color.name}' has two routes at PE {at}")
        self.routes[at][color] = positions

    def _connect(self, source, sender, target, receiver):
        """Routes from the PE beside `source` to the PE beside `target`, the shortest way round PEs that use the color."""
        color = sender.color._root()
        out, into = _EDGE_ROUTE[sender.edge], _EDGE_ROUTE[receiver.edge]
        first = (source[0] + _STEP[out][0], source[1] + _STEP[out][1])
        last = (target[0] + _STEP[into][0], target[1] + _STEP[into][1])
        if first == target and last == source:
            return
        limit = 2 + max(max(p) for p in self._occupied())
        came = {first: None}
        queue = collections.deque([first])
        while queue and last not in came:
            at = queue.popleft()
            for route, (dx, dy) in _STEP.items():
                step = (at[0] + dx, at[1] + dy)
                if step in came or not (0 <= step[0] <= limit and 0 <= step[1] <= limit):
                    continue
                if color not in self.routes.get(step, {}):
                    came[step] = (at, route)
                    queue.append(step)
        if last not in came or any(min(p) < 0 or color in self.routes.get(p, {}) for p in (first, last)):
            raise RuntimeError(f"there is no way from port '{sender.name}' to '{receiver.name}'")
        leave, at = _OPPOSITE[into], last
        while at is not None:
            before = came[at]
            enter = _OPPOSITE[out] if before is None else _OPPOSITE[before[1]]
            self._add_route(at, color, [RoutingPosition().set_input([enter]).set_output([leave])])
            at, leave = before if before is not None else (None, None)

    # --- text ---

    def _text(self, width, height):
        lines = ["// Made by SdkLayout.", "layout {", f"  @set_rectangle({width}, {height});"]
        owner = {r._at(c): (r, c) for r in self.regions for c in r._all()}
        for y in range(height):
            for x in range(width):
                region, coord = owner.get((x, y), (None, None))
                if region is None:
                    lines.append(f'  @set_tile_code({x}, {y}, "router.csl", .{{}});')
                    continue
                params = ", ".join(f".{n} = {_value(v)}" for n, v in region.params[coord].items())
                lines.append(f'  @set_tile_code({x}, {y}, "{region.file}", .{{ {params} }});')
        for (x, y), routes in self.routes.items():
            for color, positions in routes.items():
                lines.append(f"  @set_color_config({x}, {y}, @get_color({color.fixed}), {_config(positions)});")
        return "\n".join(lines + ["}", ""])

    def _save(self, folder):
        symbols = []
        for region in self.regions:
            for name, tiles in region.symbols:
                for x, y in region._all():
                    np.save(os.path.join(folder, f"symbol_{len(symbols)}.npy"), tiles[y, x])
                    symbols.append([*region._at((x, y)), name])
        ports = {
            kind: {name: [*port.coords()[0], port.color._root().fixed, _EDGE_ROUTE[port.edge].value]
                   for name, port in streams.items()}
            for kind, streams in (("input", self.inputs), ("output", self.outputs))
        }
        with open(os.path.join(folder, "ports.json"), "w", encoding="utf-8") as out:
            json.dump({**ports, "symbols": symbols}, out)


def _value(value):
    return f"@get_color({value._root().fixed})" if isinstance(value, Color) else str(int(value))


def _routes(routes):
    return ".{ " + ", ".join(r.name for r in routes) + " }"


def _config(positions):
    """routes of the first position; of each further one what differs from the one before."""
    base = positions[0]
    text = f".{{ .routes = .{{ .rx = {_routes(base.input)}, .tx = {_routes(base.output)} }}"
    fields, last = [], base
    for k, position in enumerate(positions[1:], 1):
        halves = [f".{name} = {routes[0].name if len(routes) == 1 else _routes(routes)}"
                  for name, routes, before in (("rx", position.input, last.input), ("tx", position.output, last.output))
                  if routes and routes != before]
        fields.append(f".pos{k} = .{{ {', '.join(halves) or '.tx = ' + last.output[0].name} }}")
        last = RoutingPosition().set_input(position.input or last.input).set_output(position.output or last.output)
    if fields:
        text += f", .switches = .{{ {', '.join(fields)} }}"
    return text + " }"


