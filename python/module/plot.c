/* SPDX-License-Identifier: MIT */
/* plot.c - plots: converts Python lists and tuples to the series of credence/plot.h, and returns SVG as a str. */
#include "plot_series.h"

/* Reads bars: tuples (name, value) or (name, note, value). */
static crd_plot_bar *bars_of(plot_memory *memory, PyObject *object, size_t *count) {
    PyObject *list = plot_items(memory, object, "bars", count);
    crd_plot_bar *bars = list == NULL ? NULL : plot_room(memory, *count, sizeof *bars);
    for (size_t i = 0; bars != NULL && i < *count; i++) {
        size_t parts;
        PyObject *bar = plot_items(memory, PyList_GetItem(list, (Py_ssize_t)i), "bars", &parts);
        if (bar == NULL) return NULL;
        if (parts != 2 && parts != 3) {
            PyErr_SetString(PyExc_ValueError, "bars: expected (name, value) or (name, note, value)");
            return NULL;
        }
        if (plot_name(memory, PyList_GetItem(bar, 0), &bars[i].name) < 0 ||
            (parts == 3 && plot_name(memory, PyList_GetItem(bar, 1), &bars[i].note) < 0) ||
            plot_double(PyList_GetItem(bar, (Py_ssize_t)parts - 1), "bars", &bars[i].value) < 0)
            return NULL;
    }
    return bars;
}

/* Returns the fields of an item, which is a tuple, or a dict with these names. Returns NULL with an exception if there are other fields. */
static PyObject *fields_of(plot_memory *memory, PyObject *object, const char *argument, const char *expected,
                           const char *const *names) {
    size_t parts, count = 0;
    while (names[count] != NULL) count++;
    if (PyDict_Check(object)) {
        PyObject *fields = plot_keep(memory, PyList_New(0));
        for (size_t i = 0; fields != NULL && i < count; i++) {
            PyObject *value = PyDict_GetItemString(object, names[i]);
            if (value == NULL)
                PyErr_Format(PyExc_ValueError, "%s: expected %s, got no %s", argument, expected, names[i]);
            if (value == NULL || PyList_Append(fields, value) < 0) return NULL;
        }
        return fields;
    }
    PyObject *fields = plot_items(memory, object, argument, &parts);
    if (fields == NULL || parts == count) return fields;
    PyErr_Format(PyExc_ValueError, "%s: expected %s", argument, expected);
    return NULL;
}

/* Reads series: tuples (name, x, y), or dicts with these keys. */
static crd_plot_series *series_of(plot_memory *memory, PyObject *object, size_t *count) {
    static const char *const names[] = {"name", "x", "y", NULL};
    PyObject *list = plot_items(memory, object, "series", count);
    crd_plot_series *series = list == NULL ? NULL : plot_room(memory, *count, sizeof *series);
    for (size_t i = 0; series != NULL && i < *count; i++) {
        size_t x_count = 0, y_count = 0;
        PyObject *item = fields_of(memory, PyList_GetItem(list, (Py_ssize_t)i), "series", "(name, x, y)", names);
        if (item == NULL) return NULL;
        if (plot_name(memory, PyList_GetItem(item, 0), &series[i].name) < 0) return NULL;
        series[i].x = plot_doubles(memory, PyList_GetItem(item, 1), "series", &x_count);
        series[i].y = series[i].x == NULL ? NULL : plot_doubles(memory, PyList_GetItem(item, 2), "series", &y_count);
        if (series[i].y == NULL) return NULL;
        if (x_count != y_count) {
            PyErr_Format(PyExc_ValueError, "series: %zu values of x and %zu of y", x_count, y_count);
            return NULL;
        }
        series[i].count = x_count;
    }
    return series;
}

