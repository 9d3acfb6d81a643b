/* SPDX-License-Identifier: MIT */
/* hmm.c - Hmm: a hidden Markov model with settings, its probabilities, and its predictions for sequences. */
#include "sequences.h"

#include <stdlib.h>
#include <string.h>

static void hmm_dealloc(PyObject *object) {
    hmm_object *self = (hmm_object *)object;
    crd_hmm_destroy(self->hmm);
    crd_model_destroy(self->model);
    free_object(self);
}

crd_status model_copy(module_state *state, model_object *source, crd_model **out, crd_error *error) {
    unsigned char *bytes = NULL;
    size_t length = 0;
    crd_status status = model_lock_read(source);
    if (status == CRD_OK) {
        status = crd_model_encode(source->model, &bytes, &length, error);
        model_unlock(source);
    }
    if (status == CRD_OK) status = crd_model_decode(state->context, bytes, length, out, error);
    crd_free(state->context, bytes);
    return status;
}

/* make_hmm(model, settings=None) */
static PyObject *make_hmm(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *model, *settings_argument = Py_None;
    const crd_settings *settings;
    if (!PyArg_ParseTuple(arguments, "O|O", &model, &settings_argument) ||
        !check_type(state, model, CORE_MODEL, "model") || settings_of(state, settings_argument, &settings) < 0)
        return NULL;
    hmm_object *self = new_object(state, CORE_HMM);
    if (self == NULL) return NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = model_copy(state, (model_object *)model, &self->model, &call.error);
    if (status == CRD_OK) status = crd_hmm_create(self->model, settings, &self->hmm, &call.error);
    if (call_end(&call, status) < 0) Py_CLEAR(self);
    return (PyObject *)self;
}

/* ---- Properties ---- */

static crd_text state_at(const void *hmm, size_t i) {
    return crd_hmm_state(hmm, i);
}

static PyObject *hmm_states(PyObject *object, PyObject *unused) {
    (void)unused;
    const crd_hmm *hmm = ((hmm_object *)object)->hmm;
    return name_list(crd_hmm_state_count(hmm), state_at, hmm);
}

static PyObject *hmm_facts(PyObject *object, PyObject *unused) {
    (void)unused;
    const crd_hmm *hmm = ((hmm_object *)object)->hmm;
    double all = 0;
    const double ruled_out = crd_hmm_ruled_out(hmm, &all);
    return Py_BuildValue(
        "{s:n,s:N,s:N,s:N,s:n,s:n,s:d,s:d}", "order", (Py_ssize_t)crd_hmm_facts_of(hmm)->order, "is_hidden",
        PyBool_FromLong(crd_hmm_facts_of(hmm)->is_hidden), "is_stated",
        PyBool_FromLong(crd_hmm_facts_of(hmm)->is_stated), "has_end", PyBool_FromLong(crd_hmm_facts_of(hmm)->has_end),
        "components", (Py_ssize_t)crd_hmm_facts_of(hmm)->components, "parameters",
        (Py_ssize_t)crd_hmm_facts_of(hmm)->parameter_count, "ruled_out", ruled_out, "transitions", all);
}

static double *doubles(size_t count) {
    double *numbers = PyMem_Calloc(count > 0 ? count : 1, sizeof *numbers);
    if (numbers == NULL) PyErr_NoMemory();
    return numbers;
}

/* Returns whether a number is the index of a state. */
static bool is_state(const crd_hmm *hmm, size_t state) {
    if (state < crd_hmm_state_count(hmm)) return true;
    if (PyErr_Occurred() == NULL)
        PyErr_Format(PyExc_IndexError, "state: out of range, the model has %zu", crd_hmm_state_count(hmm));
    return false;
}

