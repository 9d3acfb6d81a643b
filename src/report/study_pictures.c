/* SPDX-License-Identifier: MIT */
/* study_pictures.c - see study.h. */
#include "report/study.h"

#include "base/error.h"
#include "base/memory.h"

#include <credence/curves.h>

#include <math.h>
#include <stdlib.h>

/* Maximum number of classes in a picture and of values of a category, most frequent first; number of points of a
 * density; maximum number of cut points. */
enum { CLASSES = 8, VALUES = 10, POINTS = 160, CUT_POINTS = 64 };

typedef struct pictures_frequent {
    size_t index;
    double rows;
} pictures_frequent;

static int study_pictures_by_rows(const void *left, const void *right) {
    const pictures_frequent *a = left, *b = right;
    if (a->rows != b->rows) return a->rows < b->rows ? 1 : -1;
    return (a->index > b->index) - (a->index < b->index);
}

static int study_pictures_by_index(const void *left, const void *right) {
    const pictures_frequent *a = left, *b = right;
    return (a->index > b->index) - (a->index < b->index);
}

/* Moves the `most` most frequent of `count` items to the front, in their original order. Returns their number. */
static size_t keep_most_frequent(pictures_frequent *items, size_t count, size_t most) {
    qsort(items, count, sizeof *items, study_pictures_by_rows);
    if (count > most) count = most;
    qsort(items, count, sizeof *items, study_pictures_by_index);
    return count;
}

static crd_status study_pictures_choose_classes(const crd_i_study *study, pictures_frequent **out, size_t *count,
                                                crd_error *error) {
    size_t classes = study->summary->class_count;
    *out = crd_i_alloc(study->page.context, classes, sizeof **out);
    if (*out == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < classes; k++) (*out)[k] = (pictures_frequent){k, study->summary->classes[k].rows};
    *count = keep_most_frequent(*out, classes, CLASSES);
    return CRD_OK;
}

/* ---- Numbers ---- */

/* Draws the density of a numeric attribute in each class, with decision regions and cut points. */
static crd_status study_pictures_draw_densities(crd_i_study *study, const crd_classifier *classifier, size_t attribute,
                                                const pictures_frequent *classes, size_t class_count,
                                                crd_error *error) {
    crd_density_curves *curves = NULL;
    crd_plot_series series[CLASSES];
    crd_plot_region drawn[CUT_POINTS];
    double cuts[CUT_POINTS];
    size_t regions;
    crd_plot_densities densities = CRD_PLOT_DENSITIES_INIT;
    crd_plot_options options = CRD_PLOT_OPTIONS_INIT;
    char *svg = NULL;
    crd_status status = crd_density_curves_create(classifier, attribute, POINTS, &curves, error);
    if (status != CRD_OK) return crd_i_page_excuse(&study->page, "the density of an attribute", status, error);
    const crd_decision_region *region = curves->regions;
    regions = curves->region_count;
    for (size_t k = 0; k < class_count; k++) {
        const double *density = curves->densities + classes[k].index * curves->count;
        crd_text name = crd_classifier_class(classifier, classes[k].index);
        for (size_t i = 0; i < regions && densities.region_count < CUT_POINTS; i++)
            if (region[i].class_index == classes[k].index)
                drawn[densities.region_count++] = (crd_plot_region){region[i].from, region[i].to, densities.count};
        series[densities.count++] = (crd_plot_series){name, curves->x, density, curves->count};
    }
    for (size_t i = 1; i < regions && densities.cut_point_count < CUT_POINTS; i++)
        cuts[densities.cut_point_count++] = region[i].from;
    densities.series = series;
    densities.regions = drawn;
    densities.cut_points = cuts;
    densities.is_discrete = curves->is_discrete;
    densities.x_name = options.title = crd_classifier_attribute(classifier, attribute);
    options.width = CRD_I_PAGE_HALF;
    status = crd_plot_draw_densities(study->page.context, &densities, &options, &svg, error);
    crd_density_curves_destroy(curves);
    return crd_i_page_picture(&study->page, status, svg,
                              regions > 1 ? "Density under each class; below, the class decided for by it alone."
                                          : "Density under each class.",
                              error);
}

/* ---- Categories ---- */

/* Computes the relative frequencies of the values in each class. The last column is the sum of all other values, if
 * there are any. */
static void study_pictures_fill_table(const crd_i_study *study, size_t attribute, const pictures_frequent *classes,
                                      size_t class_count, const pictures_frequent *values, size_t value_count,
                                      size_t columns, double *out) {
    for (size_t k = 0; k < class_count; k++) {
        double present = crd_summary_present(study->summary, attribute, classes[k].index), remainder = 1;
        double *row = out + k * columns;
        for (size_t v = 0; v < value_count; v++) {
            double count = crd_summary_count(study->summary, attribute, values[v].index, classes[k].index);
            row[v] = present > 0 ? count / present : NAN;
            remainder -= row[v];
        }
        if (columns > value_count) row[value_count] = fmax(0, remainder);
    }
}

