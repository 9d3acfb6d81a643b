/* evaluate_compare.c - methods and families on the same folds of the same rows.
 *
 * A model is its tally, and all else is a question, so that the rows of each fold are learned once, with all that any
 * candidate reads, and each candidate is another question to the same models. The rows are read again for each, so that
 * they need not be in memory; what is kept of each row and candidate is one number, its loss. */
#include "verbs/evaluate/evaluate_compare.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/progress.h"
#include "source/column_warnings.h"
#include "verbs/evaluate/evaluate_patience.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { USUAL_FOLDS = 10, FOLDS_OF_MANY_ROWS = 5, MANY_ROWS = 20000 };

/* In seconds: what takes longer, or is likely to, is left out. */
enum { USUAL_PATIENCE = 120 };

/* Below this the whole takes no longer than finding out how long it takes. */
enum { FEW_ROWS = 1000 };

typedef struct comparing {
    comparison c;
    row_source rows;
    fold_list folds;
    bool folds_are_given;   /* by an option; else their number depends on the rows */
    crd_settings *settings; /* those given */
    crd_cross_validation *validation;
    crd_posteriors *posteriors;
    crd_text *classes; /* of the validation */
    size_t class_count;
    size_t judged_room;
    uint64_t patience, threads;
} comparing;

/* ---- Learning ---- */

/* What the columns are, and, where the folds' number is given, the folds. */
static int look_at_rows(comparing *w, crd_model **model) {
    const invocation *call = w->c.call;
    crd_text target = {w->rows.target.bytes, w->rows.target.length};
    crd_error error;
    int ended = fold_list_start(call, &w->folds);
    while (ended == ENDED_WELL) {
        const crd_frame *frame;
        bool restarted;
        ended = rows_next(&w->rows, &frame, &restarted);
        if (ended == ENDED_WELL && restarted) {
            crd_model_destroy(*model);
            *model = NULL;
            ended = fold_list_start(call, &w->folds);
            continue;
        }
        if (ended != ENDED_WELL || frame == NULL) break;
        crd_status status = CRD_OK;
        if (*model == NULL) status = crd_model_create(call->context, frame, target, NULL, model, &error);
        if (status == CRD_OK) status = crd_model_update(*model, frame, &error);
        if (status != CRD_OK) return message_error(&error);
        w->c.facts.rows += crd_frame_rows(frame);
        if (w->folds_are_given) ended = fold_list_add(&w->folds, &w->rows, frame, rows_target(&w->rows, frame));
    }
    if (ended == ENDED_WELL && *model == NULL) {
        ended = message_failed("%s: there are no rows to learn from", crd_reader_place(w->rows.d.reader));
    }
    return ended;
}

static int find_facts(comparing *w) {
    crd_model *model = NULL;
    crd_summary *summary = NULL;
    crd_error error;
    int ended = look_at_rows(w, &model);
    if (ended == ENDED_WELL && crd_summary_create(model, &summary, &error) != CRD_OK) ended = message_error(&error);
    if (ended == ENDED_WELL) {
        uint64_t rows = w->c.facts.rows;
        table_facts_read(summary, &w->c.facts);
        w->c.facts.rows = rows;
        column_warnings_report(w->c.call, summary, w->rows.d.reader);
    }
    crd_summary_destroy(summary);
    crd_model_destroy(model);
    return ended;
}

static int learn_frames(comparing *w) {
    crd_error error;
    size_t at = 0;
    int ended = rows_again(&w->rows, 0);
    if (ended == ENDED_WELL && !w->folds_are_given) ended = fold_list_start(w->c.call, &w->folds);
    while (ended == ENDED_WELL) {
        const crd_frame *frame;
        bool restarted;
        ended = rows_next(&w->rows, &frame, &restarted);
        if (ended != ENDED_WELL || frame == NULL) break;
        if (!w->folds_are_given) ended = fold_list_add(&w->folds, &w->rows, frame, rows_target(&w->rows, frame));
        if (ended != ENDED_WELL) break;
        if (crd_frame_rows(frame) > w->folds.count - at) return message_failed("the rows changed while they were read");
        if (crd_cross_validation_learn(w->validation, frame, w->folds.folds + at, &error) != CRD_OK) {
            return message_error(&error);
        }
        at += crd_frame_rows(frame);
    }
    if (ended == ENDED_WELL && crd_cross_validation_finish(w->validation, &error) != CRD_OK) {
        ended = message_error_in(&error, w->c.call->arguments.operands[0]);
    }
    return ended;
}

