/* SPDX-License-Identifier: MIT */
/* credence/model.h - a model is its tally: counts and sums of the rows it has learned, from which everything else is
 * derived under settings.
 *
 * What is fitted to rows (attribute weights, calibration, ensembles) may be kept with it, to save time: see
 * crd_model_fit. Answers are the same without it.
 *
 * A model is a function of its schema and the multiset of the rows it learned: the same bytes in any order,
 * any batches, any tree of merges; and learn-then-forget gives the bytes from before. (Of the further tallies that a
 * model may keep, a grid does not get finer again, and extremes refuse to forget.) */
#ifndef CREDENCE_MODEL_H
#define CREDENCE_MODEL_H

#include <credence/base.h>
#include <credence/data.h>
#include <credence/schema.h>
#include <credence/settings.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct crd_model crd_model;

/* What happened while rows were read. */
typedef struct crd_read_facts {
    size_t size;
    uint64_t rows;       /* rows learned, or forgotten */
    uint64_t skipped;    /* rows left out because their target cell is missing */
    uint64_t weightless; /* rows left out because their weight is 0 */
    double weight;       /* of the rows learned, or forgotten: how many they are without a weight column */
    /* Of those skipped, whose target cell has a word that means missing; and the least of these words, cut where it is
     * long. */
    uint64_t skipped_with_text;
    char skipped_text[32];
    /* Of a model of sequences: how many there were, and the steps of the shortest and of the longest. */
    uint64_t sequences, shortest, longest;
    /* Steps between rows, without observations; and rows less than half a step behind the row before them. */
    uint64_t inserted, crowded;
} crd_read_facts;

#define CRD_READ_FACTS_INIT                                                                                            \
    { sizeof(crd_read_facts), 0, 0, 0, 0, 0, {0}, 0, 0, 0, 0, 0 }

/* Learns from all rows of a reader whose target is set, or need not be: where the settings have the method network and
 * a structure, no column has to be predicted, so that every row is learned, and counts for the table of each node that
 * is present in it with all of its parents. Of such a model crd_network_from_model makes a network; it classifies
 * nothing. settings may be NULL (defaults); they are copied and kept as the model's own. facts may be NULL. No rows is
 * CRD_ERROR_EMPTY, but for one part of several (see crd_reader_options), whose model then adds nothing to others. */
CRD_API CRD_MUST_USE crd_status crd_model_train(crd_context *context, crd_reader *reader, const crd_settings *settings,
                                                crd_model **out, crd_read_facts *facts, crd_error *error);

/* A model that has learned nothing, with the columns of `like`. If that is a reader's and the reader has a weight, so
 * has the model. A target without bytes (NULL) is none, under settings that need none: see crd_model_train. */
CRD_API CRD_MUST_USE crd_status crd_model_create(crd_context *context, const crd_frame *like, crd_text target,
                                                 const crd_settings *settings, crd_model **out, crd_error *error);
/* The same with a weight: the column of numbers that has how many rows a row stands for. It is no attribute. */
CRD_API CRD_MUST_USE crd_status crd_model_create_weighted(crd_context *context, const crd_frame *like, crd_text target,
                                                          crd_text weight, const crd_settings *settings,
                                                          crd_model **out, crd_error *error);
/* The same with the columns of a schema, which must have a target, and which may declare classes and values that no row
 * has. */
CRD_API CRD_MUST_USE crd_status crd_model_create_from_schema(crd_context *context, const crd_schema *schema,
                                                             const crd_settings *settings, crd_model **out,
                                                             crd_error *error);
/* The columns of a model, with the kinds that it knows. with_values: the values that it has met are declared, the
 * classes among them; else only those that were declared to it. */
CRD_API CRD_MUST_USE crd_status crd_schema_from_model(const crd_model *model, int with_values, crd_schema **out,
                                                      crd_error *error);
/* Gives a model without a weight one: from now on rows have weights in the column of this name, and the rows that it
 * has learned have weight 1 each. It is then the model that would have come of them with a column of ones behind the
 * others; files without a header must have that column. CRD_ERROR_COLUMN where the name is that of an attribute or
 * of the target, or the model has another weight. A weight cannot be taken away again. */
