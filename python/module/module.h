/* SPDX-License-Identifier: MIT */
/* module.h - what all files of the extension module credence._core share.
 *
 * The module is a thin layer over the public headers, on CPython's Stable ABI: it holds references to borrowed memory, releases the
 * GIL around calls, and turns errors into exceptions. It has no statistics; what a caller in Python needs beyond the library is
 * composed in the package's Python files. */
#ifndef CREDENCE_PYTHON_MODULE_H
#define CREDENCE_PYTHON_MODULE_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000 /* 3.11: the first with the buffer protocol */
#endif
#include <Python.h>
/* Headers of Python 3.12 and 3.13 return None without a reference, as it is immortal there: built with these, the module would take
 * references away from the None of Python 3.11, until that is freed. */
#undef Py_RETURN_NONE
#define Py_RETURN_NONE return Py_NewRef(Py_None)

#include <credence/credence.h>
#include <pthread.h>
#include <stdbool.h>

/* Types of the module, by number: module_state.types. */
typedef enum core_type {
    CORE_SETTINGS,
    CORE_FRAME,
    CORE_COLUMNS,
    CORE_READER,
    CORE_MODEL,
    CORE_CLASSIFIER,
    CORE_BLOCK,
    CORE_LOCK,
    CORE_DISTRIBUTION,
    CORE_EXPLAINER,
    CORE_QUERY,
    CORE_COUNTS,
    CORE_SEQUENCES,
    CORE_HMM,
    CORE_SEQUENCE_CLASSES,
    CORE_NETWORK,
    CORE_NORMAL_MIXTURE,
    CORE_RULE,
    CORE_ASSESSMENT,
    CORE_CURVE,
    CORE_TYPE_COUNT /* further types go before this */
} core_type;

/* A record of the library's log that waits for the thread that made the call, which holds the GIL again then. */
typedef struct log_entry {
    struct log_entry *next;
    crd_log_level level;
    int code;
    char *subject, *message;
} log_entry;

/* State of the module, one for each interpreter that imported it. */
typedef struct module_state {
    crd_context *context;
    PyObject *make_error;   /* credence.errors.make_error */
    PyObject *make_warning; /* credence.errors.warn */
    PyTypeObject *types[CORE_TYPE_COUNT];
    pthread_mutex_t log_mutex;
    log_entry *log_first, **log_last;
} module_state;

/* Every object of a type of the module begins with this. The type holds the module, so that the state lives as long. */
typedef struct core_object {
    PyObject_HEAD module_state *state;
} core_object;

/* A type of the module, added to it under its name. Returns 0, or -1 with an exception. */
int add_type(PyObject *module, module_state *state, core_type number, PyType_Spec *spec);
/* A new object of a type, all zero but for its state; NULL with an exception. */
void *new_object(module_state *state, core_type number);
/* The state behind an object of any type of the module, and behind the module itself. */
module_state *state_of(void *object);
module_state *state_of_module(PyObject *module);
/* Whether an object is of that type; sets TypeError where it is not, naming the argument. */
bool check_type(module_state *state, PyObject *object, core_type number, const char *argument);
/* To be called last by each tp_dealloc. */
void free_object(void *object);

/* ---- Calls of the library ----
 *
 *   core_call call;
 *   call_begin(&call, state);                       the GIL is released from here on
 *   crd_status status = crd_...(..., &call.error);
 *   if (call_end(&call, status) < 0) goto fail;     the GIL is held again; an exception is set
 *
 * Signals are looked for every 20 ms: Ctrl-C cancels the call, and KeyboardInterrupt is raised. Outputs may have been made
 * where call_end fails, if the signal came late: they are to be destroyed. */
typedef struct core_call {
    module_state *state;
    PyThreadState *thread;
    struct core_call *outer;
    crd_error error;
    bool is_bracketed;
} core_call;

/* A message that becomes a warning at the end of the call, of any thread and without the GIL. */
void log_message(module_state *state, crd_log_level level, int code, const char *subject, const char *message);
void call_begin(core_call *call, module_state *state);
int call_end(core_call *call, crd_status status);
/* Between the two: whether the call is to stop, for a signal or an exception; and an exception, which call_end raises. */
bool call_poll(void);
void call_raise(PyObject *type, const char *message);
/* Raises an error of a call that was made with the GIL held, one that takes no time. */
void raise_error(module_state *state, const crd_error *error);
/* The same for a status without an error. */
void raise_status(module_state *state, crd_status status);
/* Options of all calls of this thread until the matching end: threads, deadline, a Python callable for progress. */
PyObject *core_begin_options(PyObject *module, PyObject *arguments, PyObject *keywords);
PyObject *core_end_options(PyObject *module, PyObject *unused);

