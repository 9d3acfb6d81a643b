/* SPDX-License-Identifier: MIT */
/* structure.c - learns the structure of a network from rows, and scores networks. */
#include "network_object.h"

#include <math.h>
#include <stdlib.h>

/* ---- Learned structures ---- */

static PyObject *found_arcs(const crd_structure *structure, size_t count) {
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < count; i++) {
        crd_structure_arc arc = CRD_STRUCTURE_ARC_INIT;
        crd_structure_arc_at(structure, i, &arc);
        if (append_item(list, Py_BuildValue("{s:N,s:N,s:O}", "from", str_of(arc.from), "to", str_of(arc.to), "directed",
                                            arc.is_directed ? Py_True : Py_False)) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *found_pairs(const crd_structure *structure, size_t count) {
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < count; i++) {
        crd_structure_pair pair = CRD_STRUCTURE_PAIR_INIT;
        crd_structure_pair_at(structure, i, &pair);
        if (append_item(list, Py_BuildValue("{s:N,s:N,s:d,s:d,s:O}", "from", str_of(pair.from), "to", str_of(pair.to),
                                            "strength", pair.strength, "direction", pair.direction, "averaged",
                                            pair.is_averaged ? Py_True : Py_False)) < 0)
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *found_nodes(const crd_structure *structure, size_t count) {
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < count; i++)
        if (append_item(list, str_of(crd_structure_node(structure, i))) < 0) Py_CLEAR(list);
    return list;
}

static PyObject *left_out(const crd_structure *structure) {
    PyObject *list = PyList_New(0);
    crd_text name;
    for (size_t i = 0; list != NULL && (name = crd_structure_left_out(structure, i)).bytes != NULL; i++)
        if (append_item(list, str_of(name)) < 0) Py_CLEAR(list);
    return list;
}

static int put_all(PyObject *record, const crd_structure *structure, const crd_structure_facts *facts,
                   const crd_settings *settings) {
    bool has_score = !isnan(facts->score);
    if (put(record, "search", str_of_c(facts->search)) < 0 ||
        put(record, "rows", PyFloat_FromDouble(facts->rows)) < 0 ||
        put(record, "rows_searched", PyFloat_FromDouble(facts->rows_searched)) < 0 ||
        put(record, "score_name", str_of_c(has_score ? crd_settings_get(settings, "score") : NULL)) < 0 ||
        put(record, "score", number_of(facts->score)) < 0 ||
        put(record, "steps", PyLong_FromUnsignedLongLong(facts->steps)) < 0 ||
        put(record, "tests", PyLong_FromUnsignedLongLong(facts->tests)) < 0 ||
        put(record, "scores_computed", PyLong_FromUnsignedLongLong(facts->scores_computed)) < 0 ||
        put(record, "is_stopped", PyBool_FromLong(facts->is_stopped)) < 0 ||
        put(record, "is_consistent", PyBool_FromLong(facts->is_consistent)) < 0)
        return -1;
    return put(record, "nodes", found_nodes(structure, facts->nodes)) < 0 ||
                   put(record, "arcs", found_arcs(structure, facts->arcs + facts->edges)) < 0 ||
                   put(record, "structure", str_of_c(crd_structure_arcs(structure))) < 0 ||
                   put(record, "left_out", left_out(structure)) < 0 ||
                   put(record, "resamples", PyLong_FromSize_t(facts->resamples)) < 0 ||
                   put(record, "threshold", facts->resamples == 0 ? Py_NewRef(Py_None) : number_of(facts->threshold)) <
                       0 ||
                   put(record, "pairs", found_pairs(structure, facts->pairs)) < 0
               ? -1
               : 0;
}

static PyObject *structure_record(const crd_structure *structure, const crd_settings *settings) {
    crd_structure_facts facts = CRD_STRUCTURE_FACTS_INIT;
    crd_structure_describe(structure, &facts);
    PyObject *record = PyDict_New();
    if (record != NULL && put_all(record, structure, &facts, settings) < 0) Py_CLEAR(record);
    return record;
}

/* ---- Learning ---- */

/* Trains the model with the learned arcs instead of the structure search. */
static crd_status train_found(crd_row_source *source, const crd_settings *settings, const crd_structure *structure,
                              crd_text tallies, crd_model **model, crd_read_facts *facts, crd_error *error) {
    crd_settings *stated = NULL;
    crd_status status = crd_settings_clone(settings, &stated, error);
    if (status == CRD_OK) status = crd_settings_set(stated, "arcs", crd_text_of(crd_structure_arcs(structure)), error);
    if (status == CRD_OK) status = crd_row_source_train(source, stated, tallies, model, facts, error);
    crd_settings_destroy(stated);
    return status;
}

/* learn_structure(reader, settings, statistics=None, resamples=0, threshold=-1.0, seed=1, threads=0): the learned structure, the
 * model with its arcs, and the facts about the training. */
static PyObject *learn_structure(PyObject *module, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"reader", "settings", "statistics", "resamples", "threshold", "seed", "threads", NULL};
    module_state *state = state_of_module(module);
    PyObject *source_argument, *settings_argument, *result = NULL;
    const char *tallies = NULL;
    Py_ssize_t resamples = 0;
    unsigned long long seed = 1;
    crd_structure_options options = CRD_STRUCTURE_OPTIONS_INIT;
    const crd_settings *settings;
    options.threads = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|zndKI", names, &source_argument, &settings_argument,
                                     &tallies, &resamples, &options.threshold, &seed, &options.threads) ||
        settings_of(state, settings_argument, &settings) < 0)
        return NULL;
    options.resamples = resamples < 0 ? 0 : (size_t)resamples;
    options.seed = seed;
    crd_reader *reader = reader_take(state, source_argument);
    if (reader == NULL) return NULL;
    crd_row_source *source = NULL;
    crd_structure *structure = NULL;
    crd_model *model = NULL;
    crd_read_facts facts = CRD_READ_FACTS_INIT;
    const crd_text none = {NULL, 0};
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_row_source_create_unlabeled(reader, &source, &call.error);
    if (status == CRD_OK) status = crd_structure_learn(source, settings, &options, &structure, &call.error);
    if (status == CRD_OK)
        status = train_found(source, settings, structure, tallies == NULL ? none : crd_text_of(tallies), &model, &facts,
                             &call.error);
    crd_row_source_destroy(source);
    int failed = call_end(&call, status);
    reader_done(source_argument);
    PyObject *record = failed < 0 ? NULL : structure_record(structure, settings);
    PyObject *wrapped = NULL;
    if (record != NULL) wrapped = model_wrap(state, model);
    else crd_model_destroy(model);
    if (wrapped != NULL) result = Py_BuildValue("OON", record, wrapped, facts_of(&facts));
    Py_XDECREF(record);
    Py_XDECREF(wrapped);
    crd_structure_destroy(structure);
    return result;
}

