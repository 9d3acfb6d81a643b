/* evaluate_report.c - the scores: tables with a reliability plot for people, csv and JSON for programs. */
#include "verbs/evaluate/evaluate_verb.h"

#include "core/plot.h"

#include <math.h>

enum { PLOT_WIDTH = 20 };

/* ---- For people ---- */

static void add_name(string *out, const crd_scores *scores, size_t k) {
    string_add_shown(out, crd_scores_class_name(scores, k));
}

/* "No (2 rows), Yes (1 row)": the classes that were at zero in rows of theirs. */
static void add_classes_at_zero(string *out, const crd_scores *scores) {
    char room[ROWS_ROOM];
    for (size_t k = 0; k < crd_scores_class_count(scores); k++) {
        crd_class_scores of = CRD_CLASS_SCORES_INIT;
        crd_scores_class(scores, k, &of);
        if (of.zero_rows == 0) continue;
        if (out->length > 0) string_format(out, ", ");
        add_name(out, scores, k);
        string_format(out, " (%s)", output_rows(of.zero_rows, room));
    }
}

static void add_classes_without_auc(string *out, const crd_scores *scores) {
    for (size_t k = 0; k < crd_scores_class_count(scores); k++) {
        crd_class_scores of = CRD_CLASS_SCORES_INIT;
        crd_scores_class(scores, k, &of);
        if (!isnan(of.auc)) continue;
        string_format(out, "%s", out->length == 0 ? "without " : ", ");
        add_name(out, scores, k);
    }
    if (out->length > 0) string_format(out, ": nothing to rank");
}

static void add_total(table *t, const char *name, double value, const char *remark) {
    char room[ROUNDED_ROOM];
    table_add(t, name);
    table_add(t, output_round(value, room));
    table_add(t, remark);
}

static void add_log_loss(table *t, const crd_scores *scores, const crd_totals *totals) {
    string classes = {0}, remark = {0};
    add_classes_at_zero(&classes, scores);
    if (classes.length > 0) string_format(&remark, "the true class was at zero: %s", string_text(&classes));
    add_total(t, "log loss", totals->log_loss, string_text(&remark));
    string_free(&classes);
    string_free(&remark);
}

static void add_auc(table *t, const crd_scores *scores, const crd_totals *totals) {
    string remark = {0};
    add_classes_without_auc(&remark, scores);
    add_total(t, "AUC", totals->auc, string_text(&remark));
    string_free(&remark);
}

static void add_baseline(table *t, const crd_scores *scores, const crd_totals *totals) {
    string remark = {0};
    size_t most = 0;
    double greatest = 0;
    for (size_t k = 0; k < crd_scores_class_count(scores); k++) {
        crd_class_scores of = CRD_CLASS_SCORES_INIT;
        crd_scores_class(scores, k, &of);
        if (of.support_weight > greatest) most = k, greatest = of.support_weight;
    }
    string_format(&remark, "always naming ");
    add_name(&remark, scores, most);
    add_total(t, "baseline", totals->baseline, string_text(&remark));
    string_free(&remark);
}

static void print_totals(output *out, const crd_scores *scores, const crd_totals *totals, bool with_weights) {
    table *t = table_create_for(out, 3);
    table_omit_heading(t);
    table_align_left(t, 2);
    table_add(t, "rows");
    table_format(t, "%llu", (unsigned long long)totals->rows);
    table_add(t, "");
    if (with_weights) add_total(t, "weight", totals->weight, "by which each row counts below");
    add_total(t, "accuracy", totals->accuracy, "");
    add_baseline(t, scores, totals);
    add_log_loss(t, scores, totals);
    add_total(t, "Brier", totals->brier, "");
    add_auc(t, scores, totals);
    add_total(t, "ECE", totals->ece, "");
    table_print(t, out->stream, 2, 0);
    table_destroy(t);
}