/* ---- Values ---- */

/* The UTF-8 of a str, borrowed from it; its bytes where it is bytes. None is a text without bytes where is_optional. Returns 0, or
 * -1 with TypeError, which names the argument. Lone surrogates that stand for bytes (surrogateescape) are UnicodeEncodeError. */
int text_of(PyObject *object, const char *argument, bool is_optional, crd_text *out);
/* A str; bytes that are no UTF-8 become lone surrogates; None where there are no bytes. */
PyObject *str_of(crd_text text);
PyObject *str_of_c(const char *text);
/* A path as bytes, which the caller releases: of a str, bytes or os.PathLike. */
PyObject *path_of(PyObject *object);
/* A list of texts out of any sequence of str: *texts is to be freed with PyMem_Free, *owner to be released behind it. */
int texts_of(PyObject *sequence, const char *argument, crd_text **texts, size_t *count, PyObject **owner);
/* "number", "category", "text"; NULL for none. */
const char *kind_name(crd_kind kind);
/* float, or None for NaN. */
PyObject *number_of(double value);
/* Adds to a dict and releases the value; a NULL value, or one that cannot be added, is -1 with an exception. */
int put(PyObject *dict, const char *key, PyObject *value);

/* A buffer of items of one format ("d", "f", "i" of four bytes, "q" of eight, "B"), contiguous; or any number of dimensions and strides where
 * is_strided. Returns 0, or -1 with an exception that names the argument. */
int buffer_of(PyObject *object, const char *argument, const char *format, bool is_writable, bool is_strided,
              Py_buffer *out);

/* ---- Objects of several files ---- */

typedef struct settings_object {
    core_object head;
    crd_settings *settings; /* immutable once made */
} settings_object;

/* A batch of rows; immutable once Python has it. `kept` holds what its columns borrow from. */
typedef struct frame_object {
    core_object head;
    crd_frame *frame;
    PyObject *kept; /* a list of objects, memoryviews among them */
} frame_object;

typedef struct bad_row_list bad_row_list; /* of reader_options.h */
void bad_rows_free(bad_row_list *rows);

/* Rows to be taken by one call, which uses it up. `kept` holds what it borrows from. */
typedef struct reader_object {
    core_object head;
    crd_reader *reader;
    PyObject *kept;
    bad_row_list *bad_rows; /* rows that were left out; NULL: the first is an error */
    bool is_busy;           /* a call reads it, without the GIL */
} reader_object;

typedef struct model_object model_object;
typedef struct model_lock {
    pthread_mutex_t mutex; /* guards what is before the list */
    pthread_cond_t changed;
    unsigned readers, writers_waiting;
    bool is_alone;                 /* a call changes the model */
    bool is_torn;                  /* one did, of another thread, when the process was forked */
    model_object *next, *previous; /* of all models */
} model_lock;

/* A model. Calls that change it hold the lock alone, others share it; it is taken without the GIL. */
struct model_object {
    core_object head;
    crd_model *model;
    model_lock lock;
};

int model_lock_begin(model_object *model);
void model_lock_end(model_object *model);
/* Taken between call_begin and call_end. Where it is not CRD_OK nothing is held, and call_end raises: RuntimeError in a callback of a call
 * of this thread that holds the model (it may be read where that call reads), or what a signal raised. */
crd_status model_lock_read(model_object *model);
crd_status model_lock_write(model_object *model);
void model_unlock(model_object *model);
/* A share of the model with the GIL held, for what takes no time: 0, or -1 with an exception. */
int model_share(model_object *model);

typedef struct classifier_object {
    core_object head;
    crd_classifier *classifier; /* immutable: any thread may use it */
    PyObject *attribute_names;  /* a tuple of str */
    PyObject *class_names;      /* a tuple of str */
    PyObject *other_names;      /* a tuple of str: the target and the weight, which rows may have */
    bool is_quick;              /* one row takes no time: naive Bayes */
} classifier_object;

/* Memory that grows without the GIL; a Block once Python has it. */
typedef struct core_block {
    char *bytes;
    size_t length, room;
} core_block;

typedef struct block_object {
    core_object head;
    core_block block;
} block_object;

/* So many more bytes at the end of the block: where they are, or NULL without memory. */
void *block_grow(core_block *block, size_t bytes);
void block_free(core_block *block);
/* A Block that takes the memory over, also on failure; the block is empty then. */
PyObject *block_wrap(module_state *state, core_block *block);

