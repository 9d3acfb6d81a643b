/* SPDX-License-Identifier: MIT */
/* model_internal.h - the structure of a model: a schema, a tally for each column, and default settings.
 *
 * In a tallied model, every attribute is counted per class and the target unconditionally: naive Bayes. Classes and
 * values are numbered in order of occurrence; schema_view.h computes their display order on demand. A class or value
 * whose count returned to zero keeps its number, but is no longer part of the model, unless the schema declares it. */
#ifndef CRD_MODEL_MODEL_INTERNAL_H
#define CRD_MODEL_MODEL_INTERNAL_H

#include "base/byte_codec.h"
#include "base/dictionary.h"
#include "density/univariate/family.h"
#include "settings/settings_internal.h"
#include "stats/joint_tally.h"
#include "stats/moments.h"
#include "table/column_schema.h"
#include "table/frame.h"
#include "table/part_evidence.h"

#include <credence/classifier.h>
#include <credence/compare.h>
#include <credence/model.h>

/* ======== Cache of fits ========
 *
 * The cache contains parameters that were fitted to the stored training rows of a model, so they are not refitted for
 * every query.
 *
 * They are a function of the model and the settings, so the cache never changes a result. An entry is found by the
 * settings it was fitted with. The cache is cleared when the model learns or forgets rows. */

typedef struct crd_i_fit {
    char *key; /* the type of fit, and all settings that it depends on */
    double *numbers;
    size_t count;
} crd_i_fit;

/* Sorted by key. Zero-initialize it and set the context. */
typedef struct crd_i_fit_cache {
    crd_context *context;
    crd_i_fit *fits;
    size_t count, capacity;
} crd_i_fit_cache;

void crd_i_fit_cache_clear(crd_i_fit_cache *fitted);
/* Returns the fit called `description` with these settings; NULL: there is none. */
const crd_i_fit *crd_i_fit_cache_find(const crd_i_fit_cache *fitted, const char *description,
                                      const crd_settings *settings);
/* Stores a copy of the numbers. false: out of memory. */
CRD_MUST_USE bool crd_i_fit_cache_put(crd_i_fit_cache *fitted, const char *description, const crd_settings *settings,
                                      const double *numbers, size_t count);
/* Find and store a fit by the caller's own key. The key must not begin with the `description` of another fit. */
const crd_i_fit *crd_i_fit_cache_find_key(const crd_i_fit_cache *fitted, const char *key);
CRD_MUST_USE bool crd_i_fit_cache_put_key(crd_i_fit_cache *fitted, const char *key, const double *numbers,
                                          size_t count);
/* Adds all fits of `cache`. false: out of memory. */
CRD_MUST_USE bool crd_i_fit_cache_join(crd_i_fit_cache *fitted, const crd_i_fit_cache *cache);

/* Write and read the content of the file section. CRD_ERROR_DAMAGED: keys are not sorted, or a number is not finite. */
void crd_i_fit_cache_write(const crd_i_fit_cache *fitted, crd_i_encoder *encoder);
CRD_MUST_USE crd_status crd_i_fit_cache_read(crd_i_fit_cache *fitted, crd_i_cursor *cursor, crd_error *error);

/* ======== Ids of parts ========
 *
 * The manifest of a model contains the ids of the parts whose rows the model contains.
 *
 * It is a set of texts in sorted runs, each with more than twice the capacity of the next, as in a log-structured
 * merge tree. Looking up an id takes O(log^2 n). Adding or removing n sets of one id, one after the other, takes O(n
 * log^2 n), and merging two large sets takes linear time. Changes are prepared separately, so committing them cannot
 * fail. */

/* Maximum length of an id in bytes. */
enum { CRD_I_MOST_ID = 255 };

typedef struct crd_i_part_ids crd_i_part_ids;

/* Returns whether a text is a valid id: UTF-8, not empty, without NUL, not too long. */
bool crd_i_part_id_is_valid(crd_text id);

/* In the functions below, a NULL set is empty. */
void crd_i_part_ids_destroy(crd_i_part_ids *ids);
CRD_MUST_USE crd_status crd_i_part_ids_create(crd_context *context, crd_text id, crd_i_part_ids **out,
                                              crd_error *error);
CRD_MUST_USE crd_status crd_i_part_ids_clone(const crd_i_part_ids *ids, crd_i_part_ids **out, crd_error *error);
size_t crd_i_part_ids_count(const crd_i_part_ids *ids);

