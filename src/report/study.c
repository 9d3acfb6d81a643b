/* SPDX-License-Identifier: MIT */
/* study.c - functions shared by the sections of a study, and the sections about the data, methods and scores. See
 * study.h.
 *
 * Contents:
 *   1. Shared functions
 *   2. Scores section
 *   3. Methods section
 *   4. Predicted rows
 *   5. Summary and last section
 *   6. Data section */
#include "report/study.h"

#include "base/error.h"
#include "base/memory.h"
#include "evaluate/cross_validation.h"
#include "io/section.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ======== 1. Shared functions ======== */

uint64_t crd_i_study_row_number(const crd_i_study *study, uint64_t judged) {
    return (judged - 1) * study->stride + 1;
}

void crd_i_study_list_name(crd_i_html *out, crd_text name, size_t count) {
    if (count >= CRD_I_STUDY_LISTED) return;
    crd_i_html_add(out, count == 0 ? "<b>%t</b>" : ", <b>%t</b>", name);
}

void crd_i_study_end_list(crd_i_html *out, size_t count) {
    if (count > CRD_I_STUDY_LISTED) crd_i_html_add(out, " and %u more", (uint64_t)(count - CRD_I_STUDY_LISTED));
}

/* Appends the settings that differ from their defaults: "method=pairwise, calibration=isotonic". Appends "the defaults" if
 * there are none. */
static void study_settings(crd_i_html *out, const crd_settings *settings) {
    size_t shown = 0;
    const crd_setting *setting;
    for (size_t i = 0; (setting = crd_setting_at(i)) != NULL; i++) {
        const char *value = crd_settings_get(settings, setting->name);
        if (value == NULL || strcmp(value, setting->default_value) == 0) continue;
        crd_i_html_add(out, "%s<code>%s=%s</code>", shown++ > 0 ? ", " : "", setting->name, value);
    }
    if (shown == 0) crd_i_html_add(out, "the defaults");
}

/* ======== 2. Scores section ========
 *
 * Totals with intervals, classes, confusion, calibration, and threshold curves. It also chooses the rows that are
 * explained. */

enum { CLASSES_SHOWN = 30, CURVES = 6, CURVE_POINTS = 400, CONFUSIONS = 10, IMPORTANCE_ROWS = 2000 };

/* ---- Running ---- */

static bool is_better(const crd_i_study_row *than, double probability, bool is_greater) {
    return than->row == 0 || (is_greater ? probability > than->probability : probability < than->probability);
}

/* Chooses the rows to explain: the most confident correct prediction, the least confident prediction, and the most
 * confident wrong one. */
static int pick_row(void *user, const crd_assessed_row *row) {
    crd_i_study *study = user;
    const crd_row_score *score = row->score;
    const crd_i_study_row this_row = {row->row, score->probability};
    if (score->decision < 0) return 0;
    crd_i_study_row *picked = study->picked;
    if (score->credit == 1 && is_better(&picked[CRD_I_STUDY_SURE], score->probability, true))
        picked[CRD_I_STUDY_SURE] = this_row;
    if (is_better(&picked[CRD_I_STUDY_UNSURE], score->probability, false)) picked[CRD_I_STUDY_UNSURE] = this_row;
    if (score->credit == 0 && is_better(&picked[CRD_I_STUDY_WRONG], score->probability, true))
        picked[CRD_I_STUDY_WRONG] = this_row;
    return 0;
}

/* Runs the assessment with permutation importance, and computes the scores. A row is explained only once. */
static crd_status study_assess_judge(crd_i_study *study, crd_error *error) {
    crd_importance_options importance = CRD_IMPORTANCE_OPTIONS_INIT;
    importance.seed = study->page.options.seed;
    importance.threads = study->page.options.threads;
    importance.most_rows = IMPORTANCE_ROWS;
    importance.repeats = 3;
    crd_assessment_options options = CRD_ASSESSMENT_OPTIONS_INIT;
    options.importance = &importance;
    options.each = pick_row;
    options.user = study;
    crd_status status = crd_assessment_run(study->assessment, &options, error);
    study->evaluation = crd_assessment_evaluation(study->assessment);
    study->classes = crd_assessment_facts_of(study->assessment)->classes;
    study->class_count = crd_assessment_facts_of(study->assessment)->class_count;
    if (status == CRD_OK) status = crd_scores_create(study->evaluation, &study->scores, error);
    if (status != CRD_OK) return status;
    study->totals = (crd_totals)CRD_TOTALS_INIT;
    crd_scores_totals(study->scores, &study->totals);
    if (study->picked[CRD_I_STUDY_UNSURE].row == study->picked[CRD_I_STUDY_WRONG].row)
        study->picked[CRD_I_STUDY_UNSURE].row = 0;
    if (study->picked[CRD_I_STUDY_UNSURE].row == study->picked[CRD_I_STUDY_SURE].row)
        study->picked[CRD_I_STUDY_UNSURE].row = 0;
    return CRD_OK;
}

/* ---- Totals ---- */

static void study_assess_add_fact(crd_i_html *out, const char *name, double value, const char *note) {
    crd_i_html_add(out, "<div><dt>%s</dt><dd>%f<small>%s</small></dd></div>", name, value, note);
}

/* Adds a measure with its interval, if it has one, and with the baseline's value, unless it is NaN. */
static void study_assess_add_measure(const crd_i_study *study, crd_i_html *out, crd_measure measure, const char *name,
                                     const char *baseline, double without) {
    double low = NAN, high = NAN;
    bool has_interval = crd_scores_interval(study->scores, measure, &low, &high) != 0;
    crd_i_html_add(out, "<div><dt>%s</dt><dd>%f<small>", name, crd_totals_measure(&study->totals, measure));
    if (has_interval) crd_i_html_add(out, "%f – %f", low, high);
    if (!isnan(without)) crd_i_html_add(out, has_interval ? "<br>%s %f" : "%s %f", baseline, without);
    crd_i_html_add(out, "</small></dd></div>");
}

static void study_assess_add_totals(crd_i_study *study) {
    crd_i_html *out = &study->page.body;
    const crd_totals *t = &study->totals;
    crd_i_html_add(out, "<dl class=\"facts\">");
    study_assess_add_measure(study, out, CRD_MEASURE_ACCURACY, "accuracy", "majority class", t->baseline);
    study_assess_add_measure(study, out, CRD_MEASURE_LOG_LOSS, "log loss", "class prior", t->baseline_log_loss);
    if (!isnan(t->auc)) study_assess_add_measure(study, out, CRD_MEASURE_AUC, "AUC", "", NAN);
    study_assess_add_measure(study, out, CRD_MEASURE_BRIER, "Brier score", "", NAN);
    study_assess_add_fact(out, "calibration error", t->ece, "ECE, ten bins");
    study_assess_add_fact(out, "balanced accuracy", t->balanced_accuracy, "mean recall");
    study_assess_add_fact(out, "macro F1", t->macro_f1, "");
    study_assess_add_fact(out, "MCC", t->mcc, "−1 to 1");
    crd_i_html_add(out, "</dl>\n");
}

