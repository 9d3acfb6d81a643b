/* SPDX-License-Identifier: MIT */
/* joint_tallies.h - what a model keeps of several attributes together; see stats/joint_tally.h.
 *
 * Which joint tallies a model keeps is settled before its first row, by its settings or by name. They stand in the order of
 * their types, of one type that of all attributes first, then by the names of the columns that they cover; no two are
 * the same. A column of a joint tally is settled exactly where the model has cells of it, so that files need not say. */
#ifndef CRD_MODEL_JOINT_TALLIES_H
#define CRD_MODEL_JOINT_TALLIES_H

#include "density/multivariate/joint_density.h"
#include "io/section.h"
#include "model/model_internal.h"
#include "model/schema_view.h"
#include "text/tokens.h"

/* ---- Which are kept ---- */

/* Keeps what the model's settings read; or joint tallies of all attributes, as in crd_i_kept; or, in place of all
 * others, the same as another model with the same columns. Nothing was learned yet; on failure the model is as it
 * was. CRD_ERROR_COLUMN where a block has a column that is no attribute. */
CRD_MUST_USE crd_status crd_i_joint_tallies_keep_by_settings(crd_model *model, crd_error *error);
CRD_MUST_USE crd_status crd_i_joint_tallies_keep(crd_model *model, uint32_t types, crd_error *error);
CRD_MUST_USE crd_status crd_i_joint_tallies_keep_like(crd_model *model, const crd_model *like, crd_error *error);
void crd_i_joint_tallies_clear(crd_model *model);
/* Whether answers under these settings are those of naive Bayes, which read no joint tallies. */
bool crd_i_joint_tallies_are_idle(const crd_settings *settings);
/* CRD_ERROR_SCHEMA_DIFFERS where two models do not keep the same. */
CRD_MUST_USE crd_status crd_i_joint_tallies_check_same(const crd_model *model, const crd_model *other,
                                                       crd_error *error);

/* ---- Learning ---- */

/* The cells of some rows that joint tallies are to add, column by column of the schema. Codes are copied, and texts made
 * bags of terms. */
typedef struct crd_i_offered {
    crd_context *context;
    size_t rows, columns;
    crd_i_cells *cells; /* of each column; without numbers, codes and texts where no cell that counts is present */
    int32_t **codes;    /* owned */
    crd_text **texts;   /* owned, as what they point into */
    crd_i_buffer bags;
    bool has_texts;
} crd_i_offered;

CRD_MUST_USE bool crd_i_offered_init(crd_i_offered *offered, crd_context *context, size_t rows, size_t columns);
/* Some cell of the column is present in a row that counts, and the column has the kind of it. */
CRD_MUST_USE bool crd_i_offered_put(crd_i_offered *offered, size_t column, const crd_i_cells *cells);
/* The same of a column of texts, with the error of the tokenizer. Conditions: negative where a row does not count. */
CRD_MUST_USE crd_status crd_i_offered_put_texts(crd_i_offered *offered, size_t column, const crd_i_cells *cells,
                                                const int32_t *conditions, const crd_i_token_rules *rules,
                                                crd_error *error);
void crd_i_offered_clear(crd_i_offered *offered); /* all zero is fine */

/* Adds these rows to every joint tally, under their classes. On failure a part may have been added. */
CRD_MUST_USE crd_status crd_i_joint_tallies_add(crd_model *model, const crd_i_offered *offered,
                                                const int32_t *conditions, const double *weights, crd_error *error);

/* The same for rows without weights, some frames of many: they may wait, so that more are added at once. The joint
 * tallies are complete once these are poured, and nobody but those who learn may use them before. */
CRD_MUST_USE crd_status crd_i_joint_tallies_wait(crd_model *model, const crd_i_offered *offered,
                                                 const int32_t *conditions, crd_error *error);
CRD_MUST_USE crd_status crd_i_joint_tallies_pour(crd_model *model, crd_error *error);
void crd_i_waiting_destroy(crd_i_waiting *waiting); /* NULL is fine */

/* How another model's columns, classes and values are numbered in a model: see merge.c. */
typedef struct crd_i_joint_tallies_match {
    const size_t *classes;
    size_t *const *values; /* of each of the other's columns; NULL where it has none */
} crd_i_joint_tallies_match;

/* A new joint tally for each of the model's, with the other's rows added or taken out. The model's tallies are those
 * that it will have, and everything has its number in them. CRD_ERROR_NOT_LEARNED, CRD_ERROR_CANNOT_FORGET,
 * CRD_ERROR_LIMIT. */
CRD_MUST_USE crd_status crd_i_joint_tallies_combined(crd_model *model, const crd_model *other,
                                                     const crd_i_joint_tallies_match *match, int sign,
                                                     crd_i_joint_tally ***out, crd_error *error);
/* Makes them the model's, and destroys those that were; or destroys them. */
void crd_i_joint_tallies_take(crd_model *model, crd_i_joint_tally **made);
void crd_i_joint_tallies_discard(const crd_model *model, crd_i_joint_tally **made); /* NULL is fine */
/* The model's columns now stand as the other's do. */
void crd_i_joint_tallies_move(crd_model *model, const crd_model *other);

/* ---- Files ---- */

/* One section each. The order is of what was counted. */
void crd_i_joint_tallies_write(const crd_model *model, const crd_i_schema_view *order, crd_i_encoder *encoder);
/* Behind classes and attributes. */
CRD_MUST_USE crd_status crd_i_joint_tallies_read(crd_model *model, crd_i_cursor *cursor, crd_error *error);
/* Behind all sections: those that are not in files. */
CRD_MUST_USE crd_status crd_i_joint_tallies_complete(crd_model *model, crd_error *error);

/* ---- What a classifier sees ---- */

/* Conditions are the classes of the order, and the values of each column those of its view there, both by their places.
 * The order outlives it; closed with _close, which also takes one that is all zero. */
CRD_MUST_USE crd_status crd_i_joint_tallies_open(const crd_model *model, const crd_i_model_joint_tally *kept,
                                                 const crd_i_schema_view *order, crd_i_joint_source *out,
                                                 crd_error *error);
void crd_i_joint_tallies_close(crd_i_joint_source *joint_source);

/* ---- Between the files of this header ---- */

/* The columns, which are taken over in any case, in the order of their names. */
CRD_MUST_USE crd_status crd_i_joint_tallies_create(const crd_model *model, const crd_i_joint_tally_type *type,
                                                   size_t *columns, size_t count, crd_i_model_joint_tally *out,
                                                   crd_error *error);
void crd_i_joint_tallies_destroy(crd_context *context, crd_i_model_joint_tally *kept);
/* The order in which they stand; the models have the same columns. */
int crd_i_joint_tallies_compare(const crd_model *a_model, const crd_i_model_joint_tally *a, const crd_model *b_model,
                                const crd_i_model_joint_tally *b);
/* Whether it is left out of files: see is_for_open_kind. */
bool crd_i_joint_tallies_is_unwritten(const crd_i_model_joint_tally *kept);
/* Settles the columns of one that is new, in a model that has learned: their kinds are those of its attributes. false: out
 * of memory. */
CRD_MUST_USE bool crd_i_joint_tallies_settle_columns(const crd_model *model, const crd_i_model_joint_tally *kept);
/* Makes known to a joint tally what the model knows; false: out of memory. */
CRD_MUST_USE bool crd_i_joint_tallies_extend(const crd_model *model, const crd_i_model_joint_tally *kept,
                                             crd_i_joint_tally *joint_tally);

#endif