/* find_structure(model, resamples=0, threshold=-1.0, seed=1): the structure that the search in the model's settings learns from the
 * stored training rows of the model. */
static PyObject *find_structure(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *model_argument, *result = NULL;
    Py_ssize_t resamples = 0;
    unsigned long long seed = 1;
    crd_structure_options options = CRD_STRUCTURE_OPTIONS_INIT;
    options.threads = 0;
    if (!PyArg_ParseTuple(arguments, "O|ndK", &model_argument, &resamples, &options.threshold, &seed) ||
        !check_type(state, model_argument, CORE_MODEL, "model"))
        return NULL;
    options.resamples = resamples < 0 ? 0 : (size_t)resamples;
    options.seed = seed;
    model_object *model = (model_object *)model_argument;
    crd_structure *structure = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = model_lock_read(model);
    if (status == CRD_OK) {
        status = crd_structure_learn_from_model(model->model, NULL, &options, &structure, &call.error);
        model_unlock(model);
    }
    if (call_end(&call, status) == 0) result = structure_record(structure, crd_model_settings(model->model));
    crd_structure_destroy(structure);
    return result;
}

/* structure_search(settings) -> str | None: the name of the structure search in the settings. */
static PyObject *structure_search(PyObject *module, PyObject *argument) {
    const crd_settings *settings;
    if (settings_of(state_of_module(module), argument, &settings) < 0) return NULL;
    return str_of_c(settings == NULL ? NULL : crd_structure_search(settings));
}

/* ---- Columns as nodes ---- */

/* Returns a list of the nodes that a structure specifies; None if it does not specify nodes. */
static PyObject *stated_nodes(const crd_settings *settings) {
    crd_text name = crd_structure_stated_node(settings, 0);
    if (name.bytes == NULL) Py_RETURN_NONE;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && (name = crd_structure_stated_node(settings, i)).bytes != NULL; i++)
        if (append_item(list, str_of(name)) < 0) Py_CLEAR(list);
    return list;
}

static PyObject *types_record(const crd_profile *profile, const crd_column_type *types) {
    PyObject *record = PyDict_New();
    for (size_t i = 0; record != NULL && i < crd_profile_column_count(profile); i++) {
        crd_column_profile facts = CRD_COLUMN_PROFILE_INIT;
        crd_profile_column(profile, i, &facts);
        PyObject *name = str_of(facts.name), *type = PyLong_FromLong((long)types[i]);
        if (name == NULL || type == NULL || PyDict_SetItem(record, name, type) < 0) Py_CLEAR(record);
        Py_XDECREF(name);
        Py_XDECREF(type);
    }
    return record;
}

/* node_types(reader, settings, target): the type of each column as a node of the structure, 0 if the column is unchanged; and the nodes
 * that the structure specifies, or None. */
