# SPDX-License-Identifier: MIT
"""See bench/exports."""
import csv
import gzip
import importlib.metadata
import os
import shutil
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "export"))
import exports  # noqa: E402

MOST_ROWS = 500  # that are compared
TABLES = [  # a file, its target, and columns to leave out
    ("iris.csv", "class"), ("wine.csv", "class"), ("wdbc.csv", "diagnosis"), ("mushroom.csv", "class"),
    ("nursery.csv", "class"), ("house_votes_84.csv", "class"), ("titanic.csv", "survived"), ("letter_recognition.csv", "letter"),
    ("adult_test.csv.gz", "income"),
]


# ---- Tools ----

def quoted(name):
    return '"%s"' % name.replace('"', '""')


def kinds(rows):
    """double precision for columns whose cells are all numbers."""
    def is_number(text):
        try:
            float(text)
            return True
        except ValueError:
            return text == ""
    return {c: "DOUBLE PRECISION" if all(is_number(r[c]) for r in rows) else "VARCHAR" for c in rows[0]}


def typed(rows, types):
    return [[None if r[c] == "" else float(r[c]) if types[c] != "VARCHAR" else r[c] for c in r] for r in rows]


def read_query(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def run_duckdb(path, case, rows, work):
    import duckdb
    base = duckdb.connect()
    types = kinds(rows)
    base.execute("CREATE TABLE data (%s)" % ", ".join("%s %s" % (quoted(c), types[c]) for c in rows[0]))
    base.executemany("INSERT INTO data VALUES (%s)" % ", ".join("?" * len(types)), typed(rows, types))
    answer = base.execute(read_query(path))
    names = [d[0] for d in answer.description]
    return [{n[2:-1]: v for n, v in zip(names, row) if n.startswith("P(")} for row in answer.fetchall()]


def run_postgresql(path, case, rows, work):
    types = kinds(rows)
    table = os.path.join(work, "typed.csv")
    exports.write_csv(table, list(rows[0]), rows)
    script = "CREATE TEMPORARY TABLE data (%s);\n" % ", ".join("%s %s" % (quoted(c), types[c]) for c in rows[0])
    script += "\\copy data from '%s' csv header\n" % table
    script += "SET extra_float_digits = 1;\n\\pset format csv\n" + read_query(path)
    text = exports.run(["psql", "-q", "-v", "ON_ERROR_STOP=1"], stdin=script).stdout
    import io
    return [{n[2:-1]: float(v) for n, v in row.items() if n.startswith("P(")}
            for row in csv.DictReader(io.StringIO(text))]


def run_pmml(path, case, rows, work):
    from pypmml import Model
    model = Model.fromFile(path)
    types = kinds(rows)
    cells = [dict(zip(row, line)) for row, line in zip(rows, typed(rows, types))]
    answers = []
    for row in cells:
        found = model.predict(row)
        answers.append({n[2:-1]: v for n, v in found.items() if n.startswith("P(")})
    return answers


def have(module):
    try:
        return importlib.metadata.version(module)
    except importlib.metadata.PackageNotFoundError:
        return None


# A name, the format, the function, and whether it is here.
TOOLS = [
    ("Python", "json", exports.run_json, True),
    ("C compiler", "c", exports.run_c, shutil.which("cc")),
    ("sqlite3", "sql", exports.run_sqlite, shutil.which("sqlite3")),
    ("DuckDB", "sql", run_duckdb, have("duckdb")),
    ("PostgreSQL", "sql", run_postgresql, os.environ.get("PGHOST")),
    ("onnxruntime", "onnx", exports.run_onnx, have("onnxruntime")),
    ("PyPMML", "pmml", run_pmml, have("pypmml") and shutil.which("java")),
]


def read_table(path, target):
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return rows


def compare(credence, name, table, rows, form, function):
    with tempfile.TemporaryDirectory() as work:
        case = exports.Case(name, table[0], target=table[1])
        model, data = os.path.join(work, "m.model"), os.path.join(work, "data.csv")
        asked, path = os.path.join(work, "rows.csv"), os.path.join(work, "m." + form)
        exports.write_csv(data, list(table[0][0]), table[0])
        exports.write_csv(asked, list(rows[0]), rows)
        exports.run([credence, "train", data, "--target", table[1], "-o", model, "-q"])
        exports.run([credence, "export", model, "--as", form, "-o", path])
        return exports.farthest(function(path, case, rows, work), exports.predicted(credence, model, asked))


def main():
    credence = os.path.abspath(sys.argv[1])
    folder = sys.argv[2] if len(sys.argv) > 2 else os.path.join(ROOT, "..", "shared", "data", "tabular")
    tools = [t for t in TOOLS if t[3]]
    print("| table | rows compared | " + " | ".join("%s (%s)" % (t[0], t[1]) for t in tools) + " |")
    print("| --- " * (2 + len(tools)) + "|")
    worst = 0.0
    for file, target in TABLES:
        path = os.path.join(folder, file)
        if not os.path.exists(path):
            print("| %s | not here |" % file)
            continue
        table = read_table(path, target)
        missing = ("", "?", "NA")
        table = [{c: "" if v is None or v.strip() in missing else v.strip() for c, v in row.items()} for row in table]
        step = -(-len(table) // MOST_ROWS)
        rows = [{c: v for c, v in row.items() if c != target} for row in table[::step]]
        found = [compare(credence, file, (table, target), rows, t[1], t[2]) for t in tools]
        worst = max([worst] + found)
        print("| %s | %d | %s |" % (file, len(rows), " | ".join("%.1e" % f for f in found)), flush=True)
    return worst > 1e-12


if __name__ == "__main__":
    sys.exit(main())
