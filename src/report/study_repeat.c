/* SPDX-License-Identifier: MIT */
/* study_repeat.c - the last section, which lists everything needed to reproduce the report, and the summary at its
 * beginning. */
#include "base/error.h"
#include "base/memory.h"
#include "io/checksum.h"
#include "report/study.h"

#include <math.h>
#include <string.h>

/* Adds a cell with a checksum as eight hexadecimal digits. */
static void add_checksum(crd_i_html *out, uint32_t sum) {
    char digits[9] = {0};
    for (size_t i = 0; i < 8; i++) digits[i] = "0123456789abcdef"[sum >> (28 - 4 * i) & 15];
    crd_i_html_cell(out, "<code>%s</code>", digits);
}

/* Adds rows with the digest and the size of the encoded model. */
static crd_status add_fingerprint(crd_i_study *study, crd_error *error) {
    crd_i_html *out = &study->page.body;
    unsigned char *bytes = NULL;
    size_t length = 0;
    crd_status status = crd_model_encode(study->model, &bytes, &length, error);
    if (status != CRD_OK) return crd_i_page_excuse(&study->page, "the digest of the model", status, error);
    crd_i_html_row(out, NULL);
    crd_i_html_cell(out, "digest of the model (CRC-32C)");
    add_checksum(out, crd_i_checksum(bytes, length));
    crd_i_html_row(out, NULL);
    crd_i_html_cell(out, "bytes of the model");
    crd_i_html_cell(out, "%u", (uint64_t)length);
    crd_free(study->page.context, bytes);
    return CRD_OK;
}

static void study_repeat_add_fact(crd_i_html *out, const char *name, uint64_t value) {
    crd_i_html_row(out, NULL);
    crd_i_html_cell(out, "%s", name);
    crd_i_html_cell(out, "%u", value);
}

crd_status crd_i_study_repeat(crd_i_study *study, crd_error *error) {
    crd_i_page *page = &study->page;
    crd_i_html *out = &page->body;
    crd_i_page_open_section(page, "repeat", "To repeat this report");
    if (page->options.command.length > 0) {
        crd_i_html_add(out, "<p>The command:</p>\n<pre>");
        crd_i_html_add_whole(out, page->options.command);
        crd_i_html_add(out, "</pre>\n");
    }
    crd_i_html_open_table(out, "Settings and fingerprint: the same rows and settings give the same bytes");
    crd_i_html_column(out, false, "item");
    crd_i_html_column(out, false, "value");
    crd_i_html_row(out, NULL);
    crd_i_html_cell(out, "version");
    crd_i_html_cell(out, "Credence %s", crd_version());
    crd_i_html_row(out, NULL);
    crd_i_html_cell(out, "settings");
    crd_i_html_open_cell(out);
    crd_i_study_settings(out, study->settings);
    crd_i_html_close_cell(out);
    if (study->source != NULL) {
        study_repeat_add_fact(out, "seed for folds and permutations", study->split.seed);
        study_repeat_add_fact(out, "folds", study->split.folds);
    }
    if (study->profile != NULL) {
        study_repeat_add_fact(out, "rows read", study->rows);
        study_repeat_add_fact(out, "columns", crd_profile_column_count(study->profile));
    }
    crd_i_html_row(out, NULL);
    crd_i_html_cell(out, "rows learned");
    crd_i_html_cell(out, "%n", crd_summary_rows(study->summary));
    crd_status status = add_fingerprint(study, error);
    crd_i_html_close_table(out);
    crd_i_page_close_section(page);
    return status;
}

/* ---- The summary ---- */

static void count_kinds(const crd_summary *summary, size_t kinds[4]) {
    for (size_t a = 0; a < crd_summary_attribute_count(summary); a++) kinds[crd_summary_kind(summary, a)]++;
}

static void add_kinds(crd_i_html *out, const size_t kinds[4]) {
    static const char *const one[] = {"without a cell", "number", "category", "text"}, *const many[] = {
                                                                                           "without a cell", "numbers",
                                                                                           "categories", "texts"};
    static const crd_kind order[] = {CRD_KIND_NUMBER, CRD_KIND_CATEGORY, CRD_KIND_TEXT, CRD_KIND_NONE};
    size_t shown = 0;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        size_t count = kinds[order[i]];
        if (count == 0) continue;
        crd_i_html_add(out, shown++ == 0 ? " (%u %s" : ", %u %s", (uint64_t)count,
                       count == 1 ? one[order[i]] : many[order[i]]);
    }
    if (shown > 0) crd_i_html_add(out, ")");
}

