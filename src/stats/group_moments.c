/* SPDX-License-Identifier: MIT */
/* group_moments.c - exact sums and cross-products of the numeric columns, for each combination of categories.
 *
 * From these, the regression of a number on other numbers is derived for each combination of categories. Conditional
 * linear Gaussian nodes of a network need it (Lauritzen 1992). A group consists of the rows with the same categories,
 * the same set of present numbers and the same condition; rows without any number are skipped. Missing cells stay
 * missing: readers decide which columns a row must have, so no row becomes complete or incomplete later. Only groups
 * that occur use memory.
 *
 * Contents:
 *   1. Creation
 *   2. Addition
 *   3. Merging
 *   4. File format
 *   5. Access */
#include "stats/joint_tally.h"

#include "base/error.h"
#include "base/memory.h"
#include "stats/exact_sums_file.h"
#include "stats/kept_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row has one word per column, the category or PRESENT, and one word for the condition. */
enum { SPAN = 1, PRESENT = 0 };
/* Maximum number of sums in all groups together. Each sum needs about 32 bytes. */
enum { MOST_SUMS = 1 << 21 };
/* PANEL_ROWS: maximum number of rows of a group that are added at once. MANY_ROWS: with at least this many, the fast
 * implementation is worth its work space. */
enum { PANEL_ROWS = 1024, MANY_ROWS = 256 };

typedef struct moments_groups {
    crd_i_joint_tally base;
    size_t most;
    crd_i_distinct rows;       /* the groups; their weights are unused, because the sums contain them */
    crd_i_products **products; /* one per row of `rows` */
    size_t capacity;
    crd_i_products_scratch *scratch; /* NULL until many rows are added at once */
} moments_groups;

size_t crd_i_moment_groups_most(size_t columns) {
    const double sums = ((double)columns + 1) * ((double)columns + 2) / 2;
    return sums >= MOST_SUMS ? 1 : (size_t)(MOST_SUMS / sums);
}

/* ======== 1. Creation ======== */

static void group_moments_destroy(crd_i_joint_tally *base) {
    moments_groups *groups = (moments_groups *)base;
    for (size_t i = 0; i < groups->rows.count; i++) crd_i_products_destroy(groups->products[i]);
    crd_free(base->context, groups->products);
    crd_i_distinct_clear(&groups->rows);
    crd_i_products_scratch_destroy(groups->scratch);
    crd_i_joint_tally_free(base);
}

static crd_i_joint_tally *group_moments_create(crd_context *context, size_t columns) {
    moments_groups *groups = crd_i_alloc_zeroed(context, 1, sizeof *groups);
    if (groups == NULL) return NULL;
    bool done = crd_i_joint_tally_init(&groups->base, &crd_i_group_moments, context, columns);
    groups->most = crd_i_moment_groups_most(columns);
    crd_i_distinct_init(&groups->rows, context, columns * SPAN + 1);
    if (done) return &groups->base;
    group_moments_destroy(&groups->base);
    return NULL;
}

static size_t group_moments_count_numbers(const moments_groups *groups, const uint32_t *words) {
    size_t count = 0;
    for (size_t column = 0; column < groups->base.column_count; column++)
        count += groups->base.types[column] == CRD_TYPE_NUMERIC && words[column] == PRESENT;
    return count;
}

/* Finds the group with these words, or adds it with zero sums. CRD_ERROR_LIMIT: there are too many groups. */
static crd_status group_moments_find_or_add(moments_groups *groups, const uint32_t *words, size_t *group,
                                            crd_error *error) {
    *group = crd_i_distinct_find(&groups->rows, words);
    if (*group != SIZE_MAX) return CRD_OK;
    const size_t numbers = group_moments_count_numbers(groups, words);
    if (groups->rows.count >= groups->most || numbers > CRD_I_CROSS_MOST_COLUMNS) return CRD_ERROR_LIMIT;
    if (!crd_i_reserve(groups->base.context, &groups->products, &groups->capacity, groups->rows.count + 1,
                       sizeof *groups->products))
        return crd_i_fail_memory(error);
    crd_i_products *new_products = crd_i_products_create(groups->base.context, numbers);
    if (new_products == NULL || !crd_i_distinct_find_or_add(&groups->rows, words, group)) {
        crd_i_products_destroy(new_products);
        return crd_i_fail_memory(error);
    }
    groups->products[*group] = new_products;
    return CRD_OK;
}

