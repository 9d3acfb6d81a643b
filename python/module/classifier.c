/* SPDX-License-Identifier: MIT */
/* classifier.c - Classifier: a model under settings, and its answers to rows. */
#include "module.h"

static void classifier_dealloc(PyObject *object) {
    classifier_object *self = (classifier_object *)object;
    crd_classifier_destroy(self->classifier);
    Py_XDECREF(self->attribute_names);
    Py_XDECREF(self->class_names);
    free_object(self);
}

/* A tuple of the names that `name_at` returns. */
static PyObject *names_of(const crd_classifier *classifier, size_t count,
                          crd_text (*name_at)(const crd_classifier *, size_t)) {
    PyObject *names = PyTuple_New((Py_ssize_t)count);
    for (size_t i = 0; names != NULL && i < count; i++) {
        PyObject *name = str_of(name_at(classifier, i));
        if (name == NULL || PyTuple_SetItem(names, (Py_ssize_t)i, name) < 0) Py_CLEAR(names);
    }
    return names;
}

/* make_classifier(model, settings=None) */
static PyObject *make_classifier(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *model_argument, *settings_argument = Py_None;
    const crd_settings *settings;
    if (!PyArg_ParseTuple(arguments, "O|O", &model_argument, &settings_argument) ||
        !check_type(state, model_argument, CORE_MODEL, "model") || settings_of(state, settings_argument, &settings) < 0)
        return NULL;
    model_object *model = (model_object *)model_argument;
    classifier_object *self = new_object(state, CORE_CLASSIFIER);
    if (self == NULL) return NULL;
    core_call call;
    call_begin(&call, state);
    pthread_rwlock_rdlock(&model->lock);
    crd_status status = crd_classifier_create(model->model, settings, &self->classifier, &call.error);
    pthread_rwlock_unlock(&model->lock);
    if (call_end(&call, status) < 0) goto fail;
    self->attribute_names =
        names_of(self->classifier, crd_classifier_attribute_count(self->classifier), crd_classifier_attribute);
    self->class_names = names_of(self->classifier, crd_classifier_class_count(self->classifier), crd_classifier_class);
    if (self->attribute_names == NULL || self->class_names == NULL) goto fail;
    return (PyObject *)self;
fail:
    Py_DECREF((PyObject *)self);
    return NULL;
}

static PyObject *classifier_classes(PyObject *self, PyObject *unused) {
    (void)unused;
    return Py_NewRef(((classifier_object *)self)->class_names);
}

static PyObject *classifier_attributes(PyObject *self, PyObject *unused) {
    (void)unused;
    return Py_NewRef(((classifier_object *)self)->attribute_names);
}

static PyMethodDef methods[] = {
    {"classes", classifier_classes, METH_NOARGS, "classes() -> tuple[str, ...]"},
    {"attributes", classifier_attributes, METH_NOARGS, "attributes() -> tuple[str, ...]"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot type_slots[] = {
    {Py_tp_dealloc, classifier_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_doc, "A model under settings; immutable. make_classifier() makes one."},
    {0, NULL},
};
static PyType_Spec spec = {
    .name = "credence._core.Classifier",
    .basicsize = sizeof(classifier_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = type_slots,
};

static PyMethodDef functions[] = {
    {"make_classifier", make_classifier, METH_VARARGS, "make_classifier(model, settings=None) -> Classifier"},
    {NULL, NULL, 0, NULL},
};

int add_classifier(PyObject *module, module_state *state) {
    return add_type(module, state, CORE_CLASSIFIER, &spec) < 0 ? -1 : PyModule_AddFunctions(module, functions);
}
