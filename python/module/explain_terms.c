/* SPDX-License-Identifier: MIT */
/* explain_terms.c - records of the terms of each class (prior, attributes, joint densities, pairs), and of the members of an ensemble. */
#include "explain_record.h"

#include <math.h>
#include <string.h>

/* ---- Predictions ---- */

int explained_row_create(const crd_classifier *classifier, const crd_value *values, explained_row *out) {
    *out = (explained_row){.classifier = classifier,
                           .values = values,
                           .classes = crd_classifier_class_count(classifier),
                           .attributes = crd_classifier_attribute_count(classifier),
                           .joints = crd_classifier_joint_count(classifier),
                           .pairs = crd_classifier_pair_count(classifier),
                           .members = crd_classifier_member_count(classifier)};
    size_t rows = 4 + out->joints + out->pairs + out->members;
    out->numbers = PyMem_Calloc(rows * out->classes + 1, sizeof *out->numbers);
    if (out->numbers == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    out->log_posterior = out->numbers;
    out->probabilities = out->log_posterior + out->classes;
    out->found_log_posterior = out->probabilities + out->classes;
    out->raw_posterior = out->found_log_posterior + out->classes;
    out->joint_terms = out->raw_posterior + out->classes;
    out->pair_terms = out->joint_terms + out->joints * out->classes;
    out->member_logs = out->pair_terms + out->pairs * out->classes;
    return 0;
}

void explained_row_free(explained_row *row) {
    PyMem_Free(row->numbers);
    row->numbers = NULL;
}

crd_status explained_row_compute(explained_row *row, crd_error *error) {
    const crd_classifier *c = row->classifier;
    crd_status status =
        crd_classifier_uncalibrated(c, row->values, row->found_log_posterior, row->raw_posterior, &row->answer, error);
    if (status == CRD_OK)
        status = crd_classifier_posterior(c, row->values, row->log_posterior, row->probabilities, &row->answer, error);
    if (status == CRD_OK && crd_classifier_ensemble_rule(c) != NULL)
        return crd_classifier_member_posteriors(c, row->values, row->member_logs, error);
    for (size_t i = 0; i < row->joints && status == CRD_OK; i++)
        status = crd_classifier_joint_terms(c, i, row->values, row->joint_terms + i * row->classes, error);
    if (status == CRD_OK && row->pairs > 0) status = crd_classifier_pair_terms(c, row->values, row->pair_terms, error);
    return status;
}

/* ---- Records ---- */

PyObject *value_record(const crd_value *value) {
    if (value->type == CRD_TYPE_NUMERIC) return number_of(value->number);
    if (value->type == CRD_TYPE_CATEGORICAL || value->type == CRD_TYPE_TEXT) return str_of(value->text);
    Py_RETURN_NONE;
}

PyObject *doubles_record(const double *values, size_t count) {
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list != NULL && i < count; i++) {
        PyObject *value = number_of(values[i]);
        if (value == NULL || PyList_SetItem(list, (Py_ssize_t)i, value) < 0) Py_CLEAR(list);
    }
    return list;
}

static const char *format_name(crd_term_form form) {
    switch (form) {
    case CRD_TERM_RATIO: return "ratio";
    case CRD_TERM_DENSITY: return "density";
    case CRD_TERM_GIVEN: return "given";
    case CRD_TERM_MISSING: return "missing";
    case CRD_TERM_UNSEEN: return "unseen";
    case CRD_TERM_JOINT: return "joint";
    case CRD_TERM_SILENT: break;
    }
    return "silent";
}

