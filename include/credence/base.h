/* credence/base.h - status, error, context, text: what every other header uses.
 *
 * Every call that can fail returns a crd_status. CRD_OK is 0. Where a call takes a
 * crd_error pointer, it may be NULL; when it is not, a failing call fills it in whole.
 * On failure outputs are NULL (or zero) and inputs are unchanged, unless a call says otherwise.
 * Calls that return what they look up, without a status, take indices below the count beside them, and no others.
 * The library never prints, aborts or exits, and keeps no process-wide state.
 *
 * Structs that may grow carry a `size` field, set by their *_INIT macro to the size the
 * caller was compiled with; the library reads or writes no further than that. A struct
 * without a size field never changes. The ABI is promised from version 1.0 on. */
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

/* The numbers are never reused. */
typedef enum crd_status {
    CRD_OK = 0,
    CRD_RESTART = 1,                /* not a failure: a reader begins again, see crd_reader_next */
    CRD_ERROR_MEMORY = 2,           /* an allocation failed */
    CRD_ERROR_ARGUMENT = 3,         /* the caller broke a call's contract */
    CRD_ERROR_CANCELLED = 4,        /* crd_context_cancel was called */
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
    CRD_ERROR_CANNOT_FORGET = 21,   /* rows to be forgotten by a model that keeps what nothing can be taken out of */
    CRD_ERROR_NOT_CONVERGED = 22    /* a density that is fitted in steps, and did not settle */
} crd_status;

/* What went wrong, where. Fixed layout; all texts end in NUL and are cut, not overrun. */
typedef struct crd_error {
    crd_status status;
    int system_error;  /* errno, or 0 */
    uint64_t line;     /* line of the input from 1, or 0 */
    uint64_t field;    /* field of that line from 1, or 0 */
    char place[256];   /* the file or input, or "" */
    char subject[128]; /* the column, setting or class it is about, or "" */
    char message[640]; /* what was found and what was expected: a sentence without place */
} crd_error;

/* Bytes with a length; not NUL-terminated. Names and values are UTF-8 by convention, but any
 * bytes but NUL are taken and kept. */
typedef struct crd_text {
    const char *bytes;
    size_t length;
} crd_text;

CRD_API crd_text crd_text_of(const char *c_string);

/* Whether two texts have the same bytes. */
CRD_API int crd_text_equal(crd_text a, crd_text b);

typedef struct crd_context crd_context;

typedef enum crd_log_level { CRD_LOG_WARNING = 1, CRD_LOG_NOTE = 2 } crd_log_level;

typedef struct crd_context_options {
    size_t size;
    /* As realloc, but bytes = 0 frees and gives NULL. NULL means the C library's. */
    void *(*resize)(void *user, void *block, size_t bytes);
    void *resize_user;
    /* Things worth telling a person that are not failures. NULL means silence. */
    void (*log)(void *user, crd_log_level level, const char *message);
    void *log_user;
} crd_context_options;

#define CRD_CONTEXT_OPTIONS_INIT                                                                                       \
    { sizeof(crd_context_options), 0, 0, 0, 0 }

/* options may be NULL. A context may be used by several threads if its callbacks may. Calls that take all rows of a
 * reader use several themselves, unless the reader's options say 1. */
CRD_API CRD_MUST_USE crd_status crd_context_create(const crd_context_options *options, crd_context **out);
CRD_API void crd_context_destroy(crd_context *context);

/* Asks running calls to stop with CRD_ERROR_CANCELLED; safe in a signal handler. */
CRD_API void crd_context_cancel(crd_context *context);
/* Lets calls work again, once those that were asked to stop have returned; safe in a signal handler. */
CRD_API void crd_context_resume(crd_context *context);

/* Frees memory that a call handed over. NULL is fine. */
CRD_API void crd_free(crd_context *context, void *block);

/* The version this library was built as, "0.1.0". */
CRD_API const char *crd_version(void);

/* A short name of a status, such as "damaged". Never NULL. */
CRD_API const char *crd_status_name(crd_status status);

#ifdef __cplusplus
}
#endif
#endif
