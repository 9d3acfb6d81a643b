# SPDX-License-Identifier: MIT
"""Pictures and HTML: well formed whatever names and numbers are, escaped, the same bytes for the same series."""

import io
import math
import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import credence
from credence import _core, _html, options, progress

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "]]></style>&amp;",
    "a\x00b\x1f",
    "\u202eturned",
    "\ud800 alone",
    "x" * 5000,
    "日本語",
    "",
]


def pictures(name, value):
    """One of each kind, with the name and the value in all places."""
    bars = [(name, value), (name, name, 0.5), ("b", None)]
    rows = [[value, 0.5], [0.25, 0.75]]
    given = {"title": name, "description": name}
    yield "evidence", _core.plot_evidence(bars, value, 1.0, unit=name, positive=name, negative=name, **given)
    yield "bars", _core.plot_bars(bars, probabilities=True, unit=name, **given)
    yield "groups", _core.plot_groups([(name, bars), ("none", [])], unit=name, **given)
    yield "curves", _core.plot_curves([(name, [0, value, 1], [0, 0.5, value])], name, name, reference="diagonal", **given)
    yield "densities", _core.plot_densities([{"name": name, "x": [0, 1, value], "y": [1, value, 0]}], name, [value], **given)
    yield "regions", _core.plot_densities(
        [(name, [0, 1, value], [1, value, 0])], name, regions=[(0, value, 0)], discrete=True, **given
    )
    yield "heat map", _core.plot_heat_map([name, "b", name], [[0, 1, 2], [value, 0, 1], [1, value, 0]], unit=name, **given)
    yield "calibration", _core.plot_calibration([(0.1, value, None, value, 5), (0.5, 0.5, 0.4, 0.6, value)], name, **given)
    yield "confusion", _core.plot_confusion([name, "b"], rows, **given)
    yield "table", _core.plot_table([name, "b"], rows, [name, "d"], name, **given)
    nodes = [{"name": name, "states": [name, "b"], "beliefs": [value, 0.5], "note": name, "evidence": 1}, {"name": "n"}]
    yield "graph", _core.plot_graph(nodes, [(0, 1), (1, 0, True, value)][:1], **given)
    yield "path", _core.plot_path([name, "b"], [0, None, 1], [[value, 0], [0, 1], [0.5, 0.5]], time_name=name, **given)


def texts(root):
    return ["".join(e.itertext()) for e in root.iter(f"{SVG}text")]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_text_in_every_picture(name):
    for kind, svg in pictures(name, 0.25):
        root = ElementTree.fromstring(svg)
        allowed = {"svg", "title", "desc", "style", "rect", "line", "circle", "path", "text", "tspan", "g"}
        assert {e.tag.removeprefix(SVG) for e in root.iter()} <= allowed, kind
        assert not any(key.startswith("on") or "href" in key for e in root.iter() for key in e.attrib), kind
        assert root.get("role") == "img" and root.find(f"{SVG}title") is not None and root.find(f"{SVG}desc") is not None
        assert "http" not in svg.replace("http://www.w3.org/2000/svg", ""), kind


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, 0.0, -1.0, 12345.678, None])
def test_any_number_is_drawn(value):
    for kind, svg in pictures("a", value):
        root = ElementTree.fromstring(svg)
        for element in root.iter():
            for key in ("x", "y", "width", "height", "x1", "x2", "y1", "y2", "cx", "cy"):
                number = float(element.get(key, 0))
                assert -1e4 < number < 1e4, kind
            assert not re.search("nan|inf", element.get("d", "")), kind


def test_pictures_are_deterministic_and_do_not_clash():
    first, second = dict(pictures("a", 0.25)), dict(pictures("b", 0.25))
    assert first == dict(pictures("a", 0.25))
    ids = [re.findall(r' id="([^"]*)"', svg) for svg in [*first.values(), *second.values()]]
    assert len({i for some in ids for i in some}) == sum(len(some) for some in ids)
    for svg in first.values():
        identity = ElementTree.fromstring(svg).get("id")
        style = svg[svg.index("<style>") + 7 : svg.index("</style>")]
        for selectors in re.findall(r"(?:^|[}{])([^{}@]+){", style):
            assert all(f"#{identity}" in selector for selector in selectors.split(",")), selectors


