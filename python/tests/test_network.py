# SPDX-License-Identifier: MIT
"""Networks: the command's numbers, to the bit; built as read; and what cannot be."""

import io
import json
import os
import pathlib
import pickle
import shutil
import signal
import subprocess
import threading
import time
import xml.etree.ElementTree

import numpy as np
import pytest

import credence
from credence import Network, errors, read_network

COMMAND = os.environ.get("CREDENCE") or shutil.which("credence")
needs_command = pytest.mark.skipif(COMMAND is None, reason="the command is not there: CREDENCE names it")
FOLDER = pathlib.Path(__file__).parents[3] / "shared" / "data" / "networks"
SPRINKLER = Network(
    {"cloudy": ["yes", "no"], "sprinkler": ["on", "off"], "rain": ["yes", "no"], "grass": ["wet", "dry"]},
    ["cloudy->sprinkler", "cloudy->rain", "sprinkler->grass", "rain->grass"],
    {
        "cloudy": [0.5, 0.5],
        "sprinkler": {"yes": [0.1, 0.9], "no": [0.5, 0.5]},
        "rain": {"yes": {"yes": 0.8, "no": 0.2}, "no": {"yes": 0.2, "no": 0.8}},
        "grass": {
            ("on", "yes"): [0.99, 0.01],
            ("on", "no"): [0.9, 0.1],
            ("off", "yes"): [0.9, 0.1],
            ("off", "no"): [0, 1],
        },
    },
    name="sprinkler",
)
MIXED = Network(
    {"d": ["a", "b"], "x": None, "y": None},
    [("d", "x"), ("x", "y"), ("d", "y")],
    {
        "d": [0.3, 0.7],
        "x": {"a": {"mean": 1, "variance": 2}, "b": [-1, 0.5]},
        "y": {"a": [0.5, 2, 1], "b": {"mean": 1, "x": -1, "variance": 0.25}},
    },
)


def command(*words):
    run = subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, check=True)
    return run.stdout


