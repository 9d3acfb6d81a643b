/* SPDX-License-Identifier: MIT */
/* case_builder.h - builds case tables (table/case_table.h) from frames, readers and the stored training rows of
 * models. */
#ifndef CRD_CASES_CASE_BUILDER_H
#define CRD_CASES_CASE_BUILDER_H

#include "model/model_internal.h"
#include "model/schema_view.h"
#include "table/case_table.h"

/* Creates a table of the stored training rows of a model (stats/kept_rows.h), with the target as a column.
 * CRD_ERROR_SETTING: the model stored no rows; CRD_ERROR_LIMIT: it did not store all of them. `order` is the model's
 * schema view. */
CRD_MUST_USE crd_status crd_i_case_table_of_model(const crd_model *model, const crd_i_schema_view *view,
                                                  crd_i_case_table **out, crd_error *error);

/* Returns the joint tally with the stored training rows: a table if there is one, otherwise a sample, which may
 * contain all rows; NULL: neither. */
const crd_i_model_joint_tally *crd_i_case_rows_of_model(const crd_model *model);

/* Collects rows of frames, using about one byte per categorical cell. */
typedef struct crd_i_case_builder crd_i_case_builder;

/* Creates a builder for the named columns, or for all columns except the weight if `names` is NULL. A text without
 * bytes means no target or no weight. The target is one of the columns. */
CRD_MUST_USE crd_status crd_i_case_builder_create(crd_context *context, const crd_text *names, size_t name_count,
                                                  crd_text target, crd_text weight, crd_i_case_builder **out,
                                                  crd_error *error);
void crd_i_case_builder_destroy(crd_i_case_builder *builder); /* NULL is allowed */
/* Adds the rows of a frame. Cells of a new column are missing in earlier rows. CRD_ERROR_SCHEMA_DIFFERS: the type of
 * a column changed; CRD_ERROR_WEIGHT: invalid weight. On failure the builder can only be destroyed. */
CRD_MUST_USE crd_status crd_i_case_builder_add(crd_i_case_builder *builder, const crd_frame *frame, crd_error *error);
/* Marks the states of a column, of which cells were added, as intervals. */
void crd_i_case_builder_mark_intervals(crd_i_case_builder *builder, crd_text name);
/* Creates the table. It also contains states that frames declare but no cell has. CRD_ERROR_COLUMN: a column of
 * `names`, the target or the weight was in no frame. Afterwards the builder can only be destroyed. If each process of
 * `group` has some of the rows, every process gets the table of all rows; the call is then collective. */
CRD_MUST_USE crd_status crd_i_case_builder_finish(crd_i_case_builder *builder, crd_i_group *group,
                                                  crd_i_case_table **out, crd_error *error);

/* Creates a table of all rows of a reader, with its target and weight, if any. If each process of a group has a part
 * of the rows, the table contains all parts. */
CRD_MUST_USE crd_status crd_i_case_table_of_reader(crd_reader *reader, const crd_text *names, size_t name_count,
                                                   crd_i_case_table **out, crd_error *error);

/* Replaces the table of each process by the table of all processes' rows. Its rows need not be arranged. Collective. On
 * failure *table is NULL. */
CRD_MUST_USE crd_status crd_i_case_table_unite(crd_i_group *group, crd_i_case_table **table, crd_error *error);

#endif
