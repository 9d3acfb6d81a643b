/* SPDX-License-Identifier: MIT */
/* study_explain.c - the sections of a study about attributes, dependence and words, and the section that explains three
 * rows. These are a confident correct prediction, the least confident prediction, and a wrong one.
 *
 * A row is explained by the model that predicted it, which was not trained on it. The weight of a value is its
 * contribution to the log odds of two classes. In naive Bayes, the weight is a term of a sum, log P(x | a) - log P(x
 * | b). For other methods it is the change of the log odds when the value is added to all other values.
 *
 * Contents:
 *   1. Attributes section
 *   2. Dependence section
 *   3. Distinguishing words
 *   4. Explanation of a row
 *   5. Three explained rows */
#include "base/error.h"
#include "base/memory.h"
#include "evaluate/cross_validation.h"
#include "evaluate/split.h"
#include "report/study.h"

#include <credence/explain.h>
#include <credence/number.h>
#include <credence/text_words.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct crd_i_row_reasons {
    crd_i_study *study;
    crd_i_html *out;
    const crd_model *model;
    const crd_classifier *classifier; /* classifier derived from the model */
} crd_i_row_reasons;

/* ======== 1. Attributes section ========
 *
 * The importance of attributes for predictions, their information about the class, and their distribution in each
 * class. */

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
    crd_importance *importance =
        study->assessment == NULL ? NULL : crd_assessment_facts_of(study->assessment)->importance;
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

/* Begins a warning about a categorical column that perhaps has another type. Returns whether there is one; the caller
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
    for (size_t a = 0; a < study->summary->attribute_count; a++) {
        crd_column_check check = CRD_COLUMN_CHECK_INIT;
        crd_summary_check_column(study->summary, a, &check);
        if (add_cell_warning(study, study->summary->attributes[a].name, &check)) crd_i_page_end_warning(&study->page);
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

/* ======== 2. Dependence section ========
 *
 * Pairs of attributes that are not independent within classes, contrary to the assumption of naive Bayes. */

enum { PAIRS_LISTED = 15, DRAWN = 16 };

static crd_status study_pairs_add_frame(void *user, const crd_frame *frame, uint64_t before, crd_error *error) {
    (void)before;
    return crd_dependence_add(user, frame, error);
}

/* Lists the strongest dependent pairs in a table. */
static void study_pairs_list(crd_i_study *study, const crd_dependent_pair *pairs, size_t count) {
    crd_i_html *out = &study->page.body;
    crd_i_html_open_table(out,
                          "Dependent pairs, strongest first: bits per row that a joint density gains within classes");
    crd_i_html_column(out, false, "attribute");
    crd_i_html_column(out, false, "attribute");
    crd_i_html_column(out, true, "bits per row");
    crd_i_html_column(out, true, "G²");
    crd_i_html_column(out, true, "degrees");
    for (size_t i = 0; i < count && i < PAIRS_LISTED; i++) {
        crd_i_html_row(out, NULL);
        crd_i_html_cell(out, "%t", study->summary->attributes[pairs[i].attributes[0]].name);
        crd_i_html_cell(out, "%t", study->summary->attributes[pairs[i].attributes[1]].name);
        crd_i_html_cell(out, "%f", pairs[i].bits);
        crd_i_html_cell(out, "%n", pairs[i].statistic);
        crd_i_html_cell(out, "%n", pairs[i].degrees);
    }
    crd_i_html_close_table(out);
    if (count > PAIRS_LISTED)
        crd_i_html_add(out, "<p class=\"soft\">Further dependent pairs that are not listed: %u.</p>\n",
                       (uint64_t)(count - PAIRS_LISTED));
}

