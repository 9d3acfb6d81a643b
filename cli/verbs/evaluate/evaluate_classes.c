/* SPDX-License-Identifier: MIT */
/* evaluate_classes.c - the scores of each class, and the confusion of true and predicted classes. Reports for people
 * show the most frequent classes and confusions, unless --all-classes is given. JSON and CSV contain all of them. */
#include "verbs/evaluate/evaluate_verb.h"

#include "core/text_table.h"

#include <math.h>
#include <stdlib.h>

/* Up to ALL_SHOWN classes are all shown. If there are more, only the SHOWN most frequent are, so a report fits on a
 * page. */
enum { ALL_SHOWN = 12, SHOWN = 10 };
/* A matrix that is wider than a page is folded into parts. If these parts have more lines than MOST_MATRIX_LINES
 * together, pairs are listed instead, because many parts are hard to read. */
enum { PAGE_WIDTH = 78, MOST_MATRIX_LINES = 20, NARROWEST_COLUMN = 3 };
/* A larger matrix would use more memory than the rows and the model, and would be too large to read. */
enum { MOST_CONFUSION_CLASSES = 1000 };
/* The maximum number of pairs in JSON and CSV, in addition to the matrix or instead of it. */
enum { MOST_CONFUSIONS = 1000 };

static const crd_text nothing = {"", 0};

static crd_class_scores evaluate_classes_scores(const crd_scores *scores, size_t k) {
    const crd_class_scores class = scores->classes[k];
    return class;
}

/* ---- The most frequent ---- */

typedef struct classes_frequency {
    size_t index;
    double weight;
} classes_frequency;

