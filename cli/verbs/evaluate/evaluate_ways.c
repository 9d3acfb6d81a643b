/* SPDX-License-Identifier: MIT */
/* evaluate_ways.c - how rows get answers from a model that has not learned them. */
#include "verbs/evaluate/evaluate_verb.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "source/document_operand.h"
#include "source/model_or_table.h"
#include "source/unlabelled_training.h"

#include <stdlib.h>

/* ---- A model on other rows ---- */

typedef struct exam {
    const invocation *call;
    const crd_model *model;
    double model_rows;
    const crd_classifier *classifier;
    crd_text target;
    crd_model *seen; /* of the rows at hand, to be compared with what the model learned; NULL once they are too many */
    judge judge;
} exam;

static int learn_what_is_seen(void *user, const crd_frame *frame) {
    exam *t = user;
    crd_error error;
    crd_status status = CRD_OK;
    bool is_first = t->judge.row == crd_frame_rows(frame);
    bool are_counted = t->judge.weight.bytes == NULL; /* else the model's rows are a sum of weights */
    if (are_counted && (double)(t->judge.row - t->judge.skipped) > t->model_rows) {
        crd_model_destroy(t->seen);
        t->seen = NULL;
        return ENDED_WELL;
    }
    if (is_first) status = crd_model_create(t->call->context, frame, t->target, NULL, &t->seen, &error);
    if (status == CRD_OK && t->seen != NULL) status = crd_model_update(t->seen, frame, &error);
    return status == CRD_OK ? ENDED_WELL : message_error(&error);
}

static void forget_what_was_seen(void *user) {
    exam *t = user;
    crd_model_destroy(t->seen);
    t->seen = NULL;
}

static int say_if_learned(const exam *t) {
    crd_error error;
    int same = 0;
    if (t->seen == NULL) return ENDED_WELL;
    if (crd_model_same_tally(t->model, t->seen, &same, &error) != CRD_OK) return message_error(&error);
    if (same != 0) {
        message_warning("these are the very rows that the model learned: it will do worse on others "
                        "(--cross-validate 10 measures by how much)");
    }
    return ENDED_WELL;
}

static crd_status answer_by_model(void *user, unsigned answerer, const crd_frame *frame, crd_posteriors *posteriors,
                                  crd_error *error) {
    const exam *t = user;
    (void)answerer;
    return crd_classifier_classify(t->classifier, frame, posteriors, error);
}

static int judge_all_frames(exam *t, crd_reader *reader) {
    const trial all = {.judge = &t->judge,
                       .target = t->target,
                       .user = t,
                       .answer = answer_by_model,
                       .look_at = t->model_rows > 0 ? learn_what_is_seen : NULL,
                       .forget = forget_what_was_seen};
    return trial_run(&all, reader);
}

/* The model's weight, where the rows have one too: rows to be judged need none, and then each counts once. */
static crd_text weight_in(const crd_model *model, const crd_reader *reader, bool is_strict) {
    crd_text weight = crd_model_weight(model), none = {NULL, 0};
    for (size_t i = 0; weight.bytes != NULL && i < crd_reader_column_count(reader); i++) {
        if (crd_text_equal(crd_reader_column_name(reader, i), weight)) return weight;
    }
    if (weight.bytes != NULL && !is_strict)
        message_note("the model was learned with weights; these rows have none, and count once each");
    return none;
}

static int try_model(exam *t, data *d) {
    crd_error error;
    bool is_strict = arguments_have(&t->call->arguments, "strict");
    crd_text weight = weight_in(t->model, d->reader, is_strict);
    crd_status status = weight.bytes == NULL && !is_strict ? crd_model_bind(t->model, d->reader, &error)
                                                           : crd_model_bind_to_learn(t->model, d->reader, &error);
    if (status != CRD_OK) return message_error(&error);
    int ended = judge_begin(t->call, &t->judge);
    t->judge.weight = weight;
    t->judge.model = t->model;
    t->judge.classifier = t->classifier;
    t->judge.ran.settings = crd_classifier_settings(t->classifier);
    t->judge.ran.target = t->target;
    for (size_t k = 0; k < crd_classifier_class_count(t->classifier); k++) {
        judge_add_class(&t->judge, crd_classifier_class(t->classifier, k));
    }
    if (ended == ENDED_WELL) ended = judge_all_frames(t, d->reader);
    if (ended == ENDED_WELL && !t->judge.is_interrupted) ended = say_if_learned(t);
    ended = judge_end(&t->judge, ended, "The model on these rows");
    crd_model_destroy(t->seen);
    return ended;
}