CRD_API CRD_MUST_USE crd_status crd_model_set_weight(crd_model *model, crd_text name, crd_error *error);
/* Drops the declaration of classes: the classes are those that rows have, and the model is the one that its rows would
 * have given with no class declared. For classes that were declared until all of them had rows. The labels of a target of
 * intervals stay. */
CRD_API void crd_model_drop_declared_classes(crd_model *model);
/* Drops the declaration of an attribute's kind: the kind is that of its cells, and the model is the one that its rows would have
 * given with no kind declared. For kinds that were found in all parts of a table, and declared so that every part has them.
 * Attributes that declare values, forms or intervals keep their kind. CRD_ERROR_COLUMN: there is no such attribute;
 * CRD_ERROR_ARGUMENT: the model is not made of rows. */
CRD_API CRD_MUST_USE crd_status crd_model_drop_declared_kind(crd_model *model, crd_text attribute, crd_error *error);
CRD_API void crd_model_destroy(crd_model *model);

/* Of every number column a model counts the cells and adds them and their squares up. Some families of densities need
 * more: further tallies, which are kept from the first row on. What the settings need is kept by itself; this keeps
 * more, for questions to come. `tallies` names them with commas between. Of each number column there are these, and
 * "all" means all of them:
 *   signs     how many cells are negative, zero, one, greater whole numbers, or fractions
 *   logs      the sums of the logarithms of positive cells and of their squares
 *   extremes  the least and the greatest cell; a model that keeps them cannot forget
 *   grid      how many cells lie where: up to 4,096 values, or intervals of a width of 2^k; forgetting leaves k
 * Of all attributes together there are these, each of which must be named:
 *   cells     how many rows have each combination of categories
 *   cross     sums of the products of every two number columns
 *   pairs     how many rows have each two values of every two attributes
 *   rows      the rows themselves: so many of them, 65,536 at most; a model that had to leave some out cannot forget
 *   table     all rows, up to 67 million cells; beyond them it is given up
 * CRD_ERROR_SETTING where one is unknown, CRD_ERROR_ARGUMENT where the model has learned rows already. */
CRD_API CRD_MUST_USE crd_status crd_model_keep(crd_model *model, crd_text tallies, crd_error *error);
/* As crd_model_train, keeping these tallies too. */
CRD_API CRD_MUST_USE crd_status crd_model_train_keeping(crd_context *context, crd_reader *reader,
                                                        const crd_settings *settings, crd_text tallies, crd_model **out,
                                                        crd_read_facts *facts, crd_error *error);

/* Rows in, rows out. Columns meet by name: extra ones are ignored, absent ones are missing, the target must be
 * there, and so must the weight where the model has one. A row of weight k is k rows, one of weight 0 none; a missing
 * or negative weight is CRD_ERROR_WEIGHT, and more than 2^63 rows are CRD_ERROR_LIMIT. A failing call changes nothing.
 * Forgetting rows that were not learned is CRD_ERROR_NOT_LEARNED, and the message names the attribute, value and class
 * that do not add up; where the model keeps extremes it is CRD_ERROR_CANNOT_FORGET. */
CRD_API CRD_MUST_USE crd_status crd_model_update(crd_model *model, const crd_frame *frame, crd_error *error);
CRD_API CRD_MUST_USE crd_status crd_model_forget(crd_model *model, const crd_frame *frame, crd_error *error);
/* Updates the model with every row of a reader, or takes them out: all or nothing. The call binds the reader. A column of which the model has
 * no value yet gets the form of its texts, as crd_reader_find_forms finds it. CRD_ERROR_SCHEMA_DIFFERS if training on all rows at once would
 * read a column in another way than the model does. */
CRD_API CRD_MUST_USE crd_status crd_model_update_all(crd_model *model, crd_reader *reader, crd_read_facts *facts,
                                                     crd_error *error);
