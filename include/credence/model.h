/* SPDX-License-Identifier: MIT */
/* credence/model.h - models. A model stores sufficient statistics: counts and sums of the rows that it has learned.
 * Everything else is derived from them under settings.
 *
 * A model can also store parameters that were fitted to rows (attribute weights, calibration, ensembles) to save time:
 * see crd_model_fit. Predictions are the same without them.
 *
 * A model is a function of its schema and the multiset of the rows that it learned. It has the same bytes for any order
 * of rows, any batches and any tree of merges. Learning rows and forgetting them restores the previous bytes. (Two
 * optional statistics are exceptions: the histogram `grid` does not become finer again, and `extremes` does not support
 * forgetting.) */
#ifndef CREDENCE_MODEL_H
#define CREDENCE_MODEL_H

#include <credence/credence.h>
#include <credence/data.h>
#include <credence/schema.h>
#include <credence/settings.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Creates a model like crd_model_create, with a weight: the numeric column that contains how many rows a row
 * represents. The weight is not an attribute. */
CRD_API CRD_MUST_USE crd_status crd_model_create_weighted(crd_context *context, const crd_frame *like, crd_text target,
                                                          crd_text weight, const crd_settings *settings,
                                                          crd_model **out, crd_error *error);
/* Creates a model that has learned no rows, with the columns of a schema. The schema must have a target. It may declare
 * classes and values that no row has. `settings` may be NULL for the defaults. */
CRD_API CRD_MUST_USE crd_status crd_model_create_from_schema(crd_context *context, const crd_schema *schema,
                                                             const crd_settings *settings, crd_model **out,
                                                             crd_error *error);
/* Creates a schema in *out from the columns of a model and their types. If with_values is not 0, it declares all values
 * that the model has learned, including the classes. Otherwise it declares only values that were declared to the
 * model. */
CRD_API CRD_MUST_USE crd_status crd_schema_from_model(const crd_model *model, int with_values, crd_schema **out,
                                                      crd_error *error);
/* Adds a weight to a model without one. From now on, the column with this name contains the weights of rows. The rows
 * learned so far have weight 1 each. The result equals a model trained on these rows with an additional last column of
 * ones; files without a header must have that column. Returns CRD_ERROR_COLUMN if the name belongs to an attribute or
 * the target, or if the model has another weight. A weight cannot be removed. */
CRD_API CRD_MUST_USE crd_status crd_model_set_weight(crd_model *model, crd_text name, crd_error *error);
/* Drops the declaration of classes. Afterwards the classes are the ones that occur in rows, as if no class had been
 * declared. Use it for classes that were declared only until all of them had rows. The labels of a discretized target
 * stay. */
CRD_API void crd_model_drop_declared_classes(crd_model *model);
/* Drops the declaration of an attribute's type. Afterwards its values determine the type, as if no type had been
 * declared. Use it for types that were detected in all parts of a table and declared so that every part has them.
 * Attributes that declare values, formats or intervals keep their type. Returns CRD_ERROR_COLUMN if there is no such
 * attribute, and CRD_ERROR_ARGUMENT if the model was not made from rows. */
CRD_API CRD_MUST_USE crd_status crd_model_drop_declared_type(crd_model *model, crd_text attribute, crd_error *error);

/* Makes a model keep additional sufficient statistics. By default a model stores the count, the sum and the sum of
 * squares of each numeric column. Some density families need more, which must be collected from the first row on.
 * Statistics that the settings need are kept automatically. Use this function for others that later queries will need.
 *
 * `tallies` lists their names, separated by commas. These exist for each numeric column; "all" means all of them:
 *   signs     how many values are negative, zero, one, larger integers, or fractions
 *   logs      the sums of the logarithms of positive values and of their squares
 *   extremes  the minimum and the maximum; a model that keeps them cannot forget
 *   grid      an adaptive histogram: up to 4,096 distinct values or bins of width 2^k; forgetting does not reduce k
 * These exist for all attributes together, and must be listed by name:
 *   cells     joint counts: the number of rows with each combination of categories
 *   cross     cross-products: sums of the products of every two numeric columns
 *   pairs     pair counts: the number of rows with each two values of every two attributes
 *   rows      a sample of at most 65,536 rows; a model that had to drop some cannot forget
 *   table     all rows, up to 67 million values; a larger table is dropped
 * Returns CRD_ERROR_SETTING if a name is unknown, and CRD_ERROR_ARGUMENT if the model has already learned rows. */
