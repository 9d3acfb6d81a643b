"""The peers that run in Python, each given its best way. Run by bench/speed/run, each in a process of its own:

  peers.py WAY FILE CLASSES    learns from a table, and prints a number that shows that it did
  peers.py serve LIBRARY FILE  an array in memory: turns that are timed from inside, as serve.h says
  peers.py keep FILE MODEL     learns from a table of numbers, and keeps the model
  peers.py ask MODEL FILE      the posteriors of the rows of a file, from a model that was kept
  peers.py predict_polars FILE MODEL    the same as CSV, to nowhere

The number is, of numbers and mixed tables, the variance of the first column in the first class; of names, the sum of the
squares of the counts of the fifth column. Libraries are imported where they are used: loading one is a part of what a
process costs, loading two is not.
"""

import sys
import time

TARGET = "class"
COLUMNS = 20  # of the array in memory


def header_of(path):
    with open(path, encoding="utf-8") as file:
        return file.readline().rstrip("\n").split(",")


# ---- Numbers: means and variances of each column in each class ----

def gaussian_pandas_chunks(path, classes):
    import numpy
    import pandas
    from sklearn.naive_bayes import GaussianNB
    model, known = GaussianNB(), numpy.arange(classes)
    names = header_of(path)
    rows = max(1000, 4_000_000 // len(names))
    for chunk in pandas.read_csv(path, chunksize=rows, dtype={name: float for name in names if name != TARGET}):
        model.partial_fit(chunk.drop(columns=TARGET).to_numpy(), chunk[TARGET].to_numpy(), classes=known)
    return model.var_[0, 0]


def gaussian_pandas(path, classes, engine="c"):
    import pandas
    from sklearn.naive_bayes import GaussianNB
    table = pandas.read_csv(path, engine=engine)
    y = table.pop(TARGET).to_numpy()
    return GaussianNB().fit(table.to_numpy(), y).var_[0, 0]


def gaussian_pandas_arrow(path, classes):
    return gaussian_pandas(path, classes, "pyarrow")


def gaussian_polars(path, classes):
    import polars
    from sklearn.naive_bayes import GaussianNB
    table = polars.read_csv(path)
    y = table.drop_in_place(TARGET).to_numpy()
    return GaussianNB().fit(table.to_numpy(), y).var_[0, 0]


def statistics_polars(path, classes):
    import polars
    numbers = polars.col([name for name in header_of(path) if name != TARGET])
    table = polars.scan_csv(path).group_by(TARGET).agg(
        polars.len().alias("rows"), numbers.mean().name.suffix(" mean"), numbers.var(ddof=0).name.suffix(" variance"))
    return table.collect(engine="streaming").sort(TARGET)["x1 variance"][0]


def statistics_duckdb(path, classes):
    names = header_of(path)
    types = ", ".join("'%s': '%s'" % (name, "INTEGER" if name == TARGET else "DOUBLE") for name in names)
    wanted = ", ".join("avg(%s), var_pop(%s)" % (name, name) for name in names if name != TARGET)
    rows = duckdb_session().execute(
        "SELECT class, count(*), %s FROM read_csv('%s', header = true, columns = {%s}) GROUP BY class ORDER BY class"
        % (wanted, path, types)).fetchall()
    return rows[0][3]


def duckdb_session():
    import duckdb
    session = duckdb.connect()
    session.execute("SET preserve_insertion_order = false")
    return session


# ---- Names: counts of each column's values in each class ----

def squares_of(model):
    return (model.category_count_[4] ** 2).sum()


def codes_of(table):
    """The columns of a pandas table, which are categories, as a matrix of codes; a missing cell has one of its own."""
    import numpy
    codes = numpy.empty(table.shape, dtype=numpy.int16)
    for j, name in enumerate(table.columns):
        column = table[name].cat.codes
        codes[:, j] = column + 1 if column.min() < 0 else column
    return codes


def categorical_pandas(path, classes, engine="c"):
    import pandas
    from sklearn.naive_bayes import CategoricalNB
    table = pandas.read_csv(path, dtype="category", engine=engine)
    y = table.pop(TARGET).cat.codes.to_numpy()
    return squares_of(CategoricalNB().fit(codes_of(table), y))


def categorical_pandas_arrow(path, classes):
    return categorical_pandas(path, classes, "pyarrow")


def categorical_polars(path, classes):
    import polars
    from sklearn.naive_bayes import CategoricalNB
    kinds = {name: polars.Categorical(polars.Categories(name)) for name in header_of(path)}
    codes = polars.read_csv(path, schema_overrides=kinds).select(polars.all().to_physical().cast(polars.Int16))
    y = codes.drop_in_place(TARGET).to_numpy()
    return squares_of(CategoricalNB().fit(codes.to_numpy(), y))


def counts_polars(path, classes):
    import polars
    names = header_of(path)
    table = polars.read_csv(path, schema_overrides={name: polars.Categorical for name in names}).lazy()
    counts = polars.collect_all([table.group_by(TARGET, name).len() for name in names if name != TARGET])
    return float((counts[4]["len"].cast(polars.Float64) ** 2).sum())


def counts_duckdb(path, classes):
    names = header_of(path)
    session = duckdb_session()
    types = ", ".join("'%s': 'VARCHAR'" % name for name in names)
    sets = ", ".join("(class, %s)" % name for name in names if name != TARGET)
    return session.execute(
        "SELECT sum(n * n)::DOUBLE FROM (SELECT %s, count(*) AS n FROM read_csv('%s', header = true, columns = {%s}) "
        "GROUP BY GROUPING SETS (%s)) WHERE x5 IS NOT NULL" % (", ".join(names), path, types, sets)).fetchall()[0][0]


# ---- Numbers and names, with missing cells ----

def mixed_pandas(path, classes):
    """GaussianNB refuses missing cells, so the mean takes their place; to CategoricalNB they are a category."""
    import pandas
    from sklearn.naive_bayes import CategoricalNB, GaussianNB
    names = header_of(path)
    kinds = {name: "category" for name in names[1::2]} | {TARGET: "category"}
    table = pandas.read_csv(path, dtype=kinds)
    y = table.pop(TARGET).cat.codes.to_numpy()
    numbers = table[names[0:-1:2]]
    GaussianNB().fit(numbers.fillna(numbers.mean()).to_numpy(), y)
    CategoricalNB().fit(codes_of(table[names[1:-1:2]]), y)
    return float("nan")


def mixed_polars(path, classes):
    """The same, read by polars."""
    import polars
    from sklearn.naive_bayes import CategoricalNB, GaussianNB
    names = header_of(path)
    kinds = {name: polars.Categorical(polars.Categories(name)) for name in [*names[1::2], TARGET]}
    table = polars.read_csv(path, schema_overrides=kinds | {name: polars.Float64 for name in names[0:-1:2]})
    y = table[TARGET].to_physical().to_numpy()
    numbers = table.select(polars.col(polars.Float64).fill_null(strategy="mean"))
    codes = table.select(polars.col(names[1:-1:2]).to_physical().cast(polars.Int16) + 1).fill_null(0)
    GaussianNB().fit(numbers.to_numpy(), y)
    CategoricalNB().fit(codes.to_numpy(), y)
    return float("nan")


def mixed_statistics_polars(path, classes):
    import polars
    names = header_of(path)
    kinds = {name: polars.Categorical for name in [*names[1::2], TARGET]}
    table = polars.read_csv(path, schema_overrides=kinds | {name: polars.Float64 for name in names[0:-1:2]}).lazy()
    numbers = polars.col(polars.Float64)
    moments = table.group_by(TARGET).agg(
        numbers.count().name.suffix(" rows"), numbers.mean().name.suffix(" mean"),
        numbers.var(ddof=0).name.suffix(" variance"))
    found = polars.collect_all([moments, *(table.group_by(TARGET, name).len() for name in names[1:-1:2])])
    return found[0].filter(polars.col(TARGET) == "extreme")["x1 variance"][0]


def mixed_statistics_duckdb(path, classes):
    names = header_of(path)
    session = duckdb_session()
    numbers = names[0:-1:2]
    types = ", ".join("'%s': '%s'" % (name, "DOUBLE" if name in numbers else "VARCHAR") for name in names)
    session.execute("CREATE TABLE rows AS SELECT * FROM read_csv('%s', header = true, columns = {%s}, quote = '\"', "
                "escape = '\"')" % (path, types))
    wanted = ", ".join("count(%s), avg(%s), var_pop(%s)" % (name, name, name) for name in numbers)
    moments = session.execute("SELECT class, %s FROM rows GROUP BY class" % wanted).fetchall()
    for name in names[1:-1:2]:
        session.execute("SELECT class, %s, count(*) FROM rows GROUP BY class, %s" % (name, name)).fetchall()
    return next(row[3] for row in moments if row[0] == "extreme")


# ---- An array in memory ----

def load(path):
    import os

    import numpy
    rows = os.path.getsize(path) // (8 * COLUMNS + 4)
    with open(path, "rb") as file:
        numbers = numpy.fromfile(file, dtype=numpy.float64, count=rows * COLUMNS).reshape(rows, COLUMNS)
        return numbers, numpy.fromfile(file, dtype=numpy.int32, count=rows)


def serve_sklearn(path):
    import numpy
    from sklearn.naive_bayes import GaussianNB
    numbers, classes = load(path)
    fitted = GaussianNB().fit(numbers, classes)
    posteriors = numpy.empty((len(classes), len(fitted.classes_)))

    def fit():
        return GaussianNB().fit(numbers, classes).var_[0, 0]

    def predict_whole():
        return share_right(fitted.predict_proba(numbers))

    def predict_blocks(rows=1000):
        for first in range(0, len(classes), rows):
            posteriors[first:first + rows] = fitted.predict_proba(numbers[first:first + rows])
        return share_right(posteriors)

    def share_right(found):
        return (found[:100_000].argmax(axis=1) == classes[:100_000]).mean()

    return {"fit": fit, "predict_whole": predict_whole, "predict": predict_blocks}


def serve_polars(path):
    import polars
    numbers, classes = load(path)
    table = polars.DataFrame({"x%d" % (j + 1): numbers[:, j].copy() for j in range(COLUMNS)} | {TARGET: classes})
    del numbers

    def fit():
        columns = polars.exclude(TARGET)
        found = table.lazy().group_by(TARGET).agg(
            polars.len().alias("rows"), columns.mean().name.suffix(" mean"),
            columns.var(ddof=0).name.suffix(" variance")).collect()
        return found.sort(TARGET)["x1 variance"][0]

    return {"fit": fit}


def serve_duckdb(path):
    session = duckdb_session()
    numbers, classes = load(path)
    table = {"x%d" % (j + 1): numbers[:, j].copy() for j in range(COLUMNS)} | {TARGET: classes}
    session.register("arrays", table)
    session.execute("CREATE TABLE rows AS SELECT * FROM arrays")
    session.unregister("arrays")
    del numbers, table
    wanted = ", ".join("avg(x%d), var_pop(x%d)" % (j + 1, j + 1) for j in range(COLUMNS))

    def fit():
        return session.execute("SELECT class, count(*), %s FROM rows GROUP BY class ORDER BY class" % wanted).fetchall()[0][3]

    return {"fit": fit}


def serve(turns):
    print("ready", flush=True)
    for line in sys.stdin:
        before = time.perf_counter()
        check = turns[line.split()[0]]()
        print("%.9f %r" % (time.perf_counter() - before, float(check)), flush=True)


# ---- One row ----

def keep(path, model):
    import pickle

    import pandas
    from sklearn.naive_bayes import GaussianNB
    table = pandas.read_csv(path)
    y = table.pop(TARGET).to_numpy()
    with open(model, "wb") as file:
        pickle.dump(GaussianNB().fit(table.to_numpy(), y), file)


def ask(model, path):
    """Without pandas, which takes longer to load than one row is worth."""
    import pickle

    import numpy
    with open(model, "rb") as file:
        fitted = pickle.load(file)
    print(fitted.predict_proba(numpy.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)))