/* next(context): P(next state | latest states) for all states, and the end probability. */
static PyObject *hmm_next(PyObject *object, PyObject *context) {
    hmm_object *self = (hmm_object *)object;
    PyObject *list = PySequence_List(context), *result = NULL;
    if (list == NULL) return NULL;
    size_t length = (size_t)PyList_Size(list), states = crd_hmm_state_count(self->hmm), latest[8];
    double *probabilities = NULL, end = 0;
    const size_t skipped = length > 8 ? length - 8 : 0;
    length -= skipped;
    for (size_t i = 0; i < length; i++) {
        latest[i] = PyLong_AsSize_t(PyList_GetItem(list, (Py_ssize_t)(i + skipped)));
        if (!is_state(self->hmm, latest[i])) goto done;
    }
    probabilities = doubles(states);
    if (probabilities == NULL) goto done;
    crd_error error;
    if (crd_hmm_next(self->hmm, latest, length, probabilities, &end, &error) != CRD_OK)
        raise_error(self->head.state, &error);
    else result = Py_BuildValue("Nd", floats_of(probabilities, states), end);
done:
    PyMem_Free(probabilities);
    Py_DECREF(list);
    return result;
}

/* long_run(): the stationary distribution, and the mean duration of a visit to each state. */
static PyObject *hmm_long_run(PyObject *object, PyObject *unused) {
    (void)unused;
    hmm_object *self = (hmm_object *)object;
    const size_t states = crd_hmm_state_count(self->hmm);
    double *both = doubles(2 * states);
    if (both == NULL) return NULL;
    core_call call;
    call_begin(&call, self->head.state);
    crd_status status = crd_hmm_long_run(self->hmm, both, both + states, &call.error);
    PyObject *result = call_end(&call, status) < 0
                           ? NULL
                           : Py_BuildValue("NN", floats_of(both, states), floats_of(both + states, states));
    PyMem_Free(both);
    return result;
}

/* ---- Results for all sequences, written to arrays ---- */

/* log_likelihoods(sequences, out, threads=0) */
static PyObject *hmm_log_likelihoods(PyObject *object, PyObject *arguments) {
    hmm_object *self = (hmm_object *)object;
    PyObject *given, *out_argument;
    unsigned threads = 0;
    Py_buffer out;
    if (!PyArg_ParseTuple(arguments, "OO|I", &given, &out_argument, &threads)) return NULL;
    const crd_sequences *sequences = sequences_of(self->head.state, given);
    if (sequences == NULL || room_of(out_argument, "out", "d", crd_sequences_count(sequences), &out) < 0) return NULL;
    core_call call;
    call_begin(&call, self->head.state);
    crd_status status = crd_hmm_log_likelihoods(self->hmm, sequences, threads, out.buf, &call.error);
    const int failed = call_end(&call, status);
    PyBuffer_Release(&out);
    if (failed < 0) return NULL;
    Py_RETURN_NONE;
}

/* The output arrays of decoding. */
typedef struct decoded_arrays {
    size_t state_count;
    uint64_t step; /* index of the step among the steps of all sequences */
    int32_t *states;
    double *posteriors, *log_evidence;           /* one item per step */
    double *log_likelihoods, *log_probabilities; /* one item per sequence */
} decoded_arrays;

static crd_status take_piece(void *user, const crd_decoded *piece, crd_error *error) {
    (void)error;
    decoded_arrays *arrays = user;
    memcpy(arrays->states + arrays->step, piece->states, piece->steps * sizeof *piece->states);
    if (piece->posteriors != NULL) {
        memcpy(arrays->posteriors + arrays->step * arrays->state_count, piece->posteriors,
               piece->steps * arrays->state_count * sizeof *piece->posteriors);
        memcpy(arrays->log_evidence + arrays->step, piece->log_evidence, piece->steps * sizeof *piece->log_evidence);
    }
    arrays->step += piece->steps;
    if (piece->from + piece->steps == piece->length) {
        arrays->log_likelihoods[piece->sequence] = piece->log_likelihood;
        arrays->log_probabilities[piece->sequence] = piece->log_probabilities[0];
    }
    return CRD_OK;
}

