/* SPDX-License-Identifier: MIT */
/* credence/credence.h - the core of libcredence: what a typical program needs.
 *
 *   table    reader  --rows-->  model  --settings-->  classifier  --rows-->  posteriors, terms
 *   network  file, model or builder  -->  network  --evidence-->  posteriors, most probable explanation
 *   HMM      sequences  -->  model  -->  hidden Markov model  --sequences-->  paths, posteriors
 *
 * The smallest program learns from a table and classifies one row:
 *
 *   const char *table = "tennis.csv";
 *   if (crd_context_create(NULL, &context)) return 1;
 *   if (crd_reader_open(context, &table, 1, NULL, &reader, &error)) goto done;
 *   if (crd_reader_select_target(reader, crd_text_of("Play"), &error)) goto done;
 *   if (crd_model_train(context, reader, NULL, &model, NULL, &error)) goto done;
 *   if (crd_classifier_create(model, NULL, &classifier, &error)) goto done;
 *   if (crd_classifier_posterior(classifier, values, log_posterior, NULL, &answer, &error)) goto done;
 *
 * The folder examples contains ten complete programs, and each section below names one of them.
 *
 * The interface has three tiers:
 *   core          this header, and credence/base.h, which it includes. Read the first comment of base.h first: it
 *                 describes errors, structs, lists and absent values.
 *   advanced      the other headers. Include the ones that you need, or credence/all.h, which lists all of them.
 *   experimental  functions that may change in any version. Define CRD_EXPERIMENTAL before you include a header.
 *
 * These rules hold for every function below, unless its comment says otherwise:
 *   Errors      A function that returns crd_status returns CRD_OK or an error, and describes the error in *error, which
 *               may be NULL. Every such function may return CRD_ERROR_MEMORY and CRD_ERROR_CANCELLED. After an error,
 *               *out is NULL and objects are unchanged.
 *   Ownership   The caller owns *out and frees it with the function that the comment names. Every such function accepts
 *               NULL. Pointers and texts that a function returns belong to its first argument and are valid as long as
 *               that object. Texts that you pass are copied, unless the comment says that they are borrowed.
 *   Threads     Threads can share const objects. Only one thread at a time can use any other object.
 *   Complexity  Functions that return a name, a number or a count take constant time. */
#ifndef CREDENCE_CREDENCE_H
#define CREDENCE_CREDENCE_H

#include <credence/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Options that advanced headers define. Pass NULL for the defaults. */
typedef struct crd_reader_options crd_reader_options;         /* credence/data.h: formats, separators, shards */
typedef struct crd_unlabeled_options crd_unlabeled_options;   /* credence/latent.h: rows without a class */
typedef struct crd_assessment_options crd_assessment_options; /* credence/assess.h: decision rules, importance */

/* The structs of the Arrow C Data Interface and the Arrow C Stream Interface, declared here only by name. */
struct ArrowSchema;
struct ArrowArray;
struct ArrowArrayStream;

/* ---- Settings: how a model predicts, as names and values. `credence help settings` lists them.
 *
 *   crd_settings_set(settings, "smoothing", crd_text_of("laplace:1"), &error);      examples/network_from_rows.c
 *
 * A model stores statistics, not parameters, so you can choose settings again for every classifier. ---- */

/* Values of all settings. */
typedef struct crd_settings crd_settings;

/* Creates settings with default values in *out. Free them with crd_settings_destroy. */
CRD_API CRD_MUST_USE crd_status crd_settings_create(crd_context *context, crd_settings **out, crd_error *error);

/* Frees settings. Models and classifiers that were created with them keep a copy. */
CRD_API void crd_settings_destroy(crd_settings *settings);

/* Sets one setting from a text: setting `name` to `value`, such as "m:1" for smoothing.
 * Errors: CRD_ERROR_SETTING if the name is unknown or the value is invalid; the hint lists what is allowed. */
CRD_API CRD_MUST_USE crd_status crd_settings_set(crd_settings *settings, const char *name, crd_text value,
                                                 crd_error *error);

/* Returns the canonical text of a setting's value ("m:1" for "m:1.0"), or NULL if the name is unknown. The text is
 * valid until the next crd_settings_set. */
CRD_API const char *crd_settings_get(const crd_settings *settings, const char *name);

/* ---- Frames: rows in memory, in typed columns. examples/classify_mail.c ---- */

/* The type of a column or of a value. */
typedef enum crd_column_type {
    CRD_TYPE_NONE = 0, /* no value is present yet; compatible with every type */
    CRD_TYPE_NUMERIC = 1,
    CRD_TYPE_CATEGORICAL = 2,
    CRD_TYPE_TEXT = 3 /* a document: a model counts its terms and learns from the counts */
} crd_column_type;

/* One value of a row. The type CRD_TYPE_NONE means missing; the number NaN is missing too. */
typedef struct crd_value {
    crd_column_type type;
    double number;
    crd_text text;
} crd_value;

/* A batch of rows in typed columns. */
typedef struct crd_frame crd_frame;

/* Creates a frame for `rows` rows, without columns, in *out. Free it with crd_frame_destroy. */
CRD_API CRD_MUST_USE crd_status crd_frame_create(crd_context *context, size_t rows, crd_frame **out, crd_error *error);

/* Frees a frame. Borrowed arrays stay with the caller. */
CRD_API void crd_frame_destroy(crd_frame *frame);

/* Adds a numeric column. NaN is missing.
 *   values    one number per row; borrowed until the frame is destroyed
 *   validity  NULL, or bits, least significant first: a cleared bit i means that value i is missing; borrowed too
 * Errors: CRD_ERROR_NUMBER if a value is infinite, CRD_ERROR_COLUMN if the name is used already. O(rows) time. */
CRD_API CRD_MUST_USE crd_status crd_frame_add_numbers(crd_frame *frame, crd_text name, const double *values,
                                                      const uint8_t *validity, crd_error *error);

/* Adds a categorical column of codes, which are indices into a dictionary of texts.
 *   codes       one code per row; borrowed until the frame is destroyed; a negative code is missing
 *   validity    as for crd_frame_add_numbers
 *   dictionary  `dictionary_size` texts; copied
 * Errors: CRD_ERROR_ARGUMENT if a code is too large, CRD_ERROR_COLUMN if the name is used already. O(rows) time. */
CRD_API CRD_MUST_USE crd_status crd_frame_add_codes(crd_frame *frame, crd_text name, const int32_t *codes,
                                                    const uint8_t *validity, const crd_text *dictionary,
                                                    size_t dictionary_size, crd_error *error);