/* The number of ids of `other` that are in a set; the smallest of them, and the smallest that is not; bytes NULL:
 * none. The texts live as long as `other`. */
typedef struct crd_i_ids_overlap {
    size_t shared;
    crd_text first_shared, first_apart;
} crd_i_ids_overlap;
void crd_i_part_ids_overlap(const crd_i_part_ids *ids, const crd_i_part_ids *other, crd_i_ids_overlap *out);

/* A prepared change: adding the ids of another set, none of which it contains (sign 1), or removing them, all of
 * which it contains (-1). */
typedef struct crd_i_ids_change {
    crd_i_part_ids *next;
    size_t kept;                /* number of runs taken over from the set */
    const crd_i_part_ids *less; /* ids to remove, must live until the commit; NULL: none */
} crd_i_ids_change;
CRD_MUST_USE crd_status crd_i_part_ids_prepare(crd_context *context, const crd_i_part_ids *ids,
                                               const crd_i_part_ids *other, int sign, crd_i_ids_change *out,
                                               crd_error *error);
void crd_i_part_ids_take(crd_i_part_ids **ids, crd_i_ids_change *change);
void crd_i_part_ids_drop(crd_i_ids_change *change);

/* Lists the ids, sorted by bytes. They are valid as long as the set is unchanged; free the array with crd_free. */
CRD_MUST_USE crd_status crd_i_part_ids_list(const crd_i_part_ids *ids, crd_context *context, crd_text **out,
                                            crd_error *error);

/* Write and read the content of the file section. Writing requires a non-empty set; reading fails with
 * CRD_ERROR_DAMAGED. */
void crd_i_part_ids_write(const crd_i_part_ids *ids, crd_i_encoder *encoder);
CRD_MUST_USE crd_status crd_i_part_ids_read(crd_context *context, crd_i_cursor *cursor, crd_i_part_ids **out,
                                            crd_error *error);

/* ======== Selection ========
 *
 * A selection records how the settings of a model were chosen: candidates with their scores, and the recommendation.
 * See credence/compare.h. The record is discarded when the model learns, forgets or is merged, because its rows are
 * then not the compared rows. */

/* Destroys a selection. NULL is allowed. */
void crd_i_selection_destroy(crd_selection *selection);
/* Sets *out to a copy, or to NULL if `selection` is NULL. */
CRD_MUST_USE crd_status crd_i_selection_clone(const crd_selection *selection, crd_selection **out, crd_error *error);

/* Write and read the content of the file section, without times. CRD_ERROR_DAMAGED: no comparison can have such
 * results. */
void crd_i_selection_write(const crd_selection *selection, crd_i_encoder *encoder);
CRD_MUST_USE crd_status crd_i_selection_read(crd_context *context, crd_i_cursor *cursor, crd_selection **out,
                                             crd_error *error);

/* ======== Shards ========
 *
 * A model stores which shards of a table it contains if column types were derived from each shard's own cells. It
 * then also stores the evidence from these cells.
 *
 * The cells of all shards determine the type and format of a column, but each shard counted the column by its own
 * cells. Whether that was right is known after the last shard is merged. Then the model is the model of the whole table
 * and stores no shards, or merging fails. Shards that were read with a schema need none of this. */

typedef struct crd_i_shards crd_i_shards;

/* Creates a record for shard number `shard` of `count`, from 1, and the evidence about the model's columns. If a
 * field has several columns, the first has the evidence. Takes over the evidence, even on failure. *out is NULL if
 * there is no other shard, or if no column type depends on cells. */
CRD_MUST_USE crd_status crd_i_shards_create(crd_context *context, unsigned shard, unsigned count,
                                            crd_i_part_evidence *columns, crd_i_shards **out, crd_error *error);
/* NULL is allowed in the functions below: a model without shards. */
void crd_i_shards_destroy(crd_i_shards *shards);
CRD_MUST_USE crd_status crd_i_shards_clone(const crd_i_shards *shards, crd_i_shards **out, crd_error *error);

/* Checks that two sets of shards can be merged. CRD_ERROR_DUPLICATE, CRD_ERROR_OVERLAP: all, or some, of `theirs`
 * are also in `mine`; CRD_ERROR_SCHEMA_DIFFERS: they are not shards of the same table. */
CRD_MUST_USE crd_status crd_i_shards_check_apart(const crd_i_shards *mine, const crd_i_shards *theirs,
                                                 crd_error *error);
/* Unites two disjoint sets of shards with the same columns. Here and in the functions below, shards must not be
 * NULL. */
