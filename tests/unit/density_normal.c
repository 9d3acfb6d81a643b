/* SPDX-License-Identifier: MIT */
/* The multivariate normal density: against exact fractions, scikit-learn and the gaussian family; missing cells, rows
 * too few or too much alike, and shapes that are found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "density/multivariate/joint_density.h"
#include "math/functions/elementary.h"
#include "math_random.h"
#include "stats_support.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CLASSES = 4, MOST_COLUMNS = 100 };

static crd_context *context;
static crd_settings *settings;
static const int32_t in_order[MAX_CLASSES] = {0, 1, 2, 3};

static void set(const char *name, const char *value) {
    crd_error error;
    if (crd_settings_set(settings, name, crd_text_of(value), &error) != CRD_OK) fail_msg("%s", error.message);
}

static int set_up(void **state) {
    crd_error error;
    (void)state;
    return crd_context_create(NULL, &context) != CRD_OK || crd_settings_create(context, &settings, &error) != CRD_OK;
}

static int tear_down(void **state) {
    (void)state;
    crd_settings_destroy(settings);
    crd_context_destroy(context);
    return 0;
}

/* ---- Rows and densities ---- */

typedef struct normal_sheet {
    size_t rows, columns, classes;
    double *cells; /* column by column; NaN: missing */
    int32_t *under;
} normal_sheet;

static normal_sheet sheet_of(size_t rows, size_t columns, size_t classes) {
    normal_sheet sheet = {rows, columns, classes, malloc(rows * columns * sizeof(double)),
                          malloc(rows * sizeof(int32_t))};
    return sheet;
}

static void sheet_free(normal_sheet *sheet) {
    free(sheet->cells);
    free(sheet->under);
}

/* The joint tally of some columns, each settled as a number, and how it is seen. */
typedef struct seen {
    crd_i_joint_source joint_source;
    crd_i_cells cells[MOST_COLUMNS];
    crd_i_joint_tally_rows rows;
    double counts[MAX_CLASSES];
} seen;

static void look(const normal_sheet *sheet, bool keeps_rows, seen *out) {
    static const size_t none[MOST_COLUMNS] = {0};
    memset(out, 0, sizeof *out);
    crd_i_joint_tally *joint_tally = crd_i_cross_moments.create(context, sheet->columns);
    for (size_t i = 0; i < sheet->columns; i++) {
        const crd_i_cells cells = {.rows = sheet->rows, .numbers = sheet->cells + i * sheet->rows};
        out->cells[i] = cells;
        assert_true(joint_tally->type->settle(joint_tally, i, CRD_TYPE_NUMERIC));
    }
    assert_true(joint_tally->type->extend(joint_tally, sheet->classes, none));
    const crd_i_joint_tally_rows rows = {sheet->rows, out->cells, sheet->under, NULL};
    out->rows = rows;
    assert_int_equal(joint_tally->type->add(joint_tally, &rows, NULL), CRD_OK);
    for (size_t row = 0; row < sheet->rows; row++) out->counts[sheet->under[row]]++;
    out->joint_source.joint_tally = joint_tally;
    out->joint_source.view.conditions = in_order;
    out->joint_source.view.condition_count = sheet->classes;
    out->joint_source.class_counts = out->counts;
    if (keeps_rows) out->joint_source.rows = &out->rows;
}

static crd_i_joint *derived(const normal_sheet *sheet, bool keeps_rows) {
    seen given_seen;
    crd_i_joint *joint;
    crd_error error;
    look(sheet, keeps_rows, &given_seen);
    const crd_i_joint_type *type = crd_i_joint_named("normal");
    if (type->derive(context, &given_seen.joint_source, settings, &joint, &error) != CRD_OK)
        fail_msg("%s", error.message);
    crd_i_joint_tally_destroy((crd_i_joint_tally *)given_seen.joint_source.joint_tally);
    return joint;
}

