#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Samples from known networks, learns their structure, and counts what is wrong with it.

    recovery.py CREDENCE [DATA] [--seeds N] [--write DOCUMENT]

For each network, size and search: the structural Hamming distance between the CPDAGs of the network and of what was learned
(`credence compare`), as a mean over samples of different seeds. A network's file is in DATA/networks; the continuous and the
mixed one are below. Exact search is for small networks. With --write the tables replace what is between the marks of the
document."""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BEGIN, END = "<!-- recovery.py: begin -->", "<!-- recovery.py: end -->"
SIZES = 100, 300, 1000, 3000, 10000, 50000
SEARCHES = "hill-climb", "exact", "pc"
EXACT_NODES = 12

GAUSSIAN = """
net {}
continuous node a { }
continuous node b { }
continuous node c { }
continuous node d { }
continuous node e { }
continuous node f { }
continuous node g { }
potential ( a ) { data = normal ( 1, 1 ); }
potential ( b ) { data = normal ( 2, 9 ); }
potential ( c | a b ) { data = normal ( 2 + 2 * a + 2 * b, 0.25 ); }
potential ( d | b ) { data = normal ( 6 + 1.5 * b, 0.11 ); }
potential ( e ) { data = normal ( 3.5, 4 ); }
potential ( f | a d e g ) { data = normal ( 2 * a + d + e + 1.5 * g, 1 ); }
potential ( g ) { data = normal ( 5, 4 ); }
"""

MIXED = """
net {}
node weather { states = ( "dry" "wet" ); }
node season { states = ( "warm" "cold" ); }
node road { states = ( "clear" "slow" "closed" ); }
continuous node speed { }
continuous node time { }
continuous node fuel { }
continuous node noise { }
potential ( season ) { data = ( 0.6 0.4 ); }
potential ( weather | season ) { data = (( 0.8 0.2 ) ( 0.4 0.6 )); }
potential ( road | weather ) { data = (( 0.8 0.15 0.05 ) ( 0.4 0.4 0.2 )); }
potential ( speed | road ) { data = ( normal ( 90, 100 ), normal ( 60, 100 ), normal ( 30, 64 ) ); }
potential ( time | speed ) { data = normal ( 120 - speed, 49 ); }
potential ( fuel | season speed ) { data = ( normal ( 2 + 0.05 * speed, 0.5 ), normal ( 4 + 0.05 * speed, 0.5 ) ); }
potential ( noise | weather ) { data = ( normal ( 50, 16 ), normal ( 60, 16 ) ); }
"""


def ask(own, *words):
    """None where the command fails."""
    done = subprocess.run([own.credence, *map(str, words)], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def distance(own, work, network, table, search):
    model = work / "learned.model"
    # States that are numbers are names all the same.
    kinds = ["--categorical", "*"] if network.suffix == ".bif" else []
    if ask(own, "train", table, "-q", "--method", "network", "--search", search, "-o", model, *kinds) is None:
        return None
    found = ask(own, "compare", network, model, "--format", "json")
    return None if found is None else json.loads(found)["shd"]


def spark(values, top):
    return "".join("▁▂▃▄▅▆▇█"[min(7, int(8 * value / top))] for value in values)


def study(own, work, network):
    """A line of the table for each search."""
    shown = json.loads(ask(own, "show", network, "--graph", "--format", "json"))
    nodes, arcs = shown["node_count"], shown["arrow_count"]
    means = {search: [] for search in SEARCHES if search != "exact" or nodes <= EXACT_NODES}
    for size in SIZES:
        sums = {search: [] for search in means}
        for seed in range(1, own.seeds + 1):
            table = work / "sample.csv"
            table.write_text(ask(own, "sample", network, "--rows", size, "--seed", seed))
            for search in means:
                sums[search].append(distance(own, work, network, table, search))
        for search in means:
            means[search].append(None if None in sums[search] else sum(sums[search]) / own.seeds)
    top = max((value for values in means.values() for value in values if value is not None), default=1) or 1
    for search, values in means.items():
        cells = " | ".join("" if value is None else f"{value:.1f}" for value in values)
        curve = "" if None in values else spark(values, top)
        yield f"| {network.stem} | {nodes} | {arcs} | {search} | {cells} | {curve} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("credence")
    parser.add_argument("data", nargs="?", type=pathlib.Path, default=pathlib.Path(os.environ.get("CREDENCE_DATA", ROOT.parent / "shared" / "data")))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--write", type=pathlib.Path)
    own = parser.parse_args()
    lines = ["| network | nodes | arcs | search | " + " | ".join(f"{size:,}" for size in SIZES) + " | |",
             "| --- | ---: | ---: | --- |" + " ---: |" * len(SIZES) + " --- |"]
    print("\n".join(lines))
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / "gaussian.net").write_text(GAUSSIAN)
        (work / "mixed.net").write_text(MIXED)
        networks = [own.data / "networks" / f"{name}.bif" for name in ("asia", "sachs", "child", "insurance", "alarm")]
        for network in [*networks, work / "gaussian.net", work / "mixed.net"]:
            for line in study(own, work, network):
                lines.append(line)
                print(line, flush=True)
    if own.write:
        document = own.write.read_text()
        before, rest = document.split(BEGIN)
        text = "\n".join(lines)
        own.write.write_text(before + BEGIN + "\n\n" + text + "\n\n" + END + rest.split(END)[1])


main()
