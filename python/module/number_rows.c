/* SPDX-License-Identifier: MIT */
/* number_rows.c - learns, forgets and classifies numeric rows in memory, without a copy. */
#include "module.h"

/* A matrix of doubles or floats in a buffer, with any row and column strides. */
typedef struct matrix {
    Py_buffer buffer;
    const double *values;
    const float *floats;
    size_t rows, columns, stride, column_stride;
} matrix;

static int matrix_of(PyObject *object, matrix *out) {
    *out = (matrix){.values = NULL};
    if (buffer_of(object, "values", "d", false, true, &out->buffer) < 0) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError)) return -1;
        PyErr_Clear();
        if (buffer_of(object, "values", "f", false, true, &out->buffer) < 0) return -1;
        out->floats = out->buffer.buf;
    } else out->values = out->buffer.buf;
    const Py_buffer *buffer = &out->buffer;
    bool fits = buffer->ndim == 2;
    for (int i = 0; fits && i < 2; i++) fits = buffer->strides[i] >= 0 && buffer->strides[i] % buffer->itemsize == 0;
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "values: expected two dimensions, with strides of whole items forwards");
        PyBuffer_Release(&out->buffer);
        return -1;
    }
    out->rows = (size_t)buffer->shape[0];
    out->columns = (size_t)buffer->shape[1];
    /* The stride of a dimension with one item can have any value. */
    out->stride = out->rows > 1 ? (size_t)(buffer->strides[0] / buffer->itemsize) : out->columns;
    out->column_stride = out->columns > 1 ? (size_t)(buffer->strides[1] / buffer->itemsize) : 1;
    if (out->stride == 0 || out->column_stride == 0) {
        PyErr_SetString(PyExc_ValueError, "values: expected items at distinct addresses, not a broadcast array");
        PyBuffer_Release(&out->buffer);
        return -1;
    }
    return 0;
}

static crd_rows rows_of(const matrix *source) {
    crd_rows rows = CRD_ROWS_INIT;
    rows.values = source->values;
    rows.floats = source->floats;
    rows.rows = source->rows;
    rows.columns = source->columns;
    rows.stride = source->stride;
    rows.column_stride = source->column_stride;
    return rows;
}

/* Gets an optional buffer with `count` items. For None, *out is NULL and there is nothing to release. */
static int items_of(PyObject *object, const char *argument, const char *format, bool is_writable, size_t count,
                    Py_buffer *buffer, void **out) {
    *out = NULL;
    if (object == Py_None) return 0;
    if (buffer_of(object, argument, format, is_writable, false, buffer) < 0) return -1;
    if ((size_t)(buffer->len / buffer->itemsize) != count) {
        PyErr_Format(PyExc_ValueError, "%s: expected %zu items, got %zd", argument, count,
                     buffer->len / buffer->itemsize);
        PyBuffer_Release(buffer);
        return -1;
    }
    *out = buffer->buf;
    return 0;
}

/* ---- Models ---- */

/* Creates a schema whose column types follow from the values, as in files. It has a target, whose classes can be declared before rows have
 * them. */
static crd_status declare(module_state *state, const crd_text *names, size_t count, crd_text target,
                          const crd_text *classes, size_t class_count, crd_schema **out, crd_error *error) {
    crd_status status = crd_schema_create(state->context, out, error);
    for (size_t i = 0; status == CRD_OK && i <= count; i++) {
        crd_schema_column column = CRD_SCHEMA_COLUMN_INIT;
        if (i < count) {
            column.name = names[i];
        } else {
            column.name = target;
            column.role = CRD_ROLE_TARGET;
            column.type = CRD_TYPE_CATEGORICAL;
            column.values = classes;
            column.value_count = class_count;
        }
        status = crd_schema_add_column(*out, &column, error);
    }
    return status;
}

