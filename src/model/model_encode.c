/* SPDX-License-Identifier: MIT */
/* model_encode.c - encodes a model to canonical bytes, which do not depend on how the same rows were learned. */
#include "model/joint_tallies.h"
#include "model/model_parts.h"
#include "model/model_sections.h"
#include "model/schema_view.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/page_source.h"
#include "io/section.h"
#include "math/exact/ieee754.h"
#include "stats/term_store.h"

#include <string.h>

static void write_missing(crd_i_encoder *encoder, const crd_i_schema *schema, bool is_stated) {
    crd_text *texts = crd_i_alloc(schema->context, schema->missing_count, sizeof *texts);
    if (texts == NULL) {
        encoder->failed = true;
        return;
    }
    size_t count = crd_i_schema_written_missing(schema, texts);
    if (is_stated) crd_i_encode_u8(encoder, schema->missing_any_case);
    crd_i_encode_u32(encoder, (uint32_t)count);
    for (size_t i = 0; i < count; i++) crd_i_encode_text(encoder, texts[i]);
    crd_free(schema->context, texts);
}

static void model_encode_write_schema(crd_i_encoder *encoder, const crd_i_schema *schema) {
    /* The stand-in for a missing target is not a column. */
    size_t count = schema->lacks_target ? schema->target : schema->count;
    uint32_t version = schema->lacks_target ? CRD_I_VERSION_WITHOUT_TARGET : CRD_I_FILE_VERSION;
    bool is_stated = crd_i_schema_states_missing(schema);
    if (is_stated) version += CRD_I_VERSIONS_TO_STATE_MISSING;
    size_t begun = crd_i_section_begin(encoder, crd_i_tag_schema, version, true);
    crd_i_encode_u64(encoder, schema->width);
    crd_i_encode_u8(encoder, schema->has_header);
    write_missing(encoder, schema, is_stated);
    crd_i_encode_u32(encoder, (uint32_t)count);
    if (!schema->lacks_target) crd_i_encode_u32(encoder, (uint32_t)schema->target);
    for (size_t i = 0; i < count; i++) {
        crd_i_encode_text(encoder, schema->columns[i].name);
        crd_i_encode_u8(encoder, (uint8_t)schema->columns[i].type);
        crd_i_encode_u64(encoder, schema->columns[i].position);
    }
    crd_i_section_end(encoder, begun);
}

/* Writes the weight, if there is one. Models without a weight keep the bytes of earlier versions. */
static void model_encode_write_weight(crd_i_encoder *encoder, const crd_i_schema *schema) {
    if (schema->weight.name.bytes == NULL) return;
    size_t begun = crd_i_section_begin(encoder, crd_i_tag_weight, CRD_I_FILE_VERSION, true);
    crd_i_encode_text(encoder, schema->weight.name);
    crd_i_encode_u64(encoder, schema->weight.position);
    crd_i_section_end(encoder, begun);
}

/* Writes the column formats, if a column has one. Models of plain columns keep the bytes of earlier versions. */
static void write_formats(crd_i_encoder *encoder, const crd_i_schema *schema) {
    uint32_t count = 0;
    for (size_t i = 0; i < schema->count; i++) count += !crd_i_column_format_is_plain(schema->columns[i].format);
    if (count == 0) return;
    size_t begun = crd_i_section_begin(encoder, crd_i_tag_formats, CRD_I_FILE_VERSION, true);
    crd_i_encode_u32(encoder, count);
    for (size_t i = 0; i < schema->count; i++) {
        const crd_i_schema_column *column = &schema->columns[i];
        if (crd_i_column_format_is_plain(column->format)) continue;
        crd_i_encode_u32(encoder, (uint32_t)i);
        crd_i_encode_u8(encoder, column->format.reading);
        crd_i_encode_u8(encoder, column->format.part);
        crd_i_encode_text(encoder, column->field.bytes == NULL ? crd_text_of("") : column->field);
    }
    crd_i_section_end(encoder, begun);
}

