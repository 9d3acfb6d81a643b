/* SPDX-License-Identifier: MIT */
/* credence/base.h - status codes, errors, contexts, texts. All other headers use these definitions.
 *
 * Failure. Every function that can fail returns a crd_status; CRD_OK is 0. A crd_error pointer may be NULL. If it is
 * not NULL, a failing call writes the whole error. On failure, outputs are NULL (or zero) and inputs are unchanged,
 * unless the function documents otherwise. The library never prints, aborts or exits, and keeps no process-wide state.
 *
 * Structs. A struct that may grow begins with `size`. Its *_INIT macro sets `size` to the size that the caller was
 * compiled with, and the library neither reads nor writes past it. In an array of such structs, the size of the first
 * item applies to all items. Structs without a size never change:
 *   crd_error, for the reason given in its comment;
 *   items of large or nested arrays, because their size is the distance between items in the caller's memory: crd_text,
 *     crd_value, crd_answer, crd_finding, crd_cut_point, crd_estimate, crd_term_parameter, crd_parameter_value;
 *   structs that functions return by value: crd_moments, crd_calibration_bin, crd_column_comparison.
 * If a later version has more to report about these, it adds functions. Callers only read the library's constant tables
 * (crd_setting, crd_distribution_kind, crd_parameter). The ABI is stable from version 1.0 on.
 *
 * Lists. A list has one function for its length and one for its items, which are numbered from 0. If an index is not
 * below the length, functions that return a status return CRD_ERROR_ARGUMENT. Never pass such an index to a function
 * without a status. Only the constant tables return NULL or 0 for it.
 *
 * Names. Enumerators begin with the name of their type, or with the name of the thing that the type describes:
 * CRD_FORMAT_ARFF is a crd_format, CRD_TERM_RATIO is a crd_term_form.
 *
 * Absent values. An absent index is CRD_NONE. An absent pointer, or the bytes of an absent crd_text, is NULL. An absent
 * number is NaN. Class, state and action numbers are int32_t, because arrays hold one per row; an absent one is -1. */
#ifndef CREDENCE_BASE_H
#define CREDENCE_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
/* Exports a function from the shared library. Expands to nothing if the compiler is not GCC or Clang. */
#define CRD_API __attribute__((visibility("default")))
#define CRD_MUST_USE __attribute__((warn_unused_result))
#else
#define CRD_API
#define CRD_MUST_USE
#endif

/* Marks an absent index. */
#define CRD_NONE SIZE_MAX

/* The result of a call. The numbers are never reused; 1 is not in use. */
typedef enum crd_status {
    CRD_OK = 0,
    CRD_ERROR_MEMORY = 2,           /* an allocation failed */
    CRD_ERROR_ARGUMENT = 3,         /* the caller violated the function's contract */
    CRD_ERROR_CANCELLED = 4,        /* crd_context_cancel was called, or crd_call_options stopped the call */
    CRD_ERROR_SYSTEM = 5,           /* the operating system reported an error: see system_error */
    CRD_ERROR_SYNTAX = 6,           /* malformed input: quotes, fields, a NUL byte */
    CRD_ERROR_NUMBER = 7,           /* a value is infinite, or is not a number in a numeric column */
    CRD_ERROR_TYPE = 8,             /* a column must be categorical but was already read as numeric */
    CRD_ERROR_COLUMN = 9,           /* a column is missing, occurs twice, or has the wrong type */
    CRD_ERROR_EMPTY = 10,           /* no training data: no header, no rows, no target */
    CRD_ERROR_LIMIT = 11,           /* too many categories in a column, too long a row, or too many rows */
    CRD_ERROR_SETTING = 12,         /* an unknown setting, or an invalid value for it */
    CRD_ERROR_SETTINGS_DIFFER = 13, /* the default settings of the models to merge differ */
    CRD_ERROR_SCHEMA_DIFFERS = 14,  /* the columns of models or rows do not match */
    CRD_ERROR_NOT_LEARNED = 15,     /* rows to forget were never learned */
    CRD_ERROR_NOT_A_MODEL = 16,     /* the bytes are not a model file */
    CRD_ERROR_DAMAGED = 17,         /* a model file is truncated or altered */
    CRD_ERROR_TOO_NEW = 18,         /* a later version wrote the model file */
    CRD_ERROR_PROBABILITY = 19,     /* numbers are not probabilities, or are inconsistent as probabilities */
    CRD_ERROR_WEIGHT = 20,          /* a weight is missing, negative or not finite */
    CRD_ERROR_CANNOT_FORGET = 21,   /* rows cannot be subtracted from a statistic (minimum and maximum) */
    CRD_ERROR_NOT_CONVERGED = 22,   /* an iterative fit did not converge */
    CRD_ERROR_CYCLE = 23,           /* a graph that must be acyclic has a directed cycle */
    CRD_ERROR_DEADLINE = 24,        /* the deadline of crd_call_options has passed */
    CRD_ERROR_DUPLICATE = 25,       /* all parts of the model to merge were merged before */
    CRD_ERROR_OVERLAP = 26          /* the models to merge have some of their parts in common */
} crd_status;

