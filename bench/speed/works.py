"""The pieces of work, and who does them how."""

import dataclasses
import functools
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable

from .contenders import BUILD, DATA, PROGRAMS, RELEASE, ROOT, Command, Served, processors

CREDENCE = os.environ.get("CREDENCE", RELEASE / "credence")
PEERS = ROOT / "bench" / "speed"
ALL = processors()
WEKA = "/usr/share/java/weka.jar"


@dataclasses.dataclass
class Table:
    """A table that bench_generate makes; --scale makes it shorter."""
    letter: str
    shape: str
    rows: int
    columns: int
    classes: int

    def file(self, scale, shape=None):
        shape = shape or self.shape
        rows = max(1000, round(self.rows * scale))
        ending = {"array": "bin", "arff": "arff"}.get(shape, "csv")
        path = DATA / ("%s-%d.%s" % (self.letter, rows, ending))
        if not path.exists():
            unfinished = path.with_suffix(".unfinished")
            subprocess.run([PROGRAMS / "bench_generate", shape, *map(str, (rows, self.columns, self.classes)), unfinished],
                           check=True)
            unfinished.rename(path)
        return path


TABLES = {
    "a": Table("a", "array", 10_000_000, 20, 5),
    "b": Table("b", "numbers", 10_000_000, 20, 5),
    "c": Table("c", "names", 5_000_000, 20, 3),
    "d": Table("d", "mixed", 1_000_000, 20, 4),
    "e": Table("e", "numbers", 20_000, 5_000, 5),
    "f": Table("f", "numbers", 1_000_000, 20, 1_000),
    "g": Table("g", "numbers", 10_000, 20, 5),
}


@dataclasses.dataclass
class Work:
    letter: str
    name: str  # the key of its results
    title: str
    unit: str  # of the rate: "rows", "bytes", or "" where only the time matters
    amount: float  # of the unit in one turn
    contenders: dict  # name: Command or Served
    prepare: Callable = lambda: None  # makes what the contenders need beside the table
    agreement: float = 1e-6  # relatively, of their checks: scikit-learn adds 1e-9 of the largest variance to each


def both(name, make):
    """A contender on one thread and on all."""
    return {"%s, %d thread%s" % (name, threads, "s" if threads > 1 else ""): make(threads) for threads in {1: 0, ALL: 0}}


def python(*words, **options):
    return Command(sys.executable, PEERS / "peers.py", *words, **options)


def r(*words, **options):
    return Command("Rscript", PEERS / "peers.R", *words, **options)


def shown(model):
    """What the model file that training left says of the table, for the check."""
    said = subprocess.run([CREDENCE, "show", model, "--smoothing", "none", "--format", "json"], capture_output=True, check=True)
    return json.loads(said.stdout)


def variance_in(model, class_name):
    densities = shown(model)["attributes"][0]["densities"]
    return next(density["sd"] ** 2 for density in densities if density["class"] == class_name)


def squares_in(model):
    said = shown(model)
    rows = {one["class"]: one["rows"] for one in said["classes"]}
    return float(sum(round(share * rows[name]) ** 2
                     for value in said["attributes"][4]["values"] for name, share in value["probability"].items()))


def train(path, look):
    model = BUILD / (path.stem + ".model")
    return both("Credence", lambda threads: Command(
        CREDENCE, "train", path, "--target", "class", "-o", model, "--quiet", "--threads", threads, checked=False,
        look=lambda: look(model)))


# ---- (a): an array in memory ----

def array_works(scale):
    table = TABLES["a"]
    path = table.file(scale)
    rows = path.stat().st_size // (8 * table.columns + 4)

    def own(name, program, turn, checked=True):
        return both(name, lambda threads: Served(turn, PROGRAMS / program, path, threads=threads, checked=checked))

    def peer(library, turn):
        return Served(turn, sys.executable, PEERS / "peers.py", "serve", library, path)

    fit = own("Credence", "bench_memory", "fit") | own("plain loop", "bench_plain_array", "fit")
    fit |= own("plain loop, sums in order", "bench_plain_ordered", "fit")
    fit |= own("limit: reading the array", "bench_plain_array", "sum", checked=False)
    fit |= {"scikit-learn": peer("sklearn", "fit"), "polars": peer("polars", "fit"), "DuckDB": peer("duckdb", "fit"),
            "data.table": Served("fit", "Rscript", PEERS / "peers.R", "serve", path)}
    predict = own("Credence", "bench_memory", "predict") | own("plain loop", "bench_plain_array", "predict")
    predict |= own("plain loop, sums in order", "bench_plain_ordered", "predict")
    predict |= own("Credence, decisions alone", "bench_memory", "decide")
    predict |= {"scikit-learn, blocks of 1,000 rows": peer("sklearn", "predict"),
                "scikit-learn, whole": peer("sklearn", "predict_whole")}
    one = {"Credence, 1 thread": Served("one", PROGRAMS / "bench_memory", path, threads=1)}
    return [
        Work("a", "a fit", "fit %s rows of 20 doubles that lie in memory row by row, 5 classes" % grouped(rows), "rows",
             rows, fit),
        Work("a", "a predict", "posteriors of the same rows; the plain loops only name the best class", "rows", rows,
             predict, agreement=1e-4),
        Work("a", "one", "one row through the C API, 20 attributes, 5 classes: a million of them, one by one", "rows", 1e6,
             one),
    ]