CRD_API CRD_MUST_USE crd_status crd_model_keep(crd_model *model, crd_text tallies, crd_error *error);
/* Trains a model like crd_model_train, and keeps the additional statistics in `tallies`: see crd_model_keep. */
CRD_API CRD_MUST_USE crd_status crd_model_train_keeping(crd_context *context, crd_reader *reader,
                                                        const crd_settings *settings, crd_text tallies, crd_model **out,
                                                        crd_read_facts *facts, crd_error *error);

/* Forgets every row of a reader, or none if it fails. The call binds the reader to the model. `facts` may be NULL.
 * Returns the errors of crd_model_forget and crd_model_update_all. */
CRD_API CRD_MUST_USE crd_status crd_model_forget_all(crd_model *model, crd_reader *reader, crd_read_facts *facts,
                                                     crd_error *error);

/* Moves every row of a reader from one class to another: forgets it in the class `old_class` and learns it in the class
 * `new_class`. Moves all rows or none, with one exception: if memory runs out during the call, the rows may be
 * forgotten without being learned again. The classes are specified as in crd_reader_set_class. `facts` may be NULL. */
CRD_API CRD_MUST_USE crd_status crd_model_move_all(crd_model *model, crd_reader *reader, crd_text old_class,
                                                   crd_text new_class, crd_read_facts *facts, crd_error *error);

/* Gives an id to the rows of a model that has no parts yet. The id is UTF-8 of 1 to 255 bytes without NUL. Returns
 * CRD_ERROR_ARGUMENT if the id is invalid, if the model contains another part, or if models of its type cannot be
 * merged.
 *
 * A model may have a manifest: the ids of the parts of the rows that it contains. A part with an id is never counted
 * twice. Merging a model whose parts are all present is CRD_ERROR_DUPLICATE. A caller that sends parts repeatedly may
 * treat this as success. If only some of the parts are present, the merge returns CRD_ERROR_OVERLAP. The error's
 * subject is the first common id in byte order. Rows that are learned, forgotten or moved one by one belong to no part
 * and leave the manifest unchanged. */
CRD_API CRD_MUST_USE crd_status crd_model_set_part(crd_model *model, crd_text id, crd_error *error);
/* Returns the number of parts in the model's manifest. */
CRD_API size_t crd_model_part_count(const crd_model *model);
/* Writes the ids of the parts to an array *out, in byte order, and their number to *count. Free the array with
 * crd_free. The texts are valid until the model is changed. */
CRD_API CRD_MUST_USE crd_status crd_model_list_parts(const crd_model *model, crd_text **out, size_t *count,
                                                     crd_error *error);
/* Removes a part from a model: subtracts the statistics of `part` and removes its ids. This restores the model from
 * before the merge, with these exceptions: declared types and values stay, so does the column layout, and forgetting
 * does not undo the bin width of a histogram. Returns CRD_ERROR_NOT_LEARNED if one of the ids is not in the manifest,
 * or if not all of its rows were learned. Returns CRD_ERROR_CANNOT_FORGET as crd_model_forget does, and otherwise the
 * errors of crd_model_merge. A part without an id is subtracted like rows. */
CRD_API CRD_MUST_USE crd_status crd_model_retract(crd_model *model, const crd_model *part, crd_error *error);

/* Merges an encoded model, as crd_model_encode returns it and as model files contain it. Returns the errors of
 * crd_model_merge and crd_model_decode. */
