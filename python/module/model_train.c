/* SPDX-License-Identifier: MIT */
/* model_train.c - training with an automatically chosen method, and with latent or missing classes. */
#include "module.h"

#include <math.h>
#include <string.h>

static crd_text tallies_of(const char *tallies) {
    const crd_text none = {NULL, 0};
    return tallies == NULL ? none : crd_text_of(tallies);
}

/* Returns a tuple of the model, the facts about reading the rows, and the training record. Takes ownership of model and record. */
static PyObject *result_of(module_state *state, crd_model *model, const crd_read_facts *facts, PyObject *record) {
    PyObject *object = model_wrap(state, model);
    if (object == NULL || record == NULL) {
        Py_XDECREF(object);
        Py_XDECREF(record);
        return NULL;
    }
    return Py_BuildValue("NNN", object, facts_of(facts), record);
}

/* ---- Automatic choice of the method ---- */

/* Learns the rows of a source with the settings and the learned arcs. */
static crd_status train_found(crd_row_source *source, const crd_settings *settings, const crd_structure *structure,
                              crd_text tallies, crd_model **out, crd_read_facts *facts, crd_error *error) {
    crd_settings *stated = NULL;
    crd_status status = crd_settings_clone(settings, &stated, error);
    if (status == CRD_OK && structure != NULL)
        status = crd_settings_set(stated, "arcs", crd_text_of(crd_structure_arcs(structure)), error);
    if (status == CRD_OK) status = crd_row_source_train(source, stated, tallies, out, facts, error);
    crd_settings_destroy(stated);
    return status;
}

/* Trains the recommended candidate, and learns its arcs if it is a network. */
static crd_status train_recommended(crd_row_source *source, const crd_comparison *comparison, crd_text tallies,
                                    crd_model **out, crd_read_facts *facts, crd_error *error) {
    crd_recommendation r = CRD_RECOMMENDATION_INIT;
    crd_settings *settings = NULL;
    crd_structure *structure = NULL;
    crd_comparison_recommendation(comparison, &r);
    crd_status status = crd_comparison_settings(comparison, r.candidate, &settings, error);
    crd_row_source_set_frame_rows(source, 0);
    if (status == CRD_OK && crd_structure_search(settings) != NULL) {
        status = crd_row_source_rewind(source, error);
        if (status == CRD_OK) status = crd_structure_learn(source, settings, NULL, &structure, error);
    }
    if (status == CRD_OK) status = train_found(source, settings, structure, tallies, out, facts, error);
    if (status == CRD_OK) status = crd_model_set_selection(*out, crd_comparison_selection(comparison), error);
    crd_structure_destroy(structure);
    crd_settings_destroy(settings);
    return status;
}

/* train_auto(reader, settings, statistics=None, budget=1) */
static PyObject *train_auto(PyObject *module, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"reader", "settings", "statistics", "budget", NULL};
    module_state *state = state_of_module(module);
    PyObject *source_argument, *settings_argument;
    const char *tallies = NULL;
    crd_comparison_options options = CRD_COMPARISON_OPTIONS_INIT;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|zd", names, &source_argument, &settings_argument,
                                     &tallies, &options.budget) ||
        settings_of(state, settings_argument, &options.settings) < 0)
        return NULL;
    crd_reader *reader = reader_take(state, source_argument);
    if (reader == NULL) return NULL;
    options.threads = crd_reader_threads(reader);
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    crd_row_source *source = NULL;
    crd_comparison *comparison = NULL;
    crd_model *model = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_row_source_create(reader, &source, &call.error);
    if (status == CRD_OK) status = crd_comparison_create(source, &options, &comparison, &call.error);
    if (status == CRD_OK) status = crd_comparison_run(comparison, &call.error);
    if (status == CRD_OK)
        status = train_recommended(source, comparison, tallies_of(tallies), &model, &facts, &call.error);
    int failed = call_end(&call, status);
    reader_done(source_argument);
    PyObject *result = NULL;
    if (failed < 0) crd_model_destroy(model);
    else result = result_of(state, model, &facts, selection_record(state, crd_model_selection(model)));
    crd_comparison_destroy(comparison);
    crd_row_source_destroy(source);
    return result;
}

/* chosen_settings() -> list[str]: the settings that train_auto chooses. */
static PyObject *chosen_settings(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < crd_setting_count(); i++) {
        if (!crd_comparison_chooses(crd_setting_at(i)->name)) continue;
        PyObject *name = str_of_c(crd_setting_at(i)->name);
        if (append_item(list, name) < 0) Py_CLEAR(list);
    }
    return list;
}

/* ---- Latent classes ---- */