CRD_API CRD_MUST_USE crd_status crd_model_forget_all(crd_model *model, crd_reader *reader, crd_read_facts *facts,
                                                     crd_error *error);

/* Moves every row of a reader from one class to another, as forgetting it there and learning it here does, all or nothing: but
 * where memory runs out in the midst, the rows may be forgotten alone. The classes are stated as by crd_reader_set_class. */
CRD_API CRD_MUST_USE crd_status crd_model_move_all(crd_model *model, crd_reader *reader, crd_text from, crd_text to,
                                                   crd_read_facts *facts, crd_error *error);

/* Adds what `other` learned. Their columns must fit by name and kind, their weights by name, where one has a weight,
 * and they must keep the same tallies (CRD_ERROR_SCHEMA_DIFFERS); their default settings must be equal
 * (CRD_ERROR_SETTINGS_DIFFER; crd_model_set_settings makes them so), and so must those by which texts were counted
 * (CRD_ERROR_SETTING; nothing makes them so). What is no sum over rows cannot be merged (CRD_ERROR_ARGUMENT), such as latent classes, whose
 * numbers each fit chooses. Where their columns stand in another order or place, one of the two layouts stays, the same whichever model is merged into which: the one whose names come first
 * by their bytes, then the one with the lesser positions, width, no header, and the lesser position of the weight.
 *
 * Models of shards (crd_reader_options) whose columns have the kinds that the shard's own cells show merge with each other alone, until all are
 * there. Then all cells are known: CRD_ERROR_SCHEMA_DIFFERS where they make a column something else than shards have counted it as, which a schema of
 * all rows avoids. A shard that is there already is CRD_ERROR_DUPLICATE, and some among others CRD_ERROR_OVERLAP. */
CRD_API CRD_MUST_USE crd_status crd_model_merge(crd_model *model, const crd_model *other, crd_error *error);

/* Parts. A model may have a manifest: the ids of the parts of the rows that it holds. A part that was trained with an id is never
 * counted twice: merging a model all of whose parts are there already is CRD_ERROR_DUPLICATE, which a caller that sends
 * parts more than once may take for success, and one of which only some are there is CRD_ERROR_OVERLAP; the error's subject is the
 * least id that both have. Rows that are learned, forgotten or moved one by one are in no part, and the manifest stays.
 *
 * Gives a model that has no parts the id of its rows: UTF-8 of 1 to 255 bytes without NUL (CRD_ERROR_ARGUMENT where it is not, where
 * the model holds another part, or where models of its kind cannot be merged). */
CRD_API CRD_MUST_USE crd_status crd_model_set_part(crd_model *model, crd_text id, crd_error *error);
CRD_API size_t crd_model_part_count(const crd_model *model);
/* The ids in the order of their bytes: an array that is freed with crd_free, of texts that live until the model is changed. */
CRD_API CRD_MUST_USE crd_status crd_model_list_parts(const crd_model *model, crd_text **out, size_t *count,
                                                     crd_error *error);
/* Takes out what `part` has learned, and its ids: the model becomes the one from before it was merged, but that kinds and values
 * that were declared, and the layout of columns, stay, and with them what forgetting rows leaves (a grid's width). CRD_ERROR_NOT_LEARNED
 * where one of its ids is not in the manifest, or its rows were not all learned; CRD_ERROR_CANNOT_FORGET as crd_model_forget; else as
 * crd_model_merge. A part without an id is taken out as rows are. */
CRD_API CRD_MUST_USE crd_status crd_model_retract(crd_model *model, const crd_model *part, crd_error *error);

/* Merges the bytes of a model, as crd_model_encode makes them and a file holds them. */
CRD_API CRD_MUST_USE crd_status crd_model_merge_bytes(crd_model *model, const unsigned char *bytes, size_t length,
                                                      crd_error *error);

/* ---- Whether two models are the same ---- */

