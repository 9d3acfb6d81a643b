/* SPDX-License-Identifier: MIT */
/* study_profile.c - the section about the data: columns, numbers and classes, with warnings about columns that may be
 * read incorrectly. */
#include "base/error.h"
#include "base/memory.h"
#include "report/study.h"

#include <math.h>

enum { COLUMNS_SHOWN = 200, CLASSES_SHOWN = 30, QUANTILES = 5, FREQUENT = 3, FEW_ROWS = 10, SMALL_TABLE = 100 };
static const double LEVELS[QUANTILES] = {0.05, 0.25, 0.5, 0.75, 0.95};
static const char *const LEVEL_TITLES[QUANTILES] = {"5%", "25%", "median", "75%", "95%"};
static const double MUCH_MISSING = 0.2, VERY_FREQUENT = 0.9;

static double study_profile_share_missing(const crd_column_profile *facts) {
    uint64_t rows = facts->present + facts->missing;
    return rows == 0 ? 0 : (double)facts->missing / (double)rows;
}

static bool study_profile_is_target(const crd_i_study *study, const crd_column_profile *facts) {
    crd_text target = study->source != NULL ? crd_row_source_target(study->source) : crd_model_target(study->model);
    return target.bytes != NULL && crd_text_equal(facts->name, target);
}

static bool is_weight(const crd_i_study *study, const crd_column_profile *facts) {
    crd_text weight = study->source != NULL ? crd_row_source_weight(study->source) : crd_model_weight(study->model);
    return weight.bytes != NULL && crd_text_equal(facts->name, weight);
}

/* ---- Tables ---- */

/* Appends the most frequent values that occur more than once: "a (60%), b (40%)". */
static void study_profile_add_frequent(crd_i_html *out, const crd_profile *profile, size_t column,
                                       const crd_column_profile *facts) {
    crd_value value;
    uint64_t cells = 0;
    for (uint64_t rank = 0; rank < FREQUENT; rank++) {
        if (!crd_profile_frequent(profile, column, rank, &value, &cells) || cells < 2) break;
        if (rank > 0) crd_i_html_add(out, ", ");
        if (value.kind == CRD_KIND_NUMBER) crd_i_html_add(out, "%n", value.number);
        else crd_i_html_add(out, "%t", value.text);
        crd_i_html_add(out, " (%p)", (double)cells / (double)facts->present);
    }
}

static const char *study_profile_kind(const crd_i_study *study, const crd_column_profile *facts) {
    static const char *const kinds[] = {"no cell", "number", "category", "text"};
    if (study_profile_is_target(study, facts)) return "target";
    return is_weight(study, facts) ? "weight" : kinds[facts->kind];
}

/* Adds the table of columns: kind, missing values, distinct values and the most frequent values. */
static void study_profile_add_columns(crd_i_study *study) {
    crd_i_html *out = &study->page.body;
    size_t count = crd_profile_column_count(study->profile);
    crd_i_html_open_table(out, "Columns, with their most frequent values");
    crd_i_html_column(out, false, "column");
    crd_i_html_column(out, false, "kind");
    crd_i_html_column(out, true, "missing");
    crd_i_html_column(out, true, "distinct");
    crd_i_html_column(out, false, "most frequent");
    for (size_t i = 0; i < count && i < COLUMNS_SHOWN; i++) {
        crd_column_profile facts = CRD_COLUMN_PROFILE_INIT;
        crd_profile_column(study->profile, i, &facts);
        crd_i_html_row(out, NULL);
        crd_i_html_cell(out, "%t", facts.name);
        crd_i_html_cell(out, "%s", study_profile_kind(study, &facts));
        if (facts.missing == 0) crd_i_html_cell(out, "0");
        else crd_i_html_cell(out, "%u (%p)", facts.missing, study_profile_share_missing(&facts));
        if (facts.is_exact) crd_i_html_cell(out, "%u", facts.distinct);
        else crd_i_html_cell(out, "&gt; %u", facts.distinct - 1);
        crd_i_html_open_cell(out);
        study_profile_add_frequent(out, study->profile, i, &facts);
        crd_i_html_close_cell(out);
    }
    crd_i_html_close_table(out);
    if (count > COLUMNS_SHOWN)
        crd_i_html_add(out, "<p class=\"soft\">Further columns that are not listed: %u.</p>\n",
                       (uint64_t)(count - COLUMNS_SHOWN));
}