static int put_ratio(PyObject *record, const crd_term *term) {
    static const char *const smoothings[] = {"plain", "m", "m-marginal", "laplace", "overall"};
    if (put(record, "smoothing", str_of_c(smoothings[term->smoothing])) < 0 ||
        put(record, "count", number_of(term->count)) < 0 || put(record, "total", number_of(term->total)) < 0)
        return -1;
    if (term->smoothing != CRD_TERM_PLAIN && term->smoothing != CRD_TERM_OVERALL &&
        (put(record, "strength", number_of(term->strength)) < 0 || put(record, "values", number_of(term->values)) < 0))
        return -1;
    if (term->smoothing != CRD_TERM_M_MARGINAL) return 0;
    return put(record, "share_count", number_of(term->share_count)) < 0 ||
                   put(record, "share_total", number_of(term->share_total)) < 0
               ? -1
               : 0;
}

static int put_density(PyObject *record, const crd_term *term) {
    if (put(record, "family", str_of_c(term->family)) < 0 || put(record, "mean", number_of(term->mean)) < 0 ||
        put(record, "sd", number_of(term->deviation)) < 0)
        return -1;
    for (size_t i = 0; i < term->parameter_count; i++) {
        const char *name = term->parameters[i].name;
        if (strcmp(name, "mean") == 0 || strcmp(name, "sd") == 0) continue;
        if (put(record, name, number_of(term->parameters[i].value)) < 0) return -1;
    }
    return 0;
}

static int put_term(PyObject *record, const crd_term *term) {
    if (put(record, "form", str_of_c(format_name(term->form))) < 0 ||
        put(record, "log_value", number_of(term->log_value)) < 0)
        return -1;
    if (term->form == CRD_TERM_RATIO && put_ratio(record, term) < 0) return -1;
    if (term->form == CRD_TERM_DENSITY && put_density(record, term) < 0) return -1;
    return term->exponent == 1 ? 0 : put(record, "attribute_weight", number_of(term->exponent));
}

/* Adds the term of a text attribute: the sum of the weights of its words. */
static int put_text_term(PyObject *record, const explained_row *row, size_t attribute, const crd_term *term) {
    bool is_score = crd_classifier_text_is_score(row->classifier, attribute) != 0;
    if (put(record, "value", str_of(row->values[attribute].text)) < 0 || put(record, "form", str_of_c("text")) < 0 ||
        put(record, "is_score", PyBool_FromLong(is_score)) < 0 ||
        put(record, "log_value", number_of(term->log_value)) < 0 || put(record, "family", str_of_c(term->family)) < 0)
        return -1;
    return term->exponent == 1 ? 0 : put(record, "attribute_weight", number_of(term->exponent));
}

static PyObject *term_record(module_state *state, const explained_row *row, size_t attribute, size_t class_index,
                             double *log_value) {
    crd_term term = CRD_TERM_INIT;
    crd_error error;
    const crd_value *value = &row->values[attribute];
    if (crd_classifier_term(row->classifier, attribute, class_index, value, &term, &error) != CRD_OK) {
        raise_error(state, &error);
        return NULL;
    }
    *log_value = term.log_value;
    bool is_text =
        term.form == CRD_TERM_DENSITY && crd_classifier_attribute_type(row->classifier, attribute) == CRD_TYPE_TEXT;
    PyObject *record = PyDict_New();
    if (record == NULL || put(record, "attribute", str_of(crd_classifier_attribute(row->classifier, attribute))) < 0)
        goto fail;
    if (is_text) {
        if (put_text_term(record, row, attribute, &term) < 0) goto fail;
    } else {
        /* The record of a text has no value, as in the command's output. */
        bool has_value = value->type == CRD_TYPE_NUMERIC || value->type == CRD_TYPE_CATEGORICAL;
        if (put(record, "value", has_value ? value_record(value) : Py_NewRef(Py_None)) < 0 ||
            put_term(record, &term) < 0)
            goto fail;
    }
    return record;
fail:
    Py_XDECREF(record);
    return NULL;
}

/* ---- Joint densities and pairs ---- */

