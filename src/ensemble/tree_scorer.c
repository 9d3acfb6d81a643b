/* SPDX-License-Identifier: MIT */
/* tree_scorer.c - see ensemble_scorer.h.
 *
 * With m_c the mean of the trees' predictions, b_c its mean at the roots, s the scale, and f_c the share of class c in
 * the training rows, (n_c + 1/2) / (n + K/2) unless the prior is the share, the score is
 *
 *   log P(c) + [s log b_c - log f_c] + s log(m_c / b_c) + sum over texts of log p(text | c).
 *
 * An explanation divides the third term among the attributes. If d_ic is what attribute i contributes to m_c - b_c, its
 * term is s d_ic / L(m_c, b_c), with L the logarithmic mean (m - b) / (log m - log b). These terms sum to the third
 * term exactly (Ang 2004). Terms of missing values are added to the second term.
 *
 * Contents:
 *   1. Scoring
 *   2. Terms
 *   3. Parameters
 *   4. Deriving */
#include "ensemble/ensemble_scorer.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/parameter_list.h"
#include "classify/classify_row.h"
#include "classify/joint_scorer.h"
#include "ensemble/tree_forest.h"
#include "fit/held_out.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

typedef struct tree_scorer {
    crd_i_naive_scorer naive; /* text attributes */
    crd_i_forest forest;
    size_t *attributes; /* of each column of the forest */
    double *log_shares; /* log f_c */
} tree_scorer;

/* ======== 1. Scoring ======== */

/* The bins of a row are stored at the beginning of its scratch, followed by `classes` means. */
static size_t bins_room(const crd_i_forest *forest) {
    return forest->column_count / sizeof(double) + 1;
}

static uint8_t *tree_scorer_bin_row(const tree_scorer *scorer, const crd_i_scored_row *row) {
    uint8_t *bins = (uint8_t *)row->scratch;
    for (size_t i = 0; i < scorer->forest.column_count; i++) {
        const crd_i_one_cell *cell = &row->cells[scorer->attributes[i]];
        const crd_i_forest_column *column = &scorer->forest.columns[i];
        bins[i] = !cell->is_present         ? 0
                  : !column->is_categorical ? crd_i_forest_bin_of_number(column, cell->number)
                  : cell->is_unseen         ? 0
                                            : crd_i_forest_bin_of_code(column, cell->code);
    }
    return bins;
}

/* Returns whether any attribute of the forest has a known value. Without one, the posterior is the prior. */
static bool tree_scorer_has_values(const tree_scorer *scorer, const crd_i_scored_row *row) {
    for (size_t i = 0; i < scorer->forest.column_count; i++) {
        const crd_i_one_cell *cell = &row->cells[scorer->attributes[i]];
        if (cell->is_present && !cell->is_unseen) return true;
    }
    return false;
}

/* Adds s log m_c - log f_c, which is finite. */
static void tree_scorer_add(const tree_scorer *scorer, const crd_i_scored_row *row, double *sums) {
    double *means = row->scratch + bins_room(&scorer->forest);
    if (!tree_scorer_has_values(scorer, row)) return;
    const double scale = crd_i_forest_predict(&scorer->forest, tree_scorer_bin_row(scorer, row), means);
    for (size_t k = 0; k < row->classifier->class_count; k++)
        sums[k] += scale * crd_log(means[k]) - scorer->log_shares[k];
}

static crd_status tree_scorer_score(const crd_i_scorer *scorer, const crd_i_scored_row *row, double *log_posterior,
                                    double *probabilities, crd_answer *answer, crd_error *error) {
    const tree_scorer *trees = (const tree_scorer *)scorer;
    (void)error;
    crd_i_row_begin(row, log_posterior, answer);
    tree_scorer_add(trees, row, log_posterior);
    crd_i_naive_scorer_add(&trees->naive, row, log_posterior);
    crd_i_row_conclude(row, log_posterior, probabilities, answer);
    return CRD_OK;
}

static void tree_scorer_destroy(crd_i_scorer *scorer) {
    tree_scorer *trees = (tree_scorer *)scorer;
    crd_i_forest_clear(&trees->forest);
    crd_free(scorer->context, trees->attributes);
    crd_free(scorer->context, trees->log_shares);
    crd_free(scorer->context, scorer);
}

