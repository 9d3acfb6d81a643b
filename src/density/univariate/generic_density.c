/* SPDX-License-Identifier: MIT */
/* generic_density.c - default functions for numeric families (family.h), including leave-one-out densities for any
 * numeric family.
 *
 * Contents:
 *   1. Default functions
 *   2. Leave-one-out densities */
#include "density/univariate/family.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/exact/ieee754.h"

/* ======== 1. Default functions ======== */

void crd_i_generic_add(const crd_i_density *density, const crd_i_cells *cells, double *sums) {
    size_t conditions = density->conditions;
    for (size_t row = 0; row < cells->rows; row++) {
        if (!crd_i_number_present(cells, row)) continue;
        double x = cells->numbers[row], *destination = sums + row * conditions;
        for (size_t k = 0; k < conditions; k++) destination[k] += density->family->log_density(density, k, x);
    }
}

void crd_i_generic_term(const crd_i_density *density, const crd_i_cells *cell, size_t condition, crd_term *term) {
    const crd_i_family *family = density->family;
    term->form = CRD_TERM_DENSITY;
    term->x = cell->numbers[0];
    term->family = family->name;
    term->log_value = family->log_density(density, condition, term->x);
    term->parameter_count = family->parameters(density, condition, term->parameters);
    family->moments(density, condition, &term->mean, &term->deviation);
}

bool crd_i_generic_estimates(const crd_i_density *density, const crd_i_tallied *attribute, const crd_settings *settings,
                             bool is_first, crd_i_estimates *estimates) {
    (void)settings, (void)is_first;
    const char *const *estimated = density->family->estimated;
    for (size_t i = 0; i < CRD_TERM_PARAMETERS && estimated[i] != NULL; i++)
        if (!crd_i_estimates_add(estimates, estimated[i], attribute->view.condition_count)) return false;
    return true;
}

bool crd_i_generic_list_parameters(const crd_i_density *density, crd_i_parameter_list *parameter) {
    crd_term_parameter term_parameter[CRD_TERM_PARAMETERS];
    size_t count = density->conditions == 0 ? 0 : density->family->parameters(density, 0, term_parameter);
    for (size_t i = 0; i < count; i++) {
        double *numbers = crd_i_parameter_list_vector(parameter, term_parameter[i].name, density->conditions);
        if (numbers == NULL) return false;
        for (size_t k = 0; k < density->conditions; k++) {
            density->family->parameters(density, k, term_parameter);
            numbers[k] = term_parameter[i].value;
        }
    }
    return true;
}

double crd_i_generic_draw(const crd_i_density *density, size_t condition, crd_i_random *random) {
    return density->family->quantile(density, condition, crd_i_random_open(random));
}

/* ======== 2. Leave-one-out densities ========
 *
 * A copy of the statistics forgets the row, the density is derived from the rest, and the copy learns the row again.
 *
 * The result is bit-identical to a model trained without the row, at the cost of one derivation per row. Real columns
 * repeat their values, so log densities are cached by attribute, condition and number, in a table of bounded size. */

/* The cache holds about KEPT_NUMBERS log densities (4 MB), and has at least LEAST_KEPT slots. */
enum { KEPT_NUMBERS = 1 << 19, LEAST_KEPT = 64 };

typedef struct one_out_attribute {
    crd_i_tallied tallied; /* refers to the copies below */
    crd_i_tally *copies[CRD_I_MOST_READS];
} one_out_attribute;

/* A cache entry: the log densities of a number after one row with this number is removed from a condition. */
typedef struct one_out_kept_part {
    bool is_used, is_silent;
    uint64_t number; /* the bits of the number */
    size_t attribute, condition;
} one_out_kept_part;

typedef struct generic_rest {
    crd_i_rest base;
    const crd_settings *settings;
    size_t count, conditions;
    one_out_attribute *attributes;
    size_t slots; /* number of cache entries, a power of two */
    one_out_kept_part *kept;
    double *logs; /* the log densities: slots x conditions */
} generic_rest;

/* ---- Creation ---- */

void crd_i_generic_rest_destroy(crd_i_rest *base) {
    generic_rest *remainder = (generic_rest *)base;
    for (size_t i = 0; remainder->attributes != NULL && i < remainder->count; i++)
        for (size_t t = 0; t < CRD_I_MOST_READS; t++) crd_i_tally_destroy(remainder->attributes[i].copies[t]);
    crd_i_arena_destroy(base->arena);
}

/* Returns the identity map of `count` conditions; NULL if memory runs out. */
static size_t *generic_loo_identity(crd_context *context, size_t count) {
    size_t *map = crd_i_alloc(context, count, sizeof *map);
    for (size_t i = 0; map != NULL && i < count; i++) map[i] = i;
    return map;
}