static PyObject *plot_evidence(PyObject *module, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"bars", "prior", "total", "unit", "positive", "negative", "most", OPTION_NAMES};
    plot_options given = {NULL, NULL, 0};
    PyObject *bars, *prior = Py_None, *total = Py_None, *unit = NULL, *positive = NULL, *negative = NULL;
    Py_ssize_t most = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OO$OOOn" OPTION_FORMAT, names, &bars, &prior, &total,
                                     &unit, &positive, &negative, &most, OPTION_TARGETS))
        return NULL;
    plot_memory memory;
    crd_plot_options options;
    crd_plot_evidence picture = CRD_PLOT_EVIDENCE_INIT;
    char *svg = NULL;
    if (plot_begin(&memory, module, &given, &options) < 0 ||
        (picture.bars = bars_of(&memory, bars, &picture.count)) == NULL ||
        plot_double(prior, "prior", &picture.prior) < 0 || plot_double(total, "total", &picture.total) < 0 ||
        plot_name(&memory, unit, &picture.unit) < 0 || plot_name(&memory, positive, &picture.positive) < 0 ||
        plot_name(&memory, negative, &picture.negative) < 0)
        return plot_end(&memory, NULL);
    picture.most = most > 0 ? (size_t)most : 0;
    DRAW(&memory, &svg, crd_plot_draw_evidence, &picture, &options);
    return plot_end(&memory, svg);
}

static PyObject *plot_bars(PyObject *module, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"bars", "probabilities", "unit", "most", OPTION_NAMES};
    plot_options given = {NULL, NULL, 0};
    PyObject *bars, *unit = NULL;
    Py_ssize_t most = 0;
    plot_memory memory;
    crd_plot_options options;
    crd_plot_bars picture = CRD_PLOT_BARS_INIT;
    char *svg = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|$pOn" OPTION_FORMAT, names, &bars,
                                     &picture.are_probabilities, &unit, &most, OPTION_TARGETS))
        return NULL;
    if (plot_begin(&memory, module, &given, &options) < 0 ||
        (picture.bars = bars_of(&memory, bars, &picture.count)) == NULL || plot_name(&memory, unit, &picture.unit) < 0)
        return plot_end(&memory, NULL);
    picture.most = most > 0 ? (size_t)most : 0;
    DRAW(&memory, &svg, crd_plot_draw_bars, &picture, &options);
    return plot_end(&memory, svg);
}

static crd_plot_group *groups_of(plot_memory *memory, PyObject *object, size_t *count) {
    PyObject *list = plot_items(memory, object, "groups", count);
    crd_plot_group *groups = list == NULL ? NULL : plot_room(memory, *count, sizeof *groups);
    for (size_t i = 0; groups != NULL && i < *count; i++) {
        size_t parts;
        PyObject *group = plot_items(memory, PyList_GetItem(list, (Py_ssize_t)i), "groups", &parts);
        if (group == NULL) return NULL;
        if (parts != 2) {
            PyErr_SetString(PyExc_ValueError, "groups: expected (name, bars)");
            return NULL;
        }
        if (plot_name(memory, PyList_GetItem(group, 0), &groups[i].name) < 0 ||
            (groups[i].bars = bars_of(memory, PyList_GetItem(group, 1), &groups[i].count)) == NULL)
            return NULL;
    }
    return groups;
}

static PyObject *plot_groups(PyObject *module, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"groups", "unit", "most", OPTION_NAMES};
    plot_options given = {NULL, NULL, 0};
    PyObject *groups, *unit = NULL;
    Py_ssize_t most = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|$On" OPTION_FORMAT, names, &groups, &unit, &most,
                                     OPTION_TARGETS))
        return NULL;
    plot_memory memory;
    crd_plot_options options;
    crd_plot_groups picture = CRD_PLOT_GROUPS_INIT;
    char *svg = NULL;
    if (plot_begin(&memory, module, &given, &options) < 0 ||
        (picture.groups = groups_of(&memory, groups, &picture.count)) == NULL ||
        plot_name(&memory, unit, &picture.unit) < 0)
        return plot_end(&memory, NULL);
    picture.most = most > 0 ? (size_t)most : 0;
    DRAW(&memory, &svg, crd_plot_draw_groups, &picture, &options);
    return plot_end(&memory, svg);
}

/* Reads a pair of numbers. Each can be None. */
static int range_of(plot_memory *memory, PyObject *object, const char *argument, double *least, double *greatest) {
    if (object == NULL || object == Py_None) return 0;
    size_t count;
    const double *ends = plot_doubles(memory, object, argument, &count);
    if (ends == NULL) return -1;
    if (count != 2) {
        PyErr_Format(PyExc_ValueError, "%s: expected (least, greatest)", argument);
        return -1;
    }
    *least = ends[0];
    *greatest = ends[1];
    return 0;
}

