/* SPDX-License-Identifier: MIT */
/* evaluate_judge.c - answers meet truths, row by row: added up, and listed where --each asks for it. */
#include "verbs/evaluate/evaluate_verb.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/progress.h"
#include "core/report_write.h"
#include "source/network_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_LISTED = 6 };

/* The decision is listed where there is a rule to decide by. It is read once the classes are known, but asked for
 * before. */
static void open_list(judge *j) {
    static crd_text names[COLUMNS_LISTED] = {{"id", 2},    {"prediction", 10}, {"probability", 11},
                                             {"truth", 5}, {"credit", 6},      {"decision", 8}};
    static const bool left[COLUMNS_LISTED] = {[1] = true, [3] = true, [5] = true};
    const arguments *words = &j->call->arguments;
    bool decides =
        arguments_have(words, "cost") || arguments_have(words, "reject") || arguments_have(words, "threshold");
    if (j->list.out.to_terminal) progress_forbid();
    row_stream_begin(&j->list, names, left, decides ? COLUMNS_LISTED : COLUMNS_LISTED - 1);
}

int judge_begin(const invocation *call, judge *j) {
    crd_error error;
    *j = (judge){.call = call, .ran = {.call = call}, .lists_rows = arguments_have(&call->arguments, "each")};
    int ended = j->lists_rows ? row_stream_open(call, &j->list) : output_open(call, &j->list.out);
    if (ended == ENDED_WELL && !j->lists_rows) ended = output_choose_format(call, &j->list.out, FORMATS, FORMAT_TABLE);
    if (ended == ENDED_WELL) ended = sweep_read(call, &j->sweep);
    if (ended == ENDED_WELL) ended = importance_read(call, &j->importance);
    if (ended == ENDED_WELL && j->list.out.format == FORMAT_CSV && j->sweep.is_asked &&
        j->importance.importance != NULL)
        ended =
            message_usage("--format csv is one table, that of --sweep or that of --importance: leave one of them out");
    if (ended == ENDED_WELL && crd_posteriors_create(call->context, &j->posteriors, &error) != CRD_OK) {
        ended = message_error(&error);
    }
    if (ended == ENDED_WELL && j->lists_rows) open_list(j);
    return ended;
}

void judge_add_class(judge *j, crd_text name) {
    char *bytes = memory_resize(NULL, name.length + 1, 1);
    if (name.length > 0) memcpy(bytes, name.bytes, name.length);
    j->classes = memory_resize(j->classes, j->class_count + 1, sizeof *j->classes);
    j->classes[j->class_count++] = (crd_text){bytes, name.length};
}

int judge_start(judge *j) {
    crd_error error;
    crd_evaluation_destroy(j->evaluation);
    crd_evaluation_destroy(j->before);
    crd_outcomes_destroy(j->outcomes);
    j->evaluation = j->before = NULL;
    j->outcomes = NULL;
    j->row = j->skipped = j->weightless = j->unseen_cells = j->rows_with_unseen = 0;
    if (crd_evaluation_create(j->call->context, j->classes, j->class_count, &j->evaluation, &error) != CRD_OK) {
        return message_error(&error);
    }
    if (j->importance.importance != NULL) crd_importance_restart(j->importance.importance);
    int ended = j->rule != NULL ? ENDED_WELL : rule_read(j->call, j->classes, j->class_count, &j->rule);
    if (ended == ENDED_WELL) ended = sweep_choose(j->call, &j->sweep, j->classes, j->class_count, j->rule);
    if (ended != ENDED_WELL || j->rule == NULL) return ended;
    if (crd_outcomes_create(j->call->context, j->rule, &j->outcomes, &error) == CRD_OK) return ENDED_WELL;
    return message_error(&error);
}

/* ---- One row ---- */

