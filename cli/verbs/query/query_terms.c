/* SPDX-License-Identifier: MIT */
/* query_terms.c - see query_terms.h. */
#include "verbs/query/query_terms.h"

#include "core/error_messages.h"
#include "core/messages.h"
#include "core/report_write.h"
#include "source/model_operand.h"

#include <credence/credence.h>

enum { TERMS_SHOWN = 40 };

typedef struct term_list {
    crd_result_table *table;
    crd_text text;
    size_t count;
} term_list;

static int query_terms_take(void *user, const crd_text_term *term) {
    term_list *list = user;
    crd_cell_name(list->table, term->term);
    crd_cell_name(list->table, (crd_text){list->text.bytes + term->from, term->to - term->from});
    list->count++;
    return 0;
}

/* Reports the terms of the text in --terms, each with the part of the text from which it was made. */
static int query_terms_report(const invocation *call, const crd_settings *settings, crd_result *r) {
    term_list list = {.text = crd_text_of(arguments_value(&call->arguments, "terms"))};
    crd_error error;
    crd_result_begin(r, CRD_OBJECT, NULL);
    list.table = crd_result_add_table(r, "terms");
    list.table->is_short = true;
    if (!arguments_have(&call->arguments, "all")) list.table->rows_shown = TERMS_SHOWN;
    crd_result_add_column(list.table, "term", "term");
    crd_result_add_column(list.table, "text", "text")->is_left = true;
    if (crd_text_terms(call->context, settings, list.text, query_terms_take, &list, &error) != CRD_OK)
        return message_error(&error);
    if (list.count > list.table->rows_shown)
        crd_result_line(r, CRD_REMARK, "and %zu more (--all)", list.count - TERMS_SHOWN);
    if (list.count == 0) crd_result_line(r, CRD_REMARK, "none");
    crd_result_end(r);
    return ENDED_WELL;
}

int query_terms(const invocation *call) {
    const char *path = call->arguments.operands[0];
    crd_model *model = NULL;
    crd_settings *settings = NULL;
    crd_result *r = NULL;
    crd_error error;
    int ended = model_operand_open(call, path, &model);
    if (ended == ENDED_WELL) ended = model_operand_settings(call, model, &settings);
    /* Fails if a setting differs from the settings by which the model counted its texts. */
    if (ended == ENDED_WELL && crd_model_set_settings(model, settings, &error) != CRD_OK)
        ended = message_error_in(&error, path);
    if (ended == ENDED_WELL) {
        r = report_create_for(call, true);
        ended = query_terms_report(call, settings, r);
    }
    if (r != NULL) ended = report_finish(r, call, FORMATS, ended);
    crd_settings_destroy(settings);
    crd_model_destroy(model);
    return ended;
}
