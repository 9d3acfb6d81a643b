"""Runs the study: bench/defaults calls this with the folder of data."""

import concurrent.futures
import csv
import dataclasses
import math
import pathlib
import sys

from . import compare, grid, ours, peers, sets, tables

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "bench" / "defaults"
DOCUMENT = ROOT / "docs" / "defaults.md"

# `evaluate` and training anew must agree on a loss to this, relatively: the second way reads probabilities that were
# rounded once, and near 1 their logarithms keep an absolute error of that size.
AGREEMENT = 1e-9


def report(text):
    print("defaults: " + text, file=sys.stderr, flush=True)


def mean_clipped(probabilities):
    return -sum(math.log(max(p, peers.CLIP)) for p in probabilities) / len(probabilities)


def check_agreement(table, loss, probabilities):
    if min(probabilities) < 1e-300:
        return
    anew = -sum(map(math.log, probabilities)) / len(probabilities)
    if abs(anew - loss) > AGREEMENT * max(1, loss):
        raise SystemExit("defaults: %s: a log loss of %r by folds, %r by training anew" % (table.name, loss, anew))


def clip_smoothings(ready, scores, command):
    """Clipped losses of every smoothing on each table: {settings: [loss]}."""
    group = [grid.Settings(smoothing=smoothing) for smoothing in grid.SMOOTHINGS]
    result = {settings: [] for settings in group}
    with concurrent.futures.ThreadPoolExecutor(grid.PROCESSES) as pool:
        for j, table in enumerate(ready):
            report("%s: training anew" % table.name)
            for dealing, folds in enumerate(table.dealings):
                for fold in set(folds):
                    table.fold_files(dealing, fold)
            different = list(dict.fromkeys(settings.on(table.kind) for settings in group))
            found = dict(zip(different, pool.map(lambda s: command.ask_folds(table, s.options()), different)))
            for settings in group:
                probabilities = found[settings.on(table.kind)]
                check_agreement(table, scores[settings][j]["log_loss"], probabilities)
                result[settings].append(mean_clipped(probabilities))
    return result


def test(ready, settings, command):
    result = []
    for table in ready:
        score = command.test(table, settings.options())
        probabilities = command.ask_test(table, settings.options())
        check_agreement(table, score["log_loss"], probabilities)
        result.append(score | {"clipped": mean_clipped(probabilities)})
    return result


def write_scores(ready, scores):
    with open(BUILD / "scores.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["table", *(field.name for field in dataclasses.fields(grid.Settings)),
                         "log_loss", "accuracy", "zero_rows"])
        for settings, of in scores.items():
            for table, score in zip(ready, of):
                writer.writerow([table.name, *dataclasses.astuple(settings), *score.values()])


def main(data):
    command = ours.Command()
    BUILD.mkdir(parents=True, exist_ok=True)
    ready, absent = sets.prepare_all(data, BUILD, command)
    for name in absent:
        report("%s is not in %s: left out" % (name, data))
    for table in ready:
        if table.left_out:
            report("%s: %d rows of classes with fewer than two training rows left out" % (table.name, table.left_out))
    if not ready:
        return 1

    scores = grid.run(ready, command, report)
    write_scores(ready, scores)
    comparison = compare.Comparison(scores)
    best = comparison.best(filter(compare.assumes_nothing, scores), comparison.relative)
    clipped = clip_smoothings(ready, scores, command)
    report("asking " + peers.VERSION)
    chosen = compare.REFERENCE
    finite = [settings for settings, of in scores.items() if all(math.isfinite(score["log_loss"]) for score in of)]
    rivals = [chosen, grid.Settings(share="classes"), best, comparison.best(finite, comparison.loss),
              comparison.best(finite, comparison.relative)]
    tests = {settings: test(ready, settings, command) for settings in rivals}
    ours_folds = [score | {"clipped": clip} for score, clip in zip(scores[chosen], clipped[chosen])]
    means = {settings: sum(of) / len(of) for settings, of in clipped.items()}
    blocks = {
        "sets": tables.of_sets(ready),
        "smoothing": tables.of_group(comparison, list(clipped), lambda s: s.smoothing, best, means),
        "others": tables.of_others(comparison, best),
        "sharing": tables.of_sharing(ready, comparison),
        "winners": tables.of_winners(comparison, best),
        "plan": tables.of_plan(ready, comparison, best),
        "folds": tables.beside_peer(ready, ours_folds, [peers.cross_validate(table) for table in ready]),
        "test": tables.beside_peer(ready, tests[chosen], [peers.test(table) for table in ready]),
        "rivals": tables.of_rivals(tests),
    }
    tables_file = BUILD / "tables.md"
    tables_file.write_text("\n\n".join("## %s\n\n%s" % pair for pair in blocks.items()) + "\n", encoding="utf-8")
    print("The best setting that assumes nothing is %s;" % " ".join(best.options()))
    print("the defaults are behind it by %.3f ± %.3f in the logarithm of the loss." % comparison.behind(chosen, best))
    print("Tables: %s; every score: %s" % (tables_file.relative_to(ROOT), (BUILD / "scores.csv").relative_to(ROOT)))
    if absent:
        report("%s stays as it is, since tables were left out" % DOCUMENT.relative_to(ROOT))
    else:
        tables.put(DOCUMENT, blocks)
    return 0


sys.exit(main(pathlib.Path(sys.argv[1])))