static crd_i_joint_tally *group_moments_clone(const crd_i_joint_tally *base) {
    const moments_groups *groups = (const moments_groups *)base;
    moments_groups *new_groups = (moments_groups *)group_moments_create(base->context, base->column_count);
    if (new_groups == NULL) return NULL;
    crd_i_distinct_copy_extent(&new_groups->base, base);
    for (size_t i = 0; i < groups->rows.count; i++) {
        size_t group;
        if (group_moments_find_or_add(new_groups, crd_i_distinct_row(&groups->rows, i), &group, NULL) == CRD_OK &&
            crd_i_products_combine(new_groups->products[group], groups->products[i], 1))
            continue;
        group_moments_destroy(&new_groups->base);
        return NULL;
    }
    return &new_groups->base;
}

/* ======== 2. Addition ======== */

typedef struct moments_placed {
    size_t group, row;
} moments_placed;

static int compare_placed(const void *a, const void *b) {
    const moments_placed *x = a, *y = b;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* Reads a row's words. false: it has no number. */
static bool group_moments_read_words(const moments_groups *groups, const crd_i_joint_tally_rows *rows, size_t row,
                                     uint32_t *words) {
    bool has_number = false;
    for (size_t column = 0; column < groups->base.column_count; column++) {
        const crd_i_cells *cells = &rows->columns[column];
        words[column] = CRD_I_MISSING_WORD;
        if (cells->numbers != NULL && crd_i_number_present(cells, row)) {
            words[column] = PRESENT;
            has_number = true;
        } else if (cells->codes != NULL && cells->codes[row] >= 0) {
            words[column] = (uint32_t)cells->codes[row];
        }
    }
    words[groups->base.column_count] = (uint32_t)rows->conditions[row];
    return has_number;
}

/* Lists the rows to add, sorted by group, and adds new groups. */
static crd_status place_rows(moments_groups *groups, const crd_i_joint_tally_rows *rows, moments_placed *places,
                             size_t *count, crd_error *error) {
    uint32_t *words = crd_i_alloc(groups->base.context, groups->rows.width, sizeof *words);
    crd_status status = words == NULL ? crd_i_fail_memory(error) : CRD_OK;
    *count = 0;
    for (size_t row = 0; status == CRD_OK && row < rows->rows; row++) {
        /* A row of weight zero must not add a group. */
        if (rows->conditions[row] < 0 || (rows->weights != NULL && rows->weights[row] == 0)) continue;
        if (!group_moments_read_words(groups, rows, row, words)) continue;
        places[*count].row = row;
        status = group_moments_find_or_add(groups, words, &places[*count].group, error);
        ++*count;
    }
    crd_free(groups->base.context, words);
    if (status == CRD_OK && *count > 1) qsort(places, *count, sizeof *places, compare_placed);
    return status;
}

static void group_moments_gather(const moments_groups *groups, const crd_i_joint_tally_rows *rows,
                                 const moments_placed *place, double *out) {
    const uint32_t *words = crd_i_distinct_row(&groups->rows, place->group);
    for (size_t column = 0; column < groups->base.column_count; column++)
        if (groups->base.types[column] == CRD_TYPE_NUMERIC && words[column] == PRESENT)
            *out++ = rows->columns[column].numbers[place->row];
}

/* Adds rows of one group, at most PANEL_ROWS. */
static bool group_moments_add_panel(moments_groups *groups, const crd_i_joint_tally_rows *rows,
                                    const moments_placed *places, size_t count, double *panel, double *weights) {
    const size_t group = places[0].group,
                 width = group_moments_count_numbers(groups, crd_i_distinct_row(&groups->rows, group));
    bool are_one = true;
    for (size_t i = 0; i < count; i++) {
        group_moments_gather(groups, rows, &places[i], panel + i * width);
        weights[i] = rows->weights == NULL ? 1 : rows->weights[places[i].row];
        are_one = are_one && weights[i] == 1;
    }
    const crd_i_multiplier *way = crd_i_multiplier_best();
    if (groups->scratch == NULL && way != NULL && count >= MANY_ROWS) {
        groups->scratch = crd_i_products_scratch_create(groups->base.context, way);
        if (groups->scratch == NULL) return false;
    }
    return crd_i_products_add(groups->products[group], count >= MANY_ROWS ? groups->scratch : NULL, panel, width, count,
                              are_one ? NULL : weights, 1);
}

static crd_status group_moments_add(crd_i_joint_tally *base, const crd_i_joint_tally_rows *rows, crd_error *error) {
    moments_groups *groups = (moments_groups *)base;
    crd_context *context = base->context;
    const size_t most = rows->rows < PANEL_ROWS ? rows->rows : PANEL_ROWS;
    size_t count = 0;
    moments_placed *places = crd_i_alloc(context, rows->rows, sizeof *places);
    double *panel = crd_i_alloc(context, most, (base->column_count + 1) * sizeof *panel);
    crd_status status = places == NULL || panel == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK) status = place_rows(groups, rows, places, &count, error);
    for (size_t begin = 0, end = 0; status == CRD_OK && begin < count; begin = end) {
        while (end < count && end - begin < most && places[end].group == places[begin].group) end++;
        if (!group_moments_add_panel(groups, rows, places + begin, end - begin, panel,
                                     panel + most * base->column_count))
            status = crd_i_fail_memory(error);
    }
    crd_free(context, places);
    crd_free(context, panel);
    return status;
}

