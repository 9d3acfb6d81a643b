"""The tables of docs/methods.md: the sets, the means of every method, every score, and what was to be shown."""

import collections
import functools

from study.tables import markdown

from . import answers, methods, peers

CREDENCE, PEER = "Credence", "scikit-learn"
PARTLY = "\\*"  # beside what answered the first folds only


class Scores:
    """Scores by table and by method, a method being who and which. Answers come fold by fold, so that where a method has
    answered the first folds only, others are held against it by as many of their first rows."""

    def __init__(self, ready, found):
        self.tables = [cut.name for cut in ready]
        self.rows = {cut.name: sum(len(part.asked[1]) for part in cut.parts) for cut in ready}
        order = [(CREDENCE, label) for label in methods.LABELS] + [(PEER, peer.label) for peer in peers.PEERS]
        self.answers = {method: {} for method in order}
        for (table, who, label), given in found.items():
            self.answers[who, label][table] = given
        self.answers = {method: of for method, of in self.answers.items() if of}
        self.by = {method: {table: answers.score(given) for table, given in of.items()} for method, of in self.answers.items()}

    def complete(self):
        return [method for method, of in self.by.items() if len(of) == len(self.tables)]

    def of(self, method):
        """The tables that a method has answered."""
        return [table for table in self.tables if table in self.by[method]]

    def answered(self, method, table):
        return self.answers[method][table].shape[1]

    def is_partial(self, method, table):
        return self.answered(method, table) < self.rows[table]

    def mark(self, method):
        return PARTLY if any(self.is_partial(method, table) for table in self.answers[method]) else ""

    def loss(self, method, table):
        return self.by[method][table]["log_loss"]

    def losses(self, table, *some):
        """The losses of some methods on the rows that all of them have answered."""
        rows = min(self.answered(method, table) for method in some)
        return [answers.score(self.answers[method][table][:, :rows])["log_loss"] for method in some]

    def mean(self, method, name):
        return sum(score[name] for score in self.by[method].values()) / len(self.by[method])

    def best(self, among, table):
        """The method of the least loss on a table, of those that have one."""
        def better(one, other):
            loss, others = self.losses(table, one, other)
            return other if others < loss else one

        return functools.reduce(better, (method for method in among if table in self.by[method]))

    def beside_best(self, method, among, table):
        """The best of others on the rows that a method has answered on a table, the loss of that, and the method's own."""
        rows = self.answered(method, table)
        of = {other: answers.score(self.answers[other][table][:, :rows])["log_loss"]
              for other in among if table in self.by[other]}
        best = min(of, key=of.get)
        return best, of[best], self.loss(method, table)

    def mean_on_rows_of(self, method, other):
        """The mean loss of another method on the rows that a method has answered."""
        return sum(self.losses(table, method, other)[1] for table in self.tables) / len(self.tables)

    def not_behind(self, method, among):
        """On which tables a method has a loss as low as the best of others, to the digits that are shown."""
        found = []
        for table in self.of(method):
            _, loss, own = self.beside_best(method, among, table)
            if round(own, 3) <= round(loss, 3):
                found.append(table)
        return found

    def behind(self, method, among):
        """Where it is not, as text: the table, the best of the others, its loss and the method's."""
        good = self.not_behind(method, among)
        found = ((table, self.beside_best(method, among, table)) for table in self.of(method) if table not in good)
        return ["%s (%s, %.3f to %.3f)" % (table, best[1].removeprefix("naive, "), loss, own)
                for table, (best, loss, own) in found]


def peers_of(*kinds):
    return [(PEER, peer.label) for peer in peers.PEERS if peer.kind in kinds]


def bayes(scores):
    """All Bayes classifiers: Credence's, and the peers' that are no trees."""
    return [method for method in scores.by if method not in peers_of("scale")]


def of_sets(ready):
    rows = []
    for cut in ready:
        table = cut.table
        cells = [cell for row in table.train + table.test for cell in row]
        numbers = sum(table.is_number)
        counts = collections.Counter(table.train_classes + table.test_classes)
        rows.append([cut.name, cut.size, len(counts), min(counts.values()), numbers, len(table.columns) - numbers,
                     sum(cell is None for cell in cells), len(cut.parts) if len(cut.parts) > 1 else "official parts"])
    names = ["table", "rows", "classes", "rows of the rarest", "numbers", "categories", "missing cells", "folds"]
    return markdown(names, [list(map(str, row)) for row in rows])


def of_means(scores):
    """Methods by their mean loss; those that could not answer every table have no mean, and stand in the large table."""
    among = bayes(scores)
    winners = collections.Counter(scores.best(among, table) for table in scores.tables)
    rows = []
    for method in sorted(scores.complete(), key=lambda m: scores.mean(m, "log_loss")):
        beaten = "" if method[0] == PEER else "%d of %d" % (
            len(scores.not_behind(method, peers_of("naive", "joint"))), len(scores.tables))
        rows.append([method[0], method[1] + scores.mark(method), "%.4f" % scores.mean(method, "accuracy"),
                     "%.4f" % scores.mean(method, "log_loss"), str(winners[method] or ""), beaten])
    names = ["", "method", "accuracy", "log loss", "best of Bayes on", "no worse than the peers' best Bayes on"]
    return markdown(names, rows)


