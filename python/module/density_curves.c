/* SPDX-License-Identifier: MIT */
/* density_curves.c - densities of number attributes under each class, as curves to be drawn. */
#include "module.h"

#include <math.h>

/* What the densities of an attribute reach over: but for 0.13 % on either side, of a normal one 3 standard deviations. */
static bool range_of(const crd_classifier *classifier, size_t attribute, double *from, double *to) {
    static const double LEFT_OUT = 0.0013498980316300933;
    *from = INFINITY;
    *to = -INFINITY;
    for (size_t c = 0; c < crd_classifier_class_count(classifier); c++) {
        double low = 0, high = 0;
        if (crd_classifier_quantile(classifier, attribute, c, LEFT_OUT, &low, NULL) != CRD_OK ||
            crd_classifier_quantile(classifier, attribute, c, 1 - LEFT_OUT, &high, NULL) != CRD_OK ||
            !isfinite(high - low))
            continue;
        *from = fmin(*from, low);
        *to = fmax(*to, high);
    }
    return *to > *from;
}

/* The density at x; 0 where there is none. */
static double density_at(const crd_classifier *classifier, size_t attribute, size_t class_index, double x) {
    crd_value value = {CRD_KIND_NUMBER, x, {NULL, 0}};
    crd_term term = CRD_TERM_INIT;
    crd_status status = crd_classifier_term(classifier, attribute, class_index, &value, &term, NULL);
    return status == CRD_OK && term.form == CRD_TERM_DENSITY ? crd_exp(term.log_value) : 0;
}

static PyObject *curve_of(const crd_classifier *classifier, size_t attribute, size_t class_index, PyObject *xs) {
    PyObject *curve = PyList_New(PyList_Size(xs));
    for (Py_ssize_t i = 0; curve != NULL && i < PyList_Size(xs); i++) {
        double x = PyFloat_AsDouble(PyList_GetItem(xs, i));
        PyObject *y = PyFloat_FromDouble(density_at(classifier, attribute, class_index, x));
        if (y == NULL || PyList_SetItem(curve, i, y) < 0) Py_CLEAR(curve);
    }
    return curve;
}

/* Points of the axis: whole numbers where the family is one of whole numbers. */
static PyObject *points_of(const crd_classifier *classifier, size_t attribute, Py_ssize_t count) {
    crd_family family = CRD_FAMILY_INIT;
    double from, to;
    bool is_discrete = crd_classifier_family(classifier, attribute, &family) && family.is_discrete;
    if (!range_of(classifier, attribute, &from, &to)) return PyList_New(0);
    if (is_discrete) {
        from = floor(from);
        to = ceil(to);
        if (to - from < (double)count) count = (Py_ssize_t)(to - from) + 1;
    }
    PyObject *xs = PyList_New(count);
    for (Py_ssize_t i = 0; xs != NULL && i < count; i++) {
        double x = count < 2 ? from : from + (to - from) * (double)i / (double)(count - 1);
        PyObject *point = PyFloat_FromDouble(is_discrete ? round(x) : x);
        if (point == NULL || PyList_SetItem(xs, i, point) < 0) Py_CLEAR(xs);
    }
    return xs;
}

/* density_curves(classifier, attribute, points): {"x": [...], "densities": {class: [...]}}, or None. */
static PyObject *density_curves(PyObject *module, PyObject *arguments) {
    PyObject *argument, *name;
    Py_ssize_t count;
    if (!PyArg_ParseTuple(arguments, "OOn", &argument, &name, &count) ||
        !check_type(state_of_module(module), argument, CORE_CLASSIFIER, "classifier"))
        return NULL;
    classifier_object *self = (classifier_object *)argument;
    Py_ssize_t attribute = PySequence_Index(self->attribute_names, name);
    if (attribute < 0) return NULL;
    PyObject *xs = points_of(self->classifier, (size_t)attribute, count < 2 ? 2 : count), *curves = PyDict_New();
    if (xs != NULL && curves != NULL && PyList_Size(xs) == 0) {
        Py_DECREF(xs);
        Py_DECREF(curves);
        Py_RETURN_NONE;
    }
    for (Py_ssize_t c = 0; xs != NULL && curves != NULL && c < PyTuple_Size(self->class_names); c++) {
        PyObject *curve = curve_of(self->classifier, (size_t)attribute, (size_t)c, xs);
        if (curve == NULL || PyDict_SetItem(curves, PyTuple_GetItem(self->class_names, c), curve) < 0) Py_CLEAR(curves);
        Py_XDECREF(curve);
    }
    return Py_BuildValue("{s:N,s:N}", "x", xs, "densities", curves);
}

static PyMethodDef functions[] = {
    {"density_curves", density_curves, METH_VARARGS, "density_curves(classifier, attribute, points) -> dict | None"},
    {NULL, NULL, 0, NULL},
};

int add_density_curves(PyObject *module, module_state *state) {
    (void)state;
    return PyModule_AddFunctions(module, functions);
}