static void print_classes(output *out, const crd_scores *scores) {
    static const char *const heading[] = {"class", "precision", "recall", "F1", "AUC", "support"};
    char room[ROUNDED_ROOM];
    table *t = table_create_for(out, 6);
    for (size_t i = 0; i < 6; i++) table_add(t, heading[i]);
    for (size_t k = 0; k < crd_scores_class_count(scores); k++) {
        crd_class_scores of = CRD_CLASS_SCORES_INIT;
        crd_scores_class(scores, k, &of);
        table_add_name(t, crd_scores_class_name(scores, k));
        table_add(t, output_round(of.precision, room));
        table_add(t, output_round(of.recall, room));
        table_add(t, output_round(of.f1, room));
        table_add(t, output_round(of.auc, room));
        table_add(t, output_count(of.support_weight, room));
    }
    table_print(t, out->stream, 2, out->width);
    table_destroy(t);
}

/* Columns for the classes that can be predicted, and one for rows without an answer where there are some. */
static void print_confusion(output *out, const crd_scores *scores, const crd_totals *totals) {
    char room[ROUNDED_ROOM];
    size_t classes = crd_scores_class_count(scores), named = 0;
    for (size_t k = 0; k < classes; k++) {
        crd_class_scores of = CRD_CLASS_SCORES_INIT;
        crd_scores_class(scores, k, &of);
        named += of.can_be_predicted != 0;
    }
    bool undecided = totals->undecided > 0;
    table *t = table_create_for(out, 1 + named + undecided);
    table_add(t, "");
    for (size_t k = 0; k < named; k++) table_add_name(t, crd_scores_class_name(scores, k));
    if (undecided) table_add(t, "(none)");
    for (size_t truth = 0; truth < classes; truth++) {
        crd_class_scores of = CRD_CLASS_SCORES_INIT;
        crd_scores_class(scores, truth, &of);
        double left = of.support_weight;
        table_add_name(t, crd_scores_class_name(scores, truth));
        for (size_t k = 0; k < named; k++) {
            double weight = crd_scores_confusion_weight(scores, truth, k);
            table_add(t, output_count(weight, room));
            left -= weight;
        }
        /* Sums of weights are rounded, and their differences show it. */
        if (undecided) table_add(t, output_count(left > of.support_weight * 1e-12 ? left : 0, room));
    }
    table_print(t, out->stream, 2, out->width);
    table_destroy(t);
}

static void print_calibration(output *out, const crd_scores *scores) {
    static const char *const heading[] = {"probability", "rows", "mean", "accuracy", "0                  1"};
    char room[ROUNDED_ROOM];
    table *t = table_create_for(out, 5);
    table_align_left(t, 4);
    for (size_t i = 0; i < 5; i++) table_add(t, heading[i]);
    for (size_t i = 0; i < CRD_CALIBRATION_BINS; i++) {
        crd_calibration_bin bin = crd_scores_calibration(scores, i);
        if (bin.rows == 0) continue;
        string picture = {0};
        plot_reliability(&picture, bin.accuracy, bin.probability, PLOT_WIDTH);
        table_format(t, "%.1f to %.1f", (double)i / CRD_CALIBRATION_BINS, (double)(i + 1) / CRD_CALIBRATION_BINS);
        table_add(t, output_count(bin.weight, room));
        table_add(t, output_round(bin.probability, room));
        table_add(t, output_round(bin.accuracy, room));
        table_add(t, string_text(&picture));
        string_free(&picture);
    }
    table_print(t, out->stream, 2, 0);
    table_destroy(t);
}

/* What calibration has changed. */
static void print_before_and_after(output *out, const crd_scores *before, const crd_totals *after) {
    static const char *const names[] = {"accuracy", "log loss", "Brier", "ECE"};
    char room[ROUNDED_ROOM];
    crd_totals was = CRD_TOTALS_INIT;
    crd_scores_totals(before, &was);
    const double numbers[][2] = {{was.accuracy, after->accuracy},
                                 {was.log_loss, after->log_loss},
                                 {was.brier, after->brier},
                                 {was.ece, after->ece}};
    table *t = table_create_for(out, 3);
    table_add(t, "");
    table_add(t, "before");
    table_add(t, "after");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        table_add(t, names[i]);
        table_add(t, output_round(numbers[i][0], room));
        table_add(t, output_round(numbers[i][1], room));
    }
    output_heading(out, 2, "Before and after calibration", "");
    table_print(t, out->stream, 2, 0);
    table_destroy(t);
}

