/* SPDX-License-Identifier: MIT */
/* evaluate_judge.c - runs an assessment: lists the rows if --per-row is given, and reports the scores. */
#include "verbs/evaluate/evaluate_verb.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/pictures.h"
#include "core/progress.h"
#include "core/report_write.h"
#include "source/network_model.h"

#include <math.h>

/* An assessment while it is run and reported. */
typedef struct judge {
    const invocation *call;
    crd_assessment *assessment;
    const crd_model *model; /* the model that predicts all rows; NULL: several models do */
    bool lists_rows;        /* --per-row */
    row_stream list;        /* the listed rows; the scores go to the same output */
    crd_rule *rule;         /* NULL: none */
    ran ran;
    sweep sweep;
    columns_importance importance;
    crd_result *report; /* set after it is written; its pictures go to a separate file */
    const crd_assessment_facts *facts;
    bool has_all_rows;   /* no interrupt while rows were predicted */
    bool is_interrupted; /* the part that was finished is reported */
} judge;

enum { COLUMNS_LISTED = 8 };

/* Starts the list of rows. It has a column for the decision if a rule is given. The rule is read later, after the
 * classes are known, so this looks only at the options. */
static void evaluate_judge_open_list(judge *j) {
    static crd_text names[COLUMNS_LISTED] = {{"id", 2},       {"prediction", 10}, {"probability", 11}, {"truth", 5},
                                             {"P(truth)", 8}, {"loss", 4},        {"credit", 6},       {"decision", 8}};
    static const bool left[COLUMNS_LISTED] = {[1] = true, [3] = true, [7] = true};
    const arguments *words = &j->call->arguments;
    bool decides =
        arguments_have(words, "cost") || arguments_have(words, "reject") || arguments_have(words, "threshold");
    if (j->list.out.to_terminal) progress_forbid();
    row_stream_begin(&j->list, names, left, decides ? COLUMNS_LISTED : COLUMNS_LISTED - 1);
}

static int judge_begin(judge *j) {
    const invocation *call = j->call;
    j->lists_rows = arguments_have(&call->arguments, "per-row");
    int ended = j->lists_rows ? row_stream_open(call, &j->list) : output_open(call, &j->list.out);
    if (ended == ENDED_WELL && !j->lists_rows) ended = output_choose_format(call, &j->list.out, FORMATS, FORMAT_TABLE);
    if (ended == ENDED_WELL) ended = sweep_read(call, &j->sweep);
    if (ended == ENDED_WELL) ended = importance_read(call, &j->importance);
    if (ended == ENDED_WELL && j->list.out.format == FORMAT_CSV && j->sweep.is_asked && j->importance.is_asked)
        ended = message_usage("--format csv writes one table: --threshold-curves and --importance cannot be combined");
    if (ended == ENDED_WELL && j->lists_rows) evaluate_judge_open_list(j);
    return ended;
}

/* ---- Rows ---- */

/* Writes a row of --per-row: prediction, truth, loss and credit, and the decision if there is a rule. */
static int list_row(void *user, const crd_assessed_row *row) {
    judge *j = user;
    row_stream *stream = &j->list;
    row_stream_count(stream, (double)row->row);
    if (row->score->decision < 0) {
        row_stream_missing_as(stream, "(all 0)");
        row_stream_missing(stream);
    } else {
        row_stream_text(stream, crd_assessment_facts_of(j->assessment)->classes[row->score->decision]);
        row_stream_number(stream, row->score->probability);
    }
    row_stream_text(stream, row->truth);
    row_stream_number(stream, row->score->truth_probability);
    /* JSON cannot represent infinite numbers. */
    if (isinf(row->score->loss) && stream->out.format != FORMAT_JSON) row_stream_text(stream, crd_text_of("inf"));
    else row_stream_number(stream, row->score->loss);
    row_stream_number(stream, row->score->credit);
    if (row->decision != NULL && row->decision->action < 0) row_stream_missing_as(stream, "(none)");
    else if (row->decision != NULL) row_stream_text(stream, j->rule->actions[(size_t)row->decision->action]);
    return output_broken(&stream->out);
}

