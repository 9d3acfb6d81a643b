/* SPDX-License-Identifier: MIT */
/* classify.c - returns the predictions of a classifier for all rows of a reader as arrays. */
#include "module.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The results of one frame. They are stored until they can be appended in row order. */
typedef struct slot {
    crd_posteriors *posteriors;
    double *fits;
    size_t fits_room;
} slot;

/* The result arrays of all rows. */
typedef struct answers {
    const crd_classifier *classifier;
    const crd_typicality *typicality; /* NULL: not requested */
    const crd_rule *rule;             /* NULL: no decision rule */
    size_t classes, actions;          /* actions 0: the rule has no costs */
    bool has_logs;
    slot *slots;
    uint64_t rows;
    core_block probabilities, logs, evidence, decisions, unseen, fits, taken, expected;
} answers;

static void free_answers(answers *all, unsigned slots) {
    core_block *blocks[] = {&all->probabilities, &all->logs, &all->evidence, &all->decisions,
                            &all->unseen,        &all->fits, &all->taken,    &all->expected};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) block_free(blocks[i]);
    for (unsigned i = 0; all->slots != NULL && i < slots; i++) {
        crd_posteriors_destroy(all->slots[i].posteriors);
        free(all->slots[i].fits);
    }
    free(all->slots);
    all->slots = NULL;
}

static crd_status no_memory(crd_error *error) {
    memset(error, 0, sizeof *error);
    error->status = CRD_ERROR_MEMORY;
    return CRD_ERROR_MEMORY;
}

static crd_status answer_frame(void *user, unsigned number, const crd_worker *worker, const crd_frame *frame,
                               crd_error *error) {
    (void)worker;
    const answers *all = user;
    slot *worker_slot = &all->slots[number];
    crd_status status = crd_classifier_classify(all->classifier, frame, worker_slot->posteriors, error);
    if (status != CRD_OK || all->typicality == NULL) return status;
    size_t rows = crd_posteriors_rows(worker_slot->posteriors);
    if (rows > worker_slot->fits_room) {
        double *new_fits = realloc(worker_slot->fits, rows * sizeof *new_fits);
        if (new_fits == NULL) return no_memory(error);
        worker_slot->fits = new_fits;
        worker_slot->fits_room = rows;
    }
    return crd_typicality_frame(all->typicality, frame, worker_slot->posteriors, worker_slot->fits, error);
}

/* Computes the decision of the rule, and the expected costs of all actions. */
static void decide(const answers *all, const double *logs, const double *probabilities, int32_t *taken,
                   double *expected) {
    crd_decision decision = CRD_DECISION_INIT;
    double *costs = all->actions > 0 ? expected + 1 : NULL;
    crd_rule_decide_probabilities(all->rule, logs, probabilities, costs, &decision);
    *taken = decision.action;
    if (costs != NULL) *expected = decision.expected_cost;
}

/* Copies the probabilities. If every class has probability 0, the posterior is undefined and the values are NaN. */
static void put_probabilities(const answers *all, const crd_answer *answer, const double *source, double *destination) {
    if (answer->decision >= 0) {
        memcpy(destination, source, all->classes * sizeof *destination);
        return;
    }
    for (size_t c = 0; c < all->classes; c++) destination[c] = NAN;
}

static crd_status take_frame(void *user, unsigned number, crd_error *error) {
    answers *all = user;
    const slot *worker_slot = &all->slots[number];
    size_t rows = crd_posteriors_rows(worker_slot->posteriors), classes = all->classes;
    double *probabilities = block_grow(&all->probabilities, rows * classes * sizeof(double));
    double *logs = all->has_logs ? block_grow(&all->logs, rows * classes * sizeof(double)) : NULL;
    double *evidence = block_grow(&all->evidence, rows * sizeof(double));
    int32_t *decisions = block_grow(&all->decisions, rows * sizeof(int32_t));
    int32_t *unseen = block_grow(&all->unseen, rows * sizeof(int32_t));
    double *fits = all->typicality != NULL ? block_grow(&all->fits, rows * sizeof(double)) : NULL;
    int32_t *taken = all->rule != NULL ? block_grow(&all->taken, rows * sizeof(int32_t)) : NULL;
    size_t width = all->actions > 0 ? all->actions + 1 : 0;
    double *expected = width > 0 ? block_grow(&all->expected, rows * width * sizeof(double)) : NULL;
    if (probabilities == NULL || (all->has_logs && logs == NULL) || evidence == NULL || decisions == NULL ||
        unseen == NULL || (all->typicality != NULL && fits == NULL) || (all->rule != NULL && taken == NULL) ||
        (width > 0 && expected == NULL))
        return rows == 0 ? CRD_OK : no_memory(error);
    for (size_t row = 0; row < rows; row++) {
        const crd_answer *answer = crd_posteriors_answer(worker_slot->posteriors, row);
        const double *p = crd_posteriors_probabilities(worker_slot->posteriors, row);
        const double *log = crd_posteriors_log(worker_slot->posteriors, row);
        put_probabilities(all, answer, p, probabilities + row * classes);
        if (logs != NULL) memcpy(logs + row * classes, log, classes * sizeof *logs);
        evidence[row] = answer->log_evidence;
        decisions[row] = answer->decision;
        unseen[row] = (int32_t)answer->unseen;
        if (fits != NULL) fits[row] = worker_slot->fits[row];
        if (taken != NULL) decide(all, log, p, &taken[row], expected == NULL ? NULL : expected + row * width);
    }
    all->rows += rows;
    return CRD_OK;
}

