// SPDX-License-Identifier: MIT
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
    side: 'One of the two profiles: A is what was, B what is compared with it.',
    fact: 'Stated by whoever ran the program.',
    machine: 'The machine that the profile is of, and how many of its parts the program was made for.',
    clock: 'Cycles in a second, by which cycles become time.',
    computeSets: 'Sets of kernels that tiles execute together.',
    variableCount: 'Variables of the program, temporary ones included.',
    edges: 'Connections between fields of kernels and data.',
    instrumentation: 'How cycles were obtained.',
    parts: 'The graph part says what a program needs, the execution part what a run did.',
    optimization: 'A count of the compiler or the machine, under its own name.',
    rule: 'Rule, what it looks at, and from which value on it speaks.',
    placed: 'On how many of them a part of it lies.',
    exact: 'exact: stated by the vendor, or counted.',
    modelled: 'modelled: follows from a documented model.',
    estimated: 'estimated: a guess with a reason.',
    absent: 'absent: not known.',
};

// Columns of several tables, by their title.
const TITLES = {
    Address: 'First address, in bytes from the start of the memory.',
    End: 'Address behind the last byte.',
    Bytes: 'Bytes in the memory of tiles, or moved.',
    Elements: 'Elements of the variable on all tiles.',
    State: 'Members of the vertex that are no pointers to data.',
    'Edge pointers': 'Addresses of the data that vertices are connected to.',
    'Copy pointers': 'Addresses that copying vertices work through.',
    Padding: 'Bytes for alignment.',
    Descriptors: 'Tables for vertices whose data lies in pieces.',
    Code: 'Machine code of the kernel.',
    Step: 'Place in the order of the program.',
    'Of the run': 'Busy cycles divided by all cycles of the run.',
    Control: 'Cycles of control programs.',
    Compute: 'Cycles in which kernels of this tile ran.',
    Exchange: 'Cycles in which the tile sent or received within its chip.',
    'Global exchange': 'Cycles in which the tile sent or received between chips.',
    'Host copy': 'Cycles of copies with the host.',
    'Shared copy': 'Cycles of copies of shared structures.',
    Sync: 'Cycles at a sync.',
    'Steps it ended last': 'Steps in which this one alone took longest.',
    'Cycles sooner without it': 'Over their executions: its cycles less those of the next slowest.',
    Messages: 'Stretches of data, wavelets, words or blocks, whichever the machine sends.',
    'Bytes / message': 'Bytes divided by messages.',
    Sent: 'Bytes sent by all tiles in one execution.',
    Received: 'Bytes received by all tiles in one execution: more than sent where one sends to several.',
    Receiving: 'Tiles that receive something.',
    'Most from one': 'Bytes of the tile that sends most.',
    Share: 'Part of the whole that the title names.',
    Cycles: 'Cycles from begin to end, or in sum.',
    From: 'Cycle at which it begins.',
    To: 'Cycle at which it ends.',
    'Held from': 'Cycle of the first use.',
    Full: 'Most used divided by the limit.',
    A: 'Value in the first profile.',
    B: 'Value in the second profile.',
};
export const defineTitle = (title) =>
    TITLES[title] ??
    (title.startsWith('First ')
        ? 'The first of those that hold a part of it.'
        : title.startsWith('Sending ')
          ? 'How many of them send something.'
          : '');

export const define = (key) => DEFINITIONS[key] ?? '';
