#!/usr/bin/env python3
"""Networks beside pyAgrum and pgmpy, in one run, one thread against one.

    compare.py BENCH_NETWORKS [DATA] [--cases N] [--checked N] [--seconds N] [--large NETWORK.bif...]

1. Every network of DATA/networks: posteriors, probability of the findings and of the most probable explanation of some
   random cases, without findings and with a fifth of the nodes observed. Differences beyond 1e-9 end it with an error.
2. The six networks that are timed: all posteriors for --cases random cases, in seconds of the processor; compiling is a
   part of ours, and stands apart.
3. Memory that asking took in addition to the network, and how much faster two threads are.
4. pgmpy on alarm, for a few cases.
5. Networks given with --large: without findings, with 2 % and with 20 % of the nodes observed, beside all of pyAgrum's
   exact engines, each for at most --seconds.

BENCH_NETWORKS is the program of bench/micro."""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

TIMED = "alarm", "hailfinder", "win95pts", "insurance", "water", "hepar2"
HERE = pathlib.Path(__file__).resolve().parent
SLACK = 1e-9


def ask_us(own, path, cases, share, answers):
    command = [own.bench, str(path), str(cases), str(share), answers]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def ask_peer(own, engine, path, cases, answers, times_only=False):
    """None where it takes too long, or fails."""
    command = [sys.executable, str(HERE / "peers.py"), engine, str(path), answers, str(cases)]
    try:
        done = subprocess.run(command + ["--times-only"] * times_only, check=True, capture_output=True, timeout=own.seconds)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return None
    return json.loads(done.stdout)


def check_all(own, answers):
    failed = False
    print(f"{'network':12} {'observed':>8} {'posterior':>10} {'log P(e)':>10} {'log MPE':>10}   greatest differences from the peers")
    for path in sorted((own.data / "networks").glob("*.bif")):
        for share in 0, 0.2:
            cases = own.checked if share else 1
            ask_us(own, path, cases, share, answers)
            theirs = ask_peer(own, "LazyPropagation", path, cases, answers)
            if theirs is None:
                print(f"{path.stem:12} {share:8} no answer")
                continue
            worst = theirs["worst"]
            failed = failed or max(worst.values()) > SLACK
            print(f"{path.stem:12} {share:8} {worst['posterior']:10.1e} {worst['evidence']:10.1e} {worst['most']:10.1e}", flush=True)
    return failed


def time_six(own, answers):
    ours_total = theirs_total = 0.0
    print(f"\n{'network':12} {'cells':>9} {'compile':>9} {'ours':>9} {'pyAgrum':>9} {'ratio':>7} {'MiB':>6} {'theirs':>7} {'2 threads':>9}")
    for name in TIMED:
        path = own.data / "networks" / f"{name}.bif"
        ours = ask_us(own, path, own.cases, 0.2, answers)
        theirs = ask_peer(own, "LazyPropagation", path, own.cases, answers, times_only=True)
        if theirs is None:
            print(f"{name:12} no answer of the peer in time")
            continue
        taken = ours["compile"] + ours["ask"]
        ours_total += taken
        theirs_total += theirs["seconds"]
        print(f"{name:12} {ours['cells']:9.0f} {ours['compile']:8.4f}s {ours['ask']:8.4f}s {theirs['seconds']:8.3f}s "
              f"{theirs['seconds'] / taken:6.1f}x {(ours['peak'] - ours['peak_read']) / 1024:6.1f} "
              f"{(theirs['peak'] - theirs['peak_read']) / 1024:7.1f} {ours['two_threads']:8.2f}x", flush=True)
    print(f"in total {theirs_total / ours_total:.1f} times")


def time_pgmpy(own, answers):
    cases, path = 3, own.data / "networks" / "alarm.bif"
    ours = ask_us(own, path, own.cases, 0.2, answers)
    theirs = ask_peer(own, "pgmpy", path, cases, answers)
    if theirs is None:
        print("\npgmpy: no answer in time, or not installed")
        return
    ratio = theirs["seconds"] / cases / ((ours["compile"] + ours["ask"]) / own.cases)
    print(f"\npgmpy on alarm: {theirs['seconds'] / cases:.3f} s a case, {ratio:.0f} times as long; posteriors differ by at most "
          f"{theirs['worst']['posterior']:.1e}")


def time_large(own, answers):
    print(f"\n{'network':12} {'observed':>8} {'cells':>10} {'compile':>9} {'ours':>9} {'MiB':>6} {'2 threads':>9}   peer, seconds, MiB, ratio")
    for path in own.large:
        for share in 0, 0.02, 0.2:
            cases = 1 if share == 0 else 3
            ours = ask_us(own, path, cases, share, answers)
            taken = ours["compile"] + ours["ask"]
            print(f"{path.stem:12} {share:8} {ours['cells']:10.0f} {ours['compile']:8.4f}s {ours['ask']:8.4f}s "
                  f"{ours['peak'] / 1024:6.0f} {ours['first_two_threads']:8.2f}x", flush=True)
            for engine in "LazyPropagation", "ShaferShenoyInference", "VariableElimination":
                theirs = ask_peer(own, engine, path, cases, answers, times_only=True)
                said = f"more than {own.seconds} s, or no answer" if theirs is None else (
                    f"{theirs['seconds']:.3f} s, {theirs['peak'] / 1024:.0f} MiB, {theirs['seconds'] / taken:.1f}x")
                print(f"{'':72}{engine}: {said}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bench")
    parser.add_argument("data", nargs="?", type=pathlib.Path, default=HERE.parent.parent / ".." / "shared" / "data")
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--checked", type=int, default=20)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--large", nargs="*", type=pathlib.Path, default=[])
    own = parser.parse_args()
    with tempfile.NamedTemporaryFile(suffix=".txt") as answers:
        failed = check_all(own, answers.name)
        time_six(own, answers.name)
        time_pgmpy(own, answers.name)
        time_large(own, answers.name)
    if failed:
        sys.exit("answers differ from the peer's")


if __name__ == "__main__":
    main()
