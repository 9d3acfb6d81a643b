/* SPDX-License-Identifier: MIT */
/* normal.c - the multivariate normal density of numeric columns under each class. It covers linear and quadratic
 * discriminant analysis (LDA, QDA) and regularized forms between them.
 *
 *   log p(x | k) = -d/2 log 2 pi - 1/2 log |C_k| - 1/2 (x - m_k)' C_k^-1 (x - m_k)
 *
 * m_k is the mean of the rows of class k. Their covariance C_k depends on the setting `normal`:
 *
 *   full      the covariance of the class, shrunk towards its diagonal by S; S = 0 is quadratic discriminant analysis
 *   shared    one covariance for all classes, shrunk towards its diagonal by S; S = 0 is linear discriminant analysis
 *   diagonal  variances only: Gaussian naive Bayes
 *   auto      shrunk towards the shared covariance and the diagonal (compare Friedman 1989), with the tails of Student's
 *             t and an exponent, so that posteriors are calibrated (normal_covariance_selection.c)
 *
 * S is the argument of the setting, as in full:0.1. If it is missing, it is found in the same way as for auto. Without
 * stored rows to fit to, shrinkage is estimated from the moments (normal_shrinkage.c).
 *
 * Columns that are constant over all rows carry no information and are dropped. For a row with missing cells, the
 * density is the marginal density of its present cells, which uses a submatrix of C_k. All computations have a fixed
 * order, so results are bit-identical on every machine. */
#include "density/multivariate/normal.h"

#include "base/error.h"
#include "base/memory.h"
#include "math/cholesky.h"
#include "math/functions/elementary.h"

#include <credence/number.h>

#include <math.h>
#include <string.h>

/* The minimum variance, relative to the column's overall variance, as in the gaussian family. */
static const double NARROWEST = 1e-9;
/* Degrees of freedom if they cannot be fitted to rows. Rows are rarely as normal as the model assumes, and tails that
 * are too short harm posteriors far more than tails that are too long. */
static const double USUAL_DEGREES = 10;
/* Equivalent sample size of the shared covariance in each class under `auto`, so that a class with one row has the
 * shared covariance. */
static const double BORROWED = 2;

enum { FITTED = 4 }; /* number of shape parameters that are fitted to rows */

typedef struct normal {
    crd_i_joint base;
    crd_i_normal_moments moments; /* without the products after derivation */
    crd_i_normal_form form;
    bool is_fitted; /* the shape was fitted to rows; otherwise it was estimated from the moments */
    crd_i_normal_shape shape;
    double fitted[FITTED];
    bool *takes;
    bool is_one; /* all classes use the matrix of the first class */
    crd_i_normal_matrix *matrices;
    double *cells, *variances; /* memory of all matrices */
    double *peaks;             /* for each number of columns: the log density at the mean, without the determinant */
} normal;

/* ---- Derivation ---- */

static void normal_destroy(crd_i_joint *joint) {
    normal *source_normal = (normal *)joint;
    crd_context *context = joint->context;
    crd_i_normal_moments_clear(&source_normal->moments);
    crd_free(context, source_normal->takes);
    crd_free(context, source_normal->matrices);
    crd_free(context, source_normal->cells);
    crd_free(context, source_normal->variances);
    crd_free(context, source_normal->peaks);
    crd_free(context, source_normal);
}

/* Computes the minimum variance of each column, on the scale of its divided cells. */
static void find_least(const normal *source_normal, const crd_settings *settings, const double *whole, double *least) {
    const crd_i_normal_moments *moments = &source_normal->moments;
    size_t columns = moments->columns;
    for (size_t i = 0; i < columns; i++) {
        double deviation = ldexp(settings->min_deviation, -moments->exponents[i]);
        if (deviation > 0x1p500) deviation = 0x1p500;
        least[i] = NARROWEST * whole[i * columns + i];
        if (deviation * deviation > least[i]) least[i] = deviation * deviation;
    }
}

static bool normal_asks_rows(const crd_settings *settings) {
    if (settings->normal == CRD_I_NORMAL_AUTO) return true;
    return settings->normal != CRD_I_NORMAL_DIAGONAL && isnan(settings->normal_shrinkage);
}

/* Stores the fitted parameters of the shape as finite numbers. */
static void keep_fitted(normal *source_normal) {
    const double kept[FITTED] = {source_normal->shape.to_shared, source_normal->shape.to_diagonal,
                                 source_normal->shape.degrees < INFINITY ? source_normal->shape.degrees : 0,
                                 source_normal->shape.exponent};
    memcpy(source_normal->fitted, kept, sizeof kept);
}

