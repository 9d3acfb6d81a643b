/* SPDX-License-Identifier: MIT */
/* case_table.h - the rows of a table coded in memory, for what is searched or fitted over all rows again and again: scores
 * of structures, tests of independence, EM.
 *
 * Rows are distinct, each with its weight, and sorted by their content: column by column in the order of the columns, codes
 * before missing cells, numbers ascending, missing ones last. Columns are in the order of their names' bytes, states in
 * the order in which models show them. So what is computed from a case table does not depend on the order of rows, columns
 * or files, nor on threads. */
#ifndef CRD_CASES_CASE_TABLE_H
#define CRD_CASES_CASE_TABLE_H

#include "model/model_internal.h"
#include "model/schema_view.h"

/* Codes of a missing cell, by width. */
#define CRD_I_CASE_MISSING8 UINT8_MAX
#define CRD_I_CASE_MISSING16 UINT16_MAX
#define CRD_I_CASE_MISSING32 UINT32_MAX

typedef struct crd_i_case_column {
    crd_text name; /* owned */
    crd_kind kind; /* CATEGORY or NUMBER; a column without any cell is a CATEGORY without states */
    size_t state_count;
    crd_text *states; /* owned, with one block for all of their bytes: see state_bytes */
    char *state_bytes;
    /* Of a CATEGORY exactly one of these, the narrowest in which all bits set is no state; of a NUMBER none. */
    uint8_t *codes8;
    uint16_t *codes16;
    uint32_t *codes32;
    double *numbers; /* of a NUMBER; missing: NaN; never -0 */
    bool has_missing;
    bool has_intervals; /* its states are intervals, and in their order */
} crd_i_case_column;

typedef struct crd_i_case_table {
    crd_context *context;
    size_t rows, column_count;
    crd_i_case_column *columns;
    double *weights; /* of each row, above 0; NULL: all 1 */
    size_t target;   /* its column; SIZE_MAX: none */
    double total;    /* sum of weights */
    /* Every process of the context's group has the same table, and what is computed from it they compute together. */
    bool is_shared;
} crd_i_case_table;

void crd_i_case_table_destroy(crd_i_case_table *table); /* NULL is fine */

/* The rows that a model has kept (stats/kept_rows.h), the target among the columns. CRD_ERROR_SETTING: it has kept none;
 * CRD_ERROR_LIMIT: not all of them. `order` is the schema view of the model. */
CRD_MUST_USE crd_status crd_i_case_table_of_model(const crd_model *model, const crd_i_schema_view *order,
                                                  crd_i_case_table **out, crd_error *error);

/* The joint tally of them: a table where there is one, else a sample, which may have all rows; NULL: neither. */
const crd_i_model_joint_tally *crd_i_case_rows_of_model(const crd_model *model);

/* Drops the other columns; rows that are the same without them become one. On failure the table can only be destroyed. */
CRD_MUST_USE crd_status crd_i_case_table_keep(crd_i_case_table *table, const bool *stays, crd_error *error);

/* The place of the column of that name; SIZE_MAX: none. */
size_t crd_i_case_table_find(const crd_i_case_table *table, crd_text name);

/* The code of a cell of a CATEGORY, CRD_I_CASE_MISSING32 where it is missing. */
static inline uint32_t crd_i_case_code(const crd_i_case_column *column, size_t row) {
    if (column->codes8 != NULL)
        return column->codes8[row] == CRD_I_CASE_MISSING8 ? CRD_I_CASE_MISSING32 : column->codes8[row];
    if (column->codes16 != NULL)
        return column->codes16[row] == CRD_I_CASE_MISSING16 ? CRD_I_CASE_MISSING32 : column->codes16[row];
    return column->codes32[row];
}

static inline double crd_i_case_weight(const crd_i_case_table *table, size_t row) {
    return table->weights == NULL ? 1 : table->weights[row];
}

/* ---- Of frames ---- */

/* Gathers rows of frames, in memory of about a byte for each cell of a category. */
typedef struct crd_i_case_builder crd_i_case_builder;

/* Of these columns, or all for names NULL, but for the weight; texts without bytes: no target, no weight. The target is
 * one of the columns. */
CRD_MUST_USE crd_status crd_i_case_builder_create(crd_context *context, const crd_text *names, size_t name_count,
                                                  crd_text target, crd_text weight, crd_i_case_builder **out,
                                                  crd_error *error);
void crd_i_case_builder_destroy(crd_i_case_builder *builder); /* NULL is fine */
/* Columns that were not there before had missing cells. CRD_ERROR_SCHEMA_DIFFERS: a column has another kind than before;
 * CRD_ERROR_WEIGHT: a weight is none. On failure the builder can only be destroyed. */
CRD_MUST_USE crd_status crd_i_case_builder_add(crd_i_case_builder *builder, const crd_frame *frame, crd_error *error);
/* States that some frame declares are there, too. CRD_ERROR_COLUMN: a column of `names`, the target or the weight was in
 * no frame. The builder can only be destroyed then. */
CRD_MUST_USE crd_status crd_i_case_builder_finish(crd_i_case_builder *builder, crd_i_case_table **out,
                                                  crd_error *error);

/* The same of the rows that the builders of all processes of the context's group have, in each of them; of a process alone, of its own. Takes
 * how the work so far has ended, as collective calls do (base/collective.h). */
CRD_MUST_USE crd_status crd_i_case_builder_finish_together(crd_i_case_builder *builder, crd_status status,
                                                           crd_i_case_table **out, crd_error *error);

/* All rows of a reader, with its target and weight, if any; where each process of a group has a part of them, of all parts. */
CRD_MUST_USE crd_status crd_i_case_table_of_reader(crd_reader *reader, const crd_text *names, size_t name_count,
                                                   crd_i_case_table **out, crd_error *error);

/* ---- For those who make case tables ---- */

/* Columns without names, kinds or cells; no rows. NULL: out of memory. */
crd_i_case_table *crd_i_case_table_create(crd_context *context, size_t columns);
/* Copies the name. false: out of memory; so below. */
CRD_MUST_USE bool crd_i_case_column_name(const crd_i_case_table *table, size_t column, crd_text name);
/* Copies the texts with these codes of a dictionary, which are then the states 0, 1, ... */
CRD_MUST_USE bool crd_i_case_column_states(const crd_i_case_table *table, size_t column, const crd_i_dictionary *texts,
                                           const int32_t *codes, size_t count);
/* Room for codes of so many rows, as wide as the states of the column need; they are not filled in. */
CRD_MUST_USE bool crd_i_case_column_codes(const crd_i_case_table *table, size_t column, size_t rows);
static inline void crd_i_case_put(crd_i_case_column *column, size_t row, uint32_t code) {
    if (column->codes8 != NULL) column->codes8[row] = (uint8_t)code;
    else if (column->codes16 != NULL) column->codes16[row] = (uint16_t)code;
    else column->codes32[row] = code;
}
/* The table of the rows of all processes of a group, in the place of that of each, whose rows need not be arranged. On failure it is NULL. */
CRD_MUST_USE crd_status crd_i_case_table_unite(crd_context *context, crd_status status, crd_i_case_table **table,
                                               crd_error *error);
/* Sorts the rows, which may be in any order and equal each other, makes them distinct, and fills in has_missing, total and,
 * where all weights are 1, weights NULL. Rows with a weight of 0 are dropped. Less than 2^32 - 1 rows. On failure the
 * table can only be destroyed. */
CRD_MUST_USE crd_status crd_i_case_table_arrange(crd_i_case_table *table, crd_error *error);

#endif
