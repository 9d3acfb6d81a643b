/* SPDX-License-Identifier: MIT */
/* part_list.c - see part_list.h. */
#include "describe/part_list.h"

#include "core/error_messages.h"
#include "core/messages.h"

/* More parts are in the machine-readable output only. */
enum { PARTS_SHOWN = 5 };

/* Reports the parts of a model. */
int part_list_report(crd_result *r, crd_context *context, const crd_model *model) {
    crd_text *ids = NULL;
    size_t count = 0;
    crd_error error;
    string first = {0};
    if (model == NULL || crd_model_part_count(model) == 0) return ENDED_WELL;
    if (crd_model_list_parts(model, &ids, &count, &error) != CRD_OK) return message_error(&error);
    for (size_t i = 0; i < count && i < PARTS_SHOWN; i++) string_add_listed(&first, i, ids[i]);
    if (count > PARTS_SHOWN) string_format(&first, ", ...");
    crd_result_line(r, CRD_LIST_LINE, "Parts: %zu: %s", count, string_text(&first));
    crd_result_begin(r, CRD_ARRAY, "parts");
    for (size_t i = 0; i < count; i++) crd_result_text(r, NULL, ids[i]);
    crd_result_end(r);
    string_free(&first);
    crd_free(context, ids);
    return ENDED_WELL;
}