/* Summarizes what is predicted from which attributes, and by which method. */
static void add_subject(crd_i_study *study) {
    crd_i_html *out = &study->page.summary;
    size_t kinds[4] = {0}, attributes = crd_summary_attribute_count(study->summary),
           classes = crd_summary_class_count(study->summary);
    count_kinds(study->summary, kinds);
    crd_i_html_add(out, "<p><b>%t</b>, with %u class%s, is predicted from %u attribute%s",
                   crd_summary_target(study->summary), (uint64_t)classes, classes == 1 ? "" : "es",
                   (uint64_t)attributes, attributes == 1 ? "" : "s");
    add_kinds(out, kinds);
    double rows = crd_summary_rows(study->summary);
    if (rows == floor(rows)) crd_i_html_add(out, ", learned from %u row%s.", (uint64_t)rows, rows == 1 ? "" : "s");
    else crd_i_html_add(out, ", learned from rows with total weight %n.", rows);
    if (study->comparison != NULL && study->chosen != CRD_NONE) {
        crd_comparison_result taken = CRD_COMPARISON_RESULT_INIT;
        crd_comparison_result_at(study->comparison, study->chosen, &taken);
        crd_i_html_add(out, " The method is <b>%s</b>, chosen among %u by cross-validation.", taken.name,
                       (uint64_t)study->recommendation.tried);
    }
    crd_i_html_add(out, "</p>\n");
}

/* Summarizes accuracy and log loss, compared with the majority class and the class prior, and calibration. */
static void add_accuracy(crd_i_study *study) {
    crd_i_html *out = &study->page.summary;
    const crd_totals *t = &study->totals;
    double low, high;
    size_t largest = 0;
    crd_class_scores most = CRD_CLASS_SCORES_INIT, one = CRD_CLASS_SCORES_INIT;
    for (size_t k = 0; k < crd_scores_class_count(study->scores); k++) {
        crd_scores_class(study->scores, k, &one);
        if (one.support_weight > most.support_weight) {
            most = one;
            largest = k;
        }
    }
    crd_frequency_interval(t->accuracy, t->weight, &low, &high);
    crd_i_html_add(out,
                   "<p>Of %u rows%s, <b>%p</b> are predicted correctly (95&nbsp;%% interval: %p to %p). Always "
                   "predicting the most "
                   "frequent class, %t, would be correct for %p",
                   t->rows, study->source != NULL ? " that the model had not learned" : "", t->accuracy, low, high,
                   crd_scores_class_name(study->scores, largest), t->baseline);
    if (low > t->baseline) crd_i_html_add(out, ": the predictions are significantly better.");
    else if (high < t->baseline) crd_i_html_add(out, ": the predictions are worse.");
    else crd_i_html_add(out, ", which is within the interval: the predicted classes are not significantly better.");
    crd_i_html_add(out, "</p>\n<p>Log loss is %f, compared with %f for the class prior. ", t->log_loss,
                   t->baseline_log_loss);
    static const double GOOD = 0.02, FAIR = 0.05;
    if (isnan(t->ece)) crd_i_html_add(out, "</p>\n");
    else
        crd_i_html_add(out, "Probabilities are %s: they differ from observed frequencies by %p on average.</p>\n",
                       t->ece < GOOD   ? "well calibrated"
                       : t->ece < FAIR ? "roughly calibrated"
                                       : "not well calibrated",
                       t->ece);
}

void crd_i_study_summarize(crd_i_study *study) {
    crd_i_html *out = &study->page.summary;
    if (study->classifier != NULL) add_subject(study);
    if (study->scores != NULL) add_accuracy(study);
    if (study->telling_count > 0) {
        crd_i_html_add(out, study->telling_count == 1 ? "<p>Most informative attribute: "
                                                      : "<p>Most informative attributes: ");
        for (size_t i = 0; i < study->telling_count; i++) crd_i_study_list_name(out, study->telling[i], i);
        crd_i_html_add(out, ".</p>\n");
    }
}