/* decode(sequences, by_posterior, states, posteriors, log_evidence, log_likelihoods, log_probabilities, threads=0) */
static PyObject *hmm_decode(PyObject *object, PyObject *arguments) {
    hmm_object *self = (hmm_object *)object;
    PyObject *given, *rooms[5];
    static const char *const names[5] = {"states", "posteriors", "log_evidence", "log_likelihoods",
                                         "log_probabilities"};
    crd_decode_options options = CRD_DECODE_OPTIONS_INIT;
    int by_posterior = 0;
    if (!PyArg_ParseTuple(arguments, "OpOOOOO|I", &given, &by_posterior, &rooms[0], &rooms[1], &rooms[2], &rooms[3],
                          &rooms[4], &options.threads))
        return NULL;
    const crd_sequences *sequences = sequences_of(self->head.state, given);
    if (sequences == NULL) return NULL;
    options.decoding = by_posterior ? CRD_DECODING_POSTERIOR : CRD_DECODING_VITERBI;
    options.with_probabilities = 1;
    const size_t steps = (size_t)crd_sequences_rows(sequences), count = crd_sequences_count(sequences),
                 states = crd_hmm_state_count(self->hmm);
    const size_t sizes[5] = {steps, steps * states, steps, count, count};
    Py_buffer buffers[5];
    PyObject *result = NULL;
    size_t held = 0;
    while (held < 5 && room_of(rooms[held], names[held], held == 0 ? "i" : "d", sizes[held], &buffers[held]) == 0)
        held++;
    if (held == 5) {
        decoded_arrays arrays = {.state_count = states,
                                 .states = buffers[0].buf,
                                 .posteriors = buffers[1].buf,
                                 .log_evidence = buffers[2].buf,
                                 .log_likelihoods = buffers[3].buf,
                                 .log_probabilities = buffers[4].buf};
        core_call call;
        call_begin(&call, self->head.state);
        crd_status status = crd_hmm_decode(self->hmm, sequences, &options, take_piece, &arrays, &call.error);
        if (call_end(&call, status) == 0) result = Py_NewRef(Py_None);
    }
    while (held > 0) PyBuffer_Release(&buffers[--held]);
    return result;
}

/* Computes fixed-lag smoothing: the posterior of each step after `lag` more steps, or at the end of its sequence. */
static crd_status filter_all(const crd_hmm *hmm, const crd_sequences *sequences, size_t lag, double *posteriors,
                             double *log_evidence, crd_error *error) {
    crd_hmm_filter *filter = NULL;
    const size_t states = crd_hmm_state_count(hmm);
    crd_status status = crd_hmm_filter_create(hmm, lag, &filter, error);
    for (size_t s = 0; status == CRD_OK && s < crd_sequences_count(sequences); s++) {
        const uint64_t length = crd_sequences_length(sequences, s);
        crd_hmm_filter_begin(filter);
        for (uint64_t t = 0; status == CRD_OK && t < length; t++) {
            status = crd_hmm_filter_push(filter, sequences, s, t, log_evidence++, error);
            if (status == CRD_OK && t >= lag) {
                status = crd_hmm_filter_posterior(filter, lag, 0, posteriors, error);
                posteriors += states;
            }
        }
        const uint64_t tail = length < lag ? length : lag;
        for (uint64_t back = tail; status == CRD_OK && back-- > 0; posteriors += states)
            status = crd_hmm_filter_posterior(filter, (size_t)back, 1, posteriors, error);
    }
    crd_hmm_filter_destroy(filter);
    return status;
}

/* filter(sequences, lag, posteriors, log_evidence) */
static PyObject *hmm_filter(PyObject *object, PyObject *arguments) {
    hmm_object *self = (hmm_object *)object;
    PyObject *given, *posterior_room, *evidence_room;
    Py_ssize_t lag;
    Py_buffer posteriors, evidence;
    if (!PyArg_ParseTuple(arguments, "OnOO", &given, &lag, &posterior_room, &evidence_room)) return NULL;
    const crd_sequences *sequences = sequences_of(self->head.state, given);
    if (sequences == NULL) return NULL;
    if (lag < 0) {
        PyErr_Format(PyExc_ValueError, "lag: expected 0 or more steps, got %zd", lag);
        return NULL;
    }
    const size_t steps = (size_t)crd_sequences_rows(sequences);
    if (room_of(posterior_room, "posteriors", "d", steps * crd_hmm_state_count(self->hmm), &posteriors) < 0)
        return NULL;
    if (room_of(evidence_room, "log_evidence", "d", steps, &evidence) < 0) {
        PyBuffer_Release(&posteriors);
        return NULL;
    }
    core_call call;
    call_begin(&call, self->head.state);
    crd_status status = filter_all(self->hmm, sequences, (size_t)lag, posteriors.buf, evidence.buf, &call.error);
    const int failed = call_end(&call, status);
    PyBuffer_Release(&posteriors);
    PyBuffer_Release(&evidence);
    if (failed < 0) return NULL;
    Py_RETURN_NONE;
}