/* Draws a heat map of the attributes in the strongest pairs, with the mutual information of each two of them. */
static crd_status study_pairs_draw(crd_i_study *study, const crd_dependent_pair *pairs, size_t matter, size_t count,
                                   crd_error *error) {
    size_t chosen[DRAWN], found = 0;
    crd_text names[DRAWN];
    double bits[DRAWN * DRAWN];
    crd_plot_heat_map map = CRD_PLOT_HEAT_MAP_INIT;
    crd_plot_options options = crd_i_page_plot("Dependence within classes", CRD_I_PAGE_WIDE);
    char *svg = NULL;
    for (size_t i = 0; i < 2 * matter && found < DRAWN; i++) {
        size_t attribute = pairs[i / 2].attributes[i % 2], index = 0;
        while (index < found && chosen[index] != attribute) index++;
        if (index == found) chosen[found++] = attribute;
    }
    for (size_t i = 0; i < found * found; i++) bits[i] = NAN;
    for (size_t i = 0; i < count; i++) {
        size_t cursor[2] = {found, found};
        for (size_t k = 0; k < found; k++)
            for (size_t side = 0; side < 2; side++)
                if (chosen[k] == pairs[i].attributes[side]) cursor[side] = k;
        if (cursor[0] == found || cursor[1] == found) continue;
        bits[cursor[0] * found + cursor[1]] = bits[cursor[1] * found + cursor[0]] = fmax(0, pairs[i].bits);
    }
    for (size_t i = 0; i < found; i++) names[i] = study->summary->attributes[chosen[i]].name;
    map.names = names;
    map.count = found;
    map.values = bits;
    map.unit = crd_text_of("bits");
    crd_status status = crd_plot_draw_heat_map(study->page.context, &map, &options, &svg, error);
    return crd_i_page_picture(&study->page, status, svg, "Mutual information of two attributes given the class.",
                              error);
}

/* Computes all pairs, and lists and draws those that matter. */
static crd_status study_pairs_add(crd_i_study *study, const crd_dependence *dependence, crd_error *error) {
    crd_i_html *out = &study->page.body;
    crd_dependence_facts facts = CRD_DEPENDENCE_FACTS_INIT;
    crd_dependence_facts_of(dependence, &facts);
    size_t count = 0, matter = 0;
    crd_dependent_pair *pairs = crd_i_alloc_zeroed(study->page.context, facts.pairs + 1, sizeof *pairs);
    if (pairs == NULL) return crd_i_fail_memory(error);
    pairs[0].size = sizeof *pairs;
    crd_status status = crd_dependence_pairs(dependence, pairs, facts.pairs, &count, error);
    while (status == CRD_OK && matter < count && pairs[matter].matters) matter++;
    if (status == CRD_OK) {
        crd_i_html_add(out,
                       "<p>Naive Bayes assumes that attributes are independent within each class. Among %u pairs, %u "
                       "are not, beyond "
                       "chance and by more than %n bits per row. Methods with joint densities model such pairs; naive "
                       "Bayes counts their evidence twice.</p>\n",
                       (uint64_t)facts.pairs, (uint64_t)matter, CRD_DEPENDENCE_LEAST);
        if (facts.columns < facts.attributes)
            crd_i_html_add(out, "<p class=\"soft\">Pairs of the %u most informative attributes.</p>\n",
                           (uint64_t)facts.columns);
        if (facts.left_out > 0)
            crd_i_html_add(out, "<p class=\"soft\">Pairs with too many combinations of values to count: %u.</p>\n",
                           (uint64_t)facts.left_out);
        if (matter > 0) status = study_pairs_draw(study, pairs, matter, count, error);
        if (matter > 0) study_pairs_list(study, pairs, matter);
    }
    crd_free(study->page.context, pairs);
    return status;
}

crd_status crd_i_study_pairs(crd_i_study *study, crd_error *error) {
    crd_dependence *dependence = NULL;
    if (study->summary->attribute_count < 2) return CRD_OK;
    crd_i_page_open_section(&study->page, "pairs", "Attributes that depend on each other");
    crd_status status = crd_dependence_create(study->model, &dependence, error);
    if (status == CRD_OK) status = crd_i_study_each_frame(study, study_pairs_add_frame, dependence, error);
    if (status == CRD_OK) status = study_pairs_add(study, dependence, error);
    status = crd_i_page_excuse(&study->page, "dependent pairs", status, error);
    crd_dependence_destroy(dependence);
    crd_i_page_close_section(&study->page);
    return status;
}

/* ======== 3. Distinguishing words ======== */

/* Maximum number of words per class, of classes in one picture, and of classes in the table. */
enum { WORDS = 12, CLASSES_DRAWN = 4, CLASSES_LISTED = 30 };

