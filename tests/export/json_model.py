#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Posteriors computed from `credence export --as json` alone, by the formulas of docs/export.md.

posteriors(model, row) takes the parsed JSON and a dict from column names to texts (None or absent: missing), and returns
a dict from classes to probabilities."""
import math
from math import exp, inf, log

LOG_PI, LOG_TWO_PI = log(math.pi), log(2 * math.pi)
LEAST_LOG = -50.0
FARTHEST_TERM = 50.0


def logs(array):
    """null stands for the logarithm of 0."""
    return [-inf if x is None else x for x in array]


def log_sum_exp(terms):
    most = max(terms)
    return most if most == -inf else most + log(math.fsum(exp(t - most) for t in terms))


def log_ratio(a, b):
    return log(a / b) if a > 0 else -inf


# ---- Univariate densities: the log density under class k, or None where no class can have the number ----

def normal_at(p, k, x):
    if p["slope"][k] > 0:
        z = (x - p["mean"][k] - p["mean_rest"][k]) * p["slope"][k]
        return p["log_peak"][k] - z * z
    z = (x * .5 - p["mean"][k] * .5 - p["mean_rest"][k] * .5) / p["sd"][k] * 2
    return p["log_peak"][k] - .5 * z * z


def scaled(p, x):
    t = (x * .5 - p["half_center"]) * p["factor"] * 2
    return max(-2.0 ** 400, min(2.0 ** 400, t))


def student_at(p, k, x):
    v = p["degrees"][k]
    t = abs((x / 2 - p["location"][k] / 2) / p["scale"][k] * 2)
    if t > 2.0 ** 500:
        return p["log_peak"][k] - (v + 1) / 2 * (2 * log(t) - log(v))
    return p["log_peak"][k] - (v + 1) / 2 * math.log1p(t * t / v)


def poisson_at(p, k, x):
    mean = p["mean"][k]
    if mean == 0 or x > 1e300:
        return 0.0 if x == 0 else -inf
    return x * log(mean) - mean - math.lgamma(x + 1)


def uniform_at(p, k, x):
    def height(a, b):
        half = b / 2 - a / 2
        return .5 / half if a <= x <= b and half > 0 else 0.0
    share = p["share"][k]
    density = share * height(p["from"][k], p["to"][k]) + (1 - share) * height(p["overall_from"], p["overall_to"])
    return log(density) if density > 0 else -inf


def histogram_at(p, k, x):
    t, edges = scaled(p, x), p["edge"]
    bins = len(edges) - 1
    b = max([0] + [i for i in range(bins) if edges[i] <= t])
    width = edges[b + 1] - edges[b]
    for end, beyond in ((0, edges[0] - t), (1, t - edges[-1])):
        if beyond > 0:
            return log_ratio(p["probability"][k][b] * p["share_beyond"][end], width) - beyond / width - p["log_unit"]
    return logs(p["log_density"][k])[b]


def kernel_at(p, k, x):
    t, h = scaled(p, x), p["bandwidth"][k]
    terms = [log(w) - ((t - c) / h) ** 2 / 2 for c, w in zip(p["cell"], p["weight"][k]) if w > 0]
    return log_sum_exp(terms) - p["log_total"][k]


def mixture_at(p, k, x):
    t = scaled(p, x)
    first = int(sum(p["components"][:k]))
    return log_sum_exp([p["log_peak"][j] - ((t - p["mean"][j]) / p["sd"][j]) ** 2 / 2
                        for j in range(first, first + int(p["components"][k]))]) - p["log_unit"]


NUMBERS = {
    "gaussian": (lambda p, x: True, normal_at),
    "lognormal": (lambda p, x: x > 0, lambda p, k, x: normal_at(p, k, log(x)) - log(x)),
    "student": (lambda p, x: True, student_at),
    "exponential": (lambda p, x: x >= 0, lambda p, k, x: log(p["rate"][k]) - p["rate"][k] * x),
    "bernoulli": (lambda p, x: x in (0, 1), lambda p, k, x: log_ratio(p["p"][k] if x else 1 - p["p"][k], 1)),
    "poisson": (lambda p, x: x == math.floor(x) and x >= 0 and (x == 0 or max(p["mean"]) > 0), poisson_at),
    "uniform": (lambda p, x: p["overall_from"] <= x <= p["overall_to"], uniform_at),
    "histogram": (lambda p, x: True, histogram_at),
    "kernel": (lambda p, x: True, kernel_at),
    "mixture": (lambda p, x: True, mixture_at),
}


def attribute_terms(attribute, cell, classes):
    if "family" not in attribute or cell is None:
        return None
    p = attribute["parameters"]
    if attribute["family"] == "categorical":
        if cell not in attribute["values"]:
            return None
        return logs(p["log_probability"][attribute["values"].index(cell)])
    covers, at = NUMBERS[attribute["family"]]
    x = float(cell)
    return [at(p, k, x) for k in range(classes)] if covers(p, x) else None


# ---- Joint densities: terms of all classes, the cells being numbers or codes, None where missing ----

def cholesky_squares(covariance, away):
    """The squared length of `away` by the inverse, and half the log determinant."""
    size, lower = len(away), []
    half_log_determinant = squares = 0.0
    solved = []
    for i in range(size):
        row = []
        for j in range(i):
            row.append((covariance[i][j] - sum(a * b for a, b in zip(row, lower[j]))) / lower[j][j])
        row.append(math.sqrt(covariance[i][i] - sum(a * a for a in row)))
        lower.append(row)
        solved.append((away[i] - sum(a * b for a, b in zip(row, solved))) / row[i])
        half_log_determinant += log(row[i])
        squares += solved[i] ** 2
    return squares, half_log_determinant


def elliptic(squares, half_log_determinant, d, degrees):
    """The normal density, or Student's t where there are degrees."""
    if degrees is None:
        return -d / 2 * LOG_TWO_PI - half_log_determinant - squares / 2
    peak = math.lgamma((degrees + d) / 2) - math.lgamma(degrees / 2) - d / 2 * (log(degrees) + LOG_PI)
    return peak - half_log_determinant - (degrees + d) / 2 * log(1 + squares / degrees)