static int learn(comparing *w) {
    const invocation *call = w->c.call;
    crd_text target = {w->rows.target.bytes, w->rows.target.length};
    string tallies = {0};
    crd_error error;
    candidate_tallies(&w->c.facts, &tallies);
    crd_status status = crd_cross_validation_create(call->context, target, w->settings, &w->validation, &error);
    if (status == CRD_OK) status = crd_cross_validation_keep(w->validation, crd_text_of(string_text(&tallies)), &error);
    if (status == CRD_OK) status = crd_posteriors_create(call->context, &w->posteriors, &error);
    string_free(&tallies);
    if (status != CRD_OK) return message_error(&error);
    crd_cross_validation_threads(w->validation, (unsigned)w->threads);
    int ended = learn_frames(w);
    if (ended == ENDED_WELL) ended = fold_list_check(&w->folds);
    if (ended == ENDED_WELL) ended = fold_list_write(call, &w->folds);
    if (ended == ENDED_WELL && w->folds.held_out > 0) ended = fold_list_hold_out(&w->folds);
    w->class_count = w->c.classes = crd_cross_validation_class_count(w->validation);
    w->classes = memory_resize(NULL, w->class_count + 1, sizeof *w->classes);
    for (size_t k = 0; k < w->class_count; k++) w->classes[k] = crd_cross_validation_class(w->validation, k);
    return ended;
}

static void leave_out(comparison_result *result, const char *reason) {
    result->is_left_out = true;
    string_clear(&result->reason);
    string_format(&result->reason, "%s", reason);
    free(result->losses);
    result->losses = NULL;
}

/* What a candidate cannot do concerns it alone, unless nothing can be done. */
static int refuse(comparison_result *result, const crd_error *error) {
    if (error->status == CRD_ERROR_CANCELLED || error->status == CRD_ERROR_MEMORY) return message_error(error);
    leave_out(result, error->message);
    return ENDED_WELL;
}

/* ---- How long a candidate would take ---- */

static void add_duration(string *out, double seconds) {
    if (seconds < 600) string_format(out, "%.0f seconds", seconds);
    else if (seconds < 36000) string_format(out, "%.0f minutes", seconds / 60);
    else string_format(out, "%.0f hours", seconds / 3600);
}

/* Models that have to be derived, one after the other by each thread. */
static double models_in_turn(const comparing *w) {
    double models = w->folds.held_out > 0 ? 1 : (double)crd_cross_validation_fold_count(w->validation);
    return ceil(models / (double)w->threads);
}

/* Seconds that a candidate may take. The first has all the time it wants: it makes the folds' models, which are there
 * for all the others too, and without it there is nothing to hold these against. */
static double patience_for(const comparing *w, const comparison_result *result) {
    return result == w->c.results ? INFINITY : (double)w->patience;
}

/* Leaves the candidate out where it takes longer than anybody wants to wait. */
static void lose_patience(const comparing *w, double seconds, comparison_result *result) {
    string reason = {0};
    if (seconds <= patience_for(w, result)) return;
    string_format(&reason, "it would take about ");
    add_duration(&reason, seconds);
    string_format(&reason, "; --patience %.0f waits for it", ceil(seconds / 60) * 120);
    leave_out(result, string_text(&reason));
    string_free(&reason);
}

/* What to do where work was stopped: its time was over, or the command was interrupted. */
static int give_up(const comparing *w, bool is_over, const crd_error *error, comparison_result *result) {
    string reason = {0};
    if (!is_over || invocation_interrupted()) return message_error(error);
    string_format(&reason, "it takes longer than --patience %.0f", (double)w->patience);
    leave_out(result, string_text(&reason));
    string_free(&reason);
    return ENDED_WELL;
}

