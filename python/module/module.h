/* SPDX-License-Identifier: MIT */
/* module.h - declarations that all files of the extension module credence._core share.
 *
 * The module is a thin layer over the public headers, on CPython's Stable ABI. It holds references to borrowed memory, releases the
 * GIL around calls, and converts errors to exceptions. It contains no statistics. The package's Python files implement everything that
 * Python callers need in addition to the library. */
#ifndef CREDENCE_PYTHON_MODULE_H
#define CREDENCE_PYTHON_MODULE_H

#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000 /* 3.11: the first version with the buffer protocol */
#endif
#include <Python.h>
/* Headers of Python 3.12 and 3.13 return None without adding a reference, because None is immortal there. Built with them, the module
 * would remove references from the None of Python 3.11, until it is freed. */
#undef Py_RETURN_NONE
#define Py_RETURN_NONE return Py_NewRef(Py_None)

#include <credence/all.h>
#include <pthread.h>
#include <stdbool.h>

/* The types of the module, as indices of module_state.types. */
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
    CORE_TYPE_COUNT /* add new types before this */
} core_type;

/* A record of the library's log. It is stored until the thread that made the call holds the GIL again and can issue it. */
typedef struct log_entry {
    struct log_entry *next;
    crd_log_level level;
    int code;
    char *subject, *message;
} log_entry;

/* The state of the module. Each interpreter that imports the module has its own. */
typedef struct module_state {
    crd_context *context;
    PyObject *make_error;   /* credence.errors.make_error */
    PyObject *make_warning; /* credence.errors.warn */
    PyTypeObject *types[CORE_TYPE_COUNT];
    pthread_mutex_t log_mutex;
    log_entry *log_first, **log_last;
} module_state;

/* The header of every object whose type belongs to the module. The type holds a reference to the module, so the state outlives the object. */
typedef struct core_object {
    PyObject_HEAD module_state *state;
} core_object;

/* A type, which Python code cannot instantiate. */
typedef struct core_type_facts {
    core_type number;
    const char *name; /* such as "credence._core.Model" */
    size_t size;
    destructor deallocate;
    PyMethodDef *methods; /* NULL: none */
    const char *doc;
    void *get_buffer; /* the function of the buffer protocol; NULL: none */
} core_type_facts;

/* Defines the type of a part of the module. */
#define CORE_TYPE(part, number, name, object, deallocate, methods, doc)                                                \
    const core_type_facts part##_type = {number, "credence._core." name, sizeof(object), deallocate, methods, doc, NULL}

/* Creates an object of a type. All its fields are zero except the state. Returns NULL with an exception on failure. */
void *new_object(module_state *state, core_type number);
/* Returns the module state of an object of any type of the module. state_of_module returns the state of the module itself. */
module_state *state_of(void *object);
module_state *state_of_module(PyObject *module);
/* Returns whether an object has that type. If not, sets a TypeError that names the argument. */
bool check_type(module_state *state, PyObject *object, core_type number, const char *argument);
/* Frees an object. Each tp_dealloc must call it last. */
void free_object(void *object);

/* ---- Library calls ----
 *
 *   core_call call;
 *   call_begin(&call, state);                       the GIL is released from here on
 *   crd_status status = crd_...(..., &call.error);
 *   if (call_end(&call, status) < 0) goto fail;     the GIL is held again; an exception is set
 *
 * Signals are checked every 20 ms: Ctrl-C cancels the call and raises KeyboardInterrupt. If the signal arrives late, outputs can exist
 * although call_end fails. The caller must destroy them. */
typedef struct core_call {
    module_state *state;
    PyThreadState *thread;
    struct core_call *outer;
    crd_error error;
    bool is_bracketed;
} core_call;

/* Stores a message that becomes a warning at the end of the call. Any thread can call it, without the GIL. */
void log_message(module_state *state, crd_log_level level, int code, const char *subject, const char *message);
void call_begin(core_call *call, module_state *state);
int call_end(core_call *call, crd_status status);
/* Use these between call_begin and call_end. call_poll returns whether the call must stop because of a signal or an exception. call_raise sets
 * an exception, which call_end raises. */