def part_of(p, block, present, mean, first):
    d = len(p["place"])
    covariance = [p["covariance"][first * d + i] for i in present]
    return [[row[j] for j in present] for row in covariance], [block[i] - mean[i] for i in present]


def normal_terms(p, cells, classes):
    d = len(p["place"])
    present = [i for i in range(d) if cells[int(p["place"][i])] is not None]
    if not present:
        return [0.0] * classes
    x, doublings = [0.0] * d, 0
    for i in present:
        e = int(p["binary_exponent"][i])
        x[i] = math.ldexp(cells[int(p["place"][i])] / 2 - p["center"][i] / 2, 1 - e)
        doublings += e
    matrices = len(p["covariance"]) // d
    terms = []
    for k in range(classes):
        covariance, away = part_of(p, x, present, p["mean"][k], k if matrices > 1 else 0)
        density = elliptic(*cholesky_squares(covariance, away), len(present), p["degrees"])
        terms.append(p["exponent"] * (density - log(2) * doublings))
    return terms


def normal_mixture_terms(p, cells, classes):
    d = len(p["place"])
    present = [i for i in range(d) if cells[int(p["place"][i])] is not None]
    if not present:
        return [0.0] * classes
    x, doublings = [0.0] * d, 0
    for i in present:
        first, second = int(p["binary_exponent"][i]), int(p["second_binary_exponent"][i])
        x[i] = math.ldexp(math.ldexp(cells[int(p["place"][i])], -first) - p["center"][i], -second)
        doublings += first + second
    terms, at = [], 0
    for k in range(classes):
        parts = []
        for j in range(at, at + int(p["components"][k])):
            covariance, away = part_of(p, x, present, p["mean"][j], j)
            parts.append(p["log_share"][j] + elliptic(*cholesky_squares(covariance, away), len(present), p["degrees"]))
        at += int(p["components"][k])
        terms.append(p["exponent"] * (log_sum_exp(parts) - log(2) * doublings))
    return terms