/* Answers rows, as far as there is time left for the candidate. */
static int answer(const comparing *w, const crd_frame *frame, const uint32_t *folds, comparison_result *result) {
    crd_error error;
    patience watch;
    double begun = patience_now();
    patience_begin(&watch, w->c.call->context, patience_for(w, result) - result->seconds);
    crd_status status = crd_cross_validation_classify(w->validation, frame, folds, w->posteriors, &error);
    result->seconds += patience_now() - begun;
    bool is_over = patience_end(&watch);
    if (status == CRD_ERROR_CANCELLED) return give_up(w, is_over, &error, result);
    return status == CRD_OK ? ENDED_WELL : refuse(result, &error);
}

/* The rows of one fold alone take less time than those of all others, so that what is hopeless is seen soon. Some
 * candidates take as much longer as there are more rows, some take hardly longer: this expects something in between. */
static int try_few_rows(const comparing *w, const crd_settings *settings, comparison_result *result) {
    const crd_model *part =
        crd_cross_validation_part(w->validation, (uint32_t)crd_cross_validation_fold_count(w->validation) - 1);
    crd_classifier *classifier = NULL;
    crd_error error;
    if (w->c.facts.rows < FEW_ROWS || part == NULL) return ENDED_WELL;
    patience watch;
    double begun = patience_now();
    patience_begin(&watch, w->c.call->context, patience_for(w, result));
    crd_status status = crd_classifier_create(part, settings, &classifier, &error);
    double seconds = patience_now() - begun;
    bool is_over = patience_end(&watch);
    crd_classifier_destroy(classifier);
    if (status == CRD_ERROR_CANCELLED) return give_up(w, is_over, &error, result);
    double growth = sqrt((double)(crd_cross_validation_fold_count(w->validation) - 1));
    lose_patience(w, seconds * growth * models_in_turn(w), result);
    return ENDED_WELL;
}

/* One fold's rows in the first frame: its model is not derived again. */
static int try_one_fold(const comparing *w, const crd_frame *frame, comparison_result *result) {
    size_t count = crd_frame_rows(frame);
    uint32_t *folds = memory_resize(NULL, count + 1, sizeof *folds), first = CRD_NO_FOLD;
    for (size_t i = 0; i < count; i++) {
        if (first == CRD_NO_FOLD) first = w->folds.folds[i];
        folds[i] = w->folds.folds[i] == first ? first : CRD_NO_FOLD;
    }
    int ended = answer(w, frame, folds, result);
    free(folds);
    if (ended == ENDED_WELL && !result->is_left_out) lose_patience(w, result->seconds * models_in_turn(w), result);
    return ended;
}

/* ---- One candidate ---- */

static int32_t find_class(const comparing *w, crd_text name) {
    for (size_t k = 0; k < w->class_count; k++) {
        if (crd_text_equal(w->classes[k], name)) return (int32_t)k;
    }
    return -1;
}

/* The row that is judged as the at-th. Truths and weights are the same for every candidate. */
static void note_row(comparing *w, size_t at, crd_text truth, double weight) {
    if (at < w->c.rows) return;
    if (at == w->judged_room) {
        w->judged_room = at * 2 + 1024;
        w->c.truths = memory_resize(w->c.truths, w->judged_room, sizeof *w->c.truths);
        w->c.weights = memory_resize(w->c.weights, w->judged_room, sizeof *w->c.weights);
    }
    w->c.truths[at] = find_class(w, truth);
    w->c.weights[at] = weight;
    w->c.rows = at + 1;
}

static int judge_rows(comparing *w, const crd_frame *frame, const uint32_t *folds, crd_evaluation *evaluation,
                      comparison_result *result, size_t *judged) {
    size_t target = rows_target(&w->rows, frame), weights = frame_column(frame, rows_weight(&w->rows));
    size_t most = *judged + crd_frame_rows(frame);
    crd_error error;
    result->losses = memory_resize(result->losses, most, sizeof *result->losses);
    for (size_t row = 0; row < crd_frame_rows(frame); row++) {
        if (folds[row] == CRD_NO_FOLD) continue;
        crd_text truth = crd_frame_value(frame, row, target).text;
        const double *logs = crd_posteriors_log(w->posteriors, row);
        note_row(w, *judged, truth, frame_weight(frame, row, weights));
        if (crd_evaluation_add_probabilities(evaluation, logs, crd_posteriors_probabilities(w->posteriors, row), truth,
                                             w->c.weights[*judged], NULL, &error) != CRD_OK) {
            return message_error(&error);
        }
        int32_t class = w->c.truths[*judged];
        result->losses[(*judged)++] = class < 0 ? INFINITY : -logs[class];
    }
    return ENDED_WELL;
}

