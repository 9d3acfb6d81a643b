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
#include "stats/bundle.h"
#include "stats/moments_batch.h"
#include "table/column_schema.h"
#include "table/frame.h"

#include <credence/model.h>
#include <credence/network.h>

/* Fields in a row of the file that a model's columns come from: more than any reader takes in a line. */
enum { CRD_I_MOST_WIDTH = 1 << 24 };

typedef struct crd_i_variable {
    crd_i_tally *tally;       /* NULL: no cell was ever present */
    crd_i_dictionary *values; /* what the values' numbers mean; NULL but for categories */
    /* By its number among the extra types. NULL where the model does not keep it, and but for numbers. */
    crd_i_tally *extra[CRD_I_MOST_EXTRAS];
} crd_i_variable;

/* What it keeps of several attributes together: see model_bundles.h. */
typedef struct crd_i_model_bundle {
    crd_i_bundle *bundle;
    size_t *columns; /* of the schema, in the order of their names' bytes; bundle->column_count of them */
    bool covers_all; /* whether these are all attributes; else they are fewer */
} crd_i_model_bundle;

/* The models that answer in its place, see member_models.h. */
typedef struct crd_i_members crd_i_members;

/* Rows that are yet to be added to bundles. */
typedef struct crd_i_waiting crd_i_waiting;

struct crd_model {
    crd_context *context;
    crd_i_schema *schema; /* its kinds are the declared ones; NONE: what the cells show */
    crd_settings *settings;
    crd_i_extras extras;         /* the further tallies that it keeps of each number column */
    crd_i_variable *variables;   /* one for each column of the schema; the target's holds the classes */
    crd_i_binding binding;       /* to the frames that it learns from */
    crd_i_batch *batch;          /* numbers that its tallies lack until it is settled; NULL: none */
    crd_i_model_bundle *bundles; /* in their order; NULL: none */
    size_t bundle_count;
    crd_i_waiting *waiting; /* rows that its bundles lack until it is settled; NULL: none */
    crd_i_fit_cache fitted; /* what was fitted to the rows that it keeps, until it learns or forgets */
    bool may_lack_pairs;    /* a committee does without the members that read them, as where they were given up */
    crd_i_members *members; /* that it is made of; NULL: none */
    crd_network *network;   /* that it states, see stated_network.h; NULL: none. With neither it is a model of rows */
};

/* CRD_ERROR_ARGUMENT for a model that is not one of rows, but made of others or of a network: it cannot `what`. */
CRD_MUST_USE crd_status crd_i_model_check_of_rows(const crd_model *model, const char *what, crd_error *error);
/* CRD_ERROR_SETTING for a model that has no target. */
CRD_MUST_USE crd_status crd_i_model_check_target(const crd_model *model, crd_error *error);
/* CRD_ERROR_LIMIT where it has learned more rows, or more weight, than a file may hold. */
CRD_MUST_USE crd_status crd_i_model_check_total(const crd_model *model, crd_error *error);

/* Takes over the schema, also when it fails; copies the settings (NULL: defaults), and keeps the extra tallies and the
 * bundles that are read under them; bare: none. Where these count a stated network, the schema need have no target. */
CRD_MUST_USE crd_status crd_i_model_create(crd_context *context, crd_i_schema *schema, const crd_settings *settings,
                                           crd_model **out, crd_error *error);
CRD_MUST_USE crd_status crd_i_model_create_bare(crd_context *context, crd_i_schema *schema,
                                                const crd_settings *settings, crd_model **out, crd_error *error);
/* Keeps further tallies and bundles from now on. The model has learned nothing yet; on failure it is as it was. */
CRD_MUST_USE crd_status crd_i_model_keep(crd_model *model, crd_i_kept kept, crd_error *error);
/* Keeps what another with the same columns does, and no more: settings may have come later that would need others. The
 * model has learned nothing yet, and is bare. */
CRD_MUST_USE crd_status crd_i_model_keep_like(crd_model *model, const crd_model *like, crd_error *error);
/* With the same columns, settings, extra tallies and bundles, but nothing learned. */
CRD_MUST_USE crd_status crd_i_model_create_like(const crd_model *model, crd_model **out, crd_error *error);
/* With all that it learned. */
CRD_MUST_USE crd_status crd_i_model_clone(const crd_model *model, crd_model **out, crd_error *error);

/* The declared kind, or else the kind of the cells that are there now. */
crd_kind crd_i_model_kind(const crd_model *model, size_t column);
/* The class counts, and the number of rows of a class. */
const crd_i_variable *crd_i_model_target(const crd_model *model);
double crd_i_model_class_rows(const crd_model *model, size_t class_code);

/* Makes the column ready for cells of a kind. CRD_ERROR_SCHEMA_DIFFERS where it has another. */
CRD_MUST_USE crd_status crd_i_model_settle(crd_model *model, size_t column, crd_kind kind, crd_error *error);
/* States the kind of a column whose cells, if any, are of it. */
void crd_i_model_declare(crd_model *model, size_t column, crd_kind kind);
/* Makes a value of a column known, whether or not it is ever counted. The column must not be one of numbers. */
CRD_MUST_USE crd_status crd_i_model_declare_value(crd_model *model, size_t column, crd_text value, crd_error *error);
/* Whether a value was declared. */
bool crd_i_model_is_declared(const crd_model *model, size_t column, crd_text value);

/* Adds the rows of a frame, with their weights where the schema has one. On failure a part may have been added: for
 * models that are then thrown away. */
CRD_MUST_USE crd_status crd_i_accumulate_frame(crd_model *model, const crd_frame *frame, crd_read_facts *facts,
                                               crd_error *error);
/* The same for one frame of many: numbers may wait, so that frames are added together. The model is complete once it is
 * settled, and nobody but these may use it before. */
CRD_MUST_USE crd_status crd_i_accumulate_buffered(crd_model *model, const crd_frame *frame, crd_read_facts *facts,
                                                  crd_error *error);
CRD_MUST_USE crd_status crd_i_accumulate_flush(crd_model *model, crd_error *error);
/* CRD_ERROR_LIMIT if the tallies of all columns together have become too large, as they may when models are combined. */
CRD_MUST_USE crd_status crd_i_accumulate_check_sizes(const crd_model *model, crd_error *error);

/* A new model, with the columns and settings of `like`, of all rows of a reader, which are taken by as many threads as
 * the reader's options allow. */
CRD_MUST_USE crd_status crd_i_model_tally_all(const crd_model *like, crd_reader *reader, crd_model **out,
                                              crd_read_facts *facts, crd_error *error);

/* Adds (sign 1) or takes out (sign -1) what `other`, not the same object, has learned: all or nothing. Adding leaves
 * the lesser of the two layouts, so that it commutes; see credence/model.h. */
CRD_MUST_USE crd_status crd_i_model_combine(crd_model *model, const crd_model *other, int sign, crd_error *error);
/* CRD_ERROR_CANNOT_FORGET where an extra tally can never have rows taken out. */
CRD_MUST_USE crd_status crd_i_model_check_forgets(const crd_model *model, crd_error *error);
/* Adds `other` to the main tallies alone, or takes it out of them: what is in the extra ones and in bundles means
 * nothing any more. */
CRD_MUST_USE crd_status crd_i_model_add_main(crd_model *model, const crd_model *other, crd_error *error);
CRD_MUST_USE crd_status crd_i_model_subtract_main(crd_model *model, const crd_model *other, crd_error *error);

#endif
