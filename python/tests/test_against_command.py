# SPDX-License-Identifier: MIT
"""Models beside the command: the same bytes, and every number to the bit."""

import json
import os
import shutil
import subprocess
import warnings

import pytest

import credence

COMMAND = os.environ.get("CREDENCE") or shutil.which("credence")
pytestmark = pytest.mark.skipif(COMMAND is None, reason="the command is not there: CREDENCE names it")

TENNIS = (credence.example("tennis"), "Play")
IRIS = (credence.example("iris"), "species")


def run(*words):
    words = [COMMAND, *map(str, words)]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def options_of(arguments):
    """Keyword arguments as options of the command."""
    words = []
    for name, value in arguments.items():
        option = "alpha" if name == "significance" else name.replace("_", "-")
        words += [f"--{option}"] + ([] if value is True else [str(value)])
    return words


CASES = [
    (TENNIS, {}),
    (TENNIS, {"smoothing": "laplace:2", "prior": "uniform"}),
    (TENNIS, {"method": "joint", "joint": "all"}),
    (TENNIS, {"method": "aode"}),
    (TENNIS, {"method": "pairwise"}),
    (TENNIS, {"ignore": "Wind", "keep_statistics": "joint-counts,rows"}),
    (IRIS, {}),
    (IRIS, {"family": "kernel", "bandwidth": "scott"}),
    (IRIS, {"family": "auto", "variance": "sample"}),
    (IRIS, {"family": "petal_width=histogram,*=lognormal"}),
    (IRIS, {"joint": "numbers", "covariance": "full:0.2"}),
    (IRIS, {"calibration": "isotonic"}),
    (IRIS, {"calibration": "platt", "attribute_weights": "fitted"}),
    (TENNIS, {"method": "tan"}),
    (TENNIS, {"method": "network", "arcs": "Outlook->Play,Play->Wind"}),
    (IRIS, {"method": "bagging:3"}),
    (IRIS, {"method": "boosting:3"}),
    (TENNIS, {"method": "stacking"}),
    (IRIS, {"discretize": "*=mdl"}),
    (IRIS, {"discretize": "petal_width=0.8:1.7", "keep_statistics": "histogram"}),
    (IRIS, {"keep_statistics": "all", "only": "petal*"}),
    (IRIS, {"categorical": "petal_width", "text": "sepal_length"}),
    (TENNIS, {"method": "auto", "budget": 2}),
]


def python_arguments(arguments):
    """As a caller in Python would state them."""
    given = dict(arguments)
    if "discretize" in given:
        given["discretize"] = dict(rule.split("=") for rule in given["discretize"].split(","))
    return given


def ids(case):
    return " ".join(options_of(case[1])) or "plain"


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{case[0][1]} {ids(case)}")
def both(request, tmp_path_factory):
    (path, target), arguments = request.param
    file = tmp_path_factory.mktemp("model") / "m.model"
    run("train", path, "--target", target, "-o", file, "--quiet", *options_of(arguments))
    model = credence.train(path, target=target, **python_arguments(arguments))
    return path, file, model


def test_models_have_the_bytes_of_the_command(both):
    _, file, model = both
    assert model.difference(credence.load(file)) is None
    assert model.to_bytes() == file.read_bytes()


def test_answers_have_the_bits_of_the_command(both):
    path, file, model = both
    settings = model.settings
    plain = {"method": "naive", "family": "gaussian", "joint": "none", "attribute_weights": "none"}
    typicality = all(settings[name] == value for name, value in plain.items())
    typicality = typicality and not any(kind == "text" for kind in model._classifier({}).types())
    words = ["--typicality"] if typicality else []
    lines = [json.loads(line) for line in run("predict", file, path, *words, "--format", "json").splitlines()]
    found = model.predict(path, typicality=typicality)
    assert list(found["prediction"]) == [line["prediction"] for line in lines]
    for name in model.classes:
        assert found[f"P({name})"].tolist() == [line["posterior"][name] for line in lines]
    for key in ("probability", "log_evidence", "unseen", *(["typicality"] if typicality else [])):
        assert found[key].tolist() == [line[key] for line in lines]


def test_summaries_have_the_keys_and_bits_of_the_command(both):
    _, file, model = both
    shown = json.loads(run("show", file, "--format", "json"))
    assert model.show().to_dict() == shown


