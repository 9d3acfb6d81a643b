"""Makes the table of methods: bench/methods calls this."""

import argparse
import concurrent.futures
import csv
import multiprocessing
import os
import pathlib
import sys
import warnings

import numpy
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
    found = {(cut.name, peer.label): kept.load(*cache.of_peer(cut, peer)) for cut in ready for peer in peers.PEERS}
    ask_peer.cuts = ready
    waiting = []
    with concurrent.futures.ProcessPoolExecutor(PROCESSES, mp_context=multiprocessing.get_context("fork")) as pool:
        for j, peer in reversed(list(enumerate(peers.PEERS))):
            for i, cut in sorted(enumerate(ready), key=lambda pair: -pair[1].size):
                if found[cut.name, peer.label] is None:
                    waiting.append((cut, peer, [pool.submit(ask_peer, i, j, k) for k in range(len(cut.parts))]))
        for cut, peer, parts in waiting:
            found[cut.name, peer.label] = answers.join([part.result() for part in parts])
            kept.save(*cache.of_peer(cut, peer), found[cut.name, peer.label])
            say("%s: %s" % (peer.label, cut.name))
    return found


# ---- Credence ----


def ask_part(command, kept, cut, k, options):
    """Answers to part k of a cut."""
    name, key = cache.of_credence(cut, k, options, command)
    found = kept.load(name, key)
    if found is None:
        found = command.answer(cut, cut.parts[k], options)
        kept.save(name, key, found)
    return found


def ask_recommended(command, kept, cut, k):
    """Answers to part k of a cut by what `evaluate --compare` recommends for the rows that are learned from."""
    name, key = cache.of_credence(cut, k, [methods.COMPARE], command)
    options = kept.load(name, key)
    if options is None:
        options = numpy.array(command.recommended(cut, cut.parts[k]), dtype=str)
        kept.save(name, key, options)
    say("%s, part %d: recommended %s" % (cut.name, k + 1, " ".join(options)))
    return ask_part(command, kept, cut, k, list(map(str, options)))


def join(parts):
    """Answers of all parts, or the error of the first that was refused as text."""
    try:
        return answers.join([part.result() for part in parts])
    except ours.Refused as error:
        return str(error)


def ask_credence(ready, command, kept, wanted, with_compare):
    """{(table, label): answers or error} of all methods whose label has one of the wanted words. Every part is kept as
    soon as it is answered, what is slow comes last, and small tables come first: so much is there if it is broken off."""
    chosen = [(label, options) for label, options in methods.METHODS if any(word in label for word in wanted)]
    slow = [(label, options) for label, options in chosen if label in methods.FIRST_FOLDS]
    quick = [(label, options) for label, options in chosen if label not in methods.FIRST_FOLDS]
    small_first = sorted(ready, key=lambda cut: cut.size)
    with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
        jobs = {}
        for some in (quick, slow):
            for cut in small_first:
                for label, options in some:
                    jobs[cut.name, label] = [pool.submit(ask_part, command, kept, cut, k, options)
                                             for k in range(methods.folds_of(label, cut))]
        for cut in small_first if with_compare else ():
            if folds := methods.folds_of(methods.COMPARE, cut):
                jobs[cut.name, methods.COMPARE] = [pool.submit(ask_recommended, command, kept, cut, k) for k in range(folds)]
        found = {}
        for (table, label), parts in jobs.items():
            found[table, label] = join(parts)
            say("%s: %s" % (label, table))
        return found


# ---- Both ----


def write_scores(found, file):
    with open(file, "w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(["table", "who", "method", "rows", "accuracy", "log_loss", "error"])
        for (table, who, label), given in found.items():
            writer.writerow([table, who, label, given.shape[1], *answers.score(given).values()])


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
    theirs = ask_peers(ready, cache.Kept(BUILD / "peers"))
    say("asking " + command.version())
    our = ask_credence(ready, command, cache.Kept(BUILD / "credence"), words.only.split(",") if words.only else [""], words.compare)

    errors = {key: found for key, found in our.items() if isinstance(found, str)}
    found = {(table, who, label): by[table, label] for cut in ready for who, by in (("Credence", our), ("scikit-learn", theirs))
             for table, label in by if table == cut.name and (table, label) not in errors}
    write_scores(found, BUILD / "scores.csv")
    for line in report.not_taken(errors, ready):
        say(line)
    blocks = report.blocks(ready, found, errors)
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
