/* SPDX-License-Identifier: MIT */
/* evaluation.c - hostile bytes as an evaluation of a part of the rows: refused, or one that is written as the same bytes again, can be
 * scored, and merged with itself.
 *
 * The first byte says what it is an evaluation of, the second which allocation fails in a run of its own. The checksum is made right, since it
 * would turn away nearly every mutation. */
#include "evaluate/evaluation.h"
#include "fuzz.h"

#include "io/section.h"

#include <stdlib.h>
#include <string.h>

enum { OF_ROWS, OF_LABELS, OF_SEQUENCES, OF_MODEL, KINDS };
enum { CHOICES = 2, CHECKSUM = 4 };

static const char TABLE[] = "x,c,w,y\n1,u,1,k\n5,v,2,l\n2,u,1,k\n4,v,3,m\n3,,1,l\n";

/* The bytes of what was read, which are those that were given. */
static void check_bytes(crd_context *context, crd_status status, const uint8_t *given, size_t length,
                        unsigned char *bytes, size_t written, bool may_fail) {
    FUZZ_CHECK(status == CRD_OK || may_fail);
    if (status == CRD_OK) FUZZ_CHECK(written == length && memcmp(bytes, given, length) == 0);
    crd_free(context, bytes);
}

static void score(const crd_evaluation *evaluation) {
    crd_scores *scores = NULL;
    crd_curve *curve = NULL;
    crd_totals totals = CRD_TOTALS_INIT;
    crd_error error = {0};
    crd_status status = crd_scores_create(evaluation, &scores, &error);
    FUZZ_CHECK((status == CRD_OK) == (scores != NULL) && (status == CRD_OK || error.message[0] != '\0'));
    if (status == CRD_OK) crd_scores_totals(scores, &totals);
    status = crd_curve_create(evaluation, 0, &curve, &error);
    FUZZ_CHECK((status == CRD_OK) == (curve != NULL));
    crd_curve_destroy(curve);
    crd_scores_destroy(scores);
}

static void read_rows(crd_context *context, const uint8_t *bytes, size_t length, bool may_fail) {
    crd_evaluation *read = NULL, *again = NULL;
    crd_error error = {0};
    unsigned char *written = NULL;
    size_t size = 0;
    crd_status status = crd_evaluation_decode(context, bytes, length, &read, &error);
    FUZZ_CHECK((status == CRD_OK) == (read != NULL) && (status == CRD_OK || error.message[0] != '\0'));
    if (status != CRD_OK) return;
    status = crd_evaluation_encode(read, &written, &size, &error);
    check_bytes(context, status, bytes, length, written, size, may_fail);
    score(read);
    status = crd_evaluation_decode(context, bytes, length, &again, &error);
    if (status == CRD_OK) status = crd_evaluation_merge(read, again, &error);
    FUZZ_CHECK(status == CRD_OK || may_fail);
    score(read);
    crd_evaluation_destroy(again);
    crd_evaluation_destroy(read);
}

/* A pair of labels that stands there twice is added up: what was written is read again as it is. */
static void read_labels(crd_context *context, const uint8_t *bytes, size_t length, bool may_fail) {
    crd_labeling *read = NULL, *again = NULL;
    crd_labeling_scores scores = CRD_LABELING_SCORES_INIT;
    crd_error error = {0};
    unsigned char *first = NULL, *second = NULL;
    size_t size = 0, size_again = 0;
    crd_status status = crd_i_labeling_decode(context, bytes, length, &read, &error);
    FUZZ_CHECK((status == CRD_OK) == (read != NULL) && (status == CRD_OK || error.message[0] != '\0'));
    if (status != CRD_OK) return;
    status = crd_i_labeling_encode(read, &first, &size, &error);
    if (status == CRD_OK) status = crd_i_labeling_decode(context, first, size, &again, &error);
    if (status == CRD_OK) status = crd_i_labeling_encode(again, &second, &size_again, &error);
    check_bytes(context, status, first, size, second, size_again, may_fail);
    crd_free(context, first);
    if (status == CRD_OK) status = crd_i_labeling_merge(read, again, &error);
    FUZZ_CHECK(status == CRD_OK || may_fail);
    (void)!crd_labeling_score(read, &scores, &error);
    crd_labeling_destroy(again);
    crd_labeling_destroy(read);
}