static int evaluate_select_classes_weight(const void *a, const void *b) {
    const classes_frequency *x = a, *y = b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

bool *evaluate_find_shown(size_t count, bool all, double (*weight)(const void *user, size_t index), const void *user,
                          size_t *hidden) {
    bool *shown = memory_resize(NULL, count, sizeof *shown);
    size_t most = all || count <= ALL_SHOWN ? count : SHOWN;
    classes_frequency *order = memory_resize(NULL, count, sizeof *order);
    for (size_t i = 0; i < count; i++) {
        shown[i] = false;
        order[i] = (classes_frequency){i, weight(user, i)};
    }
    qsort(order, count, sizeof *order, evaluate_select_classes_weight);
    for (size_t i = 0; i < most; i++) shown[order[i].index] = true;
    free(order);
    *hidden = count - most;
    return shown;
}

/* ---- Classes ---- */

static double evaluate_classes_support(const void *user, size_t k) {
    return evaluate_classes_scores(user, k).support_weight;
}

/* Reports precision, recall, F1 and the other scores of each class. JSON and CSV contain all classes, the table only
 * the shown ones. */
void evaluate_report_classes(crd_result *r, crd_result_table *lines, const evaluated *e) {
    static const char *const keys[] = {"precision", "recall", "f1", "auc", "support", "zero_rows"};
    static const char *const titles[] = {"precision", "recall", "F1", "AUC", "support", NULL};
    enum { MEASURES = sizeof keys / sizeof *keys, FIRST_COUNT = 4 };
    size_t classes = e->scores->class_count, hidden;
    bool *shown = evaluate_find_shown(classes, e->all_classes, evaluate_classes_support, e->scores, &hidden);
    crd_result_begin(r, CRD_SHORT_ARRAY, "classes");
    for (size_t k = 0; k < classes; k++) crd_result_text(r, NULL, e->scores->classes[k].name);
    crd_result_end(r);
    crd_result_heading(r, 2, "Classes", hidden > 0 ? ": the most frequent" : "");
    crd_result_table *t = crd_result_add_table(r, "per_class");
    t->is_wrapped = t->is_short = true;
    crd_result_add_column(t, "class", "class");
    for (size_t i = 0; i < MEASURES; i++) crd_result_add_column(t, keys[i], titles[i]);
    for (size_t k = 0; k < classes; k++) {
        crd_class_scores class = evaluate_classes_scores(e->scores, k);
        const double values[] = {class.precision, class.recall,         class.f1,
                                 class.auc,       class.support_weight, (double)class.zero_rows};
        crd_text name = e->scores->classes[k].name;
        t->audience = shown[k] ? CRD_FOR_ALL : CRD_FOR_JSON | CRD_FOR_CSV;
        crd_cell_name(t, name);
        for (size_t i = 0; i < MEASURES; i++) {
            evaluate_add_line(lines, keys[i], name, nothing, values[i]);
            if (i < FIRST_COUNT) crd_cell_number(t, values[i]);
            else crd_cell_count(t, values[i]);
        }
    }
    if (hidden > 0)
        crd_result_line(r, CRD_REMARK, "%zu classes with fewer rows are not shown; use --all-classes", hidden);
    free(shown);
}

/* ---- Confusion ---- */

/* Shows the confusion matrix, with a column for each class that can be predicted. The last column counts the rows
 * without a prediction, if there are any. */
static void show_matrix(crd_result *r, const crd_scores *scores, bool undecided) {
    size_t classes = scores->class_count, named = 0;
    crd_result_table *t = crd_result_add_table(r, NULL);
    t->is_wrapped = true;
    crd_result_add_column(t, NULL, "");
    for (size_t k = 0; k < classes; k++) {
        if (!evaluate_classes_scores(scores, k).can_be_predicted) continue;
        crd_result_add_column(t, NULL, crd_result_show(r, scores->classes[k].name));
        named++;
    }
    if (undecided) crd_result_add_column(t, NULL, "(none)");
    for (size_t truth = 0; truth < classes; truth++) {
        double support = evaluate_classes_scores(scores, truth).support_weight, left = support;
        crd_cell_name(t, scores->classes[truth].name);
        for (size_t k = 0; k < named; k++) {
            double weight = crd_scores_confusion_weight(scores, truth, k);
            crd_cell_count(t, weight);
            left -= weight;
        }
        /* Sums of weights are rounded, so a tiny difference means zero. */
        if (undecided) crd_cell_count(t, left > support * 1e-12 ? left : 0);
    }
}

/* Returns whether the confusion matrix, folded into parts of the page's width, has at most MOST_MATRIX_LINES lines. */
static bool fits_page(const crd_scores *scores) {
    size_t classes = scores->class_count, used = PAGE_WIDTH, parts = 0, widest = 0;
    if (classes > ALL_SHOWN) return false;
    for (size_t k = 0; k < classes; k++) {
        crd_text name = scores->classes[k].name;
        size_t name_width = text_width(name.bytes, name.length);
        if (name_width > widest) widest = name_width;
    }
    for (size_t k = 0; k < classes; k++) {
        crd_text name = scores->classes[k].name;
        size_t name_width = text_width(name.bytes, name.length);
        size_t needed = 2 + (name_width < NARROWEST_COLUMN ? NARROWEST_COLUMN : name_width);
        if (used + needed > PAGE_WIDTH) parts++, used = widest;
        used += needed;
    }
    return classes <= 2 || parts * (classes + 1) <= MOST_MATRIX_LINES;
}

/* Reports the most frequent pairs of true and predicted class. is_seen: also in the table for people, instead of the
 * matrix. */
static void evaluate_classes_report_pairs(crd_result *r, const crd_scores *scores, bool is_seen) {
    crd_confusion *pairs = memory_resize(NULL, MOST_CONFUSIONS, sizeof *pairs);
    size_t total = crd_scores_confusions(scores, pairs, MOST_CONFUSIONS);
    size_t count = total < MOST_CONFUSIONS ? total : MOST_CONFUSIONS;
    bool is_headed = is_seen && total > 0;
    if (is_seen) crd_result_heading(r, 2, "Confusion", total > 0 ? ": the most frequent" : ": none");
    crd_result_table *t = crd_result_add_table(r, "confusions");
    t->is_short = true;
    t->rows_shown = SHOWN;
    t->is_hidden = !is_headed;
    crd_result_add_column(t, "class", "true class");
    crd_result_add_column(t, "named", "named")->is_left = true;
    crd_result_add_column(t, "rows", "rows");
    crd_result_add_column(t, "share", "of the class");
    for (size_t i = 0; i < count; i++) {
        crd_cell_name(t, scores->classes[pairs[i].truth].name);
        crd_cell_name(t, scores->classes[pairs[i].named].name);
        crd_cell_count(t, pairs[i].weight);
        crd_cell_number(t, pairs[i].weight / evaluate_classes_scores(scores, pairs[i].truth).support_weight);
    }
    if (is_seen && total > SHOWN) {
        bool has_matrix = scores->class_count <= MOST_CONFUSION_CLASSES;
        crd_result_line(r, CRD_REMARK, "%zu less frequent confusions are not shown%s", total - SHOWN,
                        has_matrix ? "; use --all-classes for the matrix" : "");
    }
    free(pairs);
}

/* Reports the confusion matrix in JSON and CSV, unless there are more than MOST_CONFUSION_CLASSES classes. */
static void evaluate_classes_report_matrix(crd_result *r, crd_result_table *lines, const crd_scores *scores) {
    size_t classes = scores->class_count;
    if (!crd_result_is_for(r, CRD_FOR_MACHINES)) return;
    if (classes > MOST_CONFUSION_CLASSES) {
        crd_result_number(r, "confusion", NAN);
        return;
    }
    crd_result_begin(r, CRD_ARRAY, "confusion");
    for (size_t truth = 0; truth < classes; truth++) {
        crd_result_begin(r, CRD_SHORT_ARRAY, NULL);
        for (size_t k = 0; k < classes; k++) {
            double weight = crd_scores_confusion_weight(scores, truth, k);
            crd_result_number(r, NULL, weight);
            if (!crd_result_is_for(r, CRD_FOR_CSV)) continue;
            evaluate_add_line(lines, "confusion", scores->classes[truth].name, scores->classes[k].name, weight);
        }
        crd_result_end(r);
    }
    crd_result_end(r);
}

void evaluate_report_confusion(crd_result *r, crd_result_table *lines, const evaluated *e, bool undecided) {
    bool has_matrix = e->all_classes ? e->scores->class_count <= MOST_CONFUSION_CLASSES : fits_page(e->scores);
    if (has_matrix) {
        crd_result_heading(r, 2, "Confusion", ": one row per true class, one column per predicted class");
        show_matrix(r, e->scores, undecided);
    }
    evaluate_classes_report_matrix(r, lines, e->scores);
    evaluate_classes_report_pairs(r, e->scores, !has_matrix);
}
