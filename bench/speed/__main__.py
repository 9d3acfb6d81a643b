"""Runs the bench of speed: bench/speed/run calls this."""

import argparse
import math
import sys

from . import report, works
from .contenders import BUILD, DATA, ROOT, Failure, Result, Served

DOCUMENT = ROOT / "docs" / "speed.md"

# The first turn of each contender warms it up and does not count, unless it is so long that warmth hardly matters.
LONG = 10


def say(text):
    print("speed: " + text, file=sys.stderr, flush=True)


def options():
    parser = argparse.ArgumentParser(prog="bench/speed/run", description="Times Credence beside its peers.")
    parser.add_argument("--work", default="abcdefg", metavar="LETTERS", help="only these pieces of work, such as bc")
    parser.add_argument("--only", metavar="NAMES", help="only contenders that have one of these words in their names, "
                        "such as Credence,plain,limit")
    parser.add_argument("--scale", type=float, default=1, metavar="F", help="tables with this part of their rows")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="turns of each contender (5)")
    parser.add_argument("--patience", type=float, default=40, metavar="S", help="a way that has taken as many seconds "
                        "has no more turns, unless it is the fastest of its peer (40)")
    return parser.parse_args()


def chosen(work, only):
    """The work's contenders that were asked for and are there."""
    left = {}
    for name, contender in work.contenders.items():
        if only and not any(word.strip().lower() in name.lower() for word in only.split(",")):
            continue
        if lacking := works.missing_peers(name):
            say("%s is not installed: %s is left out" % (" and ".join(lacking), name))
            continue
        left[name] = contender
    return left


def is_fastest_way(name, results):
    """Whether no other way of the same peer, such as another way of scikit-learn with pandas, is faster so far."""
    peer = lambda of: [word.strip(",") for word in of.split()][:2]
    return all(results[name].median <= result.median for other, result in results.items()
               if peer(other) == peer(name) and result.seconds)


def has_turn(name, results, rounds, patience):
    result = results[name]
    if len(result.seconds) >= rounds:
        return False
    tired = result.seconds and sum(result.seconds) + result.median > patience
    return not tired or is_fastest_way(name, results)


def take_turns(contenders, rounds, patience):
    """One turn each to warm up, then one each in every round."""
    results = {name: Result() for name in contenders}
    for turn in range(rounds + 1):
        for name in list(results):
            result = results[name]
            if not has_turn(name, results, rounds, patience):
                continue
            try:
                seconds = contenders[name].turn(result)
            except Failure as failure:
                say("%s failed and is left out: %s" % (name, failure))
                del results[name]
                continue
            if turn > 0 or seconds > LONG:
                result.seconds.append(seconds)
            if turn == 0:
                say("  %-44s %s" % (name, report.duration(seconds)))
    return results


def check(work, results):
    """Contenders that computed something else than the first are named; they do not stop the bench."""
    known = {name: result.check for name, result in results.items() if result.check is not None
             and not math.isnan(result.check)}
    for name, value in known.items():
        first = next(iter(known.values()))
        if abs(value - first) > work.agreement * abs(first):
            say("%s: %s found %r where %s found %r" % (work.name, name, value, next(iter(known)), first))


def drop_old_tables():
    """Tables are kept from run to run, unless what makes them has changed."""
    source, stamp = (ROOT / "bench" / "speed" / "generate.c").read_bytes(), DATA / "made-by.c"
    DATA.mkdir(parents=True, exist_ok=True)
    if not stamp.exists() or stamp.read_bytes() != source:
        for path in DATA.iterdir():
            path.unlink()
        stamp.write_bytes(source)


def main():
    asked = options()
    drop_old_tables()
    done, found, blocks = [], {}, {}
    for letter in asked.work:
        say("(%s): making its table, where it is not there yet" % letter)
        for work in works.MAKERS[letter](asked.scale):
            contenders = chosen(work, asked.only)
            if not contenders:
                continue
            say("(%s) %s" % (letter, work.title))
            work.prepare()
            results = take_turns(contenders, asked.rounds, asked.patience)
            check(work, results)
            done.append(work)
            found[work.name] = results
            blocks[work.name] = report.of_work(work, results)
            print("\n(%s) %s\n\n%s\n" % (letter, work.title, blocks[work.name]), flush=True)
        Served.stop_all()
    blocks["goals"] = report.of_goals(found)
    blocks["machine"] = report.of_machine(asked.rounds)
    print("%s\n\n%s\n" % (blocks["goals"], blocks["machine"]))
    results_file = BUILD / "results.json"
    report.write_json(results_file, asked.scale, asked.rounds, done, found)
    say("all that was measured is in %s" % results_file.relative_to(ROOT))
    complete = asked.scale == 1 and not asked.only and set(asked.work) == set(works.MAKERS) and asked.rounds >= 5
    if complete:
        report.put(DOCUMENT, blocks)
    else:
        say("%s stays as it is: that takes a run of everything" % DOCUMENT.relative_to(ROOT))
    return 0


sys.exit(main())
