/* SPDX-License-Identifier: MIT */
/* study_assess.c - the section about scores: totals with intervals, classes, confusion, calibration, and threshold
 * curves. It also chooses the rows that are explained. */
#include "base/error.h"
#include "base/memory.h"
#include "report/study.h"

#include <math.h>
#include <string.h>

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
    study->classes = crd_assessment_classes(study->assessment);
    study->class_count = crd_assessment_class_count(study->assessment);
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
    if (crd_fold_scores_count(folds) > 1) {
        crd_i_html_add(out, "<p class=\"soft\">Over the %u folds, mean and standard deviation: ",
                       (uint64_t)crd_fold_scores_count(folds));
        static const char *const names[] = {"accuracy", "log loss", "AUC", "ECE"};
        for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
            crd_spread spread = crd_fold_scores_spread(folds, shown[i]);
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
    size_t count = crd_scores_class_count(study->scores);
    crd_i_html_open_table(out, "Scores by class");
    crd_i_html_column(out, false, "class");
    static const char *const titles[] = {"rows", "predicted", "precision", "recall", "interval of recall", "F1", "AUC"};
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) crd_i_html_column(out, true, "%s", titles[i]);
    for (size_t k = 0; k < count && k < CLASSES_SHOWN; k++) {
        crd_class_scores class_scores = CRD_CLASS_SCORES_INIT;
        double low = NAN, high = NAN;
        crd_scores_class(study->scores, k, &class_scores);
        if (class_scores.support_weight > 0)
            crd_frequency_interval(class_scores.recall, class_scores.support_weight, &low, &high);
        crd_i_html_row(out, NULL);
        crd_i_html_cell(out, "%t", crd_scores_class_name(study->scores, k));
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
    size_t count = crd_scores_class_count(study->scores);
    crd_text *names = crd_i_alloc(context, count, sizeof *names);
    double *counts = count <= CLASSES_SHOWN ? crd_i_alloc(context, count * count, sizeof *counts) : NULL;
    crd_plot_confusion confusion = CRD_PLOT_CONFUSION_INIT;
    crd_plot_options options = crd_i_page_plot("Confusion matrix", count <= 6 ? CRD_I_PAGE_HALF : CRD_I_PAGE_WIDE);
    char *svg = NULL;
    crd_status status = names == NULL || counts == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        names[i] = crd_scores_class_name(study->scores, i);
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
        crd_i_html_cell(out, "%t", crd_scores_class_name(study->scores, most[i].truth));
        crd_i_html_cell(out, "%t", crd_scores_class_name(study->scores, most[i].named));
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
        crd_calibration_bin bin = crd_scores_calibration(study->scores, i);
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
        crd_class_scores positive = CRD_CLASS_SCORES_INIT;
        crd_scores_class(study->scores, 1, &positive);
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
    crd_assessment_facts facts = CRD_ASSESSMENT_FACTS_INIT;
    crd_assessment_facts_of(study->assessment, &facts);
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
    size_t classes = crd_scores_class_count(study->scores);
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
