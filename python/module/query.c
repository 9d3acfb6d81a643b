/* SPDX-License-Identifier: MIT */
/* query.c - Query: computes probabilities of any columns of a model given other columns. */
#include "explain_record.h"

#include <math.h>
#include <string.h>

typedef struct query_object {
    core_object head;
    crd_query *query;     /* immutable */
    crd_summary *summary; /* the model's summary, for selecting attributes */
    classifier_object *classifier;
} query_object;

static void query_dealloc(PyObject *object) {
    query_object *self = (query_object *)object;
    crd_query_destroy(self->query);
    crd_summary_destroy(self->summary);
    Py_XDECREF((PyObject *)self->classifier);
    free_object(self);
}

/* make_query(model, classifier): a query with the classifier's settings. */
static PyObject *make_query(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *model_argument, *classifier_argument;
    if (!PyArg_ParseTuple(arguments, "OO", &model_argument, &classifier_argument) ||
        !check_type(state, model_argument, CORE_MODEL, "model") ||
        !check_type(state, classifier_argument, CORE_CLASSIFIER, "classifier"))
        return NULL;
    model_object *model = (model_object *)model_argument;
    query_object *self = new_object(state, CORE_QUERY);
    if (self == NULL) return NULL;
    self->classifier = (classifier_object *)Py_NewRef(classifier_argument);
    core_call call;
    call_begin(&call, state);
    crd_status status = model_lock_read(model);
    if (status == CRD_OK) {
        status = crd_query_create(model->model, crd_classifier_settings(self->classifier->classifier), &self->query,
                                  &call.error);
        if (status == CRD_OK) status = crd_summary_create(model->model, &self->summary, &call.error);
        model_unlock(model);
    }
    if (call_end(&call, status) == 0) return (PyObject *)self;
    Py_DECREF((PyObject *)self);
    return NULL;
}

static PyObject *query_columns(PyObject *object, PyObject *unused) {
    (void)unused;
    const crd_query *query = ((query_object *)object)->query;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < crd_query_column_count(query); i++) {
        crd_family family = CRD_FAMILY_INIT;
        bool has_family = crd_query_column_family(query, i, &family) != 0;
        PyObject *values = PyList_New(0);
        for (size_t v = 0; values != NULL && v < crd_query_value_count(query, i); v++)
            if (append_item(values, str_of(crd_query_value(query, i, v))) < 0) Py_CLEAR(values);
        PyObject *record = Py_BuildValue("{s:N,s:N,s:O,s:O,s:N}", "name", str_of(crd_query_column_name(query, i)),
                                         "type", str_of_c(crd_column_type_name(crd_query_column_type(query, i))),
                                         "is_target", i == crd_query_target(query) ? Py_True : Py_False, "is_discrete",
                                         has_family && family.is_discrete ? Py_True : Py_False, "values", values);
        if (append_item(list, record) < 0) Py_CLEAR(list);
    }
    return list;
}

/* select(selector): the names of the attributes that match a column selector. */
static PyObject *query_select(PyObject *object, PyObject *argument) {
    query_object *self = (query_object *)object;
    crd_text selector;
    crd_error error;
    size_t count = 0;
    if (text_of(argument, "of", false, &selector) < 0) return NULL;
    size_t *attributes = PyMem_Calloc(self->summary->attribute_count + 1, sizeof *attributes);
    if (attributes == NULL) return PyErr_NoMemory();
    PyObject *names = NULL;
    if (crd_summary_select(self->summary, selector, attributes, &count, &error) != CRD_OK)
        raise_error(self->head.state, &error);
    else names = PyList_New(0);
    for (size_t i = 0; names != NULL && i < count; i++)
        if (append_item(names, str_of(self->summary->attributes[attributes[i]].name)) < 0) Py_CLEAR(names);
    PyMem_Free(attributes);
    return names;
}

/* ---- Evidence ---- */