/* NaN: missing. */
static void ask(const crd_i_joint *joint, const double *row, double *sums) {
    crd_i_joint_cell cells[MOST_COLUMNS];
    double *workspace = malloc((joint->capacity + 1) * sizeof *workspace);
    for (size_t i = 0; i < joint->column_count; i++) {
        const crd_i_joint_cell cell = {!isnan(row[i]), row[i], -1};
        cells[i] = cell;
    }
    for (size_t i = 0; i < joint->capacity; i++) workspace[i] = NAN; /* whatever is in it */
    for (size_t k = 0; k < joint->conditions; k++) sums[k] = 0;
    joint->type->add(joint, cells, sums, workspace);
    free(workspace);
}

static double random_unit(void) {
    return (double)(random_bits() >> 11) * 0x1p-53;
}

static void assert_near(double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance * (1 + fabs(b)))) fail_msg("%.17g is not %.17g", a, b);
}

/* ---- Values ---- */

/* Five rows and six of three columns. */
static const double small[11][3] = {{1, 2, 4}, {3, 1, 5}, {2, 5, 4}, {4, 4, 9}, {6, 2, 8}, {7, 3, 1},
                                    {9, 8, 2}, {5, 6, 3}, {8, 4, 6}, {9, 5, 5}, {6, 9, 1}};
static const double questions[3][3] = {{4, 4, 4}, {7, 1, 3}, {0, 9, -2}};

static normal_sheet small_sheet(void) {
    normal_sheet sheet = sheet_of(11, 3, 2);
    for (size_t row = 0; row < 11; row++) {
        sheet.under[row] = row >= 5;
        for (size_t i = 0; i < 3; i++) sheet.cells[i * 11 + row] = small[row][i];
    }
    return sheet;
}

/* Log densities of the questions under both classes: determinants and quadratic forms in exact fractions, logarithms to
 * 50 digits (Python's fractions and decimal). */
static void exact_values(void **state) {
    (void)state;
    static const struct {
        const char *normal, *variance;
        double wanted[6];
    } cases[] = {
        {"full:0",
         "sample",
         {-7.8068343558554508585, -7.9227058014462753310, -20.350790399811494815, -7.2748611983640730576,
          -25.037180932355873513, -15.058341084389992969}},
        {"full:0",
         "mle",
         {-8.3979009392814312376, -8.3050825101394493181, -24.077845994226486183, -7.5276689864408065901,
          -29.935834159906959555, -16.867844849671910484}},
        {"tied:0",
         "sample",
         {-5.9004682432164456175, -8.8546573522741122676, -13.599332946482740029, -7.5279278469126456471,
          -13.892665703314286206, -13.837945389038454809}},
        {"tied:0",
         "mle",
         {-5.8967987617665602799, -9.5074743395037084079, -15.306522287980920116, -7.8859160551730269828,
          -15.665040101886143222, -15.598159717771238180}},
        {"full:0.25",
         "sample",
         {-6.0961943942745266719, -7.7316119146966970084, -11.692496363995279918, -7.1635221484937994249,
          -18.943878584605688266, -15.560878723926292039}},
    };
    normal_sheet sheet = small_sheet();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set("covariance", cases[i].normal);
        set("variance", cases[i].variance);
        crd_i_joint *joint = derived(&sheet, i % 2 == 0);
        for (size_t q = 0; q < 3; q++) {
            double sums[2];
            ask(joint, questions[q], sums);
            for (size_t k = 0; k < 2; k++) assert_near(sums[k], cases[i].wanted[2 * q + k], 1e-14);
        }
        crd_i_joint_destroy(joint);
    }
    sheet_free(&sheet);
}