def test_evidence_has_its_bars_on_their_sides():
    svg = _core.plot_evidence([("p", 2.0), ("q", "7", -1.0)], prior=-1.0, total=0.0, unit="bits")
    root = ElementTree.fromstring(svg)
    assert {"prior", "p", "q = 7", "total", "+2", "−1", "0", "bits"} <= set(texts(root))
    zero = next(float(e.get("x1")) for e in root.iter(f"{SVG}line") if e.get("class") == "crd-axis")
    bars = [e for e in root.iter(f"{SVG}rect") if (e.get("class") or "").startswith("crd-f")]
    sides = [(e.get("class"), float(e.get("x")) >= zero) for e in bars]
    assert sides[:3] == [("crd-f1", False), ("crd-f0", True), ("crd-f1", False)]
    assert float(bars[1].get("width")) == pytest.approx(2 * float(bars[2].get("width")), abs=0.05)


def test_evidence_sums_up_what_is_left_out():
    svg = _core.plot_evidence([(f"x{i}", 0.5) for i in range(100)] + [("large", 9.0)], most=3)
    assert {"large", "98 others", "+49"} <= set(texts(ElementTree.fromstring(svg)))


def test_a_graph_has_its_nodes_and_arrowheads():
    nodes = [{"name": n, "states": ["yes", "no"], "beliefs": [0.25, 0.75]} for n in ("a", "b", "c")]
    root = ElementTree.fromstring(_core.plot_graph(nodes, [("a", "b"), ("b", "c"), ("a", "c")]))
    assert texts(root).count("25%") == 3 and {"a", "b", "c"} <= set(texts(root))
    assert sum(e.get("class") == "crd-head" for e in root.iter(f"{SVG}path")) == 3
    undirected = ElementTree.fromstring(_core.plot_graph(["a", "b"], [("a", "b", True)]))
    assert not any(e.get("class") == "crd-head" for e in undirected.iter(f"{SVG}path"))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: _core.plot_bars("abc"), TypeError),
        (lambda: _core.plot_bars([("a",)]), ValueError),
        (lambda: _core.plot_bars([("a", "b")]), TypeError),
        (lambda: _core.plot_bars([("a", 1)], width=10), ValueError),
        (lambda: _core.plot_curves([("a", [1], [1, 2])]), ValueError),
        (lambda: _core.plot_curves([{"name": "a", "x": [1]}]), ValueError),
        (lambda: _core.plot_curves([], reference="slanted"), ValueError),
        (lambda: _core.plot_confusion(["a"], [[1, 2]]), ValueError),
        (lambda: _core.plot_confusion(["a", "b"], [[1, 2]]), ValueError),
        (lambda: _core.plot_graph(["a"], [("a", "b")]), ValueError),
        (lambda: _core.plot_graph(["a", "b"], [(0, 1), (1, 0)]), ValueError),
        (lambda: _core.plot_graph([{"name": "a", "states": ["x"], "beliefs": [1, 2]}], []), ValueError),
        (lambda: _core.plot_path(["a"], [1]), ValueError),
        (lambda: _core.plot_path(["a"], [0], [[1], [1]]), ValueError),
    ],
)
def test_wrong_arguments_are_refused(call, error):
    with pytest.raises(error):
        call()


# ---- HTML ----


def parsed(text):
    return ElementTree.fromstring(f"<x>{text}</x>")


@pytest.mark.parametrize("name", HOSTILE)
def test_cells_of_tables_are_text(name):
    root = parsed(_html.table_html([name, "n"], [[name, 1.5], [None, math.nan]], caption=name))
    assert {e.tag for e in root.iter()} <= {"x", "div", "style", "table", "caption", "thead", "tbody", "tr", "th", "td", "span"}
    assert [e.get("class") for e in root.iter("td")] == [None, "crd-right"] * 2


def test_long_tables_are_cut():
    root = parsed(_html.table_html(["i"], [[i] for i in range(100)], most=10))
    assert len(list(root.iter("tr"))) == 11
    assert "and 90 more" in "".join(root.itertext())


def test_a_summary_shows_classes_attributes_and_settings():
    summary = {
        "target": "play",
        "rows": 14,
        "settings": {"smoothing": "m:1"},
        "classes": [{"class": "no", "rows": 5, "prior": 0.36}, {"class": "<yes>", "rows": 9, "prior": 0.64}],
        "attributes": [
            {"attribute": "wind", "family": "categorical", "values": [{"value": "weak", "probability": {"no": 0.4, "<yes>": 0.6}}]},
            {
                "attribute": "heat",
                "densities": [{"class": "no", "mean": 5.0}],
                "cuts": [{"at": 2.5}],
                "curves": {"x": [0, 1, 2], "densities": {"no": [0, 1, 0], "<yes>": [1, 0, 0]}},
            },
        ],
    }
    root = parsed(_html.summary_html(summary, "Model of play"))
    assert len(list(root.iter(f"{SVG}svg"))) == 3
    shown = "".join(root.itertext())
    assert "Model of play" in shown and "smoothing" in shown and "weak" in shown and "2.5" in shown
    assert parsed(_html.summary_html({})) is not None