int given_begin(const crd_query *query, classifier_object *classifier, PyObject *given, PyObject *class_argument,
                core_given *out) {
    crd_text name;
    out->count = crd_query_column_count(query);
    out->values = PyMem_Calloc(out->count + 1, sizeof *out->values);
    if (out->values == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    if (text_of(class_argument, "given", true, &name) < 0 || row_begin(&out->row, classifier, given) < 0) {
        PyMem_Free(out->values);
        return -1;
    }
    size_t target = crd_query_target(query);
    for (size_t i = 0, next = 0; i < out->count; i++) {
        if (i == target) {
            if (name.bytes != NULL) out->values[i] = (crd_value){CRD_TYPE_CATEGORICAL, 0, name};
            continue;
        }
        /* The classifier has the attributes in the same order. */
        if (next < out->row.count &&
            crd_text_equal(crd_query_column_name(query, i), crd_classifier_attribute(classifier->classifier, next)))
            out->values[i] = out->row.values[next++];
    }
    return 0;
}

void given_end(core_given *given) {
    row_end(&given->row);
    PyMem_Free(given->values);
}

/* ---- Probabilities ---- */

typedef struct belief {
    const query_object *self;
    const crd_query *query;
    double *log_classes;
} belief;

/* Computes the log probability of one combination of values of some columns. */
static crd_status ask(const belief *b, crd_value *row, const size_t *columns, const size_t *values, size_t count,
                      double *log_probability, crd_error *error) {
    for (size_t i = 0; i < count; i++)
        row[columns[i]] = (crd_value){CRD_TYPE_CATEGORICAL, 0, crd_query_value(b->query, columns[i], values[i])};
    return crd_query_log_probability(b->query, b->log_classes, row, log_probability, error);
}

/* Computes all entries of a joint table. The value of the last column changes fastest. */
static crd_status ask_cells(const belief *b, crd_value *row, const size_t *columns, size_t count, size_t cells,
                            size_t *values, double *logs, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t cell = 0; cell < cells && status == CRD_OK; cell++) {
        for (size_t i = count, quotient = cell; i-- > 0;) {
            size_t size = crd_query_value_count(b->query, columns[i]);
            values[i] = quotient % size;
            quotient /= size;
        }
        status = ask(b, row, columns, values, count, &logs[cell], error);
    }
    return status;
}

/* Returns nested dicts, with the first column outermost. */
static PyObject *nest(const belief *b, const size_t *columns, size_t count, const double **logs) {
    PyObject *dict = PyDict_New();
    for (size_t v = 0; dict != NULL && v < crd_query_value_count(b->query, columns[0]); v++) {
        PyObject *value = count == 1 ? PyFloat_FromDouble(crd_exp(*(*logs)++)) : nest(b, columns + 1, count - 1, logs);
        if (put_named(dict, crd_query_value(b->query, columns[0], v), value) < 0) Py_CLEAR(dict);
    }
    return dict;
}

static PyObject *joint_record(const belief *b, const size_t *columns, size_t count) {
    size_t cells = 1, all = crd_query_column_count(b->query);
    for (size_t i = 0; i < count; i++) {
        size_t size = crd_query_value_count(b->query, columns[i]);
        if (size == 0 || cells > CRD_TABLE_MOST_CELLS / size)
            return PyErr_Format(
                PyExc_ValueError,
                "joint_distribution: the joint table would have more than %d entries, or none; name fewer columns",
                CRD_TABLE_MOST_CELLS);
        cells *= size;
    }
    double *logs = PyMem_Calloc(cells + 1, sizeof *logs);
    crd_value *row = PyMem_Calloc(all + 1, sizeof *row);
    size_t *values = PyMem_Calloc(count + 1, sizeof *values);
    PyObject *record = NULL;
    if (logs == NULL || row == NULL || values == NULL) {
        PyErr_NoMemory();
    } else {
        const double *next = logs;
        core_call call;
        call_begin(&call, b->self->head.state);
        crd_status status = ask_cells(b, row, columns, count, cells, values, logs, &call.error);
        if (call_end(&call, status) == 0) record = nest(b, columns, count, &next);
    }
    PyMem_Free(logs);
    PyMem_Free(row);
    PyMem_Free(values);
    return record;
}

/* ---- Numbers ---- */

static const double QUANTILES[] = {0.05, 0.25, 0.5, 0.75, 0.95};
enum { QUANTILE_COUNT = sizeof QUANTILES / sizeof QUANTILES[0] };