/* predict_log_proba of LinearDiscriminantAnalysis and QuadraticDiscriminantAnalysis, scikit-learn 1.9.1. */
static void discriminant_analysis(void **state) {
    (void)state;
    static const struct {
        const char *normal;
        double wanted[6];
    } cases[] = {{"tied:0",
                  {-0.03192521647667998, -3.460279237419869, -7.603426653508362, -0.0004988639064757755,
                   -0.825490848195273, -0.5762889072864047}},
                 {"full:0",
                  {-0.8401502268981563, -0.5650102409622223, -16.732498618676008, -5.4096378578958764e-08,
                   -13.250312626826613, -1.759797615058486e-06}}};
    normal_sheet sheet = small_sheet();
    for (size_t i = 0; i < 2; i++) {
        set("covariance", cases[i].normal);
        crd_i_joint *joint = derived(&sheet, false);
        for (size_t q = 0; q < 3; q++) {
            double sums[2];
            ask(joint, questions[q], sums);
            sums[0] += log(5);
            sums[1] += log(6);
            double all = crd_i_log_sum_exp(sums, 2);
            for (size_t k = 0; k < 2; k++) assert_near(sums[k] - all, cases[i].wanted[2 * q + k], 1e-12);
        }
        crd_i_joint_destroy(joint);
    }
    sheet_free(&sheet);
}

/* The form diagonal is the product of the gaussian family's densities, under each setting that it reads. */
static void naive(void **state) {
    (void)state;
    static const char *const changes[][2] = {{"variance", "mle"},   {"variance", "sample"},
                                             {"smoothing", "none"}, {"pool-variance", "classes"},
                                             {"min-sd", "2.25"},    {"smoothing", "m:3"}};
    normal_sheet sheet = small_sheet();
    sheet.under[7] = 2; /* a class of one row */
    sheet.classes = 4;  /* and one of none */
    set("covariance", "diag");
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        set(changes[i][0], changes[i][1]);
        crd_i_joint *joint = derived(&sheet, true);
        double wanted[3][MAX_CLASSES] = {{0}}, sums[MAX_CLASSES];
        for (size_t column = 0; column < 3; column++) {
            crd_i_tally *tally = crd_i_moments.create(context);
            crd_i_cells cells = {.rows = sheet.rows, .numbers = sheet.cells + column * sheet.rows};
            assert_true(tally->type->extend(tally, 4, 0) && add_under(tally, &cells, sheet.under, NULL));
            const crd_i_tallied tallied = {.tally = tally, .view = {in_order, 4, NULL, 0, NULL}};
            crd_i_density *density;
            assert_int_equal(crd_i_family_gaussian.derive(context, &tallied, settings, NULL, &density, NULL), CRD_OK);
            for (size_t q = 0; q < 3; q++)
                for (size_t k = 0; k < 4; k++)
                    wanted[q][k] += crd_i_family_gaussian.log_density(density, k, questions[q][column]);
            crd_i_density_destroy(density);
            crd_i_tally_destroy(tally);
        }
        for (size_t q = 0; q < 3; q++) {
            ask(joint, questions[q], sums);
            for (size_t k = 0; k < 4; k++) assert_near(sums[k], wanted[q][k], 1e-13);
        }
        crd_i_joint_destroy(joint);
    }
    sheet_free(&sheet);
}

/* Lecture 13: 100 dimensions take 200 numbers a class for naive Gaussians, and 100 + 5050 for a full one. */
static void numbers_estimated(void **state) {
    (void)state;
    static const struct {
        const char *normal;
        uint64_t means, others;
    } cases[] = {{"diag", 200, 200}, {"full:0", 200, 10100}, {"tied:0", 200, 5050}};
    normal_sheet sheet = sheet_of(300, 100, 2);
    for (size_t i = 0; i < 300 * 100; i++) sheet.cells[i] = random_unit();
    for (size_t row = 0; row < 300; row++) sheet.under[row] = row % 2;
    for (size_t i = 0; i < 3; i++) {
        set("covariance", cases[i].normal);
        crd_i_joint *joint = derived(&sheet, false);
        crd_i_estimates estimates = {.context = context};
        assert_true(joint->type->estimates(joint, &estimates));
        assert_int_equal(estimates.count, 2);
        assert_int_equal(estimates.entries[0].count, cases[i].means);
        assert_int_equal(estimates.entries[1].count, cases[i].others);
        crd_i_estimates_clear(&estimates);
        crd_i_joint_destroy(joint);
    }
    sheet_free(&sheet);
}

