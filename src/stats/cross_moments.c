/* SPDX-License-Identifier: MIT */
/* cross_moments.c - exact sums, and sums of products, of the number columns of complete rows under each condition.
 *
 * From these the means and covariances of a multivariate normal density are derived. A row counts where it has a number
 * in every settled number column; categories are not looked at. The others are left out, and how many they were is
 * kept, so that it can be said. When one more number column is settled, no row so far had a number in it: all of them
 * become rows left out, and the sums begin anew. So a joint tally is a function of its rows, in whatever order they came.
 *
 * In files: the rows left out under each condition, in a window (exact_sums_file.h); then for each condition u8, whether it has
 * complete rows, and if so the arrays of exact_products.h, each in a window of its own. */
#include "stats/cross_moments.h"

#include "base/error.h"
#include "base/memory.h"
#include "stats/exact_sums_file.h"

#include <math.h>
#include <string.h>

/* Rows of a panel, which exact_products.h adds at once: enough for its fast way, and few enough to stay in memory
 * that is near: half a million doubles, but for so many columns that a panel would have too few rows. */
enum { PANEL_DOUBLES = 1 << 19, PANEL_LEAST = 256, PANEL_MOST = 4096 };
/* So many rows, or numbers, of a panel are worth the room that the fast way works in. */
enum { MANY_ROWS = 256, MANY_NUMBERS = 1 << 12 };

typedef struct cross {
    crd_i_joint_tally base;
    size_t *columns;           /* those of numbers, ascending; room for all */
    size_t count;              /* of them */
    crd_i_products **products; /* of each condition; NULL: no complete rows */
    size_t capacity;
    crd_i_sums left_out;             /* a cell for each condition */
    crd_i_products_scratch *scratch; /* NULL until many rows come at once */
} cross;

/* ---- Life ---- */

static void destroy(crd_i_joint_tally *joint_tally) {
    cross *of = (cross *)joint_tally;
    for (size_t k = 0; k < joint_tally->conditions; k++) crd_i_products_destroy(of->products[k]);
    crd_free(joint_tally->context, of->products);
    crd_free(joint_tally->context, of->columns);
    crd_i_sums_clear(&of->left_out);
    crd_i_products_scratch_destroy(of->scratch);
    crd_i_joint_tally_free(joint_tally);
}

static crd_i_joint_tally *create(crd_context *context, size_t columns) {
    cross *made = crd_i_alloc_zeroed(context, 1, sizeof *made);
    if (made == NULL) return NULL;
    crd_i_sums_init(&made->left_out, context);
    bool ready = crd_i_joint_tally_init(&made->base, &crd_i_cross_moments, context, columns);
    made->columns = crd_i_alloc(context, columns, sizeof *made->columns);
    if (ready && made->columns != NULL) return &made->base;
    destroy(&made->base);
    return NULL;
}

static bool extend(crd_i_joint_tally *joint_tally, size_t conditions, const size_t *value_counts) {
    cross *to = (cross *)joint_tally;
    for (size_t i = 0; value_counts != NULL && i < joint_tally->column_count; i++)
        if (value_counts[i] > joint_tally->value_counts[i]) joint_tally->value_counts[i] = value_counts[i];
    if (conditions <= joint_tally->conditions) return true;
    if (!crd_i_sums_extend(&to->left_out, conditions) ||
        !crd_i_reserve(joint_tally->context, &to->products, &to->capacity, conditions, sizeof *to->products))
        return false;
    while (joint_tally->conditions < conditions) to->products[joint_tally->conditions++] = NULL;
    return true;
}

/* The sums of a condition, at zero where there were none; NULL: out of memory. */
static crd_i_products *products_of(cross *of, size_t condition) {
    if (of->products[condition] == NULL) of->products[condition] = crd_i_products_create(of->base.context, of->count);
    return of->products[condition];
}

/* Adds what `other` has complete under `from`, of the same columns. */
static bool add_products(cross *to, size_t condition, const cross *other, size_t from, int sign) {
    const crd_i_products *more = other->products[from];
    if (more == NULL) return true;
    crd_i_products *into = products_of(to, condition);
    return into != NULL && crd_i_products_combine(into, more, sign);
}