CRD_API CRD_MUST_USE crd_status crd_model_merge_bytes(crd_model *model, const unsigned char *bytes, size_t length,
                                                      crd_error *error);

/* ---- Comparing two models ---- */

/* The aspects in which two models can differ. */
typedef enum crd_model_aspect {
    CRD_MODEL_EQUAL = 0,    /* identical canonical bytes */
    CRD_MODEL_KIND = 1,     /* one model has learned rows, the other was made from models or a network */
    CRD_MODEL_SCHEMA = 2,   /* the target, the weight, or the names, order and types of columns; subject: the column */
    CRD_MODEL_SETTINGS = 3, /* subject: the setting */
    CRD_MODEL_TALLIES = 4,  /* the kept statistics */
    CRD_MODEL_CLASS_ROWS = 5, /* the classes and their numbers of rows; subject: the class */
    CRD_MODEL_COUNTS = 6,     /* values and their counts, or moments; subject: the column */
    CRD_MODEL_PARTS = 8,      /* the ids of the parts; subject: the id */
    CRD_MODEL_OTHER = 7       /* other content of a model */
} crd_model_aspect;

/* The first difference between two models, in the order of crd_model_aspect. Initialize it with
 * CRD_MODEL_DIFFERENCE_INIT. */
typedef struct crd_model_difference {
    size_t size;
    crd_model_aspect aspect;
    char subject[128]; /* see crd_model_aspect; "" if the aspect has no subject */
    char message[384]; /* a sentence; "" if the models are equal */
} crd_model_difference;

#define CRD_MODEL_DIFFERENCE_INIT                                                                                      \
    {                                                                                                                  \
        sizeof(crd_model_difference), CRD_MODEL_EQUAL, {0}, {                                                          \
            0                                                                                                          \
        }                                                                                                              \
    }

/* Finds the first difference between two models. Models are equal if their canonical bytes are equal. Equal models give
 * the same predictions under any settings. */
CRD_API CRD_MUST_USE crd_status crd_model_compare(const crd_model *model, const crd_model *other,
                                                  crd_model_difference *out, crd_error *error);

/* Binds a fresh reader to a model like crd_model_bind, for rows to learn or to evaluate. Each file must have the target
 * and, if the model has a weight, the weight. Frames then contain the weight column. */
CRD_API CRD_MUST_USE crd_status crd_model_bind_to_learn(const crd_model *model, crd_reader *reader, crd_error *error);

/* Returns the name of the file's column from which a model's column was derived: NAME for NAME.month. Returns an empty
 * text if the column is not a part of a field, or if there is no such column. */
CRD_API crd_text crd_model_column_field(const crd_model *model, crd_text column);
/* Parses a value that a person typed for a column. It uses the format in which the model reads files: an amount, a date,
 * a truth value. You can also give a part of a date: 5 for a month.
 *
 * A plain number such as 1.601 is read as this number, whatever the format's decimal mark. There is one exception: files
 * may have written 1601 in this way, and 1601 is closer to the learned rows. Both cases are logged.
 *
 * Sets *out to a number, a category, or CRD_TYPE_NONE if the text lacks the part. Texts that mean missing are not
 * recognized. A text in *out is valid as long as `cell` and the model. Returns CRD_ERROR_NUMBER if the text is not a
 * number or does not have the format, and CRD_ERROR_COLUMN if there is no such column. */
CRD_API CRD_MUST_USE crd_status crd_model_read_cell(const crd_model *model, crd_text column, crd_text cell,
                                                    crd_value *out, crd_error *error);
/* Writes a number of a column as a text that crd_model_read_cell reads: 12.5% for 0.125 in a column of percentages, a
 * date or time of day for seconds. Otherwise writes it like crd_number_format. Returns the length. Experimental. */
CRD_API size_t crd_model_format_number(const crd_model *model, crd_text column, double number,
                                       char text[CRD_CELL_ROOM]);

/* Returns non-zero if the training files had a header. If they had none, files that are bound to the model are assumed
 * to have none, unless their reader's options specify it. A reader that is opened without this information decides by
 * the rows, and decides again when it is bound. Set crd_reader_options.header to decide once. */