/* make_rows_model(names, target, settings=None, classes=None, weight=None) */
static PyObject *make_rows_model(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *names, *target, *settings_argument = Py_None, *classes = Py_None, *weight = Py_None;
    PyObject *owner = NULL, *class_owner = NULL, *result = NULL;
    crd_text target_text, weight_text, *texts = NULL, *class_texts = NULL;
    size_t count, class_count = 0;
    const crd_settings *settings;
    if (!PyArg_ParseTuple(arguments, "OO|OOO", &names, &target, &settings_argument, &classes, &weight) ||
        text_of(target, "target", false, &target_text) < 0 || text_of(weight, "weight", true, &weight_text) < 0 ||
        settings_of(state, settings_argument, &settings) < 0 || texts_of(names, "names", &texts, &count, &owner) < 0)
        return NULL;
    crd_schema *schema = NULL;
    crd_model *model = NULL;
    if (classes != Py_None && texts_of(classes, "classes", &class_texts, &class_count, &class_owner) < 0) goto done;
    core_call call;
    call_begin(&call, state);
    crd_status status = declare(state, texts, count, target_text, class_texts, class_count, &schema, &call.error);
    if (status == CRD_OK) status = crd_model_create_from_schema(state->context, schema, settings, &model, &call.error);
    if (status == CRD_OK && weight_text.bytes != NULL) status = crd_model_set_weight(model, weight_text, &call.error);
    crd_schema_destroy(schema);
    if (call_end(&call, status) < 0) crd_model_destroy(model);
    else result = model_wrap(state, model);
done:
    PyMem_Free(texts);
    PyMem_Free(class_texts);
    Py_XDECREF(owner);
    Py_XDECREF(class_owner);
    return result;
}

/* set_model_weight(model, name) */
static PyObject *set_model_weight(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *model_argument, *name;
    crd_text text;
    if (!PyArg_ParseTuple(arguments, "OO", &model_argument, &name) ||
        !check_type(state, model_argument, CORE_MODEL, "model") || text_of(name, "name", false, &text) < 0)
        return NULL;
    model_object *model = (model_object *)model_argument;
    core_call call;
    call_begin(&call, state);
    crd_status status = model_lock_write(model);
    if (status == CRD_OK) {
        status = crd_model_set_weight(model->model, text, &call.error);
        model_unlock(model);
    }
    if (call_end(&call, status) < 0) return NULL;
    Py_RETURN_NONE;
}

/* drop_declared_classes(model) */
static PyObject *drop_declared_classes(PyObject *module, PyObject *argument) {
    module_state *state = state_of_module(module);
    if (!check_type(state, argument, CORE_MODEL, "model")) return NULL;
    model_object *model = (model_object *)argument;
    core_call call;
    call_begin(&call, state);
    const crd_status status = model_lock_write(model);
    if (status == CRD_OK) {
        crd_model_drop_declared_classes(model->model);
        model_unlock(model);
    }
    if (call_end(&call, status) < 0) return NULL;
    Py_RETURN_NONE;
}

/* update_rows, forget_rows: (model, values, codes, classes, weights=None, threads=0) */
static PyObject *change_by_rows(PyObject *module, PyObject *arguments,
                                crd_status (*change)(crd_model *, const crd_rows *, crd_error *)) {
    module_state *state = state_of_module(module);
    PyObject *model_argument, *values, *codes, *classes, *weights = Py_None, *owner = NULL, *result = NULL;
    unsigned threads = 0;
    if (!PyArg_ParseTuple(arguments, "OOOO|OI", &model_argument, &values, &codes, &classes, &weights, &threads) ||
        !check_type(state, model_argument, CORE_MODEL, "model"))
        return NULL;
    matrix source;
    Py_buffer code_buffer, weight_buffer;
    void *code_items = NULL, *weight_items = NULL;
    crd_text *texts = NULL;
    size_t class_count;
    if (matrix_of(values, &source) < 0) return NULL;
    if (items_of(codes, "codes", "i", false, source.rows, &code_buffer, &code_items) < 0 ||
        items_of(weights, "weights", "d", false, source.rows, &weight_buffer, &weight_items) < 0 ||
        texts_of(classes, "classes", &texts, &class_count, &owner) < 0)
        goto done;
    crd_rows rows = rows_of(&source);
    rows.classes = code_items;
    rows.names = texts;
    rows.class_count = class_count;
    rows.weights = weight_items;
    rows.threads = threads;
    model_object *model = (model_object *)model_argument;
    core_call call;
    call_begin(&call, state);
    crd_status status = model_lock_write(model);
    if (status == CRD_OK) {
        status = change(model->model, &rows, &call.error);
        model_unlock(model);
    }
    if (call_end(&call, status) == 0) result = Py_NewRef(Py_None);
done:
    PyMem_Free(texts);
    Py_XDECREF(owner);
    if (weight_items != NULL) PyBuffer_Release(&weight_buffer);
    if (code_items != NULL) PyBuffer_Release(&code_buffer);
    PyBuffer_Release(&source.buffer);
    return result;
}

