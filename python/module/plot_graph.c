/* SPDX-License-Identifier: MIT */
/* plot_graph.c - plots of graphs and of states over time, from Python lists and dicts. */
#include "plot_series.h"

#include <math.h>

/* ---- Nodes ---- */

/* Returns a borrowed value of a dict; NULL if the key is missing or the value is None. */
static PyObject *value_of(PyObject *dict, const char *key) {
    PyObject *value = PyDict_GetItemString(dict, key);
    return value == Py_None ? NULL : value;
}

/* Returns whether a value is true; -1 with an exception. */
static int truth_of(PyObject *value) {
    return value == NULL ? 0 : PyObject_IsTrue(value);
}

static int kind_of(PyObject *value, crd_plot_node_kind *kind) {
    static const char *const kinds[] = {"chance", "decision", "utility"};
    *kind = CRD_PLOT_CHANCE;
    if (value == NULL) return 0;
    for (int i = 0; PyUnicode_Check(value) && i < 3; i++)
        if (PyUnicode_CompareWithASCIIString(value, kinds[i]) == 0) {
            *kind = (crd_plot_node_kind)i;
            return 0;
        }
    PyErr_Format(PyExc_ValueError, "nodes: expected kind 'chance', 'decision' or 'utility', got %R", value);
    return -1;
}

/* Finds the index of a state, given its name or index. */
static int state_of_node(PyObject *value, PyObject *states, size_t count, size_t *out) {
    *out = CRD_NONE;
    if (value == NULL) return 0;
    if (PyLong_Check(value)) {
        *out = PyLong_AsSize_t(value);
        if (*out == (size_t)-1 && PyErr_Occurred()) return -1;
    } else {
        Py_ssize_t position = PySequence_Index(states, value);
        if (position < 0) return -1;
        *out = (size_t)position;
    }
    if (*out < count) return 0;
    PyErr_Format(PyExc_ValueError, "nodes: evidence %R is not a state", value);
    return -1;
}

static int beliefs_of(plot_memory *memory, PyObject *dict, crd_plot_node *node) {
    size_t count = 0;
    PyObject *states = value_of(dict, "states"), *beliefs = value_of(dict, "beliefs");
    if (states == NULL) return 0;
    PyObject *list = plot_items(memory, states, "states", &count);
    if (list == NULL || (node->states = plot_names(memory, list, "states", &node->state_count)) == NULL) return -1;
    if (state_of_node(value_of(dict, "evidence"), list, node->state_count, &node->evidence) < 0) return -1;
    if (beliefs == NULL) return 0;
    node->beliefs = plot_doubles(memory, beliefs, "beliefs", &count);
    if (node->beliefs == NULL) return -1;
    if (count == node->state_count) return 0;
    PyErr_Format(PyExc_ValueError, "nodes: %zu beliefs for %zu states", count, node->state_count);
    return -1;
}

static int node_of(plot_memory *memory, PyObject *object, crd_plot_node *node) {
    *node = (crd_plot_node)CRD_PLOT_NODE_INIT;
    if (!PyDict_Check(object)) return plot_name(memory, object, &node->name);
    int has_evidence = truth_of(value_of(object, "has_evidence")), is_target = truth_of(value_of(object, "is_target"));
    if (has_evidence < 0 || is_target < 0) return -1;
    node->has_evidence = has_evidence;
    node->is_target = is_target;
    if (plot_name(memory, value_of(object, "name"), &node->name) < 0 ||
        plot_name(memory, value_of(object, "note"), &node->note) < 0)
        return -1;
    return kind_of(value_of(object, "kind"), &node->kind) < 0 ? -1 : beliefs_of(memory, object, node);
}

/* Reads nodes. Stores their indices by name in the dict *numbers, which `memory` keeps. */
static crd_plot_node *nodes_of(plot_memory *memory, PyObject *object, size_t *count, PyObject **numbers) {
    PyObject *list = plot_items(memory, object, "nodes", count);
    crd_plot_node *nodes = list == NULL ? NULL : plot_room(memory, *count, sizeof *nodes);
    *numbers = plot_keep(memory, PyDict_New());
    if (nodes == NULL || *numbers == NULL) return NULL;
    for (size_t i = 0; i < *count; i++) {
        PyObject *item = PyList_GetItem(list, (Py_ssize_t)i),
                 *name = PyDict_Check(item) ? value_of(item, "name") : item;
        PyObject *number = plot_keep(memory, PyLong_FromSize_t(i));
        if (number == NULL || node_of(memory, item, &nodes[i]) < 0) return NULL;
        if (name != NULL && PyUnicode_Check(name) && PyDict_SetItem(*numbers, name, number) < 0) return NULL;
    }
    return nodes;
}

