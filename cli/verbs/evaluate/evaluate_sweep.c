/* SPDX-License-Identifier: MIT */
/* evaluate_sweep.c - a class against the rest at every threshold: curves, points and the best thresholds. */
#include "verbs/evaluate/evaluate_verb.h"

#include "core/error_messages.h"
#include "core/fraction.h"
#include "core/lists.h"
#include "core/messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Options ---- */

enum { USUAL_POINTS = 1000, LEAST_POINTS = 2 };

static void add_goal(sweep *s, crd_curve_goal goal, double wanted, const char *text) {
    s->goals = memory_resize(s->goals, s->goal_count + 1, sizeof *s->goals);
    sweep_goal *added = &s->goals[s->goal_count++];
    *added = (sweep_goal){.goal = goal, .wanted = wanted};
    string_format(&added->text, "%s", text);
}

/* Adds the goal "f1", "cost", "recall:R" or "precision:P". Returns false if the text is none of these. */
static bool read_goal(sweep *s, const char *text) {
    static const struct {
        const char *word;
        crd_curve_goal goal;
    } goals[] = {{"recall:", CRD_CURVE_RECALL}, {"precision:", CRD_CURVE_PRECISION}};
    if (strcmp(text, "f1") == 0 || strcmp(text, "cost") == 0) {
        add_goal(s, text[0] == 'f' ? CRD_CURVE_F1 : CRD_CURVE_COST, 0, text);
        return true;
    }
    for (size_t i = 0; i < sizeof goals / sizeof *goals; i++) {
        size_t length = strlen(goals[i].word);
        double wanted;
        if (strncmp(text, goals[i].word, length) != 0) continue;
        if (!fraction_parse(crd_text_of(text + length), &wanted) || !(wanted > 0 && wanted <= 1)) return false;
        add_goal(s, goals[i].goal, wanted, text);
        return true;
    }
    return false;
}

/* Reads all goals of --choose-threshold. */
static int read_goals(const arguments *words, sweep *s) {
    size_t index = 0;
    const char *text;
    while ((text = arguments_next(words, "choose-threshold", &index)) != NULL) {
        list items;
        if (!list_split(text, &items)) return message_usage("--choose-threshold %s: a quote is not closed", text);
        int ended = ENDED_WELL;
        for (size_t i = 0; i < items.count && ended == ENDED_WELL; i++) {
            if (!read_goal(s, items.items[i].bytes))
                ended = message_usage(
                    "--choose-threshold: expected f1, cost, recall:R or precision:P, separated by commas, with R "
                    "and P above 0 and at most 1, got '%s'",
                    items.items[i].bytes);
            else if (s->goals[s->goal_count - 1].goal == CRD_CURVE_COST && !arguments_have(words, "cost"))
                ended = message_usage("--choose-threshold cost needs --cost FILE");
        }
        list_free(&items);
        if (ended != ENDED_WELL) return ended;
    }
    return ENDED_WELL;
}

/* Reads --threshold-curves and --choose-threshold. Sets s->is_asked to false if neither is given. */
int sweep_read(const invocation *call, sweep *s) {
    const arguments *words = &call->arguments;
    uint64_t points = USUAL_POINTS;
    const char *requested = arguments_value(words, "threshold-curves");
    *s = (sweep){.is_asked = requested != NULL || arguments_have(words, "choose-threshold")};
    if (!s->is_asked) return ENDED_WELL;
    if (requested != NULL && requested[0] != '\0') {
        int ended = arguments_whole(words, "threshold-curves", &points);
        if (ended != ENDED_WELL) return ended;
        if (points < LEAST_POINTS)
            return message_usage("--threshold-curves: expected at least 2 points, got '%s'", requested);
    }
    s->most_points = points > SIZE_MAX ? SIZE_MAX : (size_t)points;
    s->has_goals = arguments_have(words, "choose-threshold");
    return read_goals(words, s);
}

/* Finds the class of --positive and the costs of the rule, and adds the default goals. */
int sweep_choose(const invocation *call, sweep *s, const crd_text *classes, size_t count, const crd_rule *rule) {
    const char *typed = arguments_value(&call->arguments, "positive");
    bool has_rule = rule != NULL && rule->kind == CRD_RULE_COSTS, asks_cost = false;
    if (!s->is_asked) return ENDED_WELL;
    s->positive = 1;
    if (typed != NULL) {
        crd_text name = crd_text_of(typed);
        for (s->positive = 0; s->positive < count && !crd_text_equal(classes[s->positive], name);) s->positive++;
        if (s->positive == count) return message_no_such("positive", "class", name, classes, count);
    } else if (count != 2) {
        message_failed("a threshold is for one class against the rest, but there %s %zu", count == 1 ? "is" : "are",
                       count);
        message_hint("choose the class with --positive CLASS");
        return ENDED_FAILED;
    }
    for (size_t i = 0; i < s->goal_count; i++) asks_cost = asks_cost || s->goals[i].goal == CRD_CURVE_COST;
    if (asks_cost && count != 2)
        return message_failed("--choose-threshold cost needs two classes, got %zu: the cost of predicting the rest "
                              "depends on its classes",
                              count);
    s->costs = (crd_curve_costs)CRD_CURVE_COSTS_INIT;
    s->has_costs = has_rule && count == 2 && crd_rule_curve_costs(rule, s->positive, &s->costs, NULL) == CRD_OK;
    if (!s->has_goals && s->goal_count == 0) {
        add_goal(s, CRD_CURVE_F1, 0, "f1");
        if (s->has_costs) add_goal(s, CRD_CURVE_COST, 0, "cost");
    }
    return ENDED_WELL;
}

