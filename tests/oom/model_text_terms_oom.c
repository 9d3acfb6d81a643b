/* SPDX-License-Identifier: MIT */
/* Each allocation of listing the terms of a text, of making its bag, and of those of a matrix of counts, fails in turn: an error every time, and no leak. */
#include "model_support.h"

#include "text/tokens.h"

#include <credence/credence.h>
#include <credence/term_matrix.h>

static const char text[] = "Free pills for l'\xc3\x89t\xc3\xa9, e\xcc\x81t\xc3\xa9 and free rides";

static int take(void *user, const crd_text_term *term) {
    (void)term;
    ++*(size_t *)user;
    return 0;
}

static crd_status make_bag(crd_context *context, const crd_i_token_rules *rules, crd_error *error) {
    crd_i_tokenizer *tokenizer;
    crd_i_buffer bag = {.context = context};
    crd_status status = crd_i_tokenizer_create(context, rules, &tokenizer, error);
    if (status == CRD_OK) status = crd_i_bag_encode(tokenizer, crd_text_of(text), &bag, error);
    if (status != CRD_OK) assert_int_equal(bag.length, 0);
    crd_i_buffer_clear(&bag);
    crd_i_tokenizer_destroy(tokenizer);
    return status;
}

static crd_status add_matrix(crd_context *context, crd_error *error) {
    static const crd_text terms[] = {{"rides", 5}, {"free", 4}, {"pills", 5}};
    static const int64_t offsets[] = {0, 4, 4};
    static const int32_t columns[] = {0, 1, 2, 1};
    static const double counts[] = {1, 1, 2, 1};
    crd_term_matrix matrix = CRD_TERM_MATRIX_INIT;
    matrix.terms = terms;
    matrix.term_count = 3;
    matrix.offsets = offsets;
    matrix.columns = columns;
    matrix.counts = counts;
    crd_frame *frame = NULL;
    crd_status status = crd_frame_create(context, 2, &frame, error);
    if (status == CRD_OK) status = crd_frame_add_term_counts(frame, crd_text_of("text"), &matrix, error);
    crd_frame_destroy(frame);
    return status;
}

static void allocations_fail(void **state) {
    (void)state;
    static const crd_i_token_rules rules[] = {{CRD_I_TOKENS_WORDS, true, 1, 1, 0, 0, ""},
                                              {CRD_I_TOKENS_WORDS, true, 1, 2, 3, 10, "english"}};
    for (size_t way = 0; way < 4; way++)
        for (allocation_trial trial = {0}; allocation_trial_next(&trial);) {
            crd_error error;
            size_t terms = 0;
            if (way < 2) assert_allocation_fails(&trial, make_bag(trial.context, &rules[way], &error), CRD_OK, error);
            else if (way == 3) assert_allocation_fails(&trial, add_matrix(trial.context, &error), CRD_OK, error);
            else
                assert_allocation_fails(&trial,
                                        crd_text_terms(trial.context, NULL, crd_text_of(text), take, &terms, &error),
                                        CRD_OK, error);
            if (way == 2 && !trial.has_failed) assert_int_equal(terms, 8);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(allocations_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
