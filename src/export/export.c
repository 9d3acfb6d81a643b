/* SPDX-License-Identifier: MIT */
/* export.c - model export: the table of formats, and the steps that all formats share. Also exports of the web app's
 * page.
 *
 * Contents:
 *   1. Buffered output
 *   2. Models
 *   3. Web pages */
#include "export/export_internal.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/parameter_list.h"

#include <credence/number.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ======== 1. Buffered output ======== */

/* Passes all buffered bytes to the sink. */
static void export_flush(crd_i_export_writer *writer) {
    if (writer->length > 0 && !writer->is_refused)
        writer->is_refused = writer->sink(writer->user, writer->part, writer->length) != 0;
    writer->length = 0;
}

void crd_i_export_bytes(crd_i_export_writer *writer, const char *bytes, size_t length) {
    while (length > 0) {
        size_t capacity = sizeof writer->part - writer->length, next = length < capacity ? length : capacity;
        memcpy(writer->part + writer->length, bytes, next);
        writer->length += next;
        bytes += next;
        length -= next;
        if (writer->length == sizeof writer->part) export_flush(writer);
    }
}

void crd_i_export_json_bytes(void *writer, const char *bytes, size_t length) {
    crd_i_export_bytes(writer, bytes, length);
}

void crd_i_export_text(crd_i_export_writer *writer, const char *text) {
    crd_i_export_bytes(writer, text, strlen(text));
}

void crd_i_export_format(crd_i_export_writer *writer, const char *format, ...) {
    char buffer[500];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(buffer, sizeof buffer, format, arguments);
    va_end(arguments);
    if (length > 0)
        crd_i_export_bytes(writer, buffer, (size_t)length < sizeof buffer ? (size_t)length : sizeof buffer - 1);
}

void crd_i_export_number(crd_i_export_writer *writer, double number, const char *infinity) {
    char buffer[CRD_NUMBER_ROOM];
    if (isinf(number)) {
        crd_i_export_text(writer, number < 0 ? "-" : "");
        crd_i_export_text(writer, infinity);
        return;
    }
    crd_i_export_bytes(writer, buffer, crd_number_format(number, buffer));
}

/* ======== 2. Models ======== */

/* is_of_sequences: the format is for hidden Markov models, and only for them. */
typedef struct export_format {
    crd_i_export_function *write;
    bool needs_classifier;
    bool is_of_sequences;
} export_format;

static const export_format formats[] = {
    [CRD_EXPORT_JSON] = {crd_i_export_json, false, false}, [CRD_EXPORT_C] = {crd_i_export_c, true, false},
    [CRD_EXPORT_SQL] = {crd_i_export_sql, true, false},    [CRD_EXPORT_ONNX] = {crd_i_export_onnx, true, false},
    [CRD_EXPORT_PMML] = {crd_i_export_pmml, true, false},  [CRD_EXPORT_HMM] = {crd_i_export_hmm, false, true},
};

crd_status crd_i_export_refuse(crd_error *error, const char *format, const char *description, const char *subject) {
    crd_i_fail(error, CRD_ERROR_SETTING, "%s cannot express %s", format, description);
    crd_i_error_subject(error, crd_text_of(subject));
    return CRD_ERROR_SETTING;
}

/* Creates the classifier to export. If the model has no rows and the format does not need a classifier, *out becomes
 * NULL, which is not an error; only counts are exported then. */
static crd_status export_derive(const crd_model *model, const crd_settings *settings, bool is_needed,
                                crd_classifier **out, crd_error *error) {
    *out = NULL;
    crd_status status = crd_classifier_create(model, settings, out, error);
    return status == CRD_ERROR_EMPTY && !is_needed ? CRD_OK : status;
}

crd_status crd_i_export_check_formats(const crd_model *model, crd_error *error) {
    char name[CRD_I_QUOTED_ROOM];
    for (size_t i = 0; i < model->schema->count; i++) {
        const crd_i_schema_column *column = &model->schema->columns[i];
        bool is_plain = crd_i_column_format_is_plain(column->format) && column->intervals.cuts == NULL;
        if (i == model->schema->target || is_plain) continue;
        crd_i_fail(error, CRD_ERROR_SETTING, "only JSON can express the format of column '%s'",
                   crd_i_quote(column->name, name));
        crd_i_error_hint(error, "train on plain numbers and categories, or ignore the column");
        crd_i_error_subject(error, column->name);
        return CRD_ERROR_SETTING;
    }
    return CRD_OK;
}