/* The complete rows of `other` count as rows left out. */
static bool add_as_left_out(cross *to, size_t condition, const cross *other, size_t from, int sign) {
    const crd_i_products *more = other->products[from];
    return more == NULL || crd_i_sums_combine(&to->left_out, condition, crd_i_products_total(more), 0, sign);
}

static crd_i_joint_tally *clone(const crd_i_joint_tally *joint_tally) {
    const cross *of = (const cross *)joint_tally;
    crd_i_joint_tally *made = create(joint_tally->context, joint_tally->column_count);
    if (made == NULL) return NULL;
    cross *copy = (cross *)made;
    memcpy(made->kinds, joint_tally->kinds, joint_tally->column_count * sizeof *made->kinds);
    memcpy(copy->columns, of->columns, of->count * sizeof *copy->columns);
    copy->count = of->count;
    bool done = extend(made, joint_tally->conditions, joint_tally->value_counts) &&
                crd_i_sums_combine_all(&copy->left_out, &of->left_out, NULL, 1);
    for (size_t k = 0; done && k < joint_tally->conditions; k++) done = add_products(copy, k, of, k, 1);
    if (done) return made;
    destroy(made);
    return NULL;
}

/* ---- Columns ---- */

/* All complete rows become rows left out. */
static bool begin_anew(cross *of) {
    for (size_t k = 0; k < of->base.conditions; k++) {
        if (!add_as_left_out(of, k, of, k, 1)) return false;
        crd_i_products_destroy(of->products[k]);
        of->products[k] = NULL;
    }
    crd_i_products_scratch_destroy(of->scratch);
    of->scratch = NULL;
    return true;
}

static bool settle(crd_i_joint_tally *joint_tally, size_t column, crd_kind kind) {
    cross *of = (cross *)joint_tally;
    if (kind == CRD_KIND_NUMBER) {
        if (!begin_anew(of)) return false;
        size_t at = of->count++;
        for (; at > 0 && of->columns[at - 1] > column; at--) of->columns[at] = of->columns[at - 1];
        of->columns[at] = column;
    }
    joint_tally->kinds[column] = kind;
    return true;
}

/* Which of the rows left out would be complete without a column is not known, but where no other number is left all of
 * them are. */
static bool unsettle(crd_i_joint_tally *joint_tally, size_t column) {
    cross *of = (cross *)joint_tally;
    if (joint_tally->kinds[column] == CRD_KIND_NUMBER) {
        if (of->count > 1 || !begin_anew(of)) return false;
        of->count = 0;
        for (size_t k = 0; k < joint_tally->conditions; k++) {
            if (crd_i_sums_sign(&of->left_out, k) == 0) continue;
            crd_i_products *into = products_of(of, k);
            crd_i_sums *total = into == NULL ? NULL : crd_i_products_array(into, 0);
            if (into == NULL || !crd_i_sums_combine(total, 0, &of->left_out, k, 1) ||
                !crd_i_sums_combine(&of->left_out, k, total, 0, -1))
                return false;
        }
    }
    joint_tally->kinds[column] = CRD_KIND_NONE;
    joint_tally->value_counts[column] = 0;
    return true;
}

/* ---- Adding ---- */

/* Rows of one batch, those of a condition side by side, and the panel that they are gathered in. */
typedef struct gathering {
    size_t *order; /* the rows that are not left out by the owner, condition by condition */
    size_t *ends;  /* of each condition, behind its last in `order` */
    double *panel, *weights;
    size_t panel_rows;
} gathering;

static void gathering_clear(crd_context *context, gathering *of) {
    crd_free(context, of->order);
    crd_free(context, of->ends);
    crd_free(context, of->panel);
    crd_free(context, of->weights);
}