/* Draws the most informative words of the first classes as groups of bars. */
static crd_status study_words_draw_groups(crd_i_study *study, const crd_classifier *classifier,
                                          const crd_informative_words *words, size_t attribute, crd_error *error) {
    crd_plot_bar bars[CLASSES_DRAWN * WORDS];
    crd_plot_group groups[CLASSES_DRAWN];
    crd_plot_groups plot = CRD_PLOT_GROUPS_INIT;
    crd_plot_options options = CRD_PLOT_OPTIONS_INIT;
    char *svg = NULL;
    for (size_t k = 0; k < crd_classifier_class_count(classifier) && k < CLASSES_DRAWN; k++) {
        crd_plot_group *group = &groups[plot.count++];
        *group = (crd_plot_group){crd_classifier_class(classifier, k), bars + k * WORDS, 0};
        for (size_t i = 0; i < words->classes[k].count && i < WORDS; i++) {
            const crd_informative_word word = words->classes[k].words[i];
            bars[k * WORDS + group->count++] = (crd_plot_bar){word.term, {NULL, 0}, word.divergence};
        }
    }
    plot.groups = groups;
    plot.unit = crd_text_of("nats");
    options.title = crd_classifier_attribute(classifier, attribute);
    options.width = CRD_I_PAGE_WIDE;
    crd_status status = crd_plot_draw_groups(study->page.context, &plot, &options, &svg, error);
    return crd_i_page_picture(&study->page, status, svg,
                              "Words that distinguish a class from the others, by the divergence of their presence.",
                              error);
}

/* Lists the most informative words of each class in a table. */
static void study_words_list(crd_i_study *study, const crd_classifier *classifier, const crd_informative_words *words) {
    crd_i_html *out = &study->page.body;
    crd_i_html_open_table(out, "Words that distinguish a class from the others, most informative first");
    crd_i_html_column(out, false, "class");
    crd_i_html_column(out, true, "texts");
    crd_i_html_column(out, false, "words");
    for (size_t k = 0; k < crd_classifier_class_count(classifier) && k < CLASSES_LISTED; k++) {
        crd_i_html_row(out, NULL);
        crd_i_html_cell(out, "%t", crd_classifier_class(classifier, k));
        crd_i_html_cell(out, "%n", words->classes[k].documents);
        crd_i_html_open_cell(out);
        for (size_t i = 0; i < words->classes[k].count && i < WORDS; i++) {
            const crd_informative_word word = words->classes[k].words[i];
            crd_i_html_add(out, i > 0 ? ", %t" : "%t", word.term);
        }
        crd_i_html_close_cell(out);
    }
    crd_i_html_close_table(out);
}

crd_status crd_i_study_words(crd_i_study *study, const crd_classifier *classifier, size_t attribute, crd_error *error) {
    crd_informative_words *words = NULL;
    crd_i_html *out = &study->page.body;
    crd_status status = crd_informative_words_create(classifier, attribute, WORDS, &words, error);
    if (status != CRD_OK) return crd_i_page_excuse(&study->page, "the words of a text", status, error);
    crd_i_html_add(out, "<p><b>%t</b> has %u distinct terms in all texts; %u are used.</p>\n",
                   crd_classifier_attribute(classifier, attribute), words->terms, words->counted);
    if (crd_classifier_class_count(classifier) <= CLASSES_DRAWN)
        status = study_words_draw_groups(study, classifier, words, attribute, error);
    else study_words_list(study, classifier, words);
    crd_informative_words_destroy(words);
    return status;
}

/* ======== 4. Explanation of a row ========
 *
 * The posterior of the row, the weight of evidence of each value, and the changes that would alter the prediction. */

/* Maximum number of classes and values in pictures, of words of a text, and of counterfactuals; size of a value's text
 * in bytes. */
enum { CLASSES = 8, CELLS = 14, WORDS_SHOWN = 14, CHANGES = 3, NOTE = 64 };

typedef struct explained_row {
    const crd_i_row_reasons *r;
    crd_value *values; /* one per attribute */
    double *log_posterior, *probabilities, *other;
    size_t attributes, classes;
    crd_answer answer;
    crd_value truth;
    size_t pair[2]; /* the two classes that are compared */
    char *notes;    /* for each attribute, its value as text */
} explained_row;

/* ---- Cells ---- */

static size_t study_row_find_column(const crd_frame *frame, crd_text name) {
    for (size_t i = 0; i < crd_frame_column_count(frame); i++)
        if (crd_text_equal(crd_frame_column_name(frame, i), name)) return i;
    return SIZE_MAX;
}

