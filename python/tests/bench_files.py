"""All files of a table as pyarrow.Table: icefsck against PyIceberg's inspect.files, in turn, and their ratio.

  python python/tests/bench_files.py METADATA.json [ROUNDS]

Needs pyarrow, pyiceberg and the wheel of icefsck.
"""

import os
import resource
import statistics
import sys
import time

import pyarrow
from pyiceberg.table import StaticTable

import icefsck


def timed(work):
    begin, cpu = time.perf_counter(), time.process_time()
    rows = work().num_rows
    return time.perf_counter() - begin, time.process_time() - cpu, rows


def main(metadata, rounds=5):
    table = StaticTable.from_metadata("file://" + os.path.abspath(metadata))
    ours = lambda: pyarrow.table(icefsck.open(metadata).files())
    peer = lambda: table.inspect.files()
    ratios = []
    for _ in range(rounds):
        wall, cpu, rows = timed(ours)
        own_peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        peer_wall, peer_cpu, peer_rows = timed(peer)
        assert rows == peer_rows, (rows, peer_rows)
        ratios.append(peer_wall / wall)
        print("%d files: icefsck %.2f s (%.2f s of CPU, %.0f MiB so far), PyIceberg %.2f s (%.2f s of CPU), ratio %.1f"
              % (rows, wall, cpu, own_peak, peer_wall, peer_cpu, ratios[-1]))
    print("median %.1f, from %.1f to %.1f" % (statistics.median(ratios), min(ratios), max(ratios)))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:3]))
