"""What was measured, as tables for people and as a file for programs, and whether it is what Credence sets out to be."""

import dataclasses
import json
import math
import os
import platform
import re

from .works import ALL, versions

MANY = "%d threads" % ALL


def of_two(name):
    return "%s, %s" % (name, MANY if ALL > 1 else "1 thread")


def number(x):
    """Three digits, as a person would write them."""
    if x >= 100:
        return format(round(x), ",")
    return "%.*f" % (max(0, 2 - math.floor(math.log10(x))), x) if x > 0 else "0"


def duration(seconds):
    for unit, name in ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")):
        if seconds >= unit:
            break
    return "%s %s" % (number(seconds / unit), name)


def memory(size):
    return "%s MB" % number(size / 1e6) if size else ""


def rate(work, result):
    if work.unit == "bytes":
        return "%s MB/s" % number(work.amount / result.median / 1e6)
    return "%s million rows/s" % number(work.amount / result.median / 1e6) if work.unit else ""


def markdown(names, rows, right=()):
    line = lambda cells: "| " + " | ".join(cells) + " |"
    rule = ["---:" if name in right else "---" for name in names]
    return "\n".join([line(names), line(rule), *map(line, rows)])


def ours_among(results):
    return results.get(of_two("Credence")) or results.get("Credence") or results.get("Credence, 1 thread")


def of_work(work, results):
    """All contenders of one piece of work, Credence on all processors being the measure."""
    ours = ours_among(results)
    names = ["contender", "time", "speed", "speed of Credence ÷ its", "peak memory", "turns"]
    rows = []
    for name, result in results.items():
        ratio = number(result.median / ours.median) if ours else ""
        rows.append([name, duration(work_time(work, result)), rate(work, result), ratio, memory(result.peak),
                     str(len(result.seconds))])
    if not work.unit:
        names.pop(2)
        for row in rows:
            row.pop(2)
    return markdown(names, rows, right=names[1:])


def work_time(work, result):
    return result.median / work.amount if work.name == "one" else result.median


# ---- What was set out to be shown ----

@dataclasses.dataclass
class Goal:
    what: str
    least: float
    goal: float
    measured: float
    show: object = number  # of the three numbers
    suffix: str = ""
    below: bool = False  # a number that should be small; the bounds are then the most, not the least

    def met(self):
        reaches = lambda bound: self.measured <= bound if self.below else self.measured >= bound
        return "the goal" if reaches(self.goal) else "yes" if reaches(self.least) else "no"

    def row(self):
        bounds = (re.sub(r"\.?0+$|\.?0+(?= )", "", self.show(x)) if "." in self.show(x) else self.show(x)
                  for x in (self.least, self.goal))
        return [self.what, *(text + self.suffix for text in (*bounds, self.show(self.measured))), self.met()]


# Learning from numbers in a file by other means than pandas.
PIPELINES = ("scikit-learn, polars", "polars", "DuckDB", "data.table", "e1071, data.table")


def goals(found):
    """Every goal that the results have the numbers for."""
    made = []

    def median(work, name):
        return found[work][name].median

    def fastest(work, start):
        return min(result.median for name, result in found[work].items() if name.startswith(start))

    def add(what, least, goal, measure, **options):
        try:
            made.append(Goal(what, least, goal, measure(), **options))
        except (KeyError, ValueError):
            pass  # that work, or that contender, was left out

    def against(what, least, goal, work, name, **options):
        add(what, least, goal, lambda: median(work, name) / median(work, of_two("Credence")), **options)

    def times(what, least, goal, measure):
        add(what, least, goal, measure, suffix=" x")

    against("(a) fit, against the plain loop", 0.35, 0.7, "a fit", of_two("plain loop"))
    against("(a) posteriors, against the plain loop that names the best class", 0.5, 0.9, "a predict", of_two("plain loop"))
    against("(b) train, against the plain probe", 0.5, 0.9, "b train", of_two("plain probe"))
    times("(b) train, against the fastest of polars, DuckDB and data.table", 2, 4, lambda: min(
        median("b train", name) for name in PIPELINES) / median("b train", of_two("Credence")))
    against("(b) train, against finding line ends in memory", 0.08, 0.15, "b train", of_two("limit: find line ends in memory"))
    add("(b) train, peak memory", 96e6, 32e6, lambda: found["b train"][of_two("Credence")].peak, show=memory, below=True)
    against("(c) train, against the plain probe", 0.5, 0.9, "c train", of_two("plain probe"))
    for letter in "bc":
        times("(%s) train, %s against one" % (letter, MANY), 1.7, 1.9, lambda: median(
            letter + " train", "Credence, 1 thread") / median(letter + " train", of_two("Credence")))
    add("(b) predict CSV to CSV, against train", 0.4, 0.7, lambda: median("b train", of_two("Credence")) / median(
        "b predict", of_two("Credence")))
    add("(g) one row, process start included", 5e-3, 2e-3, lambda: median("g", "Credence"), show=duration, below=True)
    add("one row through the C API", 1e-6, 0.3e-6, lambda: median("one", "Credence, 1 thread") / 1e6, show=duration,
        below=True)
    for what, least, goal, work, start in (
            ("(a) fit", 8, 20, "a fit", "scikit-learn"),
            ("(a) posteriors", 10, 25, "a predict", "scikit-learn"),
            ("(b) train", 12, 25, "b train", "scikit-learn, pandas"),
            ("(c) train", 35, 60, "c train", "scikit-learn, pandas")):
        times(what + ", against scikit-learn with pandas, its best way", least, goal,
              lambda: fastest(work, start) / median(work, of_two("Credence")))
    return made


def of_goals(found):
    names = ["what", "at least", "goal", "measured", "reached"]
    return markdown(names, [goal.row() for goal in goals(found)], right=names[1:4])


# ---- Where ----

def machine():
    flags = ""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            flags = next((line for line in file if line.startswith("flags")), "")
    except OSError:
        pass
    vectors = [name for name, flag in (("AVX2", " avx2 "), ("AVX-512", " avx512f ")) if flag in flags]
    size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return "%d processor%s of a server, %s%s, %.0f GiB of memory" % (
        ALL, "s" if ALL > 1 else "", platform.machine().replace("_", "-"),
        " with " + " and ".join(vectors) if vectors else "", size)


def of_machine(rounds):
    peers = ", ".join("%s %s" % pair for pair in versions().items())
    return "Machine: %s. Peers: %s. Medians of %d turns, where no other number is given." % (machine(), peers, rounds)


def write_json(path, scale, rounds, works, found):
    results = [{"work": work.name, "contender": name, "unit": work.unit, "amount": work.amount, "seconds": result.seconds,
                "median_seconds": result.median, "peak_bytes": result.peak, "check": result.check}
               for work in works for name, result in found[work.name].items()]
    whole = {"machine": machine(), "peers": versions(), "scale": scale, "rounds": rounds, "results": results,
             "goals": [{"what": goal.what, "least": goal.least, "goal": goal.goal, "measured": goal.measured,
                        "reached": goal.met()} for goal in goals(found)]}
    path.write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")


def put(path, blocks):
    """Replaces what stands between <!-- NAME --> and <!-- end of NAME --> by each block."""
    text = path.read_text(encoding="utf-8")
    for name, block in blocks.items():
        pattern = re.compile(r"(<!-- %s -->\n).*?(<!-- end of %s -->)" % (name, name), re.DOTALL)
        text, places = pattern.subn(lambda found: found[1] + "\n" + block + "\n\n" + found[2], text)
        if places != 1:
            raise SystemExit("speed: %s has no place for the table '%s'" % (path, name))
    path.write_text(text, encoding="utf-8")
