/* SPDX-License-Identifier: MIT */
/* model_parts.c - exports models to other programs, combines models, and locks model files. */
#include "module.h"

#include <math.h>
#include <string.h>

/* ---- Export ---- */

typedef struct export_sink {
    core_block block;
    bool has_no_memory;
} export_sink;

static int write_part(void *user, const char *bytes, size_t length) {
    export_sink *sink = user;
    void *destination = block_grow(&sink->block, length);
    sink->has_no_memory = destination == NULL;
    if (destination != NULL && length > 0) memcpy(destination, bytes, length);
    return sink->has_no_memory;
}

/* export_model(model, settings, format, table=None) -> bytes */
static PyObject *export_model(PyObject *module, PyObject *arguments) {
    static const struct {
        const char *name;
        crd_export_format format;
    } formats[] = {{"json", CRD_EXPORT_JSON}, {"c", CRD_EXPORT_C},       {"sql", CRD_EXPORT_SQL},
                   {"onnx", CRD_EXPORT_ONNX}, {"pmml", CRD_EXPORT_PMML}, {"hmm", CRD_EXPORT_HMM}};
    module_state *state = state_of_module(module);
    PyObject *model_argument, *settings_argument, *table = Py_None;
    const char *name;
    const crd_settings *settings;
    crd_export_options options = CRD_EXPORT_OPTIONS_INIT;
    if (!PyArg_ParseTuple(arguments, "OOs|O", &model_argument, &settings_argument, &name, &table) ||
        !check_type(state, model_argument, CORE_MODEL, "model") ||
        settings_of(state, settings_argument, &settings) < 0 || text_of(table, "table", true, &options.table) < 0)
        return NULL;
    size_t format_index = 0;
    while (format_index < sizeof formats / sizeof *formats && strcmp(formats[format_index].name, name) != 0)
        format_index++;
    if (format_index == sizeof formats / sizeof *formats) {
        PyErr_Format(PyExc_ValueError, "format: expected json, c, sql, onnx, pmml or hmm, got '%s'", name);
        return NULL;
    }
    model_object *model = (model_object *)model_argument;
    export_sink sink = {.has_no_memory = false};
    core_call call;
    call_begin(&call, state);
    crd_status status = model_lock_read(model);
    if (status == CRD_OK) {
        status = crd_model_export(model->model, settings, formats[format_index].format, &options, write_part, &sink,
                                  &call.error);
        model_unlock(model);
    }
    int failed = call_end(&call, sink.has_no_memory ? CRD_ERROR_MEMORY : status);
    PyObject *result = failed < 0 ? NULL : PyBytes_FromStringAndSize(sink.block.bytes, (Py_ssize_t)sink.block.length);
    block_free(&sink.block);
    return result;
}

/* ---- Combined models ---- */

static const char *likelihood_name(crd_likelihood likelihood) {
    switch (likelihood) {
    case CRD_LIKELIHOOD_CLOSED: return "closed form";
    case CRD_LIKELIHOOD_ROWS:
    case CRD_LIKELIHOOD_CLASSES: return "held out";
    case CRD_LIKELIHOOD_NONE: break;
    }
    return "specified";
}

static PyObject *hypothesis_record(const crd_hypothesis *h, double weight) {
    bool has_data = h->likelihood != CRD_LIKELIHOOD_NONE;
    PyObject *record = Py_BuildValue("{s:N}", "model", str_of(h->name));
    if (record == NULL) return NULL;
    if ((has_data && (put(record, "prior", number_of(h->prior)) < 0 ||
                      put(record, "log_likelihood", PyFloat_FromDouble(h->log_likelihood)) < 0 ||
                      put(record, "of", str_of_c(h->likelihood == CRD_LIKELIHOOD_CLASSES ? "classes" : "rows")) < 0 ||
                      put(record, "impossible", number_of(h->impossible)) < 0)) ||
        put(record, "weighed_by", str_of_c(likelihood_name(h->likelihood))) < 0 ||
        put(record, "posterior", number_of(h->posterior)) < 0 || put(record, "weight", number_of(weight)) < 0)
        Py_CLEAR(record);
    return record;
}