/* The second pass. */
static int answer_rows(comparing *w, crd_evaluation *evaluation, comparison_result *result) {
    size_t at = 0, judged = 0;
    int ended = rows_again(&w->rows, w->class_count);
    while (ended == ENDED_WELL) {
        const crd_frame *frame;
        bool restarted;
        ended = rows_next(&w->rows, &frame, &restarted);
        if (ended != ENDED_WELL || frame == NULL) break;
        size_t count = crd_frame_rows(frame);
        if (count > w->folds.count - at) return message_failed("the rows changed while they were read");
        if (at == 0 && w->c.facts.rows >= FEW_ROWS) ended = try_one_fold(w, frame, result);
        if (ended != ENDED_WELL || result->is_left_out) return ended;
        ended = answer(w, frame, w->folds.folds + at, result);
        if (ended != ENDED_WELL || result->is_left_out) return ended;
        ended = judge_rows(w, frame, w->folds.folds + at, evaluation, result, &judged);
        at += count;
    }
    if (ended == ENDED_WELL && judged != w->c.rows) return message_failed("the rows changed while they were read");
    return ended;
}

/* Numbers that were estimated in the model of the first fold that has one. */
static double count_estimated(const crd_cross_validation *validation) {
    enum { ROOM = 64 };
    crd_estimate estimates[ROOM];
    const crd_classifier *classifier = NULL;
    double sum = 0;
    for (uint32_t f = 0; classifier == NULL && f < crd_cross_validation_fold_count(validation); f++) {
        classifier = crd_cross_validation_classifier(validation, f);
    }
    size_t count = classifier == NULL ? 0 : crd_classifier_estimates(classifier, estimates, ROOM);
    for (size_t i = 0; i < count && i < ROOM; i++) sum += (double)estimates[i].count;
    return sum;
}

static int judge_candidate(comparing *w, comparison_result *result) {
    crd_evaluation *evaluation = NULL;
    crd_scores *scores = NULL;
    crd_error error;
    if (crd_evaluation_create(w->c.call->context, w->classes, w->class_count, &evaluation, &error) != CRD_OK) {
        return message_error(&error);
    }
    int ended = answer_rows(w, evaluation, result);
    if (ended == ENDED_WELL && !result->is_left_out) {
        if (crd_scores_create(evaluation, &scores, &error) != CRD_OK) {
            ended = message_error(&error);
        } else {
            crd_totals totals = CRD_TOTALS_INIT;
            crd_scores_totals(scores, &totals);
            result->accuracy = totals.accuracy;
            result->ece = totals.ece;
            result->estimated = count_estimated(w->validation);
        }
    }
    crd_scores_destroy(scores);
    crd_evaluation_destroy(evaluation);
    return ended;
}

static int try_candidate(comparing *w, const crd_settings *settings, comparison_result *result) {
    crd_error error;
    int ended = try_few_rows(w, settings, result);
    if (ended != ENDED_WELL || result->is_left_out) return ended;
    if (crd_cross_validation_use(w->validation, settings, &error) != CRD_OK) return message_error(&error);
    return judge_candidate(w, result);
}

static int try_one(comparing *w, comparison_result *result) {
    const candidate *of = result->of;
    crd_settings *settings = NULL;
    crd_error error;
    string reason = {0};
    if (of->tally != NULL && !candidate_tally_fits(of->tally, &w->c.facts, &reason)) {
        leave_out(result, string_text(&reason));
        string_free(&reason);
        return ENDED_WELL;
    }
    string_free(&reason);
    if (crd_settings_clone(w->settings, &settings, &error) != CRD_OK) return message_error(&error);
    int ended = candidate_apply(of, &w->c.facts, settings);
    if (ended == ENDED_WELL) ended = try_candidate(w, settings, result);
    crd_settings_destroy(settings);
    return ended;
}

