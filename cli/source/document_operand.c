/* SPDX-License-Identifier: MIT */
/* document_operand.c - see document_operand.h. */
#include "source/document_operand.h"

#include "core/error_messages.h"
#include "core/lists.h"
#include "core/messages.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *document_operand_option(const invocation *call, const char *operand) {
    static const char *const names[] = {"documents", "mail"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (operand != NULL && arguments_value(&call->arguments, names[i]) == operand) return names[i];
    return NULL;
}

/* "CLASS=PATH", or a path, which may have a sign in it where there is such a file. */
static int read_source(const char *name, char *item, crd_document_source *source) {
    char *sign = strchr(item, '=');
    *source = (crd_document_source){item, {NULL, 0}};
    if (sign == NULL || access(item, F_OK) == 0) return ENDED_WELL;
    *sign = '\0';
    source->label = crd_text_of(item);
    source->path = sign + 1;
    if (source->label.length == 0) return message_usage("--%s: '=%s' has no class before the sign", name, sign + 1);
    return sign[1] != '\0' ? ENDED_WELL : message_usage("--%s: class %s has no path", name, item);
}

int document_operand_open(const invocation *call, const char *operand, const crd_reader_options *options,
                          crd_reader **out) {
    const char *name = document_operand_option(call, operand);
    crd_error error;
    list items;
    *out = NULL;
    if (!list_split(operand, &items)) return message_usage("--%s: a quote is not closed", name);
    crd_document_source *sources = memory_resize(NULL, items.count, sizeof *sources);
    int ended = ENDED_WELL;
    for (size_t i = 0; i < items.count && ended == ENDED_WELL; i++)
        ended = read_source(name, (char *)items.items[i].bytes, &sources[i]);
    if (ended == ENDED_WELL) {
        const crd_status status =
            strcmp(name, "mail") == 0
                ? crd_reader_open_mail(call->context, sources, items.count, options, out, &error)
                : crd_reader_open_documents(call->context, sources, items.count, NULL, options, out, &error);
        if (status != CRD_OK) ended = message_error(&error);
    }
    free(sources);
    list_free(&items);
    return ended;
}
