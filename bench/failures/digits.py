"""Numbers of 17 digits, as programs write doubles so that they read back: pandas by default, and Credence."""

import io
import pathlib
import sys

import pandas

from . import common

COUNT = 100_000
# A version whose default misreads, to show beside the newest.
OLDER = "2.2.3"
READ_WITH_OLDER = """
import sys, pandas
for value in pandas.read_csv(sys.argv[1])["x1"]:
    print(float(value).hex())
"""


def read_with_older(path):
    """An environment of its own, made once, beside that of the other peers."""
    environment = pathlib.Path(__file__).resolve().parents[2] / "build" / "bench" / ("pandas-" + OLDER)
    python = environment / "bin" / "python"
    done = environment / "installed"
    if not done.exists():
        common.run(sys.executable, "-m", "venv", "--clear", environment)
        common.run(python, "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "pandas==" + OLDER)
        done.touch()
    return [float.fromhex(line) for line in common.run(python, "-c", READ_WITH_OLDER, path).split()]


def row_of(name, read, values):
    wrong = sum(a != b for a, b in zip(read, values, strict=True))
    return name, common.percent(wrong / len(values)), max(common.units_apart(a, b) for a, b in zip(read, values))


def demonstrate():
    generator = common.generator()
    values = generator.normal(size=COUNT) * 10.0 ** generator.integers(-20, 20, size=COUNT)
    lines = "x1\n" + "".join("%.17g\n" % value for value in values)
    with common.Folder() as folder:
        path = folder.path("numbers.csv")
        pathlib.Path(path).write_text(lines, encoding="utf-8")
        older = read_with_older(path)
    rows = [row_of("pandas %s" % OLDER, older, values),
            row_of("pandas %s" % pandas.__version__, pandas.read_csv(io.StringIO(lines))["x1"], values)]
    # A row of its own for each class, so that the mean of a class is the number itself.
    few = values[:5000]
    with common.Folder() as folder:
        path = folder.path("all.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write("x1,y\n" + "".join("%.17g,c%d\n" % (value, i) for i, value in enumerate(few)))
        means = common.moments(path)["x1"]
    read = [means["c%d" % i]["mean"] for i in range(len(few))]
    rows.append(row_of("Credence (the first 5,000)", read, few))
    return common.table(("reader", "misread", "most units in the last place off"), rows)