typedef enum crd_model_aspect {
    CRD_MODEL_EQUAL = 0,      /* the same canonical bytes */
    CRD_MODEL_KIND = 1,       /* one has learned rows, the other is made of models or of a network */
    CRD_MODEL_SCHEMA = 2,     /* target, weight, or the names, order and kinds of columns; subject: the column */
    CRD_MODEL_SETTINGS = 3,   /* subject: the setting */
    CRD_MODEL_TALLIES = 4,    /* which statistics are kept */
    CRD_MODEL_CLASS_ROWS = 5, /* classes, and how many rows each has; subject: the class */
    CRD_MODEL_COUNTS = 6,     /* cells, values and their counts, or moments; subject: the column */
    CRD_MODEL_PARTS = 8,      /* the ids of the parts that they hold; subject: the id */
    CRD_MODEL_OTHER = 7       /* something else that a model keeps */
} crd_model_aspect;

/* The first difference between two models, in the order of the aspects. */
typedef struct crd_model_difference {
    size_t size;
    crd_model_aspect aspect;
    char subject[128]; /* see the aspects; "" where there is none */
    char message[384]; /* a sentence; "" where the models are equal */
} crd_model_difference;

#define CRD_MODEL_DIFFERENCE_INIT                                                                                      \
    {                                                                                                                  \
        sizeof(crd_model_difference), CRD_MODEL_EQUAL, {0}, {                                                          \
            0                                                                                                          \
        }                                                                                                              \
    }

/* Models differ where their canonical bytes do: equal ones give the same answers under any settings. */
CRD_API CRD_MUST_USE crd_status crd_model_compare(const crd_model *model, const crd_model *other,
                                                  crd_model_difference *out, crd_error *error);

/* Makes a fresh reader deliver frames with this model's columns and kinds, met by name, or by position where the
 * file has no header. A column of the model that the file does not have is missing, with one warning to the log. */
CRD_API CRD_MUST_USE crd_status crd_model_bind(const crd_model *model, crd_reader *reader, crd_error *error);

/* The same for rows that are to be learned, or judged: each file must have the target, and the weight where the model
 * has one, which is then one of the frames' columns. */
CRD_API CRD_MUST_USE crd_status crd_model_bind_to_learn(const crd_model *model, crd_reader *reader, crd_error *error);

/* The name of the target, which lives as long as the model is unchanged; its bytes are NULL where there is none. */
CRD_API crd_text crd_model_target(const crd_model *model);
/* The field of files of which a column is a part, as NAME is of NAME.month; empty where the column is all of its field, or
 * there is no such column. */
CRD_API crd_text crd_model_column_field(const crd_model *model, crd_text column);
/* Reads a value that a person typed for a column, in the form that the model reads in files: an amount, a date, a truth value. A
 * plain number such as 1.601 is this number, whatever the decimal mark of the form, unless files have 1601 for it and that is
 * nearer to the rows learned; either is logged. A part of a date can be given itself: 5 for a
 * month. *out is a number, a category, or NONE if the text lacks the part; texts that mean missing are not recognized. A text of
 * *out lives as long as `cell` and the model. CRD_ERROR_NUMBER: the text is not a number, or has not the form; CRD_ERROR_COLUMN:
 * there is no such column. */
CRD_API CRD_MUST_USE crd_status crd_model_read_cell(const crd_model *model, crd_text column, crd_text cell,
                                                    crd_value *out, crd_error *error);
/* Writes a number of a column as a cell that the model reads: 12.5% for 0.125 of percentages, a date or a time of day for seconds,
 * else as crd_number_format does. Returns the length. Experimental. */
CRD_API size_t crd_model_format_number(const crd_model *model, crd_text column, double number,
                                       char room[CRD_CELL_ROOM]);

/* Whether the files that it learned had a header. Where they had none, those that are bound to it are taken to have
 * none either, unless their reader's options say otherwise. A reader that does not know this when it is opened decides
 * by the rows, and again when it is bound: set crd_reader_options.header to decide once. */
CRD_API int crd_model_has_header(const crd_model *model);
/* Whether the texts that it learned stood between tabs and had quotes that enclose nothing. Then quotes between tabs are bytes like
 * others in files that are bound to it, unless their reader's options say what a quote is. A reader of input that cannot be read
 * again has to know it when it is opened: crd_reader_options.literal_quotes_between_tabs is better set at once. */
