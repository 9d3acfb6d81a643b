/* SPDX-License-Identifier: MIT */
/* late_truth.c - truth values whose spelling in later rows differs from the first rows. See reader_internal.h and
 * form_evidence.h.
 *
 * A column of yes and no is read as a plain category. If YES occurs too, it is a column of truth values, and letter
 * case is ignored. At the end of a pass, the workers' dictionaries show whether that is so. */
#include "table/read/reader_internal.h"

crd_i_form_evidence crd_i_reader_late_truth(const crd_reader *reader, size_t index) {
    const crd_i_reader_column *column = &reader->columns[index];
    crd_i_form_evidence evidence = {.cells = 0};
    if (!reader->finds_forms || reader->batches != NULL || column->kind != CRD_KIND_CATEGORY ||
        column->declared != NULL || !crd_i_form_is_plain(column->form) || (reader->is_bound && !column->is_new))
        return evidence;
    evidence = column->shown;
    for (unsigned i = 0; i < reader->lane_count; i++) {
        const crd_i_dictionary *values = reader->lanes[i]->columns[index].dictionary;
        for (size_t code = 0; values != NULL && code < crd_i_dictionary_size(values); code++) {
            if (!crd_i_form_evidence_is_truth(&evidence)) return evidence;
            const crd_text text = crd_i_dictionary_text(values, code);
            if (!crd_i_missing_has(&reader->missing, text, false))
                crd_i_form_evidence_add(&evidence, text, '\0', false);
        }
    }
    return evidence;
}

static bool late_truth_is_mixed(const crd_reader *reader, size_t index) {
    crd_i_form_doubt doubt;
    const crd_i_form_evidence evidence = crd_i_reader_late_truth(reader, index);
    return crd_i_form_evidence_form(&evidence, &doubt).reading == CRD_I_READING_BOOLEAN;
}

bool crd_i_reader_has_late_truth(const crd_reader *reader) {
    if (crd_i_reader_is_divided(reader) || !reader->finds_forms || !crd_i_reader_can_reread(reader)) return false;
    size_t i = 0;
    while (i < reader->column_count && !late_truth_is_mixed(reader, i)) i++;
    return i < reader->column_count;
}

void crd_i_reader_column_take_truth(crd_i_reader_column *column) {
    column->form = (crd_i_form){CRD_I_READING_BOOLEAN, CRD_I_PART_WHOLE};
    column->is_fixed = column->is_settled = true;
}

void crd_i_reader_take_late_truth(crd_reader *reader) {
    if (!crd_i_reader_has_late_truth(reader)) return;
    for (size_t i = 0; i < reader->column_count; i++)
        if (late_truth_is_mixed(reader, i)) crd_i_reader_column_take_truth(&reader->columns[i]);
}
