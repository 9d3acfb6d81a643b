/* SPDX-License-Identifier: MIT */
/* sequence_classes_kind.c - sequence classification models as a model kind: cloned, written and read.
 *
 * The states of each class's HMM are hidden, and were fitted to all of its sequences together. So such models can be
 * neither merged nor updated. */
#include "sequence/sequence_class_models.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "io/section.h"
#include "math/exact/ieee754.h"
#include "model/model_create.h"
#include "model/model_decode.h"
#include "model/model_encode.h"
#include "model/model_sections.h"
#include "model/schema_view.h"
#include "sequence/hmm_content.h"

#include <math.h>
#include <string.h>

static const char tag[] = {'S', 'E', 'Q', 'C'};

enum { NESTING = 2, LEAST_CLASS = 4 + 8 + 8, MOST_CLASSES = 1 << 20 };

/* ---- The content ---- */

const crd_i_sequence_classes *crd_i_sequence_classes_of(const crd_model *model) {
    return model->kind == &crd_i_sequence_classes_kind ? model->content : NULL;
}

crd_i_sequence_classes *crd_i_sequence_classes_create(crd_context *context, crd_text target, size_t position,
                                                      size_t count) {
    crd_i_sequence_classes *classes = crd_i_alloc_zeroed(context, 1, sizeof *classes);
    if (classes == NULL) return NULL;
    classes->context = context;
    classes->position = position;
    classes->count = count;
    classes->target = crd_i_text_copy(context, target);
    classes->names = crd_i_alloc_zeroed(context, count, sizeof *classes->names);
    classes->sequences = crd_i_alloc_zeroed(context, count, sizeof *classes->sequences);
    classes->models = crd_i_alloc_zeroed(context, count, sizeof *classes->models);
    if (classes->target.bytes != NULL && classes->names != NULL && classes->sequences != NULL &&
        classes->models != NULL)
        return classes;
    crd_i_sequence_classes_destroy(classes);
    return NULL;
}

void crd_i_sequence_classes_destroy(crd_i_sequence_classes *classes) {
    if (classes == NULL) return;
    crd_context *context = classes->context;
    for (size_t i = 0; classes->names != NULL && i < classes->count; i++)
        crd_free(context, (void *)classes->names[i].bytes);
    for (size_t i = 0; classes->models != NULL && i < classes->count; i++) crd_model_destroy(classes->models[i]);
    crd_free(context, (void *)classes->target.bytes);
    crd_free(context, classes->names);
    crd_free(context, classes->sequences);
    crd_free(context, classes->models);
    crd_free(context, classes);
}

bool crd_i_sequence_classes_set(crd_i_sequence_classes *classes, size_t class_index, crd_text name, double sequences) {
    classes->names[class_index] = crd_i_text_copy(classes->context, name);
    classes->sequences[class_index] = sequences;
    return classes->names[class_index].bytes != NULL;
}

/* Creates the schema: the observation columns of all classes, and the target. A column may have no values in some
 * classes. NULL: out of memory. */
static crd_i_schema *classes_kind_make_schema(const crd_i_sequence_classes *classes) {
    crd_i_schema *schema = crd_i_schema_clone(classes->models[0]->schema);
    if (schema == NULL) return NULL;
    crd_i_schema_drop_stand_in(schema);
    for (size_t k = 1; k < classes->count; k++)
        for (size_t i = 0; i < schema->count; i++)
            if (schema->columns[i].kind == CRD_KIND_NONE)
                schema->columns[i].kind = classes->models[k]->schema->columns[i].kind;
    if (crd_i_schema_add(schema, classes->target, CRD_KIND_CATEGORY, classes->position)) {
        schema->target = schema->count - 1;
        if (schema->width <= classes->position) schema->width = classes->position + 1;
        return schema;
    }
    crd_i_schema_destroy(schema);
    return NULL;
}

crd_status crd_i_sequence_classes_model(crd_i_sequence_classes *classes, const crd_settings *settings, crd_model **out,
                                        crd_error *error) {
    crd_settings *own_settings = NULL;
    *out = NULL;
    crd_i_schema *schema = classes_kind_make_schema(classes);
    crd_status status = schema == NULL ? crd_i_fail_memory(error) : CRD_OK;
    if (status == CRD_OK)
        status = settings == NULL ? crd_settings_create(classes->context, &own_settings, error)
                                  : crd_i_settings_copy(classes->context, settings, &own_settings, error);
    if (status == CRD_OK) status = crd_settings_set(own_settings, "method", crd_text_of("sequence"), error);
    if (status == CRD_OK) {
        status = crd_i_model_create_bare(classes->context, schema, own_settings, out, error);
        schema = NULL;
    }
    crd_i_schema_destroy(schema);
    crd_settings_destroy(own_settings);
    if (status != CRD_OK) {
        crd_i_sequence_classes_destroy(classes);
        return status;
    }
    (*out)->kind = &crd_i_sequence_classes_kind;
    (*out)->content = classes;
    return CRD_OK;
}