crd_status crd_i_export_check_trees(const crd_i_scorer *scorer, const char *format, size_t most, crd_error *error) {
    const crd_i_scorer_joints *joints = scorer->type->joints;
    crd_i_parameter_list list = {.context = scorer->context};
    if (joints == NULL || joints->tree_parameters == NULL) return CRD_OK;
    size_t numbers = 0;
    const bool done = joints->tree_parameters(scorer, &list);
    for (size_t i = 0; i < list.count; i++) numbers += list.arrays[i].rows * list.arrays[i].columns;
    crd_i_parameter_list_clear(&list);
    if (!done) return crd_i_fail_memory(error);
    return numbers <= most ? CRD_OK : crd_i_export_refuse(error, format, "trees of so many nodes", "method");
}

/* Rejects models with text columns: no format can express a vocabulary. */
static crd_status export_check_texts(const crd_model *model, crd_error *error) {
    char name[CRD_I_QUOTED_ROOM];
    for (size_t i = 0; i < model->schema->count; i++) {
        if (i == model->schema->target || crd_i_model_column_type(model, i) != CRD_TYPE_TEXT) continue;
        crd_i_fail(error, CRD_ERROR_COLUMN, "no format can express the words of text column '%s'",
                   crd_i_quote(model->schema->columns[i].name, name));
        crd_i_error_hint(error, "ignore the column, or use the model file itself");
        crd_i_error_subject(error, model->schema->columns[i].name);
        return CRD_ERROR_COLUMN;
    }
    return CRD_OK;
}

/* Rejects a hidden Markov model in a format for other models, and any other model in the format for HMMs. */
static crd_status export_check_type(const crd_model *model, crd_export_format format, crd_error *error) {
    const bool is_sequence = crd_model_is_sequence(model) != 0;
    if (is_sequence == formats[format].is_of_sequences) return CRD_OK;
    if (!is_sequence) return crd_i_fail(error, CRD_ERROR_SETTING, "the model is not a sequence model");
    return crd_i_fail(error, CRD_ERROR_SETTING, "only the format hmm can express sequence models");
}

/* A sink that discards everything. */
static int take_nothing(void *user, const char *bytes, size_t length) {
    (void)user, (void)bytes, (void)length;
    return 0;
}

/* Names the formats that can express the model in the hint of an error. Formats reject a model before they write, so
 * trying them costs little. Returns the error's status, or CRD_ERROR_MEMORY. */
static crd_status hint_at_formats(const crd_i_exported *exported, crd_export_format rejected, crd_error *error) {
    static const struct {
        crd_export_format format;
        const char *name;
    } others[] = {{CRD_EXPORT_C, "c"}, {CRD_EXPORT_SQL, "sql"}, {CRD_EXPORT_ONNX, "onnx"}, {CRD_EXPORT_PMML, "pmml"}};
    char listed[64] = "";
    size_t length = 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        crd_i_export_writer writer = {.sink = take_nothing};
        crd_error ignored;
        if (others[i].format == rejected) continue;
        const crd_status status = formats[others[i].format].write(exported, &writer, &ignored);
        if (status == CRD_ERROR_MEMORY) return crd_i_fail_memory(error);
        if (status == CRD_OK)
            length += (size_t)snprintf(listed + length, sizeof listed - length, "%s%s", length == 0 ? "" : ", ",
                                       others[i].name);
    }
    /* JSON can express every model without texts, which is why it is not tried. */
    crd_i_error_hint(error, "formats that can express this model: %s", length > 0 ? listed : "json");
    return CRD_ERROR_SETTING;
}