static PyObject *quantiles_record(const double *quantiles) {
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict != NULL && i < QUANTILE_COUNT; i++) {
        char buffer[CRD_NUMBER_ROOM];
        crd_text name = {buffer, crd_number_format(QUANTILES[i], buffer)};
        if (put_named(dict, name, number_of(quantiles[i])) < 0) Py_CLEAR(dict);
    }
    return dict;
}

static PyObject *points_record(const belief *b, size_t column, const double *x, size_t count) {
    crd_family family = CRD_FAMILY_INIT;
    bool is_discrete = crd_query_column_family(b->query, column, &family) && family.is_discrete;
    crd_value *row = PyMem_Calloc(crd_query_column_count(b->query) + 1, sizeof *row);
    PyObject *list = row == NULL ? PyErr_NoMemory() : PyList_New(0);
    for (size_t i = 0; list != NULL && i < count; i++) {
        double log_density = 0, below = 0;
        crd_error error;
        row[column] = (crd_value){CRD_TYPE_NUMERIC, x[i], {NULL, 0}};
        if (crd_query_log_probability(b->query, b->log_classes, row, &log_density, &error) != CRD_OK ||
            crd_query_below(b->query, b->log_classes, column, x[i], &below, &error) != CRD_OK) {
            raise_error(b->self->head.state, &error);
            Py_CLEAR(list);
            break;
        }
        PyObject *record =
            Py_BuildValue("{s:d,s:d,s:d,s:d}", "x", x[i], is_discrete ? "probability" : "density", crd_exp(log_density),
                          is_discrete ? "log_probability" : "log_density", log_density, "at_most", below);
        if (append_item(list, record) < 0) Py_CLEAR(list);
    }
    PyMem_Free(row);
    return list;
}

/* Returns the record of a numeric column. Its density is a mixture of the class densities, weighted by the class probabilities. */
static PyObject *number_record(const belief *b, size_t column, const double *x, size_t count) {
    double mean = 0, deviation = 0, quantiles[QUANTILE_COUNT];
    core_call call;
    call_begin(&call, b->self->head.state);
    crd_status status = crd_query_moments(b->query, b->log_classes, column, &mean, &deviation, &call.error);
    for (size_t i = 0; i < QUANTILE_COUNT && status == CRD_OK; i++)
        status = crd_query_quantile(b->query, b->log_classes, column, QUANTILES[i], &quantiles[i], &call.error);
    if (call_end(&call, status) < 0) return NULL;
    PyObject *record = Py_BuildValue("{s:N,s:N,s:N}", "mean", number_of(mean), "sd", number_of(deviation), "quantiles",
                                     quantiles_record(quantiles));
    if (record != NULL && count > 0 && put(record, "at", points_record(b, column, x, count)) < 0) Py_CLEAR(record);
    return record;
}

/* ---- Words ---- */

/* Returns P(class | given), P(word | class) and, by Bayes' rule, P(class | given, word). */
static PyObject *word_classes(const crd_classifier *classifier, const double *log_classes, const double *probabilities,
                              double sum) {
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list != NULL && k < crd_classifier_class_count(classifier); k++) {
        double prior = crd_exp(log_classes[k]);
        PyObject *record = Py_BuildValue("{s:N,s:d,s:d,s:N}", "class", str_of(crd_classifier_class(classifier, k)),
                                         "prior", prior, "probability", probabilities[k], "posterior",
                                         number_of(sum > 0 ? prior * probabilities[k] / sum : NAN));
        if (append_item(list, record) < 0) Py_CLEAR(list);
    }
    return list;
}