/* Adds a categorical column of texts, one per row, and copies them. A text whose bytes are NULL is missing.
 * Errors: CRD_ERROR_COLUMN if the name is used already. O(bytes) time and memory. */
CRD_API CRD_MUST_USE crd_status crd_frame_add_texts(crd_frame *frame, crd_text name, const crd_text *texts,
                                                    crd_error *error);

/* Adds a column of documents (CRD_TYPE_TEXT), whose terms a model counts. Documents may contain any bytes. An empty
 * document, or one whose bytes are NULL, is missing. `texts` and their bytes are borrowed until the frame is destroyed.
 * Errors: CRD_ERROR_COLUMN if the name is used already. */
CRD_API CRD_MUST_USE crd_status crd_frame_add_documents(crd_frame *frame, crd_text name, const crd_text *texts,
                                                        crd_error *error);

/* Returns the number of rows. */
CRD_API size_t crd_frame_rows(const crd_frame *frame);

/* Returns the value of a row in a column. Its text is valid until the frame is changed or destroyed. */
CRD_API crd_value crd_frame_value(const crd_frame *frame, size_t row, size_t column);

/* ---- Reader: rows of files, memory or Arrow streams, as frames in bounded memory. examples/classify.c ---- */

/* Reads rows as a series of frames. */
typedef struct crd_reader crd_reader;

/* Opens `path_count` files in *out and reads the header of the first one. Close the reader with crd_reader_close. The
 * path "-" is standard input. Files can be delimited text, ARFF or JSON, compressed or not: the content decides. Columns
 * of later files are matched to the first file by name. `options` may be NULL.
 * Errors: CRD_ERROR_SYSTEM if a file cannot be read, CRD_ERROR_EMPTY without a header or rows, CRD_ERROR_SYNTAX. */
CRD_API CRD_MUST_USE crd_status crd_reader_open(crd_context *context, const char *const *paths, size_t path_count,
                                                const crd_reader_options *options, crd_reader **out, crd_error *error);

/* Opens a reader in *out over a file's bytes in memory, which are borrowed until the reader is closed. Messages use
 * `name` as the place; NULL: "memory". Otherwise like crd_reader_open. */
CRD_API CRD_MUST_USE crd_status crd_reader_open_memory(crd_context *context, const void *bytes, size_t length,
                                                       const char *name, const crd_reader_options *options,
                                                       crd_reader **out, crd_error *error);

/* Opens a reader in *out over an Arrow C stream of record batches. The reader takes the stream out of *stream, also after
 * an error, and releases it. docs/formats.md lists how Arrow types become column types. The stream can be read only
 * once. Messages use `name` as the place; NULL: "stream". `options` may be NULL. examples/columns_in_memory.c
 * Errors: CRD_ERROR_SYSTEM if the stream fails, CRD_ERROR_COLUMN if two columns have the same name. */
CRD_API CRD_MUST_USE crd_status crd_reader_open_arrow(crd_context *context, struct ArrowArrayStream *stream,
                                                      const char *name, const crd_reader_options *options,
                                                      crd_reader **out, crd_error *error);

/* Closes a reader and frees it with its frames. */
CRD_API void crd_reader_close(crd_reader *reader);

/* Returns the number of columns in the first file. */
CRD_API size_t crd_reader_column_count(const crd_reader *reader);

/* Returns the name of a column, in the order of the first file. Without a header the names are c1, c2, ... */
CRD_API crd_text crd_reader_column_name(const crd_reader *reader, size_t column);

/* Sets the type of a column. By default the values decide: a column of numbers is numeric, any other is categorical.
 * Call it before the first row is read.
 * Errors: CRD_ERROR_ARGUMENT if there is no such column or rows were read, CRD_ERROR_COLUMN if the target would not be
 * categorical. */
CRD_API CRD_MUST_USE crd_status crd_reader_set_column_type(crd_reader *reader, size_t column, crd_column_type type,
                                                           crd_error *error);

/* Makes a column the target: the class to predict. It is always categorical. `selector` is a name, or a number from 1.
 * Call it before the first row is read.
 * Errors: CRD_ERROR_COLUMN if the selector does not pick one column; the hint lists similar names. */
CRD_API CRD_MUST_USE crd_status crd_reader_select_target(crd_reader *reader, crd_text selector, crd_error *error);

/* Ignores columns, so frames do not contain them. `selector` is a name, a number, a range (2-5, a-c) or a glob (x*).
 * Call it before the first row is read.
 * Errors: CRD_ERROR_COLUMN if the selector picks no column, or one that cannot be ignored. */
CRD_API CRD_MUST_USE crd_status crd_reader_select_ignored(crd_reader *reader, crd_text selector, crd_error *error);

/* Sets *out to the next frame, or to NULL at the end. The reader owns the frame and reuses it for the next one.
 * The first call determines the column types. If a schema or a model does not fix them, it reads all rows, on all CPU
 * cores. Input that cannot be read again, such as a pipe, is not read ahead: types then follow from the rows so far, and
 * may change from CRD_TYPE_NONE to another type between frames.
 * Errors: CRD_ERROR_SYNTAX, CRD_ERROR_NUMBER and CRD_ERROR_COLUMN with file, line and field; CRD_ERROR_TYPE if a column
 * of a pipe is categorical after frames had delivered it as numeric; CRD_ERROR_SCHEMA_DIFFERS if the rows changed while
 * they were read; CRD_ERROR_SYSTEM. O(bytes) time; memory for one block of rows. */
CRD_API CRD_MUST_USE crd_status crd_reader_next(crd_reader *reader, const crd_frame **out, crd_error *error);

/* ---- Model: the sufficient statistics of learned rows. examples/classify.c, examples/merge_models.c
 *
 * A model is a function of its columns and the multiset of the rows that it learned. It has the same bytes for any order
 * of rows and any tree of merges. Forgetting rows restores the previous bytes. ---- */

/* The sufficient statistics of learned rows, with their schema and default settings. */
typedef struct crd_model crd_model;

/* Reports what happened while rows were read. Initialize it with CRD_READ_FACTS_INIT. */
typedef struct crd_read_facts {
    size_t size;
    uint64_t rows;       /* number of rows that were learned or forgotten */
    uint64_t skipped;    /* number of rows that were skipped because their target value is missing */
    uint64_t weightless; /* number of rows that were skipped because their weight is 0 */
    double weight;       /* total weight of the rows learned or forgotten; without a weight column, their number */
    /* Number of skipped rows whose target contains a word that means missing, and the first of these words in sort
     * order. A long word is truncated. */
    uint64_t skipped_with_text;
    char skipped_text[32];
    /* For hidden Markov models: the number of sequences, and the number of steps of the shortest and the longest
     * one. */
    uint64_t sequences, shortest, longest;
    /* Number of steps without observations that were inserted between rows, and number of rows less than half a step
     * after the previous row. */
    uint64_t inserted, crowded;
} crd_read_facts;

