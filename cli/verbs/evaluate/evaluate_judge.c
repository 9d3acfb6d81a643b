/* SPDX-License-Identifier: MIT */
/* evaluate_judge.c - an assessment is run: rows are listed where --each asks for it, and scores reported. */
#include "verbs/evaluate/evaluate_verb.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/pictures.h"
#include "core/progress.h"
#include "core/report_write.h"
#include "source/network_model.h"

#include <math.h>

/* An assessment that is run and reported. */
typedef struct judge {
    const invocation *call;
    crd_assessment *assessment;
    const crd_model *model; /* that answers, where it is one and the same for all rows */
    bool lists_rows;        /* --each */
    row_stream list;        /* of them; its output has the scores too */
    crd_rule *rule;         /* NULL: none */
    ran ran;
    sweep sweep;
    columns_importance importance;
    report *report; /* once it is written; it has pictures, which are in a file of their own */
    crd_assessment_facts facts;
    bool has_all_rows;   /* nobody interrupted while they were judged */
    bool is_interrupted; /* what is done then is reported */
} judge;

enum { COLUMNS_LISTED = 8 };

/* The decision is listed where there is a rule to decide by. It is read once the classes are known, but asked for
 * before. */
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
    j->lists_rows = arguments_have(&call->arguments, "each");
    int ended = j->lists_rows ? row_stream_open(call, &j->list) : output_open(call, &j->list.out);
    if (ended == ENDED_WELL && !j->lists_rows) ended = output_choose_format(call, &j->list.out, FORMATS, FORMAT_TABLE);
    if (ended == ENDED_WELL) ended = sweep_read(call, &j->sweep);
    if (ended == ENDED_WELL) ended = importance_read(call, &j->importance);
    if (ended == ENDED_WELL && j->list.out.format == FORMAT_CSV && j->sweep.is_asked && j->importance.is_asked)
        ended =
            message_usage("--format csv is one table, that of --sweep or that of --importance: leave one of them out");
    if (ended == ENDED_WELL && j->lists_rows) evaluate_judge_open_list(j);
    return ended;
}

/* ---- Rows ---- */

static int list_row(void *user, const crd_assessed_row *row) {
    judge *j = user;
    row_stream *stream = &j->list;
    row_stream_count(stream, (double)row->row);
    if (row->score->decision < 0) {
        row_stream_missing_as(stream, "(all at zero)");
        row_stream_missing(stream);
    } else {
        row_stream_text(stream, crd_assessment_classes(j->assessment)[row->score->decision]);
        row_stream_number(stream, row->score->probability);
    }
    row_stream_text(stream, row->truth);
    row_stream_number(stream, row->score->truth_probability);
    /* JSON has no infinite numbers. */
    if (isinf(row->score->loss) && stream->out.format != FORMAT_JSON) row_stream_text(stream, crd_text_of("inf"));
    else row_stream_number(stream, row->score->loss);
    row_stream_number(stream, row->score->credit);
    if (row->decision != NULL && row->decision->action < 0) row_stream_missing_as(stream, "(none)");
    else if (row->decision != NULL) row_stream_text(stream, crd_rule_action(j->rule, (size_t)row->decision->action));
    return output_broken(&stream->out);
}

/* What is judged when somebody interrupts is reported; nothing, where that is nothing. */
static int evaluate_judge_stop(judge *j, const crd_error *error) {
    /* The end reports why nothing can be written. */
    if (j->lists_rows && output_broken(&j->list.out)) return ENDED_WELL;
    if (error->status == CRD_ERROR_CANCELLED && invocation_reports_part(j->call) && !j->lists_rows &&
        j->facts.judged > 0) {
        j->is_interrupted = true;
        return ENDED_WELL;
    }
    /* A truth that the costs have no row for. */
    return message_error_in(error, error->status == CRD_ERROR_COLUMN ? rule_file(j->call) : "");
}

static int evaluate_judge_rows(judge *j) {
    const crd_text *classes = crd_assessment_classes(j->assessment);
    size_t count = crd_assessment_class_count(j->assessment);
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
    crd_assessment_facts_of(j->assessment, &j->facts);
    j->importance.importance = crd_assessment_importance(j->assessment);
    return status == CRD_OK ? ENDED_WELL : evaluate_judge_stop(j, &error);
}

/* ---- The end ---- */

static void warn_if_worse_than_prior(const judge *j, const crd_totals *totals) {
    char loss[ROUNDED_ROOM], prior[ROUNDED_ROOM];
    if (!crd_totals_is_overconfident(totals)) return;
    const char *method = j->ran.settings == NULL ? NULL : crd_settings_get(j->ran.settings, "method");
    message_warning("log loss %s is worse than the class prior's, %s: %s%s is too sure of its answers. Calibrate it "
                    "(--calibration scaling) or look for a better method (evaluate --compare)",
                    output_round(totals->log_loss, loss), output_round(totals->baseline_log_loss, prior),
                    method == NULL ? "the model" : "method ", method == NULL ? "" : method);
}