/* Rows that were listed before a reader began again are not listed twice. */
static void list_row(judge *j, crd_text truth, const crd_row_score *score, const crd_decision *decision) {
    row_stream *to = &j->list;
    if (j->row <= j->listed) return;
    j->listed = j->row;
    row_stream_count(to, (double)j->row);
    if (score->decision < 0) {
        row_stream_missing_as(to, "(all at zero)");
        row_stream_missing(to);
    } else {
        row_stream_text(to, j->classes[score->decision]);
        row_stream_number(to, score->probability);
    }
    row_stream_text(to, truth);
    row_stream_number(to, score->credit);
    if (j->rule == NULL) return;
    if (decision->action < 0) row_stream_missing_as(to, "(none)");
    else row_stream_text(to, crd_rule_action(j->rule, (size_t)decision->action));
}

/* What the row would have scored without calibration. */
static int add_before(judge *j, const crd_posteriors *posteriors, size_t row, crd_text truth, double weight) {
    const double *logs = crd_posteriors_uncalibrated_log(posteriors, row),
                 *found = crd_posteriors_uncalibrated(posteriors, row);
    crd_row_score credit = CRD_ROW_SCORE_INIT;
    crd_error error;
    if (logs == NULL) return ENDED_WELL;
    if (j->before == NULL &&
        crd_evaluation_create(j->call->context, j->classes, j->class_count, &j->before, &error) != CRD_OK) {
        return message_error(&error);
    }
    if (crd_evaluation_add_probabilities(j->before, logs, found, truth, weight, &credit, &error) == CRD_OK)
        return ENDED_WELL;
    return message_error(&error);
}

/* The classifier of all rows, or of those outside of a fold. */
static const crd_classifier *classifier_of(const judge *j, uint32_t fold) {
    return j->classifier != NULL || j->validation == NULL ? j->classifier
                                                          : crd_cross_validation_classifier(j->validation, fold);
}

/* A row for the importance of columns, with the classifier that has answered it. */
static int keep_row(judge *j, const crd_frame *frame, size_t row, const uint32_t *folds, crd_text truth,
                    double weight) {
    crd_error error;
    if (j->importance.importance == NULL) return ENDED_WELL;
    const crd_classifier *classifier = classifier_of(j, j->classifier != NULL ? 0 : folds[row]);
    crd_status status = crd_importance_add(j->importance.importance, classifier, frame, row, truth, weight, &error);
    return status == CRD_OK ? ENDED_WELL : message_error(&error);
}

int judge_frame(judge *j, const crd_frame *frame, const crd_posteriors *posteriors, size_t target,
                const uint32_t *folds) {
    crd_error error;
    size_t weights = frame_column(frame, j->weight);
    for (size_t row = 0; row < crd_frame_rows(frame); row++) {
        crd_value truth = crd_frame_value(frame, row, target);
        crd_row_score credit = CRD_ROW_SCORE_INIT;
        crd_decision decision = CRD_DECISION_INIT;
        j->row++;
        if (truth.kind == CRD_KIND_NONE) {
            j->skipped++;
            continue;
        }
        double weight = frame_weight(frame, row, weights);
        j->weightless += weight == 0;
        if (weight == 0 || (folds != NULL && folds[row] == CRD_NO_FOLD)) continue;
        const double *log_posterior = crd_posteriors_log(posteriors, row);
        uint32_t unseen = crd_posteriors_answer(posteriors, row)->unseen;
        const double *probabilities = crd_posteriors_probabilities(posteriors, row);
        crd_evaluation_set_fold(j->evaluation, folds == NULL ? CRD_NO_FOLD : folds[row]);
        if (crd_evaluation_add_probabilities(j->evaluation, log_posterior, probabilities, truth.text, weight, &credit,
                                             &error) != CRD_OK) {
            return message_error(&error);
        }
        int ended = add_before(j, posteriors, row, truth.text, weight);
        if (ended == ENDED_WELL) ended = keep_row(j, frame, row, folds, truth.text, weight);
        if (ended != ENDED_WELL) return ended;
        if (j->rule != NULL &&
            crd_outcomes_add(j->outcomes, log_posterior, truth.text, weight, &decision, &error) != CRD_OK) {
            return message_error_in(&error, rule_file(j->call));
        }
        j->unseen_cells += unseen;
        j->rows_with_unseen += unseen > 0;
        if (j->lists_rows) list_row(j, truth.text, &credit, &decision);
    }
    return ENDED_WELL;
}