/* Adds the mean and standard deviation of the most important measures over the folds. */
static crd_status study_assess_add_folds(crd_i_study *study, crd_error *error) {
    static const crd_measure shown[] = {CRD_MEASURE_ACCURACY, CRD_MEASURE_LOG_LOSS, CRD_MEASURE_AUC, CRD_MEASURE_ECE};
    crd_fold_scores *folds = NULL;
    crd_i_html *out = &study->page.body;
    crd_status status = crd_fold_scores_create(study->evaluation, &folds, error);
    if (status != CRD_OK) return status;
    if (folds->count > 1) {
        crd_i_html_add(out,
                       "<p class=\"soft\">Over the %u folds, mean and standard deviation: ", (uint64_t)folds->count);
        static const char *const names[] = {"accuracy", "log loss", "AUC", "ECE"};
        for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
            crd_spread spread = folds->spreads[shown[i]];
            if (isnan(spread.mean)) continue;
            crd_i_html_add(out, "%s%s %f ± %f", i > 0 ? ", " : "", names[i], spread.mean, spread.deviation);
        }
        crd_i_html_add(out, ".</p>\n");
    }
    crd_fold_scores_destroy(folds);
    return CRD_OK;
}

/* ---- Classes ---- */

/* Adds the table of scores by class. */
static void add_class_table(crd_i_study *study) {
    crd_i_html *out = &study->page.body;
    size_t count = study->scores->class_count;
    crd_i_html_open_table(out, "Scores by class");
    crd_i_html_column(out, false, "class");
    static const char *const titles[] = {"rows", "predicted", "precision", "recall", "interval of recall", "F1", "AUC"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) crd_i_html_column(out, true, "%s", titles[i]);
    for (size_t k = 0; k < count && k < CLASSES_SHOWN; k++) {
        double low = NAN, high = NAN;
        const crd_class_scores class_scores = study->scores->classes[k];
        if (class_scores.support_weight > 0)
            crd_frequency_interval(class_scores.recall, class_scores.support_weight, &low, &high);
        crd_i_html_row(out, NULL);
        crd_i_html_cell(out, "%t", study->scores->classes[k].name);
        crd_i_html_cell(out, "%u", class_scores.support);
        crd_i_html_cell(out, "%u", class_scores.predicted);
        crd_i_html_cell(out, "%f", class_scores.precision);
        crd_i_html_cell(out, "%f", class_scores.recall);
        crd_i_html_cell(out, "%f – %f", low, high);
        crd_i_html_cell(out, "%f", class_scores.f1);
        crd_i_html_cell(out, "%f", class_scores.auc);
    }
    crd_i_html_close_table(out);
    if (count > CLASSES_SHOWN)
        crd_i_html_add(out, "<p class=\"soft\">Further classes that are not listed: %u.</p>\n",
                       (uint64_t)(count - CLASSES_SHOWN));
}

/* Draws the confusion matrix. */
static crd_status study_assess_draw_confusion(crd_i_study *study, crd_error *error) {
    crd_context *context = study->page.context;
    size_t count = study->scores->class_count;
    crd_text *names = crd_i_alloc(context, count, sizeof *names);
    double *counts = count <= CLASSES_SHOWN ? crd_i_alloc(context, count * count, sizeof *counts) : NULL;
    crd_plot_confusion confusion = CRD_PLOT_CONFUSION_INIT;
    crd_plot_options options = crd_i_page_plot("Confusion matrix", count <= 6 ? CRD_I_PAGE_HALF : CRD_I_PAGE_WIDE);
    char *svg = NULL;
    crd_status status = names == NULL || counts == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        names[i] = study->scores->classes[i].name;
        for (size_t k = 0; k < count; k++) counts[i * count + k] = crd_scores_confusion_weight(study->scores, i, k);
    }
    confusion.classes = names;
    confusion.count = count;
    confusion.counts = counts;
    if (status == CRD_OK) status = crd_plot_draw_confusion(context, &confusion, &options, &svg, error);
    crd_free(context, names);
    crd_free(context, counts);
    return crd_i_page_picture(&study->page, status, svg, "Rows by actual class and predicted class.", error);
}

/* Lists the most frequent confusions in a table. */
static void list_confusions(crd_i_study *study) {
    crd_i_html *out = &study->page.body;
    crd_confusion most[CONFUSIONS];
    size_t count = crd_scores_confusions(study->scores, most, CONFUSIONS);
    if (count == 0) return;
    crd_i_html_open_table(out, "The most frequent confusions");
    crd_i_html_column(out, false, "class");
    crd_i_html_column(out, false, "predicted as");
    crd_i_html_column(out, true, "rows");
    for (size_t i = 0; i < count && i < CONFUSIONS; i++) {
        crd_i_html_row(out, NULL);
        crd_i_html_cell(out, "%t", study->scores->classes[most[i].truth].name);
        crd_i_html_cell(out, "%t", study->scores->classes[most[i].named].name);
        crd_i_html_cell(out, "%n", most[i].weight);
    }
    crd_i_html_close_table(out);
}

/* ---- Calibration ---- */

/* Draws the calibration plot, with intervals of the observed frequencies. */
static crd_status study_assess_draw_calibration(crd_i_study *study, crd_error *error) {
    crd_plot_bin bins[CRD_CALIBRATION_BINS];
    crd_plot_calibration calibration = CRD_PLOT_CALIBRATION_INIT;
    crd_plot_options options = crd_i_page_plot("Calibration", CRD_I_PAGE_HALF);
    char *svg = NULL;
    for (size_t i = 0; i < CRD_CALIBRATION_BINS; i++) {
        crd_calibration_bin bin = study->scores->bins[i];
        if (bin.rows == 0) continue;
        crd_plot_bin *plot = &bins[calibration.count++];
        *plot = (crd_plot_bin){bin.probability, bin.accuracy, NAN, NAN, bin.weight};
        crd_frequency_interval(fmin(1, bin.accuracy), bin.weight, &plot->low, &plot->high);
    }
    calibration.bins = bins;
    crd_status status = crd_plot_draw_calibration(study->page.context, &calibration, &options, &svg, error);
    return crd_i_page_picture(
        &study->page, status, svg,
        "Proportion of correct predictions by predicted probability, with 95 % intervals. On the diagonal, "
        "frequencies are equal to predicted probabilities.",
        error);
}

/* ---- Threshold curves ---- */

typedef struct curve_points {
    double *x[CURVES], *y[CURVES];
    crd_plot_series series[CURVES];
    size_t count;
} curve_points;

static void free_points(crd_context *context, curve_points *points) {
    for (size_t i = 0; i < CURVES; i++) {
        crd_free(context, points->x[i]);
        crd_free(context, points->y[i]);
    }
}