/* ======== 2. Terms ======== */

static size_t tree_scorer_count_joints(const crd_i_scorer *scorer) {
    (void)scorer;
    return 1;
}

static void tree_scorer_describe(const crd_i_scorer *scorer, const crd_classifier *classifier, size_t joint,
                                 crd_joint *out) {
    const crd_i_forest *forest = &((const tree_scorer *)scorer)->forest;
    (void)classifier, (void)joint;
    out->name = "trees";
    out->summary = "averaged over all prunings of randomized trees";
    out->attribute_count = forest->column_count;
    char pseudo_count[CRD_NUMBER_ROOM], scale[CRD_NUMBER_ROOM];
    crd_number_round(forest->pseudo_count, pseudo_count);
    crd_number_round(forest->scale, scale);
    snprintf(out->description, sizeof out->description, "%zu trees, %zu nodes, pseudo-count %s, scale %s",
             forest->tree_count, forest->node_count, pseudo_count, scale);
}

static crd_status tree_scorer_list_attributes(const crd_i_scorer *scorer, const crd_classifier *classifier,
                                              size_t joint, size_t *out, crd_error *error) {
    const tree_scorer *trees = (const tree_scorer *)scorer;
    (void)classifier, (void)joint, (void)error;
    for (size_t i = 0; i < trees->forest.column_count; i++) out[i] = trees->attributes[i];
    return CRD_OK;
}

static size_t tree_scorer_count_terms(const crd_i_scorer *scorer) {
    return ((const tree_scorer *)scorer)->forest.column_count;
}

static void tree_scorer_describe_term(const crd_i_scorer *scorer, size_t term, crd_pair *out) {
    out->attributes[0] = out->attributes[1] = ((const tree_scorer *)scorer)->attributes[term];
    out->exponent = 1;
}

/* Returns the logarithmic mean of two positive numbers. */
static double logarithmic_mean(double a, double b) {
    /* With r = (a - b) / (a + b), log a - log b = 2 artanh r, whose series has no cancellation for a close to b. */
    const double ratio = (a - b) / (a + b), square = ratio * ratio;
    if (square < 1e-4) return (a + b) / 2 / (1 + square * (1.0 / 3 + square * (1.0 / 5 + square / 7)));
    return (a - b) / crd_log(a / b);
}

/* Computes the terms of the attributes, columns x classes. Missing attributes have none: see tree_scorer_add_base. */
static void tree_scorer_list_terms(const crd_i_scorer *scorer, const crd_i_scored_row *row, double *terms) {
    const tree_scorer *trees = (const tree_scorer *)scorer;
    const crd_i_forest *forest = &trees->forest;
    const size_t classes = forest->class_count;
    const uint8_t *bins = tree_scorer_bin_row(trees, row);
    double *means = row->scratch + bins_room(forest);
    for (size_t i = 0; i < forest->column_count * classes; i++) terms[i] = 0;
    if (!tree_scorer_has_values(trees, row)) return;
    const double scale = crd_i_forest_predict(forest, bins, means);
    crd_i_forest_contributions(forest, bins, terms);
    for (size_t k = 0; k < classes; k++) {
        const double factor = scale / logarithmic_mean(means[k], forest->base[k]);
        for (size_t i = 0; i < forest->column_count; i++) {
            const crd_i_one_cell *cell = &row->cells[trees->attributes[i]];
            terms[i * classes + k] *= cell->is_present && !cell->is_unseen ? factor : 0;
        }
    }
}

/* Adds the score without the terms of the attributes: the score of a row without values, plus the contributions of
 * missing values. */
static crd_status tree_scorer_add_base(const crd_i_scorer *scorer, const crd_i_scored_row *row, size_t joint,
                                       double *sums, crd_error *error) {
    const tree_scorer *trees = (const tree_scorer *)scorer;
    const size_t classes = row->classifier->class_count;
    double *terms = row->scratch + bins_room(&trees->forest) + classes;
    (void)joint, (void)error;
    tree_scorer_list_terms(scorer, row, terms);
    tree_scorer_add(trees, row, sums);
    for (size_t i = 0; i < trees->forest.column_count; i++)
        for (size_t k = 0; k < classes; k++) sums[k] -= terms[i * classes + k];
    return CRD_OK;
}