def short(x, digits=3):
    text = "%.*f" % (digits, x)
    return text.removeprefix("0") if x < 1 else text


def of_scores(scores, name, best):
    """A score of every method on every table, a line for each method; the methods that are given as a table's best are bold."""
    rows = []
    for method in scores.by:
        who, label = method
        cells = [label if who == CREDENCE else "%s (%s)" % (label, who)]
        for table in scores.tables:
            score = scores.by[method].get(table)
            text = "–" if score is None else short(score[name])
            cells.append(("**%s**" % text if method in best[table] else text)
                         + (PARTLY if score and scores.is_partial(method, table) else ""))
        cells.append(short(scores.mean(method, name)) + scores.mark(method) if method in scores.complete() else "–")
        rows.append(cells)
    return markdown(["", *(table.replace("_", " ") for table in scores.tables), "mean"], rows)


def of_losses(scores):
    return of_scores(scores, "log_loss", {table: [scores.best(bayes(scores), table)] for table in scores.tables})


def of_accuracies(scores):
    """Accuracies; as many are the same on small tables, all of the greatest are bold, of methods that answered all rows."""
    best = {}
    for table in scores.tables:
        of = {method: round(scores.by[method][table]["accuracy"], 3) for method in bayes(scores)
              if table in scores.by[method] and not scores.is_partial(method, table)}
        best[table] = [method for method in of if of[method] == max(of.values())]
    return of_scores(scores, "accuracy", best)


def by_label(errors):
    found = collections.defaultdict(dict)
    for (table, label), error in errors.items():
        found[label][table] = error
    return found


def not_taken(errors, ready):
    """What the command takes for no table, in lines."""
    return ["%s: %s" % (label, next(iter(of.values()))) for label, of in by_label(errors).items() if len(of) == len(ready)]


def of_errors(errors, ready):
    """What some tables have no answers from, and why, by the first of them."""
    return ["%s has no answers on %s; on %s: %s." % (label, ", ".join(of), next(iter(of)), next(iter(of.values())))
            for label, of in by_label(errors).items() if len(of) < len(ready)]


def held_against_peers(scores, label, name):
    """A sentence on where a method is no worse than the best Bayes classifier of the peers."""
    method, among = (CREDENCE, label), peers_of("naive", "joint")
    behind = scores.behind(method, among)
    return "%s is no worse than the best Bayes classifier of the peers on %d of %d tables%s." % (
        name, len(scores.of(method)) - len(behind), len(scores.of(method)), "; behind on " + ", ".join(behind) if behind else "")


def verdicts(scores):
    """What the methods are held to, as sentences."""
    lines = []
    mean = lambda method: scores.mean(method, "log_loss")
    auto = (CREDENCE, methods.AUTO)
    families = [(CREDENCE, "naive, " + family) for family in methods.FAMILIES if (CREDENCE, "naive, " + family) in scores.by]
    if auto in scores.complete():
        naive = min(peers_of("naive"), key=mean)
        lines.append("`--family auto`: mean log loss %.4f; the best naive Bayes of the peers, %s, %.4f." % (
            mean(auto), naive[1], mean(naive)))
        behind = scores.behind(auto, families)
        lines.append("It is no worse than the best single family on %d of %d tables%s." % (
            len(scores.tables) - len(behind), len(scores.tables), "; behind on " + ", ".join(behind) if behind else ""))
    for label, name in (("pairs", "`--method pairwise`"), (methods.COMMITTEE, "`--method stacking`"),
                        (methods.COMPARE, "What `--compare` recommends")):
        if (CREDENCE, label) in scores.by:
            lines.append(held_against_peers(scores, label, name))
    for method in [(CREDENCE, methods.COMMITTEE), (CREDENCE, methods.COMPARE)]:
        if method in scores.complete():
            some = [(PEER, "LDA, shrunk"), (PEER, "random forest"), (PEER, "gradient boosting")]
            lines.append("On the rows that %s was asked about its mean log loss is %.4f, that of %s." % (
                method[1], mean(method), ", of ".join("%s %.4f" % (o[1], scores.mean_on_rows_of(method, o)) for o in some)))
    return lines


def of_fewer_folds(scores):
    """What answered the first folds only."""
    some = collections.defaultdict(list)
    for label, limit in methods.FIRST_FOLDS.items():
        if (CREDENCE, label) in scores.by and scores.mark((CREDENCE, label)):
            some[limit].append(label)
    each = ["of tables with more than %s rows the first %s (%s)" % (
        format(rows, ","), "%d folds" % folds if folds > 1 else "fold", "; ".join(labels)) for (rows, folds), labels in some.items()]
    return "%s Only some folds were asked about, for the time that it takes; the method is held against what others answered in the " \
           "same: %s." % (PARTLY, "; ".join(each)) if each else ""


def blocks(ready, found, errors):
    scores = Scores(ready, found)
    below = "\n".join("- " + line for line in verdicts(scores) + of_errors(errors, ready))
    return {"sets": of_sets(ready), "means": "\n\n".join(filter(None, (of_means(scores), of_fewer_folds(scores)))), "verdicts": below,
            "losses": of_losses(scores), "accuracies": of_accuracies(scores)}
