/* SPDX-License-Identifier: MIT */
/* tally_selection.c - parses the names of the statistics that a model stores in addition to the main tallies. */
#include "stats/joint_tally.h"

#include "base/error.h"
#include "base/text.h"

static crd_status tally_selection_fail_unknown(crd_text name, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    size_t extras = crd_i_extra_type_count();
    crd_i_fail(error, CRD_ERROR_SETTING, "unknown tally '%s': expected all, ", crd_i_quote(name, quoted));
    for (size_t i = 0; i < extras; i++) crd_i_error_item(error, i, crd_text_of(crd_i_extra_type(i)->name));
    for (size_t i = 0; i < crd_i_joint_tally_type_count(); i++)
        crd_i_error_item(error, extras + i, crd_text_of(crd_i_joint_tally_type_at(i)->name));
    crd_i_error_subject(error, crd_text_of("tally"));
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