/* Describes a failure: a code, a place, a subject, a message and a hint, each in its own field. All texts end in NUL
 * and are truncated to the size of their arrays.
 *
 * A failing call writes the whole struct, so the caller need not initialize it. Therefore it has no size field: an
 * uninitialized size would cause a buffer overrun. The struct's size never changes instead. New fields will use bytes
 * of `reserved`, which is zero until then. */
typedef struct crd_error {
    crd_status status;
    int system_error;  /* errno, or 0 */
    uint64_t line;     /* line of the input, counted from 1, or 0 */
    uint64_t field;    /* field of that line, counted from 1, or 0 */
    char place[256];   /* the file or input, or "" */
    char subject[128]; /* the column, setting or class concerned, or "" */
    char message[640]; /* a sentence: what was found and what was expected, without the place */
    char hint[384];    /* a sentence that suggests a remedy, or ""; it writes a setting and its value as name=value */
    unsigned char reserved[104];
} crd_error;

/* A byte string with a length; not NUL-terminated. Names and values are UTF-8 without NUL. Tables, frames and schemas
 * with other names or values are rejected. (Networks, and models of versions that did not check this, may contain any
 * bytes except NUL.) */
typedef struct crd_text {
    const char *bytes;
    size_t length;
} crd_text;

/* Returns a crd_text for a NUL-terminated string. It borrows the bytes; the final NUL is not counted. */
CRD_API crd_text crd_text_of(const char *c_string);

/* Returns non-zero if two texts have the same bytes. */
CRD_API int crd_text_equal(crd_text a, crd_text b);

/* Holds the allocator, the log callback and the communicator that calls use. See crd_context_create. */
typedef struct crd_context crd_context;
/* Connects a group of processes that compute together. See credence/communicator.h. */
typedef struct crd_communicator crd_communicator;

/* The severity of a log record. */
typedef enum crd_log_level { CRD_LOG_WARNING = 1, CRD_LOG_NOTE = 2 } crd_log_level;

/* The topic of a log record. The numbers are never reused; later versions may add more. */
typedef enum crd_log_code {
    CRD_LOG_LOCK_WAITING = 1, /* another process or thread holds the lock of a model file; subject: the path */
    /* A file lacks columns, so their values are missing; subject: the first such column. */
    CRD_LOG_COLUMNS_MISSING = 2,
    CRD_LOG_COLUMNS_IGNORED = 3, /* columns that only a later file has are ignored; subject: the first such column */
    CRD_LOG_COLUMNS_RENAMED = 4, /* columns that had another column's name were renamed; subject: the new names */
    /* Rows have one field more than the header, which is used as the row name; subject: its column. */
    CRD_LOG_ROW_NAMES = 5,
    CRD_LOG_MISSING_WORD = 6, /* a categorical column contains a word that is read as missing; subject: the column */
    CRD_LOG_DAY_DOUBTFUL = 7, /* dates may have the day first or the month first; subject: the column */
    /* A number's value depends on whether a decimal point or comma is assumed; subject: the column. */
    CRD_LOG_DECIMAL_DOUBTFUL = 8,
    CRD_LOG_LINES_SKIPPED = 9, /* titles and comments before the header line were skipped; no subject */
    /* A model with decimal commas read 1.601, which could be 1601; subject: the column. */
    CRD_LOG_DECIMAL_CHOSEN = 10,
    /* Most rows of a sequence are many steps apart; subject: the typical distance between rows. */
    CRD_LOG_STEP_SHORT = 11,
    /* The values of some columns did not occur in training; subject: the first such column. */
    CRD_LOG_VALUES_UNSEEN = 12
} crd_log_code;

/* A message to the log callback. The library owns the record, which is valid only during the callback. Later versions
 * may add fields at its end. */
typedef struct crd_log_record {
    size_t size; /* size of the library's struct */
    crd_log_level level;
    crd_log_code code;
    const char *subject; /* the column, path or setting concerned, or "" */
    const char *message; /* a sentence */
} crd_log_record;

