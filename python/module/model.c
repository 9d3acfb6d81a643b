/* SPDX-License-Identifier: MIT */
/* model.c - Model: learning, merging, forgetting, and its bytes. */
#include "module.h"

#include <string.h>

static void model_dealloc(PyObject *object) {
    model_object *self = (model_object *)object;
    if (self->model != NULL) {
        crd_model_destroy(self->model);
        pthread_rwlock_destroy(&self->lock);
    }
    free_object(self);
}

PyObject *model_wrap(module_state *state, crd_model *model) {
    model_object *self = new_object(state, CORE_MODEL);
    if (self == NULL || pthread_rwlock_init(&self->lock, NULL) != 0) {
        if (self != NULL) PyErr_NoMemory();
        Py_XDECREF((PyObject *)self);
        crd_model_destroy(model);
        return NULL;
    }
    self->model = model;
    return (PyObject *)self;
}

PyObject *facts_of(const crd_read_facts *facts) {
    return Py_BuildValue("{s:K,s:K,s:K,s:d,s:K,s:N,s:K,s:K,s:K,s:K,s:K}", "rows", (unsigned long long)facts->rows,
                         "skipped", (unsigned long long)facts->skipped, "weightless",
                         (unsigned long long)facts->weightless, "weight", facts->weight, "skipped_with_text",
                         (unsigned long long)facts->skipped_with_text, "skipped_text", str_of_c(facts->skipped_text),
                         "sequences", (unsigned long long)facts->sequences, "shortest",
                         (unsigned long long)facts->shortest, "longest", (unsigned long long)facts->longest, "inserted",
                         (unsigned long long)facts->inserted, "crowded", (unsigned long long)facts->crowded);
}

/* train_model(reader, settings=None, tallies=None): the model, and what happened while rows were read. */
static PyObject *train_model(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *source, *settings_argument = Py_None;
    const char *tallies = NULL;
    const crd_settings *settings;
    if (!PyArg_ParseTuple(arguments, "O|Oz", &source, &settings_argument, &tallies) ||
        settings_of(state, settings_argument, &settings) < 0)
        return NULL;
    crd_reader *reader = reader_take(state, source);
    if (reader == NULL) return NULL;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    crd_model *model = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = tallies == NULL ? crd_model_train(state->context, reader, settings, &model, &facts, &call.error)
                                        : crd_model_train_keeping(state->context, reader, settings,
                                                                  crd_text_of(tallies), &model, &facts, &call.error);
    int failed = call_end(&call, status);
    reader_done(source);
    if (failed < 0) {
        crd_model_destroy(model);
        return NULL;
    }
    PyObject *object = model_wrap(state, model);
    return object == NULL ? NULL : Py_BuildValue("NN", object, facts_of(&facts));
}

/* update(reader), forget(reader) */
static PyObject *change_by(PyObject *object, PyObject *source,
                           crd_status (*change)(crd_model *, crd_reader *, crd_read_facts *, crd_error *)) {
    model_object *self = (model_object *)object;
    module_state *state = state_of(self);
    crd_reader *reader = reader_take(state, source);
    if (reader == NULL) return NULL;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    core_call call;
    call_begin(&call, state);
    pthread_rwlock_wrlock(&self->lock);
    crd_status status = change(self->model, reader, &facts, &call.error);
    pthread_rwlock_unlock(&self->lock);
    int failed = call_end(&call, status);
    reader_done(source);
    return failed < 0 ? NULL : facts_of(&facts);
}

static PyObject *model_update(PyObject *self, PyObject *source) {
    return change_by(self, source, crd_model_update_all);
}

static PyObject *model_forget(PyObject *self, PyObject *source) {
    return change_by(self, source, crd_model_forget_all);
}

/* encode() -> bytes: the canonical bytes, those of the model's file. */
static PyObject *model_encode(PyObject *object, PyObject *unused) {
    (void)unused;
    model_object *self = (model_object *)object;
    module_state *state = state_of(self);
    unsigned char *bytes = NULL;
    size_t length = 0;
    core_call call;
    call_begin(&call, state);
    pthread_rwlock_rdlock(&self->lock);
    crd_status status = crd_model_encode(self->model, &bytes, &length, &call.error);
    pthread_rwlock_unlock(&self->lock);
    PyObject *result =
        call_end(&call, status) < 0 ? NULL : PyBytes_FromStringAndSize((char *)bytes, (Py_ssize_t)length);
    crd_free(state->context, bytes);
    return result;
}

/* decode_model(bytes) */
static PyObject *decode_model(PyObject *module, PyObject *bytes) {
    module_state *state = state_of_module(module);
    Py_buffer buffer;
    if (PyObject_GetBuffer(bytes, &buffer, PyBUF_SIMPLE) < 0) return NULL;
    crd_model *model = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_model_decode(state->context, buffer.buf, (size_t)buffer.len, &model, &call.error);
    int failed = call_end(&call, status);
    PyBuffer_Release(&buffer);
    if (failed < 0) {
        crd_model_destroy(model);
        return NULL;
    }
    return model_wrap(state, model);
}

/* load_model(path) */
static PyObject *load_model(PyObject *module, PyObject *argument) {
    module_state *state = state_of_module(module);
    PyObject *path = path_of(argument);
    if (path == NULL) return NULL;
    crd_model *model = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_model_load(state->context, PyBytes_AsString(path), &model, &call.error);
    int failed = call_end(&call, status);
    Py_DECREF(path);
    if (failed < 0) {
        crd_model_destroy(model);
        return NULL;
    }
    return model_wrap(state, model);
}

static PyObject *model_save(PyObject *object, PyObject *argument) {
    model_object *self = (model_object *)object;
    PyObject *path = path_of(argument);
    if (path == NULL) return NULL;
    core_call call;
    call_begin(&call, state_of(self));
    pthread_rwlock_rdlock(&self->lock);
    crd_status status = crd_model_save(self->model, PyBytes_AsString(path), &call.error);
    pthread_rwlock_unlock(&self->lock);
    int failed = call_end(&call, status);
    Py_DECREF(path);
    if (failed < 0) return NULL;
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"update", model_update, METH_O, "update(reader) -> dict"},
    {"forget", model_forget, METH_O, "forget(reader) -> dict"},
    {"encode", model_encode, METH_NOARGS, "encode() -> bytes"},
    {"save", model_save, METH_O, "save(path)"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot type_slots[] = {
    {Py_tp_dealloc, model_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_doc, "A model. train_model(), load_model() and decode_model() make one."},
    {0, NULL},
};
static PyType_Spec spec = {
    .name = "credence._core.Model",
    .basicsize = sizeof(model_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = type_slots,
};

static PyMethodDef functions[] = {
    {"train_model", train_model, METH_VARARGS,
     "train_model(reader, settings=None, tallies=None) -> tuple[Model, dict]"},
    {"decode_model", decode_model, METH_O, "decode_model(bytes) -> Model"},
    {"load_model", load_model, METH_O, "load_model(path) -> Model"},
    {NULL, NULL, 0, NULL},
};

int add_model(PyObject *module, module_state *state) {
    return add_type(module, state, CORE_MODEL, &spec) < 0 ? -1 : PyModule_AddFunctions(module, functions);
}
