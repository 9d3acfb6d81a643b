/* SPDX-License-Identifier: MIT */
/* model_internal.h - the structure of a model: a schema, a tally for each column, and default settings.
 *
 * In a tallied model, every attribute is counted per class and the target unconditionally: naive Bayes. Classes and
 * values are numbered in order of occurrence; schema_view.h computes their display order on demand. A class or value
 * whose count returned to zero keeps its number, but is no longer part of the model, unless the schema declares it. */
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
#include "stats/moments.h"
#include "table/column_schema.h"
#include "table/frame.h"

#include <credence/model.h>

/* Maximum number of fields in a row of the file that defines a model's columns: more than any reader accepts in a
 * line. */
enum { CRD_I_MOST_WIDTH = 1 << 24 };

typedef struct crd_i_variable {
    crd_i_tally *tally;       /* NULL: no cell was ever present */
    crd_i_dictionary *values; /* the meaning of value numbers; NULL except for categories */
    /* By the index of the extra type. NULL if the model does not store it, or if the column is not numeric. */
    crd_i_tally *extra[CRD_I_MOST_EXTRAS];
} crd_i_variable;

/* A joint tally of several attributes: see joint_tallies.h. */
typedef struct crd_i_model_joint_tally {
    crd_i_joint_tally *joint_tally;
    size_t *columns; /* columns of the schema, sorted by the bytes of their names; joint_tally->column_count of them */
    bool covers_all; /* true: all attributes; false: fewer */
    /* For grouped moments: belongs to a structure node whose kind is not known yet. Files omit it until one of its
     * columns is numeric. */
    bool is_for_open_kind;
} crd_i_model_joint_tally;

/* Rows that are not added to joint tallies yet. */
typedef struct crd_i_waiting crd_i_waiting;

struct crd_model {
    crd_context *context;
    crd_i_schema *schema; /* its kinds are the declared ones; NONE: determined by the cells */
    crd_settings *settings;
    crd_i_part_ids *parts;     /* ids of the parts whose rows the model contains; NULL: none has an id */
    crd_i_shards *shards;      /* shards of the table that the model contains; NULL: column kinds are final */
    crd_i_extras extras;       /* the further tallies stored for each numeric column */
    crd_i_variable *variables; /* one per column of the schema; the target's variable contains the classes */
    crd_i_binding binding;     /* binds the frames that the model learns from */
    /* class of all rows to learn if their target is missing, not owned; bytes NULL: rows have a target */
    crd_text row_class;
    crd_i_batch *batch;                     /* numbers that are not yet added to the tallies; NULL: none */
    crd_i_groups groups;                    /* memory for the row groups of a frame, reused for the next frame */
    crd_i_model_joint_tally *joint_tallies; /* sorted; NULL: none */
    size_t joint_tally_count;
    crd_i_waiting *waiting; /* rows that are not yet added to the joint tallies; NULL: none */
    /* parameters fitted to the stored training rows; cleared when the model learns or forgets */
    crd_i_fit_cache fitted;
    /* how the settings were chosen; cleared when the model learns or forgets; NULL: not chosen */
    crd_selection *selection;
    /* Posteriors of the stored training rows, each from a model without the row's fold, shared by several
     * calibrations; NULL: computed each time. Not owned, and not part of the model. */
    crd_i_fit_cache *held_out_posteriors;
    bool is_shared; /* all processes of the context's group have the same model and fit tables to its rows together */
    /* a stacked ensemble can omit members that need pair counts, as if these were dropped because of their size */
    bool may_lack_pairs;
    const crd_i_model_kind *kind;
    void *content; /* the content of a model kind that does not consist of rows; NULL: rows */
};

/* Returns CRD_ERROR_ARGUMENT for a model that does not consist of rows. The message says that it cannot
 * `description`. */
CRD_MUST_USE crd_status crd_i_model_check_of_rows(const crd_model *model, const char *description, crd_error *error);
/* Returns the tallied model that contains the rows: the model itself, unless its kind has another. */
const crd_model *crd_i_model_rows(const crd_model *model);
/* Returns CRD_ERROR_SETTING for a model without a target. */
CRD_MUST_USE crd_status crd_i_model_check_target(const crd_model *model, crd_error *error);
/* Returns CRD_ERROR_SETTING if the model has text columns and its texts were tokenized with other settings. */
CRD_MUST_USE crd_status crd_i_model_check_counted(const crd_model *model, const crd_settings *settings,
                                                  crd_error *error);
/* Returns CRD_ERROR_LIMIT if the model has learned more rows, or more weight, than a file can contain. */
CRD_MUST_USE crd_status crd_i_model_check_total(const crd_model *model, crd_error *error);

/* Returns the declared kind; if there is none, the kind of the cells counted so far. */
crd_kind crd_i_model_column_kind(const crd_model *model, size_t column);
/* Returns the root mean square of a column of numbers over all rows; 0: not known. */
double crd_i_model_scale(const crd_model *model, size_t column);
/* Returns how the model reads rows, owned by the caller: its columns with their kinds, and the texts that mean missing.
 * is_strict: for a strict reader. NULL: out of memory. */
crd_i_schema *crd_i_model_reading(const crd_model *model, bool is_strict);
/* Return the variable with the class counts, and the number of rows of a class. */
const crd_i_variable *crd_i_model_target(const crd_model *model);
double crd_i_model_class_rows(const crd_model *model, size_t class_code);

/* Discards the record of how the settings were chosen, because the rows of the model change. */
void crd_i_model_drop_selection(crd_model *model);

/* Frees the tallies of a column and makes it a column without cells. */
void crd_i_variable_clear(crd_i_variable *variable);
/* Creates the extra tallies that a numeric column lacks. false: out of memory. */
CRD_MUST_USE bool crd_i_variable_extend(crd_model *model, crd_i_variable *variable, crd_i_extras extras);

/* Prepares the column for cells of a kind. CRD_ERROR_SCHEMA_DIFFERS: it has another kind. */
CRD_MUST_USE crd_status crd_i_model_settle(crd_model *model, size_t column, crd_kind kind, crd_error *error);
/* Declares the kind of a column. Its cells, if any, must have this kind. */
void crd_i_model_declare(crd_model *model, size_t column, crd_kind kind);
/* Declares a value of a column, whether or not it is ever counted. The column must not be numeric. */
CRD_MUST_USE crd_status crd_i_model_declare_value(crd_model *model, size_t column, crd_text value, crd_error *error);
/* Returns whether a value was declared. */
bool crd_i_model_is_declared(const crd_model *model, size_t column, crd_text value);

#endif