static bool gathering_init(cross *to, const crd_i_joint_tally_rows *rows, gathering *made) {
    crd_context *context = to->base.context;
    size_t conditions = to->base.conditions, most = PANEL_DOUBLES / (to->count > 0 ? to->count : 1);
    made->panel_rows = most < PANEL_LEAST ? PANEL_LEAST : most > PANEL_MOST ? PANEL_MOST : most;
    if (made->panel_rows > rows->rows) made->panel_rows = rows->rows;
    made->order = crd_i_alloc(context, rows->rows, sizeof *made->order);
    made->ends = crd_i_alloc_zeroed(context, conditions + 1, sizeof *made->ends);
    made->panel = crd_i_alloc(context, made->panel_rows, to->count * sizeof *made->panel);
    made->weights = crd_i_alloc(context, made->panel_rows, sizeof *made->weights);
    if (made->order == NULL || made->ends == NULL || made->panel == NULL || made->weights == NULL) return false;
    /* Counting sort: first where each condition begins, one place further on; adding rows turns it into the end. */
    for (size_t row = 0; row < rows->rows; row++)
        if (rows->conditions[row] >= 0) made->ends[rows->conditions[row] + 1]++;
    for (size_t k = 0; k < conditions; k++) made->ends[k + 1] += made->ends[k];
    for (size_t row = 0; row < rows->rows; row++)
        if (rows->conditions[row] >= 0) made->order[made->ends[rows->conditions[row]]++] = row;
    return true;
}

/* Copies a row's numbers; false: one is missing. */
static bool gather(const cross *of, const crd_i_joint_tally_rows *rows, size_t row, double *out) {
    for (size_t i = 0; i < of->count; i++) {
        const crd_i_cells *cells = &rows->columns[of->columns[i]];
        if (cells->numbers == NULL || !crd_i_number_present(cells, row)) return false;
        out[i] = cells->numbers[row];
    }
    return true;
}

/* Rows that count once need no weights, and the fast way takes none. */
static bool are_all_one(const double *weights, size_t count) {
    size_t row = 0;
    while (row < count && weights[row] == 1) row++;
    return row == count;
}

static bool add_panel(cross *to, size_t condition, const gathering *from, size_t count, bool weighted) {
    if (count == 0) return true;
    crd_i_products *into = products_of(to, condition);
    if (into == NULL) return false;
    const crd_i_multiplier *way = crd_i_multiplier_best();
    bool are_many = count >= MANY_ROWS || count * to->count >= MANY_NUMBERS;
    if (to->scratch == NULL && way != NULL && are_many && to->count > 0) {
        to->scratch = crd_i_products_scratch_create(to->base.context, way);
        if (to->scratch == NULL) return false;
    }
    return crd_i_products_add(into, to->scratch, from->panel, to->count, count,
                              weighted && !are_all_one(from->weights, count) ? from->weights : NULL, 1);
}

static bool add_condition(cross *to, const crd_i_joint_tally_rows *rows, size_t condition, const gathering *from) {
    size_t begin = condition == 0 ? 0 : from->ends[condition - 1], gathered = 0;
    for (size_t i = begin; i < from->ends[condition]; i++) {
        size_t row = from->order[i];
        double weight = rows->weights == NULL ? 1 : rows->weights[row];
        if (weight == 0) continue;
        if (!gather(to, rows, row, from->panel + gathered * to->count)) {
            if (!crd_i_sums_add(&to->left_out, condition, weight)) return false;
            continue;
        }
        from->weights[gathered++] = weight;
        if (gathered < from->panel_rows) continue;
        if (!add_panel(to, condition, from, gathered, rows->weights != NULL)) return false;
        gathered = 0;
    }
    return add_panel(to, condition, from, gathered, rows->weights != NULL);
}

static crd_status add(crd_i_joint_tally *joint_tally, const crd_i_joint_tally_rows *rows, crd_error *error) {
    cross *to = (cross *)joint_tally;
    if (to->count > CRD_I_CROSS_MOST_COLUMNS) return CRD_ERROR_LIMIT;
    if (rows->rows == 0) return CRD_OK;
    gathering from = {0};
    bool done = gathering_init(to, rows, &from);
    for (size_t k = 0; done && k < joint_tally->conditions; k++) done = add_condition(to, rows, k, &from);
    gathering_clear(joint_tally->context, &from);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

static crd_status refuse(const crd_i_joint_tally *joint_tally, const crd_i_joint_tally_view *view, crd_error *error) {
    (void)joint_tally, (void)view; /* some of the columns are categories, or may have no cells any more */
    return crd_i_fail(error, CRD_ERROR_LIMIT,
                      "the products of all number columns with each other are too many, since no more than %d columns "
                      "cross-moments can be kept of; name fewer, or do without the cross tally",
                      (int)CRD_I_CROSS_MOST_COLUMNS);
}

/* ---- Combining ---- */

static bool has_same_columns(const cross *a, const cross *b) {
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->columns, b->columns, a->count * sizeof *a->columns) == 0);
}