static crd_status study_row_read_cells(explained_row *w, const crd_frame *frame, size_t index, crd_error *error) {
    const crd_classifier *classifier = w->r->classifier;
    for (size_t a = 0; a < w->attributes; a++) {
        size_t column = study_row_find_column(frame, crd_classifier_attribute(classifier, a));
        if (column != SIZE_MAX) w->values[a] = crd_frame_value(frame, index, column);
    }
    size_t column = study_row_find_column(frame, crd_model_target(w->r->model));
    if (column != SIZE_MAX) w->truth = crd_frame_value(frame, index, column);
    return crd_classifier_posterior(classifier, w->values, w->log_posterior, w->probabilities, &w->answer, error);
}

static crd_text note_of(explained_row *w, size_t attribute) {
    char *note = w->notes + attribute * NOTE;
    const crd_value *value = &w->values[attribute];
    if (value->type == CRD_TYPE_NUMERIC) return (crd_text){note, crd_number_format(value->number, note)};
    if (value->type == CRD_TYPE_TEXT) return crd_text_of("(text)");
    return value->text;
}

/* Chooses the two classes to compare: the predicted class, and the true class. If the prediction is right, the second
 * is the next most probable class. */
static bool study_row_choose_pair(explained_row *w) {
    size_t second = SIZE_MAX;
    if (w->answer.decision < 0 || w->classes < 2) return false;
    w->pair[0] = (size_t)w->answer.decision;
    for (size_t k = 0; k < w->classes; k++) {
        if (k == w->pair[0]) continue;
        bool is_true = w->truth.type == CRD_TYPE_CATEGORICAL &&
                       crd_text_equal(w->truth.text, crd_classifier_class(w->r->classifier, k));
        if (is_true) {
            w->pair[1] = k;
            return true;
        }
        if (second == SIZE_MAX || w->log_posterior[k] > w->log_posterior[second]) second = k;
    }
    w->pair[1] = second;
    return true;
}

/* ---- Posterior ---- */

static int study_row_by_value(const void *left, const void *right) {
    const crd_plot_bar *a = left, *b = right;
    if (a->value != b->value) return a->value < b->value ? 1 : -1;
    int order = memcmp(a->name.bytes, b->name.bytes, a->name.length < b->name.length ? a->name.length : b->name.length);
    return order != 0 ? order : (a->name.length > b->name.length) - (a->name.length < b->name.length);
}

static void study_row_add_picture(const explained_row *w, crd_status status, char *svg, const char *caption) {
    if (status == CRD_OK) crd_i_html_picture(w->r->out, svg, caption);
}

/* Draws the posterior probabilities of the most probable classes, and marks the true class. */
static crd_status study_row_draw_posterior(const explained_row *w, crd_error *error) {
    crd_context *context = w->r->study->page.context;
    crd_plot_bar *bars = crd_i_alloc(context, w->classes, sizeof *bars);
    crd_plot_bars plot = CRD_PLOT_BARS_INIT;
    crd_plot_options options = crd_i_page_plot("Posterior", CRD_I_PAGE_HALF);
    char *svg = NULL;
    if (bars == NULL) return crd_i_fail_memory(error);
    for (size_t k = 0; k < w->classes; k++) {
        crd_text name = crd_classifier_class(w->r->classifier, k);
        bool is_true = w->truth.type == CRD_TYPE_CATEGORICAL && crd_text_equal(w->truth.text, name);
        bars[k] = (crd_plot_bar){name, is_true ? crd_text_of("true class") : (crd_text){NULL, 0}, w->probabilities[k]};
    }
    qsort(bars, w->classes, sizeof *bars, study_row_by_value);
    plot.bars = bars;
    plot.count = w->classes < CLASSES ? w->classes : CLASSES;
    plot.are_probabilities = 1;
    crd_status status = crd_plot_draw_bars(context, &plot, &options, &svg, error);
    crd_free(context, bars);
    study_row_add_picture(w, status, svg,
                          w->classes > CLASSES ? "The most probable classes." : "The probability of each class.");
    return status;
}

/* ---- Weights ---- */

static bool study_row_is_naive(const crd_classifier *classifier) {
    return crd_classifier_joint_count(classifier) == 0 && crd_classifier_pair_count(classifier) == 0 &&
           crd_classifier_member_count(classifier) == 0;
}

