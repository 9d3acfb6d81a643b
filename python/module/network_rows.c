/* SPDX-License-Identifier: MIT */
/* network_rows.c - uses table rows as cases of a network, and draws rows from a network. */
#include "network_object.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Predictions for rows ---- */

/* The number of rows that are predicted together. It is smaller if the network has many nodes. */
enum { PART_ROWS = 4096, PART_CELLS = 1 << 22 };

/* The query for all rows, and the results so far. */
typedef struct row_answers {
    const crd_network *network;
    size_t *nodes, count, width; /* the queried nodes; the number of results per row */
    size_t *known, known_count;  /* nodes whose values are evidence */
    crd_network_engine *engine;
    size_t part; /* rows of a part */
    int32_t *states;
    double *numbers;
    uint32_t *unknown;
    double *posteriors, *log_evidence;
    size_t rows, capacity;
    uint64_t unknown_cells, rows_with_unknown;
} row_answers;

static void row_answers_free(row_answers *r) {
    crd_network_engine_destroy(r->engine);
    PyMem_Free(r->nodes);
    PyMem_Free(r->known);
    free(r->states);
    free(r->numbers);
    free(r->unknown);
    free(r->posteriors);
    free(r->log_evidence);
}

static bool has_column(const crd_reader *reader, crd_text name) {
    for (size_t i = 0; i < crd_reader_column_count(reader); i++)
        if (crd_text_equal(crd_reader_column_name(reader, i), name)) return true;
    return false;
}

/* Removes nodes without a column, which are never known. Skips this for several files and for JSON Lines, because later files and objects can have
 * columns that were not seen yet. */
static void leave_out_absent(row_answers *r, const crd_reader *reader, Py_ssize_t files) {
    size_t kept = 0;
    if (files != 1 || !crd_reader_has_header(reader) || crd_reader_format(reader) == CRD_FORMAT_JSON_LINES) return;
    for (size_t i = 0; i < r->known_count; i++)
        if (has_column(reader, crd_network_node_name(r->network, r->known[i]))) r->known[kept++] = r->known[i];
    r->known_count = kept;
}

static crd_status prepare(row_answers *r, crd_reader *reader, Py_ssize_t files, const evidence *known,
                          const crd_inference_options *options, crd_error *error) {
    size_t nodes = crd_network_node_count(r->network);
    crd_status status = crd_network_bind(r->network, r->known, r->known_count, reader, error);
    if (status != CRD_OK) return status;
    leave_out_absent(r, reader, files);
    r->part = PART_CELLS / (nodes + r->width + 1);
    if (r->part > PART_ROWS) r->part = PART_ROWS;
    if (r->part == 0) r->part = 1;
    r->states = malloc(r->part * nodes * sizeof *r->states);
    r->numbers = malloc(r->part * nodes * sizeof *r->numbers);
    r->unknown = malloc(r->part * sizeof *r->unknown);
    if (r->states == NULL || r->numbers == NULL || r->unknown == NULL) {
        memset(error, 0, sizeof *error);
        return CRD_ERROR_MEMORY;
    }
    const crd_network_query query = {sizeof query, known->items, known->count, r->nodes, r->count, options};
    return crd_network_engine_create(r->network, &query, r->known, r->known_count, &r->engine, error);
}

static bool make_room(row_answers *r, size_t more) {
    if (r->rows + more <= r->capacity) return true;
    size_t capacity = 2 * r->capacity > r->rows + more ? 2 * r->capacity : r->rows + more;
    double *posteriors = realloc(r->posteriors, (capacity * r->width + 1) * sizeof *posteriors);
    if (posteriors != NULL) r->posteriors = posteriors;
    double *log_evidence = realloc(r->log_evidence, capacity * sizeof *log_evidence);
    if (log_evidence != NULL) r->log_evidence = log_evidence;
    if (posteriors == NULL || log_evidence == NULL) return false;
    r->capacity = capacity;
    return true;
}

