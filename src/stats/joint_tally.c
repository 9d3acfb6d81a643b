/* SPDX-License-Identifier: MIT */
/* joint_tally.c - the table of joint tally types, and the functions common to all types.
 *
 * Contents:
 *   1. Joint tally types
 *   2. Names of statistics */
#include "stats/joint_tally.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

/* ======== 1. Joint tally types ======== */

/* In file order. */
static const crd_i_joint_tally_type *const types[] = {&crd_i_joint_counts, &crd_i_cross_moments, &crd_i_pair_counts,
                                                      &crd_i_kept_rows,    &crd_i_kept_table,    &crd_i_group_moments};

enum { TYPE_COUNT = sizeof types / sizeof *types };

const crd_i_joint_tally_type *crd_i_joint_tally_type_named(crd_text name) {
    for (size_t i = 0; i < TYPE_COUNT; i++)
        if (crd_text_equal(name, crd_text_of(types[i]->name)) ||
            (types[i]->former_name != NULL && crd_text_equal(name, crd_text_of(types[i]->former_name))))
            return types[i];
    return NULL;
}

size_t crd_i_joint_tally_type_count(void) {
    return TYPE_COUNT;
}

const crd_i_joint_tally_type *crd_i_joint_tally_type_at(size_t i) {
    return types[i];
}

void crd_i_joint_tally_destroy(crd_i_joint_tally *joint_tally) {
    if (joint_tally != NULL) joint_tally->type->destroy(joint_tally);
}

/* Creates a joint tally that was dropped because of its size. NULL: out of memory. */
static crd_i_joint_tally *create_dropped(crd_context *context, const crd_i_joint_tally_type *type, size_t columns) {
    crd_i_joint_tally *joint_tally = type->create(context, columns);
    if (joint_tally != NULL) joint_tally->is_dropped = true;
    return joint_tally;
}

crd_status crd_i_joint_tally_add(crd_i_joint_tally **joint_tally, const crd_i_joint_tally_rows *rows,
                                 crd_error *error) {
    crd_i_joint_tally *tally = *joint_tally;
    if (tally->is_dropped) return CRD_OK;
    crd_status status = tally->type->add(tally, rows, error);
    if (status != CRD_ERROR_LIMIT) return status;
    *joint_tally = create_dropped(tally->context, tally->type, tally->column_count);
    if (*joint_tally == NULL) {
        *joint_tally = tally;
        return crd_i_fail_memory(error);
    }
    crd_i_joint_tally_destroy(tally);
    return CRD_OK;
}

crd_i_joint_tally *crd_i_joint_tally_combined(const crd_i_joint_tally *first, const crd_i_joint_tally *second,
                                              const crd_i_joint_tally_map *map, int sign, crd_status *why,
                                              crd_error *error) {
    crd_i_joint_tally *tally = NULL;
    if (sign < 0 && second->is_dropped && !first->is_dropped) {
        *why =
            crd_i_fail(error, CRD_ERROR_CANNOT_FORGET,
                       "the rows to forget were learned among too many rows for the statistic '%s', which was dropped. "
                       "Learn the remaining rows in a new model",
                       first->type->name);
        return NULL;
    }
    bool is_dropped = first->is_dropped || second->is_dropped;
    if (!is_dropped) {
        tally = first->type->combined(first, second, map, sign, why, error);
        is_dropped = tally == NULL && *why == CRD_ERROR_LIMIT;
    }
    if (!is_dropped) return tally;
    *why = CRD_OK;
    return create_dropped(first->context, first->type, first->column_count);
}

bool crd_i_joint_tally_init(crd_i_joint_tally *joint_tally, const crd_i_joint_tally_type *type, crd_context *context,
                            size_t columns) {
    joint_tally->type = type;
    joint_tally->context = context;
    joint_tally->column_count = columns;
    joint_tally->conditions = 0;
    joint_tally->types = crd_i_alloc_zeroed(context, columns, sizeof *joint_tally->types);
    joint_tally->value_counts = crd_i_alloc_zeroed(context, columns, sizeof *joint_tally->value_counts);
    return joint_tally->types != NULL && joint_tally->value_counts != NULL;
}

void crd_i_joint_tally_free(crd_i_joint_tally *joint_tally) {
    crd_context *context = joint_tally->context;
    crd_free(context, joint_tally->types);
    crd_free(context, joint_tally->value_counts);
    crd_free(context, joint_tally);
}

/* ======== 2. Names of statistics ========
 *
 * A model stores these statistics in addition to the main tallies. */

static crd_status tally_selection_fail_unknown(crd_text name, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    size_t extras = crd_i_extra_type_count();
    crd_i_fail(error, CRD_ERROR_SETTING, "unknown statistic '%s': expected all, ", crd_i_quote(name, quoted));
    for (size_t i = 0; i < extras; i++) crd_i_error_item(error, i, crd_text_of(crd_i_extra_type(i)->name));
    for (size_t i = 0; i < crd_i_joint_tally_type_count(); i++)
        crd_i_error_item(error, extras + i, crd_text_of(crd_i_joint_tally_type_at(i)->name));
    crd_i_error_subject(error, crd_text_of("keep-statistics"));
    return CRD_ERROR_SETTING;
}

/* Adds the type with this name, or all extra tallies for `all`. Joint tallies are not included in `all`, because their
 * memory grows with the number of column pairs or of rows. */
static bool add_named(crd_text name, crd_i_kept *kept) {
    bool is_all = crd_text_equal(name, crd_text_of("all")), is_found = is_all;
    for (size_t i = 0; i < crd_i_extra_type_count(); i++) {
        if (!is_all && !crd_text_equal(name, crd_text_of(crd_i_extra_type(i)->name))) continue;
        kept->extras |= (crd_i_extras)1 << i;
        is_found = true;
    }
    for (size_t i = 0; i < crd_i_joint_tally_type_count(); i++) {
        if (!crd_text_equal(name, crd_text_of(crd_i_joint_tally_type_at(i)->name))) continue;
        kept->joint_tallies |= (uint32_t)1 << i;
        is_found = true;
    }
    return is_found;
}

crd_status crd_i_kept_parse(crd_text text, crd_i_kept *kept, crd_error *error) {
    crd_i_kept kept_rows = *kept;
    for (size_t begin = 0, end; begin <= text.length; begin = end + 1) {
        for (end = begin; end < text.length && text.bytes[end] != ',';) end++;
        crd_text part = {text.bytes + begin, end - begin}, name = crd_i_text_trim(part);
        if (!add_named(name, &kept_rows)) return tally_selection_fail_unknown(name, error);
    }
    *kept = kept_rows;
    return CRD_OK;
}
