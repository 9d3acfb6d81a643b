"""scikit-learn's classifiers as a careful user sets them up for tables of numbers, categories and missing cells.

Each takes what is learned from, its classes, and what is asked about; and gives the classes and their probabilities.
Numbers that are missing become the mean of their column, a missing category is a category of its own, and one never
seen gets a code of its own or no mark at all; gradient boosting takes missing cells as they are, and the kernels leave
them out. All preparations are fitted to what is learned from.
"""

import dataclasses

import numpy
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, OrdinalEncoder, StandardScaler
from study.peers import Arrays, log_posteriors

from . import answers

BINS = 10


def encoded(known, asked):
    """Categories as codes from 1, with 0 for those never seen, and how many codes each column has."""
    if known.shape[1] == 0:
        return numpy.empty(known.shape), numpy.empty(asked.shape), []
    encode = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1).fit(known)
    return encode.transform(known) + 1, encode.transform(asked) + 1, [len(of) + 1 for of in encode.categories_]


def beside(numbers, categories):
    return numpy.concatenate([numbers, categories.astype(float)], axis=1)


def mixed_naive_bayes(known, classes, asked):
    """GaussianNB of the numbers and CategoricalNB of the categories, put together by Bayes' rule."""
    names, logs = log_posteriors(known, classes, asked)
    return names, numpy.exp(logs)


def binned_naive_bayes(known, classes, asked):
    """CategoricalNB of everything, each number cut at its quantiles."""
    learned, questions, sizes = encoded(known.categories, asked.categories)
    if known.numbers.shape[1] > 0:
        bins = KBinsDiscretizer(BINS, encode="ordinal", strategy="quantile", quantile_method="averaged_inverted_cdf")
        cut = make_pipeline(SimpleImputer(), bins).fit(known.numbers)
        learned, questions = (beside(cut.transform(of.numbers), codes)
                              for of, codes in ((known, learned), (asked, questions)))
        sizes = [*map(int, bins.n_bins_), *sizes]
    model = CategoricalNB(min_categories=sizes).fit(learned, classes)
    return model.classes_, model.predict_proba(questions)