static void print_tables(output *out, const crd_scores *scores, const crd_scores *before, const crd_totals *totals,
                         const char *how, bool with_weights) {
    if (out->format == FORMAT_MARKDOWN) output_heading(out, 1, how, "");
    else output_line(out, "%s\n", how);
    print_totals(out, scores, totals, with_weights);
    output_heading(out, 2, "Classes", "");
    print_classes(out, scores);
    output_heading(out, 2, "Confusion", ": a row for each true class, a column for each that was named");
    print_confusion(out, scores, totals);
    if (before != NULL) {
        print_before_and_after(out, before, totals);
        output_heading(out, 2, "Before calibration", ": █ accuracy of the rows, ┃ the probability they were given");
        print_calibration(out, before);
    }
    output_heading(out, 2, before == NULL ? "Calibration" : "After calibration",
                   ": █ accuracy of the rows, ┃ the probability they were given");
    print_calibration(out, scores);
}

/* ---- For programs ---- */

/* What is inside a container on one line. */
static void open_line(json *j) {
    j->indented = false;
}

static void close_line(json *j) {
    j->indented = true;
}

static void write_class_json(json *j, const crd_scores *scores, size_t k) {
    crd_class_scores of = CRD_CLASS_SCORES_INIT;
    crd_scores_class(scores, k, &of);
    json_object(j);
    open_line(j);
    json_member_text(j, "class", crd_scores_class_name(scores, k));
    json_member_number(j, "precision", of.precision);
    json_member_number(j, "recall", of.recall);
    json_member_number(j, "f1", of.f1);
    json_member_number(j, "auc", of.auc);
    json_member_number(j, "support", of.support_weight);
    json_member_number(j, "zero_rows", (double)of.zero_rows);
    json_end_object(j);
    close_line(j);
}

static void write_bin_json(json *j, const crd_scores *scores, size_t i) {
    crd_calibration_bin bin = crd_scores_calibration(scores, i);
    json_object(j);
    open_line(j);
    json_member_number(j, "from", (double)i / CRD_CALIBRATION_BINS);
    json_member_number(j, "to", (double)(i + 1) / CRD_CALIBRATION_BINS);
    json_member_number(j, "rows", bin.weight);
    json_member_number(j, "probability", bin.probability);
    json_member_number(j, "accuracy", bin.accuracy);
    json_end_object(j);
    close_line(j);
}

/* The same members as the whole has, without calibration. */
static void write_before_json(json *j, const crd_scores *before) {
    crd_totals was = CRD_TOTALS_INIT;
    crd_scores_totals(before, &was);
    json_key(j, "before_calibration");
    json_object(j);
    json_member_number(j, "accuracy", was.accuracy);
    json_member_number(j, "log_loss", was.log_loss);
    json_member_number(j, "brier", was.brier);
    json_key(j, "calibration");
    json_array(j);
    for (size_t i = 0; i < CRD_CALIBRATION_BINS; i++) write_bin_json(j, before, i);
    json_end_array(j);
    json_member_number(j, "ece", was.ece);
    json_end_object(j);
}

static void write_json(output *out, const crd_scores *scores, const crd_scores *before, const crd_totals *totals,
                       bool with_weights, const crd_rule *rule, const crd_outcomes *outcomes) {
    json j = json_begin(out->stream, true);
    size_t classes = crd_scores_class_count(scores);
    json_object(&j);
    json_member_number(&j, "rows", (double)totals->rows);
    if (with_weights) json_member_number(&j, "weight", totals->weight);
    json_member_number(&j, "accuracy", totals->accuracy);
    json_member_number(&j, "baseline", totals->baseline);
    json_member_number(&j, "log_loss", totals->log_loss);
    json_member_number(&j, "zero_rows", (double)totals->zero_rows);
    json_member_number(&j, "brier", totals->brier);
    json_member_number(&j, "auc", totals->auc);
    json_key(&j, "classes");
    json_array(&j);
    open_line(&j);
    for (size_t k = 0; k < classes; k++) json_text(&j, crd_scores_class_name(scores, k));
    json_end_array(&j);
    close_line(&j);
    json_key(&j, "per_class");
    json_array(&j);
    for (size_t k = 0; k < classes; k++) write_class_json(&j, scores, k);
    json_end_array(&j);
    json_key(&j, "confusion");
    json_array(&j);
    for (size_t truth = 0; truth < classes; truth++) {
        json_array(&j);
        open_line(&j);
        for (size_t k = 0; k < classes; k++) json_number(&j, crd_scores_confusion_weight(scores, truth, k));
        json_end_array(&j);
        close_line(&j);
    }
    json_end_array(&j);
    json_key(&j, "calibration");
    json_array(&j);
    for (size_t i = 0; i < CRD_CALIBRATION_BINS; i++) write_bin_json(&j, scores, i);
    json_end_array(&j);
    json_member_number(&j, "ece", totals->ece);
    if (before != NULL) write_before_json(&j, before);
    if (rule != NULL) decisions_json(&j, rule, outcomes);
    json_end_object(&j);
    json_end_line(&j);
}