static crd_status group_moments_refuse(const crd_i_joint_tally *base, const crd_i_joint_tally_view *view,
                                       crd_error *error) {
    (void)view;
    return crd_i_fail(
        error, CRD_ERROR_LIMIT,
        "there are more than %zu different combinations of categories with numbers: combine fewer columns",
        crd_i_moment_groups_most(base->column_count));
}

/* ======== 3. Merging ======== */

/* Adds (sign 1) or subtracts (sign -1) sums to the group with these words. CRD_ERROR_NOT_LEARNED: the result would be
 * impossible. */
static crd_status combine_group(moments_groups *groups, const crd_i_products *source_products, const uint32_t *words,
                                int sign, crd_error *error) {
    size_t group = SIZE_MAX;
    bool possible = true;
    if (sign > 0) {
        crd_status status = group_moments_find_or_add(groups, words, &group, error);
        if (status != CRD_OK) return status;
    } else {
        group = crd_i_distinct_find(&groups->rows, words);
    }
    if (group != SIZE_MAX && (!crd_i_products_combine(groups->products[group], source_products, sign) ||
                              (sign < 0 && !crd_i_products_possible(groups->products[group], &possible))))
        return crd_i_fail_memory(error);
    if (group == SIZE_MAX || !possible)
        return crd_i_fail(error, CRD_ERROR_NOT_LEARNED, "a row to forget is not among the learned rows");
    return CRD_OK;
}

static bool group_moments_drop_empty(moments_groups *groups) {
    size_t kept = 0, count = groups->rows.count;
    bool *stays = crd_i_alloc(groups->base.context, count, sizeof *stays);
    if (stays == NULL) return false;
    for (size_t i = 0; i < count; i++) {
        crd_i_products *products = groups->products[i];
        stays[i] = !crd_i_products_is_zero(products);
        if (stays[i]) groups->products[kept++] = products;
        else crd_i_products_destroy(products);
    }
    crd_i_distinct_keep(&groups->rows, stays);
    crd_free(groups->base.context, stays);
    return true;
}

static crd_i_joint_tally *group_moments_combined(const crd_i_joint_tally *first, const crd_i_joint_tally *second_base,
                                                 const crd_i_joint_tally_map *map, int sign, crd_status *why,
                                                 crd_error *error) {
    const moments_groups *second = (const moments_groups *)second_base;
    crd_context *context = first->context;
    moments_groups *groups = (moments_groups *)group_moments_clone(first);
    crd_i_renumbering numbers = {.context = context};
    uint32_t *words = crd_i_alloc(context, second->rows.width, sizeof *words);
    bool done = groups != NULL && words != NULL && crd_i_renumbering_by_map(&numbers, second_base, map) &&
                crd_i_distinct_take_extent(&groups->base, &second->base, map);
    for (size_t i = 0; done && i < second->rows.count; i++) {
        crd_i_renumber(&numbers, SPAN, crd_i_distinct_row(&second->rows, i), words);
        crd_status status = combine_group(groups, second->products[i], words, sign, error);
        if (status != CRD_OK && status != CRD_ERROR_MEMORY) *why = status;
        done = status == CRD_OK;
    }
    if (done && sign < 0) done = group_moments_drop_empty(groups);
    crd_free(context, words);
    crd_i_renumbering_clear(&numbers);
    if (done) return &groups->base;
    crd_i_joint_tally_destroy(groups == NULL ? NULL : &groups->base);
    return NULL;
}