static PyObject *word_record_of(const belief *b, size_t attribute, crd_text word, crd_text text,
                                double *probabilities) {
    const crd_classifier *classifier = b->self->classifier->classifier;
    crd_term_facts facts = CRD_TERM_FACTS_INIT;
    crd_family family = CRD_FAMILY_INIT;
    crd_error error;
    if (crd_classifier_word(classifier, attribute, word, NULL, probabilities, &facts, &error) != CRD_OK) {
        raise_error(b->self->head.state, &error);
        return NULL;
    }
    PyObject *shown = str_of(text), *column = str_of(crd_classifier_attribute(classifier, attribute));
    bool has_family = crd_classifier_family(classifier, attribute, &family) != 0;
    PyObject *record = NULL;
    if (shown == NULL || column == NULL) {
        goto done;
    } else if (!facts.is_known) {
        PyErr_Format(PyExc_ValueError, "of: unknown word: no training text of %R contains %R", column, shown);
    } else if (!facts.counts) {
        PyErr_Format(PyExc_ValueError, "of: the settings ignore the word %R of %R", shown, column);
    } else if (isnan(probabilities[0])) {
        PyErr_Format(PyExc_ValueError, "of: the family %s of %R has no P(word | class); use family={%R: 'multinomial'}",
                     has_family ? family.name : "", column, column);
    } else {
        double sum = 0;
        for (size_t k = 0; k < crd_classifier_class_count(classifier); k++)
            sum += crd_exp(b->log_classes[k]) * probabilities[k];
        record =
            Py_BuildValue("{s:N,s:s,s:d,s:N}", "word", str_of(word), "family", has_family ? family.name : "",
                          "probability", sum, "classes", word_classes(classifier, b->log_classes, probabilities, sum));
    }
done:
    Py_XDECREF(shown);
    Py_XDECREF(column);
    return record;
}

/* Finds the term that a whole text consists of, after the same processing as the model's texts. */
static PyObject *find_word(const belief *b, size_t attribute, PyObject *text_argument) {
    const crd_classifier *classifier = b->self->classifier->classifier;
    crd_text_words *words = NULL;
    crd_text text;
    crd_error error;
    PyObject *record = NULL;
    if (text_of(text_argument, "of", false, &text) < 0) return NULL;
    double *probabilities = PyMem_Calloc(crd_classifier_class_count(classifier) + 1, sizeof *probabilities);
    if (probabilities == NULL) return PyErr_NoMemory();
    if (crd_text_words_create(classifier, attribute, text, &words, &error) != CRD_OK) {
        raise_error(b->self->head.state, &error);
    } else if (words->single == CRD_NONE) {
        PyErr_Format(PyExc_ValueError, "of: %R is %s to the model, expected a single word", text_argument,
                     words->count == 0 ? "not a word" : "several words");
    } else {
        const crd_text_word word = words->words[words->single];
        record = word_record_of(b, attribute, word.term, text, probabilities);
    }
    crd_text_words_destroy(words);
    PyMem_Free(probabilities);
    return record;
}

/* ---- Results ---- */

/* Returns the record of a group, which is a tuple of column indices, or (attribute, word) with a str as the word. */
static PyObject *group_record(const belief *b, PyObject *group, const double *x, size_t points) {
    Py_ssize_t count = PyTuple_Size(group);
    if (count < 0) return NULL;
    if (count == 2 && PyUnicode_Check(PyTuple_GetItem(group, 1))) {
        size_t attribute = PyLong_AsSize_t(PyTuple_GetItem(group, 0));
        if (PyErr_Occurred()) return NULL;
        if (attribute >= crd_classifier_attribute_count(b->self->classifier->classifier))
            return PyErr_Format(PyExc_ValueError, "of: attribute %zu is out of range", attribute);
        return find_word(b, attribute, PyTuple_GetItem(group, 1));
    }
    if (count < 1) return PyErr_Format(PyExc_ValueError, "of: has no column");
    size_t *columns = PyMem_Calloc((size_t)(count > 0 ? count : 1), sizeof *columns);
    PyObject *record = NULL;
    if (columns == NULL) return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count; i++) {
        columns[i] = PyLong_AsSize_t(PyTuple_GetItem(group, i));
        if (PyErr_Occurred()) goto done;
        if (columns[i] < crd_query_column_count(b->query)) continue;
        PyErr_SetString(PyExc_ValueError, "of: column index out of range");
        goto done;
    }
    if (count == 1 && crd_query_column_type(b->query, columns[0]) == CRD_TYPE_NUMERIC)
        record = number_record(b, columns[0], x, points);
    else record = joint_record(b, columns, (size_t)count);
done:
    PyMem_Free(columns);
    return record;
}

/* answer(groups, given, class_given, at) -> (list of records, log evidence, unseen), or None if the evidence is
 * impossible. */
