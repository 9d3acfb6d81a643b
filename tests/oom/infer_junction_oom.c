/* SPDX-License-Identifier: MIT */
/* Each allocation of reading, writing, pruning, compiling and asking a network fails in turn: an error every time, and
 * no leak. */
#include "network_support.h"

static const char text[] =
    "network n { } variable a { type discrete [ 2 ] { x, y }; }"
    "variable b { type discrete [ 3 ] { p, q, r }; } variable c { type discrete [ 2 ] { x, y }; }"
    "variable d { type discrete [ 2 ] { x, y }; }"
    "probability (a) { table .2 .8; } probability (b | a) { (x) .2 .3 .5; default .1 .1 .8; }"
    "probability (c | a) { default .5 .5; } probability (d | b, c) { default 1 0; (p, x) 0 1; }";

typedef struct junction_objects {
    crd_network *network, *again;
    crd_i_buffer bytes;
    crd_i_junction *junction;
    crd_i_junction_work *work;
} junction_objects;

static crd_status whole_life(junction_objects *objects, crd_context *context, const int32_t *states, crd_error *error) {
    const bool targets[4] = {true, false, false, false};
    bool observed[4], tables[4];
    double posteriors[9];
    int32_t best[4];
    for (size_t i = 0; i < 4; i++) observed[i] = states[i] >= 0;
    objects->bytes.context = context;
    crd_status status = crd_i_bif_read(context, crd_text_of(text), "text", &objects->network, error);
    if (status == CRD_OK) status = crd_i_bif_write(objects->network, &objects->bytes, error);
    if (status != CRD_OK) return status;
    crd_text written = {(const char *)objects->bytes.bytes, objects->bytes.length};
    status = crd_i_bif_read(context, written, "text", &objects->again, error);
    if (status == CRD_OK) status = crd_i_prune(objects->again, targets, observed, tables, NULL, error);
    const crd_i_junction_options options = {.tables = tables, .observed = observed};
    const crd_i_evidence findings = {.states = states};
    if (status == CRD_OK) status = crd_i_junction_compile(objects->again, &options, &objects->junction, error);
    if (status == CRD_OK) status = crd_i_junction_work_create(objects->junction, &objects->work, error);
    if (status == CRD_OK) status = crd_i_junction_ask(objects->work, &findings, targets, posteriors, NULL, error);
    if (status == CRD_OK) status = crd_i_junction_most_probable(objects->work, &findings, best, NULL, error);
    return status;
}

static void every_allocation(void **state) {
    (void)state;
    static const int32_t cases[3][4] = {{-1, -1, -1, -1}, {-1, -1, -1, 1}, {-1, 2, -1, 1}};
    static const crd_status ends[3] = {CRD_OK, CRD_OK, CRD_ERROR_PROBABILITY};
    for (size_t way = 0; way < 3; way++)
        for (allocation_trial trial = {0}; allocation_trial_next(&trial);) {
            junction_objects objects = {0};
            crd_error error;
            assert_allocation_fails(&trial, whole_life(&objects, trial.context, cases[way], &error), ends[way], error);
            crd_i_junction_work_destroy(objects.work);
            crd_i_junction_destroy(objects.junction);
            crd_i_buffer_clear(&objects.bytes);
            crd_network_destroy(objects.network);
            crd_network_destroy(objects.again);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