/* ======== 4. File format ========
 *
 * u32 group count; then each group in the order of its words: for each settled column a category as u32 (all bits set
 * if missing), or a u8 that is 1 if a number is present; then u32 condition. Then the arrays of exact_products.h of
 * each group, each in its own window. */

static void write_group(const moments_groups *groups, const uint32_t *words, crd_i_encoder *encoder) {
    for (size_t column = 0; column < groups->base.column_count; column++) {
        if (groups->base.types[column] == CRD_TYPE_CATEGORICAL) crd_i_encode_u32(encoder, words[column]);
        if (groups->base.types[column] == CRD_TYPE_NUMERIC) crd_i_encode_u8(encoder, words[column] == PRESENT);
    }
    crd_i_encode_u32(encoder, words[groups->base.column_count]);
}

static void group_moments_write(const crd_i_joint_tally *base, const crd_i_joint_tally_view *view,
                                crd_i_encoder *encoder) {
    const moments_groups *groups = (const moments_groups *)base;
    crd_i_arranged arranged;
    if (!crd_i_arranged_init(&arranged, base, &groups->rows, SPAN, view, NULL, NULL)) {
        encoder->failed = true;
        return;
    }
    crd_i_encode_u32(encoder, (uint32_t)arranged.count);
    for (size_t i = 0; i < arranged.count; i++)
        write_group(groups, arranged.words + arranged.order[i] * arranged.width, encoder);
    for (size_t i = 0; i < arranged.count; i++) {
        const crd_i_products *products = groups->products[arranged.order[i]];
        for (size_t a = 0; a < crd_i_products_array_count(products); a++) {
            const crd_i_sums *sums = crd_i_products_array_const(products, a);
            crd_i_window window = crd_i_window_begin(encoder, sums);
            for (size_t cell = 0; cell < sums->cells; cell++) crd_i_window_cell(encoder, window, sums, cell);
        }
    }
    crd_i_arranged_clear(&arranged);
}

static bool read_group(const moments_groups *groups, crd_i_cursor *cursor, uint32_t *words) {
    const crd_i_joint_tally *base = &groups->base;
    bool is_right = true;
    for (size_t column = 0; column < base->column_count; column++) {
        words[column] = CRD_I_MISSING_WORD;
        if (base->types[column] == CRD_TYPE_CATEGORICAL) {
            words[column] = crd_i_decode_u32(cursor);
            is_right = is_right && (words[column] == CRD_I_MISSING_WORD || words[column] < base->value_counts[column]);
        } else if (base->types[column] == CRD_TYPE_NUMERIC) {
            const uint8_t is_present = crd_i_decode_u8(cursor);
            is_right = is_right && is_present <= 1;
            if (is_present) words[column] = PRESENT;
        }
    }
    words[base->column_count] = crd_i_decode_u32(cursor);
    return is_right && !cursor->failed && words[base->column_count] < base->conditions &&
           group_moments_count_numbers(groups, words) > 0;
}

/* Returns whether `words` come strictly after `before`, in lexicographic order. */
static bool are_in_order(const uint32_t *before, const uint32_t *words, size_t width) {
    size_t i = 0;
    while (i < width && words[i] == before[i]) i++;
    return i < width && words[i] > before[i];
}

static crd_status group_moments_read_products(crd_i_products *into, crd_i_cursor *cursor, crd_error *error) {
    bool possible = true;
    for (size_t a = 0; a < crd_i_products_array_count(into); a++) {
        crd_i_sums *sums = crd_i_products_array(into, a);
        crd_status status = crd_i_window_read(cursor, sums, sums->cells, error);
        if (status != CRD_OK) return status;
    }
    if (!crd_i_products_possible(into, &possible)) return crd_i_fail_memory(error);
    const double rows = crd_i_sums_value(crd_i_products_total(into), 0);
    if (possible && !crd_i_products_is_zero(into) && rows > 0 && rows <= CRD_I_MOST_ROWS) return CRD_OK;
    return crd_i_fail(error, CRD_ERROR_DAMAGED, "sums of products are impossible");
}