static PyObject *update_rows(PyObject *module, PyObject *arguments) {
    return change_by_rows(module, arguments, crd_model_update_rows);
}

static PyObject *forget_rows(PyObject *module, PyObject *arguments) {
    return change_by_rows(module, arguments, crd_model_forget_rows);
}

/* ---- Classifiers ---- */

/* The output buffers of predictions. A buffer is NULL if the result is not requested. */
typedef struct outputs {
    Py_buffer buffers[4];
    void *probabilities, *log_posteriors, *decisions, *answers;
} outputs;

static void release_outputs(outputs *destination) {
    void *const all[] = {destination->probabilities, destination->log_posteriors, destination->decisions,
                         destination->answers};
    for (size_t i = 0; i < 4; i++)
        if (all[i] != NULL) PyBuffer_Release(&destination->buffers[i]);
}

static int outputs_of(PyObject *const objects[4], size_t rows, size_t classes, outputs *destination) {
    *destination = (outputs){.probabilities = NULL};
    if (items_of(objects[0], "probabilities", "d", true, rows * classes, &destination->buffers[0],
                 &destination->probabilities) == 0 &&
        items_of(objects[1], "log_posteriors", "d", true, rows * classes, &destination->buffers[1],
                 &destination->log_posteriors) == 0 &&
        items_of(objects[2], "decisions", "i", true, rows, &destination->buffers[2], &destination->decisions) == 0 &&
        items_of(objects[3], "answers", "B", true, rows * sizeof(crd_answer), &destination->buffers[3],
                 &destination->answers) == 0)
        return 0;
    release_outputs(destination);
    return -1;
}

static crd_results results_of(const outputs *destination, size_t rows, unsigned threads) {
    crd_results results = CRD_RESULTS_INIT;
    results.rows = rows;
    results.probabilities = destination->probabilities;
    results.log_posteriors = destination->log_posteriors;
    results.decisions = destination->decisions;
    results.answers = destination->answers;
    results.threads = threads;
    return results;
}

/* classify_rows(classifier, values, probabilities=None, log_posteriors=None, decisions=None, answers=None, threads=0) */
static PyObject *classify_rows(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *classifier, *values, *objects[4] = {Py_None, Py_None, Py_None, Py_None}, *result = NULL;
    unsigned threads = 0;
    if (!PyArg_ParseTuple(arguments, "OO|OOOOI", &classifier, &values, &objects[0], &objects[1], &objects[2],
                          &objects[3], &threads) ||
        !check_type(state, classifier, CORE_CLASSIFIER, "classifier"))
        return NULL;
    const crd_classifier *under = ((classifier_object *)classifier)->classifier;
    matrix source;
    outputs destination;
    if (matrix_of(values, &source) < 0) return NULL;
    if (source.columns != crd_classifier_attribute_count(under)) {
        PyErr_Format(PyExc_ValueError, "values: expected %zu columns, got %zu", crd_classifier_attribute_count(under),
                     source.columns);
        goto done;
    }
    if (outputs_of(objects, source.rows, crd_classifier_class_count(under), &destination) < 0) goto done;
    const crd_rows rows = rows_of(&source);
    const crd_results results = results_of(&destination, source.rows, threads);
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_classifier_classify_rows(under, &rows, &results, &call.error);
    if (call_end(&call, status) == 0) result = Py_NewRef(Py_None);
    release_outputs(&destination);
done:
    PyBuffer_Release(&source.buffer);
    return result;
}

/* classify_all(classifier, reader, rows, probabilities=None, log_posteriors=None, decisions=None, answers=None): the reader must be
 * bound to the model and have `rows` rows. */