# ---- (b) to (f): tables in files ----

def file_work(scale, letter, title, look, plain, peers):
    table = TABLES[letter]
    path = table.file(scale)
    contenders = train(path, look)
    if plain:
        contenders |= both("plain probe", lambda threads: Command(PROGRAMS / "bench_plain_text", plain, path, threads))
        contenders |= both("limit: read and find line ends", lambda threads: Command(
            PROGRAMS / "bench_plain_text", "lines", path, threads, checked=False))
    for name, way in peers.items():
        words = (way, path, table.classes) if way.split("_")[-1] not in ("e1071", "datatable") else (way, path)
        contenders[name] = (python if len(words) == 3 else r)(*words)
    return Work(letter, letter + " train", title, "bytes", path.stat().st_size, contenders)


NUMBERS = {
    "scikit-learn, pandas in chunks": "gaussian_pandas_chunks",
    "scikit-learn, pandas": "gaussian_pandas",
    "scikit-learn, pandas by pyarrow": "gaussian_pandas_arrow",
    "scikit-learn, polars": "gaussian_polars",
    "polars": "statistics_polars",
    "DuckDB": "statistics_duckdb",
    "data.table": "statistics_datatable",
    "e1071, data.table": "gaussian_e1071",
}
NAMES = {
    "scikit-learn, pandas": "categorical_pandas",
    "scikit-learn, pandas by pyarrow": "categorical_pandas_arrow",
    "scikit-learn, polars": "categorical_polars",
    "polars": "counts_polars",
    "DuckDB": "counts_duckdb",
    "data.table": "counts_datatable",
    "e1071, data.table": "categorical_e1071",
}
MIXED = {
    "scikit-learn, pandas": "mixed_pandas",
    "scikit-learn, polars": "mixed_polars",
    "polars": "mixed_statistics_polars",
    "DuckDB": "mixed_statistics_duckdb",
    "data.table": "mixed_datatable",
    "e1071, data.table": "mixed_e1071",
}


def numbers_works(scale):
    path = TABLES["b"].file(scale)
    work = file_work(scale, "b", "learn from the rows of (a) as CSV, %s" % size_of(path),
                     lambda model: variance_in(model, "0"), "numbers", NUMBERS)
    work.contenders |= both("limit: find line ends in memory", lambda threads: Served(
        "scan", PROGRAMS / "bench_plain_text", "serve", path, threads=threads, checked=False))
    model = BUILD / "asked.model"
    kept = BUILD / "asked.pickle"

    def prepare():
        small = TABLES["g"].file(1)
        quietly(CREDENCE, "train", small, "--target", "class", "-o", model, "--quiet")
        quietly(sys.executable, PEERS / "peers.py", "keep", small, kept)

    asked = both("Credence", lambda threads: Command(CREDENCE, "predict", model, path, "--threads", threads, checked=False))
    asked["scikit-learn, polars"] = python("predict_polars", path, kept, checked=False)
    return [work, Work("b", "b predict", "posteriors of the rows of the CSV of (b), as CSV to /dev/null", "bytes",
                       path.stat().st_size, asked, prepare)]


def names_works(scale):
    path = TABLES["c"].file(scale)
    return [file_work(scale, "c", "learn from CSV of 20 columns with 2 to 50 names each, 3 classes, %s" % size_of(path),
                      squares_in, "names", NAMES)]


def mixed_works(scale):
    path = TABLES["d"].file(scale)
    title = "learn from CSV of 10 columns of numbers and 10 of names, one cell in twenty missing, every fourth column in " \
            "quotes, 4 classes, %s" % size_of(path)
    return [file_work(scale, "d", title, lambda model: variance_in(model, "extreme"), None, MIXED)]