/* Reads the reference line: None, "diagonal", or the level of a horizontal line. */
static int reference_of(PyObject *object, crd_plot_curves *picture) {
    if (object == NULL || object == Py_None) return 0;
    if (PyUnicode_Check(object)) {
        picture->reference = CRD_PLOT_DIAGONAL;
        if (PyUnicode_CompareWithASCIIString(object, "diagonal") == 0) return 0;
        PyErr_Format(PyExc_ValueError, "reference: expected 'diagonal', a number or None, got %R", object);
        return -1;
    }
    picture->reference = CRD_PLOT_HORIZONTAL;
    return plot_double(object, "reference", &picture->level);
}

static PyObject *plot_curves(PyObject *module, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"series", "x_name", "y_name", "x_range", "y_range", "reference", "steps", OPTION_NAMES};
    plot_options given = {NULL, NULL, 0};
    PyObject *series, *x_name = NULL, *y_name = NULL, *x_range = NULL, *y_range = NULL, *reference = NULL;
    plot_memory memory;
    crd_plot_options options;
    crd_plot_curves picture = CRD_PLOT_CURVES_INIT;
    char *svg = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OO$OOOp" OPTION_FORMAT, names, &series, &x_name, &y_name,
                                     &x_range, &y_range, &reference, &picture.are_steps, OPTION_TARGETS))
        return NULL;
    if (plot_begin(&memory, module, &given, &options) < 0 ||
        (picture.series = series_of(&memory, series, &picture.count)) == NULL ||
        plot_name(&memory, x_name, &picture.x_name) < 0 || plot_name(&memory, y_name, &picture.y_name) < 0 ||
        range_of(&memory, x_range, "x_range", &picture.x_least, &picture.x_greatest) < 0 ||
        range_of(&memory, y_range, "y_range", &picture.y_least, &picture.y_greatest) < 0 ||
        reference_of(reference, &picture) < 0)
        return plot_end(&memory, NULL);
    DRAW(&memory, &svg, crd_plot_draw_curves, &picture, &options);
    return plot_end(&memory, svg);
}

/* Reads regions: tuples (from, to, index of the series). */
static crd_plot_region *plot_regions(plot_memory *memory, PyObject *object, size_t *count) {
    const double *values = plot_matrix(memory, object, "regions", 3, count);
    crd_plot_region *regions = values == NULL ? NULL : plot_room(memory, *count, sizeof *regions);
    for (size_t i = 0; regions != NULL && i < *count; i++, values += 3)
        regions[i] =
            (crd_plot_region){values[0], values[1], values[2] >= 0 && values[2] < 1e9 ? (size_t)values[2] : CRD_NONE};
    return regions;
}

static PyObject *plot_densities(PyObject *module, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"series", "x_name", "cut_points", "regions", "discrete", OPTION_NAMES};
    plot_options given = {NULL, NULL, 0};
    PyObject *series, *x_name = NULL, *cut_points = NULL, *regions = NULL;
    plot_memory memory;
    crd_plot_options options;
    crd_plot_densities picture = CRD_PLOT_DENSITIES_INIT;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OO$Op" OPTION_FORMAT, names, &series, &x_name, &cut_points,
                                     &regions, &picture.is_discrete, OPTION_TARGETS))
        return NULL;
    char *svg = NULL;
    bool has_cuts = cut_points != NULL && cut_points != Py_None;
    if (plot_begin(&memory, module, &given, &options) < 0 ||
        (picture.series = series_of(&memory, series, &picture.count)) == NULL ||
        plot_name(&memory, x_name, &picture.x_name) < 0 ||
        (has_cuts &&
         (picture.cut_points = plot_doubles(&memory, cut_points, "cut_points", &picture.cut_point_count)) == NULL) ||
        (regions != NULL && regions != Py_None &&
         (picture.regions = plot_regions(&memory, regions, &picture.region_count)) == NULL))
        return plot_end(&memory, NULL);
    DRAW(&memory, &svg, crd_plot_draw_densities, &picture, &options);
    return plot_end(&memory, svg);
}