/* A row of Python as values of a classifier's attributes: a mapping (names that are neither attributes nor the target nor the
 * weight are refused, attributes without a name are missing), or a sequence in the attributes' order. The texts are borrowed
 * from a shallow copy: methods of keys and cells, and other threads, may change the row meanwhile. row_end after row_begin has returned 0. */
enum { ROW_ROOM = 32 };
typedef struct core_row {
    crd_value *values;
    size_t count;
    PyObject *cells; /* the copy, a dict or a list */
    PyObject *kept;  /* a list of what was made for the values; NULL: nothing */
    crd_value room[ROW_ROOM];
} core_row;
int row_begin(core_row *row, classifier_object *classifier, PyObject *object);
void row_end(core_row *row);

/* The answers to all rows, as a dict of Blocks; typicality and rule may be NULL. */
PyObject *classifier_classify_all(classifier_object *self, PyObject *source, const crd_typicality *typicality,
                                  const crd_rule *rule, bool has_logs);
/* A copy, for what keeps a model as it is now; called without the GIL. */
crd_status model_copy(module_state *state, model_object *from, crd_model **out, crd_error *error);

/* The classes of a call's lists of names: a list of str. */
PyObject *name_list(size_t count, crd_text (*name_at)(const void *, size_t), const void *object);
/* A writable buffer of at least so many items, for results. Returns 0, or -1 with an exception that names the argument. */
int room_of(PyObject *object, const char *argument, const char *format, size_t items, Py_buffer *out);

typedef struct network_object {
    core_object head;
    crd_network *network; /* immutable: any thread may use it */
} network_object;

/* A rule of decision for the classes in their order. */
typedef struct rule_object {
    core_object head;
    crd_rule *rule; /* immutable */
} rule_object;

/* The settings of an optional argument: NULL for None. Returns 0, or -1 with TypeError. */
int settings_of(module_state *state, PyObject *object, const crd_settings **out);
/* Each setting's canonical text, as a dict. */
PyObject *settings_record(const crd_settings *settings);
/* Takes the reader for a call: NULL with an exception where it is no reader, was used up, or is busy. reader_done ends that. */
crd_reader *reader_take(module_state *state, PyObject *object);
void reader_done(PyObject *object);
PyObject *facts_of(const crd_read_facts *facts);
/* A dict of how the settings of a model were chosen. */
/* The number of classes, and whether they are numbers that are rather a quantity. */
PyObject *target_checks(const crd_summary *summary);
PyObject *selection_record(module_state *state, const crd_selection *selection);
/* Takes the model over, also on failure. */
PyObject *model_wrap(module_state *state, crd_model *model);
/* The actions of a rule, as a list of str. */
PyObject *rule_actions(const crd_rule *rule);

/* ---- Parts of the module: each adds its types and functions, by add_NAME ---- */

#define CORE_PARTS(PART)                                                                                               \
    PART(settings)                                                                                                     \
    PART(frame)                                                                                                        \
    PART(columns)                                                                                                      \
    PART(reader)                                                                                                       \
    PART(model)                                                                                                        \
    PART(classifier)                                                                                                   \
    PART(block)                                                                                                        \
    PART(model_train)                                                                                                  \
    PART(model_show)                                                                                                   \
    PART(model_checks)                                                                                                 \
    PART(model_parts)                                                                                                  \
    PART(table_profile)                                                                                                \
    PART(density_curves)                                                                                               \
    PART(bayes)                                                                                                        \
    PART(distribution)                                                                                                 \
    PART(explain)                                                                                                      \
    PART(words)                                                                                                        \
    PART(dependence)                                                                                                   \
    PART(query)                                                                                                        \
    PART(counts)                                                                                                       \
    PART(sample)                                                                                                       \
    PART(rows)                                                                                                         \
    PART(labels)                                                                                                       \
    PART(document_frames)                                                                                              \
    PART(sequences)                                                                                                    \
    PART(hmm)                                                                                                          \
    PART(hmm_show)                                                                                                     \
    PART(sequence_classes)                                                                                             \
    PART(plot)                                                                                                         \
    PART(network)                                                                                                      \
    PART(decide)                                                                                                       \
    PART(evaluate)                                                                                                     \
    PART(evaluate_sequences)                                                                                           \
    PART(evaluate_labelling)                                                                                           \
    PART(evaluate_parts)                                                                                               \
    PART(curve)                                                                                                        \
    PART(compare)                                                                                                      \
    PART(html_report)
#define DECLARE_PART(name) int add_##name(PyObject *module, module_state *state);
CORE_PARTS(DECLARE_PART)

#endif