CRD_API int crd_model_has_literal_quotes(const crd_model *model);
/* The name of the weight, which lives as long as the model is unchanged; its bytes are NULL where there is none. */
CRD_API crd_text crd_model_weight(const crd_model *model);
CRD_API const crd_settings *crd_model_settings(const crd_model *model);
CRD_API CRD_MUST_USE crd_status crd_model_set_settings(crd_model *model, const crd_settings *settings,
                                                       crd_error *error);

/* Fits what the model's settings have fitted to the rows that it keeps (attribute weights, calibration, the weights
 * of a stacked ensemble, multivariate normal densities, tables of networks), so that it is kept, in its file too, until the model learns
 * or forgets. Nothing depends on this but time: without it each classifier is fitted anew, with the same result. But tables
 * of networks (the setting estimator) that were being fitted when the call was cancelled are kept as they are then:
 * crd_fit_report_is_stopped. Processes of a group (credence/communicator.h), which have the same model, make this call together. */
CRD_API CRD_MUST_USE crd_status crd_model_fit(crd_model *model, crd_error *error);

/* ---- Files ---- */

/* The canonical bytes of the model; freed with crd_free. */
CRD_API CRD_MUST_USE crd_status crd_model_encode(const crd_model *model, unsigned char **bytes, size_t *length,
                                                 crd_error *error);
CRD_API CRD_MUST_USE crd_status crd_model_decode(crd_context *context, const unsigned char *bytes, size_t length,
                                                 crd_model **out, crd_error *error);
/* Written beside, flushed, renamed: the path holds the old file or the new one at every moment. A file that is there is
 * replaced only by bytes that were read back. */
CRD_API CRD_MUST_USE crd_status crd_model_save(const crd_model *model, const char *path, crd_error *error);
CRD_API CRD_MUST_USE crd_status crd_model_load(crd_context *context, const char *path, crd_model **out,
                                               crd_error *error);
/* *is_model is whether the file begins as a model file does, or as the text of a hidden Markov model (docs/hmm-file.md). A pipe or a device never counts as one: looking would
 * take its first bytes from whoever reads it next. */
CRD_API CRD_MUST_USE crd_status crd_model_recognise(crd_context *context, const char *path, int *is_model,
                                                    crd_error *error);

/* Guards load-change-save against others that do the same, in other processes and in other threads of this one: waits
 * until it holds the lock file beside the path. Whoever holds the lock and takes it again waits for itself, until the
 * context is cancelled. */
typedef struct crd_model_lock crd_model_lock;
CRD_API CRD_MUST_USE crd_status crd_model_lock_take(crd_context *context, const char *path, crd_model_lock **out,
                                                    crd_error *error);
CRD_API void crd_model_lock_release(crd_model_lock *lock);

/* ---- Looking inside: a summary is an ordered, immutable view of what a model has counted ---- */

typedef struct crd_summary crd_summary;

CRD_API CRD_MUST_USE crd_status crd_summary_create(const crd_model *model, crd_summary **out, crd_error *error);
CRD_API void crd_summary_destroy(crd_summary *summary);

/* The target's name; no bytes (NULL) where there is none. Then all rows are of one class, whose name is empty. */
CRD_API crd_text crd_summary_target(const crd_summary *summary);
/* The weight's name; no bytes (NULL) where there is none. Where there is one, "rows" below means the sum of their
 * weights, and counts need not be whole. */
CRD_API crd_text crd_summary_weight(const crd_summary *summary);
/* The further tallies that the model keeps of its number columns, by their names. */
CRD_API size_t crd_summary_tally_count(const crd_summary *summary);
CRD_API const char *crd_summary_tally(const crd_summary *summary, size_t tally);
/* The tallies of several attributes together, by their names, and how many attributes each is of: 0 where it is of all
 * of them; else those are, by number, in the order of their names. */