static PyObject *plot_calibration(PyObject *module, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"bins", "of", OPTION_NAMES};
    plot_options given = {NULL, NULL, 0};
    PyObject *bins, *class_name = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|O$" OPTION_FORMAT, names, &bins, &class_name,
                                     OPTION_TARGETS))
        return NULL;
    plot_memory memory;
    crd_plot_options options;
    crd_plot_calibration picture = CRD_PLOT_CALIBRATION_INIT;
    char *svg = NULL;
    const double *values = NULL;
    if (plot_begin(&memory, module, &given, &options) < 0 ||
        (values = plot_matrix(&memory, bins, "bins", 5, &picture.count)) == NULL ||
        plot_name(&memory, class_name, &picture.of) < 0)
        return plot_end(&memory, NULL);
    crd_plot_bin *items = plot_room(&memory, picture.count, sizeof *items);
    if (items == NULL) return plot_end(&memory, NULL);
    for (size_t i = 0; i < picture.count; i++, values += 5)
        items[i] = (crd_plot_bin){values[0], values[1], values[2], values[3], values[4]};
    picture.bins = items;
    DRAW(&memory, &svg, crd_plot_draw_calibration, &picture, &options);
    return plot_end(&memory, svg);
}

static PyObject *plot_confusion(PyObject *module, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"classes", "counts", OPTION_NAMES};
    plot_options given = {NULL, NULL, 0};
    PyObject *classes, *counts;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|$" OPTION_FORMAT, names, &classes, &counts,
                                     OPTION_TARGETS))
        return NULL;
    plot_memory memory;
    crd_plot_options options;
    crd_plot_confusion picture = CRD_PLOT_CONFUSION_INIT;
    char *svg = NULL;
    size_t rows = 0;
    if (plot_begin(&memory, module, &given, &options) < 0 ||
        (picture.classes = plot_names(&memory, classes, "classes", &picture.count)) == NULL ||
        (picture.counts = plot_matrix(&memory, counts, "counts", picture.count, &rows)) == NULL)
        return plot_end(&memory, NULL);
    if (rows != picture.count) {
        PyErr_Format(PyExc_ValueError, "counts: %zu rows for %zu classes", rows, picture.count);
        return plot_end(&memory, NULL);
    }
    DRAW(&memory, &svg, crd_plot_draw_confusion, &picture, &options);
    return plot_end(&memory, svg);
}

static PyObject *plot_heat_map(PyObject *module, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"names", "values", "unit", "most", OPTION_NAMES};
    plot_options given = {NULL, NULL, 0};
    PyObject *items, *values, *unit = NULL;
    Py_ssize_t most = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|$On" OPTION_FORMAT, names, &items, &values, &unit, &most,
                                     OPTION_TARGETS))
        return NULL;
    plot_memory memory;
    crd_plot_options options;
    crd_plot_heat_map picture = CRD_PLOT_HEAT_MAP_INIT;
    char *svg = NULL;
    size_t rows = 0;
    if (plot_begin(&memory, module, &given, &options) < 0 ||
        (picture.names = plot_names(&memory, items, "names", &picture.count)) == NULL ||
        (picture.values = plot_matrix(&memory, values, "values", picture.count, &rows)) == NULL ||
        plot_name(&memory, unit, &picture.unit) < 0)
        return plot_end(&memory, NULL);
    if (rows != picture.count) {
        PyErr_Format(PyExc_ValueError, "values: %zu rows for %zu names", rows, picture.count);
        return plot_end(&memory, NULL);
    }
    picture.most = most > 0 ? (size_t)most : 0;
    DRAW(&memory, &svg, crd_plot_draw_heat_map, &picture, &options);
    return plot_end(&memory, svg);
}