/* Writes the cut points, if a column has any. */
static void write_cuts(crd_i_encoder *encoder, const crd_i_schema *schema) {
    uint32_t count = 0;
    for (size_t i = 0; i < schema->count; i++) count += crd_i_intervals_are(&schema->columns[i].intervals);
    if (count == 0) return;
    size_t begun = crd_i_section_begin(encoder, crd_i_tag_cuts, CRD_I_FILE_VERSION, true);
    crd_i_encode_u32(encoder, count);
    for (size_t i = 0; i < schema->count; i++) {
        const crd_i_intervals *intervals = &schema->columns[i].intervals;
        if (!crd_i_intervals_are(intervals)) continue;
        crd_i_encode_u32(encoder, (uint32_t)i);
        crd_i_encode_u32(encoder, (uint32_t)intervals->cut_count);
        for (size_t k = 0; k < intervals->cut_count; k++) crd_i_encode_u64(encoder, crd_i_bits_of(intervals->cuts[k]));
    }
    crd_i_section_end(encoder, begun);
}

/* Writes an empty section if the quotes of the text file are literal characters. */
static void write_quotes(crd_i_encoder *encoder, const crd_i_schema *schema) {
    if (!schema->has_literal_quotes) return;
    crd_i_section_end(encoder, crd_i_section_begin(encoder, crd_i_tag_quotes, CRD_I_FILE_VERSION, true));
}

static bool model_encode_is_stated(const crd_settings *settings, const crd_setting *setting, size_t i) {
    return i < CRD_I_SETTINGS_ALWAYS_STATED || strcmp(settings->texts[i], setting->default_value) != 0;
}

void crd_i_model_write_settings(const crd_settings *settings, crd_i_encoder *encoder) {
    size_t count = crd_setting_count();
    uint32_t stated = 0;
    for (size_t i = 0; i < count; i++) stated += model_encode_is_stated(settings, crd_setting_at(i), i);
    crd_i_encode_u32(encoder, stated);
    for (size_t i = 0; i < count; i++) {
        if (!model_encode_is_stated(settings, crd_setting_at(i), i)) continue;
        crd_i_encode_text(encoder, crd_text_of(crd_setting_at(i)->name));
        crd_i_encode_text(encoder, crd_text_of(settings->texts[i]));
    }
}

static void write_settings(crd_i_encoder *encoder, const crd_settings *settings) {
    size_t begun = crd_i_section_begin(encoder, crd_i_tag_settings, CRD_I_FILE_VERSION, true);
    crd_i_model_write_settings(settings, encoder);
    crd_i_section_end(encoder, begun);
}

/* Writes the names of the extra tallies, if there are any. Other models keep the bytes of earlier versions. */
static void write_more(crd_i_encoder *encoder, crd_i_extras extras) {
    uint32_t count = 0;
    if (extras == 0) return;
    size_t begun = crd_i_section_begin(encoder, crd_i_tag_more, CRD_I_FILE_VERSION, true);
    for (size_t i = 0; i < crd_i_extra_type_count(); i++) count += extras >> i & 1;
    crd_i_encode_u32(encoder, count);
    for (size_t i = 0; i < crd_i_extra_type_count(); i++)
        if ((extras >> i & 1) != 0) crd_i_encode_text(encoder, crd_text_of(crd_i_extra_type(i)->name));
    crd_i_section_end(encoder, begun);
}

static void write_extras(crd_i_encoder *encoder, const crd_i_variable *variable, const crd_i_view *view) {
    for (size_t i = 0; i < CRD_I_MOST_EXTRAS; i++) {
        if (variable->extra[i] == NULL) continue;
        size_t begun = crd_i_section_begin(encoder, crd_i_tag_extra, CRD_I_FILE_VERSION, true);
        crd_i_encode_text(encoder, crd_text_of(variable->extra[i]->type->name));
        variable->extra[i]->type->write(variable->extra[i], view, encoder);
        crd_i_section_end(encoder, begun);
    }
}

/* Returns whether a column is an attribute with at least one cell. */
static bool model_encode_is_attribute(const crd_model *model, size_t column) {
    const crd_i_tally *tally = model->variables[column].tally;
    return column != model->schema->target && tally != NULL && !crd_i_tally_is_empty(tally);
}

