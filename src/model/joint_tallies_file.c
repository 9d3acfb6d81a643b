/* SPDX-License-Identifier: MIT */
/* joint_tallies_file.c - reads and writes the joint tallies in model files: see joint_tallies.h and
 * docs/model-file.md. */
#include "model/joint_tallies.h"
#include "model/model_sections.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

/* Bits of the byte that describes a joint tally. */
enum { COVERS_ALL = 1, GIVEN_UP = 2 };

/* Writes the column numbers. A joint tally of all attributes has none, so it does not depend on the layout of a
 * file. */
static void write_columns(const crd_i_model_joint_tally *kept, crd_i_encoder *encoder) {
    size_t count = kept->covers_all ? 0 : kept->joint_tally->column_count;
    int marks = (kept->covers_all ? COVERS_ALL : 0) | (kept->joint_tally->is_given_up ? GIVEN_UP : 0);
    crd_i_encode_u8(encoder, (uint8_t)marks);
    crd_i_encode_u32(encoder, (uint32_t)count);
    for (size_t i = 0; i < count; i++) crd_i_encode_u32(encoder, (uint32_t)kept->columns[i]);
}

void crd_i_joint_tallies_write(const crd_model *model, const crd_i_schema_view *schema_view, crd_i_encoder *encoder) {
    for (size_t i = 0; i < model->joint_tally_count; i++) {
        const crd_i_model_joint_tally *kept = &model->joint_tallies[i];
        crd_i_joint_source seen;
        if (crd_i_joint_tallies_is_unwritten(kept)) continue;
        if (crd_i_joint_tallies_open(model, kept, schema_view, &seen, NULL) != CRD_OK) {
            encoder->failed = true;
            return;
        }
        size_t begun = crd_i_section_begin(encoder, crd_i_tag_joint_tally, CRD_I_FILE_VERSION, true);
        crd_i_encode_text(encoder, crd_text_of(kept->joint_tally->type->name));
        write_columns(kept, encoder);
        if (!kept->joint_tally->is_given_up) kept->joint_tally->type->write(kept->joint_tally, &seen.view, encoder);
        crd_i_section_end(encoder, begun);
        crd_i_joint_tallies_close(&seen);
    }
}

static crd_status joint_file_damaged(crd_error *error, const char *description) {
    return crd_i_fail(error, CRD_ERROR_DAMAGED, "%s", description);
}

/* Reads the description and the columns of a joint tally. The caller frees *out, even on failure. */
static crd_status joint_file_read_columns(const crd_model *model, crd_i_cursor *cursor, size_t **out, size_t *count,
                                          bool *is_given_up, crd_error *error) {
    const crd_i_schema *schema = model->schema;
    uint8_t marks = crd_i_decode_u8(cursor);
    uint32_t stated = crd_i_decode_u32(cursor);
    bool covers_all = (marks & COVERS_ALL) != 0;
    *is_given_up = (marks & GIVEN_UP) != 0;
    *count = covers_all ? schema->count - 1 : stated;
    if (cursor->failed || marks > (COVERS_ALL | GIVEN_UP) ||
        (covers_all ? stated != 0 : stated < 2 || stated >= schema->count - 1))
        return joint_file_damaged(error, "the columns of a joint tally are invalid");
    size_t *columns = crd_i_alloc(model->context, *count, sizeof *columns);
    *out = columns;
    if (columns == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < *count; i++) {
        if (covers_all) columns[i] = i < schema->target ? i : i + 1;
        else columns[i] = crd_i_decode_u32(cursor);
        if (cursor->failed || columns[i] >= schema->count || columns[i] == schema->target)
            return joint_file_damaged(error, "a column of a joint tally is not an attribute");
        bool is_behind = covers_all || i == 0 ||
                         crd_i_text_compare(schema->columns[columns[i - 1]].name, schema->columns[columns[i]].name) < 0;
        if (!is_behind) return joint_file_damaged(error, "a joint tally's columns are not in order");
    }
    return CRD_OK;
}

bool crd_i_joint_tallies_settle_columns(const crd_model *model, const crd_i_model_joint_tally *kept) {
    crd_i_joint_tally *joint_tally = kept->joint_tally;
    for (size_t i = 0; i < joint_tally->column_count; i++) {
        const crd_i_tally *tally = model->variables[kept->columns[i]].tally;
        if (tally == NULL || crd_i_tally_is_empty(tally)) continue;
        if (!joint_tally->type->settle(joint_tally, i, tally->type->kind)) return false;
    }
    return crd_i_joint_tallies_extend(model, kept, joint_tally);
}

/* Reads the content of a joint tally. A dropped one has no content. */
static crd_status joint_file_read_content(const crd_model *model, crd_i_model_joint_tally *kept, bool is_given_up,
                                          crd_i_cursor *cursor, crd_error *error) {
    const crd_i_joint_tally_type *type = kept->joint_tally->type;
    if (!is_given_up)
        return crd_i_joint_tallies_settle_columns(model, kept) ? type->read(kept->joint_tally, cursor, error)
                                                               : crd_i_fail_memory(error);
    kept->joint_tally->is_given_up = true;
    bool can_be = type->refuse != NULL && !crd_i_tally_is_empty(crd_i_model_target(model)->tally);
    return can_be ? CRD_OK : joint_file_damaged(error, "a joint tally is marked as too large, but has no size limit");
}

/* Appends a joint tally to the model. CRD_ERROR_DAMAGED: it does not come after the last one. */
static crd_status joint_file_append(crd_model *model, const crd_i_model_joint_tally *kept, crd_error *error) {
    size_t count = model->joint_tally_count;
    if (count > 0 && crd_i_joint_tallies_compare(model, &model->joint_tallies[count - 1], model, kept) >= 0)
        return joint_file_damaged(error, "its joint tallies are not in order");
    crd_i_model_joint_tally *list = crd_i_alloc(model->context, count + 1, sizeof *list);
    if (list == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) list[i] = model->joint_tallies[i];
    list[count] = *kept;
    crd_free(model->context, model->joint_tallies);
    model->joint_tallies = list;
    model->joint_tally_count = count + 1;
    return CRD_OK;
}

crd_status crd_i_joint_tallies_read(crd_model *model, crd_i_cursor *cursor, crd_error *error) {
    crd_text name = crd_i_decode_text(cursor);
    const crd_i_joint_tally_type *type = crd_i_joint_tally_type_named(name);
    char quoted[CRD_I_QUOTED_ROOM];
    if (cursor->failed) return joint_file_damaged(error, "a joint tally is too short");
    if (type == NULL)
        return crd_i_fail(error, CRD_ERROR_TOO_NEW, "unknown tally '%s': the model was written by a later version",
                          crd_i_quote(name, quoted));
    size_t *columns = NULL, count = 0;
    bool is_given_up;
    crd_i_model_joint_tally kept;
    crd_status status = joint_file_read_columns(model, cursor, &columns, &count, &is_given_up, error);
    if (status != CRD_OK) {
        crd_free(model->context, columns);
        return status;
    }
    status = crd_i_joint_tallies_create(model, type, columns, count, &kept, error);
    if (status == CRD_ERROR_COLUMN) return joint_file_damaged(error, "a joint tally has a text column");
    if (status != CRD_OK) return status;
    status = joint_file_read_content(model, &kept, is_given_up, cursor, error);
    if (status == CRD_OK) status = joint_file_append(model, &kept, error);
    if (status != CRD_OK) crd_i_joint_tallies_destroy(model->context, &kept);
    return status;
}
