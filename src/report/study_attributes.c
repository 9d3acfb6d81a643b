/* SPDX-License-Identifier: MIT */
/* study_attributes.c - the section about attributes: their importance for predictions, their information about the
 * class, and their distribution in each class. */
#include "base/error.h"
#include "base/memory.h"
#include "report/study.h"
#include "report/study_pictures.h"

#include <credence/explain.h>

#include <math.h>
#include <stdlib.h>

/* Maximum number of pictures, for the most important attributes; of rows of the table; and of bars. */
enum { PICTURES = 12, LISTED = 60, BARS = 15 };
static const double ALMOST_ALL = 0.9;

/* One attribute. Values are NaN if unknown. */
typedef struct attributes_attribute {
    size_t index;
    double bits; /* mutual information with the class, according to the classifier */
    double log_loss, log_loss_error, accuracy, accuracy_error; /* permutation importance */
    bool is_identifier; /* few values occur more than once, so the attribute is useless for other rows */
} attributes_attribute;

/* Orders attributes by importance, then by information. Identifiers come last. */
static int by_importance(const void *left, const void *right) {
    const attributes_attribute *a = left, *b = right;
    if (a->is_identifier != b->is_identifier) return a->is_identifier ? 1 : -1;
    double x = isnan(a->log_loss) ? -INFINITY : a->log_loss, y = isnan(b->log_loss) ? -INFINITY : b->log_loss;
    if (x != y) return x < y ? 1 : -1;
    x = isnan(a->bits) ? -1 : a->bits;
    y = isnan(b->bits) ? -1 : b->bits;
    if (x != y) return x < y ? 1 : -1;
    return (a->index > b->index) - (a->index < b->index);
}

/* ---- Importance ---- */

/* Computes the mutual information of each attribute with the class, and the entropy of the class. */
static crd_status read_information(crd_i_study *study, attributes_attribute *attributes, double *entropy,
                                   crd_error *error) {
    crd_context *context = study->page.context;
    size_t count = crd_classifier_attribute_count(study->classifier), found = 0;
    crd_what_if *what_if = NULL;
    crd_value *none = crd_i_alloc_zeroed(context, count, sizeof *none);
    crd_information_gain *gains = crd_i_alloc_zeroed(context, count + 1, sizeof *gains);
    crd_information_gain_search search = CRD_INFORMATION_GAIN_SEARCH_INIT;
    crd_status status = none == NULL || gains == NULL
                            ? crd_i_fail_memory(error)
                            : crd_what_if_create(study->model, study->classifier, &what_if, error);
    if (status == CRD_OK) {
        gains[0].size = sizeof *gains;
        status = crd_what_if_information_gain(what_if, none, &search, gains, &found, error);
    }
    for (size_t i = 0; status == CRD_OK && i < found; i++) attributes[gains[i].attribute].bits = gains[i].bits;
    *entropy = search.uncertainty;
    crd_what_if_destroy(what_if);
    crd_free(context, none);
    crd_free(context, gains);
    return crd_i_page_excuse(&study->page, "the information of each attribute", status, error);
}

/* Computes permutation importance on rows that were not used for training, if there are any. */
static crd_status read_importance(crd_i_study *study, attributes_attribute *attributes, crd_error *error) {
    crd_importance *importance = study->assessment == NULL ? NULL : crd_assessment_importance(study->assessment);
    if (importance == NULL) return CRD_OK;
    crd_status status = crd_importance_run(importance, error);
    for (size_t i = 0; status == CRD_OK && i < crd_importance_count(importance); i++) {
        crd_column_importance column = CRD_COLUMN_IMPORTANCE_INIT;
        crd_importance_at(importance, i, &column);
        for (size_t a = 0; a < crd_classifier_attribute_count(study->classifier); a++) {
            if (!crd_text_equal(crd_classifier_attribute(study->classifier, a), column.column)) continue;
            attributes[a].log_loss = column.log_loss;
            attributes[a].log_loss_error = column.log_loss_error;
            attributes[a].accuracy = column.accuracy;
            attributes[a].accuracy_error = column.accuracy_error;
        }
    }
    return crd_i_page_excuse(&study->page, "permutation importance", status, error);
}

/* ---- The table ---- */

static void study_attributes_add_estimate(crd_i_html *out, double value, double error) {
    if (isnan(value)) crd_i_html_cell(out, "");
    else if (isnan(error)) crd_i_html_cell(out, "%f", value);
    else crd_i_html_cell(out, "%f ± %f", value, 1.96 * error);
}