/* Draws the relative frequencies of a categorical attribute's values in each class. */
static crd_status draw_values(crd_i_study *study, size_t attribute, const pictures_frequent *classes,
                              size_t class_count, crd_error *error) {
    crd_context *context = study->page.context;
    size_t all = study->summary->attributes[attribute].value_count;
    pictures_frequent *values = crd_i_alloc(context, all, sizeof *values);
    crd_text states[VALUES + 1], rows[CLASSES];
    double probabilities[CLASSES * (VALUES + 1)];
    crd_plot_table plot = CRD_PLOT_TABLE_INIT;
    crd_plot_options options = CRD_PLOT_OPTIONS_INIT;
    char *svg = NULL;
    if (values == NULL) return crd_i_fail_memory(error);
    for (size_t v = 0; v < all; v++)
        values[v] = (pictures_frequent){v, crd_summary_value_rows(study->summary, attribute, v)};
    size_t kept = keep_most_frequent(values, all, VALUES), columns = all > kept ? kept + 1 : kept;
    for (size_t v = 0; v < kept; v++) states[v] = crd_summary_value(study->summary, attribute, values[v].index);
    if (columns > kept) states[kept] = crd_text_of("(all others)");
    for (size_t k = 0; k < class_count; k++) rows[k] = study->summary->classes[classes[k].index].name;
    study_pictures_fill_table(study, attribute, classes, class_count, values, kept, columns, probabilities);
    plot.row_name = study->summary->target;
    plot.rows = rows;
    plot.row_count = class_count;
    plot.states = states;
    plot.state_count = columns;
    plot.probabilities = probabilities;
    options.title = study->summary->attributes[attribute].name;
    options.width = columns <= 4 ? CRD_I_PAGE_HALF : CRD_I_PAGE_WIDE;
    crd_status status = columns == 0 ? CRD_ERROR_EMPTY : crd_plot_draw_table(context, &plot, &options, &svg, error);
    crd_free(context, values);
    if (status == CRD_ERROR_EMPTY) return CRD_OK;
    return crd_i_page_picture(&study->page, status, svg, "Relative frequencies of the values in each class.", error);
}

/* ---- All of them ---- */

/* Sets *out to a classifier in which each attribute has its own density and no calibration is applied. This is the
 * given classifier if possible. Otherwise it is naive Bayes from the same counts, which is also stored in
 * *new_classifier for the caller to destroy. */
static crd_status plain_classifier(const crd_i_study *study, const crd_classifier *classifier,
                                   crd_classifier **new_classifier, const crd_classifier **out, crd_error *error) {
    crd_settings *defaults = NULL;
    *new_classifier = NULL;
    *out = classifier;
    bool is_plain = crd_classifier_member_count(classifier) == 0;
    for (size_t a = 0; is_plain && a < crd_classifier_attribute_count(classifier); a++)
        is_plain = !crd_classifier_is_joint(classifier, a);
    if (is_plain && !crd_classifier_calibration(classifier, &(crd_calibration)CRD_CALIBRATION_INIT)) return CRD_OK;
    crd_status status = crd_settings_create(study->page.context, &defaults, error);
    const char *family = crd_settings_get(study->settings, "family");
    if (status == CRD_OK && is_plain) status = crd_settings_set(defaults, "family", crd_text_of(family), error);
    if (status == CRD_OK) status = crd_classifier_create(study->model, defaults, new_classifier, error);
    crd_settings_destroy(defaults);
    if (status == CRD_OK) *out = *new_classifier;
    return status;
}

static bool is_wide(const crd_i_study *study, size_t attribute) {
    crd_column_type type = study->summary->attributes[attribute].type;
    return type == CRD_TYPE_TEXT ||
           (type == CRD_TYPE_CATEGORICAL && study->summary->attributes[attribute].value_count > 4);
}

crd_status crd_i_study_distributions(crd_i_study *study, const crd_classifier *classifier, const size_t *attributes,
                                     size_t count, crd_error *error) {
    crd_i_html *out = &study->page.body;
    crd_classifier *new_classifier = NULL;
    const crd_classifier *plain = NULL;
    pictures_frequent *classes = NULL;
    size_t class_count = 0;
    crd_status status = plain_classifier(study, classifier, &new_classifier, &plain, error);
    if (status != CRD_OK) return crd_i_page_excuse(&study->page, "distributions of attributes", status, error);
    status = study_pictures_choose_classes(study, &classes, &class_count, error);
    crd_i_html_add(out, "<h3>Distributions under each class</h3>\n");
    if (plain != classifier)
        crd_i_html_add(out,
                       "<p>Each attribute is shown separately. The method itself combines attributes or calibrates "
                       "probabilities.</p>\n");
    if (status == CRD_OK && study->summary->class_count > class_count)
        crd_i_html_add(out, "<p class=\"soft\">The %u most frequent classes.</p>\n", (uint64_t)class_count);
    /* First narrow pictures next to each other, then wide ones. */
    for (int wide = 0; wide < 2; wide++) {
        if (wide == 0) crd_i_html_add(out, "<div class=\"pair\">\n");
        for (size_t i = 0; status == CRD_OK && i < count; i++) {
            crd_column_type type = study->summary->attributes[attributes[i]].type;
            if (is_wide(study, attributes[i]) != (wide == 1)) continue;
            if (type == CRD_TYPE_NUMERIC)
                status = study_pictures_draw_densities(study, plain, attributes[i], classes, class_count, error);
            else if (type == CRD_TYPE_CATEGORICAL)
                status = draw_values(study, attributes[i], classes, class_count, error);
            else if (type == CRD_TYPE_TEXT) status = crd_i_study_words(study, classifier, attributes[i], error);
        }
        if (wide == 0) crd_i_html_add(out, "</div>\n");
    }
    crd_free(study->page.context, classes);
    crd_classifier_destroy(new_classifier);
    return status;
}