static PyObject *query_answer(PyObject *object, PyObject *arguments) {
    query_object *self = (query_object *)object;
    module_state *state = state_of(self);
    PyObject *groups, *given_argument, *class_argument, *at_argument, *list = NULL;
    Py_buffer points;
    core_given given;
    if (!PyArg_ParseTuple(arguments, "O!OOO", &PyList_Type, &groups, &given_argument, &class_argument, &at_argument) ||
        buffer_of(at_argument, "at", "d", false, false, &points) < 0)
        return NULL;
    if (given_begin(self->query, self->classifier, given_argument, class_argument, &given) < 0) {
        PyBuffer_Release(&points);
        return NULL;
    }
    size_t classes = crd_query_value_count(self->query, crd_query_target(self->query));
    belief b = {.self = self, .query = self->query, .log_classes = PyMem_Calloc(classes + 1, sizeof(double))};
    crd_answer answer = {0};
    if (b.log_classes == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    core_call call;
    call_begin(&call, state);
    crd_status status = crd_query_posterior(self->query, given.values, b.log_classes, &answer, &call.error);
    if (call_end(&call, status) < 0) goto done;
    if (answer.decision < 0) {
        list = Py_NewRef(Py_None);
        goto done;
    }
    list = PyList_New(0);
    for (Py_ssize_t i = 0; list != NULL && i < PyList_Size(groups); i++)
        if (append_item(
                list, group_record(&b, PyList_GetItem(groups, i), points.buf, (size_t)points.len / sizeof(double))) < 0)
            Py_CLEAR(list);
    if (list != NULL) list = Py_BuildValue("(NNI)", list, number_of(answer.log_evidence), (unsigned)answer.unseen);
done:
    PyMem_Free(b.log_classes);
    given_end(&given);
    PyBuffer_Release(&points);
    return list;
}

static PyMethodDef methods[] = {
    {"columns", query_columns, METH_NOARGS, "columns() -> list[dict]"},
    {"select", query_select, METH_O, "select(selector) -> list[str]"},
    {"answer", query_answer, METH_VARARGS,
     "answer(groups, given, class_given, at) -> tuple[list, float, int] | None\n\ngroups: tuples of column indices, or "
     "of an attribute index and a word."},
    {NULL, NULL, 0, NULL},
};

/* field_values(model, attributes, field, text) -> dict: the attributes that are parts of a file's field, such as NAME.month of NAME,
 * and their values for the text; empty if the field has no parts. */
static PyObject *field_values(PyObject *module, PyObject *arguments) {
    module_state *state = state_of_module(module);
    PyObject *model_argument, *attributes, *field_argument, *text_argument;
    crd_text field, text;
    if (!PyArg_ParseTuple(arguments, "OO!OO", &model_argument, &PyTuple_Type, &attributes, &field_argument,
                          &text_argument) ||
        !check_type(state, model_argument, CORE_MODEL, "model") ||
        text_of(field_argument, "field", false, &field) < 0 || text_of(text_argument, "text", false, &text) < 0)
        return NULL;
    model_object *model = (model_object *)model_argument;
    if (model_share(model) < 0) return NULL;
    PyObject *dict = PyDict_New();
    for (Py_ssize_t i = 0; dict != NULL && i < PyTuple_Size(attributes); i++) {
        crd_text name;
        crd_value value = {CRD_TYPE_NONE, 0, {NULL, 0}};
        crd_error error;
        if (text_of(PyTuple_GetItem(attributes, i), "attributes", false, &name) < 0) {
            Py_CLEAR(dict);
        } else if (field.length > 0 && crd_text_equal(crd_model_column_field(model->model, name), field)) {
            if (crd_model_read_cell(model->model, name, text, &value, &error) != CRD_OK) {
                raise_error(state, &error);
                Py_CLEAR(dict);
            } else if (put_named(dict, name, value_record(&value)) < 0) {
                Py_CLEAR(dict);
            }
        }
    }
    model_unlock(model);
    return dict;
}

PyMethodDef query_functions[] = {
    {"field_values", field_values, METH_VARARGS, "field_values(model, attributes, field, text) -> dict"},
    {"make_query", make_query, METH_VARARGS, "make_query(model, classifier) -> Query"},
    {NULL, NULL, 0, NULL},
};

CORE_TYPE(query, CORE_QUERY, "Query", query_object, query_dealloc, methods,
          "Queries of any columns of a model; immutable. Created by make_query().");