static crd_i_tally *copy_of(crd_context *context, const crd_i_tally *tally) {
    size_t *same = generic_loo_identity(context, tally->conditions);
    crd_i_tally *copy = tally->type->create(context);
    const crd_i_tally_map map = {same, tally->conditions, NULL, 0};
    bool done = same != NULL && copy != NULL && tally->type->prepare(copy, tally, &map) &&
                tally->type->combine(copy, tally, &map, 1);
    crd_free(context, same);
    if (done) return copy;
    crd_i_tally_destroy(copy);
    return NULL;
}

static const crd_i_tally *generic_loo_read_tally(const crd_i_tallied *tallied, size_t t) {
    return t == 0 ? tallied->tally : tallied->more[t - 1];
}

static bool copy_attribute(const generic_rest *remainder, const crd_i_tallied *tallied_model,
                           one_out_attribute *attribute) {
    attribute->tallied = *tallied_model;
    for (size_t t = 0; remainder->base.family->reads[t] != NULL; t++) {
        attribute->copies[t] = copy_of(remainder->base.context, generic_loo_read_tally(tallied_model, t));
        if (attribute->copies[t] == NULL) return false;
        if (t == 0) attribute->tallied.tally = attribute->copies[t];
        else attribute->tallied.more[t - 1] = attribute->copies[t];
    }
    return true;
}

static bool generic_loo_fill(generic_rest *remainder, const crd_i_tallied *attributes) {
    crd_i_arena *arena = remainder->base.arena;
    remainder->attributes = crd_i_arena_alloc_zeroed(arena, remainder->count, sizeof *remainder->attributes);
    if (remainder->attributes == NULL) return false;
    for (remainder->slots = LEAST_KEPT; remainder->slots * 2 <= KEPT_NUMBERS / (remainder->conditions + 1);)
        remainder->slots *= 2;
    remainder->kept = crd_i_arena_alloc_zeroed(arena, remainder->slots, sizeof *remainder->kept);
    if (remainder->conditions > SIZE_MAX / remainder->slots) return false;
    remainder->logs = crd_i_arena_alloc(arena, remainder->slots * remainder->conditions, sizeof *remainder->logs);
    bool done = !crd_i_arena_failed(arena);
    for (size_t i = 0; done && i < remainder->count; i++)
        done = copy_attribute(remainder, &attributes[i], &remainder->attributes[i]);
    return done;
}

static crd_status check_forgets(const crd_i_family *family, crd_error *error) {
    for (size_t t = 0; family->reads[t] != NULL; t++)
        if (family->reads[t]->cannot_forget != NULL)
            return crd_i_fail(error, CRD_ERROR_CANNOT_FORGET,
                              "the family '%s' does not support leave-one-out: %s. Use cross-validation folds instead",
                              family->name, family->reads[t]->cannot_forget);
    return CRD_OK;
}

crd_status crd_i_generic_rest_create(const crd_i_family *family, crd_context *context, const crd_i_tallied *attributes,
                                     size_t count, const crd_settings *settings, crd_i_rest **out, crd_error *error) {
    *out = NULL;
    crd_status status = check_forgets(family, error);
    if (status != CRD_OK) return status;
    generic_rest *remainder = crd_i_arena_object(context, sizeof *remainder);
    if (remainder == NULL) return crd_i_fail_memory(error);
    remainder->base.family = family;
    remainder->base.context = context;
    remainder->settings = settings;
    remainder->count = count;
    remainder->conditions = count == 0 ? 0 : attributes[0].view.condition_count;
    if (!generic_loo_fill(remainder, attributes)) {
        crd_i_generic_rest_destroy(&remainder->base);
        return crd_i_fail_memory(error);
    }
    *out = &remainder->base;
    return CRD_OK;
}

/* ---- Removal of one value ---- */

/* Creates statistics of the single value x under `condition`. Returns NULL if memory runs out. */
static crd_i_tally *tally_one(crd_context *context, const crd_i_tally_type *type, size_t condition, double x) {
    const uint16_t first = 0;
    crd_i_row_group group = {condition, 0, &first, 1, NULL};
    const crd_i_groups groups = {.context = context, .groups = &group, .count = 1};
    const crd_i_cells cell = {.rows = 1, .numbers = &x};
    crd_i_tally *one = type->create(context);
    if (one != NULL && type->extend(one, condition + 1, 0) && type->add(one, &cell, &groups)) return one;
    crd_i_tally_destroy(one);
    return NULL;
}

/* Removes the value from every copy of the statistics (sign -1), or adds it again (sign 1). */
static bool generic_loo_move(const crd_i_family *family, one_out_attribute *attribute, crd_i_tally *const *ones,
                             const crd_i_tally_map *map, int sign) {
    bool done = true;
    for (size_t t = 0; family->reads[t] != NULL; t++)
        done = family->reads[t]->combine(attribute->copies[t], ones[t], map, sign) && done;
    return done;
}