/* Restores the parameters of the shape that an earlier derivation fitted. Returns false if there are none, or if they
 * are out of range. */
static bool restore_fitted(normal *source_normal, const crd_i_joint_source *joint_source) {
    const double *kept = joint_source->fitted;
    if (kept == NULL || joint_source->fitted_count != FITTED) return false;
    bool is_possible = kept[0] >= 0 && kept[0] <= 1 && kept[1] >= 0 && kept[1] <= 1 && kept[2] >= 0 && kept[2] <= 1e6 &&
                       kept[3] > 0 && kept[3] <= 1;
    if (!is_possible) return false;
    source_normal->shape.to_shared = kept[0];
    source_normal->shape.to_diagonal = kept[1];
    source_normal->shape.degrees = kept[2] > 0 ? kept[2] : INFINITY;
    source_normal->shape.exponent = kept[3];
    return true;
}

/* Sets the shape of the covariances: as given by the settings, restored, fitted to the stored rows, or estimated from
 * the moments. */
static crd_status choose_shape(normal *source_normal, const crd_i_joint_source *joint_source,
                               const crd_i_normal_rules *rules, const crd_settings *settings, crd_error *error) {
    const crd_i_normal_shape plain = {.degrees = INFINITY, .exponent = 1};
    bool is_auto = source_normal->form == CRD_I_NORMAL_AUTO, has_shrinkage = !isnan(settings->normal_shrinkage);
    crd_i_normal_free wanted = {.to_shared = is_auto, .to_diagonal = true, .tails = is_auto};
    source_normal->shape = plain;
    source_normal->shape.to_shared = source_normal->form == CRD_I_NORMAL_SHARED ? 1 : 0;
    if (source_normal->form == CRD_I_NORMAL_DIAGONAL || (!is_auto && has_shrinkage)) {
        source_normal->shape.to_diagonal = has_shrinkage ? settings->normal_shrinkage : 1;
        return CRD_OK;
    }
    source_normal->is_fitted = crd_i_normal_can_fit(&source_normal->moments, joint_source);
    if (source_normal->is_fitted) {
        if (is_auto) source_normal->shape.borrowed = BORROWED;
        crd_status status = CRD_OK;
        if (!restore_fitted(source_normal, joint_source))
            status = crd_i_normal_fit(&source_normal->moments, joint_source, rules, settings, wanted,
                                      &source_normal->shape, error);
        keep_fitted(source_normal);
        return status;
    }
    if (is_auto) source_normal->shape.degrees = USUAL_DEGREES;
    if (!crd_i_normal_evidence(&source_normal->moments, rules, wanted, &source_normal->shape))
        return crd_i_fail_memory(error);
    /* the search stops early in this case */
    bool is_cancelled = crd_i_context_cancelled(source_normal->moments.context);
    return is_cancelled ? crd_i_fail_cancelled(error) : CRD_OK;
}

/* Allocates the matrices of the classes. With `is_one`, all classes share the memory of one matrix. false: out of
 * memory. */
static bool normal_allocate(normal *source_normal) {
    crd_context *context = source_normal->base.context;
    size_t columns = source_normal->moments.columns, count = source_normal->is_one ? 1 : source_normal->moments.classes;
    source_normal->matrices =
        crd_i_alloc_zeroed(context, source_normal->moments.classes, sizeof *source_normal->matrices);
    source_normal->cells = crd_i_alloc_zeroed(context, count, columns * columns * sizeof *source_normal->cells);
    source_normal->variances = crd_i_alloc_zeroed(context, count, columns * sizeof *source_normal->variances);
    source_normal->peaks = crd_i_alloc_zeroed(context, columns + 1, sizeof *source_normal->peaks);
    if (source_normal->matrices == NULL || source_normal->cells == NULL || source_normal->variances == NULL ||
        source_normal->peaks == NULL)
        return false;
    for (size_t k = 0; k < source_normal->moments.classes; k++) {
        size_t index = source_normal->is_one ? 0 : k;
        source_normal->matrices[k].cells = source_normal->cells + index * columns * columns;
        source_normal->matrices[k].variances = source_normal->variances + index * columns;
    }
    return true;
}

