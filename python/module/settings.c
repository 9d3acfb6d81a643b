/* SPDX-License-Identifier: MIT */
/* settings.c - Settings, and the tables of all settings and families. */
#include "module.h"

static void settings_dealloc(PyObject *self) {
    crd_settings_destroy(((settings_object *)self)->settings);
    free_object(self);
}

/* Sets the settings in a dict of names and texts. */
static int set_all(settings_object *self, PyObject *values) {
    PyObject *key, *value;
    Py_ssize_t position = 0;
    while (PyDict_Next(values, &position, &key, &value)) {
        crd_text name, text;
        crd_error error;
        if (text_of(key, "settings", false, &name) < 0 || text_of(value, "settings", false, &text) < 0) return -1;
        if (crd_settings_set(self->settings, name.bytes, text, &error) != CRD_OK) {
            raise_error(self->head.state, &error);
            return -1;
        }
    }
    return 0;
}

/* make_settings(values, like=None): values is a dict of names and texts; other settings have their values in `like`, or their defaults. */
static PyObject *make_settings(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *values, *like = Py_None;
    if (!PyArg_ParseTuple(arguments, "O|O", &values, &like)) return NULL;
    if (!PyDict_Check(values)) {
        PyErr_SetString(PyExc_TypeError, "settings: expected a dict of names and texts");
        return NULL;
    }
    const crd_settings *source;
    if (settings_of(state, like, &source) < 0) return NULL;
    settings_object *self = new_object(state, CORE_SETTINGS);
    if (self == NULL) return NULL;
    crd_error error;
    crd_status status = source != NULL ? crd_settings_clone(source, &self->settings, &error)
                                       : crd_settings_create(state->context, &self->settings, &error);
    if (status != CRD_OK) raise_error(state, &error);
    if (status != CRD_OK || set_all(self, values) < 0) {
        Py_DECREF((PyObject *)self);
        return NULL;
    }
    return (PyObject *)self;
}

/* mail_settings(): settings that suit mail messages; all other settings have their defaults. */
static PyObject *mail_settings(PyObject *module, PyObject *unused) {
    (void)unused;
    module_state *state = state_of_module(module);
    settings_object *self = new_object(state, CORE_SETTINGS);
    crd_error error;
    if (self == NULL) return NULL;
    if (crd_settings_create(state->context, &self->settings, &error) == CRD_OK &&
        crd_settings_set_for_mail(self->settings, &error) == CRD_OK)
        return (PyObject *)self;
    raise_error(state, &error);
    Py_DECREF((PyObject *)self);
    return NULL;
}

/* mail_texts(message) -> dict: the texts of a mail message's fields. */
static PyObject *mail_texts(PyObject *module, PyObject *argument) {
    module_state *state = state_of_module(module);
    Py_buffer buffer;
    if (PyObject_GetBuffer(argument, &buffer, PyBUF_SIMPLE) < 0) return NULL;
    crd_mail *mail = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_mail_parse(state->context, buffer.buf, (size_t)buffer.len, NULL, &mail, &call.error);
    int failed = call_end(&call, status);
    PyBuffer_Release(&buffer);
    PyObject *texts = failed < 0 ? NULL : PyDict_New();
    for (size_t i = 0; texts != NULL && crd_mail_field_name(i) != NULL; i++)
        if (put(texts, crd_mail_field_name(i), str_of(crd_mail_text(mail, (crd_mail_field)i))) < 0) Py_CLEAR(texts);
    crd_mail_destroy(mail);
    return texts;
}

int settings_of(module_state *state, PyObject *object, const crd_settings **out) {
    *out = NULL;
    if (object == NULL || object == Py_None) return 0;
    if (!check_type(state, object, CORE_SETTINGS, "settings")) return -1;
    *out = ((settings_object *)object)->settings;
    return 0;
}

PyObject *settings_record(const crd_settings *settings) {
    PyObject *values = PyDict_New();
    for (size_t i = 0; values != NULL && i < crd_setting_count(); i++) {
        const char *name = crd_setting_at(i)->name;
        if (put(values, name, str_of_c(crd_settings_get(settings, name))) < 0) Py_CLEAR(values);
    }
    return values;
}

static PyObject *settings_values(PyObject *self, PyObject *unused) {
    (void)unused;
    return settings_record(((settings_object *)self)->settings);
}

static PyObject *form_record(const crd_setting_form *form) {
    return Py_BuildValue("{s:z,s:z,s:z,s:i,s:d,s:d,s:z}", "word", form->word, "argument", form->argument, "suffix",
                         form->suffix, "type", (int)form->type, "least", form->least, "greatest", form->greatest,
                         "help", form->help);
}

/* setting_table(): a list with one dict per setting. */
static PyObject *setting_table(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    PyObject *table = PyList_New(0);
    for (size_t i = 0; table != NULL && i < crd_setting_count(); i++) {
        const crd_setting *setting = crd_setting_at(i);
        PyObject *forms = PyList_New(0);
        for (size_t f = 0; forms != NULL && f < setting->form_count; f++) {
            PyObject *form = form_record(&setting->forms[f]);
            if (append_item(forms, form) < 0) Py_CLEAR(forms);
        }
        PyObject *row = forms == NULL ? NULL
                                      : Py_BuildValue("{s:s,s:s,s:s,s:s,s:s,s:N}", "name", setting->name, "syntax",
                                                      setting->syntax, "default", setting->default_value, "help",
                                                      setting->help, "group", setting->group, "forms", forms);
        if (append_item(table, row) < 0) Py_CLEAR(table);
    }
    return table;
}

/* family_table(): a list with one dict per family of densities. */
static PyObject *family_table(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    PyObject *table = PyList_New(0);
    crd_family family = CRD_FAMILY_INIT;
    for (size_t i = 0; table != NULL && crd_family_at(i, &family); i++) {
        PyObject *row = Py_BuildValue("{s:s,s:s,s:i,s:O}", "name", family.name, "summary", family.summary, "type",
                                      (int)family.type, "is_discrete", family.is_discrete ? Py_True : Py_False);
        if (append_item(table, row) < 0) Py_CLEAR(table);
    }
    return table;
}

static PyMethodDef methods[] = {
    {"values", settings_values, METH_NOARGS, "values() -> dict[str, str]\n\nEach setting's canonical text."},
    {NULL, NULL, 0, NULL},
};

PyMethodDef settings_functions[] = {
    {"make_settings", make_settings, METH_VARARGS, "make_settings(values, like=None) -> Settings"},
    {"mail_settings", mail_settings, METH_NOARGS, "mail_settings() -> Settings"},
    {"mail_texts", mail_texts, METH_O, "mail_texts(message) -> dict[str, str]"},
    {"setting_table", setting_table, METH_NOARGS, "setting_table() -> list[dict]"},
    {"family_table", family_table, METH_NOARGS, "family_table() -> list[dict]"},
    {NULL, NULL, 0, NULL},
};

CORE_TYPE(settings, CORE_SETTINGS, "Settings", settings_object, settings_dealloc, methods,
          "Settings of a query; immutable. Created by make_settings().");