/* train_latent(reader, name, settings, classes=0, max_classes=12, held_out=False, seed=1) */
static PyObject *train_latent(PyObject *module, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"reader", "name", "settings", "classes", "max_classes", "held_out", "seed", NULL};
    module_state *state = state_of_module(module);
    PyObject *source, *name_argument, *settings_argument;
    Py_ssize_t classes = 0, most = 12;
    int is_held_out = 0;
    unsigned long long seed = 1;
    crd_text name;
    const crd_settings *settings;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOO|nnpK", names, &source, &name_argument,
                                     &settings_argument, &classes, &most, &is_held_out, &seed) ||
        text_of(name_argument, "name", false, &name) < 0 || settings_of(state, settings_argument, &settings) < 0)
        return NULL;
    crd_reader *reader = reader_take(state, source);
    if (reader == NULL) return NULL;
    crd_latent_options options = CRD_LATENT_OPTIONS_INIT;
    options.classes = (size_t)classes;
    options.max_classes = (size_t)most;
    options.criterion = is_held_out ? CRD_FIT_HELD_OUT : CRD_FIT_BIC;
    options.seed = seed;
    options.threads = crd_reader_threads(reader);
    crd_fit *fit = NULL;
    crd_model *model = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_latent_train(reader, name, settings, &options, &model, &fit, &call.error);
    int failed = call_end(&call, status);
    reader_done(source);
    PyObject *result = NULL;
    if (failed < 0) {
        crd_model_destroy(model);
    } else {
        crd_read_facts facts = CRD_READ_FACTS_INIT;
        crd_fit_facts found = CRD_FIT_FACTS_INIT;
        crd_fit_describe(fit, &found);
        facts.rows = (uint64_t)found.rows;
        facts.weight = found.rows;
        result = result_of(state, model, &facts, fit_record(fit, "classes"));
    }
    crd_fit_destroy(fit);
    return result;
}

/* ---- Missing classes in some rows ---- */

static PyObject *unlabeled_record(const crd_unlabeled_facts *facts) {
    PyObject *trials = PyList_New(0);
    for (size_t i = 0; trials != NULL && i < facts->trial_count; i++) {
        PyObject *row =
            Py_BuildValue("{s:d,s:d,s:N}", "weight", facts->trials[i].weight, "inverse_temperature",
                          facts->trials[i].inverse_temperature, "log_loss", number_of(facts->trials[i].log_loss));
        if (append_item(trials, row) < 0) Py_CLEAR(trials);
    }
    return Py_BuildValue("{s:d,s:d,s:d,s:d,s:d,s:N,s:N,s:n,s:N}", "labeled", facts->labeled, "unlabeled",
                         facts->unlabeled, "weight", facts->weight, "inverse_temperature", facts->inverse_temperature,
                         "held_out", facts->held_out, "gain", number_of(facts->gain), "gain_error",
                         number_of(facts->gain_error), "steps", (Py_ssize_t)facts->steps, "trials", trials);
}

/* train_unlabeled(reader, settings, weight=-1) */
static PyObject *train_unlabeled(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *source, *settings_argument;
    crd_unlabeled_options options = CRD_UNLABELED_OPTIONS_INIT;
    const crd_settings *settings;
    if (!PyArg_ParseTuple(arguments, "OO|d", &source, &settings_argument, &options.weight) ||
        settings_of(state, settings_argument, &settings) < 0)
        return NULL;
    crd_reader *reader = reader_take(state, source);
    if (reader == NULL) return NULL;
    options.threads = crd_reader_threads(reader);
    crd_unlabeled_facts counts = CRD_UNLABELED_FACTS_INIT;
    crd_model *model = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_unlabeled_train(reader, settings, &options, &model, &counts, &call.error);
    int failed = call_end(&call, status);
    reader_done(source);
    if (failed < 0) {
        crd_model_destroy(model);
        return NULL;
    }
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    facts.rows = (uint64_t)(counts.labeled + counts.unlabeled);
    facts.weight = counts.labeled + counts.unlabeled;
    return result_of(state, model, &facts, unlabeled_record(&counts));
}

PyMethodDef model_train_functions[] = {
    {"train_auto", (PyCFunction)(void (*)(void))train_auto, METH_VARARGS | METH_KEYWORDS,
     "train_auto(reader, settings, statistics=None, budget=1) -> tuple[Model, dict, dict]"},
    {"chosen_settings", chosen_settings, METH_NOARGS, "chosen_settings() -> list[str]"},
    {"train_latent", (PyCFunction)(void (*)(void))train_latent, METH_VARARGS | METH_KEYWORDS,
     "train_latent(reader, name, settings, classes=0, max_classes=12, held_out=False, seed=1) -> tuple[Model, dict, "
     "dict]"},
    {"train_unlabeled", train_unlabeled, METH_VARARGS,
     "train_unlabeled(reader, settings, weight=-1) -> tuple[Model, dict, dict]"},
    {NULL, NULL, 0, NULL},
};