/* Adds the ROC curve or precision-recall curve of a class. Adds nothing if the class has no curve. */
static crd_status add_curve(crd_i_study *study, size_t class_index, bool is_roc, curve_points *points,
                            crd_error *error) {
    crd_context *context = study->page.context;
    crd_curve *curve = NULL;
    size_t indices[CURVE_POINTS], index = points->count, kept = 0;
    crd_status status = crd_curve_create(study->evaluation, class_index, &curve, error);
    if (status == CRD_ERROR_EMPTY) return CRD_OK;
    if (status != CRD_OK) return status;
    size_t count = crd_curve_thin(curve, CURVE_POINTS, indices);
    points->x[index] = crd_i_alloc(context, count, sizeof **points->x);
    points->y[index] = crd_i_alloc(context, count, sizeof **points->y);
    if (points->x[index] == NULL || points->y[index] == NULL) status = crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        crd_curve_point point = CRD_CURVE_POINT_INIT;
        crd_curve_point_at(curve, indices[i], &point);
        if (!is_roc && isnan(point.precision)) continue;
        points->x[index][kept] = is_roc ? point.false_positive_rate : point.recall;
        points->y[index][kept++] = is_roc ? point.recall : point.precision;
    }
    crd_curve_destroy(curve);
    if (status != CRD_OK) return status;
    points->series[index] = (crd_plot_series){study->classes[class_index], points->x[index], points->y[index], kept};
    points->count++;
    return CRD_OK;
}

/* Draws the curves: with two classes, the curve of the second; with more, each class against the others. */
static crd_status study_assess_draw_curves(crd_i_study *study, bool is_roc, crd_error *error) {
    crd_context *context = study->page.context;
    size_t classes = study->class_count;
    curve_points points = {.count = 0};
    crd_plot_curves plot = CRD_PLOT_CURVES_INIT;
    crd_plot_options options = crd_i_page_plot(is_roc ? "ROC curve" : "Precision and recall", CRD_I_PAGE_HALF);
    char *svg = NULL;
    crd_status status = CRD_OK;
    for (size_t k = classes == 2 ? 1 : 0; status == CRD_OK && k < classes && points.count < CURVES; k++)
        status = add_curve(study, k, is_roc, &points, error);
    plot.series = points.series;
    plot.count = points.count;
    plot.x_name = crd_text_of(is_roc ? "false positive rate" : "recall");
    plot.y_name = crd_text_of(is_roc ? "true positive rate" : "precision");
    plot.x_least = plot.y_least = 0;
    plot.x_greatest = plot.y_greatest = 1;
    plot.reference = is_roc ? CRD_PLOT_DIAGONAL : CRD_PLOT_NO_REFERENCE;
    if (!is_roc && classes == 2) {
        const crd_class_scores positive = study->scores->classes[1];
        plot.reference = CRD_PLOT_HORIZONTAL;
        plot.level = positive.support_weight / study->totals.weight;
    }
    if (status == CRD_OK && points.count > 0) {
        status = crd_plot_draw_curves(context, &plot, &options, &svg, error);
        const char *caption =
            is_roc
                ? "All thresholds for the probability of the class; the diagonal is chance."
                : "All thresholds for the probability of the class; the line is the relative frequency of the class.";
        status = crd_i_page_picture(&study->page, status, svg, caption, error);
    }
    free_points(context, &points);
    return status;
}

/* ---- The section ---- */

/* Writes how the scores were obtained, and warns if the rows were used for training. */
static void study_assess_introduce(crd_i_study *study) {
    crd_i_html *out = &study->page.body;
    crd_assessment_facts facts;
    facts = *crd_assessment_facts_of(study->assessment);
    if (study->source != NULL)
        crd_i_html_add(out, "<p>%u rows, each predicted by a model that was not trained on it (%u folds).",
                       facts.judged, (uint64_t)study->split.folds);
    else crd_i_html_add(out, "<p>The model on %u rows.", facts.judged);
    crd_i_html_add(out, " Intervals are 95&nbsp;%% intervals and assume independent rows.</p>\n");
    if (facts.unseen > 0)
        crd_i_html_add(out, "<p class=\"soft\">%u cell%s values never seen in training, which are ignored.</p>\n",
                       facts.unseen, facts.unseen == 1 ? " has" : "s have");
    if (facts.is_learned) {
        crd_i_html_add(
            crd_i_page_begin_warning(&study->page),
            "These are the same rows that the model was trained on: it will do worse on others. Cross-validation of "
            "the table, without the model, gives valid scores.");
        crd_i_page_end_warning(&study->page);
    }
    if (facts.lacks_weight) {
        crd_i_html_add(crd_i_page_begin_warning(&study->page),
                       "The model was trained on rows with weights, but these rows have none: each counts once.");
        crd_i_page_end_warning(&study->page);
    }
}

/* Warns of an infinite log loss and of overconfident predictions. */
static void warn_of_scores(crd_i_study *study) {
    const crd_totals *t = &study->totals;
    crd_i_page *page = &study->page;
    if (t->zero_rows > 0) {
        crd_i_html_add(crd_i_page_begin_warning(page),
                       "Rows whose class has predicted probability 0, which makes log loss infinite: %u.",
                       t->zero_rows);
        crd_i_page_end_warning(page);
    }
    if (crd_totals_is_overconfident(t)) {
        crd_i_html_add(
            crd_i_page_begin_warning(page),
            "Predictions are overconfident: log loss is worse than the class prior's. Use calibration or another "
            "method.");
        crd_i_page_end_warning(page);
    }
}

crd_status crd_i_study_scores(crd_i_study *study, crd_error *error) {
    crd_i_page *page = &study->page;
    study_assess_add_totals(study);
    crd_status status = study_assess_add_folds(study, error);
    add_class_table(study);
    warn_of_scores(study);
    size_t classes = study->scores->class_count;
    crd_i_html_add(&page->body, "<div class=\"pair\">\n");
    if (status == CRD_OK && classes <= CLASSES_SHOWN) status = study_assess_draw_confusion(study, error);
    if (status == CRD_OK) status = study_assess_draw_calibration(study, error);
    if (status == CRD_OK && !study->totals.is_unranked) status = study_assess_draw_curves(study, true, error);
    if (status == CRD_OK && !study->totals.is_unranked) status = study_assess_draw_curves(study, false, error);
    crd_i_html_add(&page->body, "</div>\n");
    if (classes > CURVES)
        crd_i_html_add(&page->body,
                       "<p class=\"soft\">Curves are shown for the first %u classes, each against the others.</p>\n",
                       (uint64_t)CURVES);
    if (classes > 2) list_confusions(study);
    return status;
}