def log_kernel_density(known, asked, column):
    """The log density at each number asked about of a bell about every number known, as wide as Scott's rule says and
    no less than a sixth of the mean gap between the values of the whole column. Numbers that repeat are met once, and
    those asked about are taken some at a time to stay in the cache."""
    values, counts = numpy.unique(known, return_counts=True)
    different = numpy.unique(column)
    gap = (different[-1] - different[0]) / max(len(different) - 1, 1) or 1
    width = max(known.std() * len(known) ** -0.2, gap / 6)
    questions, back = numpy.unique(asked, return_inverse=True)
    logs = []
    for some in numpy.array_split(questions, len(questions) * len(values) // 100_000 + 1):
        halves = ((some[:, None] - values) / width) ** 2 / 2
        nearest = halves.min(axis=1)
        logs.append(numpy.log(numpy.exp(nearest[:, None] - halves) @ counts) - nearest)
    return (numpy.concatenate(logs) - numpy.log(len(known) * width * numpy.sqrt(2 * numpy.pi)))[back]


def kernel_naive_bayes(known, classes, asked):
    """A kernel density of each number and CategoricalNB of the categories; missing numbers are left out."""
    names, counts = numpy.unique(classes, return_counts=True)
    logs = numpy.tile(numpy.log(counts / len(classes)), (len(asked.numbers), 1))
    if known.categories.shape[1] > 0:
        learned, questions, sizes = encoded(known.categories, asked.categories)
        logs = CategoricalNB(min_categories=sizes).fit(learned, classes).predict_joint_log_proba(questions)
    for j in range(known.numbers.shape[1]):
        column, present = known.numbers[:, j], ~numpy.isnan(asked.numbers[:, j])
        learned = ~numpy.isnan(column)
        for k, name in enumerate(names):
            of_class = column[learned & (classes == name)]
            if len(of_class) > 0:
                logs[present, k] += log_kernel_density(of_class, asked.numbers[present, j], column[learned])
    return names, numpy.exp(logs - numpy.logaddexp.reduce(logs, axis=1, keepdims=True))


def marked(known, asked):
    """Numbers with mean 0 and deviation 1, and a column of 0 and 1 for each category."""
    learned, questions = [], []
    if known.numbers.shape[1] > 0:
        scale = make_pipeline(SimpleImputer(), StandardScaler()).fit(known.numbers)
        learned.append(scale.transform(known.numbers))
        questions.append(scale.transform(asked.numbers))
    if known.categories.shape[1] > 0:
        mark = OneHotEncoder(handle_unknown="ignore", sparse_output=False).fit(known.categories)
        learned.append(mark.transform(known.categories))
        questions.append(mark.transform(asked.categories))
    return numpy.concatenate(learned, axis=1), numpy.concatenate(questions, axis=1)


def linear_discriminant(known, classes, asked):
    learned, questions = marked(known, asked)
    model = LinearDiscriminantAnalysis().fit(learned, classes)
    return model.classes_, model.predict_proba(questions)


def shrunk_linear_discriminant(known, classes, asked):
    """The covariance is shrunk by Ledoit and Wolf's rule: where a mark tells a class for sure, the plain one is singular,
    and leaves out just what tells most."""
    learned, questions = marked(known, asked)
    model = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto").fit(learned, classes)
    return model.classes_, model.predict_proba(questions)


def quadratic_discriminant(known, classes, asked):
    """Each covariance is shrunk by Ledoit and Wolf's rule, or by as little as makes it regular. A class with one row
    has none: it is left out, and so at zero."""
    learned, questions = marked(known, asked)
    names, counts = numpy.unique(classes, return_counts=True)
    usable = numpy.isin(classes, names[counts > 1])
    for shrinkage in ("auto", 0.01, 0.1, 0.5):
        try:
            model = QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=shrinkage)
            model.fit(learned[usable], classes[usable])
            break
        except numpy.linalg.LinAlgError:
            continue
    probabilities = numpy.zeros((len(questions), len(names)))
    probabilities[:, counts > 1] = model.predict_proba(questions)
    return names, probabilities


def random_forest(known, classes, asked):
    learned, questions = marked(known, asked)
    model = RandomForestClassifier(random_state=1).fit(learned, classes)
    return model.classes_, model.predict_proba(questions)


def gradient_boosting(known, classes, asked):
    """At its defaults, but for two: it never stops early, which would want two rows of every class to hold out; and
    leaves are regularized, since otherwise a class with two rows makes steps so large that nothing is learned."""
    learned, questions, sizes = encoded(known.categories, asked.categories)
    numbers = known.numbers.shape[1]
    is_category = numpy.arange(numbers + len(sizes)) >= numbers
    model = HistGradientBoostingClassifier(early_stopping=False, l2_regularization=1, categorical_features=is_category,
                                           random_state=1)
    model.fit(beside(known.numbers, learned), classes)
    return model.classes_, model.predict_proba(beside(asked.numbers, questions))


@dataclasses.dataclass(frozen=True)
class Peer:
    label: str
    answer: callable
    kind: str  # naive Bayes, other Bayes classifiers, or what is there for scale


PEERS = [
    Peer("Gaussian + categorical", mixed_naive_bayes, "naive"),
    Peer("quantile-binned", binned_naive_bayes, "naive"),
    Peer("kernel", kernel_naive_bayes, "naive"),
    Peer("LDA", linear_discriminant, "joint"),
    Peer("LDA, shrunk", shrunk_linear_discriminant, "joint"),
    Peer("QDA", quadratic_discriminant, "joint"),
    Peer("random forest", random_forest, "scale"),
    Peer("gradient boosting", gradient_boosting, "scale"),
]


def answer(peer, cut, part):
    """The answers of a peer to the rows asked about in a part of a cut."""
    known, asked = (Arrays(cut.table, of[0]) for of in (part.known, part.asked))
    return answers.from_probabilities(*peer.answer(known, numpy.array(part.known[1]), asked), part.asked[1])