/* ---- Queries ---- */

int crd_model_is_sequence_classes(const crd_model *model) {
    return crd_i_sequence_classes_of(model) != NULL;
}

size_t crd_sequence_classes_count(const crd_model *model) {
    const crd_i_sequence_classes *classes = crd_i_sequence_classes_of(model);
    return classes == NULL ? 0 : classes->count;
}

crd_text crd_sequence_classes_name(const crd_model *model, size_t class_index) {
    return crd_i_sequence_classes_of(model)->names[class_index];
}

double crd_sequence_classes_sequences(const crd_model *model, size_t class_index) {
    return crd_i_sequence_classes_of(model)->sequences[class_index];
}

const crd_model *crd_sequence_classes_model(const crd_model *model, size_t class_index) {
    const crd_i_sequence_classes *classes = crd_i_sequence_classes_of(model);
    return classes == NULL || class_index >= classes->count ? NULL : classes->models[class_index];
}

/* ---- The kind ---- */

static crd_status classes_kind_clone(crd_context *context, const void *content, void **out, crd_error *error) {
    const crd_i_sequence_classes *classes = content;
    crd_i_sequence_classes *sequence =
        crd_i_sequence_classes_create(context, classes->target, classes->position, classes->count);
    crd_status status = sequence == NULL ? crd_i_fail_memory(error) : CRD_OK;
    *out = NULL;
    for (size_t i = 0; status == CRD_OK && i < classes->count; i++) {
        if (!crd_i_sequence_classes_set(sequence, i, classes->names[i], classes->sequences[i]))
            status = crd_i_fail_memory(error);
        else status = crd_i_model_clone(classes->models[i], &sequence->models[i], error);
    }
    if (status == CRD_OK) *out = sequence;
    else crd_i_sequence_classes_destroy(sequence);
    return status;
}

static void classes_kind_destroy(crd_context *context, void *content) {
    (void)context;
    crd_i_sequence_classes_destroy(content);
}

static crd_status classes_kind_refuse(const crd_model *model, const char *description, crd_error *error) {
    (void)model;
    return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                      "the model classifies whole sequences and cannot %s: train a new model of all sequences",
                      description);
}

static crd_status classes_kind_derive(crd_classifier *classifier, const crd_model *model, const crd_i_schema_view *view,
                                      crd_error *error) {
    (void)classifier, (void)model, (void)view;
    return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                      "the model classifies whole sequences and cannot classify a single row");
}

/* ---- Files ---- */

static void classes_kind_write(const crd_model *model, crd_i_encoder *encoder) {
    const crd_i_sequence_classes *classes = crd_i_sequence_classes_of(model);
    const size_t begun = crd_i_section_begin(encoder, tag, CRD_I_FILE_VERSION, true);
    crd_i_model_write_settings(model->settings, encoder);
    crd_i_encode_text(encoder, classes->target);
    crd_i_encode_u64(encoder, classes->position);
    crd_i_encode_u32(encoder, (uint32_t)classes->count);
    for (size_t i = 0; i < classes->count && !encoder->failed; i++) {
        crd_i_encode_text(encoder, classes->names[i]);
        crd_i_encode_u64(encoder, crd_i_bits_of(classes->sequences[i]));
        crd_i_model_write_nested(classes->models[i], encoder);
    }
    crd_i_section_end(encoder, begun);
}

static crd_status classes_kind_damaged(crd_error *error, const char *description) {
    return crd_i_fail(error, CRD_ERROR_DAMAGED, "the model file is damaged: %s", description);
}

static bool classes_kind_is_text(crd_text text) {
    return text.length > 0 && memchr(text.bytes, '\0', text.length) == NULL;
}

/* Returns whether a model has hidden states and the same columns as the first class's model, none of which is the
 * target. */
static bool is_alike(const crd_i_sequence_classes *classes, const crd_model *model) {
    const crd_i_hmm_content *content = crd_i_hmm_content_of(model);
    const crd_i_schema *first = classes->models[0]->schema, *schema = model->schema;
    bool fits = content != NULL && content->is_hidden && schema->count == first->count &&
                schema->has_header == first->has_header && schema->width == first->width;
    for (size_t i = 0; fits && i < schema->count; i++) {
        const crd_kind a = schema->columns[i].kind, b = first->columns[i].kind;
        fits = crd_text_equal(schema->columns[i].name, first->columns[i].name) &&
               schema->columns[i].position == first->columns[i].position &&
               (a == b || a == CRD_KIND_NONE || b == CRD_KIND_NONE) &&
               !crd_text_equal(schema->columns[i].name, classes->target);
    }
    return fits;
}