bool call_poll(void);
void call_raise(PyObject *type, const char *message);
/* Raises the error of a fast call that was made with the GIL held. */
void raise_error(module_state *state, const crd_error *error);
/* Raises an exception for a status that has no crd_error. */
void raise_status(module_state *state, crd_status status);
/* Sets options for all calls of this thread until the matching end: threads, deadline, and a Python callable for progress. */
PyObject *core_begin_options(PyObject *module, PyObject *arguments, PyObject *keywords);
PyObject *core_end_options(PyObject *module, PyObject *unused);

/* ---- Values ---- */

/* Gets the UTF-8 of a str, or the contents of a bytes object. The memory is borrowed from the object. If is_optional, None gives a text with
 * NULL bytes. Returns 0, or -1 with a TypeError that names the argument. Lone surrogates that encode bytes (surrogateescape) raise
 * UnicodeEncodeError. */
int text_of(PyObject *object, const char *argument, bool is_optional, crd_text *out);
/* Returns a str. Bytes that are not UTF-8 become lone surrogates. Returns None if `text.bytes` is NULL. */
PyObject *str_of(crd_text text);
PyObject *str_of_c(const char *text);
/* Returns a path as a bytes object, given a str, bytes or os.PathLike. The caller releases it. */
PyObject *path_of(PyObject *object);
/* Gets the texts of any sequence of str. The caller frees *texts with PyMem_Free, and then releases *owner. */
int texts_of(PyObject *sequence, const char *argument, crd_text **texts, size_t *count, PyObject **owner);
/* Returns a float, or None for NaN. */
PyObject *number_of(double value);
/* Adds a value to a dict and releases the value. Returns -1 with an exception if the value is NULL or cannot be added. */
int put(PyObject *dict, const char *key, PyObject *value);
/* Adds a value to a dict under a name in the data, as put does. */
int put_named(PyObject *dict, crd_text key, PyObject *value);
/* Appends an item to a list and releases the item. Returns -1 with an exception if the item is NULL or cannot be appended. */
int append_item(PyObject *list, PyObject *item);
/* Returns a list of floats. */
PyObject *floats_of(const double *values, size_t count);

/* Creates a result that consists of an open object, for a library function that adds to it. Returns NULL with an exception. */
crd_result *result_begin(module_state *state);
/* Returns the values of a result as dicts, lists, numbers (NaN: None), str and bool. Destroys the result. */
PyObject *result_record(crd_result *result);

/* Gets a contiguous buffer of items of one format ("d", "f", "i" with four bytes, "q" with eight bytes, "B"). If is_strided, the buffer can have
 * any number of dimensions and any strides. Returns 0, or -1 with an exception that names the argument. */
int buffer_of(PyObject *object, const char *argument, const char *format, bool is_writable, bool is_strided,
              Py_buffer *out);

/* Returns the course of a fit. `components` is what its components are called, such as "states"; NULL: it has none. */
PyObject *fit_record(const crd_fit *fit, const char *components);

/* ---- Objects that several files use ---- */

typedef struct settings_object {
    core_object head;
    crd_settings *settings; /* immutable after creation */
} settings_object;

/* A batch of rows, immutable after it is passed to Python. `kept` holds the objects that the columns borrow from. */
typedef struct frame_object {
    core_object head;
    crd_frame *frame;
    PyObject *kept; /* a list of objects, including memoryviews */
} frame_object;

typedef struct bad_row_list bad_row_list; /* declared in reader_options.h */
void bad_rows_free(bad_row_list *rows);

/* A reader of rows. One call can take the rows, and uses the reader up. `kept` holds the objects that it borrows from. */
typedef struct reader_object {
    core_object head;
    crd_reader *reader;
    PyObject *kept;
    bad_row_list *bad_rows; /* the skipped rows; NULL: the first bad row is an error */
    bool is_busy;           /* a call is reading it, without the GIL */
} reader_object;

typedef struct model_object model_object;
typedef struct model_lock {
    pthread_mutex_t mutex; /* guards the fields before the list links */
    pthread_cond_t changed;
    unsigned readers, writers_waiting;
    bool is_alone;                 /* a call is changing the model */
    bool is_torn;                  /* another thread was changing the model when the process was forked */
    model_object *next, *previous; /* links of the list of all models */
} model_lock;