int sweep_run(sweep *s, const crd_evaluation *evaluation) {
    crd_error error;
    if (!s->is_asked) return ENDED_WELL;
    return crd_curve_create(evaluation, s->positive, &s->curve, &error) == CRD_OK ? ENDED_WELL : message_error(&error);
}

void sweep_free(sweep *s) {
    for (size_t i = 0; i < s->goal_count; i++) string_free(&s->goals[i].text);
    free(s->goals);
    crd_curve_destroy(s->curve);
}

/* ---- Curves ---- */

enum { ROC, PRECISION_RECALL, CURVES, LINES_OF_CURVE = 8 };

static crd_curve_point evaluate_sweep_point(const crd_curve *curve, size_t index) {
    crd_curve_point point = CRD_CURVE_POINT_INIT;
    crd_curve_point_at(curve, index, &point);
    return point;
}

static double axis_of(const crd_curve *curve, size_t line, size_t index) {
    crd_curve_point point = evaluate_sweep_point(curve, index);
    return line == ROC ? point.false_positive_rate : point.recall;
}

/* Returns the index of the first point at or after x, by binary search. */
static size_t evaluate_sweep_find_point(const crd_curve *curve, size_t line, double x) {
    size_t low = 0, high = curve->count - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (axis_of(curve, line, middle) >= x) high = middle;
        else low = middle + 1;
    }
    return low;
}

/* Returns the height of a curve at x. Rows between two points of the ROC curve tie, so the ROC curve is linear
 * between points. The precision is the precision of the point at which the recall is reached. */
static double height_of(void *user, size_t line, double x) {
    const sweep *s = user;
    size_t index = evaluate_sweep_find_point(s->curve, line, x);
    if (line == PRECISION_RECALL) return evaluate_sweep_point(s->curve, index == 0 ? 1 : index).precision;
    crd_curve_point curve_point = evaluate_sweep_point(s->curve, index), source_point = curve_point;
    /* The curve is vertical at x: take the highest point. */
    while (index + 1 < s->curve->count && axis_of(s->curve, ROC, index + 1) <= x)
        curve_point = evaluate_sweep_point(s->curve, ++index);
    if (curve_point.false_positive_rate <= x || index == 0) return curve_point.recall;
    source_point = evaluate_sweep_point(s->curve, index - 1);
    double part =
        (x - source_point.false_positive_rate) / (curve_point.false_positive_rate - source_point.false_positive_rate);
    return source_point.recall + part * (curve_point.recall - source_point.recall);
}

static crd_text evaluate_sweep_name(void *user, size_t line) {
    (void)user;
    return crd_text_of(line == ROC ? "ROC: recall over the false positive rate" : "Precision over recall");
}

/* ---- Points ---- */

static const char *const point_keys[] = {
    "threshold",       "precision",       "recall",         "f1",  "false_positive_rate", "true_positives",
    "false_positives", "false_negatives", "true_negatives", "cost"};
static const char *const point_titles[] = {"threshold", "precision", "recall", "F1", NULL,
                                           "TP",        "FP",        "FN",     "TN", "cost"};
enum { POINT_VALUES = sizeof point_keys / sizeof *point_keys, FIRST_COUNT = 5, COST_VALUE = POINT_VALUES - 1 };

static void add_point_columns(crd_result_table *t, const sweep *s, bool is_seen) {
    for (size_t i = 0; i < POINT_VALUES; i++) {
        bool is_left_out = i == COST_VALUE && !s->has_costs;
        crd_result_add_column(t, is_left_out ? NULL : point_keys[i], is_seen && !is_left_out ? point_titles[i] : NULL);
    }
}

/* Adds a threshold with eight digits, so it can be typed again. It is rounded down, so rows with this probability
 * still reach it. */
static void add_threshold(crd_result_table *t, double threshold) {
    static const double LEAST = 1e-290; /* below it, the power of ten overflows a double */
    double shown = threshold;
    if (isinf(threshold)) {
        crd_cell_shown(t, threshold, "above all");
        return;
    }
    if (threshold > LEAST) {
        double unit = pow(10, 7 - floor(log10(threshold)));
        shown = floor(threshold * unit) / unit;
    }
    crd_cell_shown(t, threshold, "%.8g", shown);
}