crd_status crd_i_study_assess(crd_i_study *study, crd_error *error) {
    crd_i_page *page = &study->page;
    crd_i_page_open_section(page, "scores", "How good predictions are");
    crd_status status = study_assess_judge(study, error);
    if (status != CRD_OK) {
        crd_assessment_destroy(study->assessment);
        study->assessment = NULL;
        status = crd_i_page_excuse(page, "scores", status, error);
    } else {
        study_assess_introduce(study);
        status = crd_i_study_scores(study, error);
    }
    crd_i_page_close_section(page);
    return status;
}

/* ======== 3. Methods section ========
 *
 * Candidates compared on the same folds, and the chosen method.
 *
 * Candidates are selected by the size of the table. None is stopped by a time limit, so a report is the same on every
 * machine. */

/* Candidates, with a class of running time. Sort 1 is about as fast as naive Bayes. Sort 2 derives densities
 * repeatedly, for each attribute and class. Sort 3 models attributes jointly. */
static const struct {
    const char *name;
    int sort;
} all_candidates[] = {{"naive", 1},
                      {"naive, isotonic", 1},
                      {"naive, complement", 1},
                      {"naive, complement, isotonic", 1},
                      {"naive, bernoulli", 1},
                      {"naive, words-dirichlet", 1},
                      {"naive, kernel", 2},
                      {"naive, kernel, isotonic", 2},
                      {"naive, auto", 2},
                      {"naive, auto, isotonic", 2},
                      {"naive, weighted", 2},
                      {"joint numbers, tied", 3},
                      {"joint numbers, tied, isotonic", 3},
                      {"tan", 3},
                      {"aode", 3},
                      {"aode, isotonic", 3},
                      {"pairwise", 3},
                      {"pairwise, isotonic", 3}};
enum { CANDIDATES = sizeof all_candidates / sizeof *all_candidates };
/* Sort 2 is compared if attributes x classes is at most MOST_DENSITIES. Sort 3 also needs at most MOST_CELLS cells in
 * the tables of every two attributes and the class. */
static const double MOST_DENSITIES = 200, MOST_CELLS = 3e6;

/* Returns the highest sort of candidates that suits the size of the table. */
static int choose_sort(const crd_i_study *study) {
    enum { CELLS_OF_NUMBERS = 64 };
    double attributes = 0, values = 0, classes = 2;
    crd_text target = crd_row_source_target(study->source);
    for (size_t i = 0; i < crd_profile_column_count(study->profile); i++) {
        crd_column_profile facts = CRD_COLUMN_PROFILE_INIT;
        crd_profile_column(study->profile, i, &facts);
        double distinct = (double)facts.distinct;
        if (crd_text_equal(facts.name, target)) {
            classes = distinct;
            continue;
        }
        attributes++;
        values += facts.type == CRD_TYPE_NUMERIC ? fmin(distinct, CELLS_OF_NUMBERS) : distinct;
    }
    if (attributes * classes > MOST_DENSITIES) return 1;
    return values * values * classes > MOST_CELLS ? 2 : 3;
}

/* Creates the settings common to all candidates: settings that a candidate chooses are at their defaults. */
static crd_status create_base(const crd_i_study *study, crd_settings **out, crd_error *error) {
    const crd_settings *given = study->page.options.settings;
    crd_status status =
        given == NULL ? crd_settings_create(study->page.context, out, error) : crd_settings_clone(given, out, error);
    const crd_setting *setting;
    for (size_t i = 0; status == CRD_OK && (setting = crd_setting_at(i)) != NULL; i++)
        if (crd_comparison_chooses(setting->name))
            status = crd_settings_set(*out, setting->name, crd_text_of(setting->default_value), error);
    return status;
}

/* ---- The table ---- */

static void study_compare_add_score(crd_i_html *out, const crd_comparison_result *result, double rows) {
    double low, high;
    crd_frequency_interval(result->accuracy, rows, &low, &high);
    crd_i_html_cell(out, "%f", result->accuracy);
    crd_i_html_cell(out, "%f – %f", low, high);
    crd_i_html_cell(out, "%f", result->log_loss);
    if (isnan(result->log_loss_error)) crd_i_html_cell(out, "");
    else crd_i_html_cell(out, "± %f", 1.96 * result->log_loss_error);
    crd_i_html_cell(out, "%f", result->brier);
    crd_i_html_cell(out, "%f", result->auc);
    crd_i_html_cell(out, "%f", result->ece);
    crd_i_html_cell(out, "%n", result->parameters);
}

static void study_compare_add_head(crd_i_html *out) {
    crd_i_html_open_table(
        out, "Methods by log loss, with 95 % intervals. For log loss, Brier score and calibration error (ECE), "
             "lower is better");
    crd_i_html_column(out, false, "method");
    crd_i_html_column(out, true, "accuracy");
    crd_i_html_column(out, true, "interval");
    crd_i_html_column(out, true, "log loss");
    crd_i_html_column(out, true, "interval");
    crd_i_html_column(out, true, "Brier");
    crd_i_html_column(out, true, "AUC");
    crd_i_html_column(out, true, "ECE");
    crd_i_html_column(out, true, "parameters");
}

typedef struct compare_placed {
    crd_comparison_result result;
    size_t candidate;
} compare_placed;

/* Orders candidates: those with scores first, by log loss. */
static int by_log_loss(const void *left, const void *right) {
    const compare_placed *a = left, *b = right;
    bool is_scored[2] = {a->result.status == CRD_CANDIDATE_SCORED, b->result.status == CRD_CANDIDATE_SCORED};
    if (is_scored[0] != is_scored[1]) return is_scored[0] ? -1 : 1;
    double x = a->result.log_loss, y = b->result.log_loss;
    if (is_scored[0] && isnan(x) != isnan(y)) return isnan(x) ? 1 : -1;
    if (is_scored[0] && x != y && !isnan(x)) return x < y ? -1 : 1;
    return (a->candidate > b->candidate) - (a->candidate < b->candidate);
}

/* Adds the table of scores, and the candidates without scores with the reason. */
static void study_compare_add_rows(crd_i_study *study, const compare_placed *places, size_t count) {
    crd_i_html *out = &study->page.body;
    const crd_recommendation *found = &study->recommendation;
    study_compare_add_head(out);
    for (size_t i = 0; i < count && places[i].result.status == CRD_CANDIDATE_SCORED; i++) {
        bool is_chosen = places[i].candidate == study->chosen;
        crd_i_html_row(out, is_chosen ? "chosen" : NULL);
        crd_i_html_cell(out, is_chosen ? "%s (chosen)" : "%s", places[i].result.name);
        study_compare_add_score(out, &places[i].result, (double)found->rows);
    }
    if (!isnan(found->baseline_log_loss)) {
        crd_i_html_row(out, NULL);
        crd_i_html_cell(out, "the class prior");
        crd_i_html_cell(out, "%f", found->baseline_accuracy);
        crd_i_html_cell(out, "");
        crd_i_html_cell(out, "%f", found->baseline_log_loss);
        for (size_t i = 0; i < 5; i++) crd_i_html_cell(out, "");
    }
    crd_i_html_close_table(out);
    for (size_t i = 0; i < count; i++)
        if (places[i].result.status != CRD_CANDIDATE_SCORED)
            crd_i_html_add(out, "<p class=\"soft\">Skipped: %s, %s.</p>\n", places[i].result.name,
                           places[i].result.message[0] != '\0' ? places[i].result.message : "which took too long");
}