/* Handles an error or an interrupt. After an interrupt the rows predicted so far are reported, if there are any. */
static int evaluate_judge_stop(judge *j, const crd_error *error) {
    /* judge_end reports why the output cannot be written. */
    if (j->lists_rows && output_broken(&j->list.out)) return ENDED_WELL;
    if (error->status == CRD_ERROR_CANCELLED && invocation_reports_part(j->call) && !j->lists_rows &&
        j->facts->judged > 0) {
        j->is_interrupted = true;
        return ENDED_WELL;
    }
    /* The cost table has no row for a true class. */
    return message_error_in(error, error->status == CRD_ERROR_COLUMN ? rule_file(j->call) : "");
}

/* Reads the rule, predicts all rows, and counts the scores. */
static int evaluate_judge_rows(judge *j) {
    const crd_text *classes = crd_assessment_facts_of(j->assessment)->classes;
    size_t count = crd_assessment_facts_of(j->assessment)->class_count;
    crd_assessment_options options = CRD_ASSESSMENT_OPTIONS_INIT;
    crd_error error;
    int ended = arguments_have(&j->call->arguments, "mail") ? rule_read_for_mail(j->call, classes, count, &j->rule)
                                                            : rule_read(j->call, classes, count, &j->rule);
    if (ended == ENDED_WELL) ended = sweep_choose(j->call, &j->sweep, classes, count, j->rule);
    if (ended != ENDED_WELL) return ended;
    options.rule = j->rule;
    if (j->importance.is_asked) options.importance = &j->importance.options;
    if (j->lists_rows) options.each = list_row;
    options.user = j;
    crd_status status = crd_assessment_run(j->assessment, &options, &error);
    j->facts = crd_assessment_facts_of(j->assessment);
    j->importance.importance = crd_assessment_facts_of(j->assessment)->importance;
    return status == CRD_OK ? ENDED_WELL : evaluate_judge_stop(j, &error);
}

/* ---- The end ---- */

static void warn_if_worse_than_prior(const judge *j, const crd_totals *totals) {
    char loss[CRD_NUMBER_ROOM], prior[CRD_NUMBER_ROOM];
    if (!crd_totals_is_overconfident(totals)) return;
    const char *method = j->ran.settings == NULL ? NULL : crd_settings_get(j->ran.settings, "method");
    message_warning("log loss %s is worse than the class prior's, %s: %s%s is overconfident. Calibrate it "
                    "(--calibration platt) or look for a better method (evaluate --compare)",
                    crd_number_round(totals->log_loss, loss), crd_number_round(totals->baseline_log_loss, prior),
                    method == NULL ? "the model" : "method ", method == NULL ? "" : method);
}

/* Prints notes about skipped rows, values that the model has not seen, and rows without a prediction. */
static void say_what_happened(const judge *j, const crd_totals *totals) {
    char buffer[ROWS_ROOM], accuracy[CRD_NUMBER_ROOM];
    if (j->lists_rows && (j->list.out.format == FORMAT_CSV || j->list.out.format == FORMAT_JSON)) {
        message_note("accuracy %s on %s", crd_number_round(totals->accuracy, accuracy),
                     output_rows(totals->rows, buffer));
    }
    const crd_assessment_facts *facts = j->facts;
    if (facts->unlabeled > 0) message_note("skipped %s without a true class", output_rows(facts->unlabeled, buffer));
    if (facts->weightless > 0) message_note("skipped %s of weight 0", output_rows(facts->weightless, buffer));
    if (facts->unseen > 0) {
        message_note("ignored %llu %s %s, in %s", (unsigned long long)facts->unseen,
                     network_model_unseen_items(crd_assessment_classifier(j->assessment), facts->unseen == 1),
                     network_model_unseen_words(j->model), output_rows(facts->rows_with_unseen, buffer));
    }
    if (totals->undecided > 0) {
        message_note("%s without a prediction: every class has probability 0 (a category is not smoothed, or a number "
                     "is too far from the training data)",
                     output_rows(totals->undecided, buffer));
    }
    warn_if_worse_than_prior(j, totals);
}