/* Computes the weight of evidence of a value in naive Bayes: log P(x | a) - log P(x | b). */
static crd_status weigh_term(const explained_row *w, size_t attribute, double *weight, crd_error *error) {
    crd_term terms[2] = {CRD_TERM_INIT, CRD_TERM_INIT};
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < 2; i++)
        status = crd_classifier_term(w->r->classifier, attribute, w->pair[i], &w->values[attribute], &terms[i], error);
    if (status == CRD_OK) *weight = crd_weight_of_evidence(terms[0].log_value, terms[1].log_value);
    return status;
}

/* Computes the weight of a value for other methods: the change of the log odds when the value is removed from the
 * row. */
static crd_status weigh_without(const explained_row *w, size_t attribute, double *weight, crd_error *error) {
    crd_answer answer;
    const crd_value kept = w->values[attribute];
    w->values[attribute] = (crd_value){CRD_TYPE_NONE, 0, {NULL, 0}};
    crd_status status = crd_classifier_posterior(w->r->classifier, w->values, w->other, NULL, &answer, error);
    w->values[attribute] = kept;
    if (status == CRD_OK)
        *weight = (w->log_posterior[w->pair[0]] - w->log_posterior[w->pair[1]]) -
                  (w->other[w->pair[0]] - w->other[w->pair[1]]);
    return status;
}

static int study_row_by_size(const void *left, const void *right) {
    const crd_plot_bar *a = left, *b = right;
    double x = fabs(a->value), y = fabs(b->value);
    if (x != y) return x < y ? 1 : -1;
    int order = memcmp(a->name.bytes, b->name.bytes, a->name.length < b->name.length ? a->name.length : b->name.length);
    return order != 0 ? order : (a->name.length > b->name.length) - (a->name.length < b->name.length);
}

/* Computes the weights of all present values, largest first. */
static crd_status weigh_cells(explained_row *w, bool naive, crd_plot_bar *bars, size_t *count, crd_error *error) {
    crd_status status = CRD_OK;
    *count = 0;
    for (size_t a = 0; status == CRD_OK && a < w->attributes; a++) {
        double weight = NAN;
        if (w->values[a].type == CRD_TYPE_NONE || (w->values[a].type == CRD_TYPE_NUMERIC && isnan(w->values[a].number)))
            continue;
        status = naive ? weigh_term(w, a, &weight, error) : weigh_without(w, a, &weight, error);
        if (isnan(weight)) continue;
        bars[(*count)++] = (crd_plot_bar){crd_classifier_attribute(w->r->classifier, a), note_of(w, a), weight};
    }
    qsort(bars, *count, sizeof *bars, study_row_by_size);
    return status;
}

/* Draws the weights of evidence. In naive Bayes, they and the prior sum to the log odds. */
static crd_status draw_weights(explained_row *w, crd_error *error) {
    crd_context *context = w->r->study->page.context;
    bool naive = study_row_is_naive(w->r->classifier),
         is_calibrated = crd_classifier_calibration(w->r->classifier, &(crd_calibration)CRD_CALIBRATION_INIT) != 0;
    crd_plot_bar *bars = crd_i_alloc(context, w->attributes, sizeof *bars);
    crd_plot_evidence evidence = CRD_PLOT_EVIDENCE_INIT;
    crd_plot_options options = crd_i_page_plot("Weight of evidence", CRD_I_PAGE_WIDE);
    char *svg = NULL;
    if (bars == NULL) return crd_i_fail_memory(error);
    crd_status status = weigh_cells(w, naive, bars, &evidence.count, error);
    if (status == CRD_OK && naive) {
        crd_term a = CRD_TERM_INIT, b = CRD_TERM_INIT;
        status = crd_classifier_prior(w->r->classifier, w->pair[0], &a, error);
        if (status == CRD_OK) status = crd_classifier_prior(w->r->classifier, w->pair[1], &b, error);
        evidence.prior = crd_weight_of_evidence(a.log_value, b.log_value);
        evidence.total = evidence.prior;
        for (size_t i = 0; i < evidence.count; i++) evidence.total += bars[i].value;
    } else {
        evidence.total = w->log_posterior[w->pair[0]] - w->log_posterior[w->pair[1]];
    }
    evidence.bars = bars;
    evidence.unit = crd_text_of("nats");
    evidence.positive = crd_classifier_class(w->r->classifier, w->pair[0]);
    evidence.negative = crd_classifier_class(w->r->classifier, w->pair[1]);
    evidence.most = CELLS;
    if (status == CRD_OK) status = crd_plot_draw_evidence(context, &evidence, &options, &svg, error);
    crd_free(context, bars);
    const char *naive_caption =
        is_calibrated ? "Log likelihood ratios of the values, before calibration."
                      : "Log likelihood ratios of the values. Together with the prior, they sum to the log odds.";
    study_row_add_picture(
        w, status, svg,
        naive ? naive_caption
              : "The change of the log odds by each value, given all others. These need not sum to the total.");
    return status;
}

