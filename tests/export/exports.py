#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""exports.py FORMAT CREDENCE [CASE...] - models of many kinds are exported in a format, run by what reads that format, and
compared with `credence predict`: posteriors equal within a tolerance, or the export is refused by name.

Exits with 77 where the tool that reads the format is not here."""
import csv
import importlib.util
import io
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import json_model  # noqa: E402

REFUSED = "refused"
USUAL = 1e-12

# Names that would break what does not quote them.
NASTY = ['say "hi", you', "it's; DROP TABLE data;--", "sélect\n*\\ from ??= where", "order"]


def run(command, stdin=None, check=True):
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, encoding="utf-8")
    if check and done.returncode != 0:
        raise SystemExit("%s\nfailed:\n%s" % (" ".join(command), done.stderr))
    return done


# ---- Tables: lists of rows, a row a dict from columns to texts, "" where missing ----

def mixed_table(names=("n", "m", "colour", "size"), rows=160, seed=7, target="class"):
    """Two dependent numbers, two dependent categories, three classes, and missing cells."""
    draw = random.Random(seed)
    table = []
    for _ in range(rows):
        k = draw.choice("ppqqqr")
        shift = "pqr".index(k)
        n = draw.gauss(2 * shift + 5, 1 + .5 * shift)
        m = .8 * n + draw.gauss(3, 1)
        colour = draw.choices(NASTY if names[0] != "n" else ["red", "green", "blue", "Red"],
                              [5 - shift, 1 + shift, 2, .3])[0]
        size = draw.choice(["small", "large", colour[:1]])
        cells = ["%.4f" % abs(n), "%.3f" % abs(m), colour, size]
        cells = ["" if draw.random() < .08 else c for c in cells]
        table.append(dict(zip(names, cells), **{target: k}))
    return table


def counts_table():
    draw = random.Random(3)
    table = []
    for _ in range(90):
        k = draw.choice("ab")
        rate = 3 if k == "a" else 9
        table.append({"events": str(sum(draw.random() < rate / 40 for _ in range(40))),
                      "flag": "" if draw.random() < .1 else str(int(draw.random() < rate / 12)), "class": k})
    return table


def far_table():
    """Numbers at the ends of the doubles, and an offset beside which deviations are small."""
    draw = random.Random(4)
    table = []
    for _ in range(60):
        k = draw.choice("ab")
        side = 1 if k == "a" else -1
        table.append({"huge": repr(side * draw.uniform(.5, 1) * 1e308), "tiny": repr(draw.uniform(1, 2 + side) * 1e-300),
                      "offset": repr(1e9 + side * .01 + draw.gauss(0, .01)), "class": k})
    return table


def certain_table():
    """Without smoothing some classes are impossible, in the last row all."""
    rows = ["a,x,u", "a,x,v", "b,y,u", "b,y,u", "c,x,w"]
    return [dict(zip(("class", "one", "two"), r.split(","))) for r in rows]


MIXED, NAMED = mixed_table(), mixed_table(NASTY[::-1], target="class, of 'all'")
UNSEEN = [{"colour": "violet", "size": "small"}, {}, {"n": "-3", "m": "1e9"}, {"n": "1e308"}, {"colour": "red"}]
CERTAIN = [{"one": "x", "two": "u"}, {"one": "y", "two": "w"}, {"one": "z"}, {"two": "v"}]


class Case:
    """What to train on, how, which rows to ask beside those, and how near answers have to be."""

    def __init__(self, name, table, *options, more=(), near=USUAL, target=None):
        self.name, self.table, self.options, self.more, self.near = name, table, list(options), list(more), near
        self.target = target or next(c for c in table[0] if c.startswith("class"))


CASES = [
    Case("naive", MIXED, more=UNSEEN),
    Case("names", NAMED),
    Case("laplace", MIXED, "--smoothing", "laplace:0.5", "--prior", "uniform", "--variance", "sample"),
    Case("zeros", certain_table(), "--smoothing", "none", more=CERTAIN),
    Case("one class", [r for r in MIXED if r["class"] == "p"], more=UNSEEN),
    Case("far", far_table(), near=1e-9),
    Case("weights", MIXED, "--attribute-weights", "fitted", more=UNSEEN),
    Case("student", MIXED, "--family", "student", more=UNSEEN),
    Case("lognormal", MIXED, "--family", "lognormal", more=UNSEEN),
    Case("exponential", MIXED, "--family", "exponential", more=UNSEEN),
    Case("uniform", MIXED, "--family", "uniform", more=UNSEEN),
    Case("poisson", counts_table(), "--family", "events=poisson,flag=bernoulli", more=[{"events": "2.5"}, {"flag": "3"}]),
    Case("histogram", MIXED, "--family", "histogram", more=UNSEEN),
    Case("kernel", MIXED, "--family", "kernel", more=UNSEEN[:3], near=1e-9),
    Case("mixture", MIXED, "--family", "mixture", more=UNSEEN[:3]),
    Case("normal", MIXED, "--joint", "numbers", "--covariance", "full:0", more=UNSEEN[:3], near=1e-11),
    Case("normal auto", MIXED, "--joint", "numbers", more=UNSEEN[:3], near=1e-11),
    Case("normal mixture", MIXED, "--joint", "numbers", "--joint-mixture", "2", more=UNSEEN[:3], near=1e-10),
    Case("table", MIXED, "--joint", "categories", more=UNSEEN),
    Case("table laplace", MIXED, "--joint", "categories", "--smoothing", "laplace:1", more=UNSEEN),
    Case("table marginal", MIXED, "--joint", "categories", "--smoothing", "m:2:marginal", more=UNSEEN),
    Case("aode", MIXED, "--method", "aode", more=UNSEEN),
    Case("pairwise", MIXED, "--method", "pairwise", more=UNSEEN),
    Case("trees", MIXED, "--method", "trees", "--prior", "p=0.2,q=0.3,r=0.5", more=UNSEEN),
    Case("whole trees", [r for r in MIXED if "" not in r.values()], "--method", "trees", more=UNSEEN + MIXED),
    Case("bagging", MIXED, "--method", "bagging:3", more=UNSEEN),
    Case("boosting", MIXED, "--method", "boosting:3", more=UNSEEN),
    Case("stacking", MIXED, "--method", "stacking", more=UNSEEN[:3], near=1e-9),
    Case("platt", MIXED, "--calibration", "platt", more=UNSEEN),
    Case("isotonic", MIXED, "--calibration", "isotonic", "--prior", "p=0.2,q=0.3,r=0.5", more=UNSEEN),
    Case("network", certain_table(), "--method", "network", "--arcs", "class->one->two<-class", more=CERTAIN),
]


# ---- What runs each format: a function from the exported file, the case and its rows to posteriors ----

def run_json(path, case, rows, work):
    with open(path, encoding="utf-8") as file:
        model = json.load(file)
    return [json_model.posteriors(model, {c: v for c, v in row.items() if v != ""}) for row in rows]


def posteriors_of(text):
    """Of CSV whose columns after the first are P(class)."""
    lines = list(csv.reader(io.StringIO(text)))
    assert all(name.startswith("P(") and name.endswith(")") for name in lines[0][1:]), lines[0]
    return [dict(zip((name[2:-1] for name in lines[0][1:]), map(float, line[1:]))) for line in lines[1:]]


def run_c(path, case, rows, work):
    program = os.path.join(work, "program")
    flags = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O0"]
    if case.name == "names":
        run(["cc"] + flags + ["-c", path, "-o", program + ".o"])
    run(["cc"] + flags + ["-DCREDENCE_MAIN", path, "-o", program, "-lm"])
    table = os.path.join(work, "rows.csv")
    with open(table, encoding="utf-8", newline="") as file:
        printed = run([program], stdin=file.read()).stdout
    assert run([program, table]).stdout == printed
    return posteriors_of(printed)


def run_sqlite(path, case, rows, work):
    """The shell prints numbers of 17 digits where asked to; rows stay in their order."""
    columns = list(rows[0])
    quoted = ['"%s"' % c.replace('"', '""') for c in columns]
    script = ["CREATE TABLE data (%s);" % ", ".join(quoted)]
    for row in rows:
        absent = "NULL" if len(script) % 2 else "''"  # as in tables that were imported from CSV
        cells = [absent if row[c] == "" else "'%s'" % row[c].replace("'", "''") for c in columns]
        script.append("INSERT INTO data VALUES (%s);" % ", ".join(cells))
    with open(path, encoding="utf-8") as file:
        query = file.read()
    text = run(["sqlite3", "-json", ":memory:"], stdin="\n".join(script) + "\n" + query).stdout
    return [{k[2:-1]: float(v) for k, v in row.items() if k.startswith("P(")} for row in json.loads(text)]


def run_onnx(path, case, rows, work):
    """By onnxruntime, where Python has it."""
    import numpy
    import onnxruntime
    session = onnxruntime.InferenceSession(path)
    names = session.get_modelmeta().custom_metadata_map
    classes = [names["class_%d" % k] for k in range(len(names))]
    cells = {}
    for given in session.get_inputs():
        if given.type == "tensor(double)":
            column = [[float(row[given.name] or "nan")] for row in rows]
            cells[given.name] = numpy.array(column, dtype=numpy.float64)
        else:
            cells[given.name] = numpy.array([[row[given.name]] for row in rows], dtype=object)
    labels, found = session.run(["label", "probabilities"], cells)
    for label, row in zip(labels, found):
        assert label[0] == (classes[row.argmax()] if row.sum() > 0 else "")
    return [dict(zip(classes, map(float, row))) for row in found]


def run_pmml(path, case, rows, work):
    """A NaiveBayesModel as the standard has it: counts divided by their sums over all values, missing cells left out."""
    tag = "{http://www.dmg.org/PMML-4_4}"
    model = xml.etree.ElementTree.parse(path).getroot().find(tag + "NaiveBayesModel")

    def counts(of):
        return {t.get("value"): float(t.get("count")) for t in of.iter(tag + "TargetValueCount")}
    prior = counts(model.find(tag + "BayesOutput"))
    answers = []
    for row in rows:
        logs = {c: math.log(n) for c, n in prior.items()}
        for field in model.iter(tag + "BayesInput"):
            cell = row[field.get("fieldName")]
            pairs = {p.get("value"): counts(p) for p in field.findall(tag + "PairCounts")}
            for c in logs:
                if cell in pairs:
                    logs[c] += math.log(pairs[cell][c] / math.fsum(p[c] for p in pairs.values()))
                elif not pairs and cell != "":
                    normal = next(s for s in field.iter(tag + "TargetValueStat") if s.get("value") == c)[0]
                    mean, variance = float(normal.get("mean")), float(normal.get("variance"))
                    away = (float(cell) - mean) ** 2 if abs(float(cell)) < 1e150 else math.inf
                    logs[c] += -math.log(2 * math.pi * variance) / 2 - away / (2 * variance)
        most = max(logs.values())
        parts = {c: math.exp(v - most) if most > -math.inf else 0.0 for c, v in logs.items()}
        certain = {c: 1.0 for c in parts} if len(parts) == 1 else None
        answers.append(certain or {c: p / (sum(parts.values()) or 1) for c, p in parts.items()})
    return answers


JOINT = {"normal", "normal auto", "normal mixture", "table", "table laplace", "table marginal", "aode", "pairwise", "bagging",
         "boosting", "stacking", "network"}
TREES = {"trees", "whole trees"}

FORMATS = {"json": (run_json, None, set()), "c": (run_c, "cc", {"network"}),
           "sql": (run_sqlite, "sqlite3", JOINT | {"histogram", "kernel", "mixture", "platt", "isotonic"}),
           "pmml": (run_pmml, None, JOINT | TREES | {"zeros", "far", "weights", "student", "lognormal", "exponential", "uniform",
                                             "poisson", "histogram", "kernel", "mixture", "platt", "isotonic"}),
           "onnx": (run_onnx, "python:onnxruntime", JOINT | {"far", "student", "lognormal", "exponential", "uniform", "poisson", "histogram",
                                             "kernel", "mixture", "platt", "isotonic"})}


def write_csv(path, columns, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([row.get(c, "") for c in columns] for row in rows)


def predicted(credence, model, path):
    lines = run([credence, "predict", model, path, "--format", "json"]).stdout.splitlines()
    return [json.loads(line)["posterior"] for line in lines]


def farthest(found, expected):
    """The greatest difference: absolute, since probabilities are below 1, or relative where that is less."""
    worst = 0.0
    for a, b in zip(found, expected):
        for label, p in b.items():
            p, q = p or 0.0, a.get(label) or 0.0
            worst = max(worst, math.inf if q != q else abs(p - q))
    return worst if len(found) == len(expected) else math.inf


def check(credence, form, case, work):
    """A line of the report, and whether it is right."""
    reader, _, refused = FORMATS[form]
    columns = list(case.table[0])
    attributes = [c for c in columns if c != case.target]
    rows = [{c: row.get(c, "") for c in attributes} for row in case.table[:60] + case.more]
    data, model = os.path.join(work, "data.csv"), os.path.join(work, "m.model")
    asked, exported = os.path.join(work, "rows.csv"), os.path.join(work, "m." + form)
    write_csv(data, columns, case.table)
    write_csv(asked, attributes, rows)
    run([credence, "train", data, "--target", case.target, "-o", model, "-q"] + case.options)
    done = run([credence, "export", model, "--as", form, "-o", exported], check=False)
    if done.returncode != 0:
        is_right = case.name in refused and "cannot express" in done.stderr
        return "%-16s %s" % (case.name, done.stderr.strip().splitlines()[0]), is_right
    if case.name in refused:
        return "%-16s was to be refused" % case.name, False
    worst = farthest(reader(exported, case, rows, work), predicted(credence, model, asked))
    return "%-16s %.1e" % (case.name, worst), worst <= case.near


def main():
    form, credence, only = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3:]
    tool = FORMATS[form][1]
    is_module = tool is not None and tool.startswith("python:")
    if is_module and importlib.util.find_spec(tool[len("python:"):]) is None or \
            tool is not None and not is_module and shutil.which(tool) is None:
        print("skipped: %s is not here" % tool)
        return 77
    wrong = 0
    for case in CASES:
        if only and case.name not in only:
            continue
        with tempfile.TemporaryDirectory() as work:
            line, is_right = check(credence, form, case, work)
        print(line if is_right else line + "   WRONG")
        wrong += not is_right
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