/* The k of the top-k accuracies that are computed: 2, 3, 5, and in the last place the k of --top-k. From
 * SEEN_WITH_CLASSES classes on, they are shown without --top-k too. */
enum { MOST_TOPS = 4, SEEN_WITH_CLASSES = 6 };

/* Computes the top-k accuracies. Sets *count to their number, which is at most MOST_TOPS. */
static int evaluate_judge_find_tops(const judge *j, top_accuracy tops[MOST_TOPS], size_t *count) {
    uint64_t requested = 0;
    size_t ks[MOST_TOPS] = {2, 3, 5, 0}, classes = crd_assessment_facts_of(j->assessment)->class_count;
    crd_error error;
    int ended = arguments_whole(&j->call->arguments, "top-k", &requested);
    if (ended != ENDED_WELL) return ended;
    if (arguments_have(&j->call->arguments, "top-k") && requested == 0)
        return message_usage("--top-k must be at least 1, got 0");
    for (size_t i = 0; i + 1 < MOST_TOPS; i++)
        if (ks[i] == requested) ks[i] = 0;
    ks[MOST_TOPS - 1] = requested < SIZE_MAX ? (size_t)requested : SIZE_MAX;
    *count = 0;
    for (size_t i = 0; i < MOST_TOPS; i++) {
        bool is_asked = requested > 0 && ks[i] == requested;
        if (ks[i] == 0 || (!is_asked && ks[i] >= classes)) continue;
        top_accuracy *top = &tops[(*count)++];
        *top = (top_accuracy){.k = ks[i], .is_shown = is_asked || classes >= SEEN_WITH_CLASSES};
        if (crd_evaluation_top_accuracy(crd_assessment_evaluation(j->assessment), top->k, &top->accuracy, &error) !=
            CRD_OK)
            return message_error(&error);
    }
    return ENDED_WELL;
}

/* If there are more folds, each has too few rows for its own scores. */
enum { MOST_FOLDS_SCORED = 1000 };

static int find_fold_scores(const judge *j, crd_fold_scores **out) {
    crd_error error;
    if (j->ran.split == NULL || !j->has_all_rows || crd_split_fold_count(j->ran.split) > MOST_FOLDS_SCORED)
        return ENDED_WELL;
    return crd_fold_scores_create(crd_assessment_evaluation(j->assessment), out, &error) == CRD_OK
               ? ENDED_WELL
               : message_error(&error);
}

/* Writes the report of the scores, with fold scores, top-k accuracies, the sweep and the pictures. */
static int report_scores(judge *j, evaluated *e) {
    crd_fold_scores *folds = NULL;
    top_accuracy tops[MOST_TOPS];
    int ended = evaluate_judge_find_tops(j, tops, &e->top_count);
    if (ended == ENDED_WELL) ended = find_fold_scores(j, &folds);
    if (ended == ENDED_WELL) ended = sweep_run(&j->sweep, crd_assessment_evaluation(j->assessment));
    if (ended == ENDED_WELL) {
        crd_result *r = report_create_for(j->call, true);
        e->tops = tops;
        e->folds = folds;
        e->is_interrupted = j->is_interrupted;
        e->sweep = &j->sweep;
        e->importance = &j->importance;
        evaluate_report(r, e);
        ended = evaluate_draw(r, e, crd_assessment_evaluation(j->assessment));
        if (ended == ENDED_WELL) ended = pictures_check_report(r, j->call);
        if (ended == ENDED_WELL) report_write(r, &j->list.out);
        j->report = r;
    }
    crd_fold_scores_destroy(folds);
    return ended;
}

static void warn_of_labels(const judge *j, const crd_scores *scores) {
    char *warning = NULL;
    if (crd_scores_label_warning(j->call->context, scores, &warning, NULL) != CRD_OK || warning == NULL) return;
    message_warning("%s", warning);
    crd_free(j->call->context, warning);
}