#define CRD_READ_FACTS_INIT                                                                                            \
    { sizeof(crd_read_facts), 0, 0, 0, 0, 0, {0}, 0, 0, 0, 0, 0 }

/* Trains a model in *out on all rows of a reader, on all CPU cores. Free the model with crd_model_destroy; it needs
 * neither the reader nor the file afterwards. The reader's target must be set, unless the settings specify the method
 * network and its arcs: then crd_network_from_model makes a network of the model.
 *   settings  the model's default settings, copied; NULL: the defaults
 *   facts     receives the numbers of rows that were learned and skipped; may be NULL
 * Errors: CRD_ERROR_EMPTY without rows to learn, CRD_ERROR_LIMIT if a column has too many categories, the errors of
 * crd_reader_next. O(rows x columns) time; memory grows with distinct values, not with rows. */
CRD_API CRD_MUST_USE crd_status crd_model_train(crd_context *context, crd_reader *reader, const crd_settings *settings,
                                                crd_model **out, crd_read_facts *facts, crd_error *error);

/* Creates a model in *out that has learned no rows. Free it with crd_model_destroy.
 *   like      a frame whose columns the model gets; only used during the call
 *   target    the name of the class column
 *   settings  the model's default settings, copied; NULL: the defaults
 * Errors: CRD_ERROR_COLUMN if the frame has no such column. */
CRD_API CRD_MUST_USE crd_status crd_model_create(crd_context *context, const crd_frame *like, crd_text target,
                                                 const crd_settings *settings, crd_model **out, crd_error *error);

/* Frees a model. Classifiers that were created from it stay valid. */
CRD_API void crd_model_destroy(crd_model *model);

/* Learns the rows of a frame, or none after an error. Columns are matched by name: extra columns are ignored, absent
 * ones are missing. Rows without a class are skipped. O(rows x columns) time. examples/rows_as_they_arrive.c
 * Errors: CRD_ERROR_COLUMN if the target is absent, CRD_ERROR_SCHEMA_DIFFERS if a column has another type,
 * CRD_ERROR_WEIGHT if a weight is missing or negative. */
CRD_API CRD_MUST_USE crd_status crd_model_update(crd_model *model, const crd_frame *frame, crd_error *error);

/* Forgets the rows of a frame: subtracts them from the statistics, or none of them after an error. Columns are matched
 * as in crd_model_update. O(rows x columns) time.
 * Errors: CRD_ERROR_NOT_LEARNED if the rows were not learned, CRD_ERROR_CANNOT_FORGET if the model keeps a minimum and
 * a maximum, the errors of crd_model_update. */
CRD_API CRD_MUST_USE crd_status crd_model_forget(crd_model *model, const crd_frame *frame, crd_error *error);

/* Learns every row of a fresh reader, or none after an error. The call binds the reader to the model. `facts` may be
 * NULL. O(rows x columns) time.
 * Errors: CRD_ERROR_SCHEMA_DIFFERS if the rows do not have the model's columns, the errors of crd_reader_next. */
CRD_API CRD_MUST_USE crd_status crd_model_update_all(crd_model *model, crd_reader *reader, crd_read_facts *facts,
                                                     crd_error *error);

/* Merges the statistics of `other` into `model`. The result is the model of all rows of both. O(size of `other`) time.
 * Errors: CRD_ERROR_SCHEMA_DIFFERS if columns differ, CRD_ERROR_SETTINGS_DIFFER if default settings differ,
 * CRD_ERROR_DUPLICATE if the parts of `other` were merged before, CRD_ERROR_OVERLAP if only some of them were. */
CRD_API CRD_MUST_USE crd_status crd_model_merge(crd_model *model, const crd_model *other, crd_error *error);

/* Encodes a model as its canonical bytes: sets *bytes and *length. Free *bytes with crd_free. Equal models have equal
 * bytes, on every machine. O(size) time. */
CRD_API CRD_MUST_USE crd_status crd_model_encode(const crd_model *model, unsigned char **bytes, size_t *length,
                                                 crd_error *error);

/* Decodes a model in *out from `length` bytes of crd_model_encode, which are not needed afterwards. Free the model with
 * crd_model_destroy. O(size) time.
 * Errors: CRD_ERROR_NOT_A_MODEL, CRD_ERROR_DAMAGED, CRD_ERROR_TOO_NEW if a later version wrote the bytes. */
CRD_API CRD_MUST_USE crd_status crd_model_decode(crd_context *context, const unsigned char *bytes, size_t length,
                                                 crd_model **out, crd_error *error);

/* Writes a model file: the bytes of crd_model_encode. The file is replaced at once, so the path always contains either
 * the old file or the new one.
 * Errors: CRD_ERROR_SYSTEM with errno in system_error. */
CRD_API CRD_MUST_USE crd_status crd_model_save(const crd_model *model, const char *path, crd_error *error);

/* Reads a model in *out from a file that crd_model_save wrote. Free it with crd_model_destroy.
 * Errors: CRD_ERROR_SYSTEM if the file cannot be read, the errors of crd_model_decode. */
CRD_API CRD_MUST_USE crd_status crd_model_load(crd_context *context, const char *path, crd_model **out,
                                               crd_error *error);

/* Binds a fresh reader to a model, before rows are classified: its frames get the model's columns and types. Columns are
 * matched by name, or by position if the file has no header. Values of absent columns are missing.
 * Errors: CRD_ERROR_COLUMN if names occur twice, CRD_ERROR_ARGUMENT if rows were read or the reader is bound. */
CRD_API CRD_MUST_USE crd_status crd_model_bind(const crd_model *model, crd_reader *reader, crd_error *error);

/* Returns the name of the target, which is valid until the model is changed. Its bytes are NULL without a target. */
CRD_API crd_text crd_model_target(const crd_model *model);

/* ---- Classifier: a model under settings, which computes posteriors and explains them. examples/classify.c
 *
 * A classifier is derived once and never changes, so threads can share it. It does not need its model afterwards. ---- */

/* An immutable classifier, which threads may share. */
typedef struct crd_classifier crd_classifier;