CRD_API size_t crd_summary_joint_tally_count(const crd_summary *summary);
CRD_API const char *crd_summary_joint_tally(const crd_summary *summary, size_t joint_tally);
/* Whether it became too large, so that it holds nothing: what reads it is refused. */
CRD_API int crd_summary_joint_tally_is_given_up(const crd_summary *summary, size_t joint_tally);
CRD_API size_t crd_summary_joint_tally_size(const crd_summary *summary, size_t joint_tally);
CRD_API size_t crd_summary_joint_tally_attribute(const crd_summary *summary, size_t joint_tally, size_t place);
CRD_API double crd_summary_rows(const crd_summary *summary);
/* Classes in order: by number when all are numbers, else by code point. */
CRD_API size_t crd_summary_class_count(const crd_summary *summary);
CRD_API crd_text crd_summary_class(const crd_summary *summary, size_t class_index);
CRD_API double crd_summary_class_rows(const crd_summary *summary, size_t class_index);

/* The texts that mean missing in the files that the model reads, unless a reader's options have others. */
CRD_API size_t crd_summary_missing_count(const crd_summary *summary);
CRD_API crd_text crd_summary_missing(const crd_summary *summary, size_t index);
/* Whether a text is one of them, or one of the usual ones among them in another case of letters. */
CRD_API int crd_summary_is_missing(const crd_summary *summary, crd_text text);

CRD_API size_t crd_summary_attribute_count(const crd_summary *summary);
CRD_API crd_text crd_summary_attribute(const crd_summary *summary, size_t attribute);
/* Attributes as crd_reader_select picks columns; numbers count the attributes in their order, from 1, without the
 * target. `attributes` has room for crd_summary_attribute_count numbers. */
CRD_API CRD_MUST_USE crd_status crd_summary_select(const crd_summary *summary, crd_text selector, size_t *attributes,
                                                   size_t *count, crd_error *error);
CRD_API crd_kind crd_summary_kind(const crd_summary *summary, size_t attribute);
/* The family that the model's own settings choose for it: "categorical", "gaussian", ...; "" for an attribute without a
 * kind. */
CRD_API const char *crd_summary_family(const crd_summary *summary, size_t attribute);
/* Rows of the class in which the attribute is present. */
CRD_API double crd_summary_present(const crd_summary *summary, size_t attribute, size_t class_index);

/* Texts, whose documents of a class are the rows in which they are present: distinct terms of all documents, and of those of
 * a class; how often terms occur in these, all together. 0 for other attributes. */
CRD_API uint64_t crd_summary_term_count(const crd_summary *summary, size_t attribute);
CRD_API uint64_t crd_summary_class_terms(const crd_summary *summary, size_t attribute, size_t class_index);
CRD_API double crd_summary_occurrences(const crd_summary *summary, size_t attribute, size_t class_index);

/* Categories: values in the same order rule as classes. */
CRD_API size_t crd_summary_value_count(const crd_summary *summary, size_t attribute);
CRD_API crd_text crd_summary_value(const crd_summary *summary, size_t attribute, size_t value);
CRD_API double crd_summary_count(const crd_summary *summary, size_t attribute, size_t value, size_t class_index);
/* Rows that have the value, of all classes; and the classes of these rows, ascending, which live as long as the
 * summary: for columns with many values of which each is in few classes. Returns how many classes. */
CRD_API double crd_summary_value_rows(const crd_summary *summary, size_t attribute, size_t value);
CRD_API size_t crd_summary_value_classes(const crd_summary *summary, size_t attribute, size_t value,
                                         const uint32_t **classes);

/* Numbers: correctly rounded. variance is the one divided by n, sample_variance by n - 1. Where there are too few
 * rows, it is NaN. */
typedef struct crd_moments {
    double rows, sum, sum_of_squares, mean, variance, sample_variance;
} crd_moments;
CRD_API crd_moments crd_summary_moments(const crd_summary *summary, size_t attribute, size_t class_index);
/* The same of all classes together, to within rounding. */
CRD_API crd_moments crd_summary_column_moments(const crd_summary *summary, size_t attribute);
/* The exact sum (power 1) or sum of squares (power 2) as a hexadecimal literal such as "-0x1a.8p-3"; freed with
 * crd_free of the model's context. */