static PyObject *hypothesis_records(const crd_hypotheses *hypotheses, const crd_model *combined) {
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < crd_hypotheses_count(hypotheses); i++) {
        crd_hypothesis h = CRD_HYPOTHESIS_INIT;
        crd_member member = CRD_MEMBER_INIT;
        if (crd_hypotheses_at(hypotheses, i, &h, NULL) != CRD_OK ||
            crd_model_member(combined, i, &member, NULL) != CRD_OK)
            continue;
        PyObject *row = hypothesis_record(&h, member.weight);
        if (append_item(list, row) < 0) Py_CLEAR(list);
    }
    return list;
}

/* Adds each model with its name and its prior. Only one model lock is held at a time. */
static crd_status add_hypotheses(crd_hypotheses *hypotheses, model_object **models, const crd_text *names,
                                 const double *priors, size_t count, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t i = 0; i < count && status == CRD_OK; i++) {
        status = model_lock_read(models[i]);
        if (status != CRD_OK) break;
        status = crd_hypotheses_add(hypotheses, names[i], models[i]->model, priors == NULL ? 1 : priors[i], error);
        model_unlock(models[i]);
    }
    return status;
}

/* Gets an optional buffer of doubles, with one number per model. */
static int shares_of(PyObject *object, const char *argument, size_t count, Py_buffer *buffer) {
    buffer->buf = NULL;
    buffer->obj = NULL;
    if (object == Py_None) return 0;
    if (buffer_of(object, argument, "d", false, false, buffer) < 0) return -1;
    if ((size_t)buffer->len == count * sizeof(double)) return 0;
    PyErr_Format(PyExc_ValueError, "%s: expected %zu numbers, one for each model", argument, count);
    PyBuffer_Release(buffer);
    buffer->buf = NULL;
    return -1;
}

static void release(Py_buffer *buffer) {
    if (buffer->buf != NULL) PyBuffer_Release(buffer);
}

/* The arguments of combine_models. */
typedef struct combination {
    model_object **models;
    crd_text *names;
    size_t count;
    const double *priors, *posteriors;
    crd_reader *reader;
    int likelihood, rule;
    uint64_t seed;
} combination;

static PyObject *combine(module_state *state, const combination *c) {
    crd_hypotheses *hypotheses = NULL;
    crd_model *combined = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_hypotheses_create(state->context, &hypotheses, &call.error);
    if (status == CRD_OK) status = add_hypotheses(hypotheses, c->models, c->names, c->priors, c->count, &call.error);
    if (status == CRD_OK && c->posteriors != NULL)
        status = crd_hypotheses_set_posterior(hypotheses, c->posteriors, &call.error);
    else if (status == CRD_OK)
        status = crd_hypotheses_weigh(hypotheses, c->reader,
                                      c->reader == NULL ? CRD_LIKELIHOOD_CLOSED : (crd_likelihood)c->likelihood,
                                      &call.error);
    if (status == CRD_OK)
        status = crd_hypotheses_combine(hypotheses, (crd_combine_rule)c->rule, c->seed, &combined, &call.error);
    PyObject *result = NULL;
    if (call_end(&call, status) < 0) {
        crd_model_destroy(combined);
    } else {
        PyObject *records = hypothesis_records(hypotheses, combined), *object = model_wrap(state, combined);
        if (records != NULL && object != NULL) result = Py_BuildValue("OO", object, records);
        Py_XDECREF(records);
        Py_XDECREF(object);
    }
    crd_hypotheses_destroy(hypotheses);
    return result;
}