/* The prediction for one row. */
typedef struct crd_answer {
    /* The class with the largest posterior, the first one if classes tie; -1: every class has probability 0. */
    int32_t decision;
    /* How many classes tie for the largest posterior, including the predicted one; 0 if decision is -1. */
    uint32_t tied;
    /* Number of ignored values: categories that were not seen in training, or numbers that are impossible under every
     * class. */
    uint32_t unseen;
    double log_evidence; /* log p(x), x the values that were used; -INFINITY if decision is -1 */
} crd_answer;

/* Creates a classifier in *out. Free it with crd_classifier_destroy. `settings` may be NULL: the model's own.
 * Errors: CRD_ERROR_EMPTY if the model has learned no rows, CRD_ERROR_SETTING if a setting does not fit the model,
 * CRD_ERROR_NOT_CONVERGED if a fit did not converge, CRD_ERROR_LIMIT if a density would be too large.
 * Naive Bayes takes O(size of the model) time. Methods that fit parameters read the rows that the model keeps. */
CRD_API CRD_MUST_USE crd_status crd_classifier_create(const crd_model *model, const crd_settings *settings,
                                                      crd_classifier **out, crd_error *error);

/* Frees a classifier. */
CRD_API void crd_classifier_destroy(crd_classifier *classifier);

/* Returns the number of classes. They are ordered by number if all are numbers, otherwise by code point. */
CRD_API size_t crd_classifier_class_count(const crd_classifier *classifier);

/* Returns the name of a class. */
CRD_API crd_text crd_classifier_class(const crd_classifier *classifier, size_t class_index);

/* Returns the number of attributes. */
CRD_API size_t crd_classifier_attribute_count(const crd_classifier *classifier);

/* Returns the name of an attribute. */
CRD_API crd_text crd_classifier_attribute(const crd_classifier *classifier, size_t attribute);

/* Computes the posterior of each class for one row.
 *   values         one value per attribute, in the order of crd_classifier_attribute: a category in .text, a number in
 *                  .number or .text, a document in .text; borrowed
 *   log_posterior  receives one number per class: the natural logarithms
 *   probabilities  receives one number per class; may be NULL. Each is the class's share of the sum over all classes, so
 *                  they add up to 1 more precisely than crd_exp of the logarithms.
 *   answer         receives the predicted class. If its decision is -1, every class has probability 0.
 * Errors: CRD_ERROR_NUMBER if a number is infinite, or the text of a numeric value is not a number.
 * Naive Bayes takes O(attributes x classes) time and allocates no memory. */
CRD_API CRD_MUST_USE crd_status crd_classifier_posterior(const crd_classifier *classifier, const crd_value *values,
                                                         double *log_posterior, double *probabilities,
                                                         crd_answer *answer, crd_error *error);

/* Output arrays for the predictions of many rows, in row order. Set arrays that you do not need to NULL. Except for
 * readers, results that no array needs are not computed, so requesting only decisions is fastest. Initialize it with
 * CRD_RESULTS_INIT. */
typedef struct crd_results {
    size_t size;
    size_t rows;            /* the number of rows that each array has space for */
    double *log_posteriors; /* rows x classes; see crd_classifier_posterior */
    double *probabilities;  /* rows x classes; see crd_classifier_posterior */
    /* rows x classes; see crd_classifier_uncalibrated. Undefined if the classifier is not calibrated. */
    double *uncalibrated_logs, *uncalibrated;
    crd_answer *answers; /* one per row */
    int32_t *decisions;  /* one per row, equal to the decision of its answer */
    unsigned threads;    /* 0: one per CPU core; for a reader, the number in its options */
} crd_results;

#define CRD_RESULTS_INIT                                                                                               \
    { sizeof(crd_results), 0, NULL, NULL, NULL, NULL, NULL, NULL, 0 }

/* Classifies all rows of a frame on several threads and writes the results to the arrays of `results`. Columns are
 * matched by name: extra columns are ignored, absent ones are missing. The results have the same bits as calls for single
 * rows, for any number of threads. After an error the content of the arrays is undefined.
 * Errors: CRD_ERROR_LIMIT if the arrays are too small, CRD_ERROR_SCHEMA_DIFFERS if a column has another type than the
 * model's.
 * O(rows x attributes x classes) time for naive Bayes. examples/rows_as_they_arrive.c */
CRD_API CRD_MUST_USE crd_status crd_classifier_classify_frame(const crd_classifier *classifier, const crd_frame *frame,
                                                              const crd_results *results, crd_error *error);

/* Classifies all remaining rows of a reader like crd_classifier_classify_frame, and sets *rows to their number. Call
 * crd_model_bind first, to give the columns the model's types.
 * Errors: CRD_ERROR_LIMIT if the arrays are too small for the rows, the errors of crd_reader_next. */
CRD_API CRD_MUST_USE crd_status crd_classifier_classify_reader(const crd_classifier *classifier, crd_reader *reader,
                                                               const crd_results *results, size_t *rows,
                                                               crd_error *error);

/* Classifies all remaining rows of a reader, of any number, into an Arrow struct array. Call crd_model_bind first.
 *   threads  0: the number in the reader's options
 *   schema   receives the columns below; the caller releases it before the context is destroyed
 *   array    receives one row per row of the reader; released likewise
 * The array has these columns:
 *   prediction    a dictionary of the class names, null if every class has probability 0
 *   probability   a double: the probability of the predicted class
 *   P(NAME)       a double for each class
 *   log_evidence  a double
 *   unseen        an int32
 * Errors: those of crd_reader_next. After an error both structs are marked as released. Memory grows with the rows.
 * examples/columns_in_memory.c */
CRD_API CRD_MUST_USE crd_status crd_classifier_classify_to_arrow(const crd_classifier *classifier, crd_reader *reader,
                                                                 unsigned threads, struct ArrowSchema *schema,
                                                                 struct ArrowArray *array, crd_error *error);

/* The form of a term. */
typedef enum crd_term_form {
    CRD_TERM_RATIO = 1,   /* (count + added) / (total + added_total): see crd_term_smoothing */
    CRD_TERM_DENSITY = 2, /* the density of a number, or the probability of an integer, at x: see `family` */
    CRD_TERM_GIVEN = 3,   /* a prior that the settings specify */
    CRD_TERM_MISSING = 4, /* the value is missing: ignored, log_value 0 */
    CRD_TERM_UNSEEN = 5,  /* a category that was not seen in training, or an impossible number: ignored, log_value 0 */
    CRD_TERM_SILENT = 6,  /* an attribute without a density (no values, or no variance): ignored, log_value 0 */
    CRD_TERM_JOINT = 7    /* a joint density covers the attribute with others: log_value 0 */
} crd_term_form;