/* ---- Words ---- */

/* Draws the weights of evidence of a text's words. */
static crd_status study_row_draw_words(const explained_row *w, size_t attribute, crd_error *error) {
    crd_context *context = w->r->study->page.context;
    crd_text_words *words = NULL;
    crd_plot_evidence evidence = CRD_PLOT_EVIDENCE_INIT;
    crd_plot_options options = crd_i_page_plot("Words", CRD_I_PAGE_WIDE);
    crd_plot_bar *bars = NULL;
    char *svg = NULL;
    crd_status status = crd_text_words_create(w->r->classifier, attribute, w->values[attribute].text, &words, error);
    if (status != CRD_OK) return status == CRD_ERROR_EMPTY || status == CRD_ERROR_COLUMN ? CRD_OK : status;
    size_t count = words->count;
    bars = crd_i_alloc(context, count, sizeof *bars);
    if (bars == NULL) status = crd_i_fail_memory(error);
    for (size_t i = 0; status == CRD_OK && i < count; i++) {
        const crd_text_word word = words->words[i];
        if (!word.counts) continue;
        double weight = crd_weight_of_evidence(word.values[w->pair[0]], word.values[w->pair[1]]);
        if (!isnan(weight)) bars[evidence.count++] = (crd_plot_bar){word.term, {NULL, 0}, weight};
    }
    if (status == CRD_OK) qsort(bars, evidence.count, sizeof *bars, study_row_by_size);
    evidence.bars = bars;
    evidence.unit = crd_text_of("nats");
    evidence.positive = crd_classifier_class(w->r->classifier, w->pair[0]);
    evidence.negative = crd_classifier_class(w->r->classifier, w->pair[1]);
    evidence.most = WORDS_SHOWN;
    if (status == CRD_OK && evidence.count > 0)
        status = crd_plot_draw_evidence(context, &evidence, &options, &svg, error);
    crd_free(context, bars);
    crd_text_words_destroy(words);
    if (svg != NULL) study_row_add_picture(w, status, svg, "The words of the text with the largest weights.");
    return status;
}

static crd_status study_row_add_texts(const explained_row *w, crd_error *error) {
    crd_status status = CRD_OK;
    for (size_t a = 0; status == CRD_OK && a < w->attributes; a++) {
        if (w->values[a].type != CRD_TYPE_TEXT) continue;
        crd_i_html_add(w->r->out, "<p><b>%t</b>: %t</p>\n", crd_classifier_attribute(w->r->classifier, a),
                       w->values[a].text);
        status = study_row_draw_words(w, a, error);
    }
    return status;
}

/* ---- Counterfactuals ---- */

static void study_row_add_value(crd_i_html *out, const crd_value *value) {
    if (value->type == CRD_TYPE_NUMERIC) crd_i_html_add(out, "%n", value->number);
    else crd_i_html_add(out, "%t", value->text);
}

/* Lists the smallest changes of a single value that would change the prediction. */
static crd_status add_changes(const explained_row *w, crd_error *error) {
    crd_context *context = w->r->study->page.context;
    crd_what_if *what_if = NULL;
    crd_counterfactual_search search = CRD_COUNTERFACTUAL_SEARCH_INIT;
    crd_counterfactual *changes = crd_i_alloc_zeroed(context, w->attributes + 1, sizeof *changes);
    size_t count = 0;
    if (changes == NULL) return crd_i_fail_memory(error);
    changes[0].size = sizeof *changes;
    crd_status status = crd_what_if_create(w->r->model, w->r->classifier, &what_if, error);
    if (status == CRD_OK) status = crd_what_if_counterfactuals(what_if, w->values, &search, changes, &count, error);
    if (status == CRD_OK) {
        crd_i_html *out = w->r->out;
        if (count == 0) crd_i_html_add(out, "<p>No change of a single value would change the prediction.</p>\n");
        else
            crd_i_html_add(out,
                           "<p>The smallest changes of a single value that would change the prediction:</p><ul>\n");
        for (size_t i = 0; i < count && i < CHANGES; i++) {
            crd_i_html_add(out, "<li><b>%t</b> ", crd_classifier_attribute(w->r->classifier, changes[i].attribute));
            study_row_add_value(out, &changes[i].value);
            crd_i_html_add(out, " instead of ");
            study_row_add_value(out, &w->values[changes[i].attribute]);
            crd_i_html_add(out, ": %t with a probability of %p</li>\n",
                           crd_classifier_class(w->r->classifier, (size_t)changes[i].decision), changes[i].probability);
        }
        if (count > 0) crd_i_html_add(out, "</ul>\n");
    }
    crd_what_if_destroy(what_if);
    crd_free(context, changes);
    return status;
}