CRD_API CRD_MUST_USE crd_status crd_summary_exact(const crd_summary *summary, size_t attribute, size_t class_index,
                                                  int power, char **out, crd_error *error);

/* ---- Columns that may not be what their owner meant ---- */

enum { CRD_COLUMN_CHECK_OTHERS = 5 };

typedef struct crd_column_check {
    size_t size;
    double cells;          /* that are present */
    size_t values;         /* of a category: how many different ones */
    double numbers;        /* of a category: cells that are numbers */
    crd_text not_a_number; /* of a category: the most frequent value that is none, which lives as long as the summary;
                            * bytes NULL: there is none */
    int is_nearly_numeric; /* a category that is probably numeric, with an unknown spelling of missing values. At least 5
                            * cells and 90 % of them are numbers, or more than half are and there are few other values, or
                            * every other value means missing, such as "-" */
    int is_identifier;     /* a category of more than 20 cells, with more values than 90 % of these: nothing can be
                            * learned from values that do not come again */
    int is_text; /* a category of more than 20 cells, with more values than half of these, which have 4 words or more on
                            * average: rather documents, whose words can be counted */
    /* Experimental. */
    crd_text
        unit; /* of a category whose values are numbers followed by a unit, such as 12 kg: the most frequent unit, which lives as
                    * long as the summary; bytes NULL: it is none */
    size_t units; /* how many of these there are */
    size_t
        date_formats; /* of a category whose values are dates that no one format fits: how many formats they have; 0: it is none */
    double plain_numbers; /* cells that are numbers as crd_number_parse reads them, without a currency, for example */
    double dates;         /* cells that are dates of one format */
    int is_nearly_date;   /* the same as is_nearly_numeric, for dates */
    size_t other_values;  /* distinct values that are not numbers, or, if is_nearly_date, not dates */
    crd_text others[CRD_COLUMN_CHECK_OTHERS]; /* the most frequent of them, which live as long as the summary */
    int is_number_text; /* all values are plain numbers, 5 or more, and none is a code such as 007: texts of a file that has
                         * types, such as JSON */
    int has_both_marks; /* a category whose values are all numbers, some with a decimal point and some with a decimal comma */
} crd_column_check;

#define CRD_COLUMN_CHECK_INIT                                                                                          \
    { sizeof(crd_column_check), 0, 0, 0, {0, 0}, 0, 0, 0, {0, 0}, 0, 0, 0, 0, 0, 0, {{0, 0}}, 0, 0 }

/* Rows with weights are not counted, and no such column is found suspect. */
CRD_API void crd_summary_check_column(const crd_summary *summary, size_t attribute, crd_column_check *out);
/* Whether the target is rather a quantity than a class: it has more than 100 classes, all of them numbers, some with a
 * fraction, or with fewer than 10 rows to a class. */
CRD_API int crd_summary_target_is_quantity(const crd_summary *summary);
/* Experimental: the same with more than 20 classes, which deserves a warning. */
CRD_API int crd_summary_target_may_be_quantity(const crd_summary *summary);

/* Experimental. Returns how many classes have one row each, if these are 3 classes at most and every other class has 10 rows or
 * more: they may come from lines that are not rows, such as totals. Else returns 0. Sets *first to the first of them. */
CRD_API size_t crd_summary_lone_classes(const crd_summary *summary, size_t *first);

/* Two classes are similar if their names are equal except for case, surrounding spaces, or the way a number is written: "spam" and
 * "Spam", "1" and "1.0". Experimental.
 *
 * Returns the first class that is similar to a name; CRD_NONE if there is none, or if the name is itself a class. */
CRD_API size_t crd_summary_similar_class(const crd_summary *summary, crd_text name);
/* Finds the first two classes that are similar to each other. Returns how many such pairs there are: 0 for more than 2,000
 * classes, too. */
CRD_API int crd_summary_similar_classes(const crd_summary *summary, size_t *first, size_t *second);

#ifdef __cplusplus
}
#endif
#endif
