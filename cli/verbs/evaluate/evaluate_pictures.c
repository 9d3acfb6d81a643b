/* SPDX-License-Identifier: MIT */
/* evaluate_pictures.c - draws pictures of an evaluation: ROC and precision-recall curves, calibration, confusion,
 * importance. */
#include "verbs/evaluate/evaluate_verb.h"

#include "core/error_messages.h"
#include "core/messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* If there are more than MOST_CURVES classes, the curves of the most frequent classes are drawn. */
enum { MOST_CURVES = 8, CURVE_POINTS = 400, MOST_CONFUSION = 60, MOST_COLUMNS = 20 };

static crd_plot_options evaluate_pictures_options(const char *title) {
    crd_plot_options options = CRD_PLOT_OPTIONS_INIT;
    options.title = crd_text_of(title);
    return options;
}

/* ---- Curves ---- */

/* The points of the ROC and precision-recall curves of one class against the rest. */
typedef struct class_curve {
    size_t class_index, count, precisions; /* precisions: points with a defined precision, at most count */
    double auc, average_precision, share;
    double *false_positive_rates, *recalls, *precision_recalls, *precision;
} class_curve;

static double evaluate_pictures_support(const crd_scores *scores, size_t k) {
    const crd_class_scores class = scores->classes[k];
    return class.can_be_predicted ? class.support_weight : 0;
}

/* Chooses the classes whose curves are drawn, and returns their number. This is the class of the sweep, or the
 * second of two classes. If there are more, the most frequent ones are chosen, in the model's order. */
static size_t evaluate_pictures_choose_classes(const evaluated *e, size_t chosen[MOST_CURVES]) {
    size_t classes = e->scores->class_count, count = 0;
    if (e->sweep->is_asked || classes == 2) {
        chosen[0] = e->sweep->is_asked ? e->sweep->positive : 1;
        return 1;
    }
    for (size_t k = 0; k < classes; k++) {
        size_t more_frequent = 0;
        const double support = evaluate_pictures_support(e->scores, k);
        for (size_t i = 0; i < classes; i++) {
            const double other = evaluate_pictures_support(e->scores, i);
            more_frequent += other > support || (other == support && i < k);
        }
        if (support > 0 && more_frequent < MOST_CURVES) chosen[count++] = k;
    }
    return count;
}

/* Copies at most CURVE_POINTS points of a curve. The arrays are one allocation, which begins at
 * false_positive_rates; the caller frees it. */
static void fill_curve(const crd_curve *curve, class_curve *class) {
    size_t indices[CURVE_POINTS];
    class->count = crd_curve_thin(curve, CURVE_POINTS, indices);
    class->auc = curve->auc;
    class->average_precision = curve->average_precision;
    double *workspace = memory_resize(NULL, 4 * class->count, sizeof *workspace);
    class->false_positive_rates = workspace;
    class->recalls = workspace + class->count;
    class->precision_recalls = workspace + 2 * class->count;
    class->precision = workspace + 3 * class->count;
    for (size_t i = 0; i < class->count; i++) {
        crd_curve_point point = CRD_CURVE_POINT_INIT;
        crd_curve_point_at(curve, indices[i], &point);
        class->false_positive_rates[i] = point.false_positive_rate;
        class->recalls[i] = point.recall;
        class->share = (point.true_positives + point.false_negatives) /
                       (point.true_positives + point.false_negatives + point.false_positives + point.true_negatives);
        if (isnan(point.precision)) continue;
        class->precision_recalls[class->precisions] = point.recall;
        class->precision[class->precisions++] = point.precision;
    }
}

/* Draws the ROC curves, or else the precision-recall curves, of several classes into one picture. */
static int draw_curves_of(crd_result *r, const evaluated *e, const class_curve *curves, size_t count, bool is_roc) {
    crd_plot_series series[MOST_CURVES];
    char buffer[CRD_NUMBER_ROOM];
    for (size_t i = 0; i < count; i++) {
        const class_curve *c = &curves[i];
        const char *name =
            crd_result_format(r, "%s, %s %s", crd_result_show(r, e->scores->classes[c->class_index].name),
                              is_roc ? "AUC" : "AP", crd_number_round(is_roc ? c->auc : c->average_precision, buffer));
        series[i] = is_roc ? (crd_plot_series){crd_text_of(name), c->false_positive_rates, c->recalls, c->count}
                           : (crd_plot_series){crd_text_of(name), c->precision_recalls, c->precision, c->precisions};
    }
    crd_plot_curves plot = CRD_PLOT_CURVES_INIT;
    plot.series = series;
    plot.count = count;
    plot.x_name = crd_text_of(is_roc ? "false positive rate" : "recall");
    plot.y_name = crd_text_of(is_roc ? "recall" : "precision");
    plot.x_least = plot.y_least = 0;
    plot.x_greatest = plot.y_greatest = 1;
    plot.reference = is_roc ? CRD_PLOT_DIAGONAL : count == 1 ? CRD_PLOT_HORIZONTAL : CRD_PLOT_NO_REFERENCE;
    plot.level = count == 1 ? curves[0].share : 0;
    crd_plot_options options = evaluate_pictures_options(is_roc ? "ROC" : "Precision and recall");
    char *svg = NULL;
    crd_error error;
    crd_status status = crd_plot_draw_curves(crd_result_context(r), &plot, &options, &svg, &error);
    return report_add_picture(r, status, &svg, &error);
}

