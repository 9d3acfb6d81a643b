/* SPDX-License-Identifier: MIT */
/* part_models.c - see part_models.h. */
#include "source/part_models.h"

#include "base/os.h"
#include "core/error_messages.h"
#include "core/messages.h"
#include "source/input_file.h"
#include "source/merge_fit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int part_models_ignore_duplicates(const arguments *given, bool *out) {
    size_t choice = 0;
    int ended = arguments_choice(given, "duplicates", "error|skip", &choice);
    *out = choice == 1;
    return ended;
}

crd_status part_models_add(crd_model *sum, const crd_model *next, bool ignores, size_t *left_out, crd_error *error) {
    crd_status status = crd_model_merge(sum, next, error);
    if (status != CRD_ERROR_DUPLICATE || !ignores) return status;
    ++*left_out;
    return CRD_OK;
}

int part_models_report(const invocation *call, const crd_error *error, size_t index) {
    const arguments *given = &call->arguments;
    const bool differ = error->status == CRD_ERROR_SCHEMA_DIFFERS;
    int ended = differ ? merge_fit_check(call, given->operands, given->operand_count) : ENDED_WELL;
    if (ended != ENDED_WELL) return ended;
    ended = message_error_in(error, given->operands[index]);
    if (error->status == CRD_ERROR_SETTINGS_DIFFER)
        message_hint("the first is the value of %s, the second the value of %s", given->operands[0],
                     given->operands[index]);
    if (error->status == CRD_ERROR_SETTINGS_DIFFER && error->hint[0] == '\0' && !message_offers(error->subject))
        message_hint("train the part with the settings of the model");
    return ended;
}

/* ---- Copies of the same model ---- */

/* Returns whether two files of the same size have the same bytes. */
static bool have_same_bytes(const char *a, const char *b) {
    FILE *files[2] = {crd_i_os_stream(a, "r"), crd_i_os_stream(b, "r")};
    static char blocks[2][64 * 1024];
    bool are_same = files[0] != NULL && files[1] != NULL;
    for (size_t got = 1; are_same && got > 0;) {
        got = fread(blocks[0], 1, sizeof blocks[0], files[0]);
        are_same = fread(blocks[1], 1, sizeof blocks[1], files[1]) == got && memcmp(blocks[0], blocks[1], got) == 0;
    }
    for (size_t i = 0; i < 2; i++)
        if (files[i] != NULL) fclose(files[i]);
    return are_same;
}

typedef struct operand_file {
    const char *path;
    crd_i_os_facts facts;
} operand_file;

static int part_models_by_size(const void *a, const void *b) {
    const operand_file *x = a, *y = b;
    if (x->facts.size != y->facts.size) return x->facts.size < y->facts.size ? -1 : 1;
    return strcmp(x->path, y->path);
}

static bool is_copy(const operand_file *a, const operand_file *b) {
    if (a->facts.device == b->facts.device && a->facts.number == b->facts.number) return true;
    return a->facts.size == b->facts.size && have_same_bytes(a->path, b->path);
}

/* Returns whether a file is a model that has learned rows. Shards without rows are all equal. */
static bool part_models_has_rows(const invocation *call, const char *path) {
    crd_model *model = NULL;
    crd_summary *summary = NULL;
    crd_error error;
    bool has = crd_model_load(call->context, path, &model, &error) == CRD_OK &&
               crd_summary_create(model, &summary, &error) == CRD_OK && summary->rows > 0;
    crd_summary_destroy(summary);
    crd_model_destroy(model);
    return has;
}

void part_models_warn_of_copies(const invocation *call) {
    const arguments *given = &call->arguments;
    enum { MOST_COMPARED = 32 };
    operand_file *files = memory_resize(NULL, given->operand_count, sizeof *files);
    size_t count = 0;
    for (size_t i = 0; i < given->operand_count && !message_is_quiet(); i++) {
        files[count].path = given->operands[i];
        if (crd_i_os_facts_of(given->operands[i], &files[count].facts) && files[count].facts.kind == CRD_I_OS_FILE)
            count++;
    }
    /* Copies have the same size. Thousands of different models may have it too, so each is compared only with some
     * others. */
    qsort(files, count, sizeof *files, part_models_by_size);
    size_t copies = 0, first[2] = {0, 0};
    for (size_t i = 1; i < count; i++) {
        size_t other = i - 1;
        while (other > 0 && i - other < MOST_COMPARED && !is_copy(&files[other], &files[i])) other--;
        if (!is_copy(&files[other], &files[i]) || !part_models_has_rows(call, files[i].path)) continue;
        if (copies++ > 0) continue;
        first[0] = other;
        first[1] = i;
    }
    string more = {0};
    if (copies > 1) string_format(&more, " (and %zu more copies)", copies - 1);
    if (copies > 0 && strcmp(files[first[0]].path, files[first[1]].path) == 0)
        message_warning("%s is given twice: its rows are counted twice%s", files[first[1]].path, string_text(&more));
    else if (copies > 0)
        message_warning("%s and %s are the same model: its rows are counted twice%s", files[first[0]].path,
                        files[first[1]].path, string_text(&more));
    string_free(&more);
    free(files);
}

/* Rejects options that have no effect if no rows are read. */
static int refuse_options_of_rows(const arguments *given, const char *path) {
    static const char *const of_models[] = {"output", "duplicates", "new-classes", "threads", "quiet"};
    for (size_t i = 0; i < given->option_count; i++) {
        bool is_of_models = false;
        for (size_t k = 0; k < sizeof of_models / sizeof *of_models; k++)
            is_of_models = is_of_models || strcmp(given->options[i].name, of_models[k]) == 0;
        if (!is_of_models) return message_usage("--%s is for rows, but %s is a model", given->options[i].name, path);
    }
    return ENDED_WELL;
}

int part_models_are_given(const invocation *call, size_t first, bool *out) {
    const arguments *given = &call->arguments;
    const char *model = NULL, *other = NULL;
    *out = false;
    for (size_t i = first; i < given->operand_count; i++) {
        const bool is_model = input_file_kind(call, given->operands[i]) == CRD_FILE_MODEL;
        *(is_model ? &model : &other) = given->operands[i];
    }
    if (model != NULL && other != NULL)
        return message_usage("%s is a model, but %s is not: give either models or rows", model, other);
    *out = model != NULL;
    if (model == NULL && arguments_have(given, "duplicates"))
        return message_usage("--duplicates is for models that were trained with --part; %s was not", other);
    return model == NULL ? ENDED_WELL : refuse_options_of_rows(given, model);
}

int part_models_apply(const invocation *call, size_t first, int sign, crd_model *model, string *done) {
    const arguments *given = &call->arguments;
    const size_t count = given->operand_count - first;
    size_t left_out = 0;
    bool ignores = false;
    crd_error error;
    int ended = part_models_ignore_duplicates(given, &ignores);
    for (size_t i = first; i < given->operand_count && ended == ENDED_WELL; i++) {
        crd_model *part = NULL;
        const char *path = given->operands[i];
        crd_status status = crd_model_load(call->context, path, &part, &error);
        if (status == CRD_OK)
            status = sign > 0 ? part_models_add(model, part, ignores, &left_out, &error)
                              : crd_model_retract(model, part, &error);
        if (status != CRD_OK) ended = part_models_report(call, &error, i);
        crd_model_destroy(part);
    }
    const size_t changed = count - left_out;
    string_format(done, "%s %zu model%s", sign > 0 ? "merged" : "retracted", changed, changed == 1 ? "" : "s");
    if (left_out > 0) string_format(done, ", skipped %zu whose parts were already merged", left_out);
    return ended;
}