def answer_of(*words):
    return json.loads(command(*words, "--format", "json"))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Networks as files, by name."""
    folder = tmp_path_factory.mktemp("networks")
    SPRINKLER.write(folder / "sprinkler.bif")
    MIXED.write(folder / "mixed.net")
    paths = {"sprinkler": folder / "sprinkler.bif", "mixed": folder / "mixed.net"}
    if COMMAND is not None:
        for name in ("asia", "burglary"):
            paths[name] = folder / f"{name}.bif"
            paths[name].write_text(command("example", name))
    return paths


def evidence_of(network):
    """Evidence that is likely to be possible: the states of a row drawn, of a few nodes."""
    row = next(iter(network.sample(1, seed=7)))
    return {name: row[name] for name in network.nodes[:: max(2, len(network.nodes) // 4)]}


def words_of(given):
    return ",".join('"' + f"{name}={state}".replace('"', '""') + '"' for name, state in given.items())


PUBLISHED = sorted(path.name for path in FOLDER.glob("*.bif")) or ["none there"]


@needs_command
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_networks_answer_as_the_command_does(name):
    if not FOLDER.is_dir():
        pytest.skip(f"the folder {FOLDER} is not there")
    path = FOLDER / name
    network = read_network(path)
    given = evidence_of(network)
    words = ["--given", words_of(given)]
    assert network.query("all", given).to_dict() == answer_of("query", path, "--of", "all", *words)
    assert network.mpe(given=given).to_dict() == answer_of("query", path, "--mpe", *words)
    target = next(node for node in network.nodes if node not in given)
    explained = network.explain(target, given)
    assert explained.to_dict() == answer_of("explain", path, "--of", target, *words)
    together = list(network.nodes[-3:])
    assert network.query(together, given, joint_distribution=True).to_dict() == answer_of(
        "query", path, "--of", ",".join(together), "--joint-distribution", *words
    )
    if len(network.nodes) < 40:
        assert network.show() == answer_of("show", path)


@needs_command
def test_estimates_events_and_likelihoods_are_the_command_s(files):
    path = files["asia"]
    network = read_network(path)
    likelihood = {"xray": {"yes": 0.9, "no": 0.2}}
    words = ["--given", "smoking=yes", "--likelihood", "xray=yes:0.9,xray=no:0.2"]
    event = "cancer=yes or not tuberculosis=no"
    found = network.query(["cancer", event], {"smoking": "yes"}, likelihood=likelihood)
    assert found.to_dict() == answer_of("query", path, "--of", f"cancer,{event}", *words)
    for way in ("weighting", "gibbs", "loopy"):
        estimate = network.query("all", {"smoking": "yes"}, approximate=f"{way},always", draws=2000, seed=3)
        assert estimate.to_dict() == answer_of(
            "query", path, "--of", "all", "--given", "smoking=yes", f"--approximate={way},always", "--draws", 2000, "--seed", 3
        )
        assert estimate.approximation == way


@needs_command
def test_continuous_nodes_are_the_command_s(files):
    path = files["mixed"]
    network = read_network(path)
    assert network == MIXED
    words = ["--given", "y=1.5"]
    assert network.query(["d", "x"], {"y": 1.5}).to_dict() == answer_of("query", path, "--of", "d,x", *words)
    assert network.query("x>0", {"y": 1.5}).to_dict() == answer_of("query", path, "--of", "x>0", *words)
    assert network.query(["x", "y"], {"d": "a"}, joint_distribution=True).to_dict() == answer_of(
        "query", path, "--of", "x,y", "--joint-distribution", "--given", "d=a"
    )
    posterior = network.posterior("x", {"y": 1.5})
    assert pickle.loads(pickle.dumps(posterior)) == posterior
    assert posterior.cdf(posterior.quantile(0.3)) == pytest.approx(0.3)
    assert posterior.cdf(0.0) + posterior.above(0.0) == pytest.approx(1)
    assert np.sum(posterior.pdf(np.linspace(-20, 20, 4001))) * 0.01 == pytest.approx(1)


@needs_command
def test_rows_samples_scores_and_comparisons_are_the_command_s(files, tmp_path):
    path = files["asia"]
    network = read_network(path)
    table = tmp_path / "rows.csv"
    table.write_text(command("sample", path, "--rows", 200, "--seed", 5, "--format", "csv"))
    drawn = network.sample(200, seed=5)
    assert drawn.to_dict() == answer_lines("sample", path, "--rows", 200, "--seed", 5, "--format", "csv")
    lines = command("query", path, table, "--of", "cancer,bronchitis", "--format", "csv").splitlines()
    found = network.query(["cancer", "bronchitis"], data=str(table))
    assert list(found.columns) == lines[0].split(",")
    assert found.to_numpy().tolist() == [[float(cell) for cell in line.split(",")] for line in lines[1:]]
    assert network.query(["cancer", "bronchitis"], data=drawn).to_numpy().tolist() == found.to_numpy().tolist()
    for by in ("bic", "bdeu:10", "loglik"):
        assert network.score(str(table), by).to_dict() == answer_of("score", path, table, "--score", by)
    model = tmp_path / "learned.model"
    searched = answer_of("train", table, "--search", "hill-climb", "-o", model)
    learned = Network.learn(str(table))
    expected = answer_lines("sample", model, "--rows", 20, "--seed", 3, "--format", "csv")
    assert learned.trained.sample(20, 3).to_dict() == expected
    assert learned.sample(20, seed=3).to_dict() == expected
    assert [{**arc, "directed": "yes" if arc["directed"] else "no"} for arc in learned.found["arcs"]] == searched["arcs"]
    assert learned.found["score"] == searched["score"]
    assert learned.trained.to_bytes() == model.read_bytes()
    compared = answer_of("compare", path, model)
    assert network.compare(learned).to_dict() == {k: v for k, v in compared.items() if k not in ("first", "second")}
    command("train", table, "--method", "network", "--arcs-from", path, "-o", model)
    assert network.fit(str(table)).trained.to_bytes() == model.read_bytes()
    fitted = network.fit(drawn)
    counted = Network.from_model(fitted.trained)
    assert fitted.nodes == network.nodes and fitted.arcs == network.arcs
    assert all(fitted.states(node) == network.states(node) for node in network.nodes)
    compared = fitted.compare(counted)
    assert compared.shd_dag == 0 and all(one["difference"] == 0 for one in compared.tables)


def answer_lines(*words):
    header, *rows = command(*words).splitlines()
    cells = [row.split(",") for row in rows]
    return {name: [row[i] for row in cells] for i, name in enumerate(header.split(","))}


@needs_command
def test_independence_and_blankets_are_the_command_s(files):
    path = files["asia"]
    network = read_network(path)
    assert network.independent("visit", "smoking")
    opened = network.independent("visit", "smoking", given=["dyspnoea"])
    assert not opened
    assert opened.to_dict() == answer_of("query", path, "--independence", "visit,smoking", "--given", "dyspnoea")
    sets = network.independent(["visit", "tuberculosis"], ["cancer", "xray"])
    assert sets.to_dict() == answer_of("query", path, "--independence", "visit,tuberculosis;cancer,xray")
    blanket = answer_of("query", path, "--markov-blanket", "cancer")["blankets"][0]
    assert list(network.markov_blanket("cancer")) == blanket["blanket"]
    assert network.cpdag() == answer_of("show", path, "--cpdag")["arcs"]


DIAGRAM = Network(
    {"weather": ["sun", "rain"], "forecast": ["good", "bad"], "picnic": ["go", "stay"], "joy": "utility"},
    ["weather->forecast", "forecast->picnic", "weather->joy", "picnic->joy"],
    {
        "weather": [0.6, 0.4],
        "forecast": [[0.8, 0.2], [0.3, 0.7]],
        "joy": {("sun", "go"): 10, ("sun", "stay"): 3, ("rain", "go"): -5, ("rain", "stay"): 2},
    },
    kinds={"picnic": "decision"},
)


@needs_command
def test_decisions_are_the_command_s(tmp_path):
    path = tmp_path / "picnic.bif"
    DIAGRAM.write(path)
    policy = DIAGRAM.decide(value_of="all")
    assert policy.to_dict() == answer_of("query", path, "--decide", "--value-of", "all")
    assert policy.choice("picnic", {"forecast": "good"}) == "go"
    assert DIAGRAM.decide({"forecast": "bad"}).expected_utility == policy.policy[0]["choices"][1]["expected_utility"]["stay"]
    with pytest.raises(ValueError, match="known"):
        policy.choice("picnic")


def test_a_network_is_what_it_is_written_as(tmp_path):
    for format in ("bif", "xmlbif", "net", "xdsl", "dne"):
        again = Network.read(SPRINKLER.to_bytes(format))
        assert again == SPRINKLER and hash(again) == hash(SPRINKLER), format
    path = tmp_path / "a.xml"
    SPRINKLER.write(path)
    assert read_network(path) == SPRINKLER
    with open(path) as file:
        assert read_network(file) == SPRINKLER
    assert pickle.loads(pickle.dumps(SPRINKLER)) == SPRINKLER
    assert b"digraph" in SPRINKLER.to_bytes("dot")
    table = SPRINKLER.table("grass")
    assert table.shape == (2, 2, 2) and table[0, 1].tolist() == [0.9, 0.1]
    assert SPRINKLER.frame("rain").to_dict() == {"cloudy": ["yes", "no"], "yes": [0.8, 0.2], "no": [0.2, 0.8]}
    odd = Network({'a "b", c=d': ["x=1", "<&>"], "é\n": ["yes", "no"]}, [('a "b", c=d', "é\n")], {
        'a "b", c=d': [0.25, 0.75], "é\n": [[1, 0], [0, 1]]})
    assert odd.query("é\n", {'a "b", c=d': "<&>"})["é\n"] == {"yes": 0, "no": 1}
    assert odd.probability('a "b", c=d=x=1') == 0.25
    assert odd.probability({'a "b", c=d': "x=1", "é\n": "yes"}) == 0.25
    assert Network.read(odd.to_bytes("xmlbif")).arcs == odd.arcs
    single = Network({"only": ["state"]}, (), {"only": [1]})
    assert single.query("only")["only"] == {"state": 1.0}


def test_what_cannot_be_is_named():
    with pytest.raises(errors.Error) as caught:
        Network({"a": "xy".split(), "b": ["x"]}, ["a->b", "b->a"], {"a": [[1]], "b": [[1]]})
    assert caught.value.code == "cycle"
    with pytest.raises(ValueError, match="rian.*rain"):
        SPRINKLER.query("rian")
    with pytest.raises(ValueError, match="'rain': there is no state 'maybe'"):
        SPRINKLER.query("grass", {"rain": "maybe"})
    with pytest.raises(errors.Error) as caught:
        SPRINKLER.query("cloudy", {"sprinkler": "off", "rain": "no", "grass": "wet"})
    assert caught.value.code == "probability"
    with pytest.raises(ValueError, match="each of its states; it lacks no"):
        SPRINKLER.query("rain", likelihood={"cloudy": {"yes": 1}})
    with pytest.raises(ValueError, match="given twice"):
        SPRINKLER.query("rain", {"cloudy": "yes"}, likelihood={"cloudy": [1, 2]})
    with pytest.raises(ValueError, match="nothing to compute"):
        SPRINKLER.query()
    with pytest.raises(ValueError, match="lacks the row"):
        Network({"a": ["x", "y"], "b": ["x", "y"]}, ["a->b"], {"a": [0.5, 0.5], "b": {"x": [1, 0]}})
    with pytest.raises(ValueError, match="3 numbers; expected 1 x 2"):
        Network({"a": ["x", "y"]}, (), {"a": [0.5, 0.25, 0.25]})
    with pytest.raises(errors.Error):
        Network({"a": ["x", "y"]}, (), {"a": [0.5, 0.9]})
    with pytest.raises(FileNotFoundError):
        read_network("absent.bif")
    with pytest.raises(errors.Error):
        read_network(b"no network at all")
    with pytest.raises(TypeError):
        SPRINKLER.query("rain", ["cloudy"])
    with pytest.raises(TypeError):
        SPRINKLER.query("rain", memry=3)
    with pytest.raises(ValueError, match="not a number"):
        MIXED.query("d", {"x": "high"})
    with pytest.raises(errors.Error):
        SPRINKLER.decide()
    with pytest.raises(errors.Error, match="approximate='weighting'") as caught:
        SPRINKLER.query("rain", {"grass": "wet"}, memory=1)
    assert caught.value.code == "limit"
    with pytest.raises(ValueError, match="'rain' is in two"):
        SPRINKLER.independent("rain", "grass", given=["rain"])
    with pytest.raises(ValueError, match="twice"):
        Network({"a": ["x"], "b": ["x"]}, ["a->b", "a->b"])
    with pytest.raises(ValueError, match="NUL"):
        Network({"a\0b": ["x"]})
    with pytest.raises(ValueError, match="names no node"):
        SPRINKLER.query([])
    with pytest.raises(TypeError, match="of: expected"):
        SPRINKLER.query(3)


def test_rows_come_back_as_the_kind_of_table_that_they_are():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"grass": ["wet", "dry", None], "cloudy": ["no", "yes", "yes"]}, index=[5, 6, 7])
    found = SPRINKLER.query("rain", data=frame)
    assert isinstance(found, pandas.DataFrame) and list(found.index) == [5, 6, 7]
    for row, (_, cells) in zip(found.itertuples(), frame.iterrows(), strict=True):
        given = {name: state for name, state in cells.items() if isinstance(state, str)}
        assert row[1] == pytest.approx(SPRINKLER.query("rain", given)["rain"]["yes"])
    with pytest.warns(credence.CredenceWarning, match="probability zero"):
        impossible = SPRINKLER.query("cloudy", data={"sprinkler": ["off"], "rain": ["no"], "grass": ["wet"]})
    assert np.isnan(impossible["cloudy=yes"][0]) and impossible["log_evidence"][0] == -np.inf


@needs_command
def test_rows_are_explained_as_by_the_command(files, tmp_path):
    path, table = files["asia"], tmp_path / "rows.csv"
    table.write_text("smoking,xray,dyspnoea\nyes,yes,?\nno,,yes\n")
    lines = command("explain", path, table, "--of", "cancer", "--format", "json").splitlines()
    expected = [json.loads(line) for line in lines]
    found = read_network(path).explain("cancer", data=str(table))
    assert [one.to_dict() for one in found] == [{k: v for k, v in one.items() if k not in ("row", "line", "path")} for one in expected]
    impossible = SPRINKLER.explain("cloudy", data={"sprinkler": ["off"], "rain": ["no"], "grass": ["wet"]})
    assert impossible[0].code == "probability"


def test_models_state_networks_and_are_networks():
    model = SPRINKLER.to_model("rain")
    assert model.posterior({"grass": "wet"}) == pytest.approx(dict(SPRINKLER.query("rain", {"grass": "wet"})["rain"]))
    assert Network.from_model(model) == SPRINKLER
    rows = {"cloudy": ["yes", "no"], "sprinkler": ["on", "off"], "grass": ["wet", "dry"]}
    assert SPRINKLER.predict(rows) == SPRINKLER.predict(rows, "rain")
    with pytest.raises(ValueError, match="sprinkler, rain"):
        SPRINKLER.predict({"cloudy": ["yes"], "grass": ["wet"]})


def test_hidden_nodes_and_missing_cells_are_fitted():
    rows = SPRINKLER.sample(500, seed=2)
    columns = {name: list(rows[name]) for name in ("sprinkler", "rain", "grass")}
    columns["rain"][::7] = [None] * len(columns["rain"][::7])
    fitted = SPRINKLER.fit(columns, latent_nodes={"cloudy": 2})
    report = fitted.fit_report()
    assert report["iterations"] > 0 and report["steps"][-1]["log_posterior"] >= report["steps"][0]["log_posterior"]
    assert set(fitted.nodes) == set(SPRINKLER.nodes)
    assert fitted.states("cloudy") == ("1", "2")  # which of them is which is not in the rows


def test_missing_cells_that_depend_on_others_do_not_bias_what_is_fitted():
    # Most cells of rain are missing where the grass is wet: complete families have too few of the rainy days.
    rows = SPRINKLER.sample(4000, seed=3)
    columns = {name: list(rows[name]) for name in SPRINKLER.nodes}
    columns["rain"] = [None if wet == "wet" and i % 10 else rain for i, (rain, wet) in enumerate(zip(columns["rain"], columns["grass"]))]
    shown = SPRINKLER.states("rain")[0]
    true = SPRINKLER.posterior("rain")[shown]
    fitted = SPRINKLER.fit(columns, smoothing="none")
    assert fitted.posterior("rain")[shown] == pytest.approx(true, abs=0.04)
    assert fitted.fit_report()["iterations"] > 1
    counted = SPRINKLER.fit(columns, smoothing="none", estimator="counts")
    assert abs(counted.posterior("rain")[shown] - true) > 0.1 and counted.fit_report() is None
    complete = {name: list(rows[name]) for name in SPRINKLER.nodes}
    assert SPRINKLER.fit(complete) == SPRINKLER.fit(complete, estimator="counts")


def test_rows_that_can_be_read_once_are_enough_for_a_structure():
    learned = Network.learn(TABLE.encode(), arcs="code->m")
    assert Network.learn(io.BytesIO(TABLE.encode()), arcs="code->m") == learned
    pyarrow = pytest.importorskip("pyarrow", exc_type=ImportError)
    rows = pyarrow.table({"code": ["1", "2"] * 4, "m": [0.5, 1.5, 2.25, 3, 4.5, 4.75, 5, 5.5]})
    assert Network.learn(rows.to_reader(), arcs="code->m").table("m") == pytest.approx(learned.table("m"))


def test_continuous_nodes_are_fitted_in_their_order():
    drawn = MIXED.sample(400, seed=4)
    fitted = MIXED.fit(drawn)
    assert fitted.parents("y") == MIXED.parents("y") and fitted.states("d") == ("a", "b")
    slopes = [np.polyfit(drawn["x"][drawn["d"] == d], drawn["y"][drawn["d"] == d], 1) for d in "ab"]
    assert fitted.table("y")[:, :2] == pytest.approx(np.array(slopes)[:, ::-1], rel=0.05)


def test_searches_take_constraints_and_bootstraps():
    rows = SPRINKLER.sample(300, seed=1)
    learned = Network.learn(rows, "hill-climb", forbidden_arcs=[("rain", "grass"), ("grass", "rain")])
    assert ("rain", "grass") not in learned.arcs and ("grass", "rain") not in learned.arcs
    averaged = Network.learn(rows, "hill-climb", bootstrap=5, score="bdeu:1")
    assert averaged.found["resamples"] == 5 and all(0 <= pair["strength"] <= 1 for pair in averaged.found["pairs"])
    stated = Network.learn(rows, arcs=[("cloudy", "rain"), "grass"])
    assert stated.arcs == [("cloudy", "rain")] and set(stated.nodes) == {"cloudy", "rain", "grass"}


def test_pictures_are_xml_and_hostile_names_stay_text():
    hostile = Network({"<script>": ["<b>", "&"]}, (), {"<script>": [0.5, 0.5]})
    for shown in (SPRINKLER, hostile, MIXED, DIAGRAM):
        picture = shown._repr_html_()
        xml.etree.ElementTree.fromstring(picture)
        assert "<script>" not in picture
    for shown in (
        SPRINKLER.query("all", {"grass": "wet"}),
        SPRINKLER.explain("rain", {"grass": "wet", "sprinkler": "on"}),
        MIXED.query("all"),
        DIAGRAM.decide(value_of="all"),
        hostile.query("all"),
    ):
        assert "<script>" not in shown._repr_html_() and repr(shown)


def test_answers_survive_pickling():
    for answer in (
        SPRINKLER.query("all", {"grass": "wet"}),
        SPRINKLER.query("rain", {"grass": "wet"}, approximate="weighting,always", draws=100),
        SPRINKLER.query(["rain", "grass"], joint_distribution=True),
        MIXED.query("all"),
        MIXED.query(["x", "y"], joint_distribution=True),
        SPRINKLER.mpe(given={"grass": "wet"}),
        SPRINKLER.explain("rain", {"grass": "wet"}),
        DIAGRAM.decide(value_of="all"),
        SPRINKLER.independent("cloudy", "grass"),
        SPRINKLER.compare(MIXED),
        SPRINKLER.score(SPRINKLER.sample(20)),
    ):
        again = pickle.loads(pickle.dumps(answer))
        assert again == answer and again.to_dict() == answer.to_dict() and repr(again) == repr(answer)


def test_answers_have_the_size_of_the_tables():
    answer = SPRINKLER.query("all", {"grass": "wet"})
    assert answer.cells > 0 and answer.bytes >= answer.cells


def test_a_joint_distribution_that_is_too_large_names_its_argument():
    names = [f"n{i}" for i in range(32)]
    network = Network({name: ["a", "b", "c"] for name in names}, tables={name: [1 / 3] * 3 for name in names})
    with pytest.raises(ValueError, match="^joint_distribution: the table would have more than"):
        network.query(names, joint_distribution=True)


def test_threads_share_a_network():
    expected = SPRINKLER.query("all", {"grass": "wet"}).to_dict()
    found = []
    threads = [
        threading.Thread(target=lambda: found.extend(SPRINKLER.query("all", {"grass": "wet"}).to_dict() for _ in range(50)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 200 and all(one == expected for one in found)


def test_an_interrupt_stops_a_long_estimate():
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        SPRINKLER.query("rain", {"grass": "wet"}, approximate="gibbs,always", draws=10**9)
    assert time.monotonic() - begin < 2


TABLE = "w,code,m,s\n1,1,0.5,a\n2,2,1.5,b\n3,1,2.25,a\n7,2,3,b\n5,1,4.5,a\n6,2,4.75,b\n9,1,5,a\n8,2,5.5,a\n"


@needs_command
@pytest.mark.parametrize(
    ("given", "options"),
    [
        ({"arcs": "w->m,code"}, {}),
        ({"arcs": "w->s"}, {}),
        ({"arcs": "code->m,s->m"}, {"smoothing": "bdeu:1"}),
        ({"search": "hill-climb"}, {"score": "bic"}),
        ({"search": "pc"}, {"significance": 0.2}),
        ({"search": "chow-liu"}, {}),
        ({"arcs": "code->s"}, {"target": "s"}),
        ({"search": "tan"}, {"target": "s", "categorical": "w"}),
    ],
    ids=str,
)
def test_models_of_networks_have_the_command_s_bytes(tmp_path, given, options):
    path, model = tmp_path / "t.csv", tmp_path / "t.model"
    path.write_text(TABLE)
    words = [word for name, value in {**given, **options}.items() for word in (f"--{name.replace('significance', 'alpha')}", value)]
    command("train", path, "--method", "network", *words, "-o", model)
    assert Network.learn(str(path), **given, **options).trained.to_bytes() == model.read_bytes()
    assert credence.train(str(path), **given, **options).to_bytes() == model.read_bytes()


def test_states_keep_the_order_of_the_network_file(tmp_path):
    file, path, model = tmp_path / "levels.bif", tmp_path / "t.csv", tmp_path / "t.model"
    file.write_text("network n { }\nvariable s { type discrete [ 3 ] { lo, mid, hi }; }\nprobability ( s ) { table 0.2, 0.3, 0.5; }\n")
    path.write_text("s\nhi\nlo\nmid\nlo\nabove\n")
    command("train", path, "--method", "network", "--arcs-from", file, "-o", model)
    for source in (file, str(file), Network.read(file)):
        network = Network.learn(str(path), arcs_from=source)
        assert network.states("s") == ("lo", "mid", "hi", "above")
        assert network.trained.to_bytes() == model.read_bytes()
    declared = Network.learn({"s": ["b", "a"]}, arcs="s", declare={"s": ["c", "b"]})
    assert declared.states("s") == ("c", "b", "a")
    assert Network.learn({"s": ["b", "a"]}, arcs="s", declare={"s": {"c", "b"}}).states("s") == ("a", "b", "c")


@pytest.mark.parametrize("given", [{"method": "tan"}, {"method": "kdb:1"}, {"search": "hill-climb"}], ids=str)
def test_a_table_without_rows_is_called_so(given):
    with pytest.raises(credence.Error, match="no rows") as caught:
        credence.train(b"x,y\n", "y", **given)
    assert caught.value.code == "empty"


def test_frames_of_nodes_without_parents_and_read_only_tables():
    network = credence.read_network(credence.example("sprinkler"))
    frame = network.frame("Cloudy")
    assert frame.shape == (1, 2)
    assert [frame[state][0] for state in network.states("Cloudy")] == network.table("Cloudy").tolist()
    for node in network.nodes:
        with pytest.raises(ValueError, match="read-only"):
            network.table(node)[0] = 0.5
    continuous = credence.Network({"x": None}, tables={"x": [[1.0, 4.0]]})
    assert continuous.frame("x").to_dict() == {"mean": [1.0], "variance": [4.0]}


def test_wrong_arguments_of_networks_name_what_was_meant():
    network = credence.read_network(credence.example("sprinkler"))
    with pytest.raises(TypeError, match="nodes: expected a list of states for 'A'"):
        credence.Network({"A": 2})
    for name in ("query", "posterior", "probability", "mpe", "map", "explain"):
        with pytest.raises(TypeError, match=rf"^{name}\(\) got an unexpected keyword argument 'memry'; did you mean memory"):
            getattr(network, name)(*(["Rain"] if name != "mpe" else []), memry=1)
    for name in ("decide", "sample"):
        with pytest.raises(TypeError, match=rf"^{name}\(\) got an unexpected keyword argument"):
            getattr(network, name)(nonsense=1)


def test_tables_of_a_learned_network_are_frames_like_the_rows():
    pandas = pytest.importorskip("pandas")
    rows = pandas.read_csv(credence.example("tennis"))
    network = credence.Network.learn(rows, arcs="Outlook->Play")
    assert isinstance(network.frame("Play"), pandas.DataFrame)
    assert isinstance(network.sample(3), pandas.DataFrame)
    assert isinstance(credence.train(rows, "Play").sample(3), pandas.DataFrame)


# ---- Truth values ----

FLAGS = [("True", "False"), ("TRUE", "FALSE"), ("true", "false"), ("yes", "no"), ("No", "Yes"), ("on", "off"), ("T", "F")]


def flags(words):
    return credence.Network({"Flag": words, "Mood": ["good", "bad"]}, ["Flag->Mood"], {"Flag": [0.3, 0.7], "Mood": [[0.9, 0.1], [0.2, 0.8]]})


@pytest.mark.parametrize("words", FLAGS, ids="-".join)
def test_truth_values_match_the_states_of_a_network(words, tmp_path):
    pandas = pytest.importorskip("pandas")
    network = flags(words)
    is_true = {"true", "yes", "on", "t"}
    texts = network.sample(200, seed=1).to_pandas().astype(str)
    frame = texts.assign(Flag=[text.lower() in is_true for text in texts.Flag])
    gaps = frame.assign(Flag=frame.Flag.astype(object).where(frame.index > 2, None))
    fitted = network.fit(texts)
    for table in (frame, frame.astype({"Flag": "boolean"}), texts.assign(Flag=texts.Flag.str.upper())):
        assert network.fit(table).states("Flag") == words
        assert network.fit(table).table("Flag").tolist() == fitted.table("Flag").tolist()
        assert credence.Network.learn(table, arcs_from=network).states("Flag") == network.learn(texts, arcs_from=network).states("Flag")
        assert network.score(table).score == network.score(texts).score
        assert network.query("Mood", data=table).equals(network.query("Mood", data=texts))
    assert network.fit(gaps).states("Flag") == words
    for value in (True, False):
        state = next(word for word in words if (word.lower() in is_true) == value)
        if state.lower() not in ("on", "off", "t", "f"):
            assert network.posterior("Mood", given={"Flag": value}) == network.posterior("Mood", given={"Flag": state})
        assert network.posterior("Mood", given={"Flag": state.swapcase()}) == network.posterior("Mood", given={"Flag": state})


def test_a_value_that_is_no_state_is_learned_with_a_warning():
    network = flags(("True", "False"))
    table = {"Flag": ["True", "zz", "False"], "Mood": ["good", "bad", "bad"]}
    with pytest.warns(credence.CredenceWarning, match="'Flag' has the value 'zz', which the network does not contain: it was added as a state"):
        assert network.fit(table).states("Flag") == ("True", "False", "zz")


@pytest.mark.parametrize("value", [None, float("nan")])
def test_evidence_that_is_missing_is_no_evidence(value):
    network = flags(("True", "False"))
    assert network.posterior("Mood", given={"Flag": value}) == network.posterior("Mood")


@pytest.mark.parametrize(("word", "near"), [("hc", "hill-climb"), ("hillclimb", "hill-climb"), ("chowliu", "chow-liu"), ("gs", None)])
def test_a_misspelled_search_is_refused_with_the_searches(word, near):
    table = {"a": ["x", "y"] * 5, "b": ["u", "v"] * 5}
    with pytest.raises(credence.errors.SettingError, match=f"search: '{word}' is not a search; the searches are hill-climb, tabu") as error:
        credence.Network.learn(table, word)
    assert near is None or f"(did you mean {near}?)" in str(error.value)


def test_arcs_are_specified_in_one_way():
    table = {"a": ["x", "y"] * 5, "b": ["u", "v"] * 5}
    network = Network.learn(table, arcs=["a->b"])
    assert Network.learn(table, arcs_from=network).arcs == network.arcs == [("a", "b")]
    for given in ({"search": "pc", "arcs": "a->b"}, {"arcs": "a->b", "arcs_from": network}, {"search": "pc", "arcs_from": network}):
        with pytest.raises(ValueError, match="cannot be combined: each specifies the arcs"):
            Network.learn(table, **given)
    with pytest.raises(TypeError, match=r"search: expected the name of a search.*arcs="):
        Network.learn(table, ["a->b"])
    with pytest.raises(credence.errors.SettingError, match=r"arcs=\.\.\. specifies arcs"):
        Network.learn(table, "a->b")
    with pytest.raises(TypeError, match="arcs_from: expected a Network"):
        Network.learn(table, arcs_from=["a->b"])


def test_the_most_probable_states_of_all_nodes_and_of_some():
    given = {"grass": "wet"}
    assert set(SPRINKLER.mpe(given)) == set(SPRINKLER.nodes)
    assert set(SPRINKLER.map("rain", given)) == {"rain"}
    model = credence.train(credence.example("tennis"), "Play", method="tan")
    assert set(model.query("Wind", {"Play": "Yes"}, map=True)) == {"Wind"}
    with pytest.raises(ValueError, match="^mpe: "):
        model.query("Wind", {"Play": "Yes"}, mpe=True)
    with pytest.raises(ValueError, match="^map: needs of"):
        model.query(given={"Play": "Yes"}, map=True)
    with pytest.raises(ValueError, match="^approximate: "):
        SPRINKLER.query("rain", approximate="always")


DRUG = read_network(pathlib.Path(__file__).parents[2] / "examples" / "drug.bif")


def test_an_intervention_cuts_the_arcs_into_the_nodes():
    assert DRUG.query("Recovery", given={"Drug": "yes"})["Recovery"]["yes"] == pytest.approx(0.5, abs=1e-12)
    assert DRUG.query("Recovery", do={"Drug": "yes"})["Recovery"]["yes"] == pytest.approx(0.65, abs=1e-12)
    changed = DRUG.do({"Drug": "yes"})
    assert changed.parents("Drug") == () and DRUG.parents("Drug") == ("Severe",)
    assert changed.query("Recovery") == DRUG.query("Recovery", do={"Drug": "yes"})
    assert DRUG.query(do={"Drug": "yes"})["Drug"]["yes"] == 1
    assert DRUG.sample(20, do={"Drug": "no"})["Drug"].tolist() == ["no"] * 20
    assert "0.69231 after" in str(DRUG.explain("Severe", {"Recovery": "yes"}, do={"Drug": "yes"}))  # 9/13


def test_an_intervention_replaces_the_values_of_rows():
    rows = {"Severe": ["yes", "no"], "Drug": ["no", "yes"]}
    found = DRUG.query("Recovery", data=rows, do={"Drug": "yes"})
    assert np.asarray(found["Recovery=yes"]).tolist() == pytest.approx([0.4, 0.9])


@pytest.mark.parametrize(
    ("actions", "message"),
    [({"Doctor": "x"}, "no node 'Doctor'|'Doctor'"), ({"Drug": "maybe"}, "no state 'maybe'"), ("Drug", "expected a mapping")],
)
def test_interventions_that_make_no_sense(actions, message):
    with pytest.raises((ValueError, TypeError), match=message):
        DRUG.do(actions)