static void say_what_happened(const judge *j, const crd_totals *totals) {
    char buffer[ROWS_ROOM], accuracy[ROUNDED_ROOM];
    if (j->lists_rows && (j->list.out.format == FORMAT_CSV || j->list.out.format == FORMAT_JSON)) {
        message_note("accuracy %s on %s", output_round(totals->accuracy, accuracy), output_rows(totals->rows, buffer));
    }
    const crd_assessment_facts *facts = &j->facts;
    if (facts->unlabelled > 0) message_note("skipped %s without a true class", output_rows(facts->unlabelled, buffer));
    if (facts->weightless > 0) message_note("left out %s of weight 0", output_rows(facts->weightless, buffer));
    if (facts->unseen > 0) {
        message_note("left out %llu %s %s, in %s", (unsigned long long)facts->unseen,
                     network_model_unseen_items(crd_assessment_classifier(j->assessment), facts->unseen == 1),
                     network_model_unseen_words(j->model), output_rows(facts->rows_with_unseen, buffer));
    }
    if (totals->undecided > 0) {
        message_note("%s without an answer: every class is at zero (by a category that is not smoothed, or a "
                     "number too far from everything learned)",
                     output_rows(totals->undecided, buffer));
    }
    warn_if_worse_than_prior(j, totals);
}

/* Places among the most probable classes that are counted, those of --top-k too; the last is 0. */
enum { MOST_TOPS = 4, SEEN_WITH_CLASSES = 6 };

static int evaluate_judge_find_tops(const judge *j, top_accuracy tops[MOST_TOPS], size_t *count) {
    uint64_t requested = 0;
    size_t ks[MOST_TOPS] = {2, 3, 5, 0}, classes = crd_assessment_class_count(j->assessment);
    crd_error error;
    int ended = arguments_whole(&j->call->arguments, "top-k", &requested);
    if (ended != ENDED_WELL) return ended;
    if (arguments_have(&j->call->arguments, "top-k") && requested == 0)
        return message_usage("--top-k takes a number of classes from 1 up, not 0");
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

/* Of more folds than these, each has too few rows for scores of its own. */
enum { MOST_FOLDS_SCORED = 1000 };

static int find_fold_scores(const judge *j, crd_fold_scores **out) {
    crd_error error;
    if (j->ran.split == NULL || !j->has_all_rows || crd_split_fold_count(j->ran.split) > MOST_FOLDS_SCORED)
        return ENDED_WELL;
    return crd_fold_scores_create(crd_assessment_evaluation(j->assessment), out, &error) == CRD_OK
               ? ENDED_WELL
               : message_error(&error);
}

static int report_scores(judge *j, evaluated *e) {
    crd_fold_scores *folds = NULL;
    top_accuracy tops[MOST_TOPS];
    int ended = evaluate_judge_find_tops(j, tops, &e->top_count);
    if (ended == ENDED_WELL) ended = find_fold_scores(j, &folds);
    if (ended == ENDED_WELL) ended = sweep_run(&j->sweep, crd_assessment_evaluation(j->assessment));
    if (ended == ENDED_WELL) {
        report *r = report_create_for(j->call);
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

static int evaluate_judge_write_scores(judge *j, const char *how, crd_totals *totals) {
    const crd_evaluation *uncalibrated = crd_assessment_uncalibrated(j->assessment);
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
        ended = report_scores(j, &(evaluated){.how = how,
                                              .all_classes = arguments_have(&j->call->arguments, "all-classes"),
                                              .scores = scores,
                                              .totals = totals,
                                              .before = before,
                                              .ran = &j->ran,
                                              .with_weights = j->facts.has_weights != 0,
                                              .rule = j->rule,
                                              .outcomes = crd_assessment_outcomes(j->assessment)});
    }
    if (ended == ENDED_WELL) warn_of_labels(j, scores);
    crd_scores_destroy(scores);
    crd_scores_destroy(before);
    return ended;
}

static int judge_end(judge *j, int ended, const char *how) {
    crd_totals totals = CRD_TOTALS_INIT;
    if (j->list.table != NULL && ended == ENDED_WELL) {
        row_stream_flush(&j->list);
        fputc('\n', j->list.out.stream);
    }
    /* Of several processes, which have the same rows by now, the first one reports. */
    const bool is_reported = ended == ENDED_WELL && invocation_is_root(j->call);
    if (is_reported) ended = evaluate_judge_write_scores(j, how, &totals);
    output_format format = j->list.out.format;
    ended = output_close(&j->list.out, ended);
    j->list.out.format = format;
    if (ended == ENDED_WELL && j->report != NULL) ended = report_write_pictures(j->report, j->call);
    report_destroy(j->report);
    if (is_reported && ended == ENDED_WELL) say_what_happened(j, &totals);
    table_destroy(j->list.table);
    crd_rule_destroy(j->rule);
    sweep_free(&j->sweep);
    return ended == ENDED_WELL && j->is_interrupted ? invocation_interrupted_exit() : ended;
}

int evaluate_judge(const invocation *call, crd_assessment *assessment, const crd_split_options *split,
                   const crd_model *model, const char *how) {
    judge j = {.call = call,
               .assessment = assessment,
               .model = model,
               .facts = CRD_ASSESSMENT_FACTS_INIT,
               .ran = {.call = call,
                       .target = crd_assessment_target(assessment),
                       .settings = crd_assessment_settings(assessment),
                       .split = crd_assessment_split(assessment),
                       .split_options = split}};
    int ended = judge_begin(&j);
    if (ended == ENDED_WELL) ended = evaluate_judge_rows(&j);
    j.has_all_rows = !j.is_interrupted;
    if (ended == ENDED_WELL) ended = importance_run(call, &j.importance, &j.is_interrupted);
    if (ended == ENDED_WELL && j.has_all_rows && j.facts.is_learned)
        message_warning("these are the very rows that the model learned: it will do worse on others "
                        "(--cross-validate 10 measures by how much)");
    if (ended == ENDED_WELL && split != NULL) split_note_empty(split, crd_assessment_split(assessment));
    return judge_end(&j, ended, how);
}