void evaluate_csv_line(output *out, const char *measure, crd_text of, crd_text named, double value) {
    fprintf(out->stream, "%s,", measure);
    output_csv_text(out, of);
    fputc(',', out->stream);
    output_csv_text(out, named);
    fputc(',', out->stream);
    output_csv_number(out, value);
    fputc('\n', out->stream);
}

static void write_csv(output *out, const crd_scores *scores, const crd_scores *before, const crd_totals *totals,
                      bool with_weights) {
    const crd_text none = {"", 0};
    size_t classes = crd_scores_class_count(scores);
    fputs("measure,class,named,value\n", out->stream);
    evaluate_csv_line(out, "rows", none, none, (double)totals->rows);
    if (with_weights) evaluate_csv_line(out, "weight", none, none, totals->weight);
    evaluate_csv_line(out, "accuracy", none, none, totals->accuracy);
    evaluate_csv_line(out, "baseline", none, none, totals->baseline);
    evaluate_csv_line(out, "log_loss", none, none, totals->log_loss);
    evaluate_csv_line(out, "zero_rows", none, none, (double)totals->zero_rows);
    evaluate_csv_line(out, "brier", none, none, totals->brier);
    evaluate_csv_line(out, "auc", none, none, totals->auc);
    evaluate_csv_line(out, "ece", none, none, totals->ece);
    if (before != NULL) {
        crd_totals was = CRD_TOTALS_INIT;
        crd_scores_totals(before, &was);
        evaluate_csv_line(out, "accuracy_before_calibration", none, none, was.accuracy);
        evaluate_csv_line(out, "log_loss_before_calibration", none, none, was.log_loss);
        evaluate_csv_line(out, "brier_before_calibration", none, none, was.brier);
        evaluate_csv_line(out, "ece_before_calibration", none, none, was.ece);
    }
    for (size_t k = 0; k < classes; k++) {
        crd_text name = crd_scores_class_name(scores, k);
        crd_class_scores of = CRD_CLASS_SCORES_INIT;
        crd_scores_class(scores, k, &of);
        evaluate_csv_line(out, "precision", name, none, of.precision);
        evaluate_csv_line(out, "recall", name, none, of.recall);
        evaluate_csv_line(out, "f1", name, none, of.f1);
        evaluate_csv_line(out, "auc", name, none, of.auc);
        evaluate_csv_line(out, "support", name, none, of.support_weight);
        evaluate_csv_line(out, "zero_rows", name, none, (double)of.zero_rows);
    }
    for (size_t truth = 0; truth < classes; truth++) {
        for (size_t k = 0; k < classes; k++) {
            evaluate_csv_line(out, "confusion", crd_scores_class_name(scores, truth), crd_scores_class_name(scores, k),
                              crd_scores_confusion_weight(scores, truth, k));
        }
    }
}

void evaluate_report(output *out, const crd_scores *scores, const crd_scores *before, const char *how,
                     bool with_weights, const crd_rule *rule, const crd_outcomes *outcomes) {
    crd_totals totals = CRD_TOTALS_INIT;
    crd_scores_totals(scores, &totals);
    switch (out->format) {
    case FORMAT_TABLE:
    case FORMAT_MARKDOWN:
        print_tables(out, scores, before, &totals, how, with_weights);
        if (rule != NULL) decisions_print(out, rule, outcomes);
        break;
    case FORMAT_CSV:
        write_csv(out, scores, before, &totals, with_weights);
        if (rule != NULL) decisions_csv(out, rule, outcomes);
        break;
    case FORMAT_JSON: write_json(out, scores, before, &totals, with_weights, rule, outcomes); break;
    }
}