def test_models_change_as_the_command_changes_them(tmp_path):
    path, target = IRIS
    lines = path.read_text().splitlines(keepends=True)
    more = tmp_path / "more.csv"
    more.write_text("".join([lines[0], *lines[40:70]]))
    for words in ([], ["--calibration", "platt"]):
        file = tmp_path / "m.model"
        run("train", path, "--target", target, "-o", file, "--quiet", *words)
        model = credence.load(file)
        run("update", file, more, "--quiet")
        assert model.update(more).to_bytes() == file.read_bytes()
        run("merge", file, file, "-o", tmp_path / "both.model", "--quiet")
        assert credence.merge([model, model]).to_bytes() == (tmp_path / "both.model").read_bytes()
        run("forget", file, more, "--quiet")
        with credence.open_model(tmp_path / "both.model") as changed:
            changed.forget(more).forget(more)
        assert model.forget(more).to_bytes() == file.read_bytes()


def test_rows_of_one_class_are_learned_and_moved_as_by_the_command(tmp_path):
    path, target = TENNIS
    rows = tmp_path / "rows.csv"
    rows.write_text("Outlook,Temperature,Humidity,Wind\nRain,,High,Weak\n")
    file = tmp_path / "m.model"
    run("train", path, "--target", target, "-o", file, "--quiet")
    model = credence.load(file)
    run("update", file, rows, "--class", "No", "--quiet")
    assert model.update(rows, class_="No").to_bytes() == file.read_bytes()
    run("update", file, rows, "--class", "Yes", "--was", "No", "--quiet")
    assert model.update(rows, class_="Yes", was="No").to_bytes() == file.read_bytes()
    run("forget", file, rows, "--class", "Yes", "--quiet")
    assert model.forget(rows, class_="Yes").to_bytes() == file.read_bytes()
    with pytest.raises(ValueError, match="class_"):
        model.update(rows, was="No")


def test_hidden_classes_and_unlabeled_rows_have_the_bytes_of_the_command(tmp_path):
    path, _ = IRIS
    file = tmp_path / "m.model"
    run("train", path, "--ignore", "species", "--latent-class", "kind", "-o", file, "--quiet")
    model = credence.train(path, ignore="species", latent_class="kind")
    assert model.to_bytes() == file.read_bytes()
    shown = json.loads(run("show", file, "--format", "json"))
    for ours, theirs in zip(model.show()["contrasts"], shown["contrasts"], strict=True):
        assert {key: ours[key] for key in theirs if key != "description"} == {
            key: value for key, value in theirs.items() if key != "description"
        }
    lines = path.read_text().splitlines(keepends=True)
    some = [line if i % 3 == 0 else line.rpartition(",")[0] + ",\n" for i, line in enumerate(lines)]
    partly = tmp_path / "partly.csv"
    partly.write_text("".join(some))
    run("train", partly, "--target", "species", "--unlabeled", "use", "-o", file, "--quiet")
    assert credence.train(partly, target="species", unlabeled="use").to_bytes() == file.read_bytes()


def test_parts_of_rows_merge_into_the_model_of_the_command(tmp_path):
    path, target = IRIS
    schema = credence.schema(path, target=target, values=True)
    run("schema", path, "--target", target, "--values", "-o", tmp_path / "iris.schema", "--quiet")
    assert schema.to_json() == (tmp_path / "iris.schema").read_text()
    parts = [credence.train(path, schema=schema, shard=f"{i}/3") for i in (1, 2, 3)]
    run("train", path, "--schema", tmp_path / "iris.schema", "-o", tmp_path / "m.model", "--quiet")
    assert credence.merge(parts).to_bytes() == (tmp_path / "m.model").read_bytes()
    shown = [credence.train(path, target=target, shard=f"{i}/3") for i in (3, 1, 2)]
    assert credence.merge(shown).to_bytes() == credence.train(path, target=target).to_bytes()
    with pytest.raises(ValueError, match="discretize"):
        credence.train(path, target=target, shard="1/2", discretize="quantile:3")


def test_schemas_of_parts_merge_into_that_of_the_command(tmp_path):
    path = tmp_path / "rows.csv"
    rows = "".join(f"{'word' if i == 90 else i},{i % 12 + 1}/{i % 28 + 1}/2024,{i % 2},k{i % 3}\n" for i in range(100))
    path.write_text("x,day,none,y\n" + rows)
    run("schema", path, "--target", "y", "--values", "-o", tmp_path / "whole.schema", "--quiet")
    parts = [credence.schema(path, target="y", values=True, shard=f"{i}/7") for i in (5, 1, 3, 7, 2, 6, 4)]
    assert parts[0].is_part
    whole = credence.Schema.merge_all(parts)
    assert not whole.is_part
    assert whole.to_json() == (tmp_path / "whole.schema").read_text()
    halves = parts[0].merge(parts[1].merge(parts[2])).merge(parts[6]), parts[5].merge(parts[4]).merge(parts[3])
    assert halves[1].merge(halves[0]).complete() == whole
    with pytest.raises(ValueError, match="none"):
        credence.Schema.merge_all([])