static void set_matrices(normal *source_normal, const crd_i_normal_source *source, const crd_i_normal_rules *rules,
                         const crd_settings *settings, crd_i_normal_matrix *pooled) {
    crd_i_normal_pool(source, rules, pooled);
    for (size_t k = 0; k < (source_normal->is_one ? 1 : source->classes); k++) {
        crd_i_normal_matrix *matrix = &source_normal->matrices[k];
        if (source_normal->form == CRD_I_NORMAL_DIAGONAL) crd_i_normal_variances(source, rules, settings, k, matrix);
        else crd_i_normal_of_class(source, rules, pooled, &source_normal->shape, k, matrix);
    }
    for (size_t k = 1; source_normal->is_one && k < source->classes; k++)
        source_normal->matrices[k] = source_normal->matrices[0];
    for (size_t m = 0; m <= source->columns; m++)
        source_normal->peaks[m] = crd_i_normal_peak(m, source_normal->shape.degrees);
}

/* Chooses the shape, computes the factored covariances, and frees the sums of products, which are no longer needed. */
static crd_status derive_matrices(normal *source_normal, const crd_i_joint_source *joint_source,
                                  const crd_settings *settings, crd_error *error) {
    crd_i_normal_moments *moments = &source_normal->moments;
    crd_context *context = source_normal->base.context;
    size_t columns = moments->columns, square = columns * columns;
    /* Memory for the covariance of all rows, the shared covariance, its variances, and the minimum variances. */
    double *workspace = crd_i_alloc(context, 2 * square + 2 * columns, sizeof *workspace);
    if (workspace == NULL) return crd_i_fail_memory(error);
    double *whole = workspace, *least = workspace + 2 * square + columns;
    crd_i_normal_matrix pooled = {workspace + square, workspace + 2 * square, 0};
    crd_i_normal_whole(moments, whole);
    find_least(source_normal, settings, whole, least);
    const crd_i_normal_rules rules = {source_normal->form == CRD_I_NORMAL_AUTO || settings->sample_variance, least};
    const crd_i_normal_source source = {moments->classes, columns, moments->rows,     moments->products,
                                        moments->pairs,   whole,   moments->all_rows, moments->missing};
    crd_status status = choose_shape(source_normal, joint_source, &rules, settings, error);
    source_normal->is_one = source_normal->form != CRD_I_NORMAL_DIAGONAL && source_normal->shape.to_shared == 1;
    for (size_t k = 0; k < moments->classes; k++) source_normal->is_one = source_normal->is_one && moments->rows[k] > 0;
    if (status == CRD_OK && !normal_allocate(source_normal)) status = crd_i_fail_memory(error);
    if (status == CRD_OK) set_matrices(source_normal, &source, &rules, settings, &pooled);
    crd_free(context, workspace);
    crd_i_normal_moments_drop_products(moments);
    return status;
}

/* Derives the density from a joint tally of cross-moments, and from stored rows if there are any. Errors:
 * CRD_ERROR_MEMORY, CRD_ERROR_CANCELLED. */
static crd_status normal_derive(crd_context *context, const crd_i_joint_source *joint_source,
                                const crd_settings *settings, crd_i_joint **out, crd_error *error) {
    *out = NULL;
    normal *new_normal = crd_i_alloc_zeroed(context, 1, sizeof *new_normal);
    if (new_normal == NULL) return crd_i_fail_memory(error);
    new_normal->base.type = &crd_i_joint_normal;
    new_normal->base.context = context;
    new_normal->base.conditions = joint_source->view.condition_count;
    new_normal->base.column_count = joint_source->joint_tally->column_count;
    new_normal->form = settings->normal;
    new_normal->takes = crd_i_alloc_zeroed(context, new_normal->base.column_count, sizeof *new_normal->takes);
    new_normal->base.takes = new_normal->takes;
    crd_status status = new_normal->takes == NULL
                            ? crd_i_fail_memory(error)
                            : crd_i_normal_moments_read(context, joint_source, &new_normal->moments, error);
    if (status == CRD_OK) status = derive_matrices(new_normal, joint_source, settings, error);
    if (status != CRD_OK) {
        normal_destroy(&new_normal->base);
        return status;
    }
    size_t columns = new_normal->moments.columns;
    for (size_t i = 0; i < columns; i++) new_normal->takes[new_normal->moments.places[i]] = true;
    new_normal->base.rows = new_normal->moments.all_rows;
    new_normal->base.incomplete_rows = new_normal->moments.incomplete;
    new_normal->base.capacity = columns * (columns + 3) + crd_i_normal_indices_room(columns);
    *out = &new_normal->base;
    return CRD_OK;
}

/* ---- Evaluation ---- */

/* Adds the log density of the present cells of a row to the sum of each class. Computes on divided cells, so log 2
 * times the sum of their exponents is subtracted. */