static PyObject *classify_all(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *classifier, *source, *objects[4] = {Py_None, Py_None, Py_None, Py_None}, *result = NULL;
    Py_ssize_t rows;
    if (!PyArg_ParseTuple(arguments, "OOn|OOOO", &classifier, &source, &rows, &objects[0], &objects[1], &objects[2],
                          &objects[3]) ||
        !check_type(state, classifier, CORE_CLASSIFIER, "classifier"))
        return NULL;
    const crd_classifier *under = ((classifier_object *)classifier)->classifier;
    outputs destination;
    if (outputs_of(objects, (size_t)rows, crd_classifier_class_count(under), &destination) < 0) return NULL;
    crd_reader *reader = reader_take(state, source);
    if (reader == NULL) goto done;
    const crd_results results = results_of(&destination, (size_t)rows, 0);
    size_t row_count = 0;
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_classifier_classify_reader(under, reader, &results, &row_count, &call.error);
    if (status == CRD_OK) crd_classifier_warn_unseen(under, reader, row_count);
    if (call_end(&call, status) == 0) result = PyLong_FromSize_t(row_count);
    reader_done(source);
done:
    release_outputs(&destination);
    return result;
}

/* classify_frame(classifier, frame, probabilities=None, log_posteriors=None, decisions=None, answers=None, threads=0) */
static PyObject *classify_frame(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *classifier, *frame, *objects[4] = {Py_None, Py_None, Py_None, Py_None}, *result = NULL;
    unsigned threads = 0;
    if (!PyArg_ParseTuple(arguments, "OO|OOOOI", &classifier, &frame, &objects[0], &objects[1], &objects[2],
                          &objects[3], &threads) ||
        !check_type(state, classifier, CORE_CLASSIFIER, "classifier") || !check_type(state, frame, CORE_FRAME, "frame"))
        return NULL;
    const crd_classifier *under = ((classifier_object *)classifier)->classifier;
    const crd_frame *source = ((frame_object *)frame)->frame;
    outputs destination;
    if (outputs_of(objects, crd_frame_rows(source), crd_classifier_class_count(under), &destination) < 0) return NULL;
    const crd_results results = results_of(&destination, crd_frame_rows(source), threads);
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_classifier_classify_frame(under, source, &results, &call.error);
    if (call_end(&call, status) == 0) result = Py_NewRef(Py_None);
    release_outputs(&destination);
    return result;
}

PyMethodDef rows_functions[] = {
    {"make_rows_model", make_rows_model, METH_VARARGS,
     "make_rows_model(names, target, settings=None, classes=None, weight=None) -> Model"},
    {"set_model_weight", set_model_weight, METH_VARARGS, "set_model_weight(model, name)"},
    {"drop_declared_classes", drop_declared_classes, METH_O, "drop_declared_classes(model)"},
    {"update_rows", update_rows, METH_VARARGS,
     "update_rows(model, values, codes, classes, weights=None, threads=0)\n\nvalues: doubles or floats in two "
     "dimensions, read without a copy; codes: int32, the index of each row's class in classes."},
    {"forget_rows", forget_rows, METH_VARARGS,
     "forget_rows(model, values, codes, classes, weights=None, threads=0)\n\nUndo update_rows() for the same rows."},
    {"classify_rows", classify_rows, METH_VARARGS,
     "classify_rows(classifier, values, probabilities=None, log_posteriors=None, decisions=None, answers=None, "
     "threads=0)\n\nResults are written into the given buffers: doubles, doubles, int32, and structs of the library."},
    {"classify_all", classify_all, METH_VARARGS,
     "classify_all(classifier, reader, rows, probabilities=None, log_posteriors=None, decisions=None, answers=None) -> "
     "int\n\nLike classify_rows(), for a reader that is bound to the model. Returns the number of rows."},
    {"classify_frame", classify_frame, METH_VARARGS,
     "classify_frame(classifier, frame, probabilities=None, log_posteriors=None, decisions=None, answers=None, "
     "threads=0)\n\nLike classify_rows(), for a frame."},
    {NULL, NULL, 0, NULL},
};
