// What figures mean: shown on hover and read by whoever asks for help. docs/profile.md has the same definitions.

export const DEFINITIONS = {
    cycles: 'End of the timeline: cycles from the first step to the end of the last.',
    time: 'Cycles divided by the clock of the machine.',
    tileBalance: 'Compute cycles of all tiles, idle threads included, divided by cycles × tiles.',
    threadBalance:
        'Cycles of kernels divided by compute cycles of tiles: how busy the threads of a computing tile are.',
    fullest: 'Bytes of the tile that holds most, with gaps where they are known.',
    steps: 'Steps executed; a step is one thing that all tiles do together.',
    vertices: 'Kernels placed on tiles; each is executed as often as its compute set.',
    tileTime:
        'All cycles × tiles, by what the tiles did. Waiting is what is left: time at a sync and for slower tiles.',
    stepCycles: 'Cycles of the slowest tile in one execution.',
    executions: 'How often the step was executed.',
    total: 'Cycles × executions.',
    share: 'Part of all cycles of the run.',
    activeTiles: 'Tiles that have cycles in this step.',
    balance: 'Active cycles of all tiles divided by cycles × tiles.',
    lost: 'Tile cycles in which this step ran and the tile did not, over all executions.',
    data: 'Bytes moved in one execution.',
    bytes: 'Bytes in the memory of tiles.',
    alone: 'Bytes with addresses of their own.',
    shared: 'Bytes whose addresses serve other variables at other times.',
    limit: 'Bytes that a tile has.',
    gaps: 'Bytes lost to alignment and placement.',
    alwaysLive: 'Kept for the whole run.',
    lastUsed: 'When an instruction read or wrote these bytes last; after that they are only held.',
    live: 'Bytes of variables that are needed while this program runs, always-live ones included.',
    instances: 'Kernels of this type in the graph, or calls of it.',
    worst: 'Cycles of the slowest single execution, and where it ran.',
    mean: 'Cycles divided by instances and executions.',
    busy: 'Cycles in which the tile computed, exchanged or copied.',
    idle: 'Cycles of the run in which the tile did nothing of that.',
    delta: 'B − A; its percentage is of A.',
    weight: 'Share of the whole that changed: what lines are sorted by.',
    exact: 'exact: stated by the vendor, or counted.',
    modelled: 'modelled: follows from a documented model.',
    estimated: 'estimated: a guess with a reason.',
    absent: 'absent: not known.',
};

export const define = (key) => DEFINITIONS[key] ?? '';