static PyObject *names_of(const crd_classifier *classifier, const size_t *attributes, size_t count) {
    PyObject *names = PyList_New(0);
    for (size_t i = 0; names != NULL && i < count; i++)
        if (append_item(names, str_of(crd_classifier_attribute(classifier, attributes[i]))) < 0) Py_CLEAR(names);
    return names;
}

static PyObject *joints_record(module_state *state, const explained_row *row, size_t class_index) {
    crd_error error;
    PyObject *list = PyList_New(0);
    size_t *attributes = PyMem_Calloc(row->attributes + 1, sizeof *attributes);
    if (attributes == NULL) PyErr_NoMemory();
    for (size_t i = 0; list != NULL && attributes != NULL && i < row->joints; i++) {
        crd_joint joint = CRD_JOINT_INIT;
        if (crd_classifier_joint(row->classifier, i, &joint, &error) != CRD_OK ||
            crd_classifier_joint_attributes(row->classifier, i, attributes, &error) != CRD_OK) {
            raise_error(state, &error);
            Py_CLEAR(list);
            break;
        }
        PyObject *record = Py_BuildValue("{s:s,s:N,s:N}", "joint", joint.name, "attributes",
                                         names_of(row->classifier, attributes, joint.attribute_count), "log_value",
                                         number_of(row->joint_terms[i * row->classes + class_index]));
        if (append_item(list, record) < 0) Py_CLEAR(list);
    }
    if (attributes == NULL) Py_CLEAR(list);
    PyMem_Free(attributes);
    return list;
}

/* Finds whether a pair counts. A missing or unseen value has no pair term. */
static int pair_counts(module_state *state, const explained_row *row, const crd_pair *pair, bool *counts) {
    crd_error error;
    *counts = pair->exponent > 0;
    for (size_t side = 0; side < 2 && *counts; side++) {
        crd_term term = CRD_TERM_INIT;
        size_t attribute = pair->attributes[side];
        if (crd_classifier_term(row->classifier, attribute, 0, &row->values[attribute], &term, &error) != CRD_OK) {
            raise_error(state, &error);
            return -1;
        }
        *counts = term.form == CRD_TERM_JOINT;
    }
    return 0;
}

static PyObject *pairs_record(module_state *state, const explained_row *row, size_t class_index) {
    crd_error error;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < row->pairs; i++) {
        crd_pair pair = CRD_PAIR_INIT;
        bool counts = false;
        if (crd_classifier_pair(row->classifier, i, &pair, &error) != CRD_OK) {
            raise_error(state, &error);
            Py_CLEAR(list);
        } else if (pair_counts(state, row, &pair, &counts) < 0) {
            Py_CLEAR(list);
        } else if (counts) {
            size_t names = pair.attributes[0] == pair.attributes[1] ? 1 : 2;
            PyObject *record = Py_BuildValue(
                "{s:N,s:d,s:N}", "attributes", names_of(row->classifier, pair.attributes, names), "attribute_weight",
                pair.exponent, "log_value", number_of(row->pair_terms[i * row->classes + class_index]));
            if (append_item(list, record) < 0) Py_CLEAR(list);
        }
    }
    return list;
}

/* ---- Classes ---- */