int judge_stop(judge *j, const crd_error *error) {
    if (error->status != CRD_ERROR_CANCELLED || !invocation_interrupted() || j->lists_rows || j->row == j->skipped)
        return message_error(error);
    j->is_interrupted = true;
    return ENDED_WELL;
}

/* ---- The end ---- */

/* How much worse than the class prior's a log loss may be, unless it is by chance: by this part, and over all rows by so many
 * nats. An infinite one is remarked on in the report. */
static const double WORSE_PART = 0.1, WORSE_NATS = 10;

static void warn_if_worse_than_prior(const judge *j, const crd_totals *totals) {
    char loss[ROUNDED_ROOM], prior[ROUNDED_ROOM];
    double excess = totals->log_loss - totals->baseline_log_loss;
    if (isinf(totals->log_loss) || !(excess > WORSE_PART * totals->baseline_log_loss) ||
        !(excess * totals->weight > WORSE_NATS))
        return;
    const char *method = j->ran.settings == NULL ? NULL : crd_settings_get(j->ran.settings, "method");
    message_warning("log loss %s is worse than the class prior's, %s: %s%s is too sure of its answers. Calibrate it "
                    "(--calibration scaling) or look for a better method (evaluate --compare)",
                    output_round(totals->log_loss, loss), output_round(totals->baseline_log_loss, prior),
                    method == NULL ? "the model" : "method ", method == NULL ? "" : method);
}

static void say_what_happened(const judge *j, const crd_totals *totals) {
    char room[ROWS_ROOM], accuracy[ROUNDED_ROOM];
    if (j->lists_rows && (j->list.out.format == FORMAT_CSV || j->list.out.format == FORMAT_JSON)) {
        message_note("accuracy %s on %s", output_round(totals->accuracy, accuracy), output_rows(totals->rows, room));
    }
    if (j->skipped > 0) message_note("skipped %s without a true class", output_rows(j->skipped, room));
    if (j->weightless > 0) message_note("left out %s of weight 0", output_rows(j->weightless, room));
    if (j->unseen_cells > 0) {
        message_note("left out %llu %s %s, in %s", (unsigned long long)j->unseen_cells,
                     network_model_unseen_items(classifier_of(j, 0), j->unseen_cells == 1),
                     network_model_unseen_words(j->model), output_rows(j->rows_with_unseen, room));
    }
    if (totals->undecided > 0) {
        message_note("%s without an answer: every class is at zero (by a category that is not smoothed, or a "
                     "number too far from everything learned)",
                     output_rows(totals->undecided, room));
    }
    warn_if_worse_than_prior(j, totals);
}

/* Places among the most probable classes that are counted, those of --top-k too; the last is 0. */
enum { MOST_TOPS = 4, SEEN_WITH_CLASSES = 6 };

static int find_tops(const judge *j, top_accuracy tops[MOST_TOPS], size_t *count) {
    uint64_t asked = 0;
    size_t ks[MOST_TOPS] = {2, 3, 5, 0};
    crd_error error;
    int ended = arguments_whole(&j->call->arguments, "top-k", &asked);
    if (ended != ENDED_WELL) return ended;
    if (arguments_have(&j->call->arguments, "top-k") && asked == 0)
        return message_usage("--top-k takes a number of classes from 1 up, not 0");
    for (size_t i = 0; i + 1 < MOST_TOPS; i++)
        if (ks[i] == asked) ks[i] = 0;
    ks[MOST_TOPS - 1] = asked < SIZE_MAX ? (size_t)asked : SIZE_MAX;
    *count = 0;
    for (size_t i = 0; i < MOST_TOPS; i++) {
        bool is_asked = asked > 0 && ks[i] == asked;
        if (ks[i] == 0 || (!is_asked && ks[i] >= j->class_count)) continue;
        top_accuracy *top = &tops[(*count)++];
        *top = (top_accuracy){.k = ks[i], .is_shown = is_asked || j->class_count >= SEEN_WITH_CLASSES};
        if (crd_evaluation_top_accuracy(j->evaluation, top->k, &top->accuracy, &error) != CRD_OK)
            return message_error(&error);
    }
    return ENDED_WELL;
}

