"""The tables of docs/methods.md: the sets, the means of every method, every score, and what was to be shown."""

import collections

from study.tables import markdown

from . import methods, peers

CREDENCE, PEER = "Credence", "scikit-learn"


class Scores:
    """Scores by table and by method, a method being who and which."""

    def __init__(self, ready, scores):
        self.tables = [cut.name for cut in ready]
        order = [(CREDENCE, label) for label in methods.LABELS] + [(PEER, peer.label) for peer in peers.PEERS]
        found = {method: {} for method in order}
        for (table, who, label), score in scores.items():
            found[who, label][table] = score
        self.by = {method: of for method, of in found.items() if of}

    def complete(self):
        return [method for method, of in self.by.items() if len(of) == len(self.tables)]

    def loss(self, method, table):
        return self.by[method][table]["log_loss"]

    def mean(self, method, name):
        return sum(score[name] for score in self.by[method].values()) / len(self.by[method])

    def best(self, among, table):
        """The method of the least loss on a table, of those that have one."""
        return min((method for method in among if table in self.by[method]), key=lambda m: self.loss(m, table))

    def not_behind(self, method, among):
        """On which tables a method has a loss as low as the best of others, to the digits that are shown."""
        return [t for t in self.tables
                if round(self.loss(method, t), 3) <= round(self.loss(self.best(among, t), t), 3)]


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
        beaten = "" if method in peers_of("scale") or method[0] == PEER else "%d of %d" % (
            len(scores.not_behind(method, peers_of("naive", "joint"))), len(scores.tables))
        rows.append([method[0], method[1], "%.4f" % scores.mean(method, "accuracy"),
                     "%.4f" % scores.mean(method, "log_loss"), str(winners[method] or ""), beaten])
    names = ["", "method", "accuracy", "log loss", "best of Bayes on", "no worse than the peers' best Bayes on"]
    return markdown(names, rows)


def short(x, digits=3):
    text = "%.*f" % (digits, x)
    return text.removeprefix("0") if x < 1 else text


def of_scores(scores):
    """Accuracy / log loss of every method on every table; the least loss of a Bayes classifier is bold."""
    everyone = list(scores.by)
    best = {table: scores.best(bayes(scores), table) for table in scores.tables}
    rows = []
    for table in scores.tables:
        cells = [table]
        for method in everyone:
            score = scores.by[method].get(table)
            text = "–" if score is None else "%s / %s" % (short(score["accuracy"]), short(score["log_loss"]))
            cells.append("**%s**" % text if method == best[table] else text)
        rows.append(cells)
    means = ["mean"] + ["%s / %s" % tuple(short(scores.mean(method, name)) for name in ("accuracy", "log_loss"))
                        if method in scores.complete() else "–" for method in everyone]
    names = ["table"] + [label if who == CREDENCE else label + " (" + who + ")" for who, label in everyone]
    return markdown(names, [*rows, means])


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


def verdicts(scores):
    """What the methods are held to, as sentences."""
    lines = []
    mean = lambda method: scores.mean(method, "log_loss")
    auto, recommended = (CREDENCE, methods.AUTO), (CREDENCE, methods.COMPARE)
    families = [(CREDENCE, "naive, " + family) for family in methods.FAMILIES if (CREDENCE, "naive, " + family) in scores.by]
    if auto in scores.complete():
        naive = min(peers_of("naive"), key=mean)
        lines.append("`--family auto`: mean log loss %.4f; the best naive Bayes of the peers, %s, %.4f." % (
            mean(auto), naive[1], mean(naive)))
        good = scores.not_behind(auto, families)
        others = ["%s (%s, %.3f to %.3f)" % (t, best[1].removeprefix("naive, "), scores.loss(best, t), scores.loss(auto, t))
                  for t in scores.tables if t not in good for best in [scores.best(families, t)]]
        lines.append("No worse than the best single family on %d of %d tables%s." % (
            len(good), len(scores.tables), "; behind on " + ", ".join(others) if others else ""))
    if recommended in scores.complete():
        among = peers_of("naive", "joint")
        good = scores.not_behind(recommended, among)
        others = ["%s (%s, %.3f to %.3f)" % (t, best[1], scores.loss(best, t), scores.loss(recommended, t))
                  for t in scores.tables if t not in good for best in [scores.best(among, t)]]
        lines.append("What `--compare` recommends is no worse than the best Bayes classifier of the peers on %d of %d "
                     "tables%s." % (len(good), len(scores.tables), "; behind on " + ", ".join(others) if others else ""))
        lda, boosting = mean((PEER, "LDA")), mean((PEER, "gradient boosting"))
        lines.append("Its mean log loss is %.4f: %.0f %% of the way from LDA, %.4f, to gradient boosting, %.4f." % (
            mean(recommended), 100 * (lda - mean(recommended)) / (lda - boosting), lda, boosting))
    return lines


def blocks(ready, scores, errors):
    scores = Scores(ready, scores)
    below = "\n".join("- " + line for line in verdicts(scores) + of_errors(errors, ready))
    return {"sets": of_sets(ready), "means": of_means(scores), "verdicts": below, "scores": of_scores(scores)}
