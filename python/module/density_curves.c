/* SPDX-License-Identifier: MIT */
/* density_curves.c - plot data of a classifier: class-conditional densities of numeric attributes, decision regions of one attribute, nomograms. */
#include "plot_series.h"

#include <math.h>

static PyObject *densities_of(const classifier_object *self, const crd_density_curves *curves) {
    PyObject *densities = PyDict_New();
    for (Py_ssize_t c = 0; densities != NULL && c < PyTuple_Size(self->class_names); c++) {
        PyObject *curve = floats_of(curves->densities + (size_t)c * curves->count, curves->count);
        if (curve == NULL || PyDict_SetItem(densities, PyTuple_GetItem(self->class_names, c), curve) < 0)
            Py_CLEAR(densities);
        Py_XDECREF(curve);
    }
    return densities;
}

/* Returns a list of tuples (from, to, class), one for each decision region. */
static PyObject *regions_of(const classifier_object *self, const crd_density_curves *curves) {
    const crd_decision_region *regions = curves->regions;
    PyObject *list = PyList_New((Py_ssize_t)curves->region_count);
    for (size_t i = 0; list != NULL && i < curves->region_count; i++) {
        PyObject *name = PyTuple_GetItem(self->class_names, (Py_ssize_t)regions[i].class_index);
        PyObject *region = name == NULL ? NULL : Py_BuildValue("(ddO)", regions[i].from, regions[i].to, name);
        if (region == NULL || PyList_SetItem(list, (Py_ssize_t)i, region) < 0) Py_CLEAR(list);
    }
    return list;
}

/* density_curves(classifier, attribute, points): None if there is nothing to draw. */
static PyObject *density_curves(PyObject *module, PyObject *arguments) {
    PyObject *argument, *name;
    Py_ssize_t points;
    module_state *state = state_of_module(module);
    if (!PyArg_ParseTuple(arguments, "OOn", &argument, &name, &points) ||
        !check_type(state, argument, CORE_CLASSIFIER, "classifier"))
        return NULL;
    classifier_object *self = (classifier_object *)argument;
    Py_ssize_t attribute = PySequence_Index(self->attribute_names, name);
    if (attribute < 0) return NULL;
    crd_density_curves *curves = NULL;
    crd_error error;
    crd_status status = crd_density_curves_create(self->classifier, (size_t)attribute, points < 2 ? 2 : (size_t)points,
                                                  &curves, &error);
    if (status == CRD_ERROR_EMPTY || status == CRD_ERROR_COLUMN) Py_RETURN_NONE;
    if (status != CRD_OK) {
        raise_error(state, &error);
        return NULL;
    }
    PyObject *xs = floats_of(curves->x, curves->count), *densities = densities_of(self, curves),
             *regions = regions_of(self, curves), *result = NULL;
    if (xs != NULL && densities != NULL && regions != NULL)
        result = Py_BuildValue("{s:O,s:O,s:O,s:O}", "x", xs, "densities", densities, "regions", regions, "discrete",
                               curves->is_discrete ? Py_True : Py_False);
    Py_XDECREF(xs);
    Py_XDECREF(densities);
    Py_XDECREF(regions);
    crd_density_curves_destroy(curves);
    return result;
}

/* ---- Nomograms ---- */

static crd_status draw_nomogram(crd_context *context, const classifier_object *self, const crd_nomogram *nomogram,
                                crd_plot_scale *scales, const crd_plot_options *options, crd_text event, char **svg,
                                crd_error *error) {
    static const double probabilities[] = {0.001, 0.01, 0.05, 0.1, 0.2,  0.3,  0.4,  0.5,
                                           0.6,   0.7,  0.8,  0.9, 0.95, 0.99, 0.999};
    enum { COUNT = sizeof probabilities / sizeof *probabilities };
    double totals[COUNT];
    for (size_t i = 0; i < COUNT; i++) totals[i] = crd_nomogram_points(nomogram, probabilities[i]);
    crd_plot_nomogram picture = CRD_PLOT_NOMOGRAM_INIT;
    picture.count = nomogram->count;
    for (size_t i = 0; i < picture.count; i++) {
        const crd_nomogram_scale *scale = &nomogram->scales[i];
        scales[i] = (crd_plot_scale){crd_classifier_attribute(self->classifier, scale->attribute),
                                     scale->names,
                                     scale->x,
                                     scale->points,
                                     scale->count,
                                     NAN};
    }
    picture.scales = scales;
    picture.totals = totals;
    picture.probabilities = probabilities;
    picture.probability_count = COUNT;
    picture.greatest_total = nomogram->most;
    picture.of = event;
    return crd_plot_draw_nomogram(context, &picture, options, svg, error);
}

/* plot_nomogram(classifier, a, b): None if the log odds are not a sum over attributes. */
static PyObject *plot_nomogram(PyObject *module, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"classifier", "a", "b", OPTION_NAMES};
    plot_options given = {NULL, NULL, 0};
    PyObject *argument, *a, *b;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOO|$" OPTION_FORMAT, names, &argument, &a, &b,
                                     OPTION_TARGETS) ||
        !check_type(state_of_module(module), argument, CORE_CLASSIFIER, "classifier"))
        return NULL;
    enum { POINTS = 121 };
    classifier_object *self = (classifier_object *)argument;
    Py_ssize_t first = PySequence_Index(self->class_names, a), second = PySequence_Index(self->class_names, b);
    plot_memory memory;
    crd_plot_options options;
    crd_text event = {NULL, 0};
    char *svg = NULL;
    if (first < 0 || second < 0) return NULL;
    if (plot_begin(&memory, module, &given, &options) < 0 || plot_name(&memory, a, &event) < 0)
        return plot_end(&memory, NULL);
    crd_nomogram *nomogram = NULL;
    crd_error error;
    crd_status status = crd_nomogram_create(self->classifier, (size_t)first, (size_t)second, POINTS, &nomogram, &error);
    crd_plot_scale *scales = status == CRD_OK ? plot_room(&memory, nomogram->count, sizeof *scales) : NULL;
    if (scales != NULL)
        status = draw_nomogram(memory.state->context, self, nomogram, scales, &options, event, &svg, &error);
    crd_nomogram_destroy(nomogram);
    if (status == CRD_ERROR_COLUMN) {
        Py_DECREF(memory.kept);
        Py_RETURN_NONE;
    }
    if (status != CRD_OK) raise_error(memory.state, &error);
    return plot_end(&memory, svg);
}

PyMethodDef density_curves_functions[] = {
    {"density_curves", density_curves, METH_VARARGS, "density_curves(classifier, attribute, points) -> dict | None"},
    {"plot_nomogram", (PyCFunction)(void (*)(void))plot_nomogram, METH_VARARGS | METH_KEYWORDS,
     "plot_nomogram(classifier, a, b, *, title=None, description=None, width=0) -> str | None\n\n"
     "Plot class a against class b. None if the log odds are not a sum over attributes."},
    {NULL, NULL, 0, NULL},
};
