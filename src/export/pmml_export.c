/* SPDX-License-Identifier: MIT */
/* pmml_export.c - exports naive Bayes with categorical and normal densities as a NaiveBayesModel of PMML 4.4.
 *
 * PMML divides the count of a value in a class by the sum over all values, and does not smooth. Therefore the exported
 * "counts" are smoothed probabilities, which sum to 1, and the class "counts" are the priors. The standard ignores
 * missing cells; values that were never seen are declared to be treated as missing. PMML would replace a probability of
 * 0 by its threshold, so models with such a probability are rejected. */
#include "export/export_internal.h"

#include "base/error.h"
#include "base/parameter_list.h"

#include <credence/model.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- Texts ---- */

/* Writes a text inside the quotes of an XML attribute. */
static void pmml_export_write_text(crd_i_export_writer *writer, crd_text text) {
    for (size_t i = 0; i < text.length; i++) {
        char byte = text.bytes[i];
        if (byte == '&') crd_i_export_text(writer, "&amp;");
        else if (byte == '<') crd_i_export_text(writer, "&lt;");
        else if (byte == '"') crd_i_export_text(writer, "&quot;");
        else if (byte == '\n' || byte == '\r' || byte == '\t') crd_i_export_format(writer, "&#%d;", byte);
        else crd_i_export_bytes(writer, &byte, 1);
    }
}

/* Writes a tag: the part before an attribute's value, the value, and the part after it. */
static void write_tag(crd_i_export_writer *writer, const char *before, crd_text value, const char *after) {
    crd_i_export_text(writer, before);
    pmml_export_write_text(writer, value);
    crd_i_export_text(writer, after);
}

/* ---- Checks: can PMML express the model? ---- */

static crd_status pmml_export_refuse(crd_error *error, const char *description, const char *subject) {
    return crd_i_export_refuse(error, "PMML", description, subject);
}

/* Checks that a text has no control characters that XML cannot contain. */
static crd_status pmml_export_check_text(crd_text text, crd_error *error) {
    for (size_t i = 0; i < text.length; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        if (byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t')
            return pmml_export_refuse(error, "a text with control characters", "category");
    }
    return CRD_OK;
}

static crd_status pmml_export_check_texts(const crd_i_dictionary *texts, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t i = 0; texts != NULL && i < crd_i_dictionary_size(texts) && status == CRD_OK; i++)
        status = pmml_export_check_text(crd_i_dictionary_text(texts, i), error);
    return status;
}

/* Returns whether a mean and a variance describe the normal density of class k. The mean must fit into one double, and
 * the variance must be well within the range of a double. */
static bool is_plain_normal(const crd_i_parameter_list *list, size_t k) {
    static const double SLIGHT = 1e-13;
    double remainder = crd_i_parameter_list_find(list, "mean_rest")->numbers[k];
    double deviation = crd_i_parameter_list_find(list, "sd")->numbers[k];
    double variance = deviation * deviation;
    return fabs(remainder) <= SLIGHT * deviation && variance > 0x1p-1000 && variance < 0x1p1000;
}

/* Checks that PMML can express the density of an attribute. */
static crd_status check_density(const crd_i_attribute *attribute, crd_error *error) {
    crd_i_parameter_list list = {.context = attribute->density->context};
    bool is_category = attribute->type == CRD_TYPE_CATEGORICAL, has_zero = false, is_plain = true;
    char what[64];
    if (!is_category && strcmp(attribute->family->name, "gaussian") != 0) {
        snprintf(what, sizeof what, "a density of the family %s", attribute->family->name);
        return pmml_export_refuse(error, what, "family");
    }
    bool done = attribute->family->list_parameters(attribute->density, &list);
    for (size_t k = 0; done && !is_category && k < attribute->density->conditions; k++)
        is_plain = is_plain && is_plain_normal(&list, k);
    const crd_i_parameter_array *first = list.arrays;
    for (size_t i = 0; done && is_category && i < first->rows * first->columns; i++)
        has_zero = has_zero || !isfinite(first->numbers[i]);
    crd_i_parameter_list_clear(&list);
    if (!done) return crd_i_fail_memory(error);
    if (has_zero) return pmml_export_refuse(error, "probabilities of zero", "smoothing");
    return is_plain
               ? CRD_OK
               : pmml_export_refuse(error, "normal densities outside the range of a mean and a variance", "family");
}

