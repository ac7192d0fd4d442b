#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pictures of digits in the files that MNIST comes in, for those who have not got it: mnist_data.py FOLDER [TRAIN TEST].

Each digit is drawn from strokes, moved, made thicker or thinner, and put on noise. The files have MNIST's names and
format (big-endian; magic 2051 and 2049), so that the real ones can take their place.
"""
import os
import random
import struct
import sys

SIZE = 28
# Strokes on a field of 4 x 6, as polygons.
STROKES = {
    0: [[(0, 0), (4, 0), (4, 6), (0, 6), (0, 0)]],
    1: [[(1, 1), (2, 0), (2, 6)]],
    2: [[(0, 1), (2, 0), (4, 1), (4, 2), (0, 6), (4, 6)]],
    3: [[(0, 0), (4, 0), (2, 3), (4, 4), (3, 6), (0, 6)]],
    4: [[(3, 6), (3, 0), (0, 4), (4, 4)]],
    5: [[(4, 0), (0, 0), (0, 3), (3, 3), (4, 4), (3, 6), (0, 6)]],
    6: [[(3, 0), (0, 3), (0, 6), (4, 6), (4, 3), (0, 3)]],
    7: [[(0, 0), (4, 0), (1, 6)]],
    8: [[(0, 0), (4, 0), (0, 6), (4, 6), (0, 0)]],
    9: [[(4, 3), (0, 3), (0, 0), (4, 0), (4, 6)]],
}


def draw(digit, rng):
    picture = [[rng.random() * 40 for _ in range(SIZE)] for _ in range(SIZE)]
    scale, slant = rng.uniform(2.6, 3.2), rng.uniform(-0.15, 0.15)
    left, top = rng.uniform(7, 9), rng.uniform(4, 6)
    radius = rng.uniform(0.9, 1.5)
    for stroke in STROKES[digit]:
        for (x0, y0), (x1, y1) in zip(stroke, stroke[1:]):
            steps = 24
            for i in range(steps + 1):
                x, y = x0 + (x1 - x0) * i / steps, y0 + (y1 - y0) * i / steps
                x, y = left + scale * (x - slant * (y - 3)), top + scale * y
                for row in range(max(0, int(y - 2)), min(SIZE, int(y + 3))):
                    for column in range(max(0, int(x - 2)), min(SIZE, int(x + 3))):
                        near = radius - ((row - y) ** 2 + (column - x) ** 2) ** 0.5
                        if near > 0:
                            picture[row][column] = max(picture[row][column], min(1, near) * 255)
    return bytes(int(p) for row in picture for p in row)


def write(folder, name, count, rng):
    labels = [rng.randrange(10) for _ in range(count)]
    with open(os.path.join(folder, name + "-images-idx3-ubyte"), "wb") as f:
        f.write(struct.pack(">4I", 2051, count, SIZE, SIZE))
        for label in labels:
            f.write(draw(label, rng))
    with open(os.path.join(folder, name + "-labels-idx1-ubyte"), "wb") as f:
        f.write(struct.pack(">2I", 2049, count) + bytes(labels))


def main():
    if len(sys.argv) not in (2, 4):
        sys.exit("mnist_data.py FOLDER [TRAIN TEST]")
    train, test = (int(n) for n in sys.argv[2:] or (400, 100))
    os.makedirs(sys.argv[1], exist_ok=True)
    rng = random.Random(1)
    write(sys.argv[1], "train", train, rng)
    write(sys.argv[1], "t10k", test, rng)


main()
