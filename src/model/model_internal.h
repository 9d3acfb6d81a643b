/* SPDX-License-Identifier: MIT */
/* model_internal.h - what a model is made of: a schema, a tally for each of its columns, and default settings.
 *
 * In the model of this folder every attribute is tallied under the class, and the target under nothing: naive Bayes.
 * Classes and values are numbered as they were met; their order is made when it is asked for, see schema_view.h. Those
 * whose counts have gone back to zero keep their number but are no part of the model any more, unless the schema
 * declares them. */
#ifndef CRD_MODEL_MODEL_INTERNAL_H
#define CRD_MODEL_MODEL_INTERNAL_H

#include "base/dictionary.h"
#include "density/univariate/family.h"
#include "model/fit_cache.h"
#include "model/frame_binding.h"
#include "model/model_kind.h"
#include "model/part_ids.h"
#include "model/selection.h"
#include "model/shards.h"
#include "stats/joint_tally.h"
#include "stats/moments_batch.h"
#include "table/column_schema.h"
#include "table/frame.h"

#include <credence/model.h>

/* Fields in a row of the file that a model's columns come from: more than any reader takes in a line. */
enum { CRD_I_MOST_WIDTH = 1 << 24 };

typedef struct crd_i_variable {
    crd_i_tally *tally;       /* NULL: no cell was ever present */
    crd_i_dictionary *values; /* what the values' numbers mean; NULL but for categories */
    /* By its number among the extra types. NULL where the model does not keep it, and but for numbers. */
    crd_i_tally *extra[CRD_I_MOST_EXTRAS];
} crd_i_variable;

/* What it keeps of several attributes together: see joint_tallies.h. */
typedef struct crd_i_model_joint_tally {
    crd_i_joint_tally *joint_tally;
    size_t *columns; /* of the schema, in the order of their names' bytes; joint tally->column_count of them */
    bool covers_all; /* whether these are all attributes; else they are fewer */
    /* Of groups: kept for a node of the structure of which it is open whether it is a number. It is not in files before one
     * of its columns is. */
    bool is_for_open_kind;
} crd_i_model_joint_tally;

/* Rows that are yet to be added to joint tallies. */
typedef struct crd_i_waiting crd_i_waiting;

struct crd_model {
    crd_context *context;
    crd_i_schema *schema; /* its kinds are the declared ones; NONE: what the cells show */
    crd_settings *settings;
    crd_i_part_ids *parts;     /* the ids of the parts whose rows it holds; NULL: none has one */
    crd_i_shards *shards;      /* of the table that it holds some of; NULL: its columns are what they are */
    crd_i_extras extras;       /* the further tallies that it keeps of each number column */
    crd_i_variable *variables; /* one for each column of the schema; the target's holds the classes */
    crd_i_binding binding;     /* to the frames that it learns from */
    crd_text row_class;  /* of all rows that it learns, not owned, whose target is missing; bytes NULL: rows have it */
    crd_i_batch *batch;  /* numbers that its tallies lack until it is settled; NULL: none */
    crd_i_groups groups; /* room for those of a frame's rows, from one frame to the next */
    crd_i_model_joint_tally *joint_tallies; /* in their order; NULL: none */
    size_t joint_tally_count;
    crd_i_waiting *waiting;   /* rows that its joint tallies lack until it is settled; NULL: none */
    crd_i_fit_cache fitted;   /* what was fitted to the rows that it keeps, until it learns or forgets */
    crd_selection *selection; /* how its settings were chosen, until then; NULL: they were not */
    /* Posteriors of its kept rows, each by a model without the row's fold, for a model of which several calibrations are
     * fitted one after the other; NULL: they are computed anew. The owner's, and no part of the model. */
    crd_i_fit_cache *held_out_posteriors;
    bool is_shared; /* every process of the context's group has the same, and they fit tables to its rows together */
    bool may_lack_pairs; /* a stacked ensemble does without the members that read them, as where they were given up */
    const crd_i_model_kind *kind;
    void *content; /* of its kind, what it is made of in the place of rows; NULL: rows */
};

/* CRD_ERROR_ARGUMENT for a model that is not made of rows: it cannot `what`. */
CRD_MUST_USE crd_status crd_i_model_check_of_rows(const crd_model *model, const char *what, crd_error *error);
/* The tallied model that has its rows: itself, unless its kind has another. */
const crd_model *crd_i_model_rows(const crd_model *model);
/* CRD_ERROR_SETTING for a model that has no target. */
CRD_MUST_USE crd_status crd_i_model_check_target(const crd_model *model, crd_error *error);
/* CRD_ERROR_SETTING for settings under which its texts, where it has any, were not counted. */
CRD_MUST_USE crd_status crd_i_model_check_counted(const crd_model *model, const crd_settings *settings,
                                                  crd_error *error);
/* CRD_ERROR_LIMIT where it has learned more rows, or more weight, than a file may hold. */
CRD_MUST_USE crd_status crd_i_model_check_total(const crd_model *model, crd_error *error);

/* The declared kind, or else the kind of the cells that are there now. */
crd_kind crd_i_model_column_kind(const crd_model *model, size_t column);
/* Returns the root mean square of a column of numbers over all rows; 0: not known. */
double crd_i_model_scale(const crd_model *model, size_t column);
/* Returns how the model reads rows, owned by the caller: its columns with their kinds, and the texts that mean missing. is_strict:
 * for a strict reader. NULL: out of memory. */
crd_i_schema *crd_i_model_reading(const crd_model *model, bool is_strict);
/* The class counts, and the number of rows of a class. */
const crd_i_variable *crd_i_model_target(const crd_model *model);
double crd_i_model_class_rows(const crd_model *model, size_t class_code);

/* Of a model whose rows change: they are not those by which its settings were chosen. */
void crd_i_model_drop_selection(crd_model *model);

/* Frees what a column has, and makes it one without cells. */
void crd_i_variable_clear(crd_i_variable *variable);
/* Makes the extra tallies of a number column that it lacks. false: out of memory. */
CRD_MUST_USE bool crd_i_variable_extend(crd_model *model, crd_i_variable *variable, crd_i_extras extras);

/* Makes the column ready for cells of a kind. CRD_ERROR_SCHEMA_DIFFERS where it has another. */
CRD_MUST_USE crd_status crd_i_model_settle(crd_model *model, size_t column, crd_kind kind, crd_error *error);
/* States the kind of a column whose cells, if any, are of it. */
void crd_i_model_declare(crd_model *model, size_t column, crd_kind kind);
/* Makes a value of a column known, whether or not it is ever counted. The column must not be one of numbers. */
CRD_MUST_USE crd_status crd_i_model_declare_value(crd_model *model, size_t column, crd_text value, crd_error *error);
/* Whether a value was declared. */
bool crd_i_model_is_declared(const crd_model *model, size_t column, crd_text value);

#endif