static void normal_add(const crd_i_joint *joint, const crd_i_joint_cell *cells, double *sums, double *workspace) {
    static const double LOG_TWO = 0x1.62e42fefa39efp-1; /* 0.69314718055994530942... */
    const normal *source_normal = (const normal *)joint;
    const crd_i_normal_moments *moments = &source_normal->moments;
    size_t columns = moments->columns, count = 0;
    double *x = workspace, *work = workspace + columns, doublings = 0;
    size_t *present = (size_t *)(workspace + columns * (columns + 3));
    for (size_t i = 0; i < columns; i++) {
        const crd_i_joint_cell *cell = &cells[moments->places[i]];
        if (!cell->is_present) continue;
        present[count] = i;
        x[count++] = crd_i_normal_centred(moments, i, cell->number);
        doublings += moments->exponents[i];
    }
    if (count == 0) return;
    crd_i_normal_matrix part = {workspace + 3 * columns, workspace + 2 * columns, 0};
    double peak = source_normal->peaks[count] - LOG_TWO * doublings;
    for (size_t k = 0; k < joint->conditions; k++) {
        const double *mean = moments->means + k * columns;
        const crd_i_normal_matrix *matrix = &source_normal->matrices[k];
        if (count == columns) {
            for (size_t i = 0; i < columns; i++) work[i] = x[i] - mean[i];
        } else {
            for (size_t a = 0; a < count; a++) work[a] = x[a] - mean[present[a]];
            if (k == 0 || !source_normal->is_one) crd_i_normal_part(matrix, columns, present, count, &part);
            matrix = &part;
        }
        double squares = crd_i_factor_squares(matrix->cells, count, work);
        double fall = crd_i_normal_fall(squares, count, source_normal->shape.degrees);
        sums[k] += source_normal->shape.exponent * (peak - matrix->half_log_determinant - fall);
    }
}

/* Draws a row as mean + L z. L is the transpose of the inverse factor, whose diagonal stores inverses. For Student's t,
 * L z is divided by the square root of a chi-squared variable divided by its degrees of freedom. */
static void normal_draw(const crd_i_joint *joint, size_t condition, crd_i_random *random, crd_i_joint_cell *cells) {
    const normal *source_normal = (const normal *)joint;
    const crd_i_normal_moments *moments = &source_normal->moments;
    const size_t columns = moments->columns;
    const double *factor = source_normal->matrices[condition].cells, *mean = moments->means + condition * columns;
    const double degrees = source_normal->shape.degrees;
    for (size_t i = 0; i < columns; i++) cells[moments->places[i]].number = crd_i_random_normal(random);
    double wide = 1;
    if (isfinite(degrees)) wide = sqrt(degrees / 2 / crd_exp(crd_i_random_log_gamma(random, degrees / 2)));
    for (size_t i = columns; i-- > 0;) {
        double sum = cells[moments->places[i]].number / factor[i * columns + i];
        for (size_t j = 0; j < i; j++) sum += factor[j * columns + i] * cells[moments->places[j]].number;
        crd_i_joint_cell *cell = &cells[moments->places[i]];
        cell->number = moments->centres[i] +
                       ldexp(mean[i] + wide * sum / sqrt(source_normal->shape.exponent), moments->exponents[i]);
        cell->is_present = true;
    }
}

/* ---- Description ---- */

static const double *normal_fitted(const crd_i_joint *joint, size_t *count) {
    const normal *source_normal = (const normal *)joint;
    *count = FITTED;
    return source_normal->is_fitted ? source_normal->fitted : NULL;
}

/* Lists the parameters for export. Covariances are full symmetric matrices of divided cells. */
static bool normal_list_parameters(const crd_i_joint *joint, crd_i_parameter_list *parameter) {
    const normal *source_normal = (const normal *)joint;
    size_t columns = source_normal->moments.columns, matrices = columns == 0 ? 0
                                                                : source_normal->is_one
                                                                    ? 1
                                                                    : source_normal->moments.classes;
    double *places = crd_i_parameter_list_vector(parameter, "place", columns);
    double *exponents = places == NULL ? NULL : crd_i_parameter_list_vector(parameter, "binary_exponent", columns);
    for (size_t i = 0; exponents != NULL && i < columns; i++) {
        places[i] = (double)source_normal->moments.places[i];
        exponents[i] = source_normal->moments.exponents[i];
    }
    if (exponents == NULL ||
        !crd_i_parameter_list_copy(parameter, "centre", source_normal->moments.centres, columns, 1))
        return false;
    double *means = crd_i_parameter_list_matrix(parameter, "mean", joint->conditions, columns);
    double *covariances =
        means == NULL ? NULL : crd_i_parameter_list_matrix(parameter, "covariance", matrices * columns, columns);
    if (covariances == NULL) return false;
    if (columns > 0) memcpy(means, source_normal->moments.means, joint->conditions * columns * sizeof *means);
    for (size_t k = 0; k < matrices; k++)
        crd_i_normal_copy_matrix(&source_normal->matrices[k], columns, covariances + k * columns * columns);
    return crd_i_parameter_list_number(parameter, "degrees", source_normal->shape.degrees) &&
           crd_i_parameter_list_number(parameter, "exponent", source_normal->shape.exponent);
}