/* Adds the table of numeric columns: minimum, quantiles, maximum, mean and standard deviation. */
static void study_profile_add_numbers(crd_i_study *study) {
    crd_i_html *out = &study->page.body;
    size_t count = crd_profile_column_count(study->profile), shown = 0;
    bool are_exact = true;
    for (size_t i = 0; i < count && shown < COLUMNS_SHOWN; i++) {
        crd_column_profile facts = CRD_COLUMN_PROFILE_INIT;
        crd_profile_column(study->profile, i, &facts);
        if (facts.kind != CRD_KIND_NUMBER || facts.present == 0) continue;
        if (shown++ == 0) {
            crd_i_html_open_table(out, "Numbers: minimum, quantiles, maximum, mean and standard deviation");
            crd_i_html_column(out, false, "column");
            crd_i_html_column(out, true, "min");
            for (size_t q = 0; q < QUANTILES; q++) crd_i_html_column(out, true, "%s", LEVEL_TITLES[q]);
            crd_i_html_column(out, true, "max");
            crd_i_html_column(out, true, "mean");
            crd_i_html_column(out, true, "st. dev.");
        }
        crd_i_html_row(out, NULL);
        crd_i_html_cell(out, "%t", facts.name);
        crd_i_html_cell(out, "%n", facts.least);
        for (size_t q = 0; q < QUANTILES; q++)
            crd_i_html_cell(out, facts.is_exact ? "%n" : "≈ %n", crd_profile_quantile(study->profile, i, LEVELS[q]));
        crd_i_html_cell(out, "%n", facts.greatest);
        crd_i_html_cell(out, "%n", facts.mean);
        crd_i_html_cell(out, "%n", facts.deviation);
        are_exact = are_exact && facts.is_exact;
    }
    if (shown > 0) crd_i_html_close_table(out);
    if (!are_exact)
        crd_i_html_add(
            out, "<p class=\"soft\">≈ approximate: more than 4,096 distinct values are counted in intervals.</p>\n");
}

/* ---- Classes ---- */

/* Draws the relative frequencies of the classes. */
static crd_status study_profile_add_classes(crd_i_study *study, size_t column, const crd_column_profile *facts,
                                            crd_error *error) {
    crd_plot_bar bars[CLASSES_SHOWN] = {{{0, 0}, {0, 0}, 0}};
    char notes[CLASSES_SHOWN][CRD_I_HTML_NUMBER_ROOM];
    crd_plot_bars plot = CRD_PLOT_BARS_INIT;
    crd_plot_options options = crd_i_page_plot("Relative frequencies of the classes", CRD_I_PAGE_WIDE);
    char *svg = NULL;
    for (crd_value value; plot.count < CLASSES_SHOWN; plot.count++) {
        uint64_t cells = 0;
        if (!crd_profile_frequent(study->profile, column, plot.count, &value, &cells)) break;
        crd_i_html_count(cells, notes[plot.count]);
        bars[plot.count] =
            (crd_plot_bar){value.text, crd_text_of(notes[plot.count]), (double)cells / (double)facts->present};
    }
    plot.bars = bars;
    plot.are_probabilities = 1;
    if (plot.count == 0) return CRD_OK;
    crd_status status = crd_plot_draw_bars(study->page.context, &plot, &options, &svg, error);
    const char *caption = facts->distinct > CLASSES_SHOWN ? "The most frequent classes, with their numbers of rows."
                                                          : "The classes, with their numbers of rows.";
    return crd_i_page_picture(&study->page, status, svg, caption, error);
}

/* Warns of a target with missing values, a single class, very unequal classes, rare classes or few rows. */
static void warn_of_classes(crd_i_study *study, size_t column, const crd_column_profile *facts) {
    crd_i_page *page = &study->page;
    crd_value value;
    uint64_t cells = 0, few = 0;
    if (facts->missing > 0) {
        crd_i_html_add(crd_i_page_begin_warning(page),
                       "Rows without a value of the target: %u. They are used neither for training nor for scores.",
                       facts->missing);
        crd_i_page_end_warning(page);
    }
    if (facts->distinct == 1) {
        crd_i_html_add(crd_i_page_begin_warning(page), "All rows are of one class, so there is nothing to predict.");
        crd_i_page_end_warning(page);
    }
    if (crd_profile_frequent(study->profile, column, 0, &value, &cells) && facts->distinct > 1 &&
        (double)cells > VERY_FREQUENT * (double)facts->present) {
        crd_i_html_add(
            crd_i_page_begin_warning(page),
            "The classes are very unequal: %p of the rows have class %t. Do not rely on accuracy; see recall by "
            "class and the precision-recall curve.",
            (double)cells / (double)facts->present, value.text);
        crd_i_page_end_warning(page);
    }
    for (uint64_t rank = 0; crd_profile_frequent(study->profile, column, rank, &value, &cells); rank++)
        few += cells < FEW_ROWS;
    if (few > 0 && facts->present >= SMALL_TABLE) {
        crd_i_html_add(crd_i_page_begin_warning(page), "%u of %u classes ha%s fewer than 10 rows.", few,
                       facts->distinct, few == 1 ? "s" : "ve");
        crd_i_page_end_warning(page);
    }
    if (facts->present > 0 && facts->present < SMALL_TABLE) {
        crd_i_html_add(crd_i_page_begin_warning(page),
                       "The table is small: with %u rows, every score has a wide interval.", facts->present);
        crd_i_page_end_warning(page);
    }
}