/* A model. Calls that change it hold the lock exclusively, other calls share it. The lock is taken without the GIL. */
struct model_object {
    core_object head;
    crd_model *model;
    model_lock lock;
};

int model_lock_begin(model_object *model);
void model_lock_end(model_object *model);
/* Locks the model, between call_begin and call_end. If the result is not CRD_OK, the lock is not held, and call_end raises an exception.
 * That is the exception of a signal, or RuntimeError in a callback of a call of this thread that holds the model. If that call only reads,
 * its callbacks can read the model too. */
crd_status model_lock_read(model_object *model);
crd_status model_lock_write(model_object *model);
void model_unlock(model_object *model);
/* Takes a shared lock of the model with the GIL held, for fast calls. Returns 0, or -1 with an exception. */
int model_share(model_object *model);

typedef struct classifier_object {
    core_object head;
    crd_classifier *classifier; /* immutable: any thread can use it */
    PyObject *attribute_names;  /* a tuple of str */
    PyObject *class_names;      /* a tuple of str */
    PyObject *other_names;      /* a tuple of str: the target and the weight, which rows can contain */
    bool is_quick;              /* predicting one row is fast: naive Bayes */
} classifier_object;

/* Memory that can grow without the GIL. It becomes a Block when it is passed to Python. */
typedef struct core_block {
    char *bytes;
    size_t length, capacity;
} core_block;

typedef struct block_object {
    core_object head;
    core_block block;
} block_object;

/* Adds `bytes` bytes to the end of the block. Returns their address, or NULL if there is no memory. */
void *block_grow(core_block *block, size_t bytes);
void block_free(core_block *block);
/* Returns a Block that owns the memory. Takes the memory even on failure, and leaves the block empty. */
PyObject *block_wrap(module_state *state, core_block *block);

/* A Python row as values of a classifier's attributes. The row is a mapping or a sequence in the order of the attributes. In a mapping, names
 * other than the attributes, the target and the weight are rejected, and attributes that it does not contain are missing. Texts are borrowed
 * from a shallow copy, because methods of keys and values, and other threads, can change the row in the meantime. Call row_end after row_begin
 * has returned 0. */
enum { ROW_ROOM = 32 };
typedef struct core_row {
    crd_value *values;
    size_t count;
    PyObject *cells; /* the shallow copy of the row, a dict or a list */
    PyObject *kept;  /* a list of the objects that were created for the values; NULL: no objects */
    crd_value buffer[ROW_ROOM];
} core_row;
int row_begin(core_row *row, classifier_object *classifier, PyObject *object);
void row_end(core_row *row);

/* Returns the predictions for all rows as a dict of Blocks. `typicality` and `rule` can be NULL. */
PyObject *classifier_classify_all(classifier_object *self, PyObject *source, const crd_typicality *typicality,
                                  const crd_rule *rule, bool has_logs);
/* Copies a model, for objects that need its present state. Call it without the GIL. */
crd_status model_copy(module_state *state, model_object *source, crd_model **out, crd_error *error);

/* Returns a list of str with the names that `name_at` returns. */
PyObject *name_list(size_t count, crd_text (*name_at)(const void *, size_t), const void *object);
/* Gets a writable buffer of at least `items` items, for results. Returns 0, or -1 with an exception that names the argument. */
int room_of(PyObject *object, const char *argument, const char *format, size_t items, Py_buffer *out);

typedef struct network_object {
    core_object head;
    crd_network *network; /* immutable: any thread can use it */
} network_object;

/* A decision rule for the classes, in class order. */
typedef struct rule_object {
    core_object head;
    crd_rule *rule; /* immutable */
} rule_object;

/* Gets the settings from an optional argument. Sets *out to NULL for None. Returns 0, or -1 with TypeError. */
int settings_of(module_state *state, PyObject *object, const crd_settings **out);
/* Returns a dict with the canonical text of each setting. */
PyObject *settings_record(const crd_settings *settings);
/* Takes the reader for a call. Returns NULL with an exception if the object is not a reader, or is used up or busy. Call reader_done afterwards. */
crd_reader *reader_take(module_state *state, PyObject *object);
void reader_done(PyObject *object);
PyObject *facts_of(const crd_read_facts *facts);
/* Returns the number of classes, and whether the classes are numbers that look like a quantity. */
PyObject *target_checks(const crd_summary *summary);
/* Returns a dict that describes how the settings of a model were chosen. */
PyObject *selection_record(module_state *state, const crd_selection *selection);
/* Returns a Model that owns `model`. Takes ownership even on failure. */
PyObject *model_wrap(module_state *state, crd_model *model);
/* Returns the actions of a rule as a list of str. */
PyObject *rule_actions(const crd_rule *rule);