static crd_status study_compare_add_table(crd_i_study *study, crd_error *error) {
    size_t count = crd_comparison_count(study->comparison);
    compare_placed *places = crd_i_alloc(study->page.context, count, sizeof *places);
    if (places == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        places[i] = (compare_placed){CRD_COMPARISON_RESULT_INIT, i};
        crd_comparison_result_at(study->comparison, i, &places[i].result);
    }
    qsort(places, count, sizeof *places, by_log_loss);
    study_compare_add_rows(study, places, count);
    crd_free(study->page.context, places);
    return CRD_OK;
}

/* ---- The choice ---- */

/* Writes which method is chosen and why. Warns if no method is better than the class prior. */
static void study_compare_add_choice(crd_i_study *study) {
    crd_i_html *out = &study->page.body;
    const crd_recommendation *found_recommendation = &study->recommendation;
    crd_comparison_result best = CRD_COMPARISON_RESULT_INIT, taken = CRD_COMPARISON_RESULT_INIT;
    crd_comparison_result_at(study->comparison, found_recommendation->best, &best);
    crd_comparison_result_at(study->comparison, found_recommendation->candidate, &taken);
    if (study->page.options.is_stated) {
        crd_i_html_add(out, "<p>The settings of this report were specified; the comparison recommends <b>%s</b>.</p>\n",
                       taken.name);
    } else if (found_recommendation->reason == CRD_RECOMMENDED_SIMPLER) {
        crd_i_html_add(
            out,
            "<p><b>%s</b> is chosen. The log loss of %s is lower by %n, which is within a quarter of the standard "
            "error of the difference (%n), so the simpler method is used.</p>\n",
            taken.name, best.name, found_recommendation->difference, found_recommendation->difference_error);
    } else {
        crd_i_html_add(out, "<p><b>%s</b> is chosen: it has the lowest log loss of %u methods.</p>\n", taken.name,
                       (uint64_t)found_recommendation->tried);
    }
    if (found_recommendation->reason == CRD_RECOMMENDED_NONE) {
        crd_i_html_add(crd_i_page_begin_warning(&study->page),
                       "No method has a lower log loss than the class prior: these rows give no evidence that the "
                       "attributes predict "
                       "the target of other rows.");
        crd_i_page_end_warning(&study->page);
    }
}

static void study_compare_introduce(crd_i_study *study) {
    crd_i_html *out = &study->page.body;
    crd_i_html_add(out,
                   "<p>Each method is trained on all folds except one, and predicts the rows of that fold: stratified "
                   "cross-validation with %u folds (seed %u). All methods use the same folds.",
                   (uint64_t)study->split.folds, study->split.seed);
    if (study->stride > 1)
        crd_i_html_add(out, " Not all of the %u rows are predicted: one in %u is judged, to limit the running time.",
                       study->rows, (uint64_t)study->stride);
    crd_i_html_add(out, "</p>\n");
}

/* Compares the candidates and reads the recommendation. Sets the study's settings to the chosen candidate's unless the
 * settings were specified. */
static crd_status study_compare_run(crd_i_study *study, const crd_settings *base, crd_error *error) {
    const char *candidates[CANDIDATES];
    crd_comparison_options options = CRD_COMPARISON_OPTIONS_INIT;
    int sort = choose_sort(study);
    options.settings = base;
    options.split = &study->split;
    options.threads = study->page.options.threads;
    for (size_t i = 0; i < CANDIDATES; i++)
        if (all_candidates[i].sort <= sort) candidates[options.candidate_count++] = all_candidates[i].name;
    options.candidates = candidates;
    crd_status status = crd_comparison_create(study->source, &options, &study->comparison, error);
    if (status == CRD_OK) status = crd_comparison_run(study->comparison, error);
    if (status != CRD_OK) return status;
    study->recommendation = (crd_recommendation)CRD_RECOMMENDATION_INIT;
    crd_comparison_recommendation(study->comparison, &study->recommendation);
    if (study->page.options.is_stated) return CRD_OK;
    study->chosen = study->recommendation.candidate;
    crd_settings_destroy(study->settings);
    study->settings = NULL;
    return crd_comparison_settings(study->comparison, study->chosen, &study->settings, error);
}

crd_status crd_i_study_compare(crd_i_study *study, crd_error *error) {
    crd_i_page *page = &study->page;
    crd_settings *base = NULL;
    crd_i_page_open_section(page, "methods", "Methods compared");
    study_compare_introduce(study);
    crd_status status = create_base(study, &base, error);
    if (status == CRD_OK) status = study_compare_run(study, base, error);
    if (status == CRD_OK) {
        status = study_compare_add_table(study, error);
        study_compare_add_choice(study);
    } else {
        crd_comparison_destroy(study->comparison);
        study->comparison = NULL;
        status = crd_i_page_excuse(page, "the comparison of methods", status, error);
    }
    crd_settings_destroy(base);
    crd_i_page_close_section(page);
    return status;
}

/* ======== 4. Predicted rows ========
 *
 * The rows that a study predicts are read frame by frame. */

crd_status crd_i_study_each_frame(crd_i_study *study, crd_i_study_take *take, void *user, crd_error *error) {
    uint64_t before = 0;
    crd_status status = study->source != NULL ? crd_row_source_rewind(study->source, error)
                                              : crd_reader_begin_again(study->reader, error);
    while (status == CRD_OK) {
        const crd_frame *frame = NULL;
        status = study->source != NULL ? crd_i_row_source_take(study->source, &frame, error)
                                       : crd_reader_next(study->reader, &frame, error);
        if (status != CRD_OK || frame == NULL) break;
        if (crd_i_context_cancelled(study->page.context)) return crd_i_fail_cancelled(error);
        status = take(user, frame, before, error);
        before += crd_frame_rows(frame);
    }
    return status;
}

/* ======== 5. Summary and last section ========
 *
 * The last section lists everything needed to reproduce the report. The summary is at the beginning of the report. */

/* Adds a cell with a checksum as eight hexadecimal digits. */
static void add_checksum(crd_i_html *out, uint32_t sum) {
    char digits[9] = {0};
    for (size_t i = 0; i < 8; i++) digits[i] = "0123456789abcdef"[sum >> (28 - 4 * i) & 15];
    crd_i_html_cell(out, "<code>%s</code>", digits);
}