/* Sets the place of an error about a missing decision to the first row of the part that lacks it. */
static void place_error(const row_answers *r, const crd_reader *reader, size_t begin, size_t rows, crd_error *error) {
    size_t node = crd_network_find(r->network, crd_text_of(error->subject)), nodes = crd_network_node_count(r->network);
    if (error->status != CRD_ERROR_COLUMN || node == CRD_NONE) return;
    for (size_t row = 0; row < rows; row++) {
        if (r->states[row * nodes + node] >= 0) continue;
        error->line = crd_reader_line(reader, begin + row);
        const char *place = crd_reader_place(reader);
        strncpy(error->place, place == NULL ? "" : place, sizeof error->place - 1);
        return;
    }
}

static crd_status answer_part(row_answers *r, const crd_reader *reader, const crd_frame *frame, size_t begin,
                              size_t rows, crd_error *error) {
    crd_network_states(r->network, frame, begin, rows, r->states, r->unknown);
    crd_network_numbers(r->network, frame, begin, rows, r->numbers);
    if (!make_room(r, rows)) {
        memset(error, 0, sizeof *error);
        return CRD_ERROR_MEMORY;
    }
    crd_status status = crd_network_engine_posteriors(
        r->engine, r->states, r->numbers, rows, r->posteriors + r->rows * r->width, r->log_evidence + r->rows, error);
    if (status != CRD_OK) place_error(r, reader, begin, rows, error);
    for (size_t row = 0; status == CRD_OK && row < rows; row++) {
        r->unknown_cells += r->unknown[row];
        r->rows_with_unknown += r->unknown[row] > 0;
    }
    if (status == CRD_OK) r->rows += rows;
    return status;
}

static crd_status answer_rows(row_answers *r, crd_reader *reader, crd_error *error) {
    for (;;) {
        const crd_frame *frame = NULL;
        crd_status status = crd_reader_next(reader, &frame, error);
        if (status != CRD_OK || frame == NULL) return status;
        size_t rows = crd_frame_rows(frame);
        for (size_t begin = 0; status == CRD_OK && begin < rows; begin += r->part)
            status = answer_part(r, reader, frame, begin, rows - begin < r->part ? rows - begin : r->part, error);
        if (status != CRD_OK) return status;
    }
}

/* Converts the results of the rows. A Gaussian node has a mean and a standard deviation. An impossible row has NaN. */
static void finish_rows(row_answers *r) {
    double *cursor = r->posteriors;
    for (size_t row = 0; row < r->rows; row++) {
        bool is_possible = isfinite(r->log_evidence[row]) != 0;
        for (size_t i = 0; i < r->count; i++) {
            bool is_continuous = crd_network_node_kind(r->network, r->nodes[i]) == CRD_NODE_GAUSSIAN;
            size_t places = is_continuous ? 2 : crd_network_state_count(r->network, r->nodes[i]);
            if (is_continuous) cursor[1] = sqrt(cursor[1]);
            for (size_t k = 0; !is_possible && k < places; k++) cursor[k] = NAN;
            cursor += places;
        }
    }
}

static PyObject *answers_record(row_answers *r) {
    finish_rows(r);
    return Py_BuildValue(
        "nNNKK", (Py_ssize_t)r->rows,
        PyByteArray_FromStringAndSize((const char *)r->posteriors,
                                      (Py_ssize_t)(r->rows * r->width * sizeof *r->posteriors)),
        PyByteArray_FromStringAndSize((const char *)r->log_evidence, (Py_ssize_t)(r->rows * sizeof *r->log_evidence)),
        (unsigned long long)r->unknown_cells, (unsigned long long)r->rows_with_unknown);
}

/* network_rows(network, reader, files, findings, known, nodes, options): the number of rows, their posteriors and log evidence, the number
 * of values that are not states, and the number of rows with such values. */