CRD_MUST_USE crd_status crd_i_shards_unite(const crd_i_shards *mine, const crd_i_shards *theirs, crd_i_shards **out,
                                           crd_error *error);
/* Returns whether these are all shards of their table. */
bool crd_i_shards_are_all(const crd_i_shards *shards);
/* Returns the evidence about the model's columns. */
const crd_i_part_evidence *crd_i_shards_columns(const crd_i_shards *shards);
/* Adds a hint to an error about shards that do not agree. */
void crd_i_shards_hint(crd_error *error);

/* Write and read the content of the file section; reading fails with CRD_ERROR_DAMAGED. */
void crd_i_shards_write(const crd_i_shards *shards, crd_i_encoder *encoder);
CRD_MUST_USE crd_status crd_i_shards_read(crd_context *context, crd_i_cursor *cursor, crd_i_shards **out,
                                          crd_error *error);

/* ======== Model kinds ========
 *
 * A model consists of tallied rows, other models, a user-specified network, or sequences. Each kind is a table of
 * functions in its own file:
 *
 *   tallied           methods/tallied_kind.c            sufficient statistics of rows
 *   members           ensemble/member_models.c          other models, whose predictions are pooled
 *   network           network_model/network_of_model.c    a Bayesian network with user-specified tables
 *   sequence          sequence/hmm_kind.c               hidden Markov model: tallies per state, and transition counts
 *   sequence classes  sequence/sequence_classes.c  one HMM per class, for sequence classification
 *
 * methods/method_table.c lists them. */

struct crd_i_schema_view;

typedef struct crd_i_model_kind {
    const char *name;

    /* The tag of the only section in its file. NULL: the sections of model_sections.h. */
    const char *tag;
    uint32_t newest_version; /* newest supported version of that section */
    unsigned nesting; /* 0: the section contains no models; otherwise it contains models with a smaller nesting */
    void (*write)(const crd_model *model, crd_i_encoder *encoder);
    /* Reads the section after its head; NULL if there is no tag. The message of CRD_ERROR_DAMAGED names the model
     * file. */
    crd_status (*read)(crd_context *context, crd_i_cursor *cursor, uint32_t version, crd_model **out, crd_error *error);

    /* Return whether a file that begins with these bytes specifies such a model as text, and read that model. The
     * bytes may be modified; errors include the line. NULL: there is no text format. */
    bool (*is_text)(const unsigned char *bytes, size_t length);
    crd_status (*read_text)(crd_context *context, char *bytes, size_t length, crd_model **out, crd_error *error);

    /* Copies the model's content; NULL: it has none, or it cannot be copied. */
    crd_status (*clone)(crd_context *context, const void *content, void **out, crd_error *error);
    void (*destroy)(crd_context *context, void *content);

    /* Fills in a classifier, except its settings. */
    crd_status (*derive)(crd_classifier *classifier, const crd_model *model, const struct crd_i_schema_view *view,
                         crd_error *error);

    /* Fails with CRD_ERROR_ARGUMENT because such a model has no rows and cannot `description`, such as "learn rows";
     * the hint describes an alternative. NULL: the model consists of rows. */
    crd_status (*refuse)(const crd_model *model, const char *description, crd_error *error);

    /* For kinds that learn in their own way; this function and the ones below are NULL in other kinds. Returns the
     * tallied model of its rows, whose column order it uses. */
    const crd_model *(*rows)(const crd_model *model);
    /* Returns CRD_ERROR_ARGUMENT for a model that `combine` does not support, because it cannot `description`. */
    crd_status (*check_combines)(const crd_model *model, const char *description, crd_error *error);
    /* Adds (sign 1) or subtracts (sign -1) what another model of this kind has learned: all or nothing. */
    crd_status (*combine)(crd_model *model, const crd_model *other, int sign, crd_error *error);
    /* Adds (sign 1) or subtracts (sign -1) all rows of a new reader, which it binds. */
    crd_status (*change_all)(crd_model *model, crd_reader *reader, crd_read_facts *facts, int sign, crd_error *error);
} crd_i_model_kind;

extern const crd_i_model_kind crd_i_tallied_kind, crd_i_members_kind, crd_i_network_kind, crd_i_sequence_kind,
    crd_i_sequence_classes_kind;

/* All kinds, terminated by NULL. */
extern const crd_i_model_kind *const crd_i_model_kinds[];