/* Checks that the classifier is naive Bayes, without calibration and attribute weights, and has no zero prior. */
static crd_status pmml_export_check(const crd_i_exported *exported, crd_error *error) {
    const crd_classifier *classifier = exported->classifier;
    const crd_i_scorer *scorer = crd_i_scorer_uncorrected(classifier->scorer);
    if (scorer->type->joints != NULL || scorer->type->pairs != NULL)
        return pmml_export_refuse(error, "attributes with a joint density", "method");
    if (scorer->type->members != NULL) return pmml_export_refuse(error, "an ensemble", "method");
    if (scorer != classifier->scorer) return pmml_export_refuse(error, "calibration", "calibration");
    if (!scorer->type->is_naive) return pmml_export_refuse(error, "attribute weights", "attribute-weights");
    crd_status status = pmml_export_check_text(exported->summary->target, error);
    if (status == CRD_OK) status = pmml_export_check_texts(classifier->classes, error);
    for (size_t k = 0; k < classifier->class_count && status == CRD_OK; k++)
        if (!isfinite(classifier->log_priors[k])) status = pmml_export_refuse(error, "a prior of zero", "prior");
    for (size_t i = 0; i < classifier->attribute_count && status == CRD_OK; i++) {
        const crd_i_attribute *attribute = &classifier->attributes[i];
        if (!crd_i_attribute_counts(attribute)) continue;
        status = pmml_export_check_text(attribute->name, error);
        if (status == CRD_OK) status = pmml_export_check_texts(attribute->values, error);
        if (status == CRD_OK) status = check_density(attribute, error);
    }
    return status;
}

/* ---- The document ---- */

static void write_categorical_field(crd_i_export_writer *writer, crd_text name, const crd_i_dictionary *values) {
    write_tag(writer, "    <DataField name=\"", name, "\" optype=\"categorical\" dataType=\"string\">\n");
    for (size_t i = 0; i < crd_i_dictionary_size(values); i++)
        write_tag(writer, "      <Value value=\"", crd_i_dictionary_text(values, i), "\"/>\n");
    crd_i_export_text(writer, "    </DataField>\n");
}

/* Writes the data dictionary: the target and all attributes that are used. */
static void write_fields(const crd_i_exported *exported, crd_i_export_writer *writer) {
    const crd_classifier *classifier = exported->classifier;
    size_t count = 1;
    for (size_t i = 0; i < classifier->attribute_count; i++)
        count += crd_i_attribute_counts(&classifier->attributes[i]);
    crd_i_export_format(writer, "  <DataDictionary numberOfFields=\"%zu\">\n", count);
    write_categorical_field(writer, exported->summary->target, classifier->classes);
    for (size_t i = 0; i < classifier->attribute_count; i++) {
        const crd_i_attribute *attribute = &classifier->attributes[i];
        if (!crd_i_attribute_counts(attribute)) continue;
        if (attribute->type == CRD_TYPE_CATEGORICAL)
            write_categorical_field(writer, attribute->name, attribute->values);
        else
            write_tag(writer, "    <DataField name=\"", attribute->name,
                      "\" optype=\"continuous\" dataType=\"double\"/>\n");
    }
    crd_i_export_text(writer, "  </DataDictionary>\n");
}

/* Writes the mining schema, in which unseen values are treated as missing, and the outputs. */
static void pmml_export_write_schema(const crd_i_exported *exported, crd_i_export_writer *writer) {
    const crd_classifier *classifier = exported->classifier;
    crd_i_export_text(writer, "    <MiningSchema>\n");
    write_tag(writer, "      <MiningField name=\"", exported->summary->target, "\" usageType=\"target\"/>\n");
    for (size_t i = 0; i < classifier->attribute_count; i++)
        if (crd_i_attribute_counts(&classifier->attributes[i]))
            write_tag(writer, "      <MiningField name=\"", classifier->attributes[i].name,
                      "\" invalidValueTreatment=\"asMissing\"/>\n");
    crd_i_export_text(writer, "    </MiningSchema>\n    <Output>\n"
                              "      <OutputField name=\"prediction\" optype=\"categorical\" dataType=\"string\" "
                              "feature=\"predictedValue\"/>\n");
    for (size_t k = 0; k < classifier->class_count; k++) {
        crd_text class = crd_i_dictionary_text(classifier->classes, k);
        write_tag(writer, "      <OutputField name=\"P(", class, ")\" optype=\"continuous\" dataType=\"double\" ");
        write_tag(writer, "feature=\"probability\" value=\"", class, "\"/>\n");
    }
    crd_i_export_text(writer, "    </Output>\n");
}