int evaluate_model(const invocation *call) {
    const arguments *words = &call->arguments;
    crd_model *model = NULL;
    crd_classifier *classifier = NULL;
    crd_summary *summary = NULL;
    crd_error error;
    int ended = model_or_table_open_to_answer(call, words->operands[0], NULL, 0, &model);
    if (ended == ENDED_WELL && crd_model_is_sequence_classes(model)) {
        ended = evaluate_sequence_classes(call, model);
        crd_model_destroy(model);
        return ended;
    }
    if (ended == ENDED_WELL && crd_model_is_sequence(model)) {
        ended = evaluate_sequence_model(call, model);
        crd_model_destroy(model);
        return ended;
    }
    if (ended == ENDED_WELL) ended = model_or_table_classifier(call, model, &classifier);
    if (ended == ENDED_WELL && crd_summary_create(model, &summary, &error) != CRD_OK) ended = message_error(&error);
    if (ended == ENDED_WELL) {
        exam t = {.call = call, .model = model, .classifier = classifier};
        t.target = crd_summary_target(summary);
        t.model_rows = crd_summary_rows(summary);
        data d;
        ended = data_open_for(call, model, words->operands + 1, words->operand_count - 1, false, &d);
        if (ended == ENDED_WELL) {
            ended = try_model(&t, &d);
            data_close(&d);
        }
    }
    crd_summary_destroy(summary);
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    return ended;
}

/* ---- Folds ---- */

/* Second pass. */
static int judge_folds(const rows *r, const crd_split *split, crd_cross_validation *validation, judge *j) {
    crd_error error;
    size_t at = 0, all = crd_split_rows(split);
    const uint32_t *folds = crd_split_tested(split);
    int ended = judge_start(j);
    while (ended == ENDED_WELL && !output_broken(&j->list.out)) {
        const crd_frame *frame;
        if (crd_row_source_next(r->source, &frame, &error) != CRD_OK) return judge_stop(j, &error);
        if (frame == NULL) break;
        size_t count = crd_frame_rows(frame);
        if (count > all - at)
            return message_failed("%s: the rows changed while they were read", crd_reader_place(r->d.reader));
        if (crd_cross_validation_classify(validation, frame, folds + at, j->posteriors, &error) != CRD_OK) {
            return judge_stop(j, &error);
        }
        ended = judge_frame(j, frame, j->posteriors, frame_column(frame, crd_row_source_target(r->source)), folds + at);
        at += count;
    }
    return ended;
}

static int run_folds(const invocation *call, const rows *r, const crd_split_options *options, crd_split *split,
                     const crd_settings *settings, crd_cross_validation *validation) {
    judge j = {0};
    string how = {0};
    crd_error error;
    if (crd_cross_validation_learn_all(validation, r->source, split, &error) != CRD_OK) {
        return message_error_in(&error, call->arguments.operands[0]);
    }
    int ended = split_write(call, options, split);
    if (ended == ENDED_WELL) ended = rows_again(r, crd_cross_validation_class_count(validation));
    if (ended != ENDED_WELL) return ended;
    ended = judge_begin(call, &j);
    j.weight = crd_row_source_weight(r->source);
    j.ran.split = split;
    j.ran.split_options = options;
    j.validation = validation;
    j.ran.settings = settings;
    j.ran.target = crd_row_source_target(r->source);
    for (size_t k = 0; k < crd_cross_validation_class_count(validation); k++) {
        judge_add_class(&j, crd_cross_validation_class(validation, k));
    }
    if (ended == ENDED_WELL) ended = judge_folds(r, split, validation, &j);
    if (ended == ENDED_WELL) split_note_empty(options, split);
    split_describe(&how, options, split);
    ended = judge_end(&j, ended, string_text(&how));
    string_free(&how);
    return ended;
}

int evaluate_settings(const invocation *call, crd_settings **out) {
    crd_error error;
    if (crd_settings_create(call->context, out, &error) != CRD_OK) return message_error(&error);
    return document_operand_settings(call, *out);
}

int evaluate_folds(const invocation *call) {
    crd_split_options options = CRD_SPLIT_OPTIONS_INIT;
    crd_settings *settings = NULL;
    crd_split *split = NULL;
    crd_cross_validation *validation = NULL;
    crd_error error;
    rows r = {0};
    int ended = split_read(call, &options);
    if (ended == ENDED_WELL) ended = evaluate_settings(call, &settings);
    if (ended == ENDED_WELL) ended = rows_open(call, &r);
    options.column = r.fold_column;
    if (ended == ENDED_WELL && (crd_split_create(call->context, &options, &split, &error) != CRD_OK ||
                                crd_cross_validation_create(call->context, crd_row_source_target(r.source), settings,
                                                            &validation, &error) != CRD_OK)) {
        ended = message_error(&error);
    }
    crd_unlabelled_options unlabelled = CRD_UNLABELLED_OPTIONS_INIT;
    bool uses_unlabelled = false;
    if (ended == ENDED_WELL) ended = unlabelled_training_read(call, &uses_unlabelled, &unlabelled);
    if (ended == ENDED_WELL && uses_unlabelled &&
        crd_cross_validation_use_unlabelled(validation, &unlabelled, &error) != CRD_OK)
        ended = message_error(&error);
    if (ended == ENDED_WELL) ended = run_folds(call, &r, &options, split, settings, validation);
    crd_cross_validation_destroy(validation);
    crd_split_destroy(split);
    crd_settings_destroy(settings);
    rows_close(&r);
    return ended;
}

/* ---- Leave one out ---- */

