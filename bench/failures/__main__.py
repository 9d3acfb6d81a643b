"""Runs every demonstration and remakes its table in docs/numbers.md."""

import pathlib
import re
import shutil
import sys

import numpy
import pandas
import sklearn

from . import chunks, common, digits, forgetting, moving_scale, offset, single_precision, underflow, wide_column

DEMONSTRATIONS = {
    "chunks": chunks, "wide-column": wide_column, "moving-scale": moving_scale, "single-precision": single_precision,
    "digits": digits, "underflow": underflow, "offset": offset, "forgetting": forgetting,
}


def versions():
    names = ["%s" % common.credence("version").split("\n")[0], "scikit-learn %s" % sklearn.__version__,
             "numpy %s" % numpy.__version__, "pandas %s" % pandas.__version__]
    if shutil.which("Rscript"):
        names.append(common.run("Rscript", "--vanilla", "-e", "cat('e1071', as.character(packageVersion('e1071')))").strip())
    weka = pathlib.Path(offset.JAR)
    if weka.exists():
        names.append(weka.resolve().stem.replace("weka-", "Weka "))
    return "Measured with " + ", ".join(names) + "."


def main():
    document = pathlib.Path(__file__).resolve().parents[2] / "docs" / "numbers.md"
    text = document.read_text(encoding="utf-8")
    blocks, missing = {"versions": versions()}, []
    for name, module in DEMONSTRATIONS.items():
        print("failures: %s" % name, file=sys.stderr)
        try:
            blocks[name] = module.demonstrate()
        except common.Missing as what:
            missing.append(str(what))
            continue
        print(blocks[name] + "\n")
    if missing:
        raise SystemExit("failures: not here: %s; docs/numbers.md stays as it is" % ", ".join(missing))
    for name, block in blocks.items():
        pattern = re.compile(r"(<!-- %s -->\n).*?(<!-- end of %s -->)" % (name, name), re.DOTALL)
        text, times = pattern.subn(lambda found: "%s\n%s\n\n%s" % (found[1], block, found[2]), text)
        if times != 1:
            raise SystemExit("failures: docs/numbers.md has no place for '%s'" % name)
    document.write_text(text, encoding="utf-8")


main()