/* ======== 3. Parameters ======== */

/* Lists the number of values of each column, 0 for numbers, and the bin of each value. */
static bool tree_scorer_list_bins(const crd_i_forest *forest, crd_i_parameter_list *list) {
    size_t total = 0;
    for (size_t i = 0; i < forest->column_count; i++) total += forest->columns[i].code_count;
    double *values = crd_i_parameter_list_vector(list, "values", forest->column_count);
    double *bins = crd_i_parameter_list_vector(list, "bin", total);
    if (values == NULL || bins == NULL) return false;
    for (size_t i = 0; i < forest->column_count; i++) {
        const crd_i_forest_column *column = &forest->columns[i];
        values[i] = (double)column->code_count;
        for (size_t v = 0; v < column->code_count; v++) *bins++ = column->code_bins[v];
    }
    return true;
}

/* Lists the sets of bins as words of 32 bits, as many as the bins need. */
static bool tree_scorer_list_sets(const crd_i_forest *forest, crd_i_parameter_list *list) {
    enum { WORD_BITS = 32 };
    size_t words = 1;
    for (size_t i = 0; i < forest->column_count; i++)
        if (forest->columns[i].is_categorical && forest->columns[i].bin_count / WORD_BITS + 1 > words)
            words = forest->columns[i].bin_count / WORD_BITS + 1;
    double *members = crd_i_parameter_list_matrix(list, "members", forest->set_count, words);
    for (size_t i = 0; members != NULL && i < forest->set_count * words; i++)
        members[i] = (double)(uint32_t)(forest->sets[i / words].words[i % words / 2] >> i % words % 2 * WORD_BITS);
    return members != NULL;
}

/* Returns the largest number that goes left at a numeric split. */
static double tree_scorer_cut(const crd_i_forest *forest, const crd_i_forest_node *node) {
    const crd_i_forest_column *column = &forest->columns[node->column];
    if (node->threshold == 0) return -DBL_MAX;
    return node->threshold < column->bin_count ? column->cuts[node->threshold - 1] : DBL_MAX;
}

/* Returns the largest number of nodes from node v of a tree to a leaf. */
static size_t tree_scorer_count_levels(const crd_i_forest *forest, size_t root, size_t v) {
    if (forest->nodes[v].column < 0) return 1;
    const size_t left = tree_scorer_count_levels(forest, root, v + 1);
    const size_t right = tree_scorer_count_levels(forest, root, root + forest->nodes[v].right);
    return 1 + (left > right ? left : right);
}

/* Lists the nodes, and the predictions of the leaves. */
static bool tree_scorer_list_nodes(const crd_i_forest *forest, crd_i_parameter_list *list) {
    const size_t classes = forest->class_count;
    size_t leaves = 0, leaf = 0, levels = 1;
    for (size_t v = 0; v < forest->node_count; v++) leaves += forest->nodes[v].column < 0;
    double *roots = crd_i_parameter_list_vector(list, "root", forest->tree_count);
    double *columns = crd_i_parameter_list_vector(list, "column", forest->node_count);
    double *tests = crd_i_parameter_list_vector(list, "test", forest->node_count);
    double *shares = crd_i_parameter_list_vector(list, "left_share", forest->node_count);
    double *rights = crd_i_parameter_list_vector(list, "right", forest->node_count);
    double *values = crd_i_parameter_list_matrix(list, "value", leaves, classes);
    if (roots == NULL || columns == NULL || tests == NULL || shares == NULL || rights == NULL || values == NULL)
        return false;
    for (size_t t = 0; t < forest->tree_count; t++) {
        const size_t own_levels = tree_scorer_count_levels(forest, forest->roots[t], forest->roots[t]);
        if (own_levels > levels) levels = own_levels;
        roots[t] = (double)forest->roots[t];
        for (size_t v = forest->roots[t]; v < forest->roots[t + 1]; v++) {
            const crd_i_forest_node *node = &forest->nodes[v];
            columns[v] = node->column;
            if (node->column < 0) {
                for (size_t k = 0; k < classes; k++)
                    values[leaf * classes + k] = (double)forest->values[v * classes + k];
                tests[v] = (double)leaf++;
                continue;
            }
            tests[v] = forest->columns[node->column].is_categorical ? (double)node->set : tree_scorer_cut(forest, node);
            shares[v] = node->missing_side >= CRD_I_FOREST_BOTH_RIGHT ? forest->left_shares[v]
                                                                      : node->missing_side == CRD_I_FOREST_LEFT;
            rights[v] = (double)(forest->roots[t] + node->right);
        }
    }
    return crd_i_parameter_list_number(list, "levels", (double)levels);
}