/* Adds a point of the curve: the threshold, its scores and counts, and its cost if there are costs. */
static void add_point_cells(crd_result_table *t, const sweep *s, size_t index) {
    crd_curve_point p = evaluate_sweep_point(s->curve, index);
    const double values[POINT_VALUES] = {p.threshold,
                                         p.precision,
                                         p.recall,
                                         p.f1,
                                         p.false_positive_rate,
                                         p.true_positives,
                                         p.false_positives,
                                         p.false_negatives,
                                         p.true_negatives,
                                         s->has_costs ? crd_curve_cost(s->curve, index, &s->costs) : NAN};
    for (size_t i = 0; i < POINT_VALUES; i++) {
        if (i == 0) add_threshold(t, values[i]);
        else if (i >= FIRST_COUNT && i < COST_VALUE) crd_cell_count(t, values[i]);
        else crd_cell_number(t, values[i]);
    }
}

static bool find_best(const sweep *s, size_t goal, size_t *index) {
    const sweep_goal *source_goal = &s->goals[goal];
    return crd_curve_best(s->curve, source_goal->goal, source_goal->wanted, s->has_costs ? &s->costs : NULL, index) !=
           0;
}

/* Reports the best point for each goal. */
static void report_best(crd_result *r, const sweep *s) {
    crd_result_table *t = crd_result_add_table(r, "best");
    t->is_short = true;
    crd_result_add_column(t, "by", "best by");
    add_point_columns(t, s, true);
    for (size_t i = 0; i < s->goal_count; i++) {
        size_t index;
        crd_cell_words(t, string_text(&s->goals[i].text));
        if (find_best(s, i, &index)) {
            add_point_cells(t, s, index);
            continue;
        }
        crd_cell_null(t);
        crd_cell_show_as(t, "not reached", NULL);
        for (size_t v = 1; v < POINT_VALUES; v++) crd_cell_null(t);
    }
}

static int evaluate_sweep_by_index(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return x < y ? -1 : x > y;
}

/* Returns the indices of the reported points, ascending: a selection along the curve, and the best points. The
 * caller frees them. */
static size_t *choose_points(const sweep *s, size_t *count) {
    size_t all = s->curve->count, most = s->most_points < all ? s->most_points : all;
    size_t *indices = memory_resize(NULL, most + s->goal_count, sizeof *indices), kept = 0, index;
    *count = crd_curve_thin(s->curve, most, indices);
    for (size_t i = 0; i < s->goal_count; i++)
        if (find_best(s, i, &index)) indices[(*count)++] = index;
    qsort(indices, *count, sizeof *indices, evaluate_sweep_by_index);
    for (size_t i = 0; i < *count; i++)
        if (i == 0 || indices[i] != indices[i - 1]) indices[kept++] = indices[i];
    *count = kept;
    return indices;
}

/* Reports the chosen points of the curve in JSON and CSV, and which goals each is best by. */
static void evaluate_sweep_report_points(crd_result *r, const sweep *s) {
    size_t count, *indices = choose_points(s, &count);
    crd_result_number(r, "points_total", (double)s->curve->count);
    crd_result_table *t = crd_result_add_table(r, "points");
    t->is_short = t->is_main = true;
    add_point_columns(t, s, false);
    crd_result_add_column(t, "best", NULL);
    for (size_t i = 0; i < count; i++) {
        string best = {0};
        add_point_cells(t, s, indices[i]);
        for (size_t g = 0; g < s->goal_count; g++) {
            size_t index;
            if (find_best(s, g, &index) && index == indices[i])
                string_format(&best, "%s%s", best.length == 0 ? "" : " ", string_text(&s->goals[g].text));
        }
        if (best.length == 0) crd_cell_absent(t, "");
        else crd_cell_words(t, string_text(&best));
        string_free(&best);
    }
    free(indices);
}

/* Reports the curve, its areas, the best thresholds and the points. Does nothing if the sweep has no curve. */
void sweep_report(crd_result *r, sweep *s, crd_text class_name, bool is_of_two) {
    char auc[CRD_NUMBER_ROOM], precision[CRD_NUMBER_ROOM];
    if (s->curve == NULL) return;
    crd_result_heading(r, 2, "Thresholds",
                       crd_result_format(r, ": %s against the rest, AUC %s, average precision %s",
                                         crd_result_show(r, class_name), crd_number_round(s->curve->auc, auc),
                                         crd_number_round(s->curve->average_precision, precision)));
    crd_result_begin(r, CRD_OBJECT, "threshold_curves");
    crd_result_text(r, "positive", class_name);
    crd_result_number(r, "auc", s->curve->auc);
    crd_result_number(r, "average_precision", s->curve->average_precision);
    report_best(r, s);
    crd_result_line(r, CRD_REMARK, "the thresholds were chosen on these rows: expect worse scores on others%s",
                    is_of_two ? "; predict --threshold applies one" : "");
    evaluate_sweep_report_points(r, s);
    crd_result_end(r);
    crd_result_add_curves(r, &(crd_result_curves){.lower = 0,
                                                  .upper = 1,
                                                  .top = 1,
                                                  .lines = LINES_OF_CURVE,
                                                  .count = CURVES,
                                                  .is_always = true,
                                                  .user = s,
                                                  .height = height_of,
                                                  .name = evaluate_sweep_name});
}