static void read_sequences(crd_context *context, const uint8_t *bytes, size_t length, bool may_fail) {
    crd_sequence_evaluation *read = NULL, *again = NULL;
    crd_span_scores scores = CRD_SPAN_SCORES_INIT;
    crd_error error = {0};
    unsigned char *written = NULL;
    size_t size = 0;
    crd_status status = crd_sequence_evaluation_decode(context, bytes, length, &read, &error);
    FUZZ_CHECK((status == CRD_OK) == (read != NULL) && (status == CRD_OK || error.message[0] != '\0'));
    if (status != CRD_OK) return;
    status = crd_sequence_evaluation_encode(read, &written, &size, &error);
    check_bytes(context, status, bytes, length, written, size, may_fail);
    status = crd_sequence_evaluation_decode(context, bytes, length, &again, &error);
    if (status == CRD_OK) status = crd_sequence_evaluation_merge(read, again, &error);
    FUZZ_CHECK(status == CRD_OK || error.message[0] != '\0');
    if (crd_sequence_evaluation_items(read) != NULL) score(crd_sequence_evaluation_items(read));
    crd_spans_totals(crd_sequence_evaluation_spans(read), &scores);
    crd_sequence_evaluation_destroy(again);
    crd_sequence_evaluation_destroy(read);
}

/* A model with its classifier and a rule of decisions. */
typedef struct evaluation_judge {
    crd_model *model;
    crd_classifier *classifier;
    crd_rule *rule;
} evaluation_judge;

static crd_status make_judge(crd_context *context, evaluation_judge *judge, crd_error *error) {
    const crd_text classes[] = {{"k", 1}, {"l", 1}, {"m", 1}};
    crd_reader *reader = NULL;
    crd_status status = crd_reader_open_memory(context, TABLE, sizeof TABLE - 1, "t", NULL, &reader, error);
    if (status == CRD_OK) status = crd_reader_select_target(reader, crd_text_of("y"), error);
    if (status == CRD_OK) status = crd_model_train(context, reader, NULL, &judge->model, NULL, error);
    crd_reader_close(reader);
    if (status == CRD_OK) status = crd_classifier_create(judge->model, NULL, &judge->classifier, error);
    return status == CRD_OK ? crd_rule_create_reject(context, classes, 3, .6, crd_text_of("?"), &judge->rule, error)
                            : status;
}

static void destroy_judge(evaluation_judge *judge) {
    crd_rule_destroy(judge->rule);
    crd_classifier_destroy(judge->classifier);
    crd_model_destroy(judge->model);
}

/* The part twice. */
static void read_part(crd_context *context, const uint8_t *bytes, size_t length) {
    crd_assessment_options options = CRD_ASSESSMENT_OPTIONS_INIT;
    crd_outcome_totals totals = CRD_OUTCOME_TOTALS_INIT;
    crd_assessment *assessment = NULL;
    crd_error error = {0};
    evaluation_judge judge = {NULL, NULL, NULL};
    const unsigned char *parts[] = {bytes, bytes};
    const size_t lengths[] = {length, length};
    crd_status status = make_judge(context, &judge, &error);
    if (status == CRD_OK) status = crd_assessment_of_model(judge.model, judge.classifier, NULL, 0, &assessment, &error);
    options.rule = judge.rule;
    options.is_part = 1;
    if (status == CRD_OK) status = crd_assessment_run_parts(assessment, &options, parts, lengths, 2, &error);
    FUZZ_CHECK(status == CRD_OK || error.message[0] != '\0');
    if (status == CRD_OK) {
        score(crd_assessment_evaluation(assessment));
        crd_outcomes_totals(crd_assessment_facts_of(assessment)->outcomes, &totals);
    }
    crd_assessment_destroy(assessment);
    destroy_judge(&judge);
}

static void read(unsigned kind, const uint8_t *bytes, size_t length, unsigned refuse) {
    fuzz_accounts accounts;
    crd_context *context = fuzz_context(&accounts, refuse);
    switch (kind) {
    case OF_ROWS: read_rows(context, bytes, length, refuse != 0); break;
    case OF_LABELS: read_labels(context, bytes, length, refuse != 0); break;
    case OF_SEQUENCES: read_sequences(context, bytes, length, refuse != 0); break;
    default: read_part(context, bytes, length); break;
    }
    fuzz_context_end(context, &accounts);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    if (length < CHOICES + CHECKSUM) return 0;
    const unsigned kind = bytes[0] % KINDS, refuse = bytes[1];
    const size_t size = length - CHOICES;
    unsigned char *sealed = malloc(size);
    FUZZ_CHECK(sealed != NULL);
    memcpy(sealed, bytes + CHOICES, size);
    const uint32_t sum = crd_i_checksum(sealed, size - CHECKSUM);
    for (int i = 0; i < CHECKSUM; i++) sealed[size - CHECKSUM + (size_t)i] = (unsigned char)(sum >> (8 * i));
    read(kind, sealed, size, 0);
    if (refuse != 0) read(kind, sealed, size, refuse);
    free(sealed);
    return 0;
}

/* ---- Seeds ---- */