static bool tree_scorer_list_parameters(const crd_i_scorer *scorer, crd_i_parameter_list *list) {
    const tree_scorer *trees = (const tree_scorer *)scorer;
    return crd_i_parameter_list_number(list, "scale", trees->forest.scale) &&
           crd_i_parameter_list_copy(list, "log_share", trees->log_shares, trees->forest.class_count, 1) &&
           tree_scorer_list_bins(&trees->forest, list) && tree_scorer_list_sets(&trees->forest, list) &&
           tree_scorer_list_nodes(&trees->forest, list);
}

static const crd_i_scorer_joints joints = {.count = tree_scorer_count_joints,
                                           .describe = tree_scorer_describe,
                                           .attributes = tree_scorer_list_attributes,
                                           .add = tree_scorer_add_base,
                                           .tree_parameters = tree_scorer_list_parameters};

static const crd_i_scorer_pairs attribute_terms = {
    .count = tree_scorer_count_terms, .describe = tree_scorer_describe_term, .terms = tree_scorer_list_terms};

static const crd_i_scorer_type tree_type = {.name = "trees",
                                            .score = tree_scorer_score,
                                            .destroy = tree_scorer_destroy,
                                            .weight = crd_i_naive_scorer_weight,
                                            .joints = &joints,
                                            .pairs = &attribute_terms};

/* ======== 4. Deriving ======== */

/* Selects the numeric and categorical attributes that have values. */
static bool tree_scorer_select_attributes(tree_scorer *scorer, crd_classifier *classifier, size_t *codes) {
    size_t count = 0;
    scorer->attributes = crd_i_alloc(classifier->context, classifier->attribute_count, sizeof *scorer->attributes);
    if (scorer->attributes == NULL) return false;
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        crd_i_attribute *attribute = &classifier->attributes[i];
        if (!crd_i_attribute_has_density(attribute) || attribute->type == CRD_TYPE_TEXT) continue;
        attribute->is_joint = true;
        codes[count] = attribute->type == CRD_TYPE_CATEGORICAL ? crd_i_dictionary_size(attribute->values) : 0;
        scorer->attributes[count++] = i;
    }
    scorer->forest.column_count = count;
    return true;
}

/* Reads the values of the stored rows, column after column: numbers, or codes as numbers; NaN: missing. */
static void tree_scorer_read_rows(const tree_scorer *scorer, const crd_i_held_out *inner,
                                  const crd_classifier *classifier, crd_i_one_cell *cells, double *numbers) {
    const size_t rows = crd_i_held_out_rows(inner);
    for (size_t row = 0; row < rows; row++) {
        crd_i_held_out_row(inner, classifier, row, cells);
        for (size_t i = 0; i < scorer->forest.column_count; i++) {
            const crd_i_one_cell *cell = &cells[scorer->attributes[i]];
            const bool is_category = classifier->attributes[scorer->attributes[i]].type == CRD_TYPE_CATEGORICAL;
            const bool is_known = cell->is_present && !(is_category && cell->is_unseen);
            numbers[i * rows + row] = !is_known ? NAN : is_category ? cell->code : cell->number;
        }
    }
}

