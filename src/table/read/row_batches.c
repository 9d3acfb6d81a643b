/* SPDX-License-Identifier: MIT */
/* row_batches.c - conversion functions shared by all batch sources. See row_batches.h. */
#include "table/read/row_batches.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <credence/number.h>

#include <stdio.h>

void crd_i_column_room_clear(crd_context *context, crd_i_column_room *workspace) {
    crd_free(context, workspace->numbers);
    crd_free(context, workspace->bits);
    crd_free(context, workspace->map);
    crd_free(context, workspace->texts);
    crd_free(context, workspace->written);
}

bool crd_i_column_room_texts(crd_context *context, crd_i_column_room *workspace, size_t rows, bool with_numbers) {
    return crd_i_reserve(context, &workspace->texts, &workspace->texts_capacity, rows, sizeof *workspace->texts) &&
           (!with_numbers ||
            crd_i_reserve(context, &workspace->written, &workspace->written_capacity, rows, CRD_NUMBER_ROOM));
}

bool crd_i_column_room_map(crd_context *context, crd_i_column_room *workspace, uint64_t batch, size_t size) {
    if (workspace->map != NULL && workspace->map_of == batch) return true;
    workspace->map_of = 0;
    if (!crd_i_reserve(context, &workspace->map, &workspace->map_capacity, size + 1, sizeof *workspace->map))
        return false;
    for (size_t i = 0; i < size; i++) workspace->map[i] = CRD_I_MAP_UNKNOWN;
    workspace->map_of = batch;
    return true;
}

crd_status crd_i_cell_fail(crd_i_cell_fault *fault, crd_status status, size_t row, const char *description) {
    fault->status = status;
    fault->row = row;
    snprintf(fault->what, sizeof fault->what, "%s", description);
    return status;
}

crd_status crd_i_cell_fail_memory(crd_i_cell_fault *fault) {
    return crd_i_cell_fail(fault, CRD_ERROR_MEMORY, SIZE_MAX, "");
}

crd_status crd_i_conversion_code(const crd_i_conversion *conversion, crd_i_dictionary *dictionary, crd_text text,
                                 size_t row, int32_t *code, crd_i_cell_fault *fault) {
    *code = CRD_I_MAP_MISSING;
    const bool is_label =
        conversion->keeps_mark && conversion->missing != NULL && crd_i_missing_keeps_label(conversion->missing, text);
    if (conversion->missing != NULL && !is_label && crd_i_missing_has_category(conversion->missing, text, false))
        return CRD_OK;
    int32_t found = crd_i_dictionary_find(dictionary, text);
    if (found < 0 && conversion->truth != NULL && conversion->truth->is_exact) {
        text = crd_i_truth_words_match(conversion->truth, text);
        found = crd_i_dictionary_find(dictionary, text);
    }
    if (found < 0 && !crd_i_utf8_is_valid(text)) {
        char shown[CRD_I_QUOTED_ROOM], what[CRD_I_QUOTED_ROOM + 32];
        snprintf(what, sizeof what, "is not valid UTF-8: '%s'", crd_i_quote(text, shown));
        return crd_i_cell_fail(fault, CRD_ERROR_SYNTAX, row, what);
    }
    if (found < 0) found = crd_i_dictionary_add(dictionary, text);
    if (found < 0) return crd_i_cell_fail_memory(fault);
    *code = found;
    if ((size_t)found < conversion->max_categories) return CRD_OK;
    char what[sizeof fault->what];
    snprintf(what, sizeof what, "is one of more than %zu different values: is the column an identifier?",
             conversion->max_categories);
    return crd_i_cell_fail(fault, CRD_ERROR_LIMIT, row, what);
}