/* ---- Missing cells and scales ---- */

/* A row in which cells are missing has the density of a model without these columns. */
static void missing_cells(void **state) {
    (void)state;
    static const char *const forms[] = {"full:0", "tied:0", "full:0.3", "diag"};
    normal_sheet sheet = small_sheet();
    for (size_t i = 0; i < 4; i++) {
        set("covariance", forms[i]);
        crd_i_joint *joint = derived(&sheet, false);
        for (size_t gone = 0; gone < 3; gone++) {
            normal_sheet without = sheet_of(11, 2, 2);
            double row[3], remainder[2], sums[2], wanted[2];
            memcpy(without.under, sheet.under, 11 * sizeof *sheet.under);
            for (size_t c = 0, a = 0; c < 3; c++) {
                row[c] = c == gone ? NAN : questions[0][c];
                if (c == gone) continue;
                memcpy(without.cells + 11 * a, sheet.cells + 11 * c, 11 * sizeof *sheet.cells);
                remainder[a++] = questions[0][c];
            }
            crd_i_joint *smaller = derived(&without, false);
            ask(joint, row, sums);
            ask(smaller, remainder, wanted);
            for (size_t k = 0; k < 2; k++) assert_near(sums[k], wanted[k], 1e-14);
            crd_i_joint_destroy(smaller);
            sheet_free(&without);
        }
        const double nothing[3] = {NAN, NAN, NAN};
        double sums[2];
        ask(joint, nothing, sums);
        assert_true(sums[0] == 0 && sums[1] == 0);
        crd_i_joint_destroy(joint);
    }
    sheet_free(&sheet);
}

/* Means are those of all rows that have the cell, and sums of products those of all rows that have both. */
static void incomplete_rows(void **state) {
    (void)state;
    normal_sheet sheet = small_sheet();
    seen current_seen;
    crd_error error;
    crd_i_normal_moments moments;
    for (size_t row = 0; row < 11; row++)
        if (row % 4 != 0) sheet.cells[row % 4 % 3 * 11 + row] = NAN;
    look(&sheet, false, &current_seen);
    assert_int_equal(crd_i_normal_moments_read(context, &current_seen.joint_source, &moments, &error), CRD_OK);
    assert_true(moments.columns == 3 && moments.all_rows == 11 && moments.incomplete == 8 && moments.left_out == 0);
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < 3; i++)
            for (size_t j = 0; j < 3; j++) {
                const double *x = sheet.cells + i * 11, *y = sheet.cells + j * 11;
                double n = 0, s = 0, t = 0, q = 0;
                for (size_t row = 0; row < 11; row++) {
                    if (sheet.under[row] != (int32_t)k || isnan(x[row]) || isnan(y[row])) continue;
                    n++, s += x[row], t += y[row], q += x[row] * y[row];
                }
                double scale = ldexp(1, moments.exponents[i] + moments.exponents[j]);
                assert_true(moments.pairs[(k * 3 + i) * 3 + j] == n);
                assert_near(moments.products[(k * 3 + i) * 3 + j] * scale, n > 0 ? q - s * t / n : 0, 1e-12);
                if (i == j)
                    assert_near(moments.centers[i] + ldexp(moments.means[k * 3 + i], moments.exponents[i]), s / n,
                                1e-12);
            }
    crd_i_normal_moments_clear(&moments);
    crd_i_joint_tally_destroy((crd_i_joint_tally *)current_seen.joint_source.joint_tally);
    set("covariance", "auto");
    crd_i_joint *joint = derived(&sheet, true);
    char text[200];
    joint->type->describe(joint, text, sizeof text);
    assert_non_null(strstr(text, "; 3 complete rows and 8 incomplete ones"));
    for (size_t size = 0; size < 20; size++) {
        memset(text, '#', sizeof text);
        joint->type->describe(joint, text, size);
        assert_true(text[size] == '#' && (size == 0 || strlen(text) == size - 1));
    }
    crd_i_joint_destroy(joint);
    sheet_free(&sheet);
}