/* Writes the "counts" of all classes, which are exp(logs[k]). */
static void pmml_export_write_counts(const crd_classifier *classifier, crd_i_export_writer *writer,
                                     const double *logs) {
    crd_i_export_text(writer, "<TargetValueCounts>");
    for (size_t k = 0; k < classifier->class_count; k++) {
        write_tag(writer, "<TargetValueCount value=\"", crd_i_dictionary_text(classifier->classes, k), "\" count=\"");
        crd_i_export_number(writer, crd_exp(logs[k]), "");
        crd_i_export_text(writer, "\"/>");
    }
    crd_i_export_text(writer, "</TargetValueCounts>\n");
}

/* Writes the mean and variance of a normal density in each class. */
static void write_normals(const crd_classifier *classifier, crd_i_export_writer *writer,
                          const crd_i_parameter_list *list) {
    const double *means = crd_i_parameter_list_find(list, "mean")->numbers;
    const double *deviations = crd_i_parameter_list_find(list, "sd")->numbers;
    crd_i_export_text(writer, "        <TargetValueStats>\n");
    for (size_t k = 0; k < classifier->class_count; k++) {
        write_tag(writer, "          <TargetValueStat value=\"", crd_i_dictionary_text(classifier->classes, k),
                  "\"><GaussianDistribution mean=\"");
        crd_i_export_number(writer, means[k], "");
        crd_i_export_text(writer, "\" variance=\"");
        crd_i_export_number(writer, deviations[k] * deviations[k], "");
        crd_i_export_text(writer, "\"/></TargetValueStat>\n");
    }
    crd_i_export_text(writer, "        </TargetValueStats>\n");
}

/* Writes the densities of attribute i. */
static crd_status write_input(const crd_classifier *classifier, crd_i_export_writer *writer, size_t i,
                              crd_error *error) {
    const crd_i_attribute *attribute = &classifier->attributes[i];
    crd_i_parameter_list list = {.context = classifier->context};
    bool done = attribute->family->list_parameters(attribute->density, &list);
    if (done) {
        write_tag(writer, "      <BayesInput fieldName=\"", attribute->name, "\">\n");
        for (size_t v = 0; attribute->type == CRD_TYPE_CATEGORICAL && v < list.arrays[0].rows; v++) {
            write_tag(writer, "        <PairCounts value=\"", crd_i_dictionary_text(attribute->values, v), "\">");
            pmml_export_write_counts(classifier, writer, list.arrays[0].numbers + v * list.arrays[0].columns);
            crd_i_export_text(writer, "        </PairCounts>\n");
        }
        if (attribute->type == CRD_TYPE_NUMERIC) write_normals(classifier, writer, &list);
        crd_i_export_text(writer, "      </BayesInput>\n");
    }
    crd_i_parameter_list_clear(&list);
    return done ? CRD_OK : crd_i_fail_memory(error);
}

crd_status crd_i_export_pmml(const crd_i_exported *exported, crd_i_export_writer *writer, crd_error *error) {
    const crd_classifier *classifier = exported->classifier;
    crd_status status = pmml_export_check(exported, error);
    if (status != CRD_OK) return status;
    crd_i_export_format(writer,
                        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                        "<PMML xmlns=\"http://www.dmg.org/PMML-4_4\" version=\"4.4\">\n"
                        "  <Header><Application name=\"credence\" version=\"%s\"/></Header>\n",
                        crd_version());
    write_fields(exported, writer);
    crd_i_export_text(writer, "  <NaiveBayesModel functionName=\"classification\" threshold=\"0\">\n");
    pmml_export_write_schema(exported, writer);
    crd_i_export_text(writer, "    <BayesInputs>\n");
    for (size_t i = 0; i < classifier->attribute_count && status == CRD_OK; i++)
        if (crd_i_attribute_counts(&classifier->attributes[i])) status = write_input(classifier, writer, i, error);
    write_tag(writer, "    </BayesInputs>\n    <BayesOutput fieldName=\"", exported->summary->target, "\">");
    pmml_export_write_counts(classifier, writer, classifier->log_priors);
    crd_i_export_text(writer, "    </BayesOutput>\n  </NaiveBayesModel>\n</PMML>\n");
    return status;
}