/* The formula of a term whose form is CRD_TERM_RATIO. */
typedef enum crd_term_smoothing {
    CRD_TERM_PLAIN = 0,      /* count / total */
    CRD_TERM_M_UNIFORM = 1,  /* (count + strength * 1/values) / (total + strength) */
    CRD_TERM_M_MARGINAL = 2, /* (count + strength * share_count/share_total) / (total + strength) */
    CRD_TERM_LAPLACE = 3,    /* (count + strength) / (total + strength * values) */
    CRD_TERM_OVERALL = 4     /* the attribute is never present in the class: count / total over all classes */
} crd_term_smoothing;

/* A parameter of a density. The name is valid as long as the library is loaded. */
typedef struct crd_term_parameter {
    const char *name;
    double value;
} crd_term_parameter;

enum { CRD_TERM_PARAMETERS = 4 };

/* One term of the log posterior. Initialize it with CRD_TERM_INIT. */
typedef struct crd_term {
    size_t size;
    crd_term_form form;
    crd_term_smoothing smoothing; /* for RATIO */
    double log_value;             /* the amount that is added to the log posterior */
    double count, total;          /* for RATIO; for GIVEN: the specified prior, and the sum of all specified priors */
    double strength, values;      /* for RATIO: M or L; the number of values t */
    double share_count, share_total;
    double x, mean, deviation; /* for DENSITY */
    const char *family;        /* for DENSITY: "gaussian", ... */
    size_t parameter_count;    /* for DENSITY */
    crd_term_parameter parameters[CRD_TERM_PARAMETERS];
    double exponent; /* the exponent of the probability or density; log_value includes it */
} crd_term;

#define CRD_TERM_INIT                                                                                                  \
    {                                                                                                                  \
        sizeof(crd_term), CRD_TERM_MISSING, CRD_TERM_PLAIN, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0,                     \
            {{NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}}, 1                                                            \
    }

/* Computes the term that a value of an attribute adds to the log posterior of a class. The log posterior is the sum of
 * the prior's term and the terms of all attributes, minus log_evidence. `value` is as for crd_classifier_posterior.
 * Errors: CRD_ERROR_NUMBER if the text of a numeric value is not a number. O(1) time; O(terms) for a document. */
CRD_API CRD_MUST_USE crd_status crd_classifier_term(const crd_classifier *classifier, size_t attribute,
                                                    size_t class_index, const crd_value *value, crd_term *term,
                                                    crd_error *error);

/* Returns e to the power x, with the same bits on every machine. */
CRD_API double crd_exp(double x);

/* Returns the natural logarithm of x, with the same bits on every machine. */
CRD_API double crd_log(double x);

/* ---- Evaluation: predicts rows by a model that has not learned them. examples/cross_validate.c
 *
 * Statistics are subtracted, so each row is predicted by exactly the model that the other rows give. ---- */

/* Rows with a target that can be read repeatedly. */
typedef struct crd_row_source crd_row_source;

/* How rows are assigned to folds.
 *
 * The rows of each class, in their order, are split into runs of `folds` rows (stratification). Each run assigns one
 * row to every fold. Folds with the fewest rows of all classes so far come first; equal ones are in an order drawn from
 * (seed, class, run number). So folds differ by at most one row in every class. If the rows of a class are contiguous
 * and there are at most 256 folds, fold sizes differ by at most one too; otherwise they seldom differ by more than two.
 * A row's fold depends only on the seed and on the classes of the rows up to it. */
typedef struct crd_split_options {
    size_t size;
    uint32_t folds; /* the number of folds; from 2 to a million */
    /* > 0: hold out a test set. The test set consists of the rows of this many folds and is fold 1; all other rows are
     * training rows, in fold 0. */
    uint32_t held_out;
    uint64_t seed;
    /* A column of the reader whose values name the folds; SIZE_MAX: none. The reader must keep texts and ignore the
     * column. Rows are then added in the first pass. */
    size_t column;
    const uint32_t *given; /* borrowed: the fold of each row, in order; NULL: none */
    size_t given_count;
} crd_split_options;

#define CRD_SPLIT_OPTIONS_INIT                                                                                         \
    { sizeof(crd_split_options), 10, 0, 1, SIZE_MAX, 0, 0 }

/* An assessment of a model, of folds, or of leave-one-out predictions. */
typedef struct crd_assessment crd_assessment;

/* Predictions of rows and their true classes, from which scores are computed. */
typedef struct crd_evaluation crd_evaluation;

/* The scores of an evaluation. */
typedef struct crd_scores crd_scores;

/* Scores over all rows. Undefined values are NaN, for example if there are no rows, or no classes to rank. */
typedef struct crd_totals {
    size_t size;
    uint64_t rows;
    uint64_t undecided;   /* rows without a prediction: every class has probability 0 */
    uint64_t zero_rows;   /* rows whose true class had probability 0 */
    double accuracy;      /* the mean credit: accuracy, with credit shared by ties */
    double baseline;      /* the share of the most frequent true class: the accuracy of always predicting it */
    double log_loss;      /* the mean of -log P(true class); INFINITY if zero_rows > 0 */
    double brier;         /* the mean of the sum over classes of (P(class) - [it is true])^2: 0 to 2 */
    double auc;           /* the mean area under the ROC curve, over the classes that have one */
    uint64_t auc_classes; /* the number of classes that have an area */
    double ece;           /* expected calibration error: mean |accuracy - mean probability| of bins, weighted by rows */
    double weight; /* the total weight, by which rows are weighted in means; the number of rows if they have none */
    /* For the scores below, the first of tied classes is the predicted class, and a row without a prediction is wrong.
     */
    double balanced_accuracy; /* the mean recall of the classes that have rows */
    double macro_f1;          /* the mean F1 of the classes that have rows or were predicted */
    double weighted_f1;       /* the mean F1 of the classes, weighted by their rows */
    /* Matthews correlation coefficient of predictions and true classes, for more than two classes Gorodkin's R_K (2004):
     * -1 to 1; 0 if all rows have one true class or one predicted class. */
    double mcc;
    double kappa;             /* Cohen's kappa: accuracy beyond chance; NaN if chance is always right */
    double baseline_log_loss; /* the log loss of the true class frequencies: the entropy of the class prior */
    /* Non-zero if rows x classes exceed 2^25 and there are more than 256 classes. Then rows are not ranked by class, and
     * there are no areas (auc is NaN) and no curves. */
    int is_unranked;
} crd_totals;

