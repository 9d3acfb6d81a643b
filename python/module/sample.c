/* SPDX-License-Identifier: MIT */
/* sample.c - draws rows from a model, and returns them as columns. */
#include "explain_record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One drawn column: numbers, codes of values whose texts are stored once, or separate texts for each row. */
typedef struct drawn_column {
    crd_column_type type;
    core_block numbers; /* doubles, or codes of four bytes */
    const char **texts; /* the text of each code, owned by the sampler: equal texts have the same address */
    size_t *lengths;
    size_t text_count, text_room;
    core_block text_bytes; /* texts that were created for single rows, one after the other */
    core_block ends;       /* the end of each of these texts */
} drawn_column;

static void drawn_free(drawn_column *columns, size_t count) {
    for (size_t i = 0; columns != NULL && i < count; i++) {
        block_free(&columns[i].numbers);
        block_free(&columns[i].text_bytes);
        block_free(&columns[i].ends);
        free(columns[i].texts);
        free(columns[i].lengths);
    }
    free(columns);
}

/* Returns the code of a text, found by its address. A column has few values, so the last code found is tried first. */
static int32_t code_of(drawn_column *column, crd_text text) {
    for (size_t i = 0; i < column->text_count; i++)
        if (column->lengths[i] == text.length &&
            (column->texts[i] == text.bytes || memcmp(column->texts[i], text.bytes, text.length) == 0))
            return (int32_t)i;
    if (column->text_count == column->text_room) {
        size_t capacity = column->text_room == 0 ? 8 : 2 * column->text_room;
        const char **texts = realloc(column->texts, capacity * sizeof *texts);
        if (texts == NULL) return -2;
        column->texts = texts;
        size_t *lengths = realloc(column->lengths, capacity * sizeof *lengths);
        if (lengths == NULL) return -2;
        column->lengths = lengths;
        column->text_room = capacity;
    }
    column->texts[column->text_count] = text.bytes;
    column->lengths[column->text_count] = text.length;
    return (int32_t)column->text_count++;
}

static crd_status take_number(drawn_column *column, double number) {
    double *destination = block_grow(&column->numbers, sizeof *destination);
    if (destination == NULL) return CRD_ERROR_MEMORY;
    *destination = number;
    return CRD_OK;
}

static crd_status take_code(drawn_column *column, const crd_value *value) {
    int32_t *destination = block_grow(&column->numbers, sizeof *destination);
    if (destination == NULL) return CRD_ERROR_MEMORY;
    *destination = value->type == CRD_TYPE_NONE ? -1 : code_of(column, value->text);
    return *destination == -2 ? CRD_ERROR_MEMORY : CRD_OK;
}

static crd_status take_text(drawn_column *column, crd_text text) {
    size_t *end = block_grow(&column->ends, sizeof *end);
    char *destination = text.length == 0 ? NULL : block_grow(&column->text_bytes, text.length);
    if (end == NULL || (destination == NULL && text.length > 0)) return CRD_ERROR_MEMORY;
    if (text.length > 0) memcpy(destination, text.bytes, text.length);
    *end = column->text_bytes.length;
    return CRD_OK;
}

static crd_status take_value(crd_context *context, const crd_sampler *sampler, uint64_t row, size_t index,
                             const crd_value *value, drawn_column *column, crd_error *error) {
    if (column->type == CRD_TYPE_NUMERIC)
        return take_number(column, value->type == CRD_TYPE_NUMERIC ? value->number : NAN);
    if (column->type != CRD_TYPE_TEXT) return take_code(column, value);
    if (value->type != CRD_TYPE_TEXT || value->text.bytes != NULL) return take_text(column, value->text);
    char *text = NULL;
    size_t length = 0;
    crd_status status = crd_sampler_text(sampler, row, index, &text, &length, error);
    if (status == CRD_OK) status = take_text(column, (crd_text){text, length});
    crd_free(context, text);
    return status;
}

/* Draws rows without the GIL. A single draw is too short to check for Ctrl-C and the deadline, so this loop does it. */
static crd_status draw_rows(module_state *state, const crd_sampler *sampler, uint64_t first, uint64_t count,
                            crd_value *values, drawn_column *columns, crd_error *error) {
    size_t width = crd_sampler_column_count(sampler);
    crd_status status = CRD_OK;
    for (uint64_t row = first; row < first + count && status == CRD_OK; row++) {
        if ((row - first) % 64 == 0) status = crd_sampler_check(sampler, error);
        if (status == CRD_OK) crd_sampler_draw(sampler, row, values);
        for (size_t i = 0; i < width && status == CRD_OK; i++)
            status = take_value(state->context, sampler, row, i, &values[i], &columns[i], error);
    }
    return status;
}