CRD_API int crd_model_has_header(const crd_model *model);
/* Returns non-zero if the training texts were tab-separated and contained quotes that do not enclose fields. Then
 * quotes between tabs are ordinary bytes in files that are bound to the model, unless their reader's options define a
 * quote. A reader of input that cannot be read again needs this information when it is opened: set
 * crd_reader_options.literal_quotes_between_tabs. */
CRD_API int crd_model_has_literal_quotes(const crd_model *model);
/* Returns the name of the weight, which is valid until the model is changed. Its bytes are NULL if the model has no
 * weight. */
CRD_API crd_text crd_model_weight(const crd_model *model);
/* Returns the model's default settings, which are valid until they are replaced or the model is destroyed. */
CRD_API const crd_settings *crd_model_settings(const crd_model *model);
/* Replaces the model's default settings with a copy of `settings`. */
CRD_API CRD_MUST_USE crd_status crd_model_set_settings(crd_model *model, const crd_settings *settings,
                                                       crd_error *error);

/* Fits the parameters that the model's settings derive from the kept rows: attribute weights, calibration, weights of a
 * stacked ensemble, multivariate normal densities, network tables. The model stores them, also in its file, until it
 * learns or forgets rows. This only saves time: otherwise each classifier fits them again, with the same result.
 *
 * There is one exception. If the call is cancelled while it fits network tables (the setting estimator), the model
 * keeps their current state: see crd_fit_facts. In a group of processes (credence/communicator.h) all
 * processes have the same model and call this together. */
CRD_API CRD_MUST_USE crd_status crd_model_fit(crd_model *model, crd_error *error);

/* ---- Files ---- */

/* What a file contains, by its first bytes. */
typedef enum crd_file_kind {
    CRD_FILE_ROWS = 0,   /* the rows of a table, or anything else */
    CRD_FILE_MODEL = 1,  /* a model file, or the text of a hidden Markov model (docs/hmm-file.md) */
    CRD_FILE_NETWORK = 2 /* a network file, which may be compressed (credence/network.h) */
} crd_file_kind;

/* Detects what the file at `path` contains: opens it once and reads its first bytes. A truncated file is detected by
 * the bytes that are present. Sets *kind to CRD_FILE_ROWS for pipes and devices, because reading their first bytes would
 * take them from the next reader. Returns CRD_ERROR_SYSTEM if the file cannot be opened. */
CRD_API CRD_MUST_USE crd_status crd_file_detect(crd_context *context, const char *path, crd_file_kind *kind,
                                                crd_error *error);

/* A lock that protects a sequence of load, change and save against other processes and other threads of this
 * process. */
typedef struct crd_model_lock crd_model_lock;
/* Takes the lock of the model file at `path`. Waits until it holds the lock file next to the path. The lock is not
 * recursive: a thread that takes it twice waits until the context is cancelled. */
CRD_API CRD_MUST_USE crd_status crd_model_lock_take(crd_context *context, const char *path, crd_model_lock **out,
                                                    crd_error *error);
/* Releases a lock and frees it. `lock` may be NULL. */
CRD_API void crd_model_lock_release(crd_model_lock *lock);

/* ---- Summary: an ordered, immutable view of a model's statistics ---- */

/* A class of a summary. */
typedef struct crd_summary_class {
    crd_text name;
    double rows; /* number of rows, or the sum of their weights */
} crd_summary_class;

/* An attribute of a summary. */
typedef struct crd_summary_attribute {
    crd_text name;
    crd_column_type type;
    /* The density family that the model's default settings choose: "categorical", "gaussian", ...; "" without a type. */
    const char *family;
    size_t value_count; /* number of values of a categorical attribute; see crd_summary_value */
} crd_summary_attribute;