static int learn_all(const invocation *call, const rows *r, const crd_settings *settings, crd_model **model) {
    crd_error error;
    for (;;) {
        const crd_frame *frame;
        crd_status status = crd_row_source_next(r->source, &frame, &error);
        if (status == CRD_RESTART) {
            crd_model_destroy(*model);
            *model = NULL;
            continue;
        }
        if (status == CRD_OK && frame == NULL) break;
        if (status == CRD_OK && *model == NULL) {
            status = crd_model_create(call->context, frame, crd_row_source_target(r->source), settings, model, &error);
        }
        if (status == CRD_OK) status = crd_model_update(*model, frame, &error);
        if (status != CRD_OK) return message_error(&error);
    }
    return *model != NULL ? ENDED_WELL
                          : message_failed("%s: there are no rows to learn from", crd_reader_place(r->d.reader));
}

/* Threads leave rows out of the same model, each with means of its own. */
typedef struct leavers {
    const crd_model *model;
    crd_leave_one_out **each; /* NULL until it is needed */
} leavers;

static crd_status answer_without(void *user, unsigned answerer, const crd_frame *frame, crd_posteriors *posteriors,
                                 crd_error *error) {
    const leavers *l = user;
    crd_leave_one_out **own = &l->each[answerer];
    crd_status status = *own == NULL ? crd_leave_one_out_create(l->model, NULL, own, error) : CRD_OK;
    return status == CRD_OK ? crd_leave_one_out_classify(*own, frame, posteriors, error) : status;
}

static int judge_files_left_out(const rows *r, leavers *l, judge *j) {
    const trial all = {.judge = j, .target = crd_row_source_target(r->source), .user = l, .answer = answer_without};
    return trial_run(&all, r->d.reader);
}

/* Frames that are in memory, one after the other. */
static int judge_kept_left_out(const rows *r, crd_leave_one_out *leaving, judge *j) {
    crd_error error;
    int ended = judge_start(j);
    while (ended == ENDED_WELL && !output_broken(&j->list.out)) {
        const crd_frame *frame;
        if (crd_row_source_next(r->source, &frame, &error) != CRD_OK) return judge_stop(j, &error);
        if (frame == NULL) break;
        if (crd_leave_one_out_classify(leaving, frame, j->posteriors, &error) != CRD_OK) return judge_stop(j, &error);
        ended = judge_frame(j, frame, j->posteriors, frame_column(frame, crd_row_source_target(r->source)), NULL);
    }
    return ended;
}

static int run_leaving_out(const invocation *call, const rows *r, leavers *l) {
    const crd_classifier *classifier = crd_leave_one_out_classifier(l->each[0]);
    judge j;
    int ended = judge_begin(call, &j);
    j.classifier = classifier;
    j.ran.settings = crd_classifier_settings(classifier);
    j.ran.target = crd_row_source_target(r->source);
    for (size_t k = 0; k < crd_classifier_class_count(classifier); k++) {
        judge_add_class(&j, crd_classifier_class(classifier, k));
    }
    if (ended == ENDED_WELL) {
        ended = crd_row_source_reads_again(r->source) ? judge_files_left_out(r, l, &j)
                                                      : judge_kept_left_out(r, l->each[0], &j);
    }
    return judge_end(&j, ended, "Each row by the model of all the others");
}

/* The second pass. */
static int leave_each_out(const invocation *call, const rows *r, const crd_model *model) {
    crd_error error;
    unsigned most = crd_row_source_reads_again(r->source) ? trial_answerers(r->d.reader) : 1;
    leavers l = {.model = model, .each = memory_resize(NULL, most, sizeof(crd_leave_one_out *))};
    for (unsigned i = 0; i < most; i++) l.each[i] = NULL;
    int ended = ENDED_WELL;
    if (crd_leave_one_out_create(model, NULL, &l.each[0], &error) != CRD_OK) {
        ended = message_error_in(&error, call->arguments.operands[0]);
    }
    if (ended == ENDED_WELL) ended = rows_again(r, crd_classifier_class_count(crd_leave_one_out_classifier(l.each[0])));
    if (ended == ENDED_WELL) ended = run_leaving_out(call, r, &l);
    for (unsigned i = 0; i < most; i++) crd_leave_one_out_destroy(l.each[i]);
    free(l.each);
    return ended;
}

int evaluate_leaving_out(const invocation *call) {
    crd_settings *settings = NULL;
    crd_model *model = NULL;
    rows r = {0};
    int ended = evaluate_settings(call, &settings);
    if (ended == ENDED_WELL) ended = rows_open(call, &r);
    if (ended == ENDED_WELL && crd_row_source_weight(r.source).bytes != NULL) {
        message_usage(
            "leaving one row out is for rows without weights: a row of weight 3 stands for three to leave out");
        message_hint("--cross-validate 10 and --holdout 30%% take weights");
        ended = ENDED_USAGE;
    }
    if (ended == ENDED_WELL) ended = learn_all(call, &r, settings, &model);
    if (ended == ENDED_WELL) ended = leave_each_out(call, &r, model);
    crd_model_destroy(model);
    crd_settings_destroy(settings);
    rows_close(&r);
    return ended;
}
