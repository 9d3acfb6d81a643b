/* SPDX-License-Identifier: MIT */
/* normal_mixture.c - NormalMixture: the posterior of a continuous node. */
#include "network_object.h"

#include <math.h>

typedef struct mixture_object {
    core_object head;
    crd_normal_mixture *mixture; /* immutable */
} mixture_object;

static void mixture_dealloc(PyObject *object) {
    crd_normal_mixture_destroy(((mixture_object *)object)->mixture);
    free_object(object);
}

PyObject *mixture_wrap(module_state *state, crd_normal_mixture *mixture) {
    mixture_object *self = new_object(state, CORE_NORMAL_MIXTURE);
    if (self == NULL) crd_normal_mixture_destroy(mixture);
    else self->mixture = mixture;
    return (PyObject *)self;
}

static PyObject *mixture_moments(PyObject *object, PyObject *unused) {
    (void)unused;
    const crd_normal_mixture *mixture = ((mixture_object *)object)->mixture;
    double variance = mixture->variance;
    return Py_BuildValue("ddd", mixture->mean, variance, sqrt(variance));
}

static PyObject *mixture_components(PyObject *object, PyObject *unused) {
    (void)unused;
    const crd_normal_mixture *mixture = ((mixture_object *)object)->mixture;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < mixture->count; i++) {
        const crd_normal_component *component = &mixture->components[i];
        PyObject *item = Py_BuildValue("ddd", component->weight, component->mean, component->variance);
        if (append_item(list, item) < 0) Py_CLEAR(list);
    }
    return list;
}

/* Fills `out` with a function of each number of `at`. */
static PyObject *map_numbers(PyObject *object, PyObject *arguments,
                             double (*function)(const crd_normal_mixture *, double)) {
    mixture_object *self = (mixture_object *)object;
    PyObject *at_argument, *out_argument, *result = NULL;
    Py_buffer points, out;
    if (!PyArg_ParseTuple(arguments, "OO", &at_argument, &out_argument) ||
        buffer_of(at_argument, "at", "d", false, false, &points) < 0)
        return NULL;
    if (buffer_of(out_argument, "out", "d", true, false, &out) < 0) {
        PyBuffer_Release(&points);
        return NULL;
    }
    if (points.len != out.len) {
        PyErr_SetString(PyExc_ValueError, "out: has the wrong length");
    } else {
        const double *source = points.buf;
        double *destination = out.buf;
        core_call call;
        call_begin(&call, state_of(self));
        for (size_t i = 0; i < (size_t)points.len / sizeof(double); i++)
            destination[i] = function(self->mixture, source[i]);
        if (call_end(&call, CRD_OK) == 0) result = Py_NewRef(Py_None);
    }
    PyBuffer_Release(&points);
    PyBuffer_Release(&out);
    return result;
}

static PyObject *mixture_density(PyObject *self, PyObject *arguments) {
    return map_numbers(self, arguments, crd_normal_mixture_density);
}

static PyObject *mixture_cdf(PyObject *self, PyObject *arguments) {
    return map_numbers(self, arguments, crd_normal_mixture_cdf);
}

static PyObject *mixture_above(PyObject *self, PyObject *arguments) {
    return map_numbers(self, arguments, crd_normal_mixture_above);
}

static PyObject *mixture_quantile(PyObject *self, PyObject *arguments) {
    return map_numbers(self, arguments, crd_normal_mixture_quantile);
}

static PyMethodDef methods[] = {
    {"moments", mixture_moments, METH_NOARGS,
     "moments() -> tuple[float, float, float]\n\nMean, variance, standard deviation."},
    {"components", mixture_components, METH_NOARGS,
     "components() -> list[tuple[float, float, float]]\n\nWeight, mean, variance of each."},
    {"density", mixture_density, METH_VARARGS, "density(at, out)"},
    {"cdf", mixture_cdf, METH_VARARGS, "cdf(at, out)"},
    {"above", mixture_above, METH_VARARGS, "above(at, out)"},
    {"quantile", mixture_quantile, METH_VARARGS, "quantile(at, out)"},
    {NULL, NULL, 0, NULL},
};

CORE_TYPE(normal_mixture, CORE_NORMAL_MIXTURE, "NormalMixture", mixture_object, mixture_dealloc, methods,
          "A mixture of normal distributions; immutable. Created by network_mixtures().");