/* Returns CRD_ERROR_NOT_LEARNED if removing the value left impossible statistics, for example a negative count. */
static crd_status check_left(const crd_i_family *family, const one_out_attribute *attribute, crd_i_tally *const *ones,
                             size_t condition, crd_error *error) {
    const crd_i_tally_map touched = {&condition, 1, NULL, 0};
    for (size_t t = 0; family->reads[t] != NULL; t++) {
        crd_i_impossible cell;
        if (!family->reads[t]->find_impossible(attribute->copies[t], ones[t], &touched, &cell))
            return crd_i_fail_memory(error);
        if (cell.found)
            return crd_i_fail(error, CRD_ERROR_NOT_LEARNED, "a row was not learned: its class has no such number");
    }
    return CRD_OK;
}

/* Derives the density from the current copies and evaluates it at x under every condition. */
static crd_status generic_loo_ask(const generic_rest *remainder, const one_out_attribute *attribute, double x,
                                  one_out_kept_part *kept_part, double *logs, crd_error *error) {
    const crd_i_family *family = remainder->base.family;
    crd_i_density *density;
    crd_status status =
        family->derive(remainder->base.context, &attribute->tallied, remainder->settings, NULL, &density, error);
    if (status != CRD_OK) return status;
    kept_part->is_silent = density->is_silent || !crd_i_density_covers(density, x);
    for (size_t k = 0; !kept_part->is_silent && k < remainder->conditions; k++)
        logs[k] = family->log_density(density, k, x);
    crd_i_density_destroy(density);
    return CRD_OK;
}

/* Evaluates the density at x after removing one row with value x from condition k. The copies are restored afterwards.
 */
static crd_status ask_without(generic_rest *remainder, size_t index, size_t k, double x, one_out_kept_part *kept_part,
                              double *logs, crd_error *error) {
    const crd_i_family *family = remainder->base.family;
    one_out_attribute *attribute = &remainder->attributes[index];
    size_t condition = (size_t)attribute->tallied.view.conditions[k];
    crd_i_tally *ones[CRD_I_MOST_READS] = {NULL};
    size_t *same = generic_loo_identity(remainder->base.context, condition + 1);
    const crd_i_tally_map map = {same, condition + 1, NULL, 0};
    bool done = same != NULL;
    for (size_t t = 0; done && family->reads[t] != NULL; t++) {
        ones[t] = tally_one(remainder->base.context, family->reads[t], condition, x);
        done = ones[t] != NULL && family->reads[t]->prepare(attribute->copies[t], ones[t], &map);
    }
    crd_status status = done ? CRD_OK : crd_i_fail_memory(error);
    if (done) {
        if (!generic_loo_move(family, attribute, ones, &map, -1)) status = crd_i_fail_memory(error);
        if (status == CRD_OK) status = check_left(family, attribute, ones, condition, error);
        if (status == CRD_OK) status = generic_loo_ask(remainder, attribute, x, kept_part, logs, error);
        if (!generic_loo_move(family, attribute, ones, &map, 1) && status == CRD_OK) status = crd_i_fail_memory(error);
    }
    for (size_t t = 0; t < CRD_I_MOST_READS; t++) crd_i_tally_destroy(ones[t]);
    crd_free(remainder->base.context, same);
    return status;
}

/* Returns the cache slot of a number, attribute and condition. */
static size_t generic_loo_place(const generic_rest *remainder, uint64_t number, size_t index, size_t condition) {
    uint64_t mixed = number ^ (uint64_t)index * UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 32) * UINT64_C(0xd6e8feb86659fd93) + (uint64_t)condition;
    mixed = (mixed ^ mixed >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return (size_t)(mixed >> 32) & (remainder->slots - 1);
}

crd_status crd_i_generic_rest_add(crd_i_rest *base, size_t index, const crd_i_cells *cells, const int32_t *conditions,
                                  double *sums, uint32_t *unseen, crd_error *error) {
    generic_rest *remainder = (generic_rest *)base;
    (void)unseen;
    for (size_t row = 0; row < cells->rows; row++) {
        if (conditions[row] < 0 || !crd_i_number_present(cells, row)) continue;
        size_t own = (size_t)conditions[row];
        double x = cells->numbers[row], *destination = sums + row * remainder->conditions;
        uint64_t number = crd_i_bits_of(x);
        size_t place = generic_loo_place(remainder, number, index, own);
        one_out_kept_part *kept_part = &remainder->kept[place];
        double *logs = remainder->logs + place * remainder->conditions;
        if (!kept_part->is_used || kept_part->number != number || kept_part->attribute != index ||
            kept_part->condition != own) {
            kept_part->is_used = false;
            crd_status status = ask_without(remainder, index, own, x, kept_part, logs, error);
            if (status != CRD_OK) return status;
            kept_part->is_used = true;
            kept_part->number = number;
            kept_part->attribute = index;
            kept_part->condition = own;
        }
        for (size_t k = 0; !kept_part->is_silent && k < remainder->conditions; k++) destination[k] += logs[k];
    }
    return CRD_OK;
}