def table_terms(p, cells, classes):
    values, total = p["values"], math.fsum(p["class_rows"])
    taken = [i for i in range(len(values)) if values[i] > 0]
    present = [i for i in taken if cells[i] is not None]
    if not present or (total == 0 and p["mass"] == 0 and p["borrowed"] == 0):
        return [0.0] * classes
    counts = [0.0] * classes
    for codes, rows in zip(p["combination"], p["rows"]):
        if all(codes[i] == cells[i] for i in present):
            counts = [a + b for a, b in zip(counts, rows)]
    assumed = p["strength"]
    if p["is_laplace"]:
        assumed *= math.prod(values[i] for i in taken if i not in present)
    elif p["is_marginal"]:
        starts = [int(sum(values[:i])) for i in range(len(values))]
        assumed *= math.prod(p["share"][starts[i] + cells[i]] for i in present)
    else:
        assumed /= math.prod(values[i] for i in present)
    below = [rows + p["mass"] + p["borrowed"] for rows in p["class_rows"]]
    above = [count + assumed for count in counts]
    if p["borrowed"] > 0:
        starts = [int(sum(values[:i])) * classes for i in range(len(values))]
        for k in range(classes):
            above[k] += p["borrowed"] * math.prod(p["naive"][starts[i] + k * int(values[i]) + cells[i]] for i in present)
    return [log_ratio(above[k], below[k]) if below[k] > 0 else log_ratio(sum(counts), total) for k in range(classes)]


class Aode:
    def __init__(self, p):
        self.p, self.items = p, [int(n) for n in p["items"]]
        self.first = [sum(self.items[:i]) for i in range(len(self.items))]
        self.owner = [i for i, n in enumerate(self.items) for _ in range(n)]
        self.count = sum(self.items)
        self.cuts, at = [], 0
        for n, is_number in zip(self.items, p["is_number"]):
            here = n - 1 if is_number and n > 0 else 0
            self.cuts.append(p["cut"][at:at + here])
            at += here
        self.begins, at = [], 0
        for n in self.items:
            self.begins.append(at)
            at += n * (self.count - n)

    def row_items(self, cells):
        items = []
        for i, cell in enumerate(cells):
            if self.items[i] == 0 or cell is None:
                items.append(None)
            elif self.p["is_number"][i]:
                items.append(self.first[i] + sum(cell >= c for c in self.cuts[i]))
            else:
                items.append(self.first[i] + cell)
        return items

    def given(self, parent, item):
        owner = self.owner[parent]
        others = self.count - self.items[owner]
        place = item if item < self.first[owner] else item - self.items[owner]
        return logs(self.p["log_pair"][self.begins[owner] + (parent - self.first[owner]) * others + place])

    def single(self, item):
        return logs(self.p["log_single"][item])

    def terms(self, cells, classes):
        items = self.row_items(cells)
        for column in range(len(items)):
            for source, to in self.p["implies"]:
                if items[column] is not None and items[column] == source and items[self.owner[int(to)]] == to:
                    items[self.owner[int(to)]] = None
        left = [i for i in items if i is not None]
        parents = [i for i in left if self.p["rows"][i] > 0]
        if not parents:
            return [math.fsum(self.single(i)[k] for i in left) for k in range(classes)]
        sums = []
        for parent in parents:
            own = self.single(parent)
            rest = [self.given(parent, i) for i in left if i != parent]
            weight = self.p["log_weight"][self.owner[parent]]
            sums.append([own[k] + sum(r[k] for r in rest) + weight for k in range(classes)])
        total = log(math.fsum(self.p["weight"][self.owner[parent]] for parent in parents))
        return [log_sum_exp([s[k] for s in sums]) - total for k in range(classes)]

    def pair_term(self, i, j, cells, classes):
        items = self.row_items(cells)
        if items[i] is None or items[j] is None or (i != j and not self.p["rows"][items[i]] > 0):
            return [0.0] * classes
        alone = self.single(items[j])
        if i == j:
            return alone
        given = self.given(items[i], items[j])
        return [g - a if a > -inf else 0.0 for g, a in zip(given, alone)]