/* Options of crd_context_create. Initialize it with CRD_CONTEXT_OPTIONS_INIT. */
typedef struct crd_context_options {
    size_t size;
    /* Allocates like realloc, except that bytes = 0 frees the block and returns NULL. If this is NULL, the library uses
     * the C library's allocator. Receives `resize_user` as `user`. */
    void *(*resize)(void *user, void *block, size_t bytes);
    void *resize_user;
    /* Receives warnings and notes, which are not failures. Any thread of a call may call it. It receives `log_user` as
     * `user`. If this is NULL, messages are dropped. */
    void (*log)(void *user, const crd_log_record *record);
    void *log_user;
    /* The group of processes that this process computes with: see credence/communicator.h. Copied. If this is NULL, the
     * process computes on its own. */
    const crd_communicator *communicator;
} crd_context_options;

#define CRD_CONTEXT_OPTIONS_INIT                                                                                       \
    { sizeof(crd_context_options), 0, 0, 0, 0, 0 }

/* Creates a context in *out. `options` may be NULL for the defaults. Several threads may share a context if its
 * callbacks are thread-safe. Functions that process all rows of a reader use several threads, unless the options of the
 * reader or of the call allow only one. Destroy the context with crd_context_destroy. */
CRD_API CRD_MUST_USE crd_status crd_context_create(const crd_context_options *options, crd_context **out);
/* Releases the caller's reference to the context. Do not create new objects with the context afterwards. Existing
 * objects stay valid: you can use and destroy them at any later time. Until then the library still calls the context's
 * callbacks. */
CRD_API void crd_context_destroy(crd_context *context);

/* Stops running and future calls of the context with CRD_ERROR_CANCELLED. Safe in a signal handler. */
CRD_API void crd_context_cancel(crd_context *context);
/* Undoes crd_context_cancel. Call it after the stopped calls have returned. Safe in a signal handler. */
CRD_API void crd_context_resume(crd_context *context);

/* ---- Call options: threads, a deadline, ways to stop, and progress ----
 *
 *   crd_call_begin(context, &options);  calls with this context or its objects;  crd_call_end(context);
 *
 * The options apply to all calls that the same thread makes between these two, and to the threads that those calls use.
 * They do not apply to calls of other threads. They are state of the thread, not of the process or the context. You can
 * nest such brackets: all of them apply. Outside a bracket, only the options of each call apply.
 *
 * A stopped call fails with CRD_ERROR_CANCELLED or CRD_ERROR_DEADLINE within about a tenth of a second. Further calls
 * fail in the same way until crd_call_end. */
typedef struct crd_call_options {
    size_t size;
    unsigned threads; /* maximum number of threads of a call; 0: as many as the call's own options allow */
    double deadline;  /* seconds after crd_call_begin when calls stop; 0: no deadline */
    /* Calls stop when *cancel is not 0. The library reads it atomically. Any thread or signal handler may set it. */
    const int *cancel;
    /* Called about every 20 ms while a call is running, by the thread that made the call. The call stops if this
     * returns a value other than 0. Language bindings can check for interrupts here. It must not use objects that were
     * passed to the running call. */
    int (*poll)(void *user);
    /* Reports progress at most every 50 ms, from the thread that made the call. `stage` is one or two English words for
     * the current step. `done` of `total` is finished; total is 0 if it is unknown. */
    void (*progress)(void *user, const char *stage, double done, double total);
    void *user; /* passed to `poll` and `progress` */
} crd_call_options;

#define CRD_CALL_OPTIONS_INIT                                                                                          \
    { sizeof(crd_call_options), 0, 0, 0, 0, 0, 0 }

/* Begins a bracket in which `options` apply to the calling thread. The options are copied. End it with crd_call_end.
 * Returns CRD_ERROR_ARGUMENT if the options have no size, or a deadline that is negative or NaN. */
CRD_API CRD_MUST_USE crd_status crd_call_begin(crd_context *context, const crd_call_options *options);
/* Ends the innermost bracket that this thread began with the context. Does nothing if there is no bracket. */
CRD_API void crd_call_end(crd_context *context);

/* Frees memory that a call returned to the caller. You can also call it after crd_context_destroy. `block` may be
 * NULL. */
CRD_API void crd_free(crd_context *context, void *block);

/* Returns the version of this library, such as "0.2.0". */
CRD_API const char *crd_version(void);

/* Returns a short name for a status, such as "damaged". Never returns NULL. */
CRD_API const char *crd_status_name(crd_status status);

#ifdef __cplusplus
}
#endif
#endif
