/* SPDX-License-Identifier: MIT */
/* document_operand.c - see document_operand.h. */
#include "source/document_operand.h"

#include "base/os.h"
#include "core/error_messages.h"
#include "core/lists.h"
#include "core/messages.h"

#include <stdlib.h>
#include <string.h>

const char *document_operand_option(const invocation *call, const char *operand) {
    static const char *const names[] = {"documents", "mail"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (operand != NULL && arguments_value(&call->arguments, names[i]) == operand) return names[i];
    return NULL;
}

/* Parses "CLASS=PATH", or a path. If a file of this name exists, the whole item is a path, even if it contains an
 * equals sign. */
static int document_operand_read_source(const char *name, char *item, crd_document_source *source) {
    char *sign = strchr(item, '=');
    *source = (crd_document_source){item, {NULL, 0}};
    if (sign == NULL || crd_i_os_exists(item)) return ENDED_WELL;
    *sign = '\0';
    source->label = crd_text_of(item);
    source->path = sign + 1;
    if (source->label.length == 0) return message_usage("--%s: '=%s' has no class before the sign", name, sign + 1);
    return sign[1] != '\0' ? ENDED_WELL : message_usage("--%s: class %s has no path", name, item);
}

/* Names the columns of documents after the model's: the text column if it has exactly one, and the target. */
static crd_status document_operand_name_columns(const crd_model *model, crd_summary **summary,
                                                crd_document_options *out, crd_error *error) {
    size_t texts = 0;
    crd_text name = {NULL, 0};
    crd_status status = crd_summary_create(model, summary, error);
    if (status != CRD_OK) return status;
    for (size_t i = 0; i < (*summary)->attribute_count; i++) {
        if ((*summary)->attributes[i].type != CRD_TYPE_TEXT) continue;
        name = (*summary)->attributes[i].name;
        texts++;
    }
    if (texts == 1) out->text_name = name;
    out->class_name = crd_model_target(model);
    return CRD_OK;
}

static int open_sources(const invocation *call, const char *name, crd_document_source *sources, size_t count,
                        const crd_model *model, const crd_reader_options *options, crd_reader **out) {
    crd_document_options document = CRD_DOCUMENT_OPTIONS_INIT;
    crd_summary *summary = NULL;
    crd_error error;
    const bool is_mail = strcmp(name, "mail") == 0;
    /* If these messages start a new model, --class is the class of the messages without one. */
    const char *class = model == NULL ? arguments_value(&call->arguments, "class") : NULL;
    for (size_t i = 0; class != NULL && i < count; i++)
        if (sources[i].label.bytes == NULL) sources[i].label = crd_text_of(class);
    crd_status status =
        is_mail || model == NULL ? CRD_OK : document_operand_name_columns(model, &summary, &document, &error);
    if (status == CRD_OK)
        status = is_mail ? crd_reader_open_mail(call->context, sources, count, options, out, &error)
                         : crd_reader_open_documents(call->context, sources, count, &document, options, out, &error);
    crd_summary_destroy(summary);
    return status == CRD_OK ? ENDED_WELL : message_error(&error);
}

/* Parses the paths and their classes. The caller frees *items, which contains the texts, and *out. */
static int read_sources(const char *name, const char *const *operands, size_t count, list *items,
                        crd_document_source **out, size_t *out_count) {
    *out = NULL;
    /* File names may contain commas and equals signs, as in Maildirs. */
    const bool is_file = crd_i_os_exists(operands[0]);
    if (!is_file && !list_split(operands[0], items)) return message_usage("--%s: a quote is not closed", name);
    const size_t listed = is_file ? 1 : items->count;
    crd_document_source *sources = memory_resize(NULL, listed + count - 1, sizeof *sources);
    int ended = ENDED_WELL;
    if (is_file) sources[0] = (crd_document_source){operands[0], {NULL, 0}};
    for (size_t i = 0; i < items->count && ended == ENDED_WELL; i++)
        ended = document_operand_read_source(name, (char *)items->items[i].bytes, &sources[i]);
    for (size_t i = 1; i < count; i++) sources[listed + i - 1] = (crd_document_source){operands[i], {NULL, 0}};
    *out = sources;
    *out_count = listed + count - 1;
    return ended;
}

int document_operand_open(const invocation *call, const char *const *operands, size_t count, const crd_model *model,
                          const crd_reader_options *options, crd_reader **out) {
    const char *name = document_operand_option(call, operands[0]);
    list items = {0};
    crd_document_source *sources = NULL;
    size_t all = 0;
    *out = NULL;
    int ended = read_sources(name, operands, count, &items, &sources, &all);
    if (ended == ENDED_WELL) ended = open_sources(call, name, sources, all, model, options, out);
    free(sources);
    list_free(&items);
    return ended;
}

void document_operand_warn_of_empty(const invocation *call, const crd_summary *summary) {
    const char *const *operands = call->arguments.operands, *name = document_operand_option(call, operands[0]);
    list items = {0};
    crd_document_source *sources = NULL;
    size_t all = 0;
    if (name == NULL || !crd_text_equal(summary->target, crd_text_of(DOCUMENT_CLASS))) return;
    if (read_sources(name, operands, 1, &items, &sources, &all) != ENDED_WELL) all = 0;
    for (size_t i = 0; i < all; i++) {
        bool is_known = sources[i].label.bytes == NULL;
        for (size_t c = 0; c < summary->class_count; c++)
            is_known = is_known || crd_text_equal(summary->classes[c].name, sources[i].label);
        if (!is_known)
            message_warning("--%s: %s: no %s found; the model does not contain the class '%s'", name, sources[i].path,
                            strcmp(name, "mail") == 0 ? "message" : "document", sources[i].label.bytes);
    }
    free(sources);
    list_free(&items);
}

bool document_lines_are_asked(const invocation *call) {
    const char *input = arguments_value(&call->arguments, "input");
    return input != NULL && strcmp(input, "lines") == 0;
}

int document_lines_open(const invocation *call, const char *const *paths, size_t count, const crd_model *model,
                        const crd_reader_options *options, crd_reader **out) {
    crd_document_source *sources = memory_resize(NULL, count, sizeof *sources);
    *out = NULL;
    for (size_t i = 0; i < count; i++) sources[i] = (crd_document_source){paths[i], {NULL, 0}};
    int ended = open_sources(call, "documents", sources, count, model, options, out);
    free(sources);
    return ended;
}

void document_operand_hint_at_mail(const invocation *call, const crd_model *model, const char *path) {
    crd_summary *summary = NULL;
    crd_error error;
    size_t fields = 0;
    if (arguments_have(&call->arguments, "mail") || !message_offers("mail")) return;
    if (crd_summary_create(model, &summary, &error) != CRD_OK) return;
    for (size_t i = 0; i < summary->attribute_count; i++)
        for (size_t f = 0; crd_mail_field_name(f) != NULL; f++)
            fields += summary->attributes[i].type == CRD_TYPE_TEXT &&
                      crd_text_equal(summary->attributes[i].name, crd_text_of(crd_mail_field_name(f)));
    if (fields == CRD_MAIL_FIELD_COUNT) message_hint("this is a mail model: to read a message, use --mail %s", path);
    crd_summary_destroy(summary);
}

int document_operand_settings(const invocation *call, crd_settings *settings) {
    const char *name = document_operand_option(call, call->arguments.operands[0]);
    crd_error error;
    if (name != NULL && strcmp(name, "mail") == 0 && crd_settings_set_for_mail(settings, &error) != CRD_OK)
        return message_error(&error);
    return arguments_apply_settings(&call->arguments, settings);
}
