"""The cuts of the open tables: every table whole, in ten written folds, and adult once more by its official parts.

Both sides read the files that are written here. A class with two rows or more is in every training part, since the
rows of a class go to different folds as long as there are folds; so ten are dealt of small tables, too.
"""

import dataclasses
import hashlib
import shutil

from study import sets

FOLDS = 10
SEED = 1
# How a table is cut, if not in folds alone; "official" is its published training part against its published test part.
WAYS = {"adult": ("folds", "official")}


@dataclasses.dataclass
class Part:
    """What is learned from and what is asked about, as rows and as files."""

    known: tuple  # rows and their classes
    asked: tuple
    known_file: object
    asked_file: object


@dataclasses.dataclass
class Cut:
    table: sets.Table
    parts: list
    key: str  # a digest of all cells and folds

    @property
    def name(self):
        return self.table.name

    @property
    def size(self):
        return len(self.table.train) + len(self.table.test)


def digest(*files):
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def kinds(columns, rows):
    return [all(row[i] is None or sets.is_number(row[i]) for row in rows) for i in range(len(columns))]


def read(source, data):
    """The columns, and the published parts as (rows, classes): one part, or two."""
    names, rows = sets.read(data / source.train)
    columns, *train = sets.choose_columns(source, names, rows)
    if not source.test:
        return columns, [train]
    return columns, [train, sets.choose_columns(source, *sets.read(data / source.test))[1:]]


def empty_folder(folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def in_folds(source, columns, published, build, command):
    rows, classes = ([one for part in published for one in part[i]] for i in range(2))
    table = sets.Table(source.name, columns, kinds(columns, rows), rows, classes, [], [], [], 0,
                       empty_folder(build / source.name))
    sets.write(table.plain_train_file, columns + [sets.TARGET], sets.joined(rows, classes))
    folds = command.deal(table, FOLDS, SEED)
    table.dealings = [folds]
    sets.write(table.folded_train_file, columns + [sets.TARGET, sets.fold_column(0)],
               sets.joined(rows, classes, beside=table.dealings))
    parts = []
    for fold in sorted(set(folds)):
        known_file, asked_file, _ = table.fold_files(0, fold)
        inside = [of == fold for of in folds]
        known, asked = (sets.choose_rows((rows, classes), chosen) for chosen in ([not i for i in inside], inside))
        parts.append(Part(known, asked, known_file, asked_file))
    return Cut(table, parts, digest(table.folded_train_file))


def by_official_parts(source, columns, published, build):
    train, test = published
    table = sets.Table(source.name + " (official)", columns, kinds(columns, train[0] + test[0]), *train, *test, [], 0,
                       empty_folder(build / (source.name + "-official")))
    names = columns + [sets.TARGET]
    sets.write(table.plain_train_file, names, sets.joined(*train))
    sets.write(table.test_file, names, sets.joined(*test))
    part = Part(tuple(train), tuple(test), table.plain_train_file, table.test_file)
    return Cut(table, [part], digest(table.plain_train_file, table.test_file))


def prepare_all(data, build, command):
    """The cuts of the tables that are there, and the names of tables that are not."""
    cuts, absent = [], []
    for source in sets.SOURCES:
        if not all((data / file).exists() for file in (source.train, source.test) if file):
            absent.append(source.name)
            continue
        columns, published = read(source, data)
        ways = WAYS.get(source.name, ("folds",))
        if "folds" in ways:
            cuts.append(in_folds(source, columns, published, build, command))
        if "official" in ways:
            cuts.append(by_official_parts(source, columns, published, build))
    return cuts, absent