crd_status crd_model_export(const crd_model *model, const crd_settings *settings, crd_export_format format,
                            const crd_export_options *options, crd_export_sink sink, void *user, crd_error *error) {
    crd_export_options export = CRD_EXPORT_OPTIONS_INIT;
    crd_i_export_writer writer = {.sink = sink, .user = user};
    crd_classifier *classifier = NULL;
    crd_summary *summary = NULL;
    crd_hmm *hmm = NULL;
    if ((size_t)format >= sizeof formats / sizeof *formats ||
        (options != NULL && !crd_i_copy_in(options, &export, sizeof export)))
        return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                          "invalid export format, or the size member of the options is not set");
    crd_status status = export_check_type(model, format, error);
    if (status == CRD_OK && model->schema != NULL) status = export_check_texts(model, error);
    if (status == CRD_OK && formats[format].is_of_sequences) status = crd_hmm_create(model, settings, &hmm, error);
    else if (status == CRD_OK) status = crd_summary_create(model, &summary, error);
    if (status == CRD_OK && summary != NULL && (summary->target.bytes != NULL || formats[format].needs_classifier))
        status = export_derive(model, settings, formats[format].needs_classifier, &classifier, error);
    if (status == CRD_OK && formats[format].needs_classifier) status = crd_i_export_check_formats(model, error);
    if (status == CRD_OK) {
        const crd_i_exported exported = {model, summary, classifier, hmm, &export};
        status = formats[format].write(&exported, &writer, error);
        if (status == CRD_ERROR_SETTING && classifier != NULL && error != NULL && error->hint[0] == '\0')
            status = hint_at_formats(&exported, format, error);
    }
    if (status == CRD_OK) export_flush(&writer);
    if (status == CRD_OK && writer.is_refused)
        status = crd_i_fail(error, CRD_ERROR_CANCELLED, "the sink of the export rejected the output");
    crd_hmm_destroy(hmm);
    crd_classifier_destroy(classifier);
    crd_summary_destroy(summary);
    return status;
}

/* ======== 3. Web pages ========
 *
 * crd_page_export inserts a document into the web app's HTML page. The document is Base64, which contains no character
 * with a meaning in HTML. */

static const char place[] = "<script id=\"credence-document\" type=\"application/octet-stream\">";

/* Returns where the document goes, or NULL if the page has no place for it. */
static const char *page_export_find_place(crd_text page) {
    const size_t length = sizeof place - 1;
    for (size_t index = 0; index + length <= page.length; index++) {
        const char *begin = memchr(page.bytes + index, '<', page.length - index - length + 1);
        if (begin == NULL) return NULL;
        if (memcmp(begin, place, length) == 0) return begin + length;
        index = (size_t)(begin - page.bytes);
    }
    return NULL;
}

static void write_base64(crd_i_export_writer *writer, crd_text bytes) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t index = 0; index < bytes.length && !writer->is_refused; index += 3) {
        const size_t left = bytes.length - index;
        uint32_t group = (uint32_t)(unsigned char)bytes.bytes[index] << 16;
        if (left > 1) group |= (uint32_t)(unsigned char)bytes.bytes[index + 1] << 8;
        if (left > 2) group |= (unsigned char)bytes.bytes[index + 2];
        const char four[4] = {digits[group >> 18], digits[group >> 12 & 63], left > 1 ? digits[group >> 6 & 63] : '=',
                              left > 2 ? digits[group & 63] : '='};
        crd_i_export_bytes(writer, four, sizeof four);
    }
}

crd_status crd_page_export(crd_text page, crd_text name, crd_text document, crd_export_sink sink, void *user,
                           crd_error *error) {
    crd_i_export_writer writer = {.sink = sink, .user = user};
    if ((page.bytes == NULL && page.length > 0) || (name.bytes == NULL && name.length > 0) ||
        (document.bytes == NULL && document.length > 0) || sink == NULL)
        return crd_i_fail(error, CRD_ERROR_ARGUMENT, "missing bytes of a text, or missing sink");
    const char *cursor = page_export_find_place(page);
    if (cursor == NULL) return crd_i_fail(error, CRD_ERROR_SYNTAX, "the page has no place for a document");
    const size_t before = (size_t)(cursor - page.bytes);
    crd_i_export_bytes(&writer, page.bytes, before);
    write_base64(&writer, name);
    crd_i_export_text(&writer, " ");
    write_base64(&writer, document);
    crd_i_export_bytes(&writer, cursor, page.length - before);
    export_flush(&writer);
    return writer.is_refused ? crd_i_fail(error, CRD_ERROR_CANCELLED, "the sink of the export rejected the output")
                             : CRD_OK;
}
