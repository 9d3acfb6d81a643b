"""The tables of the study: where they are, how each is cut into a training and a test part, and into folds.

Both Credence and its peers read the files that are written here, so that they see the same rows, kinds and folds.
"""

import collections
import csv
import dataclasses
import gzip
import pathlib
import shutil

# What the class is called in the files that are written here.
TARGET = "class of the row"
MISSING = {"", "?", "NA", "NaN", "null"}
FOLDS = 10
TEST_SHARE = "30%"
# Of a small table one dealing of the folds says little: ten are averaged.
SMALL, DEALINGS_OF_SMALL = 1000, 10


@dataclasses.dataclass(frozen=True)
class Source:
    """A published table. `test` is its official test part; `first` says that its first rows are the training part."""

    name: str
    train: str
    target: str
    test: str = ""
    first: int = 0
    ignore: tuple = ()


SOURCES = [
    Source("adult", "tabular/adult_train.csv.gz", "income", test="tabular/adult_test.csv.gz"),
    Source("car", "tabular/car.csv", "class"),
    Source("contact_lenses", "tabular/contact_lenses.csv", "contact-lenses"),
    Source("house_votes_84", "tabular/house_votes_84.csv", "class"),
    Source("iris", "tabular/iris.csv", "class"),
    Source("letter_recognition", "tabular/letter_recognition.csv", "letter", first=16000),
    Source("mushroom", "tabular/mushroom.csv", "class"),
    Source("nursery", "tabular/nursery.csv", "class"),
    Source("pendigits", "uta/pendigits_training.txt", "last", test="uta/pendigits_test.txt"),
    Source("satellite", "uta/satellite_training.txt", "last", test="uta/satellite_test.txt"),
    Source("titanic", "tabular/titanic.csv", "survived", ignore=("name", "ticket", "cabin")),
    Source("wdbc", "tabular/wdbc.csv", "diagnosis", ignore=("id",)),
    Source("weather_nominal", "tabular/weather_nominal.csv", "play"),
    Source("weather_numeric", "tabular/weather_numeric.csv", "play"),
    Source("wine", "tabular/wine.csv", "class"),
    Source("yeast", "uta/yeast_training.txt", "last", test="uta/yeast_test.txt"),
]


@dataclasses.dataclass
class Table:
    """A set made ready: columns of text (None where a cell is missing), and the files that have the same."""

    name: str
    columns: list  # names of the attributes
    is_number: list  # for each, whether it is a column of numbers
    train: list  # rows: the cells of the attributes
    train_classes: list
    test: list
    test_classes: list
    dealings: list  # for each dealing, the fold of each training row, from 1
    left_out: int  # rows of classes that could not have been learned
    folder: pathlib.Path

    @property
    def plain_train_file(self):
        return self.folder / "train.csv"

    @property
    def folded_train_file(self):
        """The training part with a column for each dealing of its folds."""
        return self.folder / "train-folds.csv"

    @property
    def test_file(self):
        return self.folder / "test.csv"

    def fold_files(self, dealing, fold):
        """Two files, the rows outside a fold and those inside, and the classes of the latter."""
        known, asked = (self.folder / ("%s-%d-%d.csv" % (part, dealing + 1, fold)) for part in ("known", "asked"))
        inside = [of == fold for of in self.dealings[dealing]]
        part = choose_rows((self.train, self.train_classes), inside)
        if not asked.exists():
            others = choose_rows((self.train, self.train_classes), [not is_in for is_in in inside])
            write(known, self.columns + [TARGET], joined(*others))
            write(asked, self.columns + [TARGET], joined(*part))
        return known, asked, part[1]

    @property
    def kind(self):
        return "mixed" if len(set(self.is_number)) == 2 else "number" if self.is_number[0] else "category"


def is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True


def read(path):
    """Names and rows of a file: blank-separated numbers without a header, or CSV with one."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8", newline="") as file:
        if path.suffix == ".txt":
            rows = [line.split() for line in file if line.strip()]
            return ["c%d" % (i + 1) for i in range(len(rows[0]))], rows
        names, *rows = csv.reader(file)
        return names, [[cell.strip() for cell in row] for row in rows]


def write(path, names, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([["" if cell is None else cell for cell in row] for row in rows])


def choose_columns(source, names, rows):
    """Attributes and class apart; missing cells become None."""
    target = len(names) - 1 if source.target == "last" else names.index(source.target)
    kept = [i for i, name in enumerate(names) if i != target and name not in source.ignore]
    attributes = [[None if row[i] in MISSING else row[i] for i in kept] for row in rows]
    return [names[i] for i in kept], attributes, [row[target] for row in rows]


def joined(rows, classes, beside=()):
    """Rows as they are written: attributes, class, then what columns there are beside them."""
    return [row + [label] + [column[i] for column in beside] for i, (row, label) in enumerate(zip(rows, classes))]


def fold_column(dealing):
    return "fold_%d" % (dealing + 1)


def choose_rows(part, chosen):
    """Those rows of a part, and their classes, that are marked."""
    return tuple([one for one, is_in in zip(of, chosen) if is_in] for of in part)


def split(source, data, folder, command):
    """The two parts: the official ones where there are such, else by a seeded holdout balanced in every class."""
    names, rows = read(data / source.train)
    columns, rows, classes = choose_columns(source, names, rows)
    if source.test:
        _, test, test_classes = choose_columns(source, *read(data / source.test))
        return columns, (rows, classes), (test, test_classes)
    if source.first:
        n = source.first
        return columns, (rows[:n], classes[:n]), (rows[n:], classes[n:])
    whole = folder / "whole.csv"
    write(whole, columns + [TARGET], joined(rows, classes))
    parts = command.hold_out(whole, TEST_SHARE)
    train, test = ([part == which for part in parts] for which in ("train", "test"))
    return columns, choose_rows((rows, classes), train), choose_rows((rows, classes), test)


def prepare(source, data, build, command):
    """Cuts a set, deals its folds, and writes both parts."""
    folder = build / source.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    columns, train, test = split(source, data, folder, command)
    # A class with one row in the training part is gone whenever that row is asked about, and one with none cannot be
    # predicted at all: under every setting the loss would be infinite, which compares nothing.
    counts = collections.Counter(train[1])
    rows = len(train[0]) + len(test[0])
    train, test = (choose_rows(part, [counts[label] > 1 for label in part[1]]) for part in (train, test))
    left_out = rows - len(train[0]) - len(test[0])
    kinds = [all(row[i] is None or is_number(row[i]) for row in train[0] + test[0]) for i in range(len(columns))]
    table = Table(source.name, columns, kinds, *train, *test, [], left_out, folder)

    names = columns + [TARGET]
    write(table.test_file, names, joined(*test))
    write(table.plain_train_file, names, joined(*train))
    dealings = DEALINGS_OF_SMALL if len(train[0]) < SMALL else 1
    table.dealings = [command.deal(table, FOLDS, seed) for seed in range(1, dealings + 1)]
    names += [fold_column(d) for d in range(dealings)]
    write(table.folded_train_file, names, joined(*train, beside=table.dealings))
    return table


def prepare_all(data, build, command):
    """The sets that are there, and the names of those that are not."""
    absent = [s.name for s in SOURCES if not all((data / f).exists() for f in (s.train, s.test) if f)]
    return [prepare(s, data, build, command) for s in SOURCES if s.name not in absent], absent