# ---- Progress ----


def test_the_bar_of_a_terminal_is_a_line_that_is_written_again_and_removed():
    out = io.StringIO()
    bar = progress.ProgressBar(out, delay=0)
    bar("reading", 0.0, 10.0)
    bar("training", 5.0, 10.0)
    bar("counting", 1234567.0, 0.0)
    bar.close()
    lines = out.getvalue().split("\r")
    assert "50%" in lines[2] and "1,234,567" in lines[3]
    assert lines[-2].strip() == "" and lines[-1] == ""


def test_options_report_progress_and_check_their_values():
    seen = []
    with options(threads=1, progress=lambda *record: seen.append(record)):
        pass
    for wrong in ({"threads": 0}, {"threads": 1.5}, {"deadline": 0}, {"deadline": -1}):
        with pytest.raises(ValueError), options(**wrong):
            pass
    for wrong in ({"progress": "yes"}, {"deadline": "1"}):
        with pytest.raises(TypeError, match=next(iter(wrong))), options(**wrong):
            pass


# ---- matplotlib ----


def test_plots_return_axes():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from credence import plotting

    hostile = "$x_{ <b>"
    made = [
        plotting.plot_evidence([("a", 1.0), (hostile, "v", -math.inf), ("c", None)], 0.5, 1.0, unit="bits"),
        plotting.plot_bars([(hostile, 0.25), ("b", 0.75)], probabilities=True),
        plotting.plot_curves([(hostile, [0, 1], [0, 1])], "x", "y", reference="diagonal", x_range=(0, 1)),
        plotting.plot_densities([{"name": "a", "x": [0, 1], "y": [1, 2]}], hostile, [0.5, math.inf]),
        plotting.plot_calibration([(0.1, 0.2, None, None, 3), (0.5, 0.5, 0.4, 0.6, 10)], hostile),
        plotting.plot_confusion([hostile, "b"], [[1, 2], [0, 0]]),
        plotting.plot_table(["a", hostile], [[0.5, 0.5]], [hostile], "r"),
        plotting.plot_graph([{"name": hostile, "states": ["a"], "beliefs": [1.0]}, "b"], [(0, 1), ]),
        plotting.plot_path([hostile, "b"], [0, None, 1], [[1, 0], [0, 1], [0.5, 0.5]]),
        *plotting.plot_groups([(hostile, [("a", 1.0)]), ("none", [])]),
    ]
    for ax in made:
        assert isinstance(ax, matplotlib.axes.Axes)
        ax.figure.savefig(io.BytesIO(), format="png", dpi=30)
    assert plotting.plot_bars([("a", 1)], ax=made[0]) is made[0]
    matplotlib.pyplot.close("all")


