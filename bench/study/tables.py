"""The tables of docs/defaults.md, as Markdown, and putting them into their places there."""

import collections
import dataclasses
import math
import re

import numpy

from . import compare, grid, peers


def number(x, digits=3):
    if math.isinf(x):
        return "infinite"
    return "%.1e" % x if x >= 1e5 else "%.*f" % (digits, x)


def markdown(names, rows):
    line = lambda cells: "| " + " | ".join(cells) + " |"
    return "\n".join([line(names), line(["---"] * len(names)), *map(line, rows)])


def all_of(settings):
    return ", ".join(dataclasses.astuple(settings))


def of_sets(tables):
    rows = []
    for t in tables:
        numbers = sum(t.is_number)
        missing = sum(cell is None for row in t.train + t.test for cell in row)
        shares = [n / len(t.train) for n in collections.Counter(t.train_classes).values()]
        rows.append([t.name, len(t.train), len(t.test), len(shares), numbers, len(t.columns) - numbers, missing,
                     len(t.dealings), number(-sum(share * math.log(share) for share in shares))])
    names = ["table", "training rows", "test rows", "classes", "numbers", "categories", "missing cells", "dealings",
             "entropy of the classes"]
    return markdown(names, [list(map(str, row)) for row in rows])


def of_group(comparison, group, name, best, clipped=None):
    """Settings beside one another, each named by the part in which they differ."""
    rows = []
    for settings, rank in zip(group, comparison.ranks(group)):
        i = comparison.index(settings)
        zeros = comparison.zero_rows[i]
        mean, error = comparison.behind(settings, best)
        at_zero = "%d (%.0f)" % ((zeros > 0).sum(), zeros.sum())
        row = ["`%s`" % name(settings), at_zero, number(comparison.loss[i].mean())]
        if clipped is not None:
            row.append(number(clipped[settings]))
        row += [number(math.exp(comparison.relative[i].mean())),
                "infinite" if math.isinf(mean) else "%.3f ± %.3f" % (mean, error),
                "%.1f" % rank, "%.4f" % comparison.accuracy[i].mean()]
        rows.append(row)
    names = ["setting", "tables (rows) at zero", "log loss", "relative", "behind the best", "rank", "accuracy"]
    if clipped is not None:
        names.insert(3, "clipped")
    return markdown(names, rows)


def of_others(comparison, best):
    chosen = compare.REFERENCE
    groups = [
        ("prior", "--prior %s", grid.PRIORS),
        ("variance", "--variance %s", grid.VARIANCES),
        ("share", "--pool-variance %s", grid.SHARES),
        ("floor", "--min-sd %s", ["0"] + grid.FLOORS),
    ]
    parts = []
    for field, text, values in groups:
        group = [dataclasses.replace(chosen, **{field: value}) for value in values]
        parts.append(of_group(comparison, group, lambda s: text % getattr(s, field), best))
    return "\n\n".join(parts)


def of_winners(comparison, best, count=6):
    """The best of the whole grid by either mean, whether or not they may be defaults."""
    finite = [s for s in comparison.settings if numpy.isfinite(comparison.loss[comparison.index(s)]).all()]
    parts = []
    for title, by in (("By mean log loss:", comparison.loss), ("By relative loss:", comparison.relative)):
        group = sorted(finite, key=lambda s: by[comparison.index(s)].mean())[:count]
        parts += [title, of_group(comparison, group, all_of, best)]
    return "\n\n".join(parts)


def of_plan(tables, comparison, best):
    """The defaults against those that the rules favor, with all tables and without the one of the greatest losses."""
    chosen = compare.REFERENCE
    finite = [s for s in comparison.settings if numpy.isfinite(comparison.loss[comparison.index(s)]).all()]
    unassuming = [s for s in finite if compare.assumes_nothing(s)]
    winner, shared = comparison.best(finite, comparison.loss), dataclasses.replace(chosen, share="classes")
    pairs = [(chosen, winner), (shared, winner), (chosen, shared),
             (chosen, comparison.best(unassuming, comparison.loss)), (chosen, best)]
    measures = (comparison.loss, comparison.relative, comparison.accuracy)
    worst = int(comparison.loss[comparison.index(chosen)].argmax())
    rows = []
    for a, b in dict.fromkeys(pairs):  # two bests may be one
        for without in (None, worst):
            found = [comparison.behind(a, b, measure, without) for measure in measures]
            which = "all" if without is None else "all but " + tables[worst].name
            rows.append(["`%s`" % all_of(a), "`%s`" % all_of(b), which, *("%+.3f ± %.3f" % pair for pair in found)])
    return markdown(["setting", "less the setting", "tables", "log loss", "log of relative loss", "accuracy"], rows)


def of_sharing(tables, comparison):
    """The one choice that matters, table by table."""
    pairs = [comparison.index(grid.Settings(share=share)) for share in ("none", "classes")]
    rows = []
    for j, t in enumerate(tables):
        if t.kind != "category":
            loss, accuracy = ([of[i, j] for i in pairs] for of in (comparison.loss, comparison.accuracy))
            rows.append([t.name, *map(number, loss), *("%.4f" % a for a in accuracy)])
    return markdown(["table", "log loss, `none`", "`classes`", "accuracy, `none`", "`classes`"], rows)


MEASURES = (("log loss", "log_loss", number), ("clipped", "clipped", number), ("accuracy", "accuracy", "%.4f".__mod__))


def mean(name, scores):
    return sum(score[name] for score in scores) / len(scores)


def beside_peer(tables, ours, theirs):
    """Credence at the chosen settings beside the peer, table by table."""
    names = ["table"] + [what + ", " + who for what, _, _ in MEASURES for who in ("Credence", peers.VERSION)]
    rows = [[t.name] + [text(of[name]) for _, name, text in MEASURES for of in (a, b)]
            for t, a, b in zip(tables, ours, theirs)]
    rows.append(["mean"] + [text(mean(name, of)) for _, name, text in MEASURES for of in (ours, theirs)])
    ratios = [a["log_loss"] / b["log_loss"] for a, b in zip(ours, theirs)]
    note = "Credence has the lower log loss on %d of %d tables; the median of the ratios is %.3f." % (
        sum(ratio < 1 for ratio in ratios), len(ratios), numpy.median(ratios))
    return markdown(names, rows) + "\n\n" + note


def of_rivals(tests):
    """Means over the test parts of the chosen settings, first, and of those that could have been chosen instead."""
    chosen = next(iter(tests.values()))
    rows = []
    for settings, scores in tests.items():
        ratios = [math.log(a["log_loss"] / b["log_loss"]) for a, b in zip(scores, chosen)]
        rows.append(["`%s`" % all_of(settings), number(mean("log_loss", scores)), number(mean("clipped", scores)),
                     number(math.exp(sum(ratios) / len(ratios))), "%.4f" % mean("accuracy", scores)])
    return markdown(["setting", "log loss", "clipped", "relative", "accuracy"], rows)


def put(path, blocks):
    """Replaces what stands between <!-- NAME --> and <!-- end of NAME --> by each block."""
    text = path.read_text(encoding="utf-8")
    for name, block in blocks.items():
        pattern = re.compile(r"(<!-- %s -->\n).*?(<!-- end of %s -->)" % (name, name), re.DOTALL)
        text, places = pattern.subn(lambda found: found[1] + "\n" + block + "\n\n" + found[2], text)
        if places != 1:
            raise SystemExit("%s has no place for the table '%s'" % (path, name))
    path.write_text(text, encoding="utf-8")