/* ---- All of them ---- */

static int try_all(comparing *w) {
    int ended = ENDED_WELL;
    w->c.results = memory_resize(NULL, candidate_count, sizeof *w->c.results);
    for (size_t i = 0; i < candidate_count; i++) {
        if (!candidate_fits(&candidate_table[i], &w->c.facts)) continue;
        w->c.results[w->c.count++] = (comparison_result){.of = &candidate_table[i]};
    }
    for (size_t i = 0; ended == ENDED_WELL && i < w->c.count; i++) {
        progress_step(w->c.results[i].of->name, i, w->c.count);
        ended = try_one(w, &w->c.results[i]);
    }
    progress_erase();
    return ended;
}

static int conclude(comparing *w) {
    string how = {0};
    comparison_recommend(&w->c);
    if (w->c.best == SIZE_MAX)
        return message_failed("nothing can be compared: %s", string_text(&w->c.results[0].reason));
    fold_list_describe(&how, &w->folds);
    w->c.how = string_text(&how);
    int ended = comparison_report(&w->c);
    if (ended == ENDED_WELL) fold_list_say_if_empty(&w->folds);
    string_free(&how);
    return ended;
}

static int read_options(comparing *w) {
    const arguments *words = &w->c.call->arguments;
    w->patience = USUAL_PATIENCE;
    w->folds_are_given =
        arguments_have(words, "cross-validate") || arguments_have(words, "holdout") || arguments_have(words, "folds");
    int ended = arguments_whole(words, "patience", &w->patience);
    if (ended == ENDED_WELL && w->patience == 0) {
        ended = message_usage("--patience 0 leaves no time for anything: give 1 second or more");
    }
    if (ended == ENDED_WELL) ended = arguments_whole(words, "threads", &w->threads);
    if (w->threads == 0) {
        long processors = sysconf(_SC_NPROCESSORS_ONLN);
        w->threads = processors > 0 ? (uint64_t)processors : 1;
    }
    if (ended == ENDED_WELL) ended = evaluate_settings(w->c.call, &w->settings);
    return ended == ENDED_WELL ? fold_list_open(w->c.call, &w->folds) : ended;
}

static void choose_folds(comparing *w) {
    if (w->folds_are_given) return;
    bool are_many = w->c.facts.rows > MANY_ROWS;
    w->folds.runs = are_many ? FOLDS_OF_MANY_ROWS : USUAL_FOLDS;
    if (are_many) {
        message_note("%d folds rather than %d, as there are more than %d rows (--cross-validate %d takes %d)",
                     (int)FOLDS_OF_MANY_ROWS, (int)USUAL_FOLDS, (int)MANY_ROWS, (int)USUAL_FOLDS, (int)USUAL_FOLDS);
    }
}

static void end(comparing *w) {
    for (size_t i = 0; i < w->c.count; i++) {
        string_free(&w->c.results[i].reason);
        free(w->c.results[i].losses);
    }
    free(w->c.results);
    free(w->c.weights);
    free(w->c.truths);
    free(w->classes);
    crd_posteriors_destroy(w->posteriors);
    crd_cross_validation_destroy(w->validation);
    crd_settings_destroy(w->settings);
    fold_list_close(&w->folds);
    rows_close(&w->rows);
}

int evaluate_compare(const invocation *call) {
    comparing w = {.c = {.call = call}};
    int ended = read_options(&w);
    if (ended == ENDED_WELL) ended = rows_open(call, &w.rows);
    if (ended == ENDED_WELL) ended = find_facts(&w);
    if (ended == ENDED_WELL) choose_folds(&w);
    if (ended == ENDED_WELL) ended = learn(&w);
    if (ended == ENDED_WELL) ended = try_all(&w);
    if (ended == ENDED_WELL) ended = conclude(&w);
    end(&w);
    return ended;
}
