/* SPDX-License-Identifier: MIT */
/* structure_of_rows.c - learns a structure from the rows of a source. See credence/structure.h.
 *
 * Rows are added to a case table as they are read. So the memory needed is proportional to the number of distinct
 * rows. */
#include "base/collective.h"
#include "base/error.h"
#include "base/memory.h"
#include "evaluate/cross_validation.h"
#include "evaluate/row_source.h"
#include "structure/found_structure.h"
#include "table/read/reader.h"

/* Creates a frame of the rows whose target is known; NULL if it is known in all rows. */
static crd_status pick_labelled(const crd_row_source *source, const crd_frame *frame, crd_frame **out,
                                crd_error *error) {
    size_t target = crd_i_row_source_target(source, frame), count = 0;
    *out = NULL;
    if (target == SIZE_MAX) return CRD_OK;
    size_t *rows = crd_i_alloc(source->context, frame->rows, sizeof *rows);
    if (rows == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < frame->rows; i++)
        if (crd_i_column_present(&frame->columns[target], i)) rows[count++] = i;
    crd_status status = count == frame->rows ? CRD_OK : crd_i_cross_validation_pick(frame, rows, count, out, error);
    crd_free(source->context, rows);
    return status;
}

/* Adds the labeled rows of a frame. */
static crd_status structure_of_rows_add_frame(const crd_row_source *source, crd_i_case_builder *builder,
                                              const crd_frame *frame, crd_error *error) {
    crd_frame *labelled;
    crd_status status = pick_labelled(source, frame, &labelled, error);
    if (status == CRD_OK) status = crd_i_case_builder_add(builder, labelled == NULL ? frame : labelled, error);
    crd_frame_destroy(labelled);
    return status;
}

/* Adds all rows of the source. Returns CRD_RESTART if the type of a column has changed; all rows must then be added
 * again. */
static crd_status structure_of_rows_add(crd_row_source *source, crd_i_case_builder *builder, crd_error *error) {
    crd_status status = CRD_OK;
    while (status == CRD_OK) {
        const crd_frame *frame;
        status = crd_row_source_next(source, &frame, error);
        if (status != CRD_OK || frame == NULL) break;
        status = structure_of_rows_add_frame(source, builder, frame, error);
        if (status == CRD_OK && crd_i_context_cancelled(source->context)) status = crd_i_fail_cancelled(error);
    }
    return status;
}

/* Reads all rows into a case table. If each process of a group reads a part of the rows, the table contains the rows
 * of all parts. */
static crd_status structure_of_rows_read(crd_row_source *source, crd_i_case_table **out, crd_error *error) {
    crd_i_case_builder *builder = NULL;
    const bool is_part = crd_i_row_source_is_part(source);
    crd_status status = CRD_OK;
    do {
        status = status == CRD_RESTART && is_part ? crd_reader_begin_again(source->reader, error) : CRD_OK;
        crd_i_case_builder_destroy(builder);
        builder = NULL;
        if (status == CRD_OK)
            status =
                crd_i_case_builder_create(source->context, NULL, 0, source->target, source->weight, &builder, error);
        if (status == CRD_OK && is_part) crd_i_reader_begin_pass(source->reader);
        if (status == CRD_OK) status = structure_of_rows_add(source, builder, error);
        if (is_part) status = crd_i_reader_agree(source->reader, status, error);
    } while (status == CRD_RESTART);
    if (status == CRD_OK)
        status = is_part ? crd_i_case_builder_finish_together(builder, status, out, error)
                         : crd_i_case_builder_finish(builder, out, error);
    crd_i_case_builder_destroy(builder);
    return status;
}

crd_status crd_structure_learn(crd_row_source *source, const crd_settings *settings,
                               const crd_structure_options *options, crd_structure **out, crd_error *error) {
    crd_i_case_table *table = NULL;
    *out = NULL;
    crd_status status = structure_of_rows_read(source, &table, error);
    if (status == CRD_OK) status = crd_i_structure_of_cases(table, settings, options, out, error);
    crd_i_case_table_destroy(table);
    status = crd_i_conclude(source->context, status, error);
    if (status == CRD_OK) return CRD_OK;
    crd_structure_destroy(*out);
    *out = NULL;
    return status;
}
