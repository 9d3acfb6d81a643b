"""The settings that are compared, and the scores of each on every table."""

import concurrent.futures
import dataclasses
import itertools

STRENGTHS = ("0.1", "0.5", "1", "2", "5", "10")
SMOOTHINGS = (
    ["none"]
    + ["m:" + m for m in STRENGTHS]
    + ["m:%s:marginal" % m for m in STRENGTHS]
    + ["laplace:0.1", "laplace:0.5", "laplace:1"]
)
PRIORS = ["frequency", "laplace:1", "uniform"]
VARIANCES = ["mle", "sample"]
SHARES = ["none", "classes", "attributes", "all"]
# An absolute floor means something else on every scale, so it is not crossed with the ways of estimating variances.
FLOORS = ["0.001", "0.01", "0.1"]

PROCESSES = 2


@dataclasses.dataclass(frozen=True)
class Settings:
    smoothing: str = "m:1"
    prior: str = "frequency"
    variance: str = "mle"
    share: str = "none"
    floor: str = "0"

    def options(self):
        names = ("--smoothing", "--prior", "--variance", "--pool-variance", "--min-sd")
        return [word for pair in zip(names, dataclasses.astuple(self)) for word in pair]

    def on(self, kind):
        """The same as far as columns of this kind can tell: other settings with this one have the same scores."""
        if kind == "category":
            return Settings(self.smoothing, self.prior)
        if kind == "number":
            # Without categories it matters only whether, and how strongly, variances are drawn to the overall one.
            smoothing = self.smoothing if self.smoothing.startswith("m:") else "none"
            return dataclasses.replace(self, smoothing=smoothing.removesuffix(":marginal"))
        return self


GRID = [Settings(*of) for of in itertools.product(SMOOTHINGS, PRIORS, VARIANCES, SHARES)]
GRID += [Settings(smoothing=s, prior=p, floor=f) for s, p, f in itertools.product(SMOOTHINGS, PRIORS, FLOORS)]


def run(tables, command, report):
    """Cross-validated scores: {settings: [one dictionary a table]}."""
    found = {}
    with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
        for table in tables:
            different = list(dict.fromkeys(settings.on(table.kind) for settings in GRID))
            report("%s: %d settings" % (table.name, len(different)))
            scores = pool.map(lambda settings: command.cross_validate(table, settings.options()), different)
            of = dict(zip(different, scores))
            found[table.name] = [of[settings.on(table.kind)] for settings in GRID]
    return {settings: [found[table.name][i] for table in tables] for i, settings in enumerate(GRID)}