/* ---- The row ---- */

static void study_row_introduce(const explained_row *w) {
    crd_i_html *out = w->r->out;
    if (w->answer.decision < 0) {
        crd_i_html_add(out, "<p>Every class has probability 0.</p>\n");
        return;
    }
    size_t decision = (size_t)w->answer.decision;
    crd_text name = crd_classifier_class(w->r->classifier, decision);
    bool is_right = crd_text_equal(w->truth.text, name) != 0;
    crd_i_html_add(out, "<p>Predicted: <b>%t</b>, with a probability of %p. ", name, w->probabilities[decision]);
    if (w->truth.type != CRD_TYPE_CATEGORICAL) crd_i_html_add(out, "</p>\n");
    else if (is_right) crd_i_html_add(out, "The row has this class.</p>\n");
    else crd_i_html_add(out, "The row has class <b>%t</b>.</p>\n", w->truth.text);
}

static crd_status study_row_explain(explained_row *w, crd_error *error) {
    study_row_introduce(w);
    crd_status status = study_row_draw_posterior(w, error);
    if (status != CRD_OK || !study_row_choose_pair(w)) return status;
    status = draw_weights(w, error);
    if (status == CRD_OK) status = study_row_add_texts(w, error);
    if (status == CRD_OK) status = add_changes(w, error);
    return status;
}

/* Explains a row of a frame. The target must be a column of the frame. */
static crd_status study_explain_picked_row(const crd_i_row_reasons *reasons, const crd_frame *frame, size_t index,
                                           crd_error *error) {
    crd_context *context = reasons->study->page.context;
    explained_row w = {.r = reasons,
                       .attributes = crd_classifier_attribute_count(reasons->classifier),
                       .classes = crd_classifier_class_count(reasons->classifier)};
    w.values = crd_i_alloc_zeroed(context, w.attributes, sizeof *w.values);
    w.notes = crd_i_alloc_zeroed(context, w.attributes, NOTE);
    w.log_posterior = crd_i_alloc(context, w.classes * 3, sizeof *w.log_posterior);
    w.probabilities = w.log_posterior + w.classes;
    w.other = w.probabilities + w.classes;
    crd_status status = w.values == NULL || w.notes == NULL || w.log_posterior == NULL
                            ? crd_i_fail_memory(error)
                            : study_row_read_cells(&w, frame, index, error);
    if (status == CRD_OK) status = study_row_explain(&w, error);
    crd_free(context, w.values);
    crd_free(context, w.notes);
    crd_free(context, w.log_posterior);
    return status;
}

/* ======== 5. Three explained rows ======== */

static const struct {
    const char *title, *none;
} cases[CRD_I_STUDY_ROWS] = {
    [CRD_I_STUDY_SURE] = {"A sure prediction", "No row was predicted correctly."},
    [CRD_I_STUDY_UNSURE] = {"An unsure prediction",
                            "No row was predicted with less confidence than the rows shown here."},
    [CRD_I_STUDY_WRONG] = {"A wrong prediction", "No row was predicted wrongly."}};

typedef struct explain_explaining {
    crd_i_study *study;
    crd_i_cross_validation *validation; /* NULL: a given model explains all rows */
    const crd_split *split;
    crd_i_html *parts; /* one per case */
} explain_explaining;

/* Trains the model that predicted a row and creates its classifier; the caller destroys both. They are NULL if the
 * given model explains all rows. */