def wide_works(scale):
    path = TABLES["e"].file(scale)
    return [file_work(scale, "e", "learn from CSV of 5,000 columns of numbers, 5 classes, %s" % size_of(path),
                      lambda model: variance_in(model, "0"), "numbers", NUMBERS)]


def classes_works(scale):
    table = TABLES["f"]
    path = table.file(scale)
    work = file_work(scale, "f", "learn from CSV of 20 columns of numbers, 1,000 classes, %s" % size_of(path),
                     lambda model: variance_in(model, "0"), "numbers", NUMBERS)
    work.contenders["Weka"] = Command(
        "java", "-Xmx8g", "-cp", WEKA, "weka.classifiers.bayes.NaiveBayesUpdateable", "-t", table.file(scale, "arff"),
        "-no-cv", "-v", "-o", "-d", BUILD / "many.weka", checked=False)
    return [work]


# ---- (g): one row from the shell ----

def one_row_works(scale):
    table = TABLES["g"]
    names = {ending: BUILD / ("one." + ending) for ending in ("model", "pickle", "rds", "weka", "csv", "arff")}

    def prepare():
        path, arff = table.file(1), table.file(1, "arff")
        quietly(CREDENCE, "train", path, "--target", "class", "-o", names["model"], "--quiet")
        quietly(sys.executable, PEERS / "peers.py", "keep", path, names["pickle"])
        names["csv"].write_text("".join(without_class(line) for line in first_lines(path, 2)))
        names["arff"].write_text("".join(first_lines(arff, table.columns + 4)))
        if not missing_peers("e1071"):
            quietly("Rscript", PEERS / "peers.R", "keep", path, names["rds"])
        if not missing_peers("Weka"):
            quietly("java", "-cp", WEKA, "weka.classifiers.bayes.NaiveBayes", "-t", arff, "-no-cv", "-v", "-o", "-d",
                    names["weka"])

    contenders = {
        "Credence": Command(CREDENCE, "predict", names["model"], names["csv"], repeat=40, checked=False),
        "limit: /bin/true": Command("/bin/true", repeat=40, checked=False),
        "scikit-learn": python("ask", names["pickle"], names["csv"], checked=False),
        "e1071": r("ask", names["rds"], names["csv"], repeat=3, checked=False),
        "Weka": Command("java", "-XX:TieredStopAtLevel=1", "-cp", WEKA, "weka.classifiers.bayes.NaiveBayes", "-l",
                        names["weka"], "-T", names["arff"], "-p", "0", "-distribution", repeat=3, checked=False),
    }
    return [Work("g", "g", "posteriors of one row from the shell: model and row are files, and the process starts anew", "",
                 1, contenders, prepare)]


def first_lines(path, count):
    with open(path, encoding="utf-8") as file:
        return [next(file) for _ in range(count)]


def without_class(line):
    return line.rpartition(",")[0] + "\n"


def quietly(*words):
    subprocess.run([str(word) for word in words], check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def grouped(number):
    return format(int(number), ",")


def size_of(path):
    return "%s MB" % grouped(round(path.stat().st_size / 1e6))


MAKERS = {"a": array_works, "b": numbers_works, "c": names_works, "d": mixed_works, "e": wide_works, "f": classes_works,
          "g": one_row_works}


# ---- Who is there ----

def version_in_r(package):
    run = subprocess.run(["Rscript", "-e", "cat(as.character(packageVersion('%s')))" % package], capture_output=True,
                         text=True)
    return run.stdout if run.returncode == 0 else None


@functools.cache
def versions():
    """The peers that are there, and what they are."""
    found = {package: importlib.metadata.version(package)
             for package in ("scikit-learn", "numpy", "pandas", "pyarrow", "polars", "duckdb")}
    found["DuckDB"] = found.pop("duckdb")
    if shutil.which("Rscript"):
        for package in ("data.table", "e1071"):
            if version := version_in_r(package):
                found[package] = version
    if shutil.which("java") and os.path.exists(WEKA):
        run = subprocess.run(["java", "-cp", WEKA, "weka.core.Version"], capture_output=True, text=True)
        found["Weka"] = run.stdout.split()[0]
    return found


def missing_peers(name):
    """Those of the peers in a contender's name that are not there."""
    return [peer for peer in ("data.table", "e1071", "Weka") if peer in name and peer not in versions()]