static PyObject *node_types(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *source, *settings_argument, *target_argument, *result = NULL;
    const crd_settings *settings;
    crd_text target;
    if (!PyArg_ParseTuple(arguments, "OOO", &source, &settings_argument, &target_argument) ||
        settings_of(state, settings_argument, &settings) < 0 || text_of(target_argument, "target", true, &target) < 0)
        return NULL;
    crd_reader *reader = reader_take(state, source);
    if (reader == NULL) return NULL;
    crd_profile *profile = NULL;
    crd_column_type *types = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_structure_check_shard(settings, reader, &call.error);
    if (status == CRD_OK && crd_structure_stated_node(settings, 0).bytes != NULL)
        status = crd_reader_detect_column_formats(reader, 0, &call.error);
    if (status == CRD_OK) status = crd_profile_create(state->context, reader, 0, &profile, &call.error);
    if (status == CRD_OK) types = calloc(crd_profile_column_count(profile) + 1, sizeof *types);
    if (status == CRD_OK)
        status = types == NULL ? CRD_ERROR_MEMORY
                               : crd_structure_column_types(settings, profile, target, types, &call.error);
    int failed = call_end(&call, status);
    reader_done(source);
    if (failed == 0) {
        PyObject *record = types_record(profile, types);
        if (record != NULL) result = Py_BuildValue("NN", record, stated_nodes(settings));
    }
    free(types);
    crd_profile_destroy(profile);
    return result;
}

/* usual_missing() -> list[str]: the texts that mean missing by default. */
static PyObject *usual_missing(PyObject *module, PyObject *unused) {
    (void)module, (void)unused;
    size_t count = 0;
    const crd_text *texts = crd_schema_usual_missing(&count);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < count; i++)
        if (append_item(list, str_of(texts[i])) < 0) Py_CLEAR(list);
    return list;
}

/* ---- Fitted tables ---- */

/* fit_report(model, settings=None): how the tables were fitted; None if they are counted or specified by the user. */
static PyObject *fit_report(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *model_argument, *settings_argument = Py_None, *result = NULL;
    const crd_settings *settings;
    if (!PyArg_ParseTuple(arguments, "O|O", &model_argument, &settings_argument) ||
        !check_type(state, model_argument, CORE_MODEL, "model") || settings_of(state, settings_argument, &settings) < 0)
        return NULL;
    model_object *model = (model_object *)model_argument;
    crd_fit *fit = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = model_lock_read(model);
    if (status == CRD_OK) {
        status = crd_fit_from_model(model->model, settings, &fit, &call.error);
        model_unlock(model);
    }
    if (call_end(&call, status) == 0) result = fit == NULL ? Py_NewRef(Py_None) : fit_record(fit, NULL);
    crd_fit_destroy(fit);
    return result;
}

/* ---- Scores ---- */

static PyObject *score_record(const crd_network *network, const crd_structure_score *score) {
    PyObject *nodes = PyList_New(0);
    for (size_t i = 0; nodes != NULL && i < crd_network_node_count(network); i++)
        if (append_item(nodes, Py_BuildValue("Ndd", str_of(crd_network_node_name(network, i)), score->nodes[i],
                                             score->parameters[i])) < 0)
            Py_CLEAR(nodes);
    return nodes == NULL ? NULL : Py_BuildValue("ddN", score->total, score->rows, nodes);
}

/* network_score(network, reader, by): the score, the number of rows, and (node, score, parameters) for each node. */
static PyObject *network_score(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *network_argument, *source, *by_argument;
    crd_text criterion;
    if (!PyArg_ParseTuple(arguments, "OOO", &network_argument, &source, &by_argument) ||
        !check_type(state, network_argument, CORE_NETWORK, "network") ||
        text_of(by_argument, "by", false, &criterion) < 0)
        return NULL;
    const crd_network *network = ((network_object *)network_argument)->network;
    crd_reader *reader = reader_take(state, source);
    if (reader == NULL) return NULL;
    crd_structure_score *score = NULL;
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_structure_score_create(network, reader, criterion, &score, &call.error);
    int failed = call_end(&call, status);
    reader_done(source);
    PyObject *result = failed < 0 ? NULL : score_record(network, score);
    crd_structure_score_destroy(score);
    return result;
}

PyMethodDef structure_functions[] = {
    {"learn_structure", (PyCFunction)(void (*)(void))learn_structure, METH_VARARGS | METH_KEYWORDS,
     "learn_structure(reader, settings, statistics=None, resamples=0, threshold=-1.0, seed=1, threads=0) -> "
     "tuple[dict, Model, dict]"},
    {"find_structure", find_structure, METH_VARARGS,
     "find_structure(model, resamples=0, threshold=-1.0, seed=1) -> dict"},
    {"structure_search", structure_search, METH_O, "structure_search(settings) -> str | None"},
    {"node_types", node_types, METH_VARARGS,
     "node_types(reader, settings, target) -> tuple[dict[str, int], list[str] | None]"},
    {"usual_missing", usual_missing, METH_NOARGS, "usual_missing() -> list[str]"},
    {"fit_report", fit_report, METH_VARARGS, "fit_report(model, settings=None) -> dict | None"},
    {"network_score", network_score, METH_VARARGS,
     "network_score(network, reader, by) -> tuple[float, float, list[tuple[str, float, float]]]"},
    {NULL, NULL, 0, NULL},
};