def test_a_schema_without_a_header_is_honored(tmp_path):
    rows = b"1,1,a\n2,3,b\n1,4,a\n5,5,b\n"
    (tmp_path / "rows.csv").write_bytes(rows)
    schema = credence.schema(rows, target=2, header=False)
    model = credence.train(rows, schema=schema)
    schema.save(tmp_path / "rows.schema")
    run("train", tmp_path / "rows.csv", "--schema", tmp_path / "rows.schema", "-o", tmp_path / "m.model", "--quiet")
    assert model.to_bytes() == (tmp_path / "m.model").read_bytes()
    for table in (tmp_path / "rows.csv", [tmp_path / "rows.csv"], rows):
        assert credence.train(table, schema=schema).to_bytes() == model.to_bytes()
        assert len(model.predict(table)) == 4
    parts = [credence.train(tmp_path / "rows.csv", schema=schema, shard=(i, 3)) for i in (1, 2, 3)]
    assert credence.merge(parts).to_bytes() == model.to_bytes()


@pytest.mark.parametrize(
    "given",
    [
        {"weight": "w"},
        {"ignore": "z"},
        {"only": "x"},
        {"numeric": "w"},
        {"categorical": "w"},
        {"text": "x"},
        {"column_format": "w=percent"},
        {"discretize": "w=width:2"},
    ],
)
def test_what_a_schema_settles_is_refused_beside_it(tmp_path, given):
    rows = b"x,z,y,w\na,u,p,5\nb,v,q,1\na,u,p,2\n"
    (tmp_path / "rows.csv").write_bytes(rows)
    schema = credence.schema(rows, target="y")
    schema.save(tmp_path / "rows.schema")
    words = [COMMAND, "train", tmp_path / "rows.csv", "--schema", tmp_path / "rows.schema", "-o", tmp_path / "m.model", *options_of(given)]
    (name,) = given
    assert f"--schema and --{name.replace('_', '-')} cannot be combined" in subprocess.run(words, capture_output=True, text=True, check=False).stderr
    value = given[name]
    written = dict([value.split("=")]) if name in ("column_format", "discretize") else value
    for table in (rows, {"x": ["a", "b"], "z": ["u", "v"], "y": ["p", "q"], "w": [5, 1]}):
        with pytest.raises(ValueError, match=f"^schema and {name} do not go together"):
            credence.train(table, schema=schema, **{name: written})


def test_profiles_and_exports_are_those_of_the_command(tmp_path):
    path, target = IRIS
    profile = json.loads(run("schema", path, "--target", target, "--format", "json"))
    assert credence.schema(path, target=target).to_dict()["profile"] == profile
    run("train", path, "--target", target, "-o", tmp_path / "m.model", "--quiet")
    model = credence.load(tmp_path / "m.model")
    for format in ("json", "c", "sql", "pmml", "onnx"):
        run("export", tmp_path / "m.model", "--as", format, "-o", tmp_path / "out")
        written = model.export(format)
        assert (written if format == "onnx" else written.encode()) == (tmp_path / "out").read_bytes()
        model.export(format, tmp_path / "ours")
        assert (tmp_path / "ours").read_bytes() == (tmp_path / "out").read_bytes()
    with pytest.raises(ValueError, match="format"):
        model.export("docx")


def test_models_are_combined_as_by_the_command(tmp_path):
    path, target = IRIS
    models = {}
    for name, columns in (("a.model", "petal*"), ("b.model", "sepal*")):
        run("train", path, "--target", target, "--only", columns, "-o", tmp_path / name, "--quiet")
        models[name] = credence.load(tmp_path / name)
    files = [tmp_path / name for name in models]
    text = run("combine", *files, "--data", path, "-o", tmp_path / "all.model", "--format", "json")
    with pytest.warns(credence.CredenceWarning, match="rows that the models learned from"):
        combined = credence.combine(models, data=path)
    assert combined.to_bytes() == (tmp_path / "all.model").read_bytes()
    assert combined.facts["hypotheses"] == json.loads(text)["hypotheses"]
    assert combined.show().to_dict() == json.loads(run("show", tmp_path / "all.model", "--format", "json"))
    run("combine", *files, "--posterior", ".3,.7", "--rule", "map", "-o", tmp_path / "all.model", "--quiet")
    stated = credence.combine(models, posterior={"a.model": 0.3, "b.model": 0.7}, rule="map")
    assert stated.to_bytes() == (tmp_path / "all.model").read_bytes()
    with pytest.raises(ValueError, match="rule"):
        credence.combine(models, rule="best")
    with pytest.raises(ValueError, match="sum to 1"):
        credence.combine(models, prior=[0.5, 0.1])