/* Computes the scores and sets *totals. Reports them, unless the output is a CSV or JSON list of rows. */
static int evaluate_judge_write_scores(judge *j, const char *heading, crd_totals *totals) {
    const crd_evaluation *uncalibrated = crd_assessment_facts_of(j->assessment)->uncalibrated;
    crd_scores *scores = NULL, *before = NULL;
    crd_error error;
    if (crd_scores_create(crd_assessment_evaluation(j->assessment), &scores, &error) != CRD_OK)
        return message_error(&error);
    if (uncalibrated != NULL && crd_scores_create(uncalibrated, &before, &error) != CRD_OK) {
        crd_scores_destroy(scores);
        return message_error(&error);
    }
    crd_scores_totals(scores, totals);
    int ended = ENDED_WELL;
    bool only_rows = j->lists_rows && (j->list.out.format == FORMAT_CSV || j->list.out.format == FORMAT_JSON);
    if (!only_rows) {
        ended = report_scores(j, &(evaluated){.heading = heading,
                                              .all_classes = arguments_have(&j->call->arguments, "all-classes"),
                                              .scores = scores,
                                              .totals = totals,
                                              .before = before,
                                              .ran = &j->ran,
                                              .with_weights = j->facts->has_weights != 0,
                                              .rule = j->rule,
                                              .outcomes = crd_assessment_facts_of(j->assessment)->outcomes});
    }
    if (ended == ENDED_WELL) warn_of_labels(j, scores);
    crd_scores_destroy(scores);
    crd_scores_destroy(before);
    return ended;
}

/* Writes the report and the pictures, prints the notes, and frees everything. Returns the exit code; `ended` is the
 * exit code so far. */
static int judge_end(judge *j, int ended, const char *heading) {
    crd_totals totals = CRD_TOTALS_INIT;
    if (j->list.table != NULL && ended == ENDED_WELL) {
        row_stream_flush(&j->list);
        fputc('\n', j->list.out.stream);
    }
    /* With several processes, each has all rows at this point, and only the first one reports. */
    const bool is_reported = ended == ENDED_WELL && invocation_is_root(j->call);
    if (is_reported) ended = evaluate_judge_write_scores(j, heading, &totals);
    output_format format = j->list.out.format;
    ended = output_close(&j->list.out, ended);
    j->list.out.format = format;
    if (ended == ENDED_WELL && j->report != NULL) ended = report_write_pictures(j->report, j->call);
    crd_result_destroy(j->report);
    if (is_reported && ended == ENDED_WELL) say_what_happened(j, &totals);
    table_destroy(j->list.table);
    crd_rule_destroy(j->rule);
    sweep_free(&j->sweep);
    return ended == ENDED_WELL && j->is_interrupted ? invocation_interrupted_exit() : ended;
}

/* Runs the assessment: lists the rows, and reports scores and importance. Warns if these are the training rows. */
int evaluate_judge(const invocation *call, crd_assessment *assessment, const crd_split_options *split,
                   const crd_model *model, const char *heading) {
    judge j = {.call = call,
               .assessment = assessment,
               .model = model,
               .ran = {.call = call,
                       .target = crd_assessment_facts_of(assessment)->target,
                       .settings = crd_assessment_settings(assessment),
                       .split = crd_assessment_facts_of(assessment)->split,
                       .split_options = split}};
    int ended = judge_begin(&j);
    if (ended == ENDED_WELL) ended = evaluate_judge_rows(&j);
    j.has_all_rows = !j.is_interrupted;
    if (ended == ENDED_WELL) ended = importance_run(call, &j.importance, &j.is_interrupted);
    if (ended == ENDED_WELL && j.has_all_rows && j.facts->is_learned)
        message_warning("these are the rows that the model was trained on: its scores will be worse on other rows "
                        "(--cross-validate 10 measures by how much)");
    if (ended == ENDED_WELL && split != NULL) split_note_empty(split, crd_assessment_facts_of(assessment)->split);
    return judge_end(&j, ended, heading);
}