/* Returns whether the counts are so many that sparse layouts are used. This is a function of the counted rows. */
static bool model_encode_are_large(const crd_model *model, const crd_i_schema_view *view) {
    uint64_t cells = 0;
    for (size_t i = 0; i < model->schema->count && cells <= CRD_I_MOST_DENSE_CELLS; i++)
        if (model_encode_is_attribute(model, i) && model->variables[i].tally->type->is_sparse != NULL)
            cells += (uint64_t)view->views[i].value_count * view->views[i].condition_count;
    return cells > CRD_I_MOST_DENSE_CELLS;
}

static bool model_encode_is_sparse(const crd_i_variable *variable, const crd_i_view *view) {
    const crd_i_tally_type *type = variable->tally->type;
    return type->is_sparse != NULL && type->is_sparse(variable->tally, view);
}

/* The stores of text columns, whose pages come last in the file; NULL for other columns. */
typedef struct text_stores {
    crd_i_term_store **store;
    uint64_t bytes; /* total length of the pages of the stores that were written */
} text_stores;

static void text_stores_clear(const crd_model *model, text_stores *stores) {
    for (size_t i = 0; stores->store != NULL && i < model->schema->count; i++)
        crd_i_term_store_release(stores->store[i]);
    crd_free(model->context, stores->store);
}

/* Creates the stores. Their pages may have to be read from a file, which can fail if the file has changed. */
static bool text_stores_make(const crd_model *model, const crd_i_schema_view *view, text_stores *stores,
                             crd_i_encoder *encoder) {
    stores->store = crd_i_alloc_zeroed(model->context, model->schema->count, sizeof *stores->store);
    if (stores->store == NULL) encoder->failed = true;
    for (size_t i = 0; !encoder->failed && i < model->schema->count; i++) {
        const crd_i_tally *tally = model->variables[i].tally;
        if (!model_encode_is_attribute(model, i) || tally->type != &crd_i_terms) continue;
        encoder->status = crd_i_terms_store(tally, &view->views[i], &stores->store[i], &encoder->error);
        encoder->failed = encoder->status != CRD_OK;
    }
    return !encoder->failed;
}

static void write_pages(crd_i_encoder *encoder, const crd_model *model, const text_stores *stores) {
    bool has_any = false;
    for (size_t i = 0; i < model->schema->count; i++) has_any = has_any || stores->store[i] != NULL;
    if (!has_any) return;
    crd_i_section_begin_paged(encoder, crd_i_tag_pages, CRD_I_FILE_VERSION, stores->bytes);
    for (size_t i = 0; !encoder->failed && i < model->schema->count; i++) {
        if (stores->store[i] == NULL) continue;
        encoder->status = crd_i_term_store_write_pages(stores->store[i], encoder, &encoder->error);
        encoder->failed = encoder->status != CRD_OK;
    }
}

static void write_variable(crd_i_encoder *encoder, const crd_i_variable *variable, const crd_i_view *view,
                           bool in_sparse_layout) {
    const crd_i_tally_type *type = variable->tally->type;
    crd_i_encode_text(encoder, crd_text_of(type->name));
    crd_i_encode_u32(encoder, (uint32_t)view->value_count);
    for (size_t i = 0; i < view->value_count; i++)
        crd_i_encode_text(encoder, crd_i_dictionary_text(variable->values, (size_t)view->values[i]));
    (in_sparse_layout ? type->write_sparse : type->write)(variable->tally, view, encoder);
}