static crd_status begin_answers(void *user, crd_error *error) {
    answers *all = user;
    (void)error;
    all->probabilities.length = all->logs.length = all->evidence.length = all->decisions.length = 0;
    all->unseen.length = all->fits.length = all->taken.length = all->expected.length = 0;
    all->rows = 0;
    return CRD_OK;
}

static crd_status answer_all(module_state *state, answers *all, crd_reader *reader, unsigned *slots, crd_error *error) {
    crd_parallel_map map = CRD_PARALLEL_MAP_INIT;
    map.user = all;
    map.work = answer_frame;
    map.take = take_frame;
    map.begin = begin_answers;
    *slots = crd_parallel_map_slots(&map, reader);
    all->slots = calloc(*slots, sizeof *all->slots);
    if (all->slots == NULL) return no_memory(error);
    size_t widest = all->classes > all->actions ? all->classes : all->actions;
    crd_reader_set_frame_rows(reader, crd_posteriors_frame_rows(widest));
    crd_status status = CRD_OK;
    for (unsigned i = 0; i < *slots && status == CRD_OK; i++)
        status = crd_posteriors_create(state->context, &all->slots[i].posteriors, error);
    return status == CRD_OK ? crd_reader_parallel_map(reader, &map, error) : status;
}

static PyObject *record_of(module_state *state, answers *all) {
    PyObject *record = PyDict_New();
    if (record == NULL) return NULL;
    if (put(record, "rows", PyLong_FromUnsignedLongLong(all->rows)) < 0 ||
        put(record, "probabilities", block_wrap(state, &all->probabilities)) < 0 ||
        (all->has_logs && put(record, "log_posteriors", block_wrap(state, &all->logs)) < 0) ||
        put(record, "log_evidence", block_wrap(state, &all->evidence)) < 0 ||
        put(record, "decisions", block_wrap(state, &all->decisions)) < 0 ||
        put(record, "unseen", block_wrap(state, &all->unseen)) < 0 ||
        (all->typicality != NULL && put(record, "typicality", block_wrap(state, &all->fits)) < 0) ||
        (all->rule != NULL && put(record, "actions", block_wrap(state, &all->taken)) < 0) ||
        (all->actions > 0 && put(record, "costs", block_wrap(state, &all->expected)) < 0))
        Py_CLEAR(record);
    return record;
}

PyObject *classifier_classify_all(classifier_object *self, PyObject *source, const crd_typicality *typicality,
                                  const crd_rule *rule, bool has_logs) {
    module_state *state = state_of(self);
    crd_reader *reader = reader_take(state, source);
    if (reader == NULL) return NULL;
    answers all = {.classifier = self->classifier, .typicality = typicality, .rule = rule, .has_logs = has_logs};
    all.classes = crd_classifier_class_count(self->classifier);
    if (rule != NULL && rule->kind == CRD_RULE_COSTS) all.actions = rule->action_count;
    unsigned slots = 0;
    core_call call;
    call_begin(&call, state);
    crd_status status = answer_all(state, &all, reader, &slots, &call.error);
    if (status == CRD_OK) crd_classifier_warn_unseen(self->classifier, reader, all.rows);
    int failed = call_end(&call, status);
    reader_done(source);
    PyObject *record = failed < 0 ? NULL : record_of(state, &all);
    free_answers(&all, slots);
    return record;
}