/* Draws the curves of the chosen classes. Classes without a curve are skipped. */
static int evaluate_pictures_draw_curves(crd_result *r, const evaluated *e, const crd_evaluation *evaluation) {
    size_t chosen[MOST_CURVES], count = 0, wanted = evaluate_pictures_choose_classes(e, chosen);
    class_curve curves[MOST_CURVES];
    int ended = ENDED_WELL;
    for (size_t i = 0; i < wanted && ended == ENDED_WELL; i++) {
        crd_curve *curve = NULL;
        crd_error error;
        crd_status status = crd_curve_create(evaluation, chosen[i], &curve, &error);
        if (status == CRD_OK) {
            curves[count] = (class_curve){.class_index = chosen[i]};
            fill_curve(curve, &curves[count++]);
        } else if (status == CRD_ERROR_MEMORY || status == CRD_ERROR_CANCELLED) {
            ended = message_error(&error);
        }
        crd_curve_destroy(curve);
    }
    if (ended == ENDED_WELL && count > 0) ended = draw_curves_of(r, e, curves, count, true);
    if (ended == ENDED_WELL && count > 0) ended = draw_curves_of(r, e, curves, count, false);
    for (size_t i = 0; i < count; i++) free(curves[i].false_positive_rates);
    return ended;
}

/* ---- Calibration ---- */

/* Draws a reliability diagram: the accuracy in each bin of predicted probability, with its interval. */
static int evaluate_pictures_draw_calibration(crd_result *r, const crd_scores *scores, const char *title) {
    crd_plot_bin bins[CRD_CALIBRATION_BINS];
    size_t count = 0;
    for (size_t i = 0; i < CRD_CALIBRATION_BINS; i++) {
        crd_calibration_bin bin = scores->bins[i];
        double low, high;
        if (bin.rows == 0) continue;
        crd_frequency_interval(bin.accuracy, bin.weight, &low, &high);
        bins[count++] = (crd_plot_bin){bin.probability, bin.accuracy, low, high, bin.weight};
    }
    crd_plot_calibration calibration = CRD_PLOT_CALIBRATION_INIT;
    crd_plot_options options = evaluate_pictures_options(title);
    char *svg = NULL;
    crd_error error;
    calibration.bins = bins;
    calibration.count = count;
    if (count == 0) return ENDED_WELL;
    crd_status status = crd_plot_draw_calibration(crd_result_context(r), &calibration, &options, &svg, &error);
    return report_add_picture(r, status, &svg, &error);
}

/* ---- Confusion ---- */

/* Draws the confusion matrix, unless there are more than MOST_CONFUSION classes. */
static int evaluate_pictures_draw_confusion(crd_result *r, const crd_scores *scores) {
    size_t classes = scores->class_count, named = 0;
    if (classes == 0 || classes > MOST_CONFUSION) return ENDED_WELL;
    crd_text *names = memory_resize(NULL, classes, sizeof *names);
    double *counts = memory_resize(NULL, classes * classes, sizeof *counts);
    for (size_t i = 0; i < classes * classes; i++) counts[i] = 0;
    for (size_t k = 0; k < classes; k++) {
        const crd_class_scores class = scores->classes[k];
        names[k] = scores->classes[k].name;
        if (!class.can_be_predicted) continue;
        for (size_t truth = 0; truth < classes; truth++)
            counts[truth * classes + k] = crd_scores_confusion_weight(scores, truth, named);
        named++;
    }
    crd_plot_confusion confusion = CRD_PLOT_CONFUSION_INIT;
    crd_plot_options options = evaluate_pictures_options("Confusion");
    char *svg = NULL;
    crd_error error;
    confusion.classes = names;
    confusion.count = classes;
    confusion.counts = counts;
    crd_status status = crd_plot_draw_confusion(crd_result_context(r), &confusion, &options, &svg, &error);
    free(names);
    free(counts);
    return report_add_picture(r, status, &svg, &error);
}

/* ---- Importance ---- */

/* Draws the importance of the columns as bars. */
static int draw_importance(crd_result *r, const crd_importance *importance) {
    size_t count = importance == NULL ? 0 : crd_importance_count(importance);
    if (count == 0) return ENDED_WELL;
    crd_plot_bar *bars = memory_resize(NULL, count, sizeof *bars);
    for (size_t c = 0; c < count; c++) {
        crd_column_importance column = CRD_COLUMN_IMPORTANCE_INIT;
        crd_importance_at(importance, c, &column);
        bars[c] = (crd_plot_bar){.name = column.column, .value = column.log_loss};
    }
    crd_plot_bars plot = CRD_PLOT_BARS_INIT;
    crd_plot_options options = evaluate_pictures_options("Importance");
    char *svg = NULL;
    crd_error error;
    plot.bars = bars;
    plot.count = count;
    plot.most = MOST_COLUMNS;
    plot.unit = crd_text_of("increase of log loss when it is permuted");
    crd_status status = crd_plot_draw_bars(crd_result_context(r), &plot, &options, &svg, &error);
    free(bars);
    return report_add_picture(r, status, &svg, &error);
}

int evaluate_draw(crd_result *r, const evaluated *e, const crd_evaluation *evaluation) {
    if (!crd_result_is_for(r, CRD_FOR_PICTURES)) return ENDED_WELL;
    int ended = evaluate_pictures_draw_curves(r, e, evaluation);
    if (ended == ENDED_WELL && e->before != NULL)
        ended = evaluate_pictures_draw_calibration(r, e->before, "Before calibration");
    if (ended == ENDED_WELL)
        ended =
            evaluate_pictures_draw_calibration(r, e->scores, e->before == NULL ? "Calibration" : "After calibration");
    if (ended == ENDED_WELL) ended = evaluate_pictures_draw_confusion(r, e->scores);
    if (ended == ENDED_WELL) ended = draw_importance(r, e->importance->importance);
    return ended;
}
