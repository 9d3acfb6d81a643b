/* SPDX-License-Identifier: MIT */
/* credence/base.h - status, error, context, text: what every other header uses.
 *
 * Failure. Every call that can fail returns a crd_status; CRD_OK is 0. A crd_error pointer may be NULL; where it is not,
 * a failing call writes all of the error. On failure outputs are NULL (or zero) and inputs are unchanged, unless a call
 * documents otherwise. The library never prints, aborts or exits, and keeps no process-wide state.
 *
 * Structs. One that may grow begins with `size`, which its *_INIT macro sets to the size that the caller was compiled
 * with; the library reads and writes no further than that. Of an array of such structs the size of the first item is
 * that of all. Structs without a size never change: crd_error, for the reason given there; items of large or nested
 * arrays, whose size is the distance from one to the next in memory of the caller (crd_text, crd_value, crd_answer,
 * crd_finding, crd_cut_point, crd_estimate, crd_term_parameter, crd_parameter_value); and those that calls return by
 * value (crd_moments, crd_calibration_bin, crd_column_comparison). What is to be known beyond them gets calls of its own.
 * Tables of constants of the library (crd_setting, crd_distribution_kind, crd_parameter) are read by callers only. The
 * ABI is promised from version 1.0 on.
 *
 * Lists. A list has a call for its length and one for its items, which are numbered from 0. An index that is not below
 * the length is CRD_ERROR_ARGUMENT where the call has a status, and must not be passed where it has none; the tables of
 * constants return NULL or 0 for it.
 *
 * Names. Enumerators begin with the name of their type, or of what the type describes: CRD_FORMAT_ARFF of crd_format,
 * CRD_TERM_RATIO of crd_term_form.
 *
 * None. What is not there is CRD_NONE as an index, NULL as a pointer and as the bytes of a crd_text, NaN as a number, and
 * -1 as the int32_t number of a class, a state or an action, of which there are arrays of a row each. */
#ifndef CREDENCE_BASE_H
#define CREDENCE_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CRD_API __attribute__((visibility("default")))
#define CRD_MUST_USE __attribute__((warn_unused_result))
#else
#define CRD_API
#define CRD_MUST_USE
#endif

/* An index that is none. */
#define CRD_NONE SIZE_MAX

/* The numbers are never reused. */
typedef enum crd_status {
    CRD_OK = 0,
    CRD_RESTART = 1,                /* not a failure: a reader begins again, see crd_reader_next */
    CRD_ERROR_MEMORY = 2,           /* an allocation failed */
    CRD_ERROR_ARGUMENT = 3,         /* the caller broke a call's contract */
    CRD_ERROR_CANCELLED = 4,        /* crd_context_cancel was called, or crd_call_options stopped the call */
    CRD_ERROR_SYSTEM = 5,           /* the operating system refused: see system_error */
    CRD_ERROR_SYNTAX = 6,           /* input that is malformed: quotes, fields, a NUL byte */
    CRD_ERROR_NUMBER = 7,           /* a cell that is infinite, or no number in a number column */
    CRD_ERROR_KIND = 8,             /* a column that has to be a category, and was read as a number */
    CRD_ERROR_COLUMN = 9,           /* a column that is not there, is there twice, or has the wrong kind */
    CRD_ERROR_EMPTY = 10,           /* nothing to learn from: no header, no rows, no target */
    CRD_ERROR_LIMIT = 11,           /* more categories in a column, a longer row, or more rows than allowed */
    CRD_ERROR_SETTING = 12,         /* an unknown setting, or a value it does not take */
    CRD_ERROR_SETTINGS_DIFFER = 13, /* models to be merged whose default settings differ */
    CRD_ERROR_SCHEMA_DIFFERS = 14,  /* models or rows whose columns do not fit together */
    CRD_ERROR_NOT_LEARNED = 15,     /* rows to be forgotten that were never learned */
    CRD_ERROR_NOT_A_MODEL = 16,     /* bytes that are no model file */
    CRD_ERROR_DAMAGED = 17,         /* a model file that is truncated or altered */
    CRD_ERROR_TOO_NEW = 18,         /* a model file written by a later version */
    CRD_ERROR_PROBABILITY = 19,     /* numbers that cannot be probabilities, or do not fit together as such */
    CRD_ERROR_WEIGHT = 20,          /* a weight that is missing, below zero, or no finite number */
    CRD_ERROR_CANNOT_FORGET = 21,   /* rows to be removed from a statistic that cannot be subtracted from (extremes) */
    CRD_ERROR_NOT_CONVERGED = 22,   /* an iterative fit that did not converge */
    CRD_ERROR_CYCLE = 23,           /* a graph with a directed cycle, where an acyclic one is needed */
    CRD_ERROR_DEADLINE = 24,        /* the deadline of crd_call_options has passed */
    CRD_ERROR_DUPLICATE = 25,       /* a model to be merged all of whose parts were merged before */
    CRD_ERROR_OVERLAP = 26          /* models to be merged that have some of their parts in common */
} crd_status;