/* ---- Parts of the module: the types and functions that a file adds ---- */

#define CORE_TYPES(TYPE)                                                                                               \
    TYPE(block)                                                                                                        \
    TYPE(classifier)                                                                                                   \
    TYPE(columns)                                                                                                      \
    TYPE(decide)                                                                                                       \
    TYPE(distribution)                                                                                                 \
    TYPE(evaluate)                                                                                                     \
    TYPE(curve)                                                                                                        \
    TYPE(explain)                                                                                                      \
    TYPE(frame)                                                                                                        \
    TYPE(hmm)                                                                                                          \
    TYPE(model)                                                                                                        \
    TYPE(model_parts)                                                                                                  \
    TYPE(network)                                                                                                      \
    TYPE(normal_mixture)                                                                                               \
    TYPE(query)                                                                                                        \
    TYPE(counts)                                                                                                       \
    TYPE(reader)                                                                                                       \
    TYPE(sequence_classes)                                                                                             \
    TYPE(sequences)                                                                                                    \
    TYPE(settings)
#define DECLARE_TYPE(name) extern const core_type_facts name##_type;
CORE_TYPES(DECLARE_TYPE)

#define CORE_FUNCTIONS(FUNCTIONS)                                                                                      \
    FUNCTIONS(bayes)                                                                                                   \
    FUNCTIONS(classifier)                                                                                              \
    FUNCTIONS(columns)                                                                                                 \
    FUNCTIONS(compare)                                                                                                 \
    FUNCTIONS(decide)                                                                                                  \
    FUNCTIONS(density_curves)                                                                                          \
    FUNCTIONS(distribution)                                                                                            \
    FUNCTIONS(document_frames)                                                                                         \
    FUNCTIONS(evaluate)                                                                                                \
    FUNCTIONS(evaluate_labeling)                                                                                       \
    FUNCTIONS(evaluate_parts)                                                                                          \
    FUNCTIONS(evaluate_sequences)                                                                                      \
    FUNCTIONS(explain)                                                                                                 \
    FUNCTIONS(dependence)                                                                                              \
    FUNCTIONS(words)                                                                                                   \
    FUNCTIONS(frame)                                                                                                   \
    FUNCTIONS(hmm)                                                                                                     \
    FUNCTIONS(hmm_show)                                                                                                \
    FUNCTIONS(html_report)                                                                                             \
    FUNCTIONS(network_inference)                                                                                       \
    FUNCTIONS(labels)                                                                                                  \
    FUNCTIONS(model)                                                                                                   \
    FUNCTIONS(model_checks)                                                                                            \
    FUNCTIONS(model_parts)                                                                                             \
    FUNCTIONS(model_show)                                                                                              \
    FUNCTIONS(model_train)                                                                                             \
    FUNCTIONS(network)                                                                                                 \
    FUNCTIONS(network_graph)                                                                                           \
    FUNCTIONS(network_reasons)                                                                                         \
    FUNCTIONS(network_rows)                                                                                            \
    FUNCTIONS(rows)                                                                                                    \
    FUNCTIONS(object_cells)                                                                                            \
    FUNCTIONS(plot)                                                                                                    \
    FUNCTIONS(query)                                                                                                   \
    FUNCTIONS(counts)                                                                                                  \
    FUNCTIONS(reader)                                                                                                  \
    FUNCTIONS(reader_open)                                                                                             \
    FUNCTIONS(sample)                                                                                                  \
    FUNCTIONS(sequence_classes)                                                                                        \
    FUNCTIONS(sequences)                                                                                               \
    FUNCTIONS(settings)                                                                                                \
    FUNCTIONS(structure)                                                                                               \
    FUNCTIONS(table_profile)
#define DECLARE_FUNCTIONS(name) extern PyMethodDef name##_functions[];
CORE_FUNCTIONS(DECLARE_FUNCTIONS)

#endif
