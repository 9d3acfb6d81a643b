/* SPDX-License-Identifier: MIT */
/* classifier.c - Classifier: a model with settings, and its predictions for rows. */
#include "module.h"

#include <math.h>
#include <string.h>

static void classifier_dealloc(PyObject *object) {
    classifier_object *self = (classifier_object *)object;
    crd_classifier_destroy(self->classifier);
    Py_XDECREF(self->attribute_names);
    Py_XDECREF(self->class_names);
    Py_XDECREF(self->other_names);
    free_object(self);
}

/* Returns a tuple of the names that `name_at` returns. */
static PyObject *names_of(const crd_classifier *classifier, size_t count,
                          crd_text (*name_at)(const crd_classifier *, size_t)) {
    PyObject *names = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; names != NULL && i < count; i++) {
        PyObject *name = str_of(name_at(classifier, i));
        if (name == NULL || PyTuple_SetItem(names, (Py_ssize_t)i, name) < 0) Py_CLEAR(names);
    }
    return names;
}

/* Returns the names of the target and the weight, if there are any. */
static PyObject *other_names_of(model_object *model) {
    if (model_share(model) < 0) return NULL;
    PyObject *names =
        Py_BuildValue("(NN)", str_of(crd_model_target(model->model)), str_of(crd_model_weight(model->model)));
    model_unlock(model);
    return names;
}

/* make_classifier(model, settings=None) */
static PyObject *make_classifier(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *model_argument, *settings_argument = Py_None;
    const crd_settings *settings;
    if (!PyArg_ParseTuple(arguments, "O|O", &model_argument, &settings_argument) ||
        !check_type(state, model_argument, CORE_MODEL, "model") || settings_of(state, settings_argument, &settings) < 0)
        return NULL;
    model_object *model = (model_object *)model_argument;
    classifier_object *self = new_object(state, CORE_CLASSIFIER);
    if (self == NULL) return NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = model_lock_read(model);
    if (status == CRD_OK) {
        status = crd_classifier_create(model->model, settings, &self->classifier, &call.error);
        model_unlock(model);
    }
    if (call_end(&call, status) < 0) goto fail;
    self->is_quick = strcmp(crd_settings_get(crd_classifier_settings(self->classifier), "method"), "naive") == 0;
    self->other_names = other_names_of(model);
    self->attribute_names =
        names_of(self->classifier, crd_classifier_attribute_count(self->classifier), crd_classifier_attribute);
    self->class_names = names_of(self->classifier, crd_classifier_class_count(self->classifier), crd_classifier_class);
    if (self->attribute_names == NULL || self->class_names == NULL || self->other_names == NULL) goto fail;
    return (PyObject *)self;
fail:
    Py_DECREF((PyObject *)self);
    return NULL;
}

static PyObject *classifier_classes(PyObject *self, PyObject *unused) {
    (void)unused;
    return Py_NewRef(((classifier_object *)self)->class_names);
}

static PyObject *classifier_attributes(PyObject *self, PyObject *unused) {
    (void)unused;
    return Py_NewRef(((classifier_object *)self)->attribute_names);
}

/* Computes the class probabilities of one row into `probabilities`. `logs` receives the log posteriors. */
static int answer_row(classifier_object *self, PyObject *object, double *logs, double *probabilities,
                      crd_answer *answer) {
    core_row row;
    if (row_begin(&row, self, object) < 0) return -1;
    int result = 0;
    if (self->is_quick) {
        crd_error error;
        if (crd_classifier_posterior(self->classifier, row.values, logs, probabilities, answer, &error) != CRD_OK) {
            raise_error(state_of(self), &error);
            result = -1;
        }
    } else {
        core_call call;
        call_begin(&call, state_of(self));
        crd_status status =
            crd_classifier_posterior(self->classifier, row.values, logs, probabilities, answer, &call.error);
        result = call_end(&call, status);
    }
    row_end(&row);
    return result;
}

/* posterior(row) -> dict: the probability of each class, NaN if every class has probability 0. */
static PyObject *classifier_posterior(PyObject *object, PyObject *row) {
    classifier_object *self = (classifier_object *)object;
    enum { ROOM = 64 };
    size_t classes = crd_classifier_class_count(self->classifier);
    double buffer[2 * ROOM], *numbers = classes <= ROOM ? buffer : PyMem_Malloc(2 * classes * sizeof *numbers);
    if (numbers == NULL) return PyErr_NoMemory();
    crd_answer answer;
    PyObject *result = answer_row(self, row, numbers, numbers + classes, &answer) < 0 ? NULL : PyDict_New();
    for (size_t c = 0; result != NULL && c < classes; c++) {
        PyObject *p = PyFloat_FromDouble(answer.decision >= 0 ? numbers[classes + c] : NAN);
        if (p == NULL || PyDict_SetItem(result, PyTuple_GetItem(self->class_names, (Py_ssize_t)c), p) < 0)
            Py_CLEAR(result);
        Py_XDECREF(p);
    }
    if (numbers != buffer) PyMem_Free(numbers);
    return result;
}

