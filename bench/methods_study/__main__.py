"""Makes the table of methods: bench/methods calls this."""

import argparse
import concurrent.futures
import csv
import multiprocessing
import os
import pathlib
import sys
import warnings

from study import tables

from . import answers, cache, cuts, methods, ours, peers, report

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "bench" / "methods"
DOCUMENT = ROOT / "docs" / "methods.md"
PROCESSES = 2


def say(text):
    print("methods: " + text, file=sys.stderr, flush=True)


# ---- Peers ----


def ask_peer(i, j, k):
    """Asks peer j about part k of cut i. Cuts are known to the processes by being forked, since they are large."""
    # They warn of columns that are constant or collinear in a class, on every other table.
    warnings.simplefilter("ignore")
    return peers.answer(peers.PEERS[j], ask_peer.cuts[i], ask_peer.cuts[i].parts[k])


def ask_peers(ready, kept):
    """{(table, label): answers}; what is not kept is asked for in two processes, the slowest peers and tables first."""
    found = {(cut.name, peer.label): kept.load(cut, peer) for cut in ready for peer in peers.PEERS}
    ask_peer.cuts = ready
    waiting = []
    with concurrent.futures.ProcessPoolExecutor(PROCESSES, mp_context=multiprocessing.get_context("fork")) as pool:
        for j, peer in reversed(list(enumerate(peers.PEERS))):
            for i, cut in sorted(enumerate(ready), key=lambda pair: -pair[1].size):
                if found[cut.name, peer.label] is None:
                    waiting.append((cut, peer, [pool.submit(ask_peer, i, j, k) for k in range(len(cut.parts))]))
        for cut, peer, parts in waiting:
            found[cut.name, peer.label] = answers.join([part.result() for part in parts])
            kept.save(cut, peer, found[cut.name, peer.label])
            say("%s: %s" % (peer.label, cut.name))
    return found


# ---- Credence ----


def ask_method(command, cut, options):
    """Answers, or the error as text."""
    try:
        return answers.join([command.answer(cut, part, options) for part in cut.parts])
    except ours.Refused as error:
        return str(error)


def ask_recommended(command, cut):
    """Answers by what each part is recommended, or the error as text."""
    try:
        found, chosen = [], []
        for part in cut.parts:
            options = command.recommended(cut, part)
            found.append(command.answer(cut, part, options))
            chosen.append(" ".join(options))
        say("%s: recommended %s" % (cut.name, "; ".join("%d x %s" % (chosen.count(c), c) for c in sorted(set(chosen)))))
        return answers.join(found)
    except ours.Refused as error:
        return str(error)


def ask_credence(ready, command, wanted, with_compare):
    """{(table, label): answers or error} of all methods whose label has one of the wanted words."""
    chosen = [(label, options) for label, options in methods.METHODS if any(word in label for word in wanted)]
    with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
        jobs = {}
        for cut in sorted(ready, key=lambda cut: -cut.size):
            for label, options in chosen:
                jobs[cut.name, label] = pool.submit(ask_method, command, cut, options)
            if with_compare:
                jobs[cut.name, methods.COMPARE] = pool.submit(ask_recommended, command, cut)
        return {key: job.result() for key, job in jobs.items()}


# ---- Both ----


def write_scores(scores, file):
    with open(file, "w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(["table", "who", "method", "accuracy", "log_loss", "error"])
        for (table, who, label), score in scores.items():
            writer.writerow([table, who, label, *score.values()])


def main():
    parser = argparse.ArgumentParser(prog="methods")
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--only", metavar="WORDS")
    parser.add_argument("data", nargs="?", type=pathlib.Path,
                        default=os.environ.get("CREDENCE_DATA") or ROOT.parent / "shared" / "data")
    words = parser.parse_args()

    command = ours.Command()
    ready, absent = cuts.prepare_all(words.data, BUILD / "tables", command)
    for name in absent:
        say("%s is not in %s: left out" % (name, words.data))
    if not ready:
        return 1
    theirs = ask_peers(ready, cache.Cache(BUILD / "peers"))
    say("asking " + command.version())
    our = ask_credence(ready, command, words.only.split(",") if words.only else [""], words.compare)

    errors = {key: found for key, found in our.items() if isinstance(found, str)}
    scores = {}
    for cut in ready:
        for who, found in (("Credence", our), ("scikit-learn", theirs)):
            scores.update(((table, who, label), answers.score(found[table, label]))
                          for table, label in found if table == cut.name and (table, label) not in errors)
    write_scores(scores, BUILD / "scores.csv")
    for line in report.not_taken(errors, ready):
        say(line)
    blocks = report.blocks(ready, scores, errors)
    (BUILD / "tables.md").write_text("\n\n".join(blocks.values()) + "\n", encoding="utf-8")
    print("\n\n".join(blocks.values()))
    print("\nTables and every score: %s" % BUILD.relative_to(ROOT))
    if absent or words.only:
        say("%s stays as it is, since not everything was run" % DOCUMENT.relative_to(ROOT))
    else:
        tables.put(DOCUMENT, blocks)
    return 0


if __name__ == "__main__":
    sys.exit(main())