/* A statistic of several attributes together: see crd_model_keep. */
typedef struct crd_summary_joint_tally {
    const char *name;
    int is_dropped;         /* it grew too large; functions that need it return an error */
    size_t attribute_count; /* 0: it covers all attributes */
    size_t *attributes;     /* ordered by name */
} crd_summary_joint_tally;

/* A view of a model's statistics. Read-only; threads may share it. If the model has a weight, "rows" means the sum of
 * weights in all crd_summary_* functions, and counts need not be integers. */
typedef struct crd_summary {
    void *arena;     /* for the library */
    crd_text target; /* bytes NULL: there is no target; then all rows belong to one class, whose name is empty */
    crd_text weight; /* bytes NULL: there is no weight */
    double rows;     /* number of learned rows */
    size_t class_count;
    crd_summary_class *classes; /* ordered by number if all of them are numbers, otherwise by code point */
    size_t attribute_count;
    crd_summary_attribute *attributes;
    size_t tally_count; /* the additional statistics of the numeric columns: see crd_model_keep */
    const char **tallies;
    size_t joint_tally_count;
    crd_summary_joint_tally *joint_tallies;
    struct crd_summary_data *data; /* for the library */
} crd_summary;

/* Creates a summary of a model in *out. Destroy it with crd_summary_destroy. */
CRD_API CRD_MUST_USE crd_status crd_summary_create(const crd_model *model, crd_summary **out, crd_error *error);
/* Frees the summary. `summary` may be NULL. */
CRD_API void crd_summary_destroy(crd_summary *summary);

/* Returns non-zero if a text means missing in the model's files. Default missing texts match in any letter case. */
CRD_API int crd_summary_is_missing(const crd_summary *summary, crd_text text);

/* Selects attributes as crd_reader_select selects columns. Numbers count the attributes in their order, from 1, without
 * the target. Writes the indices to `attributes`, which must have space for all of them, and
 * their number to *count. */
CRD_API CRD_MUST_USE crd_status crd_summary_select(const crd_summary *summary, crd_text selector, size_t *attributes,
                                                   size_t *count, crd_error *error);
/* Returns the number of rows of a class in which an attribute is present. */
CRD_API double crd_summary_present(const crd_summary *summary, size_t attribute, size_t class_index);

/* Returns a value of a categorical attribute. */
CRD_API crd_text crd_summary_value(const crd_summary *summary, size_t attribute, size_t value);
/* Returns the number of rows of a class that have a value of a categorical attribute. */
CRD_API double crd_summary_count(const crd_summary *summary, size_t attribute, size_t value, size_t class_index);
/* Returns the number of rows, of all classes, that have a value of a categorical attribute. */
CRD_API double crd_summary_value_rows(const crd_summary *summary, size_t attribute, size_t value);
/* Sets *classes to the classes of the rows that have a value, in ascending order. Returns their number. The array is
 * valid as long as the summary. Use it for columns with many values, each of which occurs in few classes. */
CRD_API size_t crd_summary_value_classes(const crd_summary *summary, size_t attribute, size_t value,
                                         const uint32_t **classes);

/* Moments of a numeric attribute, correctly rounded. `variance` is divided by n, `sample_variance` by n - 1. Moments
 * that need more rows are NaN. */
typedef struct crd_moments {
    double rows, sum, sum_of_squares, mean, variance, sample_variance;
} crd_moments;
/* Returns the moments of a numeric attribute in a class. */
CRD_API crd_moments crd_summary_moments(const crd_summary *summary, size_t attribute, size_t class_index);
/* Returns the moments of a numeric attribute over all classes, up to rounding. */
CRD_API crd_moments crd_summary_column_moments(const crd_summary *summary, size_t attribute);

/* ---- Suspicious columns: their type may not be what the user intended ---- */

enum { CRD_COLUMN_CHECK_OTHERS = 5 };