/* Creates the bins of a column from its values in the stored rows. Returns false if memory runs out. */
static bool tree_scorer_make_column(crd_context *context, const crd_i_held_out *inner, const double *numbers,
                                    size_t codes, crd_i_forest_column *column) {
    const size_t rows = crd_i_held_out_rows(inner);
    const double *weights = crd_i_held_out_weights(inner);
    if (codes == 0) return crd_i_forest_cut(context, numbers, weights, rows, column);
    double *totals = crd_i_alloc_zeroed(context, codes, sizeof *totals);
    for (size_t row = 0; totals != NULL && row < rows; row++)
        if (!isnan(numbers[row])) totals[(size_t)numbers[row]] += weights[row];
    const bool done = totals != NULL && crd_i_forest_group(context, totals, codes, column);
    crd_free(context, totals);
    return done;
}

/* Reads the stored rows as bins, which the caller frees. Creates the columns of the forest if `codes` is not NULL. */
static crd_status tree_scorer_bin_rows(const tree_scorer *scorer, const crd_classifier *classifier,
                                       const crd_i_held_out *inner, const size_t *codes, crd_i_forest_rows *out,
                                       uint8_t **bins, crd_error *error) {
    crd_context *context = classifier->context;
    const crd_i_forest *forest = &scorer->forest;
    const size_t rows = crd_i_held_out_rows(inner);
    double *numbers = crd_i_alloc(context, rows * forest->column_count + 1, sizeof *numbers);
    crd_i_one_cell *cells = crd_i_alloc(context, classifier->attribute_count, sizeof *cells);
    *bins = crd_i_alloc(context, rows * forest->column_count + 1, sizeof **bins);
    bool done = *bins != NULL && numbers != NULL && cells != NULL;
    if (done) tree_scorer_read_rows(scorer, inner, classifier, cells, numbers);
    for (size_t i = 0; done && i < forest->column_count; i++) {
        crd_i_forest_column *column = &forest->columns[i];
        const double *values = numbers + i * rows;
        if (codes != NULL) done = tree_scorer_make_column(context, inner, values, codes[i], column);
        for (size_t row = 0; done && row < rows; row++)
            (*bins)[i * rows + row] = isnan(values[row])       ? 0
                                      : column->is_categorical ? crd_i_forest_bin_of_code(column, (int32_t)values[row])
                                                               : crd_i_forest_bin_of_number(column, values[row]);
    }
    *out = (crd_i_forest_rows){.count = rows,
                               .bins = *bins,
                               .classes = crd_i_held_out_classes(inner),
                               .weights = crd_i_held_out_weights(inner),
                               .hashes = crd_i_held_out_hashes(inner)};
    crd_free(context, numbers);
    crd_free(context, cells);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* Grows the forest on the stored rows. */
static crd_status tree_scorer_grow(tree_scorer *scorer, const crd_classifier *classifier, const crd_model *model,
                                   const crd_i_schema_view *view, const size_t *codes, crd_error *error) {
    crd_context *context = classifier->context;
    crd_i_forest *forest = &scorer->forest;
    crd_i_held_out *inner;
    crd_i_forest_rows rows;
    uint8_t *bins = NULL;
    crd_status status = crd_i_held_out_create(model, classifier, view, "method=trees", &inner, error);
    if (status != CRD_OK) return status;
    forest->columns = crd_i_alloc_zeroed(context, forest->column_count, sizeof *forest->columns);
    status = forest->columns == NULL ? crd_i_fail_memory(error)
                                     : tree_scorer_bin_rows(scorer, classifier, inner, codes, &rows, &bins, error);
    if (status == CRD_OK) status = crd_i_forest_grow(forest, &rows, error);
    crd_free(context, bins);
    crd_i_held_out_destroy(inner);
    return status;
}

crd_status crd_i_tree_scorer_hold_out(const crd_classifier *classifier, const crd_i_held_out *inner, double *logs,
                                      crd_error *error) {
    const tree_scorer *scorer = (const tree_scorer *)classifier->scorer;
    crd_i_forest_rows rows;
    uint8_t *bins;
    crd_status status = tree_scorer_bin_rows(scorer, classifier, inner, NULL, &rows, &bins, error);
    if (status == CRD_OK && !crd_i_forest_hold_out(&scorer->forest, &rows, logs)) status = crd_i_fail_memory(error);
    crd_free(classifier->context, bins);
    if (status == CRD_OK && crd_i_context_cancelled(classifier->context)) status = crd_i_fail_cancelled(error);
    return status;
}

/* Finds the forest: uses the model's if it is valid, otherwise grows one and adds it to the classifier's cache. */
static crd_status tree_scorer_find_forest(tree_scorer *scorer, crd_classifier *classifier, const crd_model *model,
                                          const crd_i_schema_view *view, const size_t *codes, crd_error *error) {
    static const char description[] = "trees";
    crd_i_forest *forest = &scorer->forest;
    const size_t columns = forest->column_count;
    const crd_i_fit *known = crd_i_fit_cache_find(&model->fitted, description, classifier->settings);
    if (known != NULL) {
        bool is_valid;
        if (!crd_i_forest_decode(forest, codes, known->numbers, known->count, &is_valid))
            return crd_i_fail_memory(error);
        if (is_valid) return CRD_OK;
        crd_i_forest_clear(forest);
        forest->column_count = columns;
        forest->class_count = classifier->class_count;
    }
    crd_status status = tree_scorer_grow(scorer, classifier, model, view, codes, error);
    if (status != CRD_OK) return status;
    double *numbers;
    size_t count;
    bool done = crd_i_forest_encode(forest, &numbers, &count) &&
                crd_i_fit_cache_put(&classifier->fitted, description, classifier->settings, numbers, count);
    crd_free(classifier->context, numbers);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

/* Computes log f_c. If the prior is the share of each class, it is exactly this prior. */
static crd_status tree_scorer_find_shares(tree_scorer *scorer, const crd_classifier *classifier, const crd_model *model,
                                          const crd_i_schema_view *view, crd_error *error) {
    const crd_i_view *classes = &view->views[model->schema->target];
    const double smoothing = 0.5;
    double total = 0;
    scorer->log_shares = crd_i_alloc(classifier->context, classifier->class_count, sizeof *scorer->log_shares);
    if (scorer->log_shares == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < classifier->class_count; k++)
        total += crd_i_model_class_rows(model, (size_t)classes->values[k]) + smoothing;
    for (size_t k = 0; k < classifier->class_count; k++) {
        const double rows = crd_i_model_class_rows(model, (size_t)classes->values[k]);
        const bool is_prior =
            classifier->settings->prior == CRD_I_PRIOR_FREQUENCY && classifier->log_priors[k] > -INFINITY;
        scorer->log_shares[k] = is_prior ? classifier->log_priors[k] : crd_log((rows + smoothing) / total);
    }
    return CRD_OK;
}

crd_status crd_i_tree_scorer_derive(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *view,
                                    crd_error *error) {
    crd_context *context = classifier->context;
    crd_status status = crd_i_held_out_check(model, "method=trees", error);
    if (status != CRD_OK) return status;
    tree_scorer *scorer = crd_i_alloc_zeroed(context, 1, sizeof *scorer);
    if (scorer == NULL) return crd_i_fail_memory(error);
    scorer->naive.base = (crd_i_scorer){.type = &tree_type, .context = context};
    scorer->forest.context = context;
    scorer->forest.class_count = classifier->class_count;
    classifier->scorer = &scorer->naive.base;
    size_t *codes = crd_i_alloc(context, classifier->attribute_count, sizeof *codes);
    if (codes == NULL || !tree_scorer_select_attributes(scorer, classifier, codes)) status = crd_i_fail_memory(error);
    if (status == CRD_OK) status = tree_scorer_find_forest(scorer, classifier, model, view, codes, error);
    if (status == CRD_OK) status = tree_scorer_find_shares(scorer, classifier, model, view, error);
    crd_free(context, codes);
    if (status == CRD_OK) { /* scratch: the bins, means and terms of a row */
        scorer->naive.base.scratch = bins_room(&scorer->forest) + classifier->class_count;
        scorer->naive.base.scratch += scorer->forest.column_count * classifier->class_count;
        if (!crd_i_estimates_add(&classifier->estimates, "class weights in leaves of trees",
                                 scorer->forest.entry_count))
            status = crd_i_fail_memory(error);
    }
    return status;
}
