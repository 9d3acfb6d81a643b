/* SPDX-License-Identifier: MIT */
/* module.c - the module credence._core: its state, its types, its initialization and cleanup. */
#include "module.h"

#include <stdlib.h>
#include <string.h>

module_state *state_of_module(PyObject *module) {
    return PyModule_GetState(module);
}

module_state *state_of(void *object) {
    return ((core_object *)object)->state;
}

/* Creates a type and adds it to the module. Returns 0, or -1 with an exception. */
static int add_type(PyObject *module, module_state *state, const core_type_facts *facts) {
    PyType_Slot slots[5] = {{Py_tp_dealloc, facts->deallocate}, {Py_tp_doc, (void *)(uintptr_t)facts->doc}};
    size_t count = 2;
    if (facts->methods != NULL) slots[count++] = (PyType_Slot){Py_tp_methods, facts->methods};
    if (facts->get_buffer != NULL) slots[count++] = (PyType_Slot){Py_bf_getbuffer, facts->get_buffer};
    PyType_Spec spec = {.name = facts->name,
                        .basicsize = (int)facts->size,
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                        .slots = slots};
    PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);
    if (type == NULL) return -1;
    state->types[facts->number] = (PyTypeObject *)type;
    return PyModule_AddType(module, (PyTypeObject *)type);
}

void *new_object(module_state *state, core_type number) {
    PyTypeObject *type = state->types[number];
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    core_object *object = (core_object *)allocate(type, 0);
    if (object != NULL) object->state = state;
    return object;
}

void free_object(void *object) {
    PyTypeObject *type = Py_TYPE((PyObject *)object);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

bool check_type(module_state *state, PyObject *object, core_type number, const char *argument) {
    int is_instance = PyObject_IsInstance(object, (PyObject *)state->types[number]);
    if (is_instance == 0)
        PyErr_Format(PyExc_TypeError, "%s: expected %R, got %R", argument, state->types[number], Py_TYPE(object));
    return is_instance == 1;
}

/* ---- Log: any thread can add records, without the GIL ---- */

void log_message(module_state *state, crd_log_level level, int code, const char *subject, const char *message) {
    log_entry *entry = calloc(1, sizeof *entry);
    if (entry == NULL) return;
    entry->level = level;
    entry->code = code;
    entry->subject = strdup(subject);
    entry->message = strdup(message);
    pthread_mutex_lock(&state->log_mutex);
    *state->log_last = entry;
    state->log_last = &entry->next;
    pthread_mutex_unlock(&state->log_mutex);
}

static void log_record(void *user, const crd_log_record *record) {
    log_message(user, record->level, (int)record->code, record->subject, record->message);
}

/* ---- Module functions ---- */

static PyObject *core_version(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    return str_of_c(crd_version());
}

static PyMethodDef functions[] = {
    {"version", core_version, METH_NOARGS, "version() -> str\n\nThe version of the library."},
    {"begin_options", (PyCFunction)(void (*)(void))core_begin_options, METH_VARARGS | METH_KEYWORDS,
     "begin_options(threads=0, deadline=0.0, progress=None)\n\nSet the options of all calls of this thread until "
     "end_options()."},
    {"end_options", core_end_options, METH_NOARGS, "end_options()"},
    {NULL, NULL, 0, NULL},
};

static PyObject *attribute_of(const char *module_name, const char *name) {
    PyObject *module = PyImport_ImportModule(module_name);
    if (module == NULL) return NULL;
    PyObject *attribute = PyObject_GetAttrString(module, name);
    Py_DECREF(module);
    return attribute;
}

static int module_exec(PyObject *module) {
    module_state *state = state_of_module(module);
    memset(state, 0, sizeof *state);
    pthread_mutex_init(&state->log_mutex, NULL);
    state->log_last = &state->log_first;
    crd_context_options options = CRD_CONTEXT_OPTIONS_INIT;
    options.log = log_record;
    options.log_user = state;
    if (crd_context_create(&options, &state->context) != CRD_OK) {
        PyErr_NoMemory();
        return -1;
    }
    state->make_error = attribute_of("credence.errors", "make_error");
    state->make_warning = attribute_of("credence.errors", "warn");
    if (state->make_error == NULL || state->make_warning == NULL) return -1;
#define TYPE_ADDRESS(name) &name##_type,
#define FUNCTIONS_ADDRESS(name) name##_functions,
    static const core_type_facts *const types[] = {CORE_TYPES(TYPE_ADDRESS)};
    static PyMethodDef *const lists[] = {CORE_FUNCTIONS(FUNCTIONS_ADDRESS)};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (add_type(module, state, types[i]) < 0) return -1;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (PyModule_AddFunctions(module, lists[i]) < 0) return -1;
    return 0;
}

static int module_traverse(PyObject *module, visitproc visit, void *arg) {
    module_state *state = state_of_module(module);
    Py_VISIT(state->make_error);
    Py_VISIT(state->make_warning);
    for (size_t i = 0; i < CORE_TYPE_COUNT; i++) Py_VISIT((PyObject *)state->types[i]);
    return 0;
}

static int module_clear(PyObject *module) {
    module_state *state = state_of_module(module);
    Py_CLEAR(state->make_error);
    Py_CLEAR(state->make_warning);
    for (size_t i = 0; i < CORE_TYPE_COUNT; i++) Py_CLEAR(state->types[i]);
    return 0;
}

static void module_free(void *module) {
    module_state *state = state_of_module(module);
    module_clear(module);
    if (state->context == NULL) return;
    crd_context_destroy(state->context);
    for (log_entry *entry = state->log_first, *next; entry != NULL; entry = next) {
        next = entry->next;
        free(entry->subject);
        free(entry->message);
        free(entry);
    }
    pthread_mutex_destroy(&state->log_mutex);
}

/* Several interpreters that share a GIL can import the module, because all state belongs to the module object. */
static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, module_exec},
    {0, NULL},
};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "credence._core",
    .m_doc = "The functions of the Credence library, from which the package credence is built.",
    .m_size = sizeof(module_state),
    .m_methods = functions,
    .m_slots = slots,
    .m_traverse = module_traverse,
    .m_clear = module_clear,
    .m_free = module_free,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) {
    return PyModuleDef_Init(&definition);
}