/* Adds the table of attributes. */
static void study_attributes_add_table(crd_i_study *study, const attributes_attribute *attributes, size_t count) {
    crd_i_html *out = &study->page.body;
    bool has_weights = false, has_importance = false;
    for (size_t i = 0; i < count; i++) {
        has_weights = has_weights || crd_classifier_attribute_weight(study->classifier, attributes[i].index) != 1;
        has_importance = has_importance || !isnan(attributes[i].log_loss);
    }
    crd_i_html_open_table(
        out, has_importance ? "Attributes, most important first. Permuting an attribute among rows that were not "
                              "used for training raises log loss and lowers accuracy by these amounts (95 % intervals)"
                            : "Attributes, most informative first");
    crd_i_html_column(out, false, "attribute");
    crd_i_html_column(out, false, "density");
    crd_i_html_column(out, true, "bits alone");
    if (has_importance) crd_i_html_column(out, true, "log loss +");
    if (has_importance) crd_i_html_column(out, true, "accuracy −");
    if (has_weights) crd_i_html_column(out, true, "weight");
    for (size_t i = 0; i < count && i < LISTED; i++) {
        const attributes_attribute *one = &attributes[i];
        crd_family family = CRD_FAMILY_INIT;
        bool is_joint = crd_classifier_is_joint(study->classifier, one->index) != 0;
        (void)crd_classifier_family(study->classifier, one->index, &family);
        crd_i_html_row(out, NULL);
        crd_i_html_cell(out, one->is_identifier ? "%t (an identifier)" : "%t",
                        crd_classifier_attribute(study->classifier, one->index));
        crd_i_html_cell(out, "%s", is_joint ? "with others" : family.name == NULL ? "none" : family.name);
        crd_i_html_cell(out, isnan(one->bits) ? "" : "%f", one->bits);
        if (has_importance) study_attributes_add_estimate(out, one->log_loss, one->log_loss_error);
        if (has_importance) study_attributes_add_estimate(out, one->accuracy, one->accuracy_error);
        if (has_weights) crd_i_html_cell(out, "%n", crd_classifier_attribute_weight(study->classifier, one->index));
    }
    crd_i_html_close_table(out);
    if (count > LISTED)
        crd_i_html_add(out, "<p class=\"soft\">Further attributes that are not listed: %u.</p>\n",
                       (uint64_t)(count - LISTED));
}

/* Draws the most important attributes as bars, or the most informative ones if importance is unknown. */
static crd_status study_attributes_draw_bars(crd_i_study *study, const attributes_attribute *attributes, size_t count,
                                             crd_error *error) {
    crd_plot_bar bars[BARS];
    crd_plot_bars plot = CRD_PLOT_BARS_INIT;
    bool has_importance = count > 0 && !isnan(attributes[0].log_loss);
    crd_plot_options options =
        crd_i_page_plot(has_importance ? "Permutation importance" : "Information about the class", CRD_I_PAGE_WIDE);
    char *svg = NULL;
    for (size_t i = 0; i < count && plot.count < BARS; i++) {
        double value = has_importance ? attributes[i].log_loss : attributes[i].bits;
        crd_text name = crd_classifier_attribute(study->classifier, attributes[i].index);
        if (!isnan(value) && !attributes[i].is_identifier) bars[plot.count++] = (crd_plot_bar){name, {NULL, 0}, value};
    }
    if (plot.count == 0) return CRD_OK;
    plot.bars = bars;
    plot.unit = crd_text_of(has_importance ? "nats" : "bits");
    crd_status status = crd_plot_draw_bars(study->page.context, &plot, &options, &svg, error);
    return crd_i_page_picture(&study->page, status, svg,
                              has_importance
                                  ? "Increase of log loss if the column is permuted. Attributes that can replace "
                                    "each other each have a low value."
                                  : "Mutual information of the attribute and the class, other attributes unknown.",
                              error);
}

/* ---- Findings ---- */

/* Warns of attributes that determine the class almost completely, which often means that they are known only after the
 * class. */
static void warn_of_leaks(crd_i_study *study, const attributes_attribute *attributes, size_t count, double entropy) {
    crd_i_html *out = NULL;
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if (attributes[i].is_identifier || !(entropy > 0.05 && attributes[i].bits > ALMOST_ALL * entropy)) continue;
        if (found == 0) out = crd_i_page_begin_warning(&study->page);
        crd_i_study_list_name(out, crd_classifier_attribute(study->classifier, attributes[i].index), found++);
    }
    if (found == 0) return;
    crd_i_study_end_list(out, found);
    crd_i_html_add(out, found == 1 ? " alone almost determines the class. Is it known before the class is?"
                                   : " each alone almost determine the class. Are they known before the class is?");
    crd_i_page_end_warning(&study->page);
}

/* Appends the quoted values that are not numbers or dates, such as "-", "--". */
static void study_attributes_list_others(crd_i_html *out, const crd_column_check *check) {
    const size_t count = check->other_values < CRD_COLUMN_CHECK_OTHERS ? check->other_values : CRD_COLUMN_CHECK_OTHERS;
    for (size_t i = 0; i < count; i++)
        crd_i_html_add(out, i == 0 ? "\xE2\x80\x9C%t\xE2\x80\x9D" : ", \xE2\x80\x9C%t\xE2\x80\x9D", check->others[i]);
}