static PyObject *texts_list(const drawn_column *column) {
    PyObject *list = PyList_New(0);
    const size_t *ends = (const size_t *)(const void *)column->ends.bytes;
    size_t count = column->ends.length / sizeof *ends, begin = 0;
    for (size_t i = 0; list != NULL && i < count; i++) {
        crd_text text = {ends[i] > begin ? column->text_bytes.bytes + begin : "", ends[i] - begin};
        if (append_item(list, str_of(text)) < 0) Py_CLEAR(list);
        begin = ends[i];
    }
    return list;
}

static PyObject *column_record(module_state *state, const crd_sampler *sampler, size_t index, drawn_column *column) {
    PyObject *name = str_of(crd_sampler_column_name(sampler, index)), *names = NULL, *values = NULL;
    if (column->type == CRD_TYPE_TEXT) return Py_BuildValue("(NNO)", name, texts_list(column), Py_None);
    if (column->type == CRD_TYPE_NUMERIC)
        return Py_BuildValue("(NNO)", name, block_wrap(state, &column->numbers), Py_None);
    names = PyList_New(0);
    for (size_t i = 0; names != NULL && i < column->text_count; i++)
        if (append_item(names, str_of((crd_text){column->texts[i], column->lengths[i]})) < 0) Py_CLEAR(names);
    values = block_wrap(state, &column->numbers);
    return Py_BuildValue("(NNN)", name, values, names);
}

/* draw_rows(model, classifier, given, class_given, seed, first, count) -> list of (name, values, names) */
static PyObject *draw(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *model_argument, *classifier_argument, *given_argument, *class_argument, *list = NULL;
    unsigned long long seed, first, count;
    if (!PyArg_ParseTuple(arguments, "OOOOKKK", &model_argument, &classifier_argument, &given_argument, &class_argument,
                          &seed, &first, &count) ||
        !check_type(state, model_argument, CORE_MODEL, "model") ||
        !check_type(state, classifier_argument, CORE_CLASSIFIER, "classifier"))
        return NULL;
    model_object *model = (model_object *)model_argument;
    classifier_object *classifier = (classifier_object *)classifier_argument;
    const crd_settings *settings = crd_classifier_settings(classifier->classifier);
    crd_query *query = NULL;
    crd_sampler *sampler = NULL;
    crd_value *values = NULL;
    drawn_column *columns = NULL;
    size_t width = 0;
    core_given given;
    core_call call;
    call_begin(&call, state);
    crd_status status = model_lock_read(model);
    if (status == CRD_OK) {
        status = crd_query_create(model->model, settings, &query, &call.error);
        model_unlock(model);
    }
    if (call_end(&call, status) < 0 || given_begin(query, classifier, given_argument, class_argument, &given) < 0) {
        crd_query_destroy(query);
        return NULL;
    }
    call_begin(&call, state);
    status = model_lock_read(model);
    if (status == CRD_OK) {
        status = crd_sampler_create(model->model, settings, given.values, seed, &sampler, &call.error);
        model_unlock(model);
    }
    if (call_end(&call, status) < 0) goto done;
    width = crd_sampler_column_count(sampler);
    values = PyMem_Calloc(width + 1, sizeof *values);
    columns = calloc(width + 1, sizeof *columns);
    if (values == NULL || columns == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    for (size_t i = 0; i < width; i++) columns[i].type = crd_sampler_column_type(sampler, i);
    call_begin(&call, state);
    status = draw_rows(state, sampler, first, count, values, columns, &call.error);
    if (status == CRD_ERROR_MEMORY) call.error = (crd_error){.status = CRD_ERROR_MEMORY};
    if (call_end(&call, status) < 0) goto done;
    list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < width; i++)
        if (append_item(list, column_record(state, sampler, i, &columns[i])) < 0) Py_CLEAR(list);
done:
    drawn_free(columns, width);
    PyMem_Free(values);
    crd_sampler_destroy(sampler);
    given_end(&given);
    crd_query_destroy(query);
    return list;
}

PyMethodDef sample_functions[] = {
    {"draw_rows", draw, METH_VARARGS,
     "draw_rows(model, classifier, given, class_given, seed, first, count) -> list[tuple]\n\nReturns for each column "
     "its name, its values (doubles, codes or texts) and the names of codes."},
    {NULL, NULL, 0, NULL},
};