/* ---- Arcs ---- */

static int end_of_arc(PyObject *object, PyObject *numbers, size_t *out) {
    PyObject *number = PyLong_Check(object) ? object : PyDict_GetItemWithError(numbers, object);
    if (number == NULL) {
        if (!PyErr_Occurred()) PyErr_Format(PyExc_ValueError, "arcs: %R is not a node", object);
        return -1;
    }
    *out = PyLong_AsSize_t(number);
    return *out == (size_t)-1 && PyErr_Occurred() ? -1 : 0;
}

static crd_plot_arc *arcs_of(plot_memory *memory, PyObject *object, PyObject *numbers, size_t *count) {
    PyObject *list = plot_items(memory, object, "arcs", count);
    crd_plot_arc *arcs = list == NULL ? NULL : plot_room(memory, *count, sizeof *arcs);
    for (size_t i = 0; arcs != NULL && i < *count; i++) {
        size_t parts;
        PyObject *arc = plot_items(memory, PyList_GetItem(list, (Py_ssize_t)i), "arcs", &parts);
        if (arc == NULL) return NULL;
        if (parts < 2 || parts > 4) {
            PyErr_SetString(PyExc_ValueError, "arcs: expected (from, to), and then is_undirected and strength");
            return NULL;
        }
        arcs[i].strength = NAN;
        int is_undirected = parts > 2 ? PyObject_IsTrue(PyList_GetItem(arc, 2)) : 0;
        arcs[i].is_undirected = is_undirected;
        if (is_undirected < 0 || end_of_arc(PyList_GetItem(arc, 0), numbers, &arcs[i].from) < 0 ||
            end_of_arc(PyList_GetItem(arc, 1), numbers, &arcs[i].to) < 0 ||
            (parts > 3 && plot_double(PyList_GetItem(arc, 3), "arcs", &arcs[i].strength) < 0))
            return NULL;
    }
    return arcs;
}

PyObject *plot_graph(PyObject *module, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"nodes", "arcs", "max_states", OPTION_NAMES};
    plot_options given = {NULL, NULL, 0};
    PyObject *nodes, *arcs, *numbers;
    Py_ssize_t most = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|$n" OPTION_FORMAT, names, &nodes, &arcs, &most,
                                     OPTION_TARGETS))
        return NULL;
    plot_memory memory;
    crd_plot_options options;
    crd_plot_graph picture = CRD_PLOT_GRAPH_INIT;
    char *svg = NULL;
    if (plot_begin(&memory, module, &given, &options) < 0 ||
        (picture.nodes = nodes_of(&memory, nodes, &picture.node_count, &numbers)) == NULL ||
        (picture.arcs = arcs_of(&memory, arcs, numbers, &picture.arc_count)) == NULL)
        return plot_end(&memory, NULL);
    picture.max_states = most > 0 ? (size_t)most : 0;
    DRAW(&memory, &svg, crd_plot_draw_graph, &picture, &options);
    return plot_end(&memory, svg);
}

