/* SPDX-License-Identifier: MIT */
/* Cancelling while a classifier is derived that is fitted to rows: whenever it comes, the call ends with that status
 * and leaves nothing behind, and what was derived without it is as ever. */
#include "model_support.h"

#include "unit/math_random.h"

typedef struct cancel_patience {
    crd_context *context;
    atomic_size_t allocations, most; /* the one at which it ends, from 1; 0: never */
    atomic_long live;
    size_t last; /* allocations of what was derived */
} cancel_patience;

static void *resize(void *user, void *block, size_t bytes) {
    cancel_patience *patience = user;
    if (bytes == 0) {
        patience->live -= block != NULL;
        free(block);
        return NULL;
    }
    if (++patience->allocations == patience->most) crd_context_cancel(patience->context);
    patience->live += block == NULL;
    return realloc(block, bytes);
}

static crd_context *open(cancel_patience *patience) {
    crd_context_options options = CRD_CONTEXT_OPTIONS_INIT;
    options.resize = resize;
    options.resize_user = patience;
    patience->most = 0;
    assert_int_equal(crd_context_create(&options, &patience->context), CRD_OK);
    return patience->context;
}

enum { ROWS = 60, ROW_ROOM = 80 };

static void write_table(char *text) {
    char *cursor = text + sprintf(text, "a,b,c,y\n");
    random_state = 11;
    for (size_t row = 0; row < ROWS; row++) {
        unsigned class = (unsigned)(random_bits() % 2);
        cursor += sprintf(cursor, "%u,%u,v%u,k%u\n", (unsigned)(random_bits() % 50) + 7 * class,
                          (unsigned)(random_bits() % 90), (unsigned)(random_bits() % 3), class);
    }
}

static crd_status derive(cancel_patience *patience, const char *const *options, size_t most) {
    char text[ROWS * ROW_ROOM];
    crd_context *context = open(patience);
    crd_settings *settings;
    crd_classifier *classifier;
    crd_error error;
    write_table(text);
    crd_model *model = trained_keeping(context, text, "y", "all,cross-products,pair-counts,rows");
    assert_done(crd_settings_create(context, &settings, &error), error);
    for (const char *const *pairs = options; *pairs != NULL; pairs += 2)
        assert_done(crd_settings_set(settings, pairs[0], crd_text_of(pairs[1]), &error), error);
    patience->allocations = 0;
    patience->most = most;
    crd_status status = crd_classifier_create(model, settings, &classifier, &error);
    patience->last = patience->allocations;
    assert_true((status == CRD_OK) == (classifier != NULL));
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    crd_settings_destroy(settings);
    crd_context_destroy(context);
    if (patience->live != 0)
        fail_msg("%s %s, cancelled at allocation %zu: %ld blocks are left", options[0], options[1], most,
                 (long)patience->live);
    return status;
}

static void test_cancelled_anywhere(void **state) {
    (void)state;
    static const char *const methods[][5] = {
        {"method", "stacking", NULL},  {"method", "pairwise", NULL},
        {"method", "trees", NULL},     {"attribute-weights", "fitted", "calibration", "platt", NULL},
        {"method", "bagging:4", NULL}, {"joint", "numbers", "joint-mixture", "auto", NULL}};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        cancel_patience patience = {.most = 0};
        assert_int_equal(derive(&patience, methods[i], 0), CRD_OK);
        size_t all = patience.last;
        assert_true(all > 100);
        for (size_t part = 0; part < 40; part++)
            assert_int_equal(derive(&patience, methods[i], 1 + all / 2 * part / 39), CRD_ERROR_CANCELLED);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cancelled_anywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