/* Settles what the other has settled; *more: it had numbers where this had none. */
static bool settle_as(crd_i_joint_tally *joint_tally, const crd_i_joint_tally *other, bool *more) {
    *more = false;
    for (size_t i = 0; i < joint_tally->column_count; i++) {
        if (joint_tally->kinds[i] != CRD_KIND_NONE || other->kinds[i] == CRD_KIND_NONE) continue;
        *more = *more || other->kinds[i] == CRD_KIND_NUMBER;
        if (!settle(joint_tally, i, other->kinds[i])) return false;
    }
    return true;
}

/* No joint tally holds sums that are at zero, so that none are written. */
static void drop_empty(cross *of, size_t condition) {
    if (of->products[condition] == NULL || !crd_i_products_is_zero(of->products[condition])) return;
    crd_i_products_destroy(of->products[condition]);
    of->products[condition] = NULL;
}

static bool is_possible(const cross *of, size_t condition, bool *possible) {
    *possible = crd_i_sums_sign(&of->left_out, condition) >= 0;
    return of->products[condition] == NULL || !*possible || crd_i_products_possible(of->products[condition], possible);
}

static bool combine_conditions(cross *to, const cross *second, const crd_i_joint_tally_map *map, int sign,
                               crd_status *why) {
    bool complete = has_same_columns(to, second);
    for (size_t k = 0; k < second->base.conditions; k++) {
        size_t at = map->conditions[k];
        bool possible = true;
        if (!crd_i_sums_combine(&to->left_out, at, &second->left_out, k, sign) ||
            !(complete ? add_products : add_as_left_out)(to, at, second, k, sign))
            return false;
        drop_empty(to, at);
        if (sign < 0 && !is_possible(to, at, &possible)) return false;
        if (!possible) *why = CRD_ERROR_NOT_LEARNED;
    }
    return true;
}

static crd_i_joint_tally *combined(const crd_i_joint_tally *first, const crd_i_joint_tally *second,
                                   const crd_i_joint_tally_map *map, int sign, crd_status *why, crd_error *error) {
    (void)error; /* the owner knows the names that tell what was not learned */
    crd_i_joint_tally *made = clone(first);
    if (made == NULL) return NULL;
    size_t conditions = 0;
    for (size_t k = 0; k < map->condition_count; k++)
        if (map->conditions[k] >= conditions) conditions = map->conditions[k] + 1;
    bool more, done = extend(made, conditions, NULL) && settle_as(made, second, &more);
    for (size_t i = 0; done && map->values != NULL && i < made->column_count; i++)
        for (size_t v = 0; map->values[i] != NULL && v < map->value_counts[i]; v++)
            if (map->values[i][v] >= made->value_counts[i]) made->value_counts[i] = map->values[i][v] + 1;
    if (done && more && sign < 0) *why = CRD_ERROR_NOT_LEARNED;
    if (done && ((const cross *)made)->count > CRD_I_CROSS_MOST_COLUMNS) *why = CRD_ERROR_LIMIT;
    done = done && *why == CRD_OK && combine_conditions((cross *)made, (const cross *)second, map, sign, why);
    if (done && *why == CRD_OK) return made;
    destroy(made);
    return NULL;
}

/* ---- Files ---- */

static void write(const crd_i_joint_tally *joint_tally, const crd_i_joint_tally_view *view, crd_i_encoder *encoder) {
    const cross *of = (const cross *)joint_tally;
    crd_i_window window = crd_i_window_begin(encoder, &of->left_out);
    for (size_t i = 0; i < view->condition_count; i++) {
        size_t condition = (size_t)view->conditions[i];
        if (condition < joint_tally->conditions) crd_i_window_cell(encoder, window, &of->left_out, condition);
        else
            for (uint32_t limb = 0; limb < window.width; limb++) crd_i_encode_u64(encoder, 0);
    }
    for (size_t i = 0; i < view->condition_count; i++) {
        const crd_i_products *products = crd_i_cross_products(joint_tally, (size_t)view->conditions[i]);
        crd_i_encode_u8(encoder, products != NULL);
        for (size_t a = 0; products != NULL && a < crd_i_products_array_count(products); a++) {
            const crd_i_sums *sums = crd_i_products_array_const(products, a);
            window = crd_i_window_begin(encoder, sums);
            for (size_t cell = 0; cell < sums->cells; cell++) crd_i_window_cell(encoder, window, sums, cell);
        }
    }
}