/* ---- Columns that may be read incorrectly ---- */

typedef struct column_check {
    bool (*holds)(const crd_column_profile *facts);
    const char *before, *end;
} column_check;

static bool is_much_missing(const crd_column_profile *facts) {
    return facts->present > 0 && study_profile_share_missing(facts) > MUCH_MISSING;
}
static bool study_profile_is_empty(const crd_column_profile *facts) {
    return facts->present == 0;
}
static bool study_profile_is_constant(const crd_column_profile *facts) {
    return facts->present > 1 && facts->is_exact && facts->distinct == 1 && facts->kind != CRD_KIND_TEXT;
}
static bool study_profile_is_row_number(const crd_column_profile *facts) {
    return facts->appearance == CRD_APPEARANCE_ROW_NUMBER;
}
static bool study_profile_is_identifier(const crd_column_profile *facts) {
    return facts->appearance == CRD_APPEARANCE_IDENTIFIER;
}
static bool is_code(const crd_column_profile *facts) {
    return facts->appearance == CRD_APPEARANCE_CODES;
}

static const column_check checks[] = {
    {study_profile_is_empty, "Without any cell: ", ". Nothing can be learned from an empty column."},
    {study_profile_is_constant, "Equal values in all rows: ", ". It cannot separate classes."},
    {is_much_missing, "More than a fifth of the cells missing: ",
     ". Missing values are skipped, which is correct if they are missing at random."},
    {study_profile_is_row_number, "Perhaps a row number: ",
     ". If it is one, ignore it: it may predict well in these sorted rows, but not in others."},
    {study_profile_is_identifier, "Perhaps an identifier, because few values occur more than once: ",
     ". Nothing can be learned from it unless it is a text whose words are informative."},
    {is_code, "Few distinct whole numbers, perhaps codes: ", ". If they are labels, read them as categories."},
};

/* Warns of columns that a check in `checks` finds, with one warning per check. */
static void warn_of_columns(crd_i_study *study) {
    for (size_t c = 0; c < sizeof checks / sizeof *checks; c++) {
        crd_i_html *out = NULL;
        size_t found = 0;
        for (size_t i = 0; i < crd_profile_column_count(study->profile); i++) {
            crd_column_profile facts = CRD_COLUMN_PROFILE_INIT;
            crd_profile_column(study->profile, i, &facts);
            if (study->rows == 0 || study_profile_is_target(study, &facts) || is_weight(study, &facts) ||
                !checks[c].holds(&facts))
                continue;
            if (found == 0) {
                out = crd_i_page_begin_warning(&study->page);
                crd_i_html_add(out, "%s", checks[c].before);
            }
            crd_i_study_list_name(out, facts.name, found++);
        }
        if (found == 0) continue;
        crd_i_study_end_list(out, found);
        crd_i_html_add(out, "%s", checks[c].end);
        crd_i_page_end_warning(&study->page);
    }
}

crd_status crd_i_study_profile(crd_i_study *study, crd_error *error) {
    crd_i_page *page = &study->page;
    crd_i_page_open_section(page, "data", "The data");
    crd_i_html_add(&page->body, "<p>%u row%s, %u column%s.</p>\n", study->rows, study->rows == 1 ? "" : "s",
                   (uint64_t)crd_profile_column_count(study->profile),
                   crd_profile_column_count(study->profile) == 1 ? "" : "s");
    crd_status status = CRD_OK;
    for (size_t i = 0; status == CRD_OK && i < crd_profile_column_count(study->profile); i++) {
        crd_column_profile facts = CRD_COLUMN_PROFILE_INIT;
        crd_profile_column(study->profile, i, &facts);
        if (!study_profile_is_target(study, &facts)) continue;
        status = study_profile_add_classes(study, i, &facts, error);
        warn_of_classes(study, i, &facts);
    }
    study_profile_add_columns(study);
    study_profile_add_numbers(study);
    warn_of_columns(study);
    crd_i_page_close_section(page);
    return status;
}