static PyObject *plot_table(PyObject *module, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"states", "probabilities", "rows", "row_name", "most", OPTION_NAMES};
    plot_options given = {NULL, NULL, 0};
    PyObject *states, *probabilities, *rows = NULL, *row_name = NULL;
    Py_ssize_t most = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|OO$n" OPTION_FORMAT, names, &states, &probabilities,
                                     &rows, &row_name, &most, OPTION_TARGETS))
        return NULL;
    plot_memory memory;
    crd_plot_options options;
    crd_plot_table picture = CRD_PLOT_TABLE_INIT;
    char *svg = NULL;
    size_t named = 0;
    bool has_rows = rows != NULL && rows != Py_None;
    if (plot_begin(&memory, module, &given, &options) < 0 ||
        (picture.states = plot_names(&memory, states, "states", &picture.state_count)) == NULL ||
        (picture.probabilities =
             plot_matrix(&memory, probabilities, "probabilities", picture.state_count, &picture.row_count)) == NULL ||
        (has_rows && (picture.rows = plot_names(&memory, rows, "rows", &named)) == NULL) ||
        plot_name(&memory, row_name, &picture.row_name) < 0)
        return plot_end(&memory, NULL);
    if (has_rows && named != picture.row_count) {
        PyErr_Format(PyExc_ValueError, "rows: %zu names for %zu rows", named, picture.row_count);
        return plot_end(&memory, NULL);
    }
    picture.most = most > 0 ? (size_t)most : 0;
    DRAW(&memory, &svg, crd_plot_draw_table, &picture, &options);
    return plot_end(&memory, svg);
}

#define PLOT(name, text)                                                                                               \
    { #name, (PyCFunction)(void (*)(void))name, METH_VARARGS | METH_KEYWORDS, text }
#define OPTIONS_TEXT ", title=None, description=None, width=0) -> str\n\n"

PyMethodDef plot_functions[] = {
    PLOT(plot_evidence,
         "plot_evidence(bars, prior=None, total=None, *, unit=None, positive=None, negative=None, most=0" OPTIONS_TEXT
         "Weights of evidence: bars are (name, value) or (name, note, value)."),
    PLOT(plot_bars, "plot_bars(bars, *, probabilities=False, unit=None, most=0" OPTIONS_TEXT
                    "Bars: (name, value) or (name, note, value)."),
    PLOT(plot_groups, "plot_groups(groups, *, unit=None, most=0" OPTIONS_TEXT "Groups of bars: (name, bars)."),
    PLOT(plot_curves,
         "plot_curves(series, x_name=None, y_name=None, *, x_range=None, y_range=None, reference=None, "
         "steps=False" OPTIONS_TEXT "Curves: (name, x, y). reference: 'diagonal', or the level of a horizontal line."),
    PLOT(plot_densities,
         "plot_densities(series, x_name=None, cut_points=None, *, regions=None, discrete=False" OPTIONS_TEXT
         "Densities under each class: (name, x, y). Regions: (from, to, index of the predicted series)."),
    PLOT(plot_calibration,
         "plot_calibration(bins, of=None, *" OPTIONS_TEXT "Bins: (predicted, observed, low, high, rows)."),
    PLOT(plot_confusion,
         "plot_confusion(classes, counts, *" OPTIONS_TEXT "counts[i][k]: rows of class i predicted as class k."),
    PLOT(plot_heat_map, "plot_heat_map(names, values, *, unit=None, most=0" OPTIONS_TEXT
                        "values[i][k] for items i and k; the values with k < i are drawn; None: unknown."),
    PLOT(plot_table, "plot_table(states, probabilities, rows=None, row_name=None, *, most=0" OPTIONS_TEXT
                     "A conditional probability table: a list of numbers for each row."),
    PLOT(plot_graph, "plot_graph(nodes, arcs, *, max_states=0" OPTIONS_TEXT
                     "Nodes: names, or dicts with name and optional states, beliefs, evidence (a state), has_evidence, "
                     "is_target, kind ('chance', 'decision', 'utility'), note. Arcs: (from, to), (from, to, "
                     "is_undirected) or (from, to, is_undirected, strength), by names or indices of nodes."),
    PLOT(plot_layout, "plot_layout(widths, arcs, gap=28) -> list[tuple[int, int]]\n\nCompute the layer and the middle "
                      "of nodes with these widths. Arcs are pairs of indices."),
    PLOT(plot_path, "plot_path(states, path=None, posteriors=None, times=None, *, time_name=None" OPTIONS_TEXT
                    "States along time: the index of the state of each step, or None; posteriors[step][state]."),
    {NULL, NULL, 0, NULL},
};