/* Adds rows with the digest and the size of the encoded model. */
static crd_status add_fingerprint(crd_i_study *study, crd_error *error) {
    crd_i_html *out = &study->page.body;
    unsigned char *bytes = NULL;
    size_t length = 0;
    crd_status status = crd_model_encode(study->model, &bytes, &length, error);
    if (status != CRD_OK) return crd_i_page_excuse(&study->page, "the digest of the model", status, error);
    crd_i_html_row(out, NULL);
    crd_i_html_cell(out, "digest of the model (CRC-32C)");
    add_checksum(out, crd_i_checksum(bytes, length));
    crd_i_html_row(out, NULL);
    crd_i_html_cell(out, "bytes of the model");
    crd_i_html_cell(out, "%u", (uint64_t)length);
    crd_free(study->page.context, bytes);
    return CRD_OK;
}

static void study_repeat_add_fact(crd_i_html *out, const char *name, uint64_t value) {
    crd_i_html_row(out, NULL);
    crd_i_html_cell(out, "%s", name);
    crd_i_html_cell(out, "%u", value);
}

crd_status crd_i_study_repeat(crd_i_study *study, crd_error *error) {
    crd_i_page *page = &study->page;
    crd_i_html *out = &page->body;
    crd_i_page_open_section(page, "repeat", "To repeat this report");
    if (page->options.command.length > 0) {
        crd_i_html_add(out, "<p>The command:</p>\n<pre>");
        crd_i_html_add_whole(out, page->options.command);
        crd_i_html_add(out, "</pre>\n");
    }
    crd_i_html_open_table(out, "Settings and fingerprint: the same rows and settings give the same bytes");
    crd_i_html_column(out, false, "item");
    crd_i_html_column(out, false, "value");
    crd_i_html_row(out, NULL);
    crd_i_html_cell(out, "version");
    crd_i_html_cell(out, "Credence %s", crd_version());
    crd_i_html_row(out, NULL);
    crd_i_html_cell(out, "settings");
    crd_i_html_open_cell(out);
    study_settings(out, study->settings);
    crd_i_html_close_cell(out);
    if (study->source != NULL) {
        study_repeat_add_fact(out, "seed for folds and permutations", study->split.seed);
        study_repeat_add_fact(out, "folds", study->split.folds);
    }
    if (study->profile != NULL) {
        study_repeat_add_fact(out, "rows read", study->rows);
        study_repeat_add_fact(out, "columns", crd_profile_column_count(study->profile));
    }
    crd_i_html_row(out, NULL);
    crd_i_html_cell(out, "rows learned");
    crd_i_html_cell(out, "%n", study->summary->rows);
    crd_status status = add_fingerprint(study, error);
    crd_i_html_close_table(out);
    crd_i_page_close_section(page);
    return status;
}

/* ---- The summary ---- */

static void count_types(const crd_summary *summary, size_t types[4]) {
    for (size_t a = 0; a < summary->attribute_count; a++) types[summary->attributes[a].type]++;
}

static void add_types(crd_i_html *out, const size_t types[4]) {
    static const char *const one[] = {"without a cell", "number", "category", "text"}, *const many[] = {
                                                                                           "without a cell", "numbers",
                                                                                           "categories", "texts"};
    static const crd_column_type order[] = {CRD_TYPE_NUMERIC, CRD_TYPE_CATEGORICAL, CRD_TYPE_TEXT, CRD_TYPE_NONE};
    size_t shown = 0;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        size_t count = types[order[i]];
        if (count == 0) continue;
        crd_i_html_add(out, shown++ == 0 ? " (%u %s" : ", %u %s", (uint64_t)count,
                       count == 1 ? one[order[i]] : many[order[i]]);
    }
    if (shown > 0) crd_i_html_add(out, ")");
}

/* Summarizes what is predicted from which attributes, and by which method. */
static void add_subject(crd_i_study *study) {
    crd_i_html *out = &study->page.summary;
    size_t types[4] = {0}, attributes = study->summary->attribute_count, classes = study->summary->class_count;
    count_types(study->summary, types);
    crd_i_html_add(out, "<p><b>%t</b>, with %u class%s, is predicted from %u attribute%s", study->summary->target,
                   (uint64_t)classes, classes == 1 ? "" : "es", (uint64_t)attributes, attributes == 1 ? "" : "s");
    add_types(out, types);
    double rows = study->summary->rows;
    if (rows == floor(rows)) crd_i_html_add(out, ", learned from %u row%s.", (uint64_t)rows, rows == 1 ? "" : "s");
    else crd_i_html_add(out, ", learned from rows with total weight %n.", rows);
    if (study->comparison != NULL && study->chosen != CRD_NONE) {
        crd_comparison_result taken = CRD_COMPARISON_RESULT_INIT;
        crd_comparison_result_at(study->comparison, study->chosen, &taken);
        crd_i_html_add(out, " The method is <b>%s</b>, chosen among %u by cross-validation.", taken.name,
                       (uint64_t)study->recommendation.tried);
    }
    crd_i_html_add(out, "</p>\n");
}

/* Summarizes accuracy and log loss, compared with the majority class and the class prior, and calibration. */
static void add_accuracy(crd_i_study *study) {
    crd_i_html *out = &study->page.summary;
    const crd_totals *t = &study->totals;
    double low, high;
    size_t largest = 0;
    const crd_class_scores *classes = study->scores->classes;
    for (size_t k = 1; k < study->scores->class_count; k++)
        if (classes[k].support_weight > classes[largest].support_weight) largest = k;
    crd_frequency_interval(t->accuracy, t->weight, &low, &high);
    crd_i_html_add(out,
                   "<p>Of %u rows%s, <b>%p</b> are predicted correctly (95&nbsp;%% interval: %p to %p). Always "
                   "predicting the most "
                   "frequent class, %t, would be correct for %p",
                   t->rows, study->source != NULL ? " that the model had not learned" : "", t->accuracy, low, high,
                   study->scores->classes[largest].name, t->baseline);
    if (low > t->baseline) crd_i_html_add(out, ": the predictions are significantly better.");
    else if (high < t->baseline) crd_i_html_add(out, ": the predictions are worse.");
    else crd_i_html_add(out, ", which is within the interval: the predicted classes are not significantly better.");
    crd_i_html_add(out, "</p>\n<p>Log loss is %f, compared with %f for the class prior. ", t->log_loss,
                   t->baseline_log_loss);
    static const double GOOD = 0.02, FAIR = 0.05;
    if (isnan(t->ece)) crd_i_html_add(out, "</p>\n");
    else
        crd_i_html_add(out, "Probabilities are %s: they differ from observed frequencies by %p on average.</p>\n",
                       t->ece < GOOD   ? "well calibrated"
                       : t->ece < FAIR ? "roughly calibrated"
                                       : "not well calibrated",
                       t->ece);
}