#define CRD_TOTALS_INIT                                                                                                \
    { sizeof(crd_totals), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Creates a row source in *out: the rows of a reader, which can be read several times. Free it with
 * crd_row_source_destroy before you close the reader. The target must be set, and no row may have been read. Rows of
 * files are read again; rows of pipes are kept in memory.
 * Errors: CRD_ERROR_EMPTY without a target. */
CRD_API CRD_MUST_USE crd_status crd_row_source_create(crd_reader *reader, crd_row_source **out, crd_error *error);

/* Frees a row source, but not its reader. */
CRD_API void crd_row_source_destroy(crd_row_source *source);

/* Prepares the assessment of a model on the rows of a fresh reader in *out, and binds the reader to the model. Free it
 * with crd_assessment_destroy, before the other objects.
 *   classifier  a classifier of the model
 *   reader      NULL: the rows come from parts, see credence/assess.h
 *   is_strict   non-zero: the rows must have the target and, if the model has a weight, the weight
 * Errors: CRD_ERROR_COLUMN if a required column is absent, CRD_ERROR_ARGUMENT if rows were read. */
CRD_API CRD_MUST_USE crd_status crd_assessment_of_model(const crd_model *model, const crd_classifier *classifier,
                                                        crd_reader *reader, int is_strict, crd_assessment **out,
                                                        crd_error *error);

/* Prepares cross-validation or holdout in *out, and learns all folds. Each row will be predicted by the model without its
 * fold. Free it with crd_assessment_destroy, before the source.
 *   source     at its first row
 *   settings   NULL: the defaults; copied
 *   split      NULL: 10 folds; copied, except for `given`
 *   unlabeled  NULL: rows without a class are skipped; copied
 * Errors: CRD_ERROR_EMPTY if there is only one fold or no row, the errors of crd_reader_next.
 * O(rows x columns) time, and one model per fold in memory. */
CRD_API CRD_MUST_USE crd_status crd_assessment_of_folds(crd_row_source *source, const crd_settings *settings,
                                                        const crd_split_options *split,
                                                        const crd_unlabeled_options *unlabeled, crd_assessment **out,
                                                        crd_error *error);

/* Predicts and scores the rows. Call it once. Rows without a class are skipped. `options` may be NULL.
 * Errors: CRD_ERROR_EMPTY if no row remains, the errors of crd_reader_next and of crd_classifier_create.
 * O(rows x attributes x classes) time, and one classifier per fold. */
CRD_API CRD_MUST_USE crd_status crd_assessment_run(crd_assessment *assessment, const crd_assessment_options *options,
                                                   crd_error *error);

/* Returns the predictions of all scored rows. They are valid as long as the assessment. */
CRD_API const crd_evaluation *crd_assessment_evaluation(const crd_assessment *assessment);

/* Frees an assessment with its evaluation. */
CRD_API void crd_assessment_destroy(crd_assessment *assessment);

/* Computes the scores of an evaluation in *out. Free them with crd_scores_destroy. credence/evaluate.h has the scores of
 * each class, the confusion matrix, calibration and curves. O(rows log rows x classes) time. */
CRD_API CRD_MUST_USE crd_status crd_scores_create(const crd_evaluation *evaluation, crd_scores **out, crd_error *error);

/* Writes the scores over all rows to *out, which is initialized with CRD_TOTALS_INIT. */
CRD_API void crd_scores_totals(const crd_scores *scores, crd_totals *out);

/* Frees scores. */
CRD_API void crd_scores_destroy(crd_scores *scores);

/* ---- Bayesian networks. examples/network_by_hand.c, examples/network_from_rows.c
 *
 * A network is immutable, so threads can share it. credence/network.h has the builder, tables, other queries and
 * decisions. ---- */

/* An immutable Bayesian network. Threads can share it. */
typedef struct crd_network crd_network;

/* Network file formats. */
typedef enum crd_network_format {
    CRD_NETWORK_FORMAT_ANY = 0, /* when reading: detect the format from the bytes */
    CRD_NETWORK_FORMAT_BIF = 1,
    CRD_NETWORK_FORMAT_XMLBIF = 2,
    CRD_NETWORK_FORMAT_NET = 3,  /* Hugin */
    CRD_NETWORK_FORMAT_UAI = 4,  /* drops names: nodes and states are numbered from 0 */
    CRD_NETWORK_FORMAT_DOT = 5,  /* a Graphviz drawing; can be written but not read */
    CRD_NETWORK_FORMAT_XDSL = 6, /* GeNIe and SMILE */
    CRD_NETWORK_FORMAT_DNE = 7   /* Netica; names that are not identifiers are converted to identifiers */
} crd_network_format;

/* Reads a network in *out from a file, which may be compressed. Free it with crd_network_destroy. The format
 * CRD_NETWORK_FORMAT_ANY is detected from the content.
 * Errors: CRD_ERROR_SYSTEM if the file cannot be read; CRD_ERROR_SYNTAX, CRD_ERROR_PROBABILITY and CRD_ERROR_CYCLE with
 * the line, and the column number in `field`. */
CRD_API CRD_MUST_USE crd_status crd_network_load(crd_context *context, const char *path, crd_network_format format,
                                                 crd_network **out, crd_error *error);

/* Creates the network that a model defines in *out. Free it with crd_network_destroy; it does not need the model. With
 * the method network, the arcs come from the settings `arcs` and `search`. Otherwise the model must be naive Bayes with
 * categorical attributes, and the class is the parent of each attribute. `settings` may be NULL: the model's own.
 * Errors: CRD_ERROR_COLUMN and CRD_ERROR_TYPE if a numeric column would become a node, CRD_ERROR_SETTING if the settings
 * do not define a network or need statistics that the model lacks, CRD_ERROR_LIMIT if a table would be too large.
 * O(size of the tables) time if the arcs are given; a search reads the rows that the model keeps. */
CRD_API CRD_MUST_USE crd_status crd_network_from_model(const crd_model *model, const crd_settings *settings,
                                                       crd_network **out, crd_error *error);

/* Frees a network. */
CRD_API void crd_network_destroy(crd_network *network);

/* Returns the number of nodes. */
CRD_API size_t crd_network_node_count(const crd_network *network);

/* Returns the number of the node called `name`, or CRD_NONE. Nodes are numbered from 0. */
CRD_API size_t crd_network_find(const crd_network *network, crd_text name);

/* Returns the name of a node. */
CRD_API crd_text crd_network_node_name(const crd_network *network, size_t node);

/* Returns the number of states of a node; 0 for a Gaussian node. */
CRD_API size_t crd_network_state_count(const crd_network *network, size_t node);

/* Returns the name of a state of a node. */
CRD_API crd_text crd_network_state(const crd_network *network, size_t node, size_t state);

/* Returns the number of the node's state called `state`, or CRD_NONE. If all states are intervals, `state` can also be a
 * number, and the call returns the interval that contains it. O(states) time. */
CRD_API size_t crd_network_find_state(const crd_network *network, size_t node, crd_text state);

/* Returns the number of parents of a node. */
CRD_API size_t crd_network_parent_count(const crd_network *network, size_t node);

/* Returns the node number of a parent. `parent` is the parent's index from 0, in the order of the arcs. */
CRD_API size_t crd_network_parent(const crd_network *network, size_t node, size_t parent);

/* An observed node. It has a state, a likelihood for each state (virtual evidence), or a number if the node is
 * Gaussian. */
typedef struct crd_finding {
    size_t node;
    size_t state;              /* ignored for a Gaussian node */
    const double *likelihoods; /* P(observation | state) for each state; NULL: the state or number is certain */
    double number;             /* for a Gaussian node, finite; ignored for other nodes */
} crd_finding;

/* Methods of approximate inference. */
typedef enum crd_approximation {
    CRD_APPROXIMATION_NEVER = 0,
    CRD_APPROXIMATION_WEIGHTING = 1, /* likelihood weighting */
    CRD_APPROXIMATION_GIBBS = 2,     /* Gibbs sampling */
    CRD_APPROXIMATION_LOOPY = 3      /* loopy belief propagation; its error is not known */
} crd_approximation;

/* Options of inference calls. */
typedef struct crd_inference_options {
    size_t size;
    unsigned threads;                /* 0: one for each CPU core; results are bit-identical for any number */
    double memory;                   /* bytes that exact inference may use; 0: half of the free memory */
    crd_approximation approximation; /* the method to use if the memory is not sufficient */
    int is_always_approximate;       /* always approximate; by likelihood weighting if no method is chosen */
    uint64_t seed;
    uint64_t draws; /* for Monte Carlo; 0: 131072, which usually gives standard errors between 0.001 and 0.002 */
} crd_inference_options;

#define CRD_INFERENCE_OPTIONS_INIT                                                                                     \
    { sizeof(crd_inference_options), 0, 0, CRD_APPROXIMATION_NEVER, 0, 1, 0 }

/* Additional results of an inference call. */
typedef struct crd_inference_result {
    size_t size;
    double log_evidence;             /* log P(evidence); NaN if loopy propagation did not converge */
    double log_evidence_error;       /* its standard error: 0 if it is exact, NaN if it is not known */
    crd_approximation approximation; /* the method that computed the result; NEVER: the result is exact */
    double draws, effective_draws;   /* for Monte Carlo: the number of draws, and the effective sample size */
    double cells, bytes;             /* table size of exact inference, also if that was too large */
    size_t nodes;                    /* the number of nodes that the query needed */
} crd_inference_result;

#define CRD_INFERENCE_RESULT_INIT                                                                                      \
    { sizeof(crd_inference_result), 0, 0, CRD_APPROXIMATION_NEVER, 0, 0, 0, 0, 0 }

/* A query of a network: the evidence, and the nodes to compute. Initialize it with CRD_NETWORK_QUERY_INIT. Everything is
 * borrowed during the call. */
typedef struct crd_network_query {
    size_t size;
    const crd_finding *findings; /* the evidence: at most one finding per node; NULL if there are none */
    size_t finding_count;
    const size_t *nodes; /* the queried nodes; they may have findings */
    size_t node_count;
    const crd_inference_options *options; /* NULL: exact inference */
} crd_network_query;

#define CRD_NETWORK_QUERY_INIT                                                                                         \
    { sizeof(crd_network_query), NULL, 0, NULL, 0, NULL }

/* Computes the posterior of each chance node that a query names.
 *   posteriors  receives one probability per state of each node, one node after the other
 *   errors      receives standard errors in the same layout: 0 for exact values, NaN if unknown; may be NULL
 *   result      receives log P(evidence) and the method that was used; may be NULL
 * Errors: CRD_ERROR_PROBABILITY if the evidence is impossible, CRD_ERROR_LIMIT if exact inference needs more memory than
 * the options allow, CRD_ERROR_NOT_CONVERGED if no draw agrees with the evidence, CRD_ERROR_COLUMN if a decision on
 * which the nodes depend has no finding.
 * Exact inference takes time and memory exponential in the treewidth of the network. Estimates take O(draws x nodes);
 * they are within two standard errors in at least 95 of 100 runs. */
CRD_API CRD_MUST_USE crd_status crd_network_posteriors(const crd_network *network, const crd_network_query *query,
                                                       double *posteriors, double *errors, crd_inference_result *result,
                                                       crd_error *error);

/* Computes the most probable states of the nodes that a query names, with all other nodes summed out (MAP). If
 * query->nodes is NULL, computes the most probable explanation of all nodes without a finding (MPE).
 *   states           receives one state per queried node; without queried nodes, one per node of the network
 *   log_probability  receives log P(states, evidence); may be NULL
 *   result           as for crd_network_posteriors
 * Errors and complexity are those of exact inference in crd_network_posteriors. */
CRD_API CRD_MUST_USE crd_status crd_network_mpe(const crd_network *network, const crd_network_query *query,
                                                size_t *states, double *log_probability, crd_inference_result *result,
                                                crd_error *error);

/* ---- Hidden Markov models. examples/hidden_markov_model.c
 *
 * credence/hmm_train.h has training with hidden states, credence/hmm_decode.h filtering and decoding in bounded
 * memory. ---- */

/* A batch of sequences. It is immutable, and threads may share it. */
typedef struct crd_sequences crd_sequences;

/* How to find sequences in the rows of a reader. A sequence ends where the id changes, at an empty line (which may
 * contain whitespace), and at the end of each file, unless the next file continues with the same id. Without an id
 * column and empty lines, each file is one sequence. Initialize it with CRD_SEQUENCE_OPTIONS_INIT. */
typedef struct crd_sequence_options {
    size_t size;
    crd_text sequence; /* the id column, selected as by crd_reader_select; bytes NULL: none */
    int blank_lines;   /* non-zero: sequences end at empty lines; only delimited files have them */
    /* The time column, which contains numbers or dates. Rows of a sequence may be anywhere in the table and are sorted
     * by time. Times within a sequence must be distinct. Bytes NULL: rows are in their order, and the rows of an id are
     * consecutive. */
    crd_text time;
    /* The length of a step in the unit of the times: seconds for dates. If rows are k steps apart (rounded), k - 1
     * steps without observations are inserted between them. 0: rows are consecutive steps, however far apart they
     * are. */
    double step;
    size_t batch_rows;   /* approximate number of rows per batch; 0: 65,536 */
    size_t memory_bytes; /* approximate number of bytes of a batch that are kept in memory; 0: 64 MiB */
    /* The name of the time format (crd_reader_set_column_format), for example seconds-dmy. It resolves ambiguous values such as
     * 01/02/2024. Dates that contradict it are CRD_ERROR_TYPE. Bytes NULL: the format is detected from the values. The
     * options of a model (crd_model_sequence_options) contain the format that was used in training, unless the values
     * are unambiguous. */
    crd_text time_format;
} crd_sequence_options;

#define CRD_SEQUENCE_OPTIONS_INIT                                                                                      \
    {                                                                                                                  \
        sizeof(crd_sequence_options), {0, 0}, 0, {0, 0}, 0, 0, 0, {                                                    \
            0, 0                                                                                                       \
        }                                                                                                              \
    }

/* A hidden Markov model under settings. It is derived once and immutable, and threads can share it. */
typedef struct crd_hmm crd_hmm;

/* Reads all sequences of a reader in *out. Free them with crd_sequences_destroy. If the reader has a target, it contains
 * the state of each row. `options` NULL: each file is one sequence. Sequences that do not fit into memory are stored in
 * an unnamed temporary file. O(rows x columns) time.
 * Errors: CRD_ERROR_EMPTY without rows; CRD_ERROR_SYNTAX if an id occurs again after other ids, or a time occurs twice;
 * CRD_ERROR_LIMIT if rows are too many steps apart; the errors of crd_reader_next. */
CRD_API CRD_MUST_USE crd_status crd_sequences_read(crd_reader *reader, const crd_sequence_options *options,
                                                   crd_sequences **out, crd_error *error);

/* Frees sequences and their temporary file. */
CRD_API void crd_sequences_destroy(crd_sequences *sequences);

/* Returns the number of sequences. */
CRD_API size_t crd_sequences_count(const crd_sequences *sequences);

/* Returns the number of steps of a sequence. */
CRD_API uint64_t crd_sequences_length(const crd_sequences *sequences, size_t sequence);

/* Returns the number of steps of all sequences. */
CRD_API uint64_t crd_sequences_rows(const crd_sequences *sequences);

/* Trains a model in *out on labeled sequences by counting: the values of each state, and the states that follow each
 * other. Free it with crd_model_destroy. `settings` and `facts` are as for crd_model_train. O(steps x columns) time.
 * Errors: CRD_ERROR_EMPTY if no row has a label. */
CRD_API CRD_MUST_USE crd_status crd_sequences_train(const crd_sequences *sequences, const crd_settings *settings,
                                                    crd_model **out, crd_read_facts *facts, crd_error *error);

/* Derives a hidden Markov model in *out from a model under settings (NULL: the model's). Free it with crd_hmm_destroy
 * before the model. O(size of the model + states^(order + 1)) time.
 * Errors: CRD_ERROR_ARGUMENT if the model was not trained on sequences, CRD_ERROR_SETTING if a setting does not fit it,
 * CRD_ERROR_LIMIT if a chain of this order would have too many transitions. */
CRD_API CRD_MUST_USE crd_status crd_hmm_create(const crd_model *model, const crd_settings *settings, crd_hmm **out,
                                               crd_error *error);

/* Frees a hidden Markov model, but not its model. */
CRD_API void crd_hmm_destroy(crd_hmm *hmm);

/* Returns the number of states. They are ordered by number if all are numbers, otherwise by code point. */
CRD_API size_t crd_hmm_state_count(const crd_hmm *hmm);

/* Returns the name of a state. */
CRD_API crd_text crd_hmm_state(const crd_hmm *hmm, size_t state);

/* Computes P(state | all observations of the sequence) with the forward-backward algorithm.
 *   threads          0: one per CPU core; results have the same bits for any number
 *   posteriors       receives posteriors[row * states + state]; rows are the steps of all sequences, in their order
 *   log_likelihoods  receives log P(observations) of each sequence; may be NULL
 * An impossible sequence has a log likelihood of -INFINITY and posteriors NaN.
 * Errors: CRD_ERROR_SCHEMA_DIFFERS if columns have other types than in training. O(steps x states^2) time for a chain of
 * order 1; memory grows with the square root of the longest sequence. */
CRD_API CRD_MUST_USE crd_status crd_hmm_posteriors(const crd_hmm *hmm, const crd_sequences *sequences, unsigned threads,
                                                   double *posteriors, double *log_likelihoods, crd_error *error);

/* Computes the most likely path of states with the Viterbi algorithm.
 *   states             receives one state per step of all sequences, in their order; -1 if the sequence is impossible
 *   log_probabilities  receives log P(path, observations) of each sequence; may be NULL
 * Of equally likely paths, the lexicographically smallest is chosen. Otherwise like crd_hmm_posteriors. */
CRD_API CRD_MUST_USE crd_status crd_hmm_paths(const crd_hmm *hmm, const crd_sequences *sequences, unsigned threads,
                                              int32_t *states, double *log_probabilities, crd_error *error);

/* ---- Texts. examples/explain_text.c; credence/mail.h parses mail messages, examples/classify_mail.c ---- */

/* A term of a text, made according to the settings tokens, letter-case, stem, ngrams, sparse-bigrams and hash. */
typedef struct crd_text_term {
    crd_text term;
    size_t from, to; /* the term was made from the text's bytes `from` to `to` - 1 */
} crd_text_term;

/* Splits a text into terms, in the way in which models do, and calls `take` with each term until it returns non-zero.
 *   settings  how texts are split: tokens, letter-case, stem, ngrams, ...; NULL: the defaults
 *   text      may contain any bytes; borrowed
 *   take      receives `user` and a term, which is valid only during its call
 * Errors: CRD_ERROR_SETTING if settings contradict each other, or need a library that this build does not include.
 * O(bytes) time, and memory for one term. */
CRD_API CRD_MUST_USE crd_status crd_text_terms(crd_context *context, const crd_settings *settings, crd_text text,
                                               int (*take)(void *user, const crd_text_term *term), void *user,
                                               crd_error *error);

#ifdef __cplusplus
}
#endif
#endif
