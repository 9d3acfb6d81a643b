/* SPDX-License-Identifier: MIT */
/* model.c - Model: learning, merging, forgetting, encoding and decoding. */
#include "module.h"

#include <string.h>

static void model_dealloc(PyObject *object) {
    model_object *self = (model_object *)object;
    if (self->model != NULL) {
        model_lock_end(self);
        if (!self->lock.is_torn) crd_model_destroy(self->model);
    }
    free_object(self);
}

PyObject *model_wrap(module_state *state, crd_model *model) {
    model_object *self = new_object(state, CORE_MODEL);
    if (self == NULL || model_lock_begin(self) < 0) {
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

/* train_model(reader, settings=None, statistics=None): the model, and facts about the reading of the rows. */
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
    crd_status status = model_lock_write(self);
    if (status == CRD_OK) {
        status = change(self->model, reader, &facts, &call.error);
        model_unlock(self);
    }
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

/* encode() -> bytes: the canonical bytes, which are also the contents of a model file. */
static PyObject *model_encode(PyObject *object, PyObject *unused) {
    (void)unused;
    model_object *self = (model_object *)object;
    module_state *state = state_of(self);
    unsigned char *bytes = NULL;
    size_t length = 0;
    core_call call;
    call_begin(&call, state);
    crd_status status = model_lock_read(self);
    if (status == CRD_OK) {
        status = crd_model_encode(self->model, &bytes, &length, &call.error);
        model_unlock(self);
    }
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
    crd_status status = model_lock_read(self);
    if (status == CRD_OK) {
        status = crd_model_save(self->model, PyBytes_AsString(path), &call.error);
        model_unlock(self);
    }
    int failed = call_end(&call, status);
    Py_DECREF(path);
    if (failed < 0) return NULL;
    Py_RETURN_NONE;
}

/* Encodes the other model of a merge. Only one lock is held at a time, because models can be merged into each other and into
 * themselves. */
static crd_status encode_other(PyObject *argument, unsigned char **bytes, size_t *length, crd_error *error) {
    model_object *other = (model_object *)argument;
    crd_status status = model_lock_read(other);
    if (status != CRD_OK) return status;
    status = crd_model_encode(other->model, bytes, length, error);
    model_unlock(other);
    return status;
}

/* merge(other, ignores_duplicate=False) -> bool: false if the model already contains the other's part. */
static PyObject *model_merge(PyObject *object, PyObject *arguments) {
    model_object *self = (model_object *)object;
    module_state *state = state_of(self);
    PyObject *other;
    int ignores = 0;
    if (!PyArg_ParseTuple(arguments, "O|p", &other, &ignores) || !check_type(state, other, CORE_MODEL, "other"))
        return NULL;
    unsigned char *bytes = NULL;
    size_t length = 0;
    core_call call;
    call_begin(&call, state);
    crd_status status = encode_other(other, &bytes, &length, &call.error);
    if (status == CRD_OK) status = model_lock_write(self);
    if (status == CRD_OK) {
        status = crd_model_merge_bytes(self->model, bytes, length, &call.error);
        model_unlock(self);
    }
    crd_free(state->context, bytes);
    const bool is_there = status == CRD_ERROR_DUPLICATE && ignores;
    if (call_end(&call, is_there ? CRD_OK : status) < 0) return NULL;
    return PyBool_FromLong(!is_there);
}

/* retract(part) */
static PyObject *model_retract(PyObject *object, PyObject *argument) {
    model_object *self = (model_object *)object;
    module_state *state = state_of(self);
    if (!check_type(state, argument, CORE_MODEL, "part")) return NULL;
    unsigned char *bytes = NULL;
    size_t length = 0;
    crd_model *part = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = encode_other(argument, &bytes, &length, &call.error);
    if (status == CRD_OK) status = crd_model_decode(state->context, bytes, length, &part, &call.error);
    crd_free(state->context, bytes);
    if (status == CRD_OK) status = model_lock_write(self);
    if (status == CRD_OK) {
        status = crd_model_retract(self->model, part, &call.error);
        model_unlock(self);
    }
    crd_model_destroy(part);
    if (call_end(&call, status) < 0) return NULL;
    Py_RETURN_NONE;
}

/* set_part(id) */
static PyObject *model_set_part(PyObject *object, PyObject *argument) {
    model_object *self = (model_object *)object;
    crd_text id;
    if (text_of(argument, "part", false, &id) < 0) return NULL;
    core_call call;
    call_begin(&call, state_of(self));
    crd_status status = model_lock_write(self);
    if (status == CRD_OK) {
        status = crd_model_set_part(self->model, id, &call.error);
        model_unlock(self);
    }
    if (call_end(&call, status) < 0) return NULL;
    Py_RETURN_NONE;
}

/* parts() -> list[str] */
static PyObject *model_parts(PyObject *object, PyObject *unused) {
    (void)unused;
    model_object *self = (model_object *)object;
    crd_text *ids = NULL;
    size_t count = 0;
    crd_error error;
    if (model_share(self) < 0) return NULL;
    const crd_status status = crd_model_list_parts(self->model, &ids, &count, &error);
    if (status != CRD_OK) raise_error(state_of(self), &error);
    PyObject *list = status == CRD_OK ? PyList_New((Py_ssize_t)count) : NULL;
    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *id = str_of(ids[i]);
        if (id != NULL && PyList_SetItem(list, (Py_ssize_t)i, id) == 0) continue;
        Py_DECREF(list);
        list = NULL;
    }
    model_unlock(self);
    crd_free(state_of(self)->context, ids);
    return list;
}

/* move(reader, from, to) -> dict */
static PyObject *model_move(PyObject *object, PyObject *arguments) {
    model_object *self = (model_object *)object;
    module_state *state = state_of(self);
    PyObject *source, *from_argument, *to_argument;
    crd_text old_class, new_class;
    if (!PyArg_ParseTuple(arguments, "OOO", &source, &from_argument, &to_argument) ||
        text_of(from_argument, "from", false, &old_class) < 0 || text_of(to_argument, "to", false, &new_class) < 0)
        return NULL;
    crd_reader *reader = reader_take(state, source);
    if (reader == NULL) return NULL;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    core_call call;
    call_begin(&call, state);
    crd_status status = model_lock_write(self);
    if (status == CRD_OK) {
        status = crd_model_move_all(self->model, reader, old_class, new_class, &facts, &call.error);
        model_unlock(self);
    }
    int failed = call_end(&call, status);
    reader_done(source);
    return failed < 0 ? NULL : facts_of(&facts);
}

/* fit() */
static PyObject *model_fit(PyObject *object, PyObject *unused) {
    (void)unused;
    model_object *self = (model_object *)object;
    core_call call;
    call_begin(&call, state_of(self));
    crd_status status = model_lock_write(self);
    if (status == CRD_OK) {
        status = crd_model_fit(self->model, &call.error);
        model_unlock(self);
    }
    if (call_end(&call, status) < 0) return NULL;
    Py_RETURN_NONE;
}

/* set_settings(settings) */
static PyObject *model_set_settings(PyObject *object, PyObject *argument) {
    model_object *self = (model_object *)object;
    const crd_settings *settings;
    if (!check_type(state_of(self), argument, CORE_SETTINGS, "settings") ||
        settings_of(state_of(self), argument, &settings) < 0)
        return NULL;
    core_call call;
    call_begin(&call, state_of(self));
    crd_status status = model_lock_write(self);
    if (status == CRD_OK) {
        status = crd_model_set_settings(self->model, settings, &call.error);
        model_unlock(self);
    }
    if (call_end(&call, status) < 0) return NULL;
    Py_RETURN_NONE;
}

/* drop_declared_kind(attribute) */
static PyObject *model_drop_declared_kind(PyObject *object, PyObject *argument) {
    model_object *self = (model_object *)object;
    crd_text attribute;
    if (text_of(argument, "attribute", false, &attribute) < 0) return NULL;
    core_call call;
    call_begin(&call, state_of(self));
    crd_status status = model_lock_write(self);
    if (status == CRD_OK) {
        status = crd_model_drop_declared_type(self->model, attribute, &call.error);
        model_unlock(self);
    }
    if (call_end(&call, status) < 0) return NULL;
    Py_RETURN_NONE;
}

/* difference(other) -> dict: the first difference; its aspect is "equal" if there is no difference. */
static PyObject *model_difference(PyObject *object, PyObject *argument) {
    static const char *const aspects[] = {"equal",      "kind",   "schema", "settings", "statistics",
                                          "class_rows", "counts", "other",  "parts"};
    model_object *self = (model_object *)object, *other = (model_object *)argument;
    if (!check_type(state_of(self), argument, CORE_MODEL, "other")) return NULL;
    crd_model_difference difference = CRD_MODEL_DIFFERENCE_INIT;
    core_call call;
    call_begin(&call, state_of(self));
    crd_status status = CRD_OK;
    if (self != other) {
        /* Lock in the order of the addresses, so that two threads cannot deadlock. */
        model_object *first = self < other ? self : other, *second = self < other ? other : self;
        status = model_lock_read(first);
        if (status == CRD_OK) {
            status = model_lock_read(second);
            if (status == CRD_OK) {
                status = crd_model_compare(self->model, other->model, &difference, &call.error);
                model_unlock(second);
            }
            model_unlock(first);
        }
    }
    if (call_end(&call, status) < 0) return NULL;
    return Py_BuildValue("{s:s,s:N,s:N}", "aspect", aspects[difference.aspect], "subject", str_of_c(difference.subject),
                         "message", str_of_c(difference.message));
}

/* info() -> dict: a description of the model that does not read its sufficient statistics. */
static PyObject *model_info(PyObject *object, PyObject *unused) {
    (void)unused;
    model_object *self = (model_object *)object;
    if (model_share(self) < 0) return NULL;
    const crd_model *model = self->model;
    const char *kind = crd_model_is_sequence(model)                ? "sequence"
                       : crd_model_sequence_classes(model) != NULL ? "sequence classes"
                       : crd_model_member_count(model) > 0         ? "members"
                                                                   : "rows";
    PyObject *result =
        Py_BuildValue("{s:s,s:N,s:N,s:N}", "kind", kind, "target", str_of(crd_model_target(model)), "weight",
                      str_of(crd_model_weight(model)), "settings", settings_record(crd_model_settings(model)));
    model_unlock(self);
    return result;
}

static PyMethodDef methods[] = {
    {"merge", model_merge, METH_VARARGS, "merge(other, ignores_duplicate=False) -> bool"},
    {"retract", model_retract, METH_O, "retract(part)"},
    {"set_part", model_set_part, METH_O, "set_part(id)"},
    {"parts", model_parts, METH_NOARGS, "parts() -> list[str]"},
    {"move", model_move, METH_VARARGS, "move(reader, from, to) -> dict"},
    {"fit", model_fit, METH_NOARGS, "fit()"},
    {"set_settings", model_set_settings, METH_O, "set_settings(settings)"},
    {"drop_declared_kind", model_drop_declared_kind, METH_O, "drop_declared_kind(attribute)"},
    {"difference", model_difference, METH_O, "difference(other) -> dict"},
    {"info", model_info, METH_NOARGS, "info() -> dict"},
    {"update", model_update, METH_O, "update(reader) -> dict"},
    {"forget", model_forget, METH_O, "forget(reader) -> dict"},
    {"encode", model_encode, METH_NOARGS, "encode() -> bytes"},
    {"save", model_save, METH_O, "save(path)"},
    {NULL, NULL, 0, NULL},
};

PyMethodDef model_functions[] = {
    {"train_model", train_model, METH_VARARGS,
     "train_model(reader, settings=None, statistics=None) -> tuple[Model, dict]"},
    {"decode_model", decode_model, METH_O, "decode_model(bytes) -> Model"},
    {"load_model", load_model, METH_O, "load_model(path) -> Model"},
    {NULL, NULL, 0, NULL},
};

CORE_TYPE(model, CORE_MODEL, "Model", model_object, model_dealloc, methods,
          "A model. Created by train_model(), load_model() and decode_model().");
