/* SPDX-License-Identifier: MIT */
/* distribution.c - Distribution: a named probability distribution, evaluated on whole arrays. */
#include "module.h"

#include <string.h>

typedef struct distribution_object {
    core_object head;
    crd_distribution *distribution; /* immutable */
} distribution_object;

static void distribution_dealloc(PyObject *object) {
    crd_distribution_destroy(((distribution_object *)object)->distribution);
    free_object(object);
}

/* ---- Creation ---- */

static int fill_parameters(PyObject *parameters, crd_parameter_value *values, Py_buffer *buffers) {
    for (Py_ssize_t i = 0; i < PyList_Size(parameters); i++) {
        PyObject *name, *numbers;
        if (!PyArg_ParseTuple(PyList_GetItem(parameters, i), "OO", &name, &numbers) ||
            text_of(name, "parameter", false, &values[i].name) < 0 ||
            buffer_of(numbers, "parameter", "d", false, false, &buffers[i]) < 0)
            return -1;
        values[i].values = buffers[i].buf;
        values[i].count = (size_t)buffers[i].len / sizeof(double);
    }
    return 0;
}

static PyObject *make_distribution(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *name_argument, *parameters;
    crd_text name;
    if (!PyArg_ParseTuple(arguments, "OO!", &name_argument, &PyList_Type, &parameters) ||
        text_of(name_argument, "name", false, &name) < 0)
        return NULL;
    size_t count = (size_t)PyList_Size(parameters);
    distribution_object *self = NULL;
    crd_parameter_value *values = PyMem_Calloc(count + 1, sizeof *values);
    Py_buffer *buffers = PyMem_Calloc(count + 1, sizeof *buffers);
    if (values == NULL || buffers == NULL) {
        PyErr_NoMemory();
    } else if (fill_parameters(parameters, values, buffers) == 0) {
        crd_error error;
        self = new_object(state, CORE_DISTRIBUTION);
        if (self != NULL &&
            crd_distribution_create(state->context, name, values, count, &self->distribution, &error) != CRD_OK) {
            raise_error(state, &error);
            Py_DECREF((PyObject *)self);
            self = NULL;
        }
    }
    for (size_t i = 0; buffers != NULL && i < count; i++)
        if (buffers[i].obj != NULL) PyBuffer_Release(&buffers[i]);
    PyMem_Free(buffers);
    PyMem_Free(values);
    return (PyObject *)self;
}

/* ---- Arrays ---- */

static double density_at(const crd_distribution *d, double x) {
    return crd_distribution_density(d, &x);
}

static double log_density_at(const crd_distribution *d, double x) {
    return crd_distribution_log_density(d, &x);
}

static const struct {
    const char *name;
    double (*value)(const crd_distribution *, double);
} functions_of_one[] = {
    {"density", density_at},
    {"log_density", log_density_at},
    {"below", crd_distribution_less},
    {"at_most", crd_distribution_below},
    {"above", crd_distribution_above},
    {"at_least", crd_distribution_at_least},
    {"quantile", crd_distribution_quantile},
    {"quantile_above", crd_distribution_quantile_above},
};
enum { FUNCTIONS_OF_ONE = sizeof functions_of_one / sizeof *functions_of_one };

/* Gets the buffers of two arrays of doubles of the same length. */
static int arrays_of(PyObject *first, bool is_first_writable, PyObject *second, Py_buffer *a, Py_buffer *b) {
    if (buffer_of(first, "x", "d", is_first_writable, false, a) < 0) return -1;
    if (buffer_of(second, "out", "d", true, false, b) < 0) {
        PyBuffer_Release(a);
        return -1;
    }
    return 0;
}

static int refuse_lengths(Py_buffer *a, Py_buffer *b) {
    PyBuffer_Release(a);
    PyBuffer_Release(b);
    PyErr_SetString(PyExc_ValueError, "out: must have as many items as there are points");
    return -1;
}

/* Computes the density or log density at multidimensional points. No other function supports several dimensions. */
static void fill_points(const crd_distribution *d, bool is_log, const double *x, size_t points, double *out) {
    size_t dimension = crd_distribution_dimension(d);
    for (size_t i = 0; i < points; i++, x += dimension)
        out[i] = is_log ? crd_distribution_log_density(d, x) : crd_distribution_density(d, x);
}

static PyObject *distribution_apply(PyObject *object, PyObject *arguments) {
    const crd_distribution *d = ((distribution_object *)object)->distribution;
    const char *name;
    PyObject *x_argument, *out_argument;
    Py_buffer x, out;
    if (!PyArg_ParseTuple(arguments, "sOO", &name, &x_argument, &out_argument)) return NULL;
    size_t which = 0, dimension = crd_distribution_dimension(d);
    while (which < FUNCTIONS_OF_ONE && strcmp(functions_of_one[which].name, name) != 0) which++;
    bool is_density = which < 2;
    if (which == FUNCTIONS_OF_ONE || (dimension > 1 && !is_density))
        return PyErr_Format(PyExc_ValueError, "%s: unknown function of this distribution", name);
    if (arrays_of(x_argument, false, out_argument, &x, &out) < 0) return NULL;
    size_t count = (size_t)out.len / sizeof(double);
    const double *points = x.buf;
    double *values = out.buf;
    if ((size_t)x.len != dimension * (size_t)out.len) {
        refuse_lengths(&x, &out);
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS;
    if (dimension > 1) fill_points(d, which == 1, points, count, values);
    else
        for (size_t i = 0; i < count; i++) values[i] = functions_of_one[which].value(d, points[i]);
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&x);
    PyBuffer_Release(&out);
    Py_RETURN_NONE;
}

