/* SPDX-License-Identifier: MIT */
/* joint_tallies.h - the joint statistics (joint tallies) of several attributes in a model; see stats/joint_tally.h.
 *
 * The settings, or a list of names, determine which joint tallies a model stores before its first row. They are
 * sorted by type; within a type the one of all attributes comes first, then by the names of their columns. No two
 * are equal. A column of a joint tally is settled exactly if the model has cells of it, so files need not store
 * that. */
#ifndef CRD_MODEL_JOINT_TALLIES_H
#define CRD_MODEL_JOINT_TALLIES_H

#include "density/multivariate/joint_density.h"
#include "io/section.h"
#include "model/model_internal.h"
#include "model/schema_view.h"
#include "stats/kept_rows.h"
#include "text/tokens.h"

/* ---- Selecting joint tallies ---- */

/* Add the joint tallies that the model's settings need; or joint tallies of all attributes, with the types of
 * crd_i_kept; or replace them by those of another model with the same columns. The model must not have learned
 * anything. On failure it is unchanged. CRD_ERROR_COLUMN: a block contains a column that is not an attribute. */
CRD_MUST_USE crd_status crd_i_joint_tallies_keep_by_settings(crd_model *model, crd_error *error);
CRD_MUST_USE crd_status crd_i_joint_tallies_keep(crd_model *model, uint32_t types, crd_error *error);
CRD_MUST_USE crd_status crd_i_joint_tallies_keep_like(crd_model *model, const crd_model *like, crd_error *error);
void crd_i_joint_tallies_clear(crd_model *model);
/* Returns whether the settings select naive Bayes, which needs no joint tallies. */
bool crd_i_joint_tallies_are_idle(const crd_settings *settings);
/* Returns CRD_ERROR_SCHEMA_DIFFERS if two models store different joint tallies. */
CRD_MUST_USE crd_status crd_i_joint_tallies_check_same(const crd_model *model, const crd_model *other,
                                                       crd_error *error);

/* ---- Learning ---- */

/* The cells of some rows to add to joint tallies, for each column of the schema. Codes are copied, and texts are
 * converted to bags of terms. */
typedef struct crd_i_offered {
    crd_context *context;
    size_t rows, columns;
    crd_i_cells *cells; /* one per column; without numbers, codes and texts if no counted row has a present cell */
    int32_t **codes;    /* owned */
    crd_text **texts;   /* owned, and so is the memory they point into */
    crd_i_buffer bags;
    bool has_texts;
} crd_i_offered;

CRD_MUST_USE bool crd_i_offered_init(crd_i_offered *offered, crd_context *context, size_t rows, size_t columns);
/* Adds the cells of a column that has a present cell in a counted row. The column must have the type of the cells. */
CRD_MUST_USE bool crd_i_offered_put(crd_i_offered *offered, size_t column, const crd_i_cells *cells);
/* Adds the cells of a text column; returns errors of the tokenizer. A negative condition means that the row does not
 * count. */
CRD_MUST_USE crd_status crd_i_offered_put_texts(crd_i_offered *offered, size_t column, const crd_i_cells *cells,
                                                const int32_t *conditions, const crd_i_token_rules *rules,
                                                crd_error *error);
void crd_i_offered_clear(crd_i_offered *offered); /* a zeroed struct is allowed */

/* Adds these rows to every joint tally, under their classes. On failure some may have been added. */
CRD_MUST_USE crd_status crd_i_joint_tallies_add(crd_model *model, const crd_i_offered *offered,
                                                const int32_t *conditions, const double *weights, crd_error *error);

/* Adds unweighted rows of one of many frames. They are buffered, so more rows are added at once. The joint tallies
 * are complete after crd_i_joint_tallies_pour; until then only training code may use them. */
CRD_MUST_USE crd_status crd_i_joint_tallies_wait(crd_model *model, const crd_i_offered *offered,
                                                 const int32_t *conditions, crd_error *error);
CRD_MUST_USE crd_status crd_i_joint_tallies_pour(crd_model *model, crd_error *error);
void crd_i_waiting_destroy(crd_i_waiting *waiting); /* NULL is allowed */

/* Maps the columns, classes and values of another model to the numbers in a model: see merge.c. */
typedef struct crd_i_joint_tallies_match {
    const size_t *classes;
    size_t *const *values; /* one array per column of the other model; NULL if it has no values */
} crd_i_joint_tallies_match;

/* Creates a new joint tally for each of the model's, with the other model's rows added or removed. The model's
 * tallies must already be the resulting ones and contain all classes and values. CRD_ERROR_NOT_LEARNED,
 * CRD_ERROR_CANNOT_FORGET, CRD_ERROR_LIMIT. */
CRD_MUST_USE crd_status crd_i_joint_tallies_combined(crd_model *model, const crd_model *other,
                                                     const crd_i_joint_tallies_match *match, int sign,
                                                     crd_i_joint_tally ***out, crd_error *error);
/* Replace the model's joint tallies by these and destroy the old ones; or destroy the new ones. */
void crd_i_joint_tallies_take(crd_model *model, crd_i_joint_tally **tally);
void crd_i_joint_tallies_discard(const crd_model *model, crd_i_joint_tally **tally); /* NULL is allowed */
/* Reorders columns, because the model's columns now have the order of the other model's. */
void crd_i_joint_tallies_move(crd_model *model, const crd_model *other);

/* ---- Files ---- */

/* Writes one section per joint tally. `schema_view` contains counted classes and values only. */
void crd_i_joint_tallies_write(const crd_model *model, const crd_i_schema_view *schema_view, crd_i_encoder *encoder);
/* Reads a joint tally. Its section follows the classes and attributes. */
CRD_MUST_USE crd_status crd_i_joint_tallies_read(crd_model *model, crd_i_cursor *cursor, crd_error *error);
/* Adds the joint tallies that files omit. Called after all sections. */
CRD_MUST_USE crd_status crd_i_joint_tallies_complete(crd_model *model, crd_error *error);

/* ---- Access for classifiers ---- */

/* Opens a joint tally. Conditions are classes in the order of `schema_view`; values of each column have the order of
 * its view. `schema_view` must outlive the result. crd_i_joint_tallies_close also accepts a zeroed struct. */
CRD_MUST_USE crd_status crd_i_joint_tallies_open(const crd_model *model, const crd_i_model_joint_tally *kept,
                                                 const crd_i_schema_view *schema_view, crd_i_joint_source *out,
                                                 crd_error *error);
void crd_i_joint_tallies_close(crd_i_joint_source *joint_source);
/* Returns the joint tally of a type that covers all attributes; NULL if the model does not store it. */
const crd_i_model_joint_tally *crd_i_joint_tallies_whole(const crd_model *model, const crd_i_joint_tally_type *type);
/* Reads the stored rows of such a joint tally, in the order of `schema_view`. The caller clears *out, even on failure. */
CRD_MUST_USE crd_status crd_i_joint_tallies_rows(const crd_model *model, const crd_i_model_joint_tally *kept,
                                                 const crd_i_schema_view *schema_view, crd_i_sample *out,
                                                 crd_error *error);

/* ---- Internal to the files that implement this header ---- */

void crd_i_joint_tallies_destroy(crd_context *context, crd_i_model_joint_tally *kept);
/* Settles the columns of a new joint tally, in a model that has learned: their types are the types of the
 * attributes. false: out of memory. */
CRD_MUST_USE bool crd_i_joint_tallies_settle_columns(const crd_model *model, const crd_i_model_joint_tally *kept);

#endif