/* predict_row(row) -> dict: prediction, probability, posterior, log_evidence, unseen. */
static PyObject *classifier_predict_row(PyObject *object, PyObject *row) {
    classifier_object *self = (classifier_object *)object;
    size_t classes = crd_classifier_class_count(self->classifier);
    double *numbers = PyMem_Malloc((2 * classes + 1) * sizeof *numbers);
    if (numbers == NULL) return PyErr_NoMemory();
    crd_answer answer;
    PyObject *record = NULL, *posterior = NULL;
    if (answer_row(self, row, numbers, numbers + classes, &answer) < 0) goto done;
    posterior = PyDict_New();
    for (size_t c = 0; posterior != NULL && c < classes; c++) {
        PyObject *p = number_of(answer.decision >= 0 ? numbers[classes + c] : NAN);
        if (p == NULL || PyDict_SetItem(posterior, PyTuple_GetItem(self->class_names, (Py_ssize_t)c), p) < 0)
            Py_CLEAR(posterior);
        Py_XDECREF(p);
    }
    if (posterior == NULL) goto done;
    PyObject *name = answer.decision < 0 ? Py_None : PyTuple_GetItem(self->class_names, answer.decision);
    record =
        Py_BuildValue("{s:O,s:N,s:O,s:N,s:I}", "prediction", name, "probability",
                      number_of(answer.decision < 0 ? NAN : numbers[classes + (size_t)answer.decision]), "posterior",
                      posterior, "log_evidence", number_of(isfinite(answer.log_evidence) ? answer.log_evidence : NAN),
                      "unseen", (unsigned)answer.unseen);
done:
    Py_XDECREF(posterior);
    PyMem_Free(numbers);
    return record;
}

/* Creates the typicality test of rows under a model with the classifier's settings. */
static int make_typicality(classifier_object *self, PyObject *argument, crd_typicality **out) {
    module_state *state = state_of(self);
    *out = NULL;
    if (!check_type(state, argument, CORE_MODEL, "model")) return -1;
    model_object *model = (model_object *)argument;
    core_call call;
    call_begin(&call, state);
    crd_status status = model_lock_read(model);
    if (status == CRD_OK) {
        status = crd_typicality_create(model->model, crd_classifier_settings(self->classifier), out, &call.error);
        model_unlock(model);
    }
    if (call_end(&call, status) == 0) return 0;
    crd_typicality_destroy(*out);
    *out = NULL;
    return -1;
}

/* classify(reader, log_posteriors=False, typicality_of=None, rule=None) -> dict of arrays; typicality_of is the model that gives the typicality of each row. */
static PyObject *classifier_classify(PyObject *object, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"reader", "log_posteriors", "typicality_of", "rule", NULL};
    classifier_object *self = (classifier_object *)object;
    PyObject *source, *model = Py_None, *rule_argument = Py_None;
    crd_typicality *typicality = NULL;
    int has_logs = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|pOO", names, &source, &has_logs, &model, &rule_argument) ||
        (rule_argument != Py_None && !check_type(state_of(self), rule_argument, CORE_RULE, "rule")))
        return NULL;
    const crd_rule *rule = rule_argument == Py_None ? NULL : ((rule_object *)rule_argument)->rule;
    if (rule != NULL && rule->class_count != crd_classifier_class_count(self->classifier)) {
        PyErr_SetString(PyExc_ValueError, "rule: its classes differ from the classifier's");
        return NULL;
    }
    if (model != Py_None && make_typicality(self, model, &typicality) < 0) return NULL;
    PyObject *result = classifier_classify_all(self, source, typicality, rule, has_logs != 0);
    crd_typicality_destroy(typicality);
    return result;
}

static PyObject *classifier_settings(PyObject *self, PyObject *unused) {
    (void)unused;
    return settings_record(crd_classifier_settings(((classifier_object *)self)->classifier));
}

static PyObject *classifier_types(PyObject *object, PyObject *unused) {
    (void)unused;
    classifier_object *self = (classifier_object *)object;
    size_t count = crd_classifier_attribute_count(self->classifier);
    PyObject *types = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; types != NULL && i < count; i++) {
        PyObject *type = str_of_c(crd_column_type_name(crd_classifier_attribute_type(self->classifier, i)));
        if (type == NULL || PyTuple_SetItem(types, (Py_ssize_t)i, type) < 0) Py_CLEAR(types);
    }
    return types;
}

static PyMethodDef methods[] = {
    {"posterior", classifier_posterior, METH_O, "posterior(row) -> dict[str, float]"},
    {"predict_row", classifier_predict_row, METH_O, "predict_row(row) -> dict"},
    {"classify", (PyCFunction)(void (*)(void))classifier_classify, METH_VARARGS | METH_KEYWORDS,
     "classify(reader, log_posteriors=False, typicality_of=None, rule=None) -> dict"},
    {"settings", classifier_settings, METH_NOARGS, "settings() -> dict[str, str]"},
    {"types", classifier_types, METH_NOARGS, "types() -> tuple[str | None, ...]"},
    {"classes", classifier_classes, METH_NOARGS, "classes() -> tuple[str, ...]"},
    {"attributes", classifier_attributes, METH_NOARGS, "attributes() -> tuple[str, ...]"},
    {NULL, NULL, 0, NULL},
};

PyMethodDef classifier_functions[] = {
    {"make_classifier", make_classifier, METH_VARARGS, "make_classifier(model, settings=None) -> Classifier"},
    {NULL, NULL, 0, NULL},
};

CORE_TYPE(classifier, CORE_CLASSIFIER, "Classifier", classifier_object, classifier_dealloc, methods,
          "A model under settings; immutable. Created by make_classifier().");