def predict_polars(path, model):
    """In blocks of 1,000 rows, which is what suits scikit-learn; the whole table is read and written at once."""
    import pickle

    import numpy
    import polars
    with open(model, "rb") as file:
        fitted = pickle.load(file)
    numbers = polars.read_csv(path).drop(TARGET).to_numpy()
    posteriors = numpy.empty((len(numbers), len(fitted.classes_)))
    for first in range(0, len(numbers), 1000):
        posteriors[first:first + 1000] = fitted.predict_proba(numbers[first:first + 1000])
    names = ["P(%s)" % name for name in fitted.classes_]
    table = polars.DataFrame(posteriors, schema=names)
    decisions = polars.Series("prediction", fitted.classes_[posteriors.argmax(axis=1)])
    table.insert_column(0, decisions).write_csv("/dev/null")


WAYS = {f.__name__: f for f in (
    gaussian_pandas_chunks, gaussian_pandas, gaussian_pandas_arrow, gaussian_polars, statistics_polars, statistics_duckdb,
    categorical_pandas, categorical_pandas_arrow, categorical_polars, counts_polars, counts_duckdb,
    mixed_pandas, mixed_polars, mixed_statistics_polars, mixed_statistics_duckdb)}
SERVERS = {"sklearn": serve_sklearn, "polars": serve_polars, "duckdb": serve_duckdb}

if __name__ == "__main__":
    match sys.argv[1:]:
        case ["serve", library, path]:
            serve(SERVERS[library](path))
        case ["keep", path, model]:
            keep(path, model)
        case ["ask", model, path]:
            ask(model, path)
        case ["predict_polars", path, model]:
            predict_polars(path, model)
        case [way, path, classes]:
            print(repr(float(WAYS[way](path, int(classes)))))