/* What went wrong: a code, a place, a subject, a message and a hint, apart from each other. All texts end in NUL and are
 * truncated to their room.
 *
 * A failing call writes all of it, so that the caller need not initialise it, and therefore it has no size field: an
 * uninitialised size would be an overrun. Its size never changes instead: fields to come take the place of `reserved`,
 * which is zero until then. */
typedef struct crd_error {
    crd_status status;
    int system_error;  /* errno, or 0 */
    uint64_t line;     /* line of the input from 1, or 0 */
    uint64_t field;    /* field of that line from 1, or 0 */
    char place[256];   /* the file or input, or "" */
    char subject[128]; /* the column, setting or class it is about, or "" */
    char message[640]; /* what was found and what was expected: a sentence without place */
    char hint[384];    /* what would help, or "": a sentence, in which a setting and its value are name=value */
    unsigned char reserved[104];
} crd_error;

/* Bytes with a length; not NUL-terminated. Names and values are UTF-8 without NUL: tables, frames and schemas in which they
 * are not are refused. (Networks, and models of versions that did not refuse them, may hold any bytes but NUL.) */
typedef struct crd_text {
    const char *bytes;
    size_t length;
} crd_text;

CRD_API crd_text crd_text_of(const char *c_string);

/* Whether two texts have the same bytes. */
CRD_API int crd_text_equal(crd_text a, crd_text b);

typedef struct crd_context crd_context;
typedef struct crd_communicator crd_communicator;

typedef enum crd_log_level { CRD_LOG_WARNING = 1, CRD_LOG_NOTE = 2 } crd_log_level;

/* What a record of the log is about. The numbers are never reused; there may be more in later versions. */
typedef enum crd_log_code {
    CRD_LOG_LOCK_WAITING = 1, /* another process or thread holds the lock of a model file; subject: the path */
    CRD_LOG_COLUMNS_MISSING =
        2, /* columns that a file does not have, and whose cells are missing; subject: the first */
    CRD_LOG_COLUMNS_IGNORED = 3, /* columns that only a later file has, and that are ignored; subject: the first */
    CRD_LOG_COLUMNS_RENAMED = 4, /* columns with the name of another, and what they are called; subject: these names */
    CRD_LOG_ROW_NAMES = 5,    /* rows have a field more than the header, taken for their names; subject: its column */
    CRD_LOG_MISSING_WORD = 6, /* a category has a word that is taken for missing; subject: its column */
    CRD_LOG_DAY_DOUBTFUL = 7, /* dates that can have the day or the month first; subject: the column */
    CRD_LOG_DECIMAL_DOUBTFUL =
        8, /* numbers that a decimal point and a decimal comma make different ones; subject: the column */
    CRD_LOG_LINES_SKIPPED = 9, /* titles and comments before the line that names the columns; no subject */
    CRD_LOG_DECIMAL_CHOSEN =
        10,                  /* 1.601, which can be 1601, was read by a model of decimal commas; subject: the column */
    CRD_LOG_STEP_SHORT = 11, /* most rows of sequences are many steps apart; subject: the typical distance of rows */
    CRD_LOG_VALUES_UNSEEN = 12 /* columns whose values did not occur in training; subject: the first of them */
} crd_log_code;