/* between(ends, out): P(low <= X <= high) for consecutive pairs of ends. interval(p, out): writes pairs of ends into out. */
static PyObject *by_pairs(PyObject *object, PyObject *arguments, bool is_interval) {
    const crd_distribution *d = ((distribution_object *)object)->distribution;
    PyObject *x_argument, *out_argument;
    Py_buffer x, out;
    if (!PyArg_ParseTuple(arguments, "OO", &x_argument, &out_argument) ||
        arrays_of(x_argument, false, out_argument, &x, &out) < 0)
        return NULL;
    const Py_buffer *single = is_interval ? &x : &out, *paired = is_interval ? &out : &x;
    size_t count = (size_t)single->len / sizeof(double);
    if (paired->len != 2 * single->len) {
        refuse_lengths(&x, &out);
        return NULL;
    }
    const double *source = x.buf;
    double *destination = out.buf;
    Py_BEGIN_ALLOW_THREADS;
    for (size_t i = 0; i < count; i++) {
        if (is_interval) crd_distribution_interval(d, source[i], &destination[2 * i], &destination[2 * i + 1]);
        else destination[i] = crd_distribution_between(d, source[2 * i], source[2 * i + 1]);
    }
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&x);
    PyBuffer_Release(&out);
    Py_RETURN_NONE;
}

static PyObject *distribution_between(PyObject *self, PyObject *arguments) {
    return by_pairs(self, arguments, false);
}

static PyObject *distribution_interval(PyObject *self, PyObject *arguments) {
    return by_pairs(self, arguments, true);
}

static PyObject *distribution_sample(PyObject *object, PyObject *arguments) {
    const crd_distribution *d = ((distribution_object *)object)->distribution;
    unsigned long long seed, first;
    PyObject *out_argument;
    Py_buffer out;
    if (!PyArg_ParseTuple(arguments, "KKO", &seed, &first, &out_argument) ||
        buffer_of(out_argument, "out", "d", true, false, &out) < 0)
        return NULL;
    size_t count = (size_t)out.len / sizeof(double) / crd_distribution_dimension(d);
    double *values = out.buf;
    Py_BEGIN_ALLOW_THREADS;
    crd_distribution_sample(d, seed, first, count, values);
    Py_END_ALLOW_THREADS;
    PyBuffer_Release(&out);
    Py_RETURN_NONE;
}

/* ---- Properties ---- */

static PyObject *distribution_facts(PyObject *object, PyObject *unused) {
    (void)unused;
    const crd_distribution *d = ((distribution_object *)object)->distribution;
    size_t n = crd_distribution_dimension(d);
    double *moments = PyMem_Calloc(n + n * n, sizeof *moments), low = 0, high = 0;
    if (moments == NULL) return PyErr_NoMemory();
    crd_distribution_mean(d, moments);
    crd_distribution_variance(d, moments + n);
    crd_distribution_support(d, &low, &high);
    const crd_distribution_kind *kind = crd_distribution_kind_of(d);
    PyObject *record = Py_BuildValue("{s:s,s:O,s:n,s:N,s:N,s:d,s:(dd)}", "name", kind->name, "is_discrete",
                                     kind->is_discrete ? Py_True : Py_False, "dimension", (Py_ssize_t)n, "mean",
                                     floats_of(moments, n), "variance", floats_of(moments + n, n * n), "sd",
                                     crd_distribution_deviation(d), "support", low, high);
    PyMem_Free(moments);
    return record;
}

static PyObject *parameters_of(const crd_distribution_kind *kind) {
    static const char *const forms[] = {"real", "whole", "list", "matrix"};
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < kind->parameter_count; i++) {
        const crd_parameter *one = &kind->parameters[i];
        PyObject *record =
            Py_BuildValue("{s:s,s:N,s:s,s:s,s:d,s:d}", "name", one->name, "default", number_of(one->standard), "help",
                          one->help, "form", forms[one->form], "least", one->least, "most", one->most);
        if (append_item(list, record) < 0) Py_CLEAR(list);
    }
    return list;
}

static PyObject *distribution_kinds(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    PyObject *list = PyList_New(0);
    const crd_distribution_kind *kind;
    for (size_t i = 0; list != NULL && (kind = crd_distribution_kind_at(i)) != NULL; i++) {
        PyObject *record =
            Py_BuildValue("{s:s,s:N,s:s,s:O}", "name", kind->name, "parameters", parameters_of(kind), "summary",
                          kind->summary, "is_discrete", kind->is_discrete ? Py_True : Py_False);
        if (append_item(list, record) < 0) Py_CLEAR(list);
    }
    return list;
}

static PyMethodDef methods[] = {
    {"apply", distribution_apply, METH_VARARGS,
     "apply(function, x, out)\n\nfunction: density, log_density, below, at_most, above, at_least, quantile, "
     "quantile_above."},
    {"between", distribution_between, METH_VARARGS, "between(ends, out)"},
    {"interval", distribution_interval, METH_VARARGS, "interval(p, out)"},
    {"sample", distribution_sample, METH_VARARGS, "sample(seed, first, out)"},
    {"facts", distribution_facts, METH_NOARGS, "facts() -> dict"},
    {NULL, NULL, 0, NULL},
};

PyMethodDef distribution_functions[] = {
    {"make_distribution", make_distribution, METH_VARARGS,
     "make_distribution(name, parameters) -> Distribution\n\nparameters: a list of (name, buffer of doubles)."},
    {"distribution_kinds", distribution_kinds, METH_NOARGS, "distribution_kinds() -> list[dict]"},
    {NULL, NULL, 0, NULL},
};

CORE_TYPE(distribution, CORE_DISTRIBUTION, "Distribution", distribution_object, distribution_dealloc, methods,
          "A named distribution; immutable. Created by make_distribution().");
