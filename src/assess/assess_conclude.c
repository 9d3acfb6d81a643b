/* SPDX-License-Identifier: MIT */
/* assess_conclude.c - conclusions from scores and rules, and the comparison of predicted classes with known labels. */
#include "base/collective.h"
#include "base/error.h"
#include "base/struct_size.h"
#include "model/model_internal.h"
#include "table/read/reader.h"

#include <credence/assess.h>
#include <math.h>
#include <string.h>

/* A model is overconfident if its log loss exceeds the baseline by more than 10 % and, over all rows, by more than
 * 10 nats. */
int crd_totals_is_overconfident(const crd_totals *totals) {
    static const double PART = 0.1, NATS = 10;
    crd_totals own = CRD_TOTALS_INIT;
    if (!crd_i_copy_in(totals, &own, sizeof own)) return 0;
    const double excess = own.log_loss - own.baseline_log_loss;
    return !isinf(own.log_loss) && excess > PART * own.baseline_log_loss && excess * own.weight > NATS;
}

/* ---- Costs of a threshold ---- */

/* Returns the action that predicts the class, or else its cheapest action. */
static size_t action_for(const crd_rule *rule, size_t class_index) {
    size_t cheapest = 0;
    for (size_t a = 0; a < crd_rule_action_count(rule); a++) {
        if (crd_rule_action_class(rule, a) == (int32_t)class_index) return a;
        if (crd_rule_cost(rule, class_index, a) < crd_rule_cost(rule, class_index, cheapest)) cheapest = a;
    }
    return cheapest;
}

crd_status crd_rule_curve_costs(const crd_rule *rule, size_t positive, crd_curve_costs *out, crd_error *error) {
    crd_curve_costs costs = CRD_CURVE_COSTS_INIT;
    if (crd_rule_is(rule) != CRD_RULE_COSTS || crd_rule_class_count(rule) != 2 || positive > 1)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "costs of a threshold need a cost table with two classes");
    const size_t negative = 1 - positive, yes = action_for(rule, positive), no = action_for(rule, negative);
    costs.true_positive = crd_rule_cost(rule, positive, yes);
    costs.false_negative = crd_rule_cost(rule, positive, no);
    costs.false_positive = crd_rule_cost(rule, negative, yes);
    costs.true_negative = crd_rule_cost(rule, negative, no);
    crd_i_copy_out(&costs, sizeof costs, out);
    return CRD_OK;
}

/* ---- Labelings ---- */

/* The state of a comparison of predicted classes with a column of known labels. */
typedef struct conclude_comparison {
    const crd_classifier *classifier;
    crd_reader *reader;
    size_t column;
    crd_posteriors *posteriors;
    crd_labelling *labelling;
    uint64_t unlabelled;
} conclude_comparison;

/* Begins again, without rows. */
static crd_status assess_conclude_begin(conclude_comparison *c, crd_context *context, crd_error *error) {
    crd_labelling_destroy(c->labelling);
    c->labelling = NULL;
    c->unlabelled = 0;
    return crd_labelling_create(context, &c->labelling, error);
}

/* Classifies the rows of a frame and adds their labels. */
static crd_status assess_conclude_add_frame(conclude_comparison *c, const crd_frame *frame, crd_error *error) {
    crd_status status = crd_classifier_classify(c->classifier, frame, c->posteriors, error);
    for (size_t row = 0; status == CRD_OK && row < crd_frame_rows(frame); row++) {
        const crd_answer *answer = crd_posteriors_answer(c->posteriors, row);
        const crd_text known = crd_reader_cell(c->reader, row, c->column);
        if (known.length == 0 || crd_i_reader_is_missing(c->reader, known)) c->unlabelled++;
        else if (answer->decision >= 0)
            status = crd_labelling_add(c->labelling, crd_classifier_class(c->classifier, (size_t)answer->decision),
                                       known, 1, error);
    }
    return status;
}

/* Merges the labelings of all processes in a group. Does nothing if there is only one process. */
static crd_status assess_conclude_share(conclude_comparison *c, crd_context *context, crd_status status,
                                        crd_error *error) {
    unsigned char *copy = NULL;
    size_t length = 0;
    crd_i_gathered labels, counts;
    if (!crd_i_is_collective(context)) return status;
    if (status == CRD_OK) status = crd_labelling_encode(c->labelling, &copy, &length, error);
    status = crd_i_gather(context, status, copy, length, &labels, error);
    crd_free(context, copy);
    if (status != CRD_OK) return status;
    status = crd_i_gather(context, status, &c->unlabelled, sizeof c->unlabelled, &counts, error);
    if (status == CRD_OK) status = assess_conclude_begin(c, context, error);
    for (unsigned i = 0; status == CRD_OK && i < crd_i_process_count(context); i++) {
        crd_labelling *part = NULL;
        uint64_t unlabelled = 0;
        crd_i_received message = {counts.bytes[i], counts.lengths[i]};
        if (!crd_i_received_take(&message, &unlabelled, sizeof unlabelled)) status = crd_i_fail_received(error);
        c->unlabelled += unlabelled;
        if (status == CRD_OK) status = crd_labelling_decode(context, labels.bytes[i], labels.lengths[i], &part, error);
        if (status == CRD_OK) status = crd_labelling_merge(c->labelling, part, error);
        crd_labelling_destroy(part);
    }
    crd_i_gathered_clear(&labels);
    crd_i_gathered_clear(&counts);
    return crd_i_agree(context, status, error);
}

crd_status crd_labelling_of_model(const crd_model *model, const crd_classifier *classifier, crd_reader *reader,
                                  size_t column, crd_labelling **out, uint64_t *unlabelled, crd_error *error) {
    conclude_comparison c = {.classifier = classifier, .reader = reader, .column = column};
    *out = NULL;
    crd_status status = crd_model_bind(model, reader, error);
    if (status == CRD_OK) status = crd_posteriors_create(model->context, &c.posteriors, error);
    if (status == CRD_OK) status = assess_conclude_begin(&c, model->context, error);
    while (status == CRD_OK) {
        const crd_frame *frame;
        status = crd_reader_next(reader, &frame, error);
        if (status == CRD_RESTART) status = assess_conclude_begin(&c, model->context, error);
        else if (status == CRD_OK && frame == NULL) break;
        else if (status == CRD_OK) status = assess_conclude_add_frame(&c, frame, error);
    }
    crd_posteriors_destroy(c.posteriors);
    status = assess_conclude_share(&c, model->context, status, error);
    if (status != CRD_OK) {
        crd_labelling_destroy(c.labelling);
        return status;
    }
    *out = c.labelling;
    *unlabelled = c.unlabelled;
    return CRD_OK;
}