static bool normal_estimates(const crd_i_joint *joint, crd_i_estimates *out) {
    const normal *source_normal = (const normal *)joint;
    uint64_t classes = joint->conditions, columns = source_normal->moments.columns, pairs = columns * (columns + 1) / 2;
    uint64_t fitted = source_normal->form == CRD_I_NORMAL_AUTO ? (source_normal->is_fitted ? 4 : 2) : 0;
    if (source_normal->form == CRD_I_NORMAL_DIAGONAL) pairs = columns;
    return crd_i_estimates_add(out, "means", classes * columns) &&
           crd_i_estimates_add(out, source_normal->form == CRD_I_NORMAL_DIAGONAL ? "variances" : "covariances",
                               (source_normal->is_one ? 1 : classes) * pairs) &&
           (fitted == 0 || crd_i_estimates_add(out, "parameters of the shape", fitted));
}

typedef struct text {
    char *out;
    size_t size, length;
} text;

static void normal_put(text *target_text, const char *words) {
    while (*words != '\0' && target_text->length + 1 < target_text->size)
        target_text->out[target_text->length++] = *words++;
    if (target_text->size > 0) target_text->out[target_text->length] = '\0';
}

/* Appends a number, rounded to three decimal places. */
static void normal_put_number(text *target_text, double number) {
    char digits[CRD_NUMBER_ROOM];
    crd_number_format(floor(number * 1000 + 0.5) / 1000, digits);
    normal_put(target_text, digits);
}

/* Writes for example "full covariances, shrunk to the diagonal by 0.1; 150 complete rows". */
static void normal_describe(const crd_i_joint *joint, char *out, size_t size) {
    static const char *const forms[] = {
        [CRD_I_NORMAL_AUTO] = "covariances between full and shared",
        [CRD_I_NORMAL_FULL] = "full covariances",
        [CRD_I_NORMAL_SHARED] = "one covariance for all classes",
        [CRD_I_NORMAL_DIAGONAL] = "variances only",
    };
    const normal *source_normal = (const normal *)joint;
    const crd_i_normal_shape *shape = &source_normal->shape;
    const struct {
        const char *before;
        double number;
        const char *after;
        bool is_said;
    } parts[] = {
        {", shrunk to the shared one by ", shape->to_shared, "",
         source_normal->form == CRD_I_NORMAL_AUTO && source_normal->is_fitted},
        {", with ", shape->borrowed, " rows of the shared one", shape->borrowed > 0 && !source_normal->is_fitted},
        {", shrunk to the diagonal by ", shape->to_diagonal, "", source_normal->form != CRD_I_NORMAL_DIAGONAL},
        {", tails of ", shape->degrees, " degrees", shape->degrees < INFINITY},
        {", weight ", shape->exponent, "", shape->exponent != 1},
        {"; ", source_normal->moments.all_rows - source_normal->moments.incomplete, " complete rows", true},
        {" and ", source_normal->moments.incomplete, " incomplete ones", source_normal->moments.incomplete > 0},
        {", ", source_normal->moments.left_out, " skipped for missing cells", source_normal->moments.left_out > 0},
    };
    text target_text = {out, size, 0};
    normal_put(&target_text, forms[source_normal->form]);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!parts[i].is_said) continue;
        normal_put(&target_text, parts[i].before);
        normal_put_number(&target_text, parts[i].number);
        normal_put(&target_text, parts[i].after);
    }
}

const crd_i_joint_type crd_i_joint_normal = {
    .name = "normal",
    .summary = "multivariate normal density of each class",
    .reads = &crd_i_cross_moments,
    .asks_rows = normal_asks_rows,
    .derive = normal_derive,
    .destroy = normal_destroy,
    .add = normal_add,
    .draw = normal_draw,
    .fitted = normal_fitted,
    .estimates = normal_estimates,
    .list_parameters = normal_list_parameters,
    .describe = normal_describe,
};