static void emit_bytes(crd_context *context, unsigned kind, unsigned char *bytes, size_t length, fuzz_emit emit,
                       void *user) {
    for (unsigned refuse = 0; refuse < 60; refuse += 29) {
        unsigned char *input = malloc(CHOICES + length);
        FUZZ_CHECK(input != NULL);
        input[0] = (unsigned char)kind;
        input[1] = (unsigned char)refuse;
        memcpy(input + CHOICES, bytes, length);
        emit(user, input, CHOICES + length);
        free(input);
    }
    crd_free(context, bytes);
}

static void emit_rows(crd_context *context, fuzz_emit emit, void *user) {
    const crd_text classes[] = {{"a", 1}, {"b", 1}}, others[] = {{"a", 1}, {"other", 5}, {"b", 1}};
    const double logs[] = {-0.1, -2.352168461044971};
    crd_evaluation *evaluation = NULL;
    unsigned char *bytes = NULL;
    size_t length = 0;
    FUZZ_CHECK(crd_evaluation_create(context, classes, 2, &evaluation, NULL) == CRD_OK);
    for (size_t i = 0; i < 3; i++) {
        crd_i_evaluation_set_fold(evaluation, (uint32_t)i);
        FUZZ_CHECK(crd_evaluation_add(evaluation, logs, others[i], 1 + (double)i, NULL, NULL) == CRD_OK);
    }
    FUZZ_CHECK(crd_evaluation_encode(evaluation, &bytes, &length, NULL) == CRD_OK);
    emit_bytes(context, OF_ROWS, bytes, length, emit, user);
    crd_evaluation_destroy(evaluation);
}

static void emit_labels(crd_context *context, fuzz_emit emit, void *user) {
    crd_labeling *labeling = NULL;
    unsigned char *bytes = NULL;
    size_t length = 0;
    FUZZ_CHECK(crd_labeling_create(context, &labeling, NULL) == CRD_OK);
    FUZZ_CHECK(crd_labeling_add(labeling, crd_text_of("1"), crd_text_of("a"), 1, NULL) == CRD_OK);
    FUZZ_CHECK(crd_labeling_add(labeling, crd_text_of("2"), crd_text_of("b"), .5, NULL) == CRD_OK);
    FUZZ_CHECK(crd_i_labeling_encode(labeling, &bytes, &length, NULL) == CRD_OK);
    emit_bytes(context, OF_LABELS, bytes, length, emit, user);
    crd_labeling_destroy(labeling);
}

static void emit_sequences(crd_context *context, fuzz_emit emit, void *user) {
    const crd_text classes[] = {{"B-x", 3}, {"O", 1}};
    crd_sequence_evaluation *evaluation = NULL;
    unsigned char *bytes = NULL;
    size_t length = 0;
    FUZZ_CHECK(crd_sequence_evaluation_create(context, classes, 2, NULL, &evaluation, NULL) == CRD_OK);
    FUZZ_CHECK(crd_sequence_evaluation_encode(evaluation, &bytes, &length, NULL) == CRD_OK);
    emit_bytes(context, OF_SEQUENCES, bytes, length, emit, user);
    crd_sequence_evaluation_destroy(evaluation);
}

static void emit_part(crd_context *context, fuzz_emit emit, void *user) {
    crd_assessment_options options = CRD_ASSESSMENT_OPTIONS_INIT;
    crd_reader *reader = NULL;
    crd_assessment *assessment = NULL;
    evaluation_judge judge = {NULL, NULL, NULL};
    unsigned char *bytes = NULL;
    size_t length = 0;
    FUZZ_CHECK(make_judge(context, &judge, NULL) == CRD_OK);
    FUZZ_CHECK(crd_reader_open_memory(context, TABLE, sizeof TABLE - 1, "t", NULL, &reader, NULL) == CRD_OK);
    FUZZ_CHECK(crd_assessment_of_model(judge.model, judge.classifier, reader, 0, &assessment, NULL) == CRD_OK);
    options.rule = judge.rule;
    FUZZ_CHECK(crd_assessment_run(assessment, &options, NULL) == CRD_OK);
    FUZZ_CHECK(crd_assessment_encode(assessment, &bytes, &length, NULL) == CRD_OK);
    emit_bytes(context, OF_MODEL, bytes, length, emit, user);
    crd_assessment_destroy(assessment);
    crd_reader_close(reader);
    destroy_judge(&judge);
}

void fuzz_seeds(fuzz_emit emit, void *user) {
    fuzz_accounts accounts;
    crd_context *context = fuzz_context(&accounts, 0);
    emit_rows(context, emit, user);
    emit_labels(context, emit, user);
    emit_sequences(context, emit, user);
    emit_part(context, emit, user);
    fuzz_context_end(context, &accounts);
}
