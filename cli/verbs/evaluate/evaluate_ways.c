/* SPDX-License-Identifier: MIT */
/* evaluate_ways.c - the ways to predict rows by a model that was not trained on them. */
#include "verbs/evaluate/evaluate_verb.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "source/column_warnings.h"
#include "source/document_operand.h"
#include "source/model_operand.h"
#include "source/unlabeled_training.h"

/* ---- A model on other rows ---- */

static int try_model(const invocation *call, const crd_model *model, const crd_classifier *classifier, data *d) {
    bool is_strict = arguments_have(&call->arguments, "strict");
    crd_assessment_facts facts;
    crd_assessment *assessment = NULL;
    crd_error error;
    if (crd_assessment_of_model(model, classifier, d->reader, is_strict, &assessment, &error) != CRD_OK)
        return message_error(&error);
    facts = *crd_assessment_facts_of(assessment);
    if (facts.lacks_weight && !is_strict)
        message_note("the model was trained with weights; these rows have none and count once each");
    int ended = evaluate_judge(call, assessment, NULL, model, "The model on these rows");
    crd_assessment_destroy(assessment);
    return bad_row_list_share(d->bad, ended);
}

/* Evaluates a trained model on the rows or sequences of DATA. */
int evaluate_model(const invocation *call) {
    const arguments *words = &call->arguments;
    crd_model *model = NULL;
    crd_classifier *classifier = NULL;
    int ended = model_operand_open_to_answer(call, words->operands[0], NULL, 0, &model);
    if (ended == ENDED_WELL && crd_model_sequence_classes(model) != NULL) {
        ended = evaluate_sequence_classes(call, model);
        crd_model_destroy(model);
        return ended;
    }
    if (ended == ENDED_WELL && crd_model_is_sequence(model)) {
        ended = evaluate_sequence_model(call, model);
        crd_model_destroy(model);
        return ended;
    }
    if (ended == ENDED_WELL) ended = model_operand_classifier(call, model, &classifier);
    if (ended == ENDED_WELL) {
        data d;
        ended = data_open_for(call, model, words->operands + 1, words->operand_count - 1, false, &d);
        if (ended == ENDED_WELL) {
            ended = try_model(call, model, classifier, &d);
            data_close(&d);
        }
    }
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    return ended;
}

/* ---- Folds ---- */

int evaluate_settings(const invocation *call, crd_settings **out) {
    crd_error error;
    if (crd_settings_create(call->context, out, &error) != CRD_OK) return message_error(&error);
    return document_operand_settings(call, *out);
}

/* Rejects a target that is numeric rather than a class, as in training. */
static int evaluate_ways_check_target(const invocation *call, const rows *r, const crd_assessment *assessment) {
    crd_summary *summary = NULL;
    crd_error error;
    if (crd_assessment_summary(assessment, &summary, &error) != CRD_OK) return message_error(&error);
    const int ended = column_warnings_check_target(call, summary, r->d.reader);
    crd_summary_destroy(summary);
    return ended;
}

/* Evaluates in folds, and writes the folds if --write-folds is given. unlabeled NULL: rows without a class are
 * dropped. */
static int run_folds(const invocation *call, const rows *r, const crd_split_options *options,
                     const crd_settings *settings, const crd_unlabeled_options *unlabeled) {
    crd_assessment *assessment = NULL;
    string string_options = {0};
    crd_error error;
    if (crd_assessment_of_folds(r->source, settings, options, unlabeled, &assessment, &error) != CRD_OK)
        return message_error_in(&error, call->arguments.operands[0]);
    const crd_split *split = crd_assessment_facts_of(assessment)->split;
    int ended = evaluate_ways_check_target(call, r, assessment);
    if (ended == ENDED_WELL) ended = split_write(call, options, split);
    split_describe(&string_options, options, split);
    if (ended == ENDED_WELL) ended = evaluate_judge(call, assessment, options, NULL, string_text(&string_options));
    string_free(&string_options);
    crd_assessment_destroy(assessment);
    return ended;
}

/* Evaluates by cross-validation, holdout, or the folds of a column. */
int evaluate_folds(const invocation *call) {
    crd_split_options options = CRD_SPLIT_OPTIONS_INIT;
    crd_unlabeled_options unlabeled = CRD_UNLABELED_OPTIONS_INIT;
    bool uses_unlabeled = false;
    crd_settings *settings = NULL;
    rows r = {0};
    int ended = split_read(call, &options);
    if (ended == ENDED_WELL) ended = evaluate_settings(call, &settings);
    if (ended == ENDED_WELL) ended = rows_open(call, &r);
    options.column = r.fold_column;
    if (ended == ENDED_WELL) ended = unlabeled_training_read(call, &uses_unlabeled, &unlabeled);
    if (ended == ENDED_WELL) ended = run_folds(call, &r, &options, settings, uses_unlabeled ? &unlabeled : NULL);
    crd_settings_destroy(settings);
    rows_close(&r);
    return ended;
}

/* ---- Leave one out ---- */

/* Evaluates by leave-one-out: each row is predicted by the model of all others. Weighted rows are an error. */
int evaluate_leaving_out(const invocation *call) {
    crd_settings *settings = NULL;
    crd_assessment *assessment = NULL;
    crd_error error;
    rows r = {0};
    int ended = evaluate_settings(call, &settings);
    if (ended == ENDED_WELL) ended = rows_open(call, &r);
    if (ended == ENDED_WELL && crd_row_source_weight(r.source).bytes != NULL) {
        message_usage("--leave-one-out does not support weights: a row of weight 3 would be three rows");
        message_hint("use --cross-validate 10 or --holdout 30%%, which support weights");
        ended = ENDED_USAGE;
    }
    if (ended == ENDED_WELL && crd_assessment_leaving_one_out(r.source, settings, &assessment, &error) != CRD_OK)
        ended = message_error_in(&error, call->arguments.operands[0]);
    if (ended == ENDED_WELL) ended = evaluate_ways_check_target(call, &r, assessment);
    if (ended == ENDED_WELL)
        ended = evaluate_judge(call, assessment, NULL, NULL, "Each row predicted by the model of all others");
    crd_assessment_destroy(assessment);
    ended = bad_row_list_share(r.d.bad, ended);
    crd_settings_destroy(settings);
    rows_close(&r);
    return ended;
}