/* Made by the library and valid during the call; fields may be added at its end. */
typedef struct crd_log_record {
    size_t size; /* of the library's */
    crd_log_level level;
    crd_log_code code;
    const char *subject; /* the column, path or setting it is about, or "" */
    const char *message; /* a sentence */
} crd_log_record;

typedef struct crd_context_options {
    size_t size;
    /* As realloc, but bytes = 0 frees and gives NULL. NULL means the C library's. */
    void *(*resize)(void *user, void *block, size_t bytes);
    void *resize_user;
    /* Receives warnings and notes, which are no failures; from any thread of a call. NULL: they are dropped. */
    void (*log)(void *user, const crd_log_record *record);
    void *log_user;
    /* The group of processes that this one computes with: see credence/communicator.h. Copied. NULL: it computes alone. */
    const crd_communicator *communicator;
} crd_context_options;

#define CRD_CONTEXT_OPTIONS_INIT                                                                                       \
    { sizeof(crd_context_options), 0, 0, 0, 0, 0 }

/* options may be NULL. A context may be used by several threads if its callbacks may. Calls that take all rows of a
 * reader use several threads, unless the reader's options or those of the call allow one only. */
CRD_API CRD_MUST_USE crd_status crd_context_create(const crd_context_options *options, crd_context **out);
/* The caller is done with it: nothing new may be made with it. What was made before stays whole, and may be used and
 * destroyed at any later time; until then the callbacks are called as before. */
CRD_API void crd_context_destroy(crd_context *context);

/* Stops running calls, and those to come, with CRD_ERROR_CANCELLED; safe in a signal handler. */
CRD_API void crd_context_cancel(crd_context *context);
/* Undoes that, once the calls that it stopped have returned; safe in a signal handler. */
CRD_API void crd_context_resume(crd_context *context);

/* ---- Options of calls: threads, a deadline, ways to stop, and progress ----
 *
 *   crd_call_begin(context, &options);  calls with this context, or with what was made with it;  crd_call_end(context);
 *
 * The options hold for all calls in between that the same thread makes, and for the threads that these calls use; not
 * for calls of other threads. This is state of the thread, not of the process or the context. Brackets may be nested:
 * all of them hold. Without a bracket, calls are as their own options have them.
 *
 * A call that is stopped fails with CRD_ERROR_CANCELLED or CRD_ERROR_DEADLINE, within about a tenth of a second, and so
 * do further calls until crd_call_end. */
typedef struct crd_call_options {
    size_t size;
    unsigned threads; /* a call uses no more than so many threads; 0: as many as its own options allow */
    double deadline;  /* seconds after crd_call_begin at which calls stop; 0: none */
    /* Calls stop when this is not 0. It is read atomically; it may be set by any thread, or in a signal handler. */
    const int *cancel;
    /* Called about every 20 ms while a call works, by the thread that made the call; calls stop when it returns
     * anything but 0. A binding looks for interrupts here. It must not use what the running call was given. */
    int (*poll)(void *user);
    /* Called at most every 50 ms, by the same thread: what is done at the moment, in one word or two of English, and
     * how much of it is done; total is 0 where it is not known. */
    void (*progress)(void *user, const char *stage, double done, double total);
    void *user; /* given to both */
} crd_call_options;

#define CRD_CALL_OPTIONS_INIT                                                                                          \
    { sizeof(crd_call_options), 0, 0, 0, 0, 0, 0 }

/* CRD_ERROR_ARGUMENT: the options have no size, or a deadline below zero or NaN. The options are copied. */
CRD_API CRD_MUST_USE crd_status crd_call_begin(crd_context *context, const crd_call_options *options);
/* Ends the innermost bracket that this thread began with the context. Without one it does nothing. */
CRD_API void crd_call_end(crd_context *context);

/* Frees memory that a call handed over, also after crd_context_destroy. NULL is fine. */
CRD_API void crd_free(crd_context *context, void *block);

/* The version this library was built as, "0.1.0". */
CRD_API const char *crd_version(void);

/* A short name of a status, such as "damaged". Never NULL. */
CRD_API const char *crd_status_name(crd_status status);

#ifdef __cplusplus
}
#endif
#endif