static PyObject *network_rows(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *network, *source, *findings, *known_argument, *nodes_argument, *options_argument, *result = NULL;
    Py_ssize_t files;
    evidence known = {0};
    crd_inference_options options;
    row_answers r = {0};
    if (!PyArg_ParseTuple(arguments, "OOnOOOO", &network, &source, &files, &findings, &known_argument, &nodes_argument,
                          &options_argument) ||
        !check_type(state, network, CORE_NETWORK, "network") || inference_options_of(options_argument, &options) < 0)
        return NULL;
    r.network = ((network_object *)network)->network;
    if (nodes_of(r.network, nodes_argument, "of", &r.nodes, &r.count) < 0 ||
        nodes_of(r.network, known_argument, "known", &r.known, &r.known_count) < 0 ||
        evidence_of(r.network, findings, &known) < 0)
        goto done;
    for (size_t i = 0; i < r.count; i++) {
        bool is_continuous = crd_network_node_kind(r.network, r.nodes[i]) == CRD_NODE_GAUSSIAN;
        r.width += is_continuous ? 2 : crd_network_state_count(r.network, r.nodes[i]);
    }
    crd_reader *reader = reader_take(state, source);
    if (reader == NULL) goto done;
    core_call call;
    call_begin(&call, state);
    crd_status status = prepare(&r, reader, files, &known, &options, &call.error);
    if (status == CRD_OK) status = answer_rows(&r, reader, &call.error);
    int failed = call_end(&call, status);
    reader_done(source);
    if (failed == 0) result = answers_record(&r);
done:
    row_answers_free(&r);
    evidence_free(&known);
    return result;
}

/* ---- Rows as cases ---- */

/* The cases of all rows, with a state and a number for each node. */
typedef struct row_cases {
    core_block states, numbers;
    size_t rows;
} row_cases;

static crd_status read_cases(const crd_network *network, crd_reader *reader, row_cases *cases, crd_error *error) {
    size_t nodes = crd_network_node_count(network);
    for (;;) {
        const crd_frame *frame = NULL;
        crd_status status = crd_reader_next(reader, &frame, error);
        if (status != CRD_OK || frame == NULL) return status;
        size_t rows = crd_frame_rows(frame);
        if (rows == 0) continue;
        int32_t *states = block_grow(&cases->states, rows * nodes * sizeof *states);
        double *numbers = block_grow(&cases->numbers, rows * nodes * sizeof *numbers);
        if (states == NULL || numbers == NULL) {
            memset(error, 0, sizeof *error);
            return CRD_ERROR_MEMORY;
        }
        crd_network_states(network, frame, 0, rows, states, NULL);
        crd_network_numbers(network, frame, 0, rows, numbers);
        cases->rows += rows;
    }
}

/* network_cases(network, reader, nodes): the number of rows, and a state (-1: none) and a number of every node for each row. */
static PyObject *network_cases(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *network_argument, *source, *nodes_argument, *result = NULL;
    size_t *nodes = NULL, count = 0;
    row_cases cases = {0};
    if (!PyArg_ParseTuple(arguments, "OOO", &network_argument, &source, &nodes_argument) ||
        !check_type(state, network_argument, CORE_NETWORK, "network"))
        return NULL;
    const crd_network *network = ((network_object *)network_argument)->network;
    if (nodes_of(network, nodes_argument, "nodes", &nodes, &count) < 0) return NULL;
    crd_reader *reader = reader_take(state, source);
    if (reader != NULL) {
        core_call call;
        call_begin(&call, state);
        crd_status status = crd_network_bind(network, nodes, count, reader, &call.error);
        if (status == CRD_OK) status = read_cases(network, reader, &cases, &call.error);
        int failed = call_end(&call, status);
        reader_done(source);
        PyObject *states = failed < 0 ? NULL : block_wrap(state, &cases.states);
        if (states != NULL)
            result = Py_BuildValue("nNN", (Py_ssize_t)cases.rows, states, block_wrap(state, &cases.numbers));
    }
    block_free(&cases.states);
    block_free(&cases.numbers);
    PyMem_Free(nodes);
    return result;
}