/* plot_layout(widths, arcs, gap=28): a list with one tuple (layer, middle) per node. */
PyObject *plot_layout(PyObject *module, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"widths", "arcs", "gap", NULL};
    plot_options given = {NULL, NULL, 0};
    PyObject *widths, *arcs, *numbers, *result = NULL;
    Py_ssize_t gap = 28;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|n", names, &widths, &arcs, &gap)) return NULL;
    plot_memory memory;
    crd_plot_options unused;
    crd_plot_layout_options options = CRD_PLOT_LAYOUT_OPTIONS_INIT;
    crd_plot_layout *layout = NULL;
    size_t count = 0, arc_count = 0;
    const double *sizes = NULL;
    const crd_plot_arc *lines = NULL;
    crd_plot_extent *extents = NULL;
    if (plot_begin(&memory, module, &given, &unused) < 0 || (numbers = plot_keep(&memory, PyDict_New())) == NULL ||
        (sizes = plot_doubles(&memory, widths, "widths", &count)) == NULL ||
        (lines = arcs_of(&memory, arcs, numbers, &arc_count)) == NULL ||
        (extents = plot_room(&memory, count, sizeof *extents)) == NULL)
        return plot_end(&memory, NULL);
    for (size_t i = 0; i < count; i++) {
        size_t half = sizes[i] > 0 && sizes[i] < 1e9 ? (size_t)(sizes[i] / 2) : 0;
        extents[i] = (crd_plot_extent){half, half};
    }
    options.node_gap = gap > 0 ? (size_t)gap : 0;
    core_call call;
    call_begin(&call, memory.state);
    crd_status status =
        crd_plot_layout_create(memory.state->context, extents, count, lines, arc_count, &options, &layout, &call.error);
    if (call_end(&call, status) == 0) {
        const crd_plot_point *point = layout->points;
        result = PyList_New(0);
        for (size_t i = 0; result != NULL && i < count; i++) {
            PyObject *place = Py_BuildValue("(nn)", (Py_ssize_t)point[i].layer, (Py_ssize_t)point[i].at);
            if (append_item(result, place) < 0) Py_CLEAR(result);
        }
    }
    crd_plot_layout_destroy(layout);
    Py_XDECREF(plot_end(&memory, NULL));
    return result;
}

/* ---- States over time ---- */

static int32_t *state_path_of(plot_memory *memory, PyObject *object, size_t *count) {
    PyObject *list = plot_items(memory, object, "path", count);
    int32_t *path = list == NULL ? NULL : plot_room(memory, *count, sizeof *path);
    for (size_t i = 0; path != NULL && i < *count; i++) {
        PyObject *item = PyList_GetItem(list, (Py_ssize_t)i);
        long state = item == Py_None ? -1 : PyLong_AsLong(item);
        if (state == -1 && PyErr_Occurred()) return NULL;
        if (state < -1 || state > INT32_MAX) {
            PyErr_Format(PyExc_ValueError, "path: %R is not a state", item);
            return NULL;
        }
        path[i] = (int32_t)state;
    }
    return path;
}

/* Checks that an optional list has as many items as the other lists have steps. */
static int check_steps(const char *argument, size_t count, crd_plot_path *picture) {
    if (picture->step_count == CRD_NONE) picture->step_count = count;
    if (picture->step_count == count) return 0;
    PyErr_Format(PyExc_ValueError, "%s: %zu steps, expected %zu", argument, count, picture->step_count);
    return -1;
}

static int steps_of(plot_memory *memory, PyObject *path, PyObject *posteriors, PyObject *times,
                    crd_plot_path *picture) {
    size_t count;
    picture->step_count = CRD_NONE;
    if (path != NULL && path != Py_None)
        if ((picture->path = state_path_of(memory, path, &count)) == NULL || check_steps("path", count, picture) < 0)
            return -1;
    if (posteriors != NULL && posteriors != Py_None)
        if ((picture->posteriors = plot_matrix(memory, posteriors, "posteriors", picture->state_count, &count)) ==
                NULL ||
            check_steps("posteriors", count, picture) < 0)
            return -1;
    if (times != NULL && times != Py_None)
        if ((picture->times = plot_doubles(memory, times, "times", &count)) == NULL ||
            check_steps("times", count, picture) < 0)
            return -1;
    if (picture->step_count == CRD_NONE) picture->step_count = 0;
    return 0;
}

PyObject *plot_path(PyObject *module, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"states", "path", "posteriors", "times", "time_name", OPTION_NAMES};
    plot_options given = {NULL, NULL, 0};
    PyObject *states, *path = NULL, *posteriors = NULL, *times = NULL, *time_name = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|OOO$O" OPTION_FORMAT, names, &states, &path, &posteriors,
                                     &times, &time_name, OPTION_TARGETS))
        return NULL;
    plot_memory memory;
    crd_plot_options options;
    crd_plot_path picture = CRD_PLOT_PATH_INIT;
    char *svg = NULL;
    if (plot_begin(&memory, module, &given, &options) < 0 ||
        (picture.states = plot_names(&memory, states, "states", &picture.state_count)) == NULL ||
        steps_of(&memory, path, posteriors, times, &picture) < 0 ||
        plot_name(&memory, time_name, &picture.time_name) < 0)
        return plot_end(&memory, NULL);
    DRAW(&memory, &svg, crd_plot_draw_path, &picture, &options);
    return plot_end(&memory, svg);
}