/* Rows without a cell change nothing, though with them all sums are by pairs: held out or not, with rows or without. */
static void empty_rows(void **state) {
    (void)state;
    static const char *const forms[] = {"full:0", "tied:0.1", "full", "tied", "diag", "auto"};
    normal_sheet sheet = small_sheet(), normal = sheet_of(22, 3, 2);
    for (size_t row = 0; row < 22; row++) {
        normal.under[row] = sheet.under[row % 11];
        for (size_t i = 0; i < 3; i++) normal.cells[i * 22 + row] = row < 11 ? small[row][i] : NAN;
    }
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (int keeps_rows = 0; keeps_rows < 2; keeps_rows++) {
            set("covariance", forms[i]);
            crd_i_joint *joint = derived(&sheet, keeps_rows), *same = derived(&normal, keeps_rows);
            double sums[2], others[2];
            ask(joint, questions[0], sums);
            ask(same, questions[0], others);
            for (size_t k = 0; k < 2; k++) assert_near(sums[k], others[k], 1e-11);
            crd_i_joint_destroy(joint);
            crd_i_joint_destroy(same);
        }
    sheet_free(&sheet);
    sheet_free(&normal);
}

/* No offset costs digits, and a column in other units has the density in these. */
static void offsets_and_units(void **state) {
    (void)state;
    static const struct {
        double offset;
        int power;
    } changes[] = {{0, 900}, {0, -900}, {1 << 30, 0}, {-0x1p44, 0}, {0x1p1000, 960}};
    static const char *const forms[] = {"full:0", "tied:0", "auto"};
    normal_sheet sheet = small_sheet(), moved = small_sheet();
    for (size_t f = 0; f < 3; f++) {
        set("covariance", forms[f]);
        crd_i_joint *joint = derived(&sheet, true);
        for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
            for (size_t row = 0; row < 11; row++)
                moved.cells[row] = ldexp(sheet.cells[row], changes[i].power) + changes[i].offset;
            crd_i_joint *other = derived(&moved, true);
            double sums[2], others[2], question[3];
            memcpy(question, questions[1], sizeof question);
            ask(joint, question, sums);
            question[0] = ldexp(question[0], changes[i].power) + changes[i].offset;
            ask(other, question, others);
            /* An exponent of the density is one of its units, too; so differences are compared. */
            assert_near(others[0] - others[1], sums[0] - sums[1], 1e-12);
            if (f < 2) assert_near(others[0], sums[0] - changes[i].power * log(2), 1e-13);
            crd_i_joint_destroy(other);
        }
        crd_i_joint_destroy(joint);
    }
    sheet_free(&sheet);
    sheet_free(&moved);
}

/* ---- Little to tell ---- */

static void assert_sane(const normal_sheet *sheet) {
    static const char *const forms[] = {"auto", "full", "full:0", "full:1", "tied", "tied:0", "diag"};
    static const double far[] = {0, 1, -1e308, DBL_MAX, DBL_TRUE_MIN, -1e-300, 1e10};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (int keeps = 0; keeps < 2; keeps++) {
            set("covariance", forms[f]);
            crd_i_joint *joint = derived(sheet, keeps);
            double row[MOST_COLUMNS], sums[MAX_CLASSES];
            for (size_t trial = 0; trial < 200; trial++) {
                for (size_t i = 0; i < sheet->columns; i++) {
                    size_t any = random_below(10);
                    row[i] = any < 7   ? far[any]
                             : any < 8 ? (double)NAN
                                       : sheet->cells[i * sheet->rows + random_below(sheet->rows)];
                }
                ask(joint, row, sums);
                for (size_t k = 0; k < sheet->classes; k++)
                    if (!isfinite(sums[k])) fail_msg("%s: %g", forms[f], sums[k]);
            }
            crd_i_joint_destroy(joint);
        }
}