/* Returns the classifier's attribute for each column of the sequences; SIZE_MAX if there is no such attribute. */
static size_t *attributes_of(const crd_classifier *classifier, const crd_sequences *sequences) {
    const size_t columns = crd_sequences_column_count(sequences);
    size_t *attributes = malloc((columns + 1) * sizeof *attributes);
    for (size_t c = 0; attributes != NULL && c < columns; c++) {
        attributes[c] = SIZE_MAX;
        for (size_t a = 0; a < crd_classifier_attribute_count(classifier); a++)
            if (crd_text_equal(crd_classifier_attribute(classifier, a), crd_sequences_column_name(sequences, c)))
                attributes[c] = a;
    }
    return attributes;
}

/* Counts the values of each step whose category did not occur in training. */
static crd_status count_unseen(const crd_hmm *hmm, const crd_sequences *sequences, int32_t *out, crd_error *error) {
    const crd_classifier *classifier = crd_hmm_facts_of(hmm)->emissions;
    const size_t columns = crd_sequences_column_count(sequences);
    size_t *attributes = attributes_of(classifier, sequences);
    crd_value *values = calloc(crd_classifier_attribute_count(classifier) + 1, sizeof *values);
    double *logs = calloc(crd_classifier_class_count(classifier) + 1, sizeof *logs);
    crd_sequence_cursor *cursor = NULL;
    crd_status status = attributes == NULL || values == NULL || logs == NULL
                            ? CRD_ERROR_MEMORY
                            : crd_sequence_cursor_create(sequences, &cursor, error);
    for (size_t s = 0; status == CRD_OK && s < crd_sequences_count(sequences); s++)
        for (uint64_t t = 0; status == CRD_OK && t < crd_sequences_length(sequences, s); t++) {
            crd_answer answer = {0};
            status = crd_sequence_cursor_move(cursor, s, t, error);
            for (size_t c = 0; status == CRD_OK && c < columns; c++)
                if (attributes[c] != SIZE_MAX && crd_sequence_cursor_code(cursor, c) >= 0)
                    values[attributes[c]] = crd_sequence_cursor_value(cursor, c);
                else if (attributes[c] != SIZE_MAX) values[attributes[c]].type = CRD_TYPE_NONE;
            if (status == CRD_OK) status = crd_classifier_posterior(classifier, values, logs, NULL, &answer, error);
            *out++ = (int32_t)answer.unseen;
        }
    crd_sequence_cursor_destroy(cursor);
    free(logs);
    free(values);
    free(attributes);
    return status;
}

/* unseen(sequences, out) */
static PyObject *hmm_unseen(PyObject *object, PyObject *arguments) {
    hmm_object *self = (hmm_object *)object;
    PyObject *given, *out_argument;
    Py_buffer out;
    if (!PyArg_ParseTuple(arguments, "OO", &given, &out_argument)) return NULL;
    const crd_sequences *sequences = sequences_of(self->head.state, given);
    if (sequences == NULL || room_of(out_argument, "out", "i", (size_t)crd_sequences_rows(sequences), &out) < 0)
        return NULL;
    core_call call;
    call_begin(&call, self->head.state);
    crd_status status = count_unseen(self->hmm, sequences, out.buf, &call.error);
    const int failed = call_end(&call, status);
    PyBuffer_Release(&out);
    if (failed < 0) return NULL;
    Py_RETURN_NONE;
}

/* ---- Results for one sequence ---- */