/* ---- Sampling ---- */

/* Draws rows into one column per node: states, and numbers for Gaussian nodes. */
static crd_status draw_rows(crd_network_sampler *sampler, size_t nodes, uint64_t begin, size_t rows, int32_t *states,
                            double *numbers, crd_error *error) {
    int32_t *row_states = malloc((nodes + 1) * sizeof *row_states);
    double *row_numbers = malloc((nodes + 1) * sizeof *row_numbers);
    crd_status status = row_states == NULL || row_numbers == NULL ? CRD_ERROR_MEMORY : CRD_OK;
    if (status != CRD_OK) memset(error, 0, sizeof *error);
    for (size_t row = 0; status == CRD_OK && row < rows; row++) {
        status = crd_network_sampler_draw(sampler, begin + row, row_states, row_numbers, error);
        for (size_t i = 0; status == CRD_OK && i < nodes; i++) {
            states[i * rows + row] = row_states[i];
            if (numbers != NULL) numbers[i * rows + row] = row_numbers[i];
        }
    }
    free(row_states);
    free(row_numbers);
    return status;
}

static bool has_numbers(const crd_network *network) {
    bool has = false;
    for (size_t i = 0; i < crd_network_node_count(network); i++)
        has = has || crd_network_node_kind(network, i) == CRD_NODE_GAUSSIAN;
    return has;
}

/* network_sample(network, findings, begin, rows, options): states (int32), and numbers (doubles) or None, node by node. */
static PyObject *network_sample(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *network_argument, *findings, *options_argument, *states = NULL, *numbers = NULL;
    unsigned long long begin;
    Py_ssize_t rows;
    evidence known;
    crd_inference_options options;
    if (!PyArg_ParseTuple(arguments, "OOKnO", &network_argument, &findings, &begin, &rows, &options_argument) ||
        !check_type(state, network_argument, CORE_NETWORK, "network") ||
        inference_options_of(options_argument, &options) < 0)
        return NULL;
    const crd_network *network = ((network_object *)network_argument)->network;
    size_t nodes = crd_network_node_count(network);
    if (rows < 0 || (size_t)rows > (size_t)PY_SSIZE_T_MAX / sizeof(double) / (nodes + 1)) return PyErr_NoMemory();
    if (evidence_of(network, findings, &known) < 0) return NULL;
    states = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(nodes * (size_t)rows * sizeof(int32_t)));
    numbers = has_numbers(network) ? room_for_numbers(nodes * (size_t)rows) : Py_NewRef(Py_None);
    if (states == NULL || numbers == NULL) goto fail;
    int32_t *states_to = (int32_t *)(void *)PyByteArray_AsString(states);
    double *numbers_to = numbers == Py_None ? NULL : (double *)(void *)PyByteArray_AsString(numbers);
    crd_network_sampler *sampler = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_network_sampler_create(network, known.items, known.count, &options, &sampler, &call.error);
    if (status == CRD_OK) status = draw_rows(sampler, nodes, begin, (size_t)rows, states_to, numbers_to, &call.error);
    crd_network_sampler_destroy(sampler);
    if (call_end(&call, status) < 0) goto fail;
    evidence_free(&known);
    return Py_BuildValue("NN", states, numbers);
fail:
    Py_XDECREF(states);
    Py_XDECREF(numbers);
    evidence_free(&known);
    return NULL;
}

PyMethodDef network_rows_functions[] = {
    {"network_rows", network_rows, METH_VARARGS,
     "network_rows(network, reader, files, findings, known, nodes, options) -> tuple[int, bytearray, bytearray, int, "
     "int]"},
    {"network_cases", network_cases, METH_VARARGS, "network_cases(network, reader, nodes) -> tuple[int, Block, Block]"},
    {"network_sample", network_sample, METH_VARARGS,
     "network_sample(network, findings, begin, rows, options) -> tuple[bytearray, bytearray | None]"},
    {NULL, NULL, 0, NULL},
};