static void little_to_tell(void **state) {
    (void)state;
    normal_sheet sheet = sheet_of(40, 4, 4);
    for (size_t kind = 0; kind < 7; kind++) {
        for (size_t row = 0; row < 40; row++) {
            double x = random_unit(), y = random_unit(), z = random_unit();
            sheet.under[row] = (int32_t)(row % 3); /* none are of the last class */
            const double columns[7][4] = {
                {x, y, z, x + y},                                  /* one depends on others */
                {x, y, 7, z},                                      /* all rows agree in one */
                {x, y, row % 3 == 1 ? 5 : z, z},                   /* the rows of a class do */
                {(double)(row % 3), x, y, z},                      /* the rows of each class do */
                {x, x, x, x},                                      /* all are the same */
                {x * 1e-300, y * 1e300, z, -z * 1e-320},           /* far apart */
                {row == 0 ? 1 : 0, row == 0 ? 2 : 0, x, 1e15 + x}, /* outliers alone */
            };
            for (size_t i = 0; i < 4; i++) sheet.cells[i * 40 + row] = columns[kind][i];
        }
        if (kind == 0) sheet.under[0] = 3; /* a single row of the last class, once */
        assert_sane(&sheet);
    }
    for (size_t rows = 1; rows < 8; rows++) { /* fewer rows than columns */
        normal_sheet few = sheet_of(rows, 4, 4);
        for (size_t i = 0; i < rows * 4; i++) few.cells[i] = random_unit();
        for (size_t row = 0; row < rows; row++) few.under[row] = (int32_t)(row % 2);
        assert_sane(&few);
        sheet_free(&few);
    }
    sheet_free(&sheet);
}

/* As above, with 70 % of the cells missing. */
static void little_is_left(void **state) {
    (void)state;
    normal_sheet sheet = sheet_of(40, 4, 4);
    for (size_t kind = 0; kind < 4; kind++) {
        for (size_t row = 0; row < 40; row++) {
            double x = random_unit(), y = random_unit();
            sheet.under[row] = (int32_t)(row % 3);
            const double columns[4][4] = {
                {x, y, x, x + y}, {x, 7, row % 3 == 1 ? 5 : y, 1}, {x * 1e-300, y * 1e300, 1e15 + x, -x * 1e-320}, {x}};
            for (size_t i = 0; i < 4; i++)
                sheet.cells[i * 40 + row] = random_unit() < 0.7 ? (double)NAN : columns[kind][i];
        }
        assert_sane(&sheet);
    }
    sheet_free(&sheet);
}

/* A column in which all rows agree is left to its own density, which is silent. */
static void columns_taken(void **state) {
    (void)state;
    normal_sheet sheet = small_sheet();
    for (size_t row = 0; row < 11; row++) sheet.cells[11 + row] = 3;
    set("covariance", "full:0");
    crd_i_joint *joint = derived(&sheet, false);
    assert_true(joint->takes[0] && !joint->takes[1] && joint->takes[2]);
    crd_i_joint_destroy(joint);
    for (size_t i = 0; i < 33; i++) sheet.cells[i] = NAN;
    joint = derived(&sheet, true);
    assert_false(joint->takes[0] || joint->takes[1] || joint->takes[2]);
    double sums[2];
    ask(joint, questions[0], sums);
    assert_true(sums[0] == 0 && sums[1] == 0);
    crd_i_joint_destroy(joint);
    sheet_free(&sheet);
}

/* A class that has no covariance of its own, or one that is singular, has the shared one, or so many rows' worth of it
 * as there are columns. */