/* best_paths(sequences, sequence, count): a list of (states, log probability). */
static PyObject *hmm_best_paths(PyObject *object, PyObject *arguments) {
    hmm_object *self = (hmm_object *)object;
    PyObject *given, *result = NULL;
    Py_ssize_t sequence, count;
    if (!PyArg_ParseTuple(arguments, "Onn", &given, &sequence, &count)) return NULL;
    const crd_sequences *sequences = sequences_of(self->head.state, given);
    if (sequences == NULL) return NULL;
    if (sequence < 0 || (size_t)sequence >= crd_sequences_count(sequences) || count < 1) {
        PyErr_SetString(PyExc_IndexError, "best_paths: unknown sequence, or a count below 1");
        return NULL;
    }
    const size_t length = (size_t)crd_sequences_length(sequences, (size_t)sequence);
    int32_t *states = PyMem_Malloc((size_t)count * (length + 1) * sizeof *states);
    double *logs = doubles((size_t)count);
    size_t path_count = 0;
    if (states == NULL || logs == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    core_call call;
    call_begin(&call, self->head.state);
    crd_status status = crd_hmm_best_paths(self->hmm, sequences, (size_t)sequence, (size_t)count, states, logs,
                                           &path_count, &call.error);
    if (call_end(&call, status) < 0) goto done;
    result = PyList_New(0);
    for (size_t p = 0; result != NULL && p < path_count; p++) {
        PyObject *path = PyList_New((Py_ssize_t)length);
        for (size_t t = 0; path != NULL && t < length; t++)
            if (PyList_SetItem(path, (Py_ssize_t)t, PyLong_FromLong(states[p * length + t])) < 0) Py_CLEAR(path);
        PyObject *item = path == NULL ? NULL : Py_BuildValue("Nd", path, logs[p]);
        if (append_item(result, item) < 0) Py_CLEAR(result);
    }
done:
    PyMem_Free(states);
    PyMem_Free(logs);
    return result;
}

/* Creates a query of one sequence, after checking its number. Returns NULL with an exception on failure. */
static crd_sequence_query *query_of(hmm_object *self, PyObject *given, Py_ssize_t sequence) {
    const crd_sequences *sequences = sequences_of(self->head.state, given);
    crd_sequence_query *query = NULL;
    if (sequences == NULL) return NULL;
    if (sequence < 0 || (size_t)sequence >= crd_sequences_count(sequences)) {
        PyErr_Format(PyExc_IndexError, "sequence: out of range, the number of sequences is %zu",
                     crd_sequences_count(sequences));
        return NULL;
    }
    core_call call;
    call_begin(&call, self->head.state);
    crd_status status = crd_sequence_query_create(self->hmm, sequences, &query, &call.error);
    if (call_end(&call, status) < 0) {
        crd_sequence_query_destroy(query);
        return NULL;
    }
    return query;
}

/* joint(sequences, sequence, [(step, state), ...]): log P(observations), and log P(observations, the given states at the given steps). */
static PyObject *hmm_joint(PyObject *object, PyObject *arguments) {
    hmm_object *self = (hmm_object *)object;
    PyObject *given, *pairs, *result = NULL;
    Py_ssize_t sequence;
    if (!PyArg_ParseTuple(arguments, "OnO", &given, &sequence, &pairs)) return NULL;
    PyObject *list = PySequence_List(pairs);
    if (list == NULL) return NULL;
    const Py_ssize_t count = PyList_Size(list);
    crd_state_at *states = PyMem_Malloc((size_t)(count + 1) * sizeof *states);
    crd_sequence_query *query = NULL;
    if (states == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        unsigned long long step;
        Py_ssize_t state;
        if (!PyArg_ParseTuple(PyList_GetItem(list, i), "Kn", &step, &state) || !is_state(self->hmm, (size_t)state))
            goto done;
        states[i] = (crd_state_at){.step = step, .state = (size_t)state};
    }
    query = query_of(self, given, sequence);
    if (query == NULL) goto done;
    double likelihood = 0, joint = 0;
    core_call call;
    call_begin(&call, self->head.state);
    crd_status status =
        crd_sequence_query_joint(query, (size_t)sequence, states, (size_t)count, &likelihood, &joint, &call.error);
    if (call_end(&call, status) == 0) result = Py_BuildValue("dd", likelihood, joint);
done:
    crd_sequence_query_destroy(query);
    PyMem_Free(states);
    Py_DECREF(list);
    return result;
}

/* forecast(sequences, sequence, horizon, out): P(state) at each step after the last one; out has horizon x states items. */
static PyObject *hmm_forecast(PyObject *object, PyObject *arguments) {
    hmm_object *self = (hmm_object *)object;
    PyObject *given, *out_argument;
    Py_ssize_t sequence, horizon;
    Py_buffer out;
    if (!PyArg_ParseTuple(arguments, "OnnO", &given, &sequence, &horizon, &out_argument)) return NULL;
    if (horizon < 1) {
        PyErr_Format(PyExc_ValueError, "horizon: expected 1 or more steps, got %zd", horizon);
        return NULL;
    }
    crd_sequence_query *query = query_of(self, given, sequence);
    if (query == NULL) return NULL;
    int failed = room_of(out_argument, "out", "d", (size_t)horizon * crd_hmm_state_count(self->hmm), &out);
    if (failed == 0) {
        core_call call;
        call_begin(&call, self->head.state);
        crd_status status = crd_sequence_query_forecast(query, (size_t)sequence, (size_t)horizon, out.buf, &call.error);
        failed = call_end(&call, status);
        PyBuffer_Release(&out);
    }
    crd_sequence_query_destroy(query);
    if (failed < 0) return NULL;
    Py_RETURN_NONE;
}

/* explain(sequences, sequence, step): the contributions of the past, the observation and the future to each state. */
static PyObject *hmm_explain(PyObject *object, PyObject *arguments) {
    hmm_object *self = (hmm_object *)object;
    PyObject *given, *result = NULL;
    Py_ssize_t sequence;
    unsigned long long step;
    if (!PyArg_ParseTuple(arguments, "OnK", &given, &sequence, &step)) return NULL;
    const size_t states = crd_hmm_state_count(self->hmm),
                 attributes = crd_classifier_attribute_count(crd_hmm_facts_of(self->hmm)->emissions);
    crd_step_explanation explanation = CRD_STEP_EXPLANATION_INIT;
    crd_sequence_query *query = query_of(self, given, sequence);
    if (query == NULL) return NULL;
    double *buffer = doubles((attributes + 5) * states);
    if (buffer == NULL) goto done;
    double *past = buffer, *observation = buffer + states, *future = buffer + 2 * states,
           *posterior = buffer + 3 * states, *terms = buffer + 4 * states;
    core_call call;
    call_begin(&call, self->head.state);
    crd_status status = crd_sequence_query_explain(query, (size_t)sequence, step, past, observation, future, posterior,
                                                   &explanation, &call.error);
    if (status == CRD_OK) status = crd_sequence_query_terms(query, (size_t)sequence, step, terms, &call.error);
    if (call_end(&call, status) < 0) goto done;
    PyObject *columns = PyList_New(0);
    for (size_t a = 0; columns != NULL && a <= attributes; a++) {
        PyObject *item =
            Py_BuildValue("NN",
                          a < attributes ? str_of(crd_classifier_attribute(crd_hmm_facts_of(self->hmm)->emissions, a))
                                         : Py_NewRef(Py_None),
                          floats_of(terms + a * states, states));
        if (append_item(columns, item) < 0) Py_CLEAR(columns);
    }
    if (columns != NULL)
        result = Py_BuildValue("{s:d,s:i,s:i,s:d,s:N,s:N,s:N,s:N,s:N}", "log_likelihood", explanation.log_likelihood,
                               "posterior", (int)explanation.posterior, "path", (int)explanation.path, "log_path",
                               explanation.log_path, "past", floats_of(past, states), "observation",
                               floats_of(observation, states), "future", floats_of(future, states), "log_posterior",
                               floats_of(posterior, states), "terms", columns);
done:
    PyMem_Free(buffer);
    crd_sequence_query_destroy(query);
    return result;
}

/* ---- New sequences ---- */

static PyObject *cell_of(const crd_value *value) {
    if (value->type == CRD_TYPE_NUMERIC) return number_of(value->number);
    if (value->type == CRD_TYPE_NONE) Py_RETURN_NONE;
    return str_of(value->text);
}

/* Draws one sequence, and returns it as a list of tuples. */
static PyObject *sample_one(crd_sequence_sampler *sampler, crd_value *values, size_t columns, Py_ssize_t length,
                            bool may_end) {
    PyObject *rows = PyList_New(0);
    for (Py_ssize_t t = 0; rows != NULL && (length == 0 || t < length); t++) {
        if (!crd_sequence_sampler_next(sampler, may_end, values)) break;
        PyObject *row = PyTuple_New((Py_ssize_t)columns);
        for (size_t c = 0; row != NULL && c < columns; c++) {
            PyObject *cell = cell_of(&values[c]);
            if (cell == NULL || PyTuple_SetItem(row, (Py_ssize_t)c, cell) < 0) Py_CLEAR(row);
        }
        if (row == NULL || PyList_Append(rows, row) < 0 || PyErr_CheckSignals() < 0) Py_CLEAR(rows);
        Py_XDECREF(row);
    }
    return rows;
}

/* sample(count, length, seed, settings=None): column names, and sequences as lists of tuples; with length 0, each sequence runs until its end. */
static PyObject *hmm_sample(PyObject *object, PyObject *arguments) {
    hmm_object *self = (hmm_object *)object;
    module_state *state = self->head.state;
    Py_ssize_t count, length;
    unsigned long long seed;
    PyObject *names = NULL, *sequences = NULL;
    if (!PyArg_ParseTuple(arguments, "nnK", &count, &length, &seed)) return NULL;
    crd_sequence_sampler *sampler = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status =
        crd_sequence_sampler_create(self->model, crd_hmm_facts_of(self->hmm)->settings, seed, &sampler, &call.error);
    if (call_end(&call, status) < 0) return NULL;
    const size_t columns = crd_sequence_sampler_column_count(sampler);
    crd_value *values = PyMem_Calloc(columns + 1, sizeof *values);
    const bool ends = crd_sequence_sampler_ends(sampler) != 0;
    if (values == NULL) PyErr_NoMemory();
    else if (length <= 0 && !ends)
        PyErr_SetString(PyExc_ValueError, "rows: must be given, because the model has no end probabilities");
    else {
        names = PyList_New(0);
        for (size_t c = 0; names != NULL && c < columns; c++) {
            PyObject *name = str_of(crd_sequence_sampler_column_name(sampler, c));
            if (append_item(names, name) < 0) Py_CLEAR(names);
        }
        sequences = names != NULL ? PyList_New(0) : NULL;
        for (Py_ssize_t s = 0; sequences != NULL && s < count; s++) {
            crd_sequence_sampler_begin(sampler, (uint64_t)s);
            PyObject *rows = sample_one(sampler, values, columns, length, length <= 0);
            if (append_item(sequences, rows) < 0) Py_CLEAR(sequences);
        }
    }
    PyMem_Free(values);
    crd_sequence_sampler_destroy(sampler);
    if (sequences == NULL) {
        Py_XDECREF(names);
        return NULL;
    }
    return Py_BuildValue("NN", names, sequences);
}

static PyMethodDef methods[] = {
    {"states", hmm_states, METH_NOARGS, "states() -> list[str]"},
    {"facts", hmm_facts, METH_NOARGS, "facts() -> dict"},
    {"next", hmm_next, METH_O, "next(context) -> tuple[list[float], float]"},
    {"long_run", hmm_long_run, METH_NOARGS, "long_run() -> tuple[list[float], list[float]]"},
    {"log_likelihoods", hmm_log_likelihoods, METH_VARARGS, "log_likelihoods(sequences, out, threads=0)"},
    {"decode", hmm_decode, METH_VARARGS,
     "decode(sequences, by_posterior, states, posteriors, log_evidence, log_likelihoods, log_probabilities, "
     "threads=0)"},
    {"filter", hmm_filter, METH_VARARGS, "filter(sequences, lag, posteriors, log_evidence)"},
    {"unseen", hmm_unseen, METH_VARARGS, "unseen(sequences, out)"},
    {"best_paths", hmm_best_paths, METH_VARARGS,
     "best_paths(sequences, sequence, count) -> list[tuple[list[int], float]]"},
    {"joint", hmm_joint, METH_VARARGS, "joint(sequences, sequence, states) -> tuple[float, float]"},
    {"forecast", hmm_forecast, METH_VARARGS, "forecast(sequences, sequence, horizon, out)"},
    {"explain", hmm_explain, METH_VARARGS, "explain(sequences, sequence, step) -> dict"},
    {"sample", hmm_sample, METH_VARARGS, "sample(count, length, seed) -> tuple[list[str], list[list[tuple]]]"},
    {NULL, NULL, 0, NULL},
};

PyMethodDef hmm_functions[] = {
    {"make_hmm", make_hmm, METH_VARARGS, "make_hmm(model, settings=None) -> Hmm"},
    {NULL, NULL, 0, NULL},
};

CORE_TYPE(hmm, CORE_HMM, "Hmm", hmm_object, hmm_dealloc, methods,
          "A hidden Markov model under settings; immutable. Created by make_hmm().");