void crd_i_study_summarize(crd_i_study *study) {
    crd_i_html *out = &study->page.summary;
    if (study->classifier != NULL) add_subject(study);
    if (study->scores != NULL) add_accuracy(study);
    if (study->telling_count > 0) {
        crd_i_html_add(out, study->telling_count == 1 ? "<p>Most informative attribute: "
                                                      : "<p>Most informative attributes: ");
        for (size_t i = 0; i < study->telling_count; i++) crd_i_study_list_name(out, study->telling[i], i);
        crd_i_html_add(out, ".</p>\n");
    }
}

/* ======== 6. Data section ========
 *
 * Columns, numbers and classes, with warnings about columns that may be read incorrectly. */

enum { COLUMNS_SHOWN = 200, QUANTILES = 5, FREQUENT = 3, FEW_ROWS = 10, SMALL_TABLE = 100 };
static const double LEVELS[QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};
static const char *const LEVEL_TITLES[QUANTILES] = {"5%", "25%", "median", "75%", "95%"};
static const double MUCH_MISSING = 0.2, VERY_FREQUENT = 0.9;

static double study_profile_share_missing(const crd_column_profile *facts) {
    uint64_t rows = facts->present + facts->missing;
    return rows == 0 ? 0 : (double)facts->missing / (double)rows;
}

static bool study_profile_is_target(const crd_i_study *study, const crd_column_profile *facts) {
    crd_text target = study->source != NULL ? crd_row_source_target(study->source) : crd_model_target(study->model);
    return target.bytes != NULL && crd_text_equal(facts->name, target);
}

static bool is_weight(const crd_i_study *study, const crd_column_profile *facts) {
    crd_text weight = study->source != NULL ? crd_row_source_weight(study->source) : crd_model_weight(study->model);
    return weight.bytes != NULL && crd_text_equal(facts->name, weight);
}

/* ---- Tables ---- */

/* Appends the most frequent values that occur more than once: "a (60%), b (40%)". */
static void study_profile_add_frequent(crd_i_html *out, const crd_profile *profile, size_t column,
                                       const crd_column_profile *facts) {
    crd_value value;
    uint64_t cells = 0;
    for (uint64_t rank = 0; rank < FREQUENT; rank++) {
        if (!crd_profile_frequent(profile, column, rank, &value, &cells) || cells < 2) break;
        if (rank > 0) crd_i_html_add(out, ", ");
        if (value.type == CRD_TYPE_NUMERIC) crd_i_html_add(out, "%n", value.number);
        else crd_i_html_add(out, "%t", value.text);
        crd_i_html_add(out, " (%p)", (double)cells / (double)facts->present);
    }
}

static const char *study_profile_type(const crd_i_study *study, const crd_column_profile *facts) {
    if (study_profile_is_target(study, facts)) return "target";
    return is_weight(study, facts) ? "weight" : crd_column_type_name(facts->type);
}

/* Adds the table of columns: type, missing values, distinct values and the most frequent values. */
static void study_profile_add_columns(crd_i_study *study) {
    crd_i_html *out = &study->page.body;
    size_t count = crd_profile_column_count(study->profile);
    crd_i_html_open_table(out, "Columns, with their most frequent values");
    crd_i_html_column(out, false, "column");
    crd_i_html_column(out, false, "type");
    crd_i_html_column(out, true, "missing");
    crd_i_html_column(out, true, "distinct");
    crd_i_html_column(out, false, "most frequent");
    for (size_t i = 0; i < count && i < COLUMNS_SHOWN; i++) {
        crd_column_profile facts = CRD_COLUMN_PROFILE_INIT;
        crd_profile_column(study->profile, i, &facts);
        crd_i_html_row(out, NULL);
        crd_i_html_cell(out, "%t", facts.name);
        crd_i_html_cell(out, "%s", study_profile_type(study, &facts));
        if (facts.missing == 0) crd_i_html_cell(out, "0");
        else crd_i_html_cell(out, "%u (%p)", facts.missing, study_profile_share_missing(&facts));
        if (facts.is_exact) crd_i_html_cell(out, "%u", facts.distinct);
        else crd_i_html_cell(out, "&gt; %u", facts.distinct - 1);
        crd_i_html_open_cell(out);
        study_profile_add_frequent(out, study->profile, i, &facts);
        crd_i_html_close_cell(out);
    }
    crd_i_html_close_table(out);
    if (count > COLUMNS_SHOWN)
        crd_i_html_add(out, "<p class=\"soft\">Further columns that are not listed: %u.</p>\n",
                       (uint64_t)(count - COLUMNS_SHOWN));
}

/* Adds the table of numeric columns: minimum, quantiles, maximum, mean and standard deviation. */
static void study_profile_add_numbers(crd_i_study *study) {
    crd_i_html *out = &study->page.body;
    size_t count = crd_profile_column_count(study->profile), shown = 0;
    bool are_exact = true;
    for (size_t i = 0; i < count && shown < COLUMNS_SHOWN; i++) {
        crd_column_profile facts = CRD_COLUMN_PROFILE_INIT;
        crd_profile_column(study->profile, i, &facts);
        if (facts.type != CRD_TYPE_NUMERIC || facts.present == 0) continue;
        if (shown++ == 0) {
            crd_i_html_open_table(out, "Numbers: minimum, quantiles, maximum, mean and standard deviation");
            crd_i_html_column(out, false, "column");
            crd_i_html_column(out, true, "min");
            for (size_t q = 0; q < QUANTILES; q++) crd_i_html_column(out, true, "%s", LEVEL_TITLES[q]);
            crd_i_html_column(out, true, "max");
            crd_i_html_column(out, true, "mean");
            crd_i_html_column(out, true, "st. dev.");
        }
        crd_i_html_row(out, NULL);
        crd_i_html_cell(out, "%t", facts.name);
        crd_i_html_cell(out, "%n", facts.least);
        for (size_t q = 0; q < QUANTILES; q++)
            crd_i_html_cell(out, facts.is_exact ? "%n" : "≈ %n", crd_profile_quantile(study->profile, i, LEVELS[q]));
        crd_i_html_cell(out, "%n", facts.greatest);
        crd_i_html_cell(out, "%n", facts.mean);
        crd_i_html_cell(out, "%n", facts.deviation);
        are_exact = are_exact && facts.is_exact;
    }
    if (shown > 0) crd_i_html_close_table(out);
    if (!are_exact)
        crd_i_html_add(
            out, "<p class=\"soft\">≈ approximate: more than 4,096 distinct values are counted in intervals.</p>\n");
}

/* ---- Classes ---- */