static void borrowed_rows(void **state) {
    (void)state;
    normal_sheet sheet = small_sheet();
    sheet.classes = 3;
    sheet.under[0] = 2; /* one row */
    set("covariance", "full:0");
    set("variance", "sample");
    crd_i_joint *full = derived(&sheet, false);
    set("covariance", "tied:0");
    crd_i_joint *shared = derived(&sheet, false);
    double sums[3], others[3];
    ask(full, questions[0], sums);
    ask(shared, questions[0], others);
    assert_near(sums[2], others[2], 1e-14);
    assert_true(fabs(sums[0] - others[0]) > 0.01);
    crd_i_joint_destroy(full);
    crd_i_joint_destroy(shared);
    sheet_free(&sheet);

    /* Two columns; (0, 0) (2, 0) with the variances 2 and 0 and (0, 0) (0, 2) (0, 4), 0 and 4: shared, 2/3 and 8/3.
     * With two rows' worth of that the first class has (2 + 4/3) / 3 and (16/3) / 3, and the second (4/3) / 4 and (8 +
     * 16/3) / 4. */
    static const double columns[10] = {0, 2, 0, 0, 0, 0, 0, 0, 2, 4}, row[2] = {1, 2};
    static const double variances[2][2] = {{10.0 / 9, 16.0 / 9}, {1.0 / 3, 10.0 / 3}}, means[2][2] = {{1, 0}, {0, 2}};
    sheet = sheet_of(5, 2, 2);
    memcpy(sheet.cells, columns, sizeof columns);
    for (size_t i = 0; i < 5; i++) sheet.under[i] = i >= 2;
    set("covariance", "full:0");
    full = derived(&sheet, false);
    ask(full, row, sums);
    for (size_t k = 0; k < 2; k++) {
        double wanted = 0;
        for (size_t i = 0; i < 2; i++)
            wanted -= 0.5 * log(2 * acos(-1) * variances[k][i]) + pow(row[i] - means[k][i], 2) / (2 * variances[k][i]);
        assert_near(sums[k], wanted, 1e-14);
    }
    crd_i_joint_destroy(full);
    sheet_free(&sheet);
}

/* ---- Shapes that are found ---- */

static double bell(void) {
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += random_unit();
    return sum;
}

/* Two classes of dependent columns: alike but for the mean; unlike; alike with long tails; of few rows. */
static void draw_rows(normal_sheet *sheet, int kind) {
    for (size_t row = 0; row < sheet->rows; row++) {
        int32_t class = sheet->under[row] = (int32_t)random_below(2);
        double tail = kind == 2 ? 1 / sqrt(random_unit() + 0.01) : 1, common = bell();
        for (size_t i = 0; i < sheet->columns; i++) {
            double noise = bell(), spread = kind == 1 && class == 1 ? 2.5 : 1;
            double turn = kind == 1 && class == 1 && i % 2 == 1 ? -1 : 1;
            sheet->cells[i * sheet->rows + row] =
                tail * (spread * noise + 2 * turn * common) + (class == 1 ? 0.7 * (double)(i % 3) : 0);
        }
    }
}

static double loss_on(const crd_i_joint *joint, const normal_sheet *sheet) {
    double loss = 0;
    for (size_t row = 0; row < sheet->rows; row++) {
        double cells[MOST_COLUMNS], sums[2];
        for (size_t i = 0; i < sheet->columns; i++) cells[i] = sheet->cells[i * sheet->rows + row];
        ask(joint, cells, sums);
        loss += crd_i_log_sum_exp(sums, 2) - sums[sheet->under[row]];
    }
    return loss / (double)sheet->rows;
}

/* On new rows auto is about as good as the better of linear and quadratic discriminant analysis, by rows or without,
 * and better than both where neither is right. */