static crd_status study_explain_open_model(const explain_explaining *e, uint64_t row, crd_model **model,
                                           crd_classifier **classifier, crd_error *error) {
    *model = NULL;
    *classifier = NULL;
    if (e->validation == NULL) return CRD_OK;
    crd_status status =
        crd_i_cross_validation_model(e->validation, crd_i_split_tested(e->split)[row - 1], model, error);
    if (status == CRD_OK) status = crd_classifier_create(*model, e->study->settings, classifier, error);
    return status;
}

/* Writes the explanation of one of the three rows, with a heading. */
static crd_status study_explain_row(const explain_explaining *e, size_t which, const crd_frame *frame, size_t index,
                                    crd_error *error) {
    crd_i_study *study = e->study;
    crd_i_html *out = &e->parts[which];
    crd_model *model = NULL;
    crd_classifier *classifier = NULL;
    uint64_t row = study->picked[which].row;
    crd_status status = study_explain_open_model(e, row, &model, &classifier, error);
    crd_i_html_add(out, "<div class=\"row\"><h3>%s: row %u</h3>\n", cases[which].title,
                   crd_i_study_row_number(study, row));
    if (status == CRD_OK) {
        const crd_i_row_reasons reasons = {.study = study,
                                           .out = out,
                                           .model = model != NULL ? model : study->model,
                                           .classifier = classifier != NULL ? classifier : study->classifier};
        status = study_explain_picked_row(&reasons, frame, index, error);
    }
    crd_i_html_add(out, "</div>\n");
    crd_classifier_destroy(classifier);
    crd_model_destroy(model);
    return status;
}

static crd_status study_explain_take_frame(void *user, const crd_frame *frame, uint64_t before, crd_error *error) {
    const explain_explaining *e = user;
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < CRD_I_STUDY_ROWS; i++) {
        uint64_t row = e->study->picked[i].row;
        if (row > before && row <= before + crd_frame_rows(frame))
            status = study_explain_row(e, i, frame, (size_t)(row - 1 - before), error);
    }
    return status;
}

/* Learns the folds again, so that models without one fold can be created. */
static crd_status study_explain_learn_folds(crd_i_study *study, crd_split **split, crd_i_cross_validation **validation,
                                            crd_error *error) {
    crd_status status = crd_i_split_create(study->page.context, &study->split, split, error);
    if (status == CRD_OK)
        status = crd_i_cross_validation_create(study->page.context, crd_row_source_target(study->source),
                                               study->settings, validation, error);
    if (status == CRD_OK) status = crd_row_source_rewind(study->source, error);
    if (status == CRD_OK) status = crd_i_cross_validation_learn_all(*validation, study->source, *split, error);
    return status;
}

crd_status crd_i_study_explain(crd_i_study *study, crd_error *error) {
    crd_i_page *page = &study->page;
    crd_i_html parts[CRD_I_STUDY_ROWS] = {{.has_failed = false}};
    crd_split *split = NULL;
    explain_explaining e = {.study = study, .parts = parts};
    crd_status status = CRD_OK;
    if (study->assessment == NULL) return CRD_OK;
    for (size_t i = 0; i < CRD_I_STUDY_ROWS; i++) parts[i].bytes.context = page->context;
    if (study->source != NULL) status = study_explain_learn_folds(study, &split, &e.validation, error);
    e.split = split;
    if (status == CRD_OK) status = crd_i_study_each_frame(study, study_explain_take_frame, &e, error);
    crd_i_page_open_section(page, "rows", "Three rows explained");
    crd_i_html_add(&page->body, study->source != NULL
                                    ? "<p>Each row is explained by the model that predicted it, which was not trained "
                                      "on it. Bars to the right favor "
                                      "the first class, bars to the left the second.</p>\n"
                                    : "<p>Bars to the right favor the first class, bars to the left the second.</p>\n");
    for (size_t i = 0; i < CRD_I_STUDY_ROWS; i++) {
        page->body.has_failed = page->body.has_failed || parts[i].has_failed;
        if (study->picked[i].row == 0)
            crd_i_html_add(&page->body, "<h3>%s</h3>\n<p>%s</p>\n", cases[i].title, cases[i].none);
        else crd_i_html_join(&page->body, parts[i].bytes.bytes, parts[i].bytes.length);
        crd_i_html_clear(&parts[i]);
    }
    status = crd_i_page_excuse(page, "explanations", status, error);
    crd_i_page_close_section(page);
    crd_i_cross_validation_destroy(e.validation);
    crd_i_split_destroy(split);
    return status;
}
