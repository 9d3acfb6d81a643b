# SPDX-License-Identifier: MIT
"""What a row, a byte of a model, a merge, a message and a start cost on this machine, and what they add up to in N processes.

    PYTHONPATH=build/dev/python/package python bench/scale/measure.py CREDENCE [--mpi CREDENCE_MPI] [--engines PYTHON]
        [--size BYTES] [--turns N] [--write DOCUMENT]

Costs of computing are processor time, the least of several turns; times of processes are those of the clock, the least of
several turns. The model of time is computed from the costs alone, which are measured on other, smaller tables than the one whose
training in 1, 2, 4 and 8 processes it predicts. With --write the tables replace those of the document, docs/scale.md.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import sys
import tempfile

MIB = 1024 * 1024


def table(head: list[str], rows: list[list[str]]) -> str:
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, rule, *rows])


def write_blocks(path: pathlib.Path, blocks: dict[str, str]) -> None:
    document = path.read_text()
    for name, text in blocks.items():
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
        document = pattern.sub(lambda found, text=text: f"{found[1]}\n{text}\n\n{found[2]}", document)
    path.write_text(document)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("credence", type=pathlib.Path, help="the command")
    parser.add_argument("--mpi", type=pathlib.Path, help="credence-mpi")
    parser.add_argument("--engines", type=pathlib.Path, help="a Python with Dask, Ray and PySpark")
    parser.add_argument("--size", type=int, default=1024 * MIB, help="bytes of the table that is trained on in several processes")
    parser.add_argument("--cost-size", type=int, default=64 * MIB, help="bytes of the tables that costs are measured on")
    parser.add_argument("--turns", type=int, default=5, help="how often each time is taken")
    parser.add_argument("--write", type=pathlib.Path, help="the document whose tables are replaced")
    own = parser.parse_args()
    from costs import messages, model_costs, processes, row_costs, starts  # needs numpy and pyarrow, which --help does not

    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
        work = pathlib.Path(folder)
        rows, costs = row_costs(own, work)
        held, more = model_costs(own, work)
        costs |= more
        found = messages(work)
        sent = []
        if found is not None:
            costs["latency"], costs["bandwidth"] = found
            sent = [["latency of a message", f"{found[0] * 1e6:.1f} µs"], ["bandwidth", f"{found[1] / 1e9:.2f} GB/s"]]
        of_rows = ["rows", "ns a row", "ns a cell", "MB/s", "schema, ns a row", "before the rows, ms", "bytes of the model"]
        of_processes = ["processes", "model, s", "measured, s", "ratio", "times as fast as 1"]
        blocks = {
            "rows": table(of_rows, rows),
            "models": table(["model", "bytes", "encode, µs", "decode, µs", "decode and merge, µs", "that, ns a byte"], held),
            "messages": table(["between two processes of one machine", ""], sent),
            "starts": table(["start", "seconds"], starts(own, work, costs)),
            "processes": table(of_processes, processes(own, work, costs)),
        }
    print("\n\n".join(blocks.values()))
    if own.write:
        write_blocks(own.write, blocks)
    return 0


if __name__ == "__main__":
    sys.exit(main())