static void found_shapes(void **state) {
    (void)state;
    static const size_t rows[] = {400, 400, 400, 40};
    for (int kind = 0; kind < 4; kind++) {
        normal_sheet known = sheet_of(rows[kind], 6, 2), sheet = sheet_of(4000, 6, 2);
        draw_rows(&known, kind);
        draw_rows(&sheet, kind);
        static const char *const forms[] = {"auto", "tied:0", "full:0"};
        double losses[3];
        for (size_t f = 0; f < 3; f++) {
            set("covariance", forms[f]);
            set("variance", "sample");
            crd_i_joint *joint = derived(&known, true);
            losses[f] = loss_on(joint, &sheet);
            crd_i_joint_destroy(joint);
        }
        double better = losses[1] < losses[2] ? losses[1] : losses[2];
        if (!(losses[0] < better + 0.01)) fail_msg("%d: %g beside %g and %g", kind, losses[0], losses[1], losses[2]);
        if (kind == 2) assert_true(losses[0] < better - 0.01);
        set("covariance", "auto");
        crd_i_joint *joint = derived(&known, false);
        double without = loss_on(joint, &sheet);
        if (!(without < better + 0.05)) fail_msg("%d: %g without rows, and %g", kind, without, better);
        crd_i_joint_destroy(joint);
        sheet_free(&known);
        sheet_free(&sheet);
    }
}

/* What was fitted before gives the same density to the bit, and what no fit has given is fitted anew. */
static void fitted_before(void **state) {
    (void)state;
    normal_sheet sheet = sheet_of(100, 4, 2);
    draw_rows(&sheet, 2);
    const crd_i_joint_type *type = crd_i_joint_named("normal");
    static const double bad[][4] = {{-0.1, 0, 0, 1}, {0, 1.5, 0, 1}, {0, 0, -3, 1}, {0, 0, 0, 0}, {0, 0, 0, 2}};
    static const char *const forms[] = {"auto", "full", "tied"};
    for (size_t f = 0; f < 3; f++) {
        set("covariance", forms[f]);
        assert_true(type->asks_rows(settings));
        seen current_seen;
        look(&sheet, true, &current_seen);
        crd_i_joint *first, *again;
        const double row[4] = {1, 2, -1, 0.5};
        double wanted[2], sums[2];
        size_t count;
        assert_int_equal(type->derive(context, &current_seen.joint_source, settings, &first, NULL), CRD_OK);
        ask(first, row, wanted);
        current_seen.joint_source.fitted = type->fitted(first, &count);
        current_seen.joint_source.fitted_count = count;
        assert_int_equal(count, 4);
        for (size_t i = 0; i < count; i++) assert_true(isfinite(current_seen.joint_source.fitted[i]));
        for (size_t way = 0; way <= sizeof bad / sizeof *bad; way++) {
            assert_int_equal(type->derive(context, &current_seen.joint_source, settings, &again, NULL), CRD_OK);
            ask(again, row, sums);
            assert_true(sums[0] == wanted[0] && sums[1] == wanted[1]);
            crd_i_joint_destroy(again);
            if (way < sizeof bad / sizeof *bad) current_seen.joint_source.fitted = bad[way];
        }
        crd_i_joint_destroy(first);
        crd_i_joint_tally_destroy((crd_i_joint_tally *)current_seen.joint_source.joint_tally);
    }
    sheet_free(&sheet);
    set("covariance", "full:0.5");
    assert_false(type->asks_rows(settings));
    set("covariance", "diag");
    assert_false(type->asks_rows(settings));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(exact_values, set_up, tear_down),
        cmocka_unit_test_setup_teardown(discriminant_analysis, set_up, tear_down),
        cmocka_unit_test_setup_teardown(naive, set_up, tear_down),
        cmocka_unit_test_setup_teardown(numbers_estimated, set_up, tear_down),
        cmocka_unit_test_setup_teardown(missing_cells, set_up, tear_down),
        cmocka_unit_test_setup_teardown(incomplete_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(empty_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(offsets_and_units, set_up, tear_down),
        cmocka_unit_test_setup_teardown(little_to_tell, set_up, tear_down),
        cmocka_unit_test_setup_teardown(columns_taken, set_up, tear_down),
        cmocka_unit_test_setup_teardown(borrowed_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(found_shapes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(fitted_before, set_up, tear_down),
        cmocka_unit_test_setup_teardown(little_is_left, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