JOINTS = {
    "normal": normal_terms,
    "normal-mixture": normal_mixture_terms,
    "table": table_terms,
    "aode": lambda p, cells, classes: Aode(p).terms(cells, classes),
}


def block_cells(classifier, names, row):
    kinds = {a["attribute"]: a for a in classifier["attributes"]}
    cells = []
    for name in names:
        attribute, cell = kinds[name], row.get(name)
        if cell is None or attribute["type"] == "none":
            cells.append(None)
        elif attribute["type"] == "numeric":
            cells.append(float(cell))
        else:
            cells.append(attribute["values"].index(cell) if cell in attribute["values"] else None)
    return cells


# ---- Trees ----

def tree_terms(p, cells, classes):
    if all(cell is None for cell in cells):
        return [0.0] * classes
    values = [int(n) for n in p["values"]]
    bins = [None if cell is None or n == 0 else int(p["bin"][sum(values[:i]) + cell])
            for i, (n, cell) in enumerate(zip(values, cells))]
    means, wholeness = [0.0] * classes, 0.0

    def left_weight(node):
        column, test = int(p["column"][node]), p["test"][node]
        if values[column] > 0:
            b = bins[column]
            return p["left_share"][node] if not b else int(p["members"][int(test)][b // 32]) >> b % 32 & 1
        x = cells[column]
        return p["left_share"][node] if x is None else x <= test

    for root in p["root"]:
        parts = [(int(root), 1.0)]
        while parts:
            node, weight = parts.pop()
            if p["column"][node] < 0:
                value = p["value"][int(p["test"][node])]
                means = [m + weight * v for m, v in zip(means, value)]
                wholeness += weight ** 2
                continue
            left = left_weight(node)
            parts += [(child, weight * w) for child, w in ((int(p["right"][node]), 1 - left), (node + 1, left)) if w]
    trees = len(p["root"])
    scale = 1 + (p["scale"] - 1) * wholeness / trees
    return [scale * log(m / trees) - share for m, share in zip(means, p["log_share"])]


# ---- Networks: by enumeration, so small ones only ----

def network_terms(nodes, classifier, row, target):
    index = {n["node"]: i for i, n in enumerate(nodes)}
    evidence = {}
    for n in nodes:
        cell = row.get(n["node"])
        if n["node"] != target and cell is not None and cell in n["states"]:
            evidence[n["node"]] = n["states"].index(cell)

    def probability(n, states):
        at = 0
        for parent in n["parents"]:
            at = at * len(nodes[index[parent]]["states"]) + states[parent]
        table = n["table"][at * len(n["states"]):(at + 1) * len(n["states"])]
        return table[states[n["node"]]] / math.fsum(table)

    def total(fixed):
        free = [n for n in nodes if n["node"] not in fixed]
        if not free:
            return math.prod(probability(n, fixed) for n in nodes)
        name = free[0]["node"]
        return math.fsum(total({**fixed, name: s}) for s in range(len(free[0]["states"])))

    states = [nodes[index[target]]["states"].index(c) for c in classifier["classes"]]
    with_cells = [total({**evidence, target: s}) for s in states]
    prior = [total({target: s}) for s in states]
    return [log_ratio(a, b) if b > 0 else -inf for a, b in zip(with_cells, prior)]


# ---- Classifiers ----

def conclude(sums):
    most = max(sums)
    if most == -inf:
        return [0.0] if len(sums) == 1 else sums
    # The greatest first: sums may be so large that the logarithm of how many there are would be lost in them.
    sums = [s - most for s in sums]
    rest = log_sum_exp(sums)
    return [s - rest for s in sums]


def ensemble(classifier, row, target):
    of, classes = classifier["ensemble"], classifier["classes"]
    answers = []
    for member in of["members"]:
        own = member["classifier"]
        found = dict(zip(own["classes"], log_posteriors(own, row, target)))
        answers.append((member["weight"], [found.get(c, -inf) for c in classes]))
    answers = [(w, a) for w, a in answers if w != 0 and max(a) > -inf]
    if of["rule"] == "average":
        total = [math.fsum(w * exp(a[k]) for w, a in answers) for k in range(len(classes))]
        return [log(t) if t > 0 else -inf for t in total]
    if of["rule"] == "product":
        if not answers and of["members"]:
            return [-inf] * len(classes)
        return [f + sum(w * max(a[k], LEAST_LOG) for w, a in answers) for k, f in enumerate(of["log_factors"])]
    if of["rule"] == "vote":
        votes = [0.0 if answers else -inf] * len(classes)
        for weight, a in answers:
            votes[a.index(max(a))] += weight
        return votes
    raise ValueError("the rule gibbs draws a member for each row")


def interpolate(xs, ys, x):
    if x < xs[0]:
        return ys[0]
    if x >= xs[-1]:
        return ys[-1]
    low = max(i for i in range(len(xs)) if xs[i] <= x)
    return ys[low] + (x - xs[low]) / (xs[low + 1] - xs[low]) * (ys[low + 1] - ys[low])


def calibrate(calibration, found):
    p = calibration["parameters"]
    ratio = p.get("log_prior_ratio")
    if ratio is not None:
        found = [f - r if r is not None else f for f, r in zip(found, ratio)]
        all_of_it = log_sum_exp(found)
        found = [f - all_of_it for f in found]
    corrected, at = [], 0
    for k, f in enumerate(found):
        if calibration["rule"] == "isotonic":
            n = int(p["points"][k])
            corrected.append(log(interpolate(p["from"][at:at + n], p["to"][at:at + n], exp(f))))
            at += n
        else:
            corrected.append(p["slope"] * max(f, LEAST_LOG) + p["offset"][k])
        if ratio is not None:
            corrected[-1] = -inf if ratio[k] is None else corrected[-1] + ratio[k]
    return conclude(corrected)


def log_posteriors(classifier, row, target):
    classes = len(classifier["classes"])
    if "ensemble" in classifier:
        sums = ensemble(classifier, row, target)
    else:
        sums = logs(classifier["log_priors"])
        for attribute in classifier["attributes"]:
            terms = attribute_terms(attribute, row.get(attribute["attribute"]), classes)
            weight = attribute.get("weight", 1)
            if terms is not None and weight != 0:
                sums = [s + weight * t for s, t in zip(sums, terms)]
        for joint in classifier.get("joints", []):
            terms = JOINTS[joint["density"]](joint["parameters"], block_cells(classifier, joint["attributes"], row),
                                             classes)
            sums = [s + t for s, t in zip(sums, terms)]
        if "trees" in classifier:
            trees = classifier["trees"]
            terms = tree_terms(trees["parameters"], block_cells(classifier, trees["attributes"], row), classes)
            sums = [s + t for s, t in zip(sums, terms)]
        if "pairs" in classifier:
            block = classifier["pair_terms"]
            names, cells = block["attributes"], block_cells(classifier, block["attributes"], row)
            aode = Aode(block["parameters"])
            for pair in classifier["pairs"]:
                if pair["weight"] > 0:
                    terms = aode.pair_term(names.index(pair["first"]), names.index(pair["second"]), cells, classes)
                    sums = [s + pair["weight"] * max(-FARTHEST_TERM, min(FARTHEST_TERM, t))
                            for s, t in zip(sums, terms)]
        if "network" in classifier:
            terms = network_terms(classifier["network"], classifier, row, target)
            sums = [s + t for s, t in zip(sums, terms)]
    found = conclude(sums)
    if "calibration" in classifier and max(found) > -inf:
        found = calibrate(classifier["calibration"], found)
    return found


def posteriors(model, row):
    classifier = model["classifier"]
    return {c: exp(f) for c, f in zip(classifier["classes"], log_posteriors(classifier, row, model["target"]))}