/* Adds the terms of a class. Logarithms are added in the order that the classifier uses, so the sum is bit-identical. */
static int put_terms(PyObject *record, module_state *state, const explained_row *row, size_t class_index) {
    crd_term prior = CRD_TERM_INIT;
    crd_error error;
    if (crd_classifier_prior(row->classifier, class_index, &prior, &error) != CRD_OK) {
        raise_error(state, &error);
        return -1;
    }
    double log_joint = prior.log_value;
    PyObject *stated = PyDict_New(), *terms = PyList_New(0);
    if (stated == NULL || terms == NULL || put_term(stated, &prior) < 0 ||
        put(record, "log_prior", number_of(prior.log_value)) < 0)
        goto fail;
    for (size_t a = 0; a < row->attributes; a++) {
        double log_value = 0;
        if (append_item(terms, term_record(state, row, a, class_index, &log_value)) < 0) goto fail;
        log_joint += log_value;
    }
    for (size_t i = 0; i < row->joints; i++) log_joint += row->joint_terms[i * row->classes + class_index];
    for (size_t i = 0; i < row->pairs; i++) log_joint += row->pair_terms[i * row->classes + class_index];
    if (PyDict_SetItemString(record, "prior", stated) < 0 || PyDict_SetItemString(record, "terms", terms) < 0 ||
        (row->joints > 0 && put(record, "joints", joints_record(state, row, class_index)) < 0) ||
        (row->pairs > 0 && put(record, "pairs", pairs_record(state, row, class_index)) < 0) ||
        put(record, "log_joint", number_of(log_joint)) < 0 || put(record, "joint", number_of(crd_exp(log_joint))) < 0)
        goto fail;
    Py_DECREF(stated);
    Py_DECREF(terms);
    return 0;
fail:
    Py_XDECREF(stated);
    Py_XDECREF(terms);
    return -1;
}

static PyObject *class_record(module_state *state, const explained_row *row, size_t k) {
    crd_calibration calibration = CRD_CALIBRATION_INIT;
    bool is_decided = row->answer.decision >= 0;
    double factor = crd_classifier_ensemble_factor(row->classifier, k);
    PyObject *record = PyDict_New();
    if (record == NULL || put(record, "class", str_of(crd_classifier_class(row->classifier, k))) < 0) goto fail;
    if (crd_classifier_ensemble_rule(row->classifier) == NULL && put_terms(record, state, row, k) < 0) goto fail;
    if (factor != 0 && put(record, "log_factor", number_of(factor)) < 0) goto fail;
    if (crd_classifier_calibration(row->classifier, &calibration) != 0 &&
        put(record, "before_calibration",
            Py_BuildValue("{s:N,s:N}", "log_posterior", number_of(row->found_log_posterior[k]), "posterior",
                          number_of(is_decided ? row->raw_posterior[k] : NAN))) < 0)
        goto fail;
    if (put(record, "log_posterior", number_of(row->log_posterior[k])) < 0 ||
        put(record, "posterior", number_of(is_decided ? row->probabilities[k] : NAN)) < 0)
        goto fail;
    return record;
fail:
    Py_XDECREF(record);
    return NULL;
}

PyObject *classes_record(module_state *state, const explained_row *row) {
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list != NULL && k < row->classes; k++)
        if (append_item(list, class_record(state, row, k)) < 0) Py_CLEAR(list);
    return list;
}

/* ---- Members ---- */

static PyObject *by_class(const crd_classifier *classifier, const double *values) {
    PyObject *dict = PyDict_New();
    for (size_t k = 0; dict != NULL && k < crd_classifier_class_count(classifier); k++)
        if (put_named(dict, crd_classifier_class(classifier, k), number_of(values[k])) < 0) Py_CLEAR(dict);
    return dict;
}

int put_members(PyObject *record, module_state *state, const explained_row *row) {
    crd_error error;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < row->members; i++) {
        crd_ensemble_member member = CRD_ENSEMBLE_MEMBER_INIT;
        if (crd_classifier_member(row->classifier, i, &member, &error) != CRD_OK) {
            raise_error(state, &error);
            Py_CLEAR(list);
            break;
        }
        PyObject *one = Py_BuildValue("{s:d,s:N,s:N}", "weight", member.weight, "settings",
                                      settings_record(crd_classifier_settings(member.classifier)), "log_posterior",
                                      by_class(row->classifier, row->member_logs + i * row->classes));
        if (append_item(list, one) < 0) Py_CLEAR(list);
    }
    if (put(record, "pool", str_of_c(crd_classifier_ensemble_rule(row->classifier))) < 0) {
        Py_XDECREF(list);
        return -1;
    }
    return put(record, "members", list);
}