@pytest.mark.parametrize("kind", ["documents", "mail"])
def test_documents_and_mail_have_the_bytes_of_the_command(kind, tmp_path):
    texts = {"spam": "Subject: buy pills\n\ncheap offer now\n", "ham": "Subject: meeting\n\nsee you at noon\n"}
    for label, text in texts.items():
        (tmp_path / label).mkdir()
        for i in range(3):
            (tmp_path / label / f"{i}.txt").write_text(text * (i + 1))
    places = {label: tmp_path / label for label in texts}
    run("train", f"--{kind}", ",".join(f"{k}={v}" for k, v in places.items()), "-o", tmp_path / "m.model", "--quiet")
    open_all = getattr(credence, kind)
    model = credence.train(open_all(places))
    assert model.to_bytes() == (tmp_path / "m.model").read_bytes()
    assert list(model.predict(open_all(tmp_path / "spam"))["prediction"]) == ["spam"] * 3
    assert model.copy().update(open_all(places)).forget(open_all(places)) == model
    if kind == "mail":
        assert model.predict(credence.message(texts["ham"]))["prediction"] == "ham"


@pytest.mark.parametrize(
    "arguments",
    [
        {"search": "hill-climb"},
        {"search": "pc", "significance": "0.2"},
        {"search": "hill-climb", "bootstrap": 5, "seed": 3},
        {"method": "network", "arcs": "Outlook->h,h->Wind", "latent_nodes": "h:2"},
    ],
    ids=lambda arguments: " ".join(options_of(arguments)),
)
def test_networks_without_a_target_have_the_bytes_of_the_command(arguments, tmp_path):
    file = tmp_path / "m.model"
    run("train", TENNIS[0], "-o", file, "--quiet", *options_of(arguments))
    model = credence.train(TENNIS[0], **arguments)
    assert model.to_bytes() == file.read_bytes()
    assert model.show().to_dict() == json.loads(run("show", file, "--format", "json"))
    lines = run("predict", file, TENNIS[0], "--target", "Wind", "--format", "json").splitlines()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", credence.CredenceWarning)  # a hidden node is no column
        found = model.predict(TENNIS[0], target="Wind")
    assert found["P(Weak)"].tolist() == [json.loads(line)["posterior"]["Weak"] for line in lines]
    with pytest.raises(credence.Error, match="no target"):
        model.predict(TENNIS[0])


def test_decisions_are_those_of_the_command(tmp_path):
    path, target = TENNIS
    file = tmp_path / "m.model"
    run("train", path, "--target", target, "-o", file, "--quiet")
    model = credence.load(file)
    costs = tmp_path / "costs.csv"
    costs.write_text("truth,Yes,No,ask\nYes,0,5,1\nNo,2,0,1\n")
    table = {"Yes": {"Yes": 0, "No": 5, "ask": 1}, "No": {"Yes": 2, "No": 0, "ask": 1}}
    rules = [
        (["--cost", costs], {"cost": costs}),
        (["--cost", costs], {"cost": table}),
        (["--reject", "0.8"], {"reject": 0.8}),
        (["--reject", "hm=0.7"], {"reject": {"hm": 0.7}}),
        (["--threshold", "No=0.3"], {"threshold": {"No": 0.3}}),
    ]
    for words, arguments in rules:
        lines = [json.loads(line) for line in run("predict", file, path, *words, "--format", "json").splitlines()]
        found = model.predict(path, **arguments)
        assert list(found["decision"]) == [line["decision"] for line in lines]
        if "cost" in arguments:
            assert found["expected_cost"].tolist() == [line["expected_cost"] for line in lines]
            assert found["cost(ask)"].tolist() == [line["costs"]["ask"] for line in lines]
    row = {"Outlook": "Sunny", "Temperature": "Hot", "Humidity": "High", "Wind": "Weak"}
    told = json.loads(run("predict", file, "--given", ",".join(f"{k}={v}" for k, v in row.items()), "--cost", costs,
                          "--typicality", "--format", "json"))
    assert model.predict(row, cost=table, typicality=True) == told
    with pytest.raises(ValueError, match="one of them"):
        model.predict(path, reject=0.5, threshold=0.5)