static crd_status group_moments_read(crd_i_joint_tally *base, crd_i_cursor *cursor, crd_error *error) {
    moments_groups *groups = (moments_groups *)base;
    const uint32_t count = crd_i_decode_u32(cursor);
    if (cursor->failed || count > groups->most || !crd_i_cursor_holds(cursor, count, sizeof count))
        return crd_i_fail(error, CRD_ERROR_DAMAGED, "a joint statistic has too many groups");
    uint32_t *words = crd_i_alloc(base->context, groups->rows.width, sizeof *words);
    crd_status status = words == NULL ? crd_i_fail_memory(error) : CRD_OK;
    for (uint32_t i = 0; status == CRD_OK && i < count; i++) {
        size_t group;
        if (!read_group(groups, cursor, words) ||
            (i > 0 && !are_in_order(crd_i_distinct_row(&groups->rows, i - (size_t)1), words, groups->rows.width)))
            status = crd_i_fail(error, CRD_ERROR_DAMAGED, "a group of a joint statistic is invalid");
        else status = group_moments_find_or_add(groups, words, &group, error);
    }
    crd_free(base->context, words);
    for (uint32_t i = 0; status == CRD_OK && i < count; i++)
        status = group_moments_read_products(groups->products[i], cursor, error);
    return status;
}

const crd_i_joint_tally_type crd_i_group_moments = {
    .name = "grouped-moments",
    .former_name = "groups",
    .summary = "sums and sums of products of numbers for each combination of categories, for regressions",
    .create = group_moments_create,
    .destroy = group_moments_destroy,
    .clone = group_moments_clone,
    .settle = crd_i_distinct_settle,
    .unsettle = crd_i_distinct_unsettle,
    .extend = crd_i_distinct_extend,
    .add = group_moments_add,
    .combined = group_moments_combined,
    .write = group_moments_write,
    .read = group_moments_read,
    .refuse = group_moments_refuse,
};

/* ======== 5. Access ======== */

bool crd_i_moment_groups_init(crd_i_moment_groups *groups, crd_context *context, const crd_i_joint_tally *joint_tally,
                              const crd_i_joint_tally_view *view) {
    const moments_groups *source_groups = (const moments_groups *)joint_tally;
    const size_t columns = joint_tally->column_count, count = source_groups->rows.count;
    crd_i_arranged arranged;
    memset(groups, 0, sizeof *groups);
    groups->context = context;
    groups->column_count = columns;
    if (!crd_i_arranged_init(&arranged, joint_tally, &source_groups->rows, SPAN, view, NULL, NULL)) return false;
    groups->codes = crd_i_alloc(context, count * columns, sizeof *groups->codes);
    groups->conditions = crd_i_alloc(context, count, sizeof *groups->conditions);
    groups->products = crd_i_alloc(context, count, sizeof *groups->products);
    bool done = groups->codes != NULL && groups->conditions != NULL && groups->products != NULL;
    for (size_t i = 0; done && i < count; i++) {
        const uint32_t *words = arranged.words + arranged.order[i] * arranged.width;
        for (size_t column = 0; column < columns; column++)
            groups->codes[i * columns + column] = words[column] == CRD_I_MISSING_WORD ? -1 : (int32_t)words[column];
        groups->conditions[i] = (int32_t)words[columns];
        groups->products[i] = source_groups->products[arranged.order[i]];
    }
    if (done) groups->count = count;
    crd_i_arranged_clear(&arranged);
    if (!done) crd_i_moment_groups_clear(groups);
    return done;
}

void crd_i_moment_groups_clear(crd_i_moment_groups *groups) {
    crd_context *context = groups->context;
    crd_free(context, groups->codes);
    crd_free(context, groups->conditions);
    crd_free(context, (void *)groups->products);
    memset(groups, 0, sizeof *groups);
    groups->context = context;
}