/* Whether there are rows that leave such sums behind, as far as can be told. */
static crd_status check(const cross *of, size_t condition, crd_error *error) {
    const crd_i_products *products = of->products[condition];
    bool possible, defined;
    if (!is_possible(of, condition, &possible)) return crd_i_fail_memory(error);
    if (possible && products != NULL) possible = !crd_i_products_is_zero(products);
    double rows = crd_i_sums_value(&of->left_out, condition);
    if (products != NULL) rows += crd_i_sums_value(crd_i_products_total(products), 0);
    if (rows > CRD_I_MOST_ROWS)
        return crd_i_fail(error, CRD_ERROR_DAMAGED, "a count is larger than any number of rows");
    for (size_t i = 0; possible && products != NULL && i < of->count; i++) {
        double mean;
        if (!crd_i_comoments_mean(crd_i_products_cell(products, i, i), &mean, NULL, &defined))
            return crd_i_fail_memory(error);
        possible = isfinite(mean);
    }
    return possible ? CRD_OK : crd_i_fail(error, CRD_ERROR_DAMAGED, "no rows have these sums of products");
}

static crd_status read_products(cross *to, size_t condition, crd_i_cursor *cursor, crd_error *error) {
    crd_i_products *into = products_of(to, condition);
    if (into == NULL) return crd_i_fail_memory(error);
    for (size_t a = 0; a < crd_i_products_array_count(into); a++) {
        crd_i_sums *sums = crd_i_products_array(into, a);
        crd_status status = crd_i_window_read(cursor, sums, sums->cells, error);
        if (status != CRD_OK) return status;
    }
    return CRD_OK;
}

static crd_status read(crd_i_joint_tally *joint_tally, crd_i_cursor *cursor, crd_error *error) {
    cross *to = (cross *)joint_tally;
    if (to->count > CRD_I_CROSS_MOST_COLUMNS)
        return crd_i_fail(error, CRD_ERROR_DAMAGED, "sums of products of more columns than can be kept together");
    crd_status status = crd_i_window_read(cursor, &to->left_out, joint_tally->conditions, error);
    for (size_t k = 0; status == CRD_OK && k < joint_tally->conditions; k++) {
        uint8_t has_rows = crd_i_decode_u8(cursor);
        if (cursor->failed || has_rows > 1)
            return crd_i_fail(error, CRD_ERROR_DAMAGED, "sums of products end too early, or are not marked as such");
        if (has_rows) status = read_products(to, k, cursor, error);
        if (status == CRD_OK) status = check(to, k, error);
    }
    return status;
}

const crd_i_joint_tally_type crd_i_cross_moments = {
    .name = "cross",
    .summary = "sums and sums of products of all numbers of a row, for covariances",
    .create = create,
    .destroy = destroy,
    .clone = clone,
    .settle = settle,
    .extend = extend,
    .add = add,
    .combined = combined,
    .write = write,
    .read = read,
    .unsettle = unsettle,
    .refuse = refuse,
};

/* ---- Asking ---- */

size_t crd_i_cross_columns(const crd_i_joint_tally *joint_tally, const size_t **columns) {
    const cross *of = (const cross *)joint_tally;
    *columns = of->columns;
    return of->count;
}

const crd_i_products *crd_i_cross_products(const crd_i_joint_tally *joint_tally, size_t condition) {
    return condition < joint_tally->conditions ? ((const cross *)joint_tally)->products[condition] : NULL;
}

double crd_i_cross_left_out(const crd_i_joint_tally *joint_tally, size_t condition) {
    return condition < joint_tally->conditions ? crd_i_sums_value(&((const cross *)joint_tally)->left_out, condition)
                                               : 0;
}