/* Draws the relative frequencies of the classes. */
static crd_status study_profile_add_classes(crd_i_study *study, size_t column, const crd_column_profile *facts,
                                            crd_error *error) {
    crd_plot_bar bars[CLASSES_SHOWN] = {{{0, 0}, {0, 0}, 0}};
    char notes[CLASSES_SHOWN][CRD_I_HTML_NUMBER_ROOM];
    crd_plot_bars plot = CRD_PLOT_BARS_INIT;
    crd_plot_options options = crd_i_page_plot("Relative frequencies of the classes", CRD_I_PAGE_WIDE);
    char *svg = NULL;
    for (crd_value value; plot.count < CLASSES_SHOWN; plot.count++) {
        uint64_t cells = 0;
        if (!crd_profile_frequent(study->profile, column, plot.count, &value, &cells)) break;
        crd_i_html_count(cells, notes[plot.count]);
        bars[plot.count] =
            (crd_plot_bar){value.text, crd_text_of(notes[plot.count]), (double)cells / (double)facts->present};
    }
    plot.bars = bars;
    plot.are_probabilities = 1;
    if (plot.count == 0) return CRD_OK;
    crd_status status = crd_plot_draw_bars(study->page.context, &plot, &options, &svg, error);
    const char *caption = facts->distinct > CLASSES_SHOWN ? "The most frequent classes, with their numbers of rows."
                                                          : "The classes, with their numbers of rows.";
    return crd_i_page_picture(&study->page, status, svg, caption, error);
}

/* Warns of a target with missing values, a single class, very unequal classes, rare classes or few rows. */
static void warn_of_classes(crd_i_study *study, size_t column, const crd_column_profile *facts) {
    crd_i_page *page = &study->page;
    crd_value value;
    uint64_t cells = 0, few = 0;
    if (facts->missing > 0) {
        crd_i_html_add(crd_i_page_begin_warning(page),
                       "Rows without a value of the target: %u. They are used neither for training nor for scores.",
                       facts->missing);
        crd_i_page_end_warning(page);
    }
    if (facts->distinct == 1) {
        crd_i_html_add(crd_i_page_begin_warning(page), "All rows are of one class, so there is nothing to predict.");
        crd_i_page_end_warning(page);
    }
    if (crd_profile_frequent(study->profile, column, 0, &value, &cells) && facts->distinct > 1 &&
        (double)cells > VERY_FREQUENT * (double)facts->present) {
        crd_i_html_add(
            crd_i_page_begin_warning(page),
            "The classes are very unequal: %p of the rows have class %t. Do not rely on accuracy; see recall by "
            "class and the precision-recall curve.",
            (double)cells / (double)facts->present, value.text);
        crd_i_page_end_warning(page);
    }
    for (uint64_t rank = 0; crd_profile_frequent(study->profile, column, rank, &value, &cells); rank++)
        few += cells < FEW_ROWS;
    if (few > 0 && facts->present >= SMALL_TABLE) {
        crd_i_html_add(crd_i_page_begin_warning(page), "%u of %u classes ha%s fewer than 10 rows.", few,
                       facts->distinct, few == 1 ? "s" : "ve");
        crd_i_page_end_warning(page);
    }
    if (facts->present > 0 && facts->present < SMALL_TABLE) {
        crd_i_html_add(crd_i_page_begin_warning(page),
                       "The table is small: with %u rows, every score has a wide interval.", facts->present);
        crd_i_page_end_warning(page);
    }
}

/* ---- Columns that may be read incorrectly ---- */

typedef struct column_check {
    bool (*holds)(const crd_column_profile *facts);
    const char *before, *end;
} column_check;

static bool is_much_missing(const crd_column_profile *facts) {
    return facts->present > 0 && study_profile_share_missing(facts) > MUCH_MISSING;
}
static bool study_profile_is_empty(const crd_column_profile *facts) {
    return facts->present == 0;
}
static bool study_profile_is_constant(const crd_column_profile *facts) {
    return facts->present > 1 && facts->is_exact && facts->distinct == 1 && facts->type != CRD_TYPE_TEXT;
}
static bool study_profile_is_row_number(const crd_column_profile *facts) {
    return facts->appearance == CRD_APPEARANCE_ROW_NUMBER;
}
static bool study_profile_is_identifier(const crd_column_profile *facts) {
    return facts->appearance == CRD_APPEARANCE_IDENTIFIER;
}
static bool is_code(const crd_column_profile *facts) {
    return facts->appearance == CRD_APPEARANCE_CODES;
}

static const column_check checks[] = {
    {study_profile_is_empty, "Without any cell: ", ". Nothing can be learned from an empty column."},
    {study_profile_is_constant, "Equal values in all rows: ", ". It cannot separate classes."},
    {is_much_missing, "More than a fifth of the cells missing: ",
     ". Missing values are skipped, which is correct if they are missing at random."},
    {study_profile_is_row_number, "Perhaps a row number: ",
     ". If it is one, ignore it: it may predict well in these sorted rows, but not in others."},
    {study_profile_is_identifier, "Perhaps an identifier, because few values occur more than once: ",
     ". Nothing can be learned from it unless it is a text whose words are informative."},
    {is_code, "Few distinct whole numbers, perhaps codes: ", ". If they are labels, read them as categories."},
};

/* Warns of columns that a check in `checks` finds, with one warning per check. */
static void warn_of_columns(crd_i_study *study) {
    for (size_t c = 0; c < sizeof checks / sizeof *checks; c++) {
        crd_i_html *out = NULL;
        size_t found = 0;
        for (size_t i = 0; i < crd_profile_column_count(study->profile); i++) {
            crd_column_profile facts = CRD_COLUMN_PROFILE_INIT;
            crd_profile_column(study->profile, i, &facts);
            if (study->rows == 0 || study_profile_is_target(study, &facts) || is_weight(study, &facts) ||
                !checks[c].holds(&facts))
                continue;
            if (found == 0) {
                out = crd_i_page_begin_warning(&study->page);
                crd_i_html_add(out, "%s", checks[c].before);
            }
            crd_i_study_list_name(out, facts.name, found++);
        }
        if (found == 0) continue;
        crd_i_study_end_list(out, found);
        crd_i_html_add(out, "%s", checks[c].end);
        crd_i_page_end_warning(&study->page);
    }
}

crd_status crd_i_study_profile(crd_i_study *study, crd_error *error) {
    crd_i_page *page = &study->page;
    crd_i_page_open_section(page, "data", "The data");
    crd_i_html_add(&page->body, "<p>%u row%s, %u column%s.</p>\n", study->rows, study->rows == 1 ? "" : "s",
                   (uint64_t)crd_profile_column_count(study->profile),
                   crd_profile_column_count(study->profile) == 1 ? "" : "s");
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < crd_profile_column_count(study->profile); i++) {
        crd_column_profile facts = CRD_COLUMN_PROFILE_INIT;
        crd_profile_column(study->profile, i, &facts);
        if (!study_profile_is_target(study, &facts)) continue;
        status = study_profile_add_classes(study, i, &facts, error);
        warn_of_classes(study, i, &facts);
    }
    study_profile_add_columns(study);
    study_profile_add_numbers(study);
    warn_of_columns(study);
    crd_i_page_close_section(page);
    return status;
}