/* combine_models(names, models, priors, posteriors, reader, likelihood, rule, seed): the model, and a record of each hypothesis. */
static PyObject *combine_models(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *names_argument, *models_argument, *priors, *posteriors, *source, *owner = NULL, *list = NULL,
                                                                               *result = NULL;
    combination c = {.models = NULL};
    unsigned long long seed;
    Py_buffer prior_buffer = {.buf = NULL}, posterior_buffer = {.buf = NULL};
    if (!PyArg_ParseTuple(arguments, "OOOOOiiK", &names_argument, &models_argument, &priors, &posteriors, &source,
                          &c.likelihood, &c.rule, &seed))
        return NULL;
    c.seed = seed;
    if (texts_of(names_argument, "names", &c.names, &c.count, &owner) < 0) return NULL;
    list = PySequence_List(models_argument);
    if (list == NULL) goto done;
    if ((size_t)PyList_Size(list) != c.count) {
        PyErr_SetString(PyExc_ValueError, "names: expected one name for each model");
        goto done;
    }
    c.models = PyMem_Malloc((c.count + 1) * sizeof *c.models);
    if (c.models == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    for (size_t i = 0; i < c.count; i++) {
        PyObject *model = PyList_GetItem(list, (Py_ssize_t)i);
        if (!check_type(state, model, CORE_MODEL, "models")) goto done;
        c.models[i] = (model_object *)model;
    }
    if (shares_of(priors, "prior", c.count, &prior_buffer) < 0 ||
        shares_of(posteriors, "posterior", c.count, &posterior_buffer) < 0)
        goto done;
    c.priors = prior_buffer.buf;
    c.posteriors = posterior_buffer.buf;
    if (source != Py_None) c.reader = reader_take(state, source);
    if (source != Py_None && c.reader == NULL) goto done;
    result = combine(state, &c);
    if (source != Py_None) reader_done(source);
done:
    release(&prior_buffer);
    release(&posterior_buffer);
    PyMem_Free(c.models);
    PyMem_Free(c.names);
    Py_XDECREF(list);
    Py_XDECREF(owner);
    return result;
}

/* members_of(model) -> dict: the rule, the seed, and the name, weight and settings of each member. */
static PyObject *members_of(PyObject *module, PyObject *argument) {
    module_state *state = state_of_module(module);
    if (!check_type(state, argument, CORE_MODEL, "model")) return NULL;
    model_object *self = (model_object *)argument;
    if (model_share(self) < 0) return NULL;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < crd_model_member_count(self->model); i++) {
        crd_member member = CRD_MEMBER_INIT;
        if (crd_model_member(self->model, i, &member, NULL) != CRD_OK) continue;
        PyObject *row = Py_BuildValue("{s:N,s:N,s:N}", "model", str_of(member.name), "weight", number_of(member.weight),
                                      "settings", settings_record(crd_model_settings(member.model)));
        if (append_item(list, row) < 0) Py_CLEAR(list);
    }
    PyObject *result = Py_BuildValue("{s:s,s:K,s:N}", "rule", crd_combine_rule_name(crd_model_rule(self->model)),
                                     "seed", (unsigned long long)crd_model_seed(self->model), "models", list);
    model_unlock(self);
    return result;
}

/* ---- Locks ---- */

typedef struct lock_object {
    core_object head;
    crd_model_lock *lock; /* NULL: released */
} lock_object;

static void lock_dealloc(PyObject *object) {
    crd_model_lock_release(((lock_object *)object)->lock);
    free_object(object);
}

static PyObject *lock_release(PyObject *object, PyObject *unused) {
    (void)unused;
    lock_object *self = (lock_object *)object;
    crd_model_lock_release(self->lock);
    self->lock = NULL;
    Py_RETURN_NONE;
}

/* take_lock(path) -> Lock: waits until no other process or thread holds the lock. */
static PyObject *take_lock(PyObject *module, PyObject *argument) {
    module_state *state = state_of_module(module);
    PyObject *path = path_of(argument);
    if (path == NULL) return NULL;
    lock_object *self = new_object(state, CORE_LOCK);
    core_call call;
    call_begin(&call, state);
    crd_status status =
        self == NULL ? CRD_OK : crd_model_lock_take(state->context, PyBytes_AsString(path), &self->lock, &call.error);
    if (call_end(&call, status) < 0) {
        Py_XDECREF((PyObject *)self);
        self = NULL;
    }
    Py_DECREF(path);
    return (PyObject *)self;
}

static PyMethodDef lock_methods[] = {
    {"release", lock_release, METH_NOARGS, "release()"},
    {NULL, NULL, 0, NULL},
};
PyMethodDef model_parts_functions[] = {
    {"export_model", export_model, METH_VARARGS, "export_model(model, settings, format, table=None) -> bytes"},
    {"combine_models", combine_models, METH_VARARGS,
     "combine_models(names, models, priors, posteriors, reader, likelihood, rule, seed) -> tuple[Model, list]"},
    {"members_of", members_of, METH_O, "members_of(model) -> dict"},
    {"take_lock", take_lock, METH_O, "take_lock(path) -> Lock"},
    {NULL, NULL, 0, NULL},
};

CORE_TYPE(model_parts, CORE_LOCK, "Lock", lock_object, lock_dealloc, lock_methods,
          "The lock of a model file. Created by take_lock().");