/* Writes the declared values of a column, sorted or in declaration order. false: out of memory. */
static bool model_encode_write_values(crd_i_encoder *encoder, const crd_model *model, size_t column) {
    const crd_i_schema_column *schema_column = &model->schema->columns[column];
    if (schema_column->values == NULL) return true;
    size_t count = crd_i_dictionary_size(schema_column->values);
    int32_t *codes = crd_i_alloc(model->context, count, sizeof *codes);
    bool done = codes != NULL && crd_i_dictionary_order(schema_column->values, NULL,
                                                        crd_i_schema_view_order(schema_column), codes) != SIZE_MAX;
    bool is_sorted = true;
    for (size_t i = 0; done && i < count; i++) is_sorted = is_sorted && (size_t)codes[i] == i;
    const bool keeps_order = schema_column->keeps_order && !is_sorted;
    if (done) {
        const uint32_t version = keeps_order ? CRD_I_VERSION_KEEPS_ORDER : CRD_I_FILE_VERSION;
        size_t begun = crd_i_section_begin(encoder, crd_i_tag_values, version, true);
        crd_i_encode_u32(encoder, (uint32_t)column);
        crd_i_encode_u32(encoder, (uint32_t)count);
        for (size_t i = 0; i < count; i++)
            crd_i_encode_text(encoder,
                              crd_i_dictionary_text(schema_column->values, keeps_order ? i : (size_t)codes[i]));
        crd_i_section_end(encoder, begun);
    }
    crd_free(model->context, codes);
    return done;
}

/* Writes the head of a text column, as write_variable does for other columns. */
static void model_encode_write_text(crd_i_encoder *encoder, const crd_i_term_store *store, text_stores *stores) {
    crd_i_encode_text(encoder, crd_text_of(crd_i_terms.name));
    crd_i_encode_u32(encoder, 0);
    crd_i_term_store_write_head(store, stores->bytes, encoder);
    stores->bytes += crd_i_term_store_page_bytes(store);
}

static void write_sections(crd_i_encoder *encoder, const crd_model *model, const crd_i_schema_view *view,
                           text_stores *stores) {
    size_t target = model->schema->target;
    bool some_are_sparse = model_encode_are_large(model, view);
    model_encode_write_schema(encoder, model->schema);
    model_encode_write_weight(encoder, model->schema);
    write_formats(encoder, model->schema);
    write_cuts(encoder, model->schema);
    write_quotes(encoder, model->schema);
    write_settings(encoder, model->settings);
    write_more(encoder, model->extras);
    size_t begun = crd_i_section_begin(encoder, crd_i_tag_classes, CRD_I_FILE_VERSION, true);
    write_variable(encoder, &model->variables[target], &view->views[target], false);
    crd_i_section_end(encoder, begun);
    crd_i_stage stage;
    crd_i_stage_begin(&stage, "encoding the model", model->schema->count);
    for (size_t i = 0; i < model->schema->count; i++) {
        const crd_i_variable *variable = &model->variables[i];
        crd_i_stage_add(&stage, 1);
        if (crd_i_context_cancelled(model->context)) encoder->failed = true;
        if (encoder->failed) break;
        if (!model_encode_is_attribute(model, i)) continue;
        bool in_sparse_layout = some_are_sparse && model_encode_is_sparse(variable, &view->views[i]);
        uint32_t version = in_sparse_layout ? CRD_I_VERSION_SPARSE : CRD_I_FILE_VERSION;
        begun = crd_i_section_begin(encoder, crd_i_tag_attribute, version, true);
        crd_i_encode_u32(encoder, (uint32_t)i);
        if (stores->store[i] != NULL) model_encode_write_text(encoder, stores->store[i], stores);
        else write_variable(encoder, variable, &view->views[i], in_sparse_layout);
        crd_i_section_end(encoder, begun);
        write_extras(encoder, variable, &view->views[i]);
    }
    crd_i_stage_end(&stage);
    if (encoder->failed) return;
    crd_i_joint_tallies_write(model, view, encoder);
    for (size_t i = 0; i < model->schema->count; i++)
        if (!model_encode_write_values(encoder, model, i)) encoder->failed = true;
    if (model->fitted.count > 0) {
        /* Programs that do not support this section fit again, with the same result. */
        begun = crd_i_section_begin(encoder, crd_i_tag_fitted, CRD_I_FILE_VERSION, false);
        crd_i_fit_cache_write(&model->fitted, encoder);
        crd_i_section_end(encoder, begun);
    }
    if (model->selection != NULL) {
        begun = crd_i_section_begin(encoder, crd_i_tag_selection, CRD_I_FILE_VERSION, false);
        crd_i_selection_write(model->selection, encoder);
        crd_i_section_end(encoder, begun);
    }
    write_pages(encoder, model, stores);
}