def test_without_matplotlib_the_error_names_it():
    code = (
        "import sys; sys.modules['matplotlib'] = None; sys.modules['matplotlib.pyplot'] = None\n"
        "from credence import plotting\n"
        "try: plotting.axes_of()\n"
        "except ImportError as error: assert 'pip install matplotlib' in str(error)\n"
        "else: raise SystemExit(1)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# ---- Results with hostile names ----


@pytest.mark.filterwarnings("ignore::credence.CredenceWarning")
def test_results_of_hostile_names_are_well_formed():
    rng = random.Random(1)
    script, image, target = HOSTILE[0], HOSTILE[1], "t<b>"
    rows = 60
    table = {
        script: [rng.choice([script, image, "a&b"]) for _ in range(rows)],
        image: [rng.gauss(0, 1) for _ in range(rows)],
        target: [rng.choice([image, "<i>no</i>"]) for _ in range(rows)],
    }
    model = credence.train(table, target=target)
    results = [
        model,
        model.show(),
        model.explain({script: script, image: 0.5}),
        model.evaluate(table),
        model.query(of=script),
        credence.schema(table),
        credence.Network.learn(table),
        credence.Table({script: [image]}),
    ]
    for result in results:
        shown = parsed(result._repr_html_())
        assert not {e.tag for e in shown.iter()} & {"script", "img", "i", "b"}, type(result)
        assert any(script in text or image in text for text in shown.itertext()), type(result)


# ---- Models of sequences ----

UMBRELLA = """{"credence_hmm": 1, "states": ["rain", "<dry>"], "start": [0.5, 0.5], "transitions": [[0.7, 0.3], [0.3, 0.7]],
"observations": [{"name": "umbrella", "family": "categorical", "values": ["yes", "no"],
"probability": [[0.9, 0.1], [0.2, 0.8]]}]}"""
WEEK = {"umbrella": ["yes", "yes", "no", "yes", "yes"]}


def test_a_model_of_sequences_and_its_steps_show_themselves():
    model = credence.hmm(UMBRELLA)
    shown = parsed(model._repr_html_())
    assert len(list(shown.iter(f"{SVG}svg"))) == 4  # the last of them P(umbrella | state)
    assert {"70%", "90%"} <= set(shown.itertext())
    step = parsed(model.explain(WEEK, step=2)._repr_html_())
    assert len(list(step.iter(f"{SVG}svg"))) == 1 and len(list(step.iter("table"))) == 2


def test_a_path_is_plotted():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    model = credence.hmm(UMBRELLA)
    ax = model.plot_path(WEEK)
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == list(model.states)
    assert [names[int(state)] for state in ax.lines[0].get_ydata()] == ["rain", "rain", "<dry>", "rain", "rain"]


def test_answers_of_networks_show_what_they_print():
    network = credence.read_network(credence.example("sprinkler"))
    found = network.mpe({"WetGrass": "True"})
    assert repr(found).rpartition("probability ")[2].rstrip(")") in found._repr_html_()
    assert "Sprinkler" in network.compare(network)._repr_html_()


def test_dollars_of_explanations_begin_no_formula():
    pytest.importorskip("matplotlib").use("Agg")
    model = credence.train({"price": ["$a$", "$b$"] * 3, "y": ["u", "v"] * 3}, "y")
    labels = [label.get_text() for label in model.explain({"price": "$a$"}).plot().get_yticklabels()]
    assert r"price=\$a\$" in labels


def test_models_networks_and_evaluations_have_plots():
    pytest.importorskip("matplotlib").use("Agg")
    tennis = credence.example("tennis")
    model = credence.train(tennis, "Play")
    assert [label.get_text() for label in model.plot().get_yticklabels()] == ["Outlook", "Humidity", "Wind", "Temperature"]
    assert model.plot("Wind").get_title() == "Wind"
    assert credence.train(credence.example("iris"), "species").plot("petal_width").get_xlabel() == "petal_width"
    network = credence.train(tennis, "Play", method="tan")
    axes = credence.Network.from_model(network).plot({"Wind": "Weak"})
    assert network.plot(ax=axes) is axes and len(axes.texts) > 5
    assert model.evaluate(tennis).plot().get_title() is not None


def test_results_draw_themselves():
    pytest.importorskip("matplotlib").use("Agg")
    days = credence.example("tennis")
    naive = credence.train(days, "Play", check=False)
    sequences = {"s": np.repeat(range(4), 5), "x": [float(i % 3) for i in range(20)], "y": [i % 2 == 0 for i in range(20)]}
    hmm = credence.train_sequences(sequences, "y", sequence="s")
    whole = credence.train_sequences({**sequences, "y": np.repeat([0, 1, 0, 1], 5)}, "y", sequence="s", states=1)
    network = credence.read_network(credence.example("sprinkler"))
    drawn = [
        naive.plot(),
        naive.plot("Wind"),
        naive.show().plot("Wind"),
        naive.explain({"Wind": "Weak"}).plot(),
        credence.train(days, "Play", method="tan").plot(),
        credence.train(days, "Play", method="tan").plot("Wind"),
        credence.train(days, "Play", method="aode").plot("Wind"),
        credence.evaluate(days, "Play").plot(),
        credence.compare(days, "Play", methods=["naive"]).plot(),
        network.plot(),
        network.posterior("Rain").plot(),
        hmm.plot(),
        whole.plot(),
    ]
    assert all(type(ax).__name__ == "Axes" for ax in drawn)
    assert hmm.explain(sequences)._repr_html_()


def test_pictures_of_a_model_fit_next_to_each_other():
    page = credence.train(credence.example("iris"), "species")._repr_html_()
    widths = [float(width) for width in re.findall(r'<svg[^>]* width="(\d+)"', page)]
    assert len(widths) >= 4 and sorted(widths)[len(widths) // 2] <= 420
