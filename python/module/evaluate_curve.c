/* SPDX-License-Identifier: MIT */
/* evaluate_curve.c - Curve: one class against the rest, at every threshold. */
#include "evaluate.h"

typedef struct curve_object {
    core_object head;
    crd_curve *curve; /* immutable */
} curve_object;

static void curve_dealloc(PyObject *object) {
    crd_curve_destroy(((curve_object *)object)->curve);
    free_object(object);
}

PyObject *assessment_curve(PyObject *object, PyObject *class_index) {
    const assessment_object *self = (assessment_object *)object;
    const size_t index = PyLong_AsSize_t(class_index);
    if (PyErr_Occurred() != NULL) return NULL;
    if (self->scores == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "the assessment is not finished");
        return NULL;
    }
    curve_object *result = new_object(self->head.state, CORE_CURVE);
    if (result == NULL) return NULL;
    core_call call;
    call_begin(&call, self->head.state);
    crd_status status = crd_curve_create(self->evaluation, index, &result->curve, &call.error);
    if (call_end(&call, status) == 0) return (PyObject *)result;
    Py_DECREF((PyObject *)result);
    return NULL;
}

static const crd_curve *curve_of(PyObject *object) {
    return ((curve_object *)object)->curve;
}

static PyObject *curve_summary(PyObject *object, PyObject *unused) {
    (void)unused;
    const crd_curve *curve = curve_of(object);
    return Py_BuildValue("{s:N,s:N,s:n}", "auc", number_of(curve->auc), "average_precision",
                         number_of(curve->average_precision), "points", (Py_ssize_t)curve->count);
}

/* Reads the costs of the four outcomes from a sequence of four numbers: true and false positives, false and true negatives. */
static int costs_of(PyObject *argument, crd_curve_costs *costs, const crd_curve_costs **out) {
    *out = NULL;
    if (argument == Py_None) return 0;
    if (!PyArg_ParseTuple(argument, "dddd", &costs->true_positive, &costs->false_positive, &costs->false_negative,
                          &costs->true_negative))
        return -1;
    *out = costs;
    return 0;
}

/* best(goal, wanted=0.0, costs=None): the index of the best point, or None. goal is 0 f1, 1 cost, 2 recall, 3 precision. */
static PyObject *curve_best(PyObject *object, PyObject *arguments) {
    int goal;
    double wanted = 0;
    PyObject *costs_argument = Py_None;
    crd_curve_costs costs = CRD_CURVE_COSTS_INIT;
    const crd_curve_costs *given;
    size_t index;
    if (!PyArg_ParseTuple(arguments, "i|dO", &goal, &wanted, &costs_argument) ||
        costs_of(costs_argument, &costs, &given) < 0)
        return NULL;
    if (goal < CRD_CURVE_F1 || goal > CRD_CURVE_PRECISION || (goal == CRD_CURVE_COST && given == NULL)) {
        PyErr_SetString(PyExc_ValueError, "goal: expected 0 to 3, with costs for 1");
        return NULL;
    }
    if (crd_curve_best(curve_of(object), (crd_curve_goal)goal, wanted, given, &index) == 0) Py_RETURN_NONE;
    return PyLong_FromSize_t(index);
}

static PyObject *index_at(const void *user, size_t index) {
    return PyLong_FromSize_t(((const size_t *)user)[index]);
}

/* thin(most): indices of at most `most` points along the ROC curve. */
static PyObject *curve_thin(PyObject *object, PyObject *argument) {
    const crd_curve *curve = curve_of(object);
    size_t most = PyLong_AsSize_t(argument), all = curve->count;
    if (PyErr_Occurred() != NULL) return NULL;
    if (most > all) most = all;
    size_t *indices = PyMem_Malloc((most + 1) * sizeof *indices);
    if (indices == NULL) return PyErr_NoMemory();
    const size_t count = crd_curve_thin(curve, most, indices);
    PyObject *list = list_of(count, index_at, indices);
    PyMem_Free(indices);
    return list;
}

/* point(index, costs=None) */
static PyObject *curve_point(PyObject *object, PyObject *arguments) {
    const crd_curve *curve = curve_of(object);
    Py_ssize_t index;
    PyObject *costs_argument = Py_None;
    crd_curve_costs costs = CRD_CURVE_COSTS_INIT;
    const crd_curve_costs *given;
    if (!PyArg_ParseTuple(arguments, "n|O", &index, &costs_argument) || costs_of(costs_argument, &costs, &given) < 0)
        return NULL;
    if (index < 0 || (size_t)index >= curve->count) {
        PyErr_SetString(PyExc_IndexError, "the curve has no such point");
        return NULL;
    }
    crd_curve_point p = CRD_CURVE_POINT_INIT;
    crd_curve_point_at(curve, (size_t)index, &p);
    PyObject *record =
        Py_BuildValue("{s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N}", "threshold", number_of(p.threshold), "precision",
                      number_of(p.precision), "recall", number_of(p.recall), "f1", number_of(p.f1),
                      "false_positive_rate", number_of(p.false_positive_rate), "true_positives",
                      number_of(p.true_positives), "false_positives", number_of(p.false_positives), "false_negatives",
                      number_of(p.false_negatives), "true_negatives", number_of(p.true_negatives));
    if (record != NULL && given != NULL &&
        put(record, "cost", number_of(crd_curve_cost(curve, (size_t)index, given))) < 0)
        Py_CLEAR(record);
    return record;
}

static PyMethodDef methods[] = {
    {"summary", curve_summary, METH_NOARGS, "summary() -> dict"},
    {"best", curve_best, METH_VARARGS, "best(goal, wanted=0.0, costs=None) -> int | None"},
    {"thin", curve_thin, METH_O, "thin(most) -> list[int]"},
    {"point", curve_point, METH_VARARGS, "point(index, costs=None) -> dict"},
    {NULL, NULL, 0, NULL},
};

CORE_TYPE(curve, CORE_CURVE, "Curve", curve_object, curve_dealloc, methods,
          "A class against the rest at every threshold; immutable. Created by Assessment.curve().");