void crd_i_tallied_write(const crd_model *model, crd_i_encoder *encoder) {
    crd_i_schema_view *view;
    if (crd_i_schema_view_create_counted(model, &view, NULL) != CRD_OK) {
        encoder->failed = true;
        return;
    }
    text_stores stores = {NULL, 0};
    if (text_stores_make(model, view, &stores, encoder)) write_sections(encoder, model, view, &stores);
    text_stores_clear(model, &stores);
    crd_i_schema_view_destroy(view);
}

/* Writes the part ids, if there are any, before all other sections of any kind of model. */
static void write_parts(crd_i_encoder *encoder, const crd_i_part_ids *parts) {
    if (parts == NULL) return;
    size_t begun = crd_i_section_begin(encoder, crd_i_tag_parts, CRD_I_FILE_VERSION, true);
    crd_i_part_ids_write(parts, encoder);
    crd_i_section_end(encoder, begun);
}

/* Writes the shards, if some shards of a table are still to be merged. */
static void write_shards(crd_i_encoder *encoder, const crd_i_shards *shards) {
    if (shards == NULL) return;
    size_t begun = crd_i_section_begin(encoder, crd_i_tag_shards, CRD_I_FILE_VERSION, true);
    crd_i_shards_write(shards, encoder);
    crd_i_section_end(encoder, begun);
}

crd_status crd_model_encode(const crd_model *model, unsigned char **bytes, size_t *length, crd_error *error) {
    *bytes = NULL;
    *length = 0;
    crd_i_encoder encoder = {.buffer = {.context = model->context}};
    crd_i_section_file_begin(&encoder);
    write_parts(&encoder, model->parts);
    write_shards(&encoder, model->shards);
    model->kind->write(model, &encoder);
    crd_i_section_file_end(&encoder);
    if (encoder.failed) {
        crd_i_buffer_clear(&encoder.buffer);
        if (encoder.status != CRD_OK && error != NULL) *error = encoder.error;
        if (encoder.status != CRD_OK) return encoder.status;
        return crd_i_context_cancelled(model->context) ? crd_i_fail_cancelled(error) : crd_i_fail_memory(error);
    }
    *bytes = encoder.buffer.bytes;
    *length = encoder.buffer.length;
    return CRD_OK;
}

void crd_i_model_write_nested(const crd_model *model, crd_i_encoder *encoder) {
    unsigned char *bytes;
    size_t length;
    crd_status status = crd_model_encode(model, &bytes, &length, &encoder->error);
    if (status != CRD_OK) {
        encoder->failed = true;
        encoder->status = status;
        return;
    }
    crd_i_encode_u64(encoder, length);
    crd_i_encode_bytes(encoder, bytes, length);
    crd_free(model->context, bytes);
}

/* Checks that the new bytes can be read. An existing file may contain the only model of rows that are gone, so it is
 * replaced only by bytes that were read back. Reading costs little compared with learning, and no fault of this library
 * can then destroy a model. */
static crd_status check_readable(const crd_model *model, const unsigned char *bytes, size_t length, crd_error *error) {
    crd_error why = {0};
    crd_status status = crd_i_model_check_readable(model, bytes, length, &why);
    if (status == CRD_OK) return CRD_OK;
    if (status == CRD_ERROR_MEMORY) return crd_i_fail_memory(error);
    if (crd_i_is_cancelled(status)) return crd_i_fail_cancelled(error);
    return crd_i_fail(error, status,
                      "the file was not replaced, because the new model could not be read back (%.200s): %s",
                      why.message, "please report this fault");
}

crd_status crd_model_save(const crd_model *model, const char *path, crd_error *error) {
    unsigned char *bytes;
    size_t length;
    crd_status status = crd_model_encode(model, &bytes, &length, error);
    if (status != CRD_OK) return status;
    if (crd_i_file_is_regular(path)) {
        status = check_readable(model, bytes, length, error);
        if (status != CRD_OK && status != CRD_ERROR_MEMORY) crd_i_error_place(error, path, 0, 0);
    }
    if (status == CRD_OK) status = crd_i_file_write(model->context, path, bytes, length, error);
    crd_free(model->context, bytes);
    return status;
}