/* Reads the name, the number of sequences and the HMM of a class. */
static crd_status classes_kind_read_class(crd_i_sequence_classes *classes, size_t i, crd_i_cursor *cursor,
                                          crd_error *error) {
    const crd_text name = crd_i_decode_text(cursor);
    const double sequences = crd_i_double_of(crd_i_decode_u64(cursor));
    const uint64_t length = crd_i_decode_u64(cursor);
    if (cursor->failed || !classes_kind_is_text(name) ||
        !(sequences > 0 && sequences <= 0x1p53 && sequences == floor(sequences)) ||
        !crd_i_cursor_holds(cursor, length, 1))
        return classes_kind_damaged(error, "a sequence class is invalid");
    if (!crd_i_sequence_classes_set(classes, i, name, sequences)) return crd_i_fail_memory(error);
    crd_status status =
        crd_i_model_decode_part(classes->context, cursor->at, (size_t)length, NESTING, &classes->models[i], error);
    cursor->at += length;
    if (status == CRD_ERROR_NOT_A_MODEL || (status == CRD_OK && !is_alike(classes, classes->models[i])))
        return classes_kind_damaged(error, "the models of its classes are not sequence models");
    return status;
}

/* Checks that the names of the classes are distinct and in order. */
static crd_status classes_kind_check_names(const crd_i_sequence_classes *classes, crd_error *error) {
    crd_i_dictionary *names = crd_i_dictionary_create(classes->context);
    int32_t *order = crd_i_alloc(classes->context, classes->count, sizeof *order);
    bool done = names != NULL && order != NULL, fits = true;
    for (size_t i = 0; done && fits && i < classes->count; i++) {
        const int32_t code = crd_i_dictionary_add(names, classes->names[i]);
        done = code >= 0;
        fits = code == (int32_t)i;
    }
    if (done && fits) done = crd_i_dictionary_order(names, NULL, crd_i_schema_view_number, order) != SIZE_MAX;
    for (size_t i = 0; done && fits && i < classes->count; i++) fits = order[i] == (int32_t)i;
    crd_i_dictionary_destroy(names);
    crd_free(classes->context, order);
    if (!done) return crd_i_fail_memory(error);
    return fits ? CRD_OK : classes_kind_damaged(error, "its classes are not in order");
}

static crd_status classes_kind_read_parts(crd_context *context, crd_i_cursor *cursor, crd_settings *settings,
                                          crd_i_sequence_classes **out, crd_error *error) {
    crd_status status = crd_i_model_read_settings(cursor, settings, error);
    if (status != CRD_OK) return status;
    const crd_text target = crd_i_decode_text(cursor);
    const uint64_t position = crd_i_decode_u64(cursor);
    const uint32_t count = crd_i_decode_u32(cursor);
    if (cursor->failed || !classes_kind_is_text(target) || position >= CRD_I_MOST_WIDTH || count == 0 ||
        count > MOST_CLASSES || !crd_i_cursor_holds(cursor, count, LEAST_CLASS) ||
        settings->method != CRD_I_METHOD_SEQUENCE)
        return classes_kind_damaged(error, "its sequence classes are invalid");
    *out = crd_i_sequence_classes_create(context, target, (size_t)position, count);
    if (*out == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < count; i++) status = classes_kind_read_class(*out, i, cursor, error);
    return status == CRD_OK ? classes_kind_check_names(*out, error) : status;
}

static crd_status classes_kind_read(crd_context *context, crd_i_cursor *cursor, uint32_t version, crd_model **out,
                                    crd_error *error) {
    crd_settings *settings = NULL;
    crd_i_sequence_classes *classes = NULL;
    (void)version;
    *out = NULL;
    crd_status status = crd_settings_create(context, &settings, error);
    if (status == CRD_OK) status = classes_kind_read_parts(context, cursor, settings, &classes, error);
    if (status == CRD_OK) status = crd_i_sequence_classes_model(classes, settings, out, error);
    else crd_i_sequence_classes_destroy(classes);
    crd_settings_destroy(settings);
    return status;
}

const crd_i_model_kind crd_i_sequence_classes_kind = {.name = "sequence classes",
                                                      .tag = tag,
                                                      .newest_version = CRD_I_FILE_VERSION,
                                                      .nesting = NESTING,
                                                      .write = classes_kind_write,
                                                      .read = classes_kind_read,
                                                      .clone = classes_kind_clone,
                                                      .destroy = classes_kind_destroy,
                                                      .derive = classes_kind_derive,
                                                      .refuse = classes_kind_refuse};