/* Of more folds than these, each has too few rows for scores of its own. */
enum { MOST_FOLDS_SCORED = 1000 };

static int find_fold_scores(const judge *j, crd_fold_scores **out) {
    crd_error error;
    if (j->ran.split == NULL || j->is_interrupted || crd_split_fold_count(j->ran.split) > MOST_FOLDS_SCORED)
        return ENDED_WELL;
    return crd_fold_scores_create(j->evaluation, out, &error) == CRD_OK ? ENDED_WELL : message_error(&error);
}

static int report_scores(judge *j, evaluated *e) {
    crd_fold_scores *folds = NULL;
    top_accuracy tops[MOST_TOPS];
    int ended = find_tops(j, tops, &e->top_count);
    if (ended == ENDED_WELL) ended = find_fold_scores(j, &folds);
    if (ended == ENDED_WELL) ended = sweep_run(&j->sweep, j->evaluation);
    if (ended == ENDED_WELL) ended = importance_run(&j->importance, &j->is_interrupted);
    if (ended == ENDED_WELL) {
        report *r = report_create_for(j->call);
        e->tops = tops;
        e->folds = folds;
        e->is_interrupted = j->is_interrupted;
        e->sweep = &j->sweep;
        e->importance = &j->importance;
        evaluate_report(r, e);
        report_write(r, &j->list.out);
        report_destroy(r);
    }
    crd_fold_scores_destroy(folds);
    return ended;
}

static int write_scores(judge *j, const char *how, crd_totals *totals) {
    crd_scores *scores = NULL, *before = NULL;
    crd_error error;
    if (crd_scores_create(j->evaluation, &scores, &error) != CRD_OK) return message_error(&error);
    if (j->before != NULL && crd_scores_create(j->before, &before, &error) != CRD_OK) {
        crd_scores_destroy(scores);
        return message_error(&error);
    }
    crd_scores_totals(scores, totals);
    int ended = ENDED_WELL;
    bool only_rows = j->lists_rows && (j->list.out.format == FORMAT_CSV || j->list.out.format == FORMAT_JSON);
    if (totals->rows == 0) ended = message_failed("no row to evaluate has a true class");
    else if (!only_rows) {
        ended = report_scores(j, &(evaluated){.how = how,
                                              .all_classes = arguments_have(&j->call->arguments, "all-classes"),
                                              .scores = scores,
                                              .totals = totals,
                                              .before = before,
                                              .ran = &j->ran,
                                              .with_weights = j->weight.bytes != NULL,
                                              .rule = j->rule,
                                              .outcomes = j->outcomes});
    }
    crd_scores_destroy(scores);
    crd_scores_destroy(before);
    return ended;
}

int judge_end(judge *j, int ended, const char *how) {
    crd_totals totals = CRD_TOTALS_INIT;
    if (j->list.table != NULL && ended == ENDED_WELL) {
        row_stream_flush(&j->list);
        fputc('\n', j->list.out.stream);
    }
    if (ended == ENDED_WELL) ended = write_scores(j, how, &totals);
    output_format format = j->list.out.format;
    ended = output_close(&j->list.out, ended);
    j->list.out.format = format;
    if (ended == ENDED_WELL) say_what_happened(j, &totals);
    table_destroy(j->list.table);
    for (size_t i = 0; i < j->class_count; i++) free((char *)j->classes[i].bytes);
    free(j->classes);
    crd_evaluation_destroy(j->evaluation);
    crd_evaluation_destroy(j->before);
    crd_outcomes_destroy(j->outcomes);
    crd_rule_destroy(j->rule);
    crd_posteriors_destroy(j->posteriors);
    sweep_free(&j->sweep);
    crd_importance_destroy(j->importance.importance);
    return ended == ENDED_WELL && j->is_interrupted ? invocation_interrupted_exit() : ended;
}