/* Begins a warning about a categorical column that perhaps has another kind. Returns whether there is one; the caller
 * ends it. */
static bool add_cell_warning(crd_i_study *study, crd_text name, const crd_column_check *check) {
    crd_i_html *out;
    const bool is_any = check->is_nearly_numeric || check->is_nearly_date || check->unit.bytes != NULL ||
                        check->date_formats > 0 || check->is_text;
    if (!is_any) return false;
    out = crd_i_page_begin_warning(&study->page);
    crd_i_html_add(out, "<b>%t</b> ", name);
    if (check->unit.bytes != NULL)
        crd_i_html_add(out,
                       "is read as a category: its values are numbers followed by a unit, such as %t. Remove the unit "
                       "to read them as numbers.",
                       check->unit);
    else if (check->date_formats > 0)
        crd_i_html_add(out, "is read as a category: its values are dates in %s. Write them in the format 2024-02-29.",
                       check->date_formats > 1 ? "several formats" : "an unsupported format");
    else if (check->is_text)
        crd_i_html_add(out,
                       "has values of several words, but is read as a category. Read it as a text to use its words.");
    else {
        crd_i_html_add(out, "is read as a category, although most of its values are %s. These are not: ",
                       check->is_nearly_date ? "dates" : "numbers");
        study_attributes_list_others(out, check);
        crd_i_html_add(out, check->other_values > CRD_COLUMN_CHECK_OTHERS
                                ? " and others. If they mean missing values, list them as such."
                                : ". If they mean missing values, list them as such.");
    }
    return true;
}

static void warn_of_cells(crd_i_study *study) {
    for (size_t a = 0; a < crd_summary_attribute_count(study->summary); a++) {
        crd_column_check check = CRD_COLUMN_CHECK_INIT;
        crd_summary_check_column(study->summary, a, &check);
        if (add_cell_warning(study, crd_summary_attribute(study->summary, a), &check))
            crd_i_page_end_warning(&study->page);
    }
}

static void remember_telling(crd_i_study *study, const attributes_attribute *attributes, size_t count) {
    enum { MOST = sizeof study->telling / sizeof *study->telling };
    for (size_t i = 0; i < count && study->telling_count < MOST; i++) {
        const attributes_attribute *one = &attributes[i];
        bool matters = isnan(one->log_loss) ? one->bits > 0 : one->log_loss > 2 * one->log_loss_error;
        if (!one->is_identifier && (matters || isinf(one->log_loss)))
            study->telling[study->telling_count++] = crd_classifier_attribute(study->classifier, one->index);
    }
}

/* ---- The section ---- */

/* Writes the section: warnings, importance, the table, and pictures of distributions. */
static crd_status study_attributes_add_all(crd_i_study *study, attributes_attribute *attributes, size_t count,
                                           crd_error *error) {
    crd_i_page *page = &study->page;
    double entropy = NAN;
    crd_status status = read_information(study, attributes, &entropy, error);
    if (status == CRD_OK) status = read_importance(study, attributes, error);
    if (status != CRD_OK) return status;
    qsort(attributes, count, sizeof *attributes, by_importance);
    remember_telling(study, attributes, count);
    warn_of_leaks(study, attributes, count, entropy);
    warn_of_cells(study);
    if (!isnan(entropy))
        crd_i_html_add(
            &page->body,
            "<p>The class has an entropy of %f bits. An attribute on its own reduces it by the amount in the table; "
            "together with others it may reduce it by less, or by more.</p>\n",
            entropy);
    status = study_attributes_draw_bars(study, attributes, count, error);
    study_attributes_add_table(study, attributes, count);
    if (status != CRD_OK) return status;
    size_t shown[PICTURES], pictures = count < PICTURES ? count : PICTURES;
    for (size_t i = 0; i < pictures; i++) shown[i] = attributes[i].index;
    return crd_i_study_distributions(study, study->classifier, shown, pictures, error);
}

crd_status crd_i_study_attributes(crd_i_study *study, crd_error *error) {
    crd_i_page *page = &study->page;
    size_t count = crd_classifier_attribute_count(study->classifier);
    attributes_attribute *attributes = crd_i_alloc(page->context, count, sizeof *attributes);
    if (attributes == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        crd_column_check check = CRD_COLUMN_CHECK_INIT;
        crd_summary_check_column(study->summary, i, &check);
        attributes[i] = (attributes_attribute){i, NAN, NAN, NAN, NAN, NAN, check.is_identifier != 0};
    }
    crd_i_page_open_section(page, "attributes", "What each attribute contributes");
    crd_status status = CRD_OK;
    if (count == 0) crd_i_html_add(&page->body, "<p>The model has no attributes, only a target.</p>\n");
    else status = study_attributes_add_all(study, attributes, count, error);
    crd_i_page_close_section(page);
    crd_free(page->context, attributes);
    return status;
}