/* Facts about a column whose type may be wrong. Initialize it with CRD_COLUMN_CHECK_INIT. */
typedef struct crd_column_check {
    size_t size;
    double cells;   /* number of present values */
    size_t values;  /* for a categorical column: the number of distinct values */
    double numbers; /* for a categorical column: how many values are numbers */
    /* For a categorical column: the most frequent value that is not a number, valid as long as the summary; bytes NULL:
     * all values are numbers. */
    crd_text not_a_number;
    /* A categorical column that is probably numeric, with an unrecognized missing-value text: it has at least 5 values,
     * and 90 % of them are numbers, or more than half are and there are few other values, or every other value means
     * missing, such as "-". */
    int is_nearly_numeric;
    /* A categorical column of more than 20 rows whose distinct values number more than 90 % of these: values that do
     * not recur cannot be learned from. */
    int is_identifier;
    /* A categorical column of more than 20 rows whose distinct values number more than half of these and have 4 or more
     * words on average: probably documents, whose words can be counted. */
    int is_text;
    /* The fields from here on are experimental. */
    /* For a categorical column whose values are numbers followed by a unit, such as 12 kg: the most frequent unit,
     * valid as long as the summary; bytes NULL: the column has no units. */
    crd_text unit;
    size_t units; /* the number of distinct units */
    /* For a categorical column whose values are dates in several formats: the number of formats; 0: not such a
     * column. */
    size_t date_formats;
    /* How many values are plain numbers (crd_number_parse), for example without a currency sign. */
    double plain_numbers;
    double dates;        /* how many values are dates of one format */
    int is_nearly_date;  /* a categorical column that probably contains dates; the rule of is_nearly_numeric applies */
    size_t other_values; /* distinct values that are not numbers or, if is_nearly_date, not dates */
    crd_text others[CRD_COLUMN_CHECK_OTHERS]; /* the most frequent other values, valid as long as the summary */
    /* All values are plain numbers, there are at least 5, and none is a code such as 007: texts of a typed format such
     * as JSON. */
    int is_number_text;
    int has_both_marks; /* a categorical column of numbers, some with a decimal point and some with a decimal comma */
} crd_column_check;

#define CRD_COLUMN_CHECK_INIT                                                                                          \
    { sizeof(crd_column_check), 0, 0, 0, {0, 0}, 0, 0, 0, {0, 0}, 0, 0, 0, 0, 0, 0, {{0, 0}}, 0, 0 }

/* Checks whether a column's type may be wrong, and writes the facts to *out. Weighted rows are not counted: in a model
 * with a weight, no column is reported as suspicious. */
CRD_API void crd_summary_check_column(const crd_summary *summary, size_t attribute, crd_column_check *out);
/* Returns non-zero if the target is probably a quantity rather than a class: it has more than 100 classes, all of them
 * are numbers, and some have a fraction or there are fewer than 10 rows per class. */
CRD_API int crd_summary_target_is_quantity(const crd_summary *summary);
/* Returns non-zero if the target may be a quantity, which deserves a warning: the rule of
 * crd_summary_target_is_quantity with more than 20 classes. Experimental. */
CRD_API int crd_summary_target_may_be_quantity(const crd_summary *summary);

/* Returns the number of classes that have one row each, if there are at most 3 such classes and every other class has
 * at least 10 rows. They may come from lines that are not rows, such as totals. Otherwise returns 0. Sets *first to the
 * first such class. Experimental. */
CRD_API size_t crd_summary_lone_classes(const crd_summary *summary, size_t *first);

/* Returns the first class that is similar to a name. Returns CRD_NONE if there is none, or if the name itself is a
 * class. Two classes are similar if their names are equal except for case, surrounding spaces, or the way a number is
 * written: "spam" and "Spam", "1" and "1.0". Experimental. */
CRD_API size_t crd_summary_similar_class(const crd_summary *summary, crd_text name);
/* Finds the first two classes that are similar to each other: see crd_summary_similar_class. Sets *first and *second.
 * Returns the number of similar pairs. Returns 0 if there are more than 2,000 classes. */
CRD_API int crd_summary_similar_classes(const crd_summary *summary, size_t *first, size_t *second);

#ifdef __cplusplus
}
#endif
#endif