/* ======== Frame binding ========
 *
 * A binding matches the columns of a frame with the columns of a model by name, and translates codes.
 *
 * A reader delivers thousands of frames with the same columns and growing dictionaries, so lookups are cached:
 * columns as long as the frame's layout is unchanged, codes as long as the dictionary is the same. */

/* Translated codes that are not values. */
enum { CRD_I_CODE_MISSING = -1, CRD_I_CODE_UNSEEN = -2 };

/* The owner of names that belong to another context than the binding. Serials are unique within one context only, so
 * lookups for this owner are not cached. */
#define CRD_I_FOREIGN_OWNER UINT64_MAX

typedef struct crd_i_bound_column {
    size_t column;   /* column of the frame; SIZE_MAX: the frame has no column of this name */
    uint64_t serial; /* serial of the dictionary that `map` is for */
    int32_t *map; /* model code at index frame code + 1, as far as it was looked up; at 0 the code for missing cells */
    size_t known, capacity;
} crd_i_bound_column;

typedef struct crd_i_binding {
    crd_context *context;
    uint64_t owner, layout;
    bool is_bound;
    size_t count;
    crd_i_bound_column *columns;
    int32_t *codes; /* the latest column, translated */
    size_t codes_capacity;
} crd_i_binding;

/* Clears a binding. To use one, zero-initialize it, set the context and call crd_i_binding_bind. */
void crd_i_binding_clear(crd_i_binding *binding);

/* Finds `count` names in the frame. `owner` is a serial of the binding's context that identifies the names; 0 if the
 * binding has only one owner. */
CRD_MUST_USE bool crd_i_binding_bind(crd_i_binding *binding, uint64_t owner, const crd_frame *frame, size_t count,
                                     crd_text (*name)(const void *names, size_t i), const void *names);

/* Returns the frame's column, or NULL if it has none. */
const crd_i_column *crd_i_binding_column(const crd_i_binding *binding, const crd_frame *frame, size_t i);

/* Returns the codes of a categorical column, translated to `values`; valid until the next call. Rows with a negative
 * condition, if conditions are given, are missing. New values are added to `growing` if it is not NULL, otherwise
 * they are unseen. NULL: out of memory. */
const int32_t *crd_i_binding_translate(crd_i_binding *binding, const crd_frame *frame, size_t i,
                                       crd_i_dictionary *growing, const crd_i_dictionary *values,
                                       const int32_t *conditions);
/* Returns the translated codes of `rows` rows starting at row `first`. `values` does not grow. NULL: out of memory. */
const int32_t *crd_i_binding_translate_rows(crd_i_binding *binding, const crd_frame *frame, size_t i, size_t first,
                                            size_t rows, const crd_i_dictionary *values);

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
    /* For grouped moments: belongs to a structure node whose type is not known yet. Files omit it until one of its
     * columns is numeric. */
    bool is_for_open_type;
} crd_i_model_joint_tally;

/* Rows that are not added to joint tallies yet. */
typedef struct crd_i_waiting crd_i_waiting;

struct crd_model {
    crd_context *context;
    crd_i_schema *schema; /* its types are the declared ones; NONE: determined by the cells */
    crd_settings *settings;
    crd_i_part_ids *parts;     /* ids of the parts whose rows the model contains; NULL: none has an id */
    crd_i_shards *shards;      /* shards of the table that the model contains; NULL: column types are final */
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
    crd_i_group *group; /* the processes that have the same model and fit tables to its rows together; NULL: none */
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

/* Returns the declared type; if there is none, the type of the cells counted so far. */
crd_column_type crd_i_model_column_type(const crd_model *model, size_t column);
/* Returns the root mean square of a column of numbers over all rows; 0: not known. */
double crd_i_model_scale(const crd_model *model, size_t column);
/* Returns how the model reads rows, owned by the caller: its columns with their types, and the texts that mean missing.
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

/* Prepares the column for cells of a type. CRD_ERROR_SCHEMA_DIFFERS: it has another type. */
CRD_MUST_USE crd_status crd_i_model_settle(crd_model *model, size_t column, crd_column_type column_type,
                                           crd_error *error);
/* Declares the type of a column. Its cells, if any, must have this type. */
void crd_i_model_declare(crd_model *model, size_t column, crd_column_type type);
/* Declares a value of a column, whether or not it is ever counted. The column must not be numeric. */
CRD_MUST_USE crd_status crd_i_model_declare_value(crd_model *model, size_t column, crd_text value, crd_error *error);
/* Returns whether a value was declared. */
bool crd_i_model_is_declared(const crd_model *model, size_t column, crd_text value);

#endif
