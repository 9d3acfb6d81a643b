/* Exact cross-moments: against MPFR, which is given enough bits to be exact too, and against themselves in other
 * orders, batches and ways. */
#include "math/products.h"
#include "math/products_ways.h"
#include "unit/math_random.h"

#include <math.h>
#include <mpfr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Products of three doubles span 2^-3222 .. 2^3072; those of four sums of them, twice as much. */
#define EXACT_BITS 16000

typedef struct allocator {
    size_t calls, fail_at, living;
} allocator;

static void *resize(void *user, void *block, size_t bytes) {
    allocator *a = user;
    if (bytes == 0) {
        a->living -= block != NULL;
        free(block);
        return NULL;
    }
    if (++a->calls == a->fail_at) return NULL;
    void *result = realloc(block, bytes);
    a->living += result != NULL && block == NULL;
    return result;
}

static allocator memory;
static crd_context *context;

static int set_up(void **state) {
    (void)state;
    crd_context_options options = CRD_CONTEXT_OPTIONS_INIT;
    options.resize = resize;
    options.resize_user = &memory;
    return crd_context_create(&options, &context) == CRD_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    crd_context_destroy(context);
    return memory.living == 0 ? 0 : -1;
}

/* ---- Tables ---- */

typedef struct table {
    size_t rows, columns;
    double *values;  /* row by row */
    double *weights; /* NULL: all 1 */
} table;

static double random_normal(void) {
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += (double)(random_bits() >> 11) * 0x1p-53;
    return sum * 0.98765432109876543;
}

static double random_finite(void) {
    for (;;) {
        double x = from_bits(random_bits());
        if (isfinite(x)) return x;
    }
}

/* What one column is like; 0 to 4 are such as most data are, the rest is hostile. */
enum { KINDS = 12, TAME_KINDS = 5 };
static double random_value(unsigned kind) {
    switch (kind) {
    case 0: return random_normal();
    case 1: return (double)random_below(1000) / 10 - 30;
    case 2: return 1023.9 + random_normal() / 50;
    case 3: return (double)random_below(3);
    case 4: return random_normal() * 1e-20;
    case 5: return random_below(2) ? 1e308 : -1e308;
    case 6: return from_bits(random_bits() & UINT64_C(0x800fffffffffffff)); /* denormal */
    case 7: return random_below(2) ? 0.0 : -0.0;
    case 8: return random_finite();
    case 9: return random_below(2) ? 1e300 * random_normal() : 1e-300 * random_normal();
    case 10: return ldexp(random_normal(), (int)random_below(200) - 100);
    default: return random_below(30) == 0 ? random_finite() : random_normal();
    }
}

static table table_of(size_t rows, size_t columns, unsigned kinds, bool weighted) {
    table made = {rows, columns, malloc((rows * columns + 1) * sizeof(double)), NULL};
    assert_non_null(made.values);
    for (size_t column = 0; column < columns; column++) {
        unsigned kind = (unsigned)random_below(kinds);
        for (size_t row = 0; row < rows; row++) made.values[row * columns + column] = random_value(kind);
    }
    if (!weighted) return made;
    made.weights = malloc((rows + 1) * sizeof(double));
    assert_non_null(made.weights);
    for (size_t row = 0; row < rows; row++)
        made.weights[row] = random_below(3) ? fabs(random_normal()) : ldexp(1 + random_normal() / 9, -900);
    return made;
}

static void table_clear(table *of) {
    free(of->values);
    free(of->weights);
}

static void swap(double *a, double *b) {
    double kept = *a;
    *a = *b;
    *b = kept;
}

static void shuffle(table *of) {
    for (size_t row = of->rows; row-- > 1;) {
        size_t other = random_below(row + 1);
        for (size_t i = 0; i < of->columns; i++)
            swap(&of->values[row * of->columns + i], &of->values[other * of->columns + i]);
        if (of->weights != NULL) swap(&of->weights[row], &of->weights[other]);
    }
}

/* ---- Products ---- */

static crd_i_products *fresh(size_t columns) {
    crd_i_products *products = crd_i_products_create(context, columns);
    assert_non_null(products);
    assert_int_equal(crd_i_products_columns(products), columns);
    assert_true(crd_i_products_is_zero(products));
    return products;
}

static void add_rows(crd_i_products *products, crd_i_products_scratch *scratch, const table *of, size_t begin,
                     size_t end, int sign) {
    assert_true(crd_i_products_add(products, scratch, of->values + begin * of->columns, of->columns, end - begin,
                                   of->weights == NULL ? NULL : of->weights + begin, sign));
}

static crd_i_products *one_by_one(const table *of) {
    crd_i_products *products = fresh(of->columns);
    add_rows(products, NULL, of, 0, of->rows, 1);
    return products;
}

/* As files have them. */
static void assert_same(const crd_i_products *a, const crd_i_products *b) {
    assert_int_equal(crd_i_products_array_count(a), crd_i_products_array_count(b));
    for (size_t i = 0; i < crd_i_products_array_count(a); i++) {
        const crd_i_sums *x = crd_i_products_array_const(a, i), *y = crd_i_products_array_const(b, i);
        int32_t base, other_base;
        uint32_t width, other_width;
        crd_i_sums_trimmed(x, &base, &width);
        crd_i_sums_trimmed(y, &other_base, &other_width);
        assert_int_equal(base, other_base);
        assert_int_equal(width, other_width);
        assert_int_equal(x->cells, y->cells);
        for (size_t cell = 0; cell < x->cells; cell++)
            for (int32_t limb = base; limb < base + (int32_t)width; limb++)
                assert_true(crd_i_sums_limb(x, cell, limb) == crd_i_sums_limb(y, cell, limb));
    }
}

/* ---- Against MPFR ---- */

static void assert_exactly(const crd_i_sums *sums, size_t cell, mpfr_srcptr expected) {
    char *text = crd_i_sums_text(sums, cell);
    assert_non_null(text);
    mpfr_t own;
    mpfr_init2(own, EXACT_BITS);
    assert_int_equal(mpfr_set_str(own, text, 0, MPFR_RNDN), 0);
    assert_true(mpfr_equal_p(own, expected));
    mpfr_clear(own);
    crd_free(context, text);
}

static void assert_rounded(crd_i_signed covariance, mpfr_srcptr above, mpfr_srcptr below) {
    mpfr_t ratio;
    mpfr_init2(ratio, 53);
    mpfr_div(ratio, above, below, MPFR_RNDN);
    assert_int_equal(covariance.sign, mpfr_sgn(ratio));
    if (covariance.sign == 0) {
        assert_true(covariance.size.mantissa == 0);
    } else {
        long exponent;
        double mantissa = mpfr_get_d_2exp(&exponent, ratio, MPFR_RNDN);
        assert_true(covariance.size.mantissa == fabs(mantissa));
        assert_int_equal(covariance.size.exponent, exponent);
    }
    assert_true(crd_i_signed_value(covariance) == mpfr_get_d(ratio, MPFR_RNDN));
    mpfr_clear(ratio);
}

typedef struct exact_pair {
    mpfr_t n, s, t, q;
} exact_pair;

static void sum_pair(exact_pair *pair, const table *of, size_t i, size_t j) {
    mpfr_t term;
    mpfr_init2(term, EXACT_BITS);
    mpfr_inits2(EXACT_BITS, pair->n, pair->s, pair->t, pair->q, (mpfr_ptr)NULL);
    mpfr_set_zero(pair->n, 1);
    mpfr_set_zero(pair->s, 1);
    mpfr_set_zero(pair->t, 1);
    mpfr_set_zero(pair->q, 1);
    for (size_t row = 0; row < of->rows; row++) {
        double x = of->values[row * of->columns + i], y = of->values[row * of->columns + j];
        double weight = of->weights == NULL ? 1 : of->weights[row];
        mpfr_add_d(pair->n, pair->n, weight, MPFR_RNDN);
        mpfr_set_d(term, weight, MPFR_RNDN);
        mpfr_mul_d(term, term, y, MPFR_RNDN);
        mpfr_add(pair->t, pair->t, term, MPFR_RNDN);
        mpfr_mul_d(term, term, x, MPFR_RNDN);
        mpfr_add(pair->q, pair->q, term, MPFR_RNDN);
        mpfr_set_d(term, weight, MPFR_RNDN);
        mpfr_mul_d(term, term, x, MPFR_RNDN);
        mpfr_add(pair->s, pair->s, term, MPFR_RNDN);
    }
    mpfr_clear(term);
}

static void assert_pair(const crd_i_products *products, const table *of, size_t i, size_t j) {
    exact_pair pair;
    sum_pair(&pair, of, i, j);
    crd_i_comoment_cell at = crd_i_products_cell(products, i, j);
    assert_ptr_equal(at.n, crd_i_products_total(products));
    assert_exactly(at.n, at.n_cell, pair.n);
    assert_exactly(at.s, at.s_cell, pair.s);
    assert_exactly(at.t, at.t_cell, pair.t);
    assert_exactly(at.q, at.q_cell, pair.q);

    mpfr_t spread, product, below;
    mpfr_inits2(EXACT_BITS, spread, product, below, (mpfr_ptr)NULL);
    mpfr_mul(spread, pair.n, pair.q, MPFR_RNDN);
    mpfr_mul(product, pair.s, pair.t, MPFR_RNDN);
    mpfr_sub(spread, spread, product, MPFR_RNDN);
    mpfr_mul(below, pair.n, pair.n, MPFR_RNDN);
    crd_i_signed covariance;
    bool defined;
    assert_true(crd_i_comoments_covariance(at, false, &covariance, &defined) && defined);
    assert_rounded(covariance, spread, below);
    assert_true(crd_i_comoments_deviations(at, &covariance));
    assert_rounded(covariance, spread, pair.n);
    bool more_than_one = mpfr_cmp_ui(pair.n, 1) > 0;
    assert_int_equal(crd_i_comoments_covariance(at, true, &covariance, &defined), more_than_one);
    if (more_than_one) {
        mpfr_sub_ui(below, pair.n, 1, MPFR_RNDN);
        mpfr_mul(below, below, pair.n, MPFR_RNDN);
        assert_rounded(covariance, spread, below);
    }
    double mean;
    assert_true(crd_i_comoments_mean(at, &mean, NULL, &defined) && defined);
    mpfr_div(below, pair.s, pair.n, MPFR_RNDN);
    assert_true(mean == mpfr_get_d(below, MPFR_RNDN));
    mpfr_clears(spread, product, below, pair.n, pair.s, pair.t, pair.q, (mpfr_ptr)NULL);
}

/* ---- Tests ---- */

static void sums_and_covariances(void **state) {
    (void)state;
    for (int round = 0; round < 120; round++) {
        table drawn =
            table_of(1 + random_below(20), 1 + random_below(20), round % 3 ? KINDS : TAME_KINDS, round % 4 == 0);
        crd_i_products *products = one_by_one(&drawn);
        for (int i = 0; i < 12; i++)
            assert_pair(products, &drawn, random_below(drawn.columns), random_below(drawn.columns));
        bool possible;
        assert_true(crd_i_products_possible(products, &possible) && possible);
        crd_i_products_destroy(products);
        table_clear(&drawn);
    }
}

/* Rows in any order and in any batches, by any way, together or combined, and with others put in and taken out. */
static void orders_and_batches(void **state) {
    (void)state;
    crd_i_products_scratch *scratch = crd_i_products_scratch_create(context, crd_i_multiplier_best());
    assert_non_null(scratch);
    for (int round = 0; round < 60; round++) {
        table drawn = table_of(random_below(300), random_below(30), round % 3 ? KINDS : TAME_KINDS, round % 4 == 0);
        crd_i_products *expected = one_by_one(&drawn), *whole = fresh(drawn.columns), *part = fresh(drawn.columns);
        shuffle(&drawn);
        for (size_t begin = 0, end; begin < drawn.rows; begin = end) {
            end = begin + 1 + random_below(drawn.rows - begin);
            add_rows(random_below(2) ? whole : part, scratch, &drawn, begin, end, 1);
        }
        size_t begin = random_below(drawn.rows + 1);
        add_rows(whole, scratch, &drawn, begin, drawn.rows, -1);
        add_rows(part, NULL, &drawn, begin, drawn.rows, 1);
        assert_true(crd_i_products_combine(whole, part, 1));
        assert_same(whole, expected);
        assert_true(crd_i_products_combine(whole, expected, -1));
        assert_true(crd_i_products_is_zero(whole));
        crd_i_products_destroy(expected);
        crd_i_products_destroy(whole);
        crd_i_products_destroy(part);
        table_clear(&drawn);
    }
    crd_i_products_scratch_destroy(scratch);
}

/* Calls f for each way that this machine supports. */
static void for_each_way(void (*f)(const crd_i_multiplier *way, void *data), void *data) {
    for (size_t i = 0; crd_i_multipliers[i] != NULL; i++)
        if (crd_i_multipliers[i]->is_supported()) f(crd_i_multipliers[i], data);
}

/* All of a table in one call, twice, and once of it taken out again. */
static void assert_way(const crd_i_multiplier *way, void *data) {
    const table *of = data;
    crd_i_products *expected = one_by_one(of), *made = fresh(of->columns);
    crd_i_products_scratch *scratch = crd_i_products_scratch_create(context, way);
    assert_non_null(scratch);
    add_rows(made, scratch, of, 0, of->rows, 1);
    assert_same(made, expected);
    add_rows(made, scratch, of, 0, of->rows, 1);
    add_rows(made, scratch, of, 0, of->rows, -1);
    assert_same(made, expected);
    crd_i_products_scratch_destroy(scratch);
    crd_i_products_destroy(expected);
    crd_i_products_destroy(made);
}

/* From fewer rows than one panel to more than one pouring; from one column to more blocks than stay near. */
static void every_way(void **state) {
    (void)state;
    static const size_t shapes[][2] = {{4, 1},    {5, 8},    {79, 9},   {80, 16},   {81, 23},  {240, 17}, {241, 25},
                                       {500, 40}, {9000, 3}, {4096, 7}, {4097, 10}, {20, 210}, {60, 33},  {250, 24}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (unsigned kinds = TAME_KINDS; kinds <= KINDS; kinds += KINDS - TAME_KINDS) {
            table drawn = table_of(shapes[i][0], shapes[i][1], kinds, false);
            for_each_way(assert_way, &drawn);
            table_clear(&drawn);
        }
}

/* One scratch for tables of other widths, whose last block is not to see what others left there. */
static void one_scratch_for_all(void **state) {
    (void)state;
    crd_i_products_scratch *scratch = crd_i_products_scratch_create(context, crd_i_multiplier_best());
    assert_non_null(scratch);
    for (int round = 0; round < 60; round++) {
        table drawn = table_of(10 + random_below(20), 1 + random_below(30), TAME_KINDS, false);
        crd_i_products *expected = one_by_one(&drawn), *made = fresh(drawn.columns);
        add_rows(made, scratch, &drawn, 0, drawn.rows, 1);
        assert_same(made, expected);
        crd_i_products_destroy(expected);
        crd_i_products_destroy(made);
        table_clear(&drawn);
    }
    crd_i_products_scratch_destroy(scratch);
}

/* Rows that are further apart than they have columns; what lies between is not looked at. */
static void rows_apart(void **state) {
    (void)state;
    table wide = table_of(300, 29, TAME_KINDS, false), narrow = {300, 11, malloc(300 * 11 * sizeof(double)), NULL};
    assert_non_null(narrow.values);
    for (size_t row = 0; row < 300; row++) {
        memcpy(narrow.values + row * 11, wide.values + row * 29, 11 * sizeof(double));
        for (size_t i = 11; i < 29; i++) wide.values[row * 29 + i] = NAN;
    }
    crd_i_products *expected = one_by_one(&narrow), *made = fresh(11);
    crd_i_products_scratch *scratch = crd_i_products_scratch_create(context, crd_i_multiplier_best());
    assert_non_null(scratch);
    assert_true(crd_i_products_add(made, scratch, wide.values, 29, 300, NULL, 1));
    assert_same(made, expected);
    crd_i_products_scratch_destroy(scratch);
    crd_i_products_destroy(expected);
    crd_i_products_destroy(made);
    table_clear(&wide);
    table_clear(&narrow);
}

/* Slices that are about the largest, all of one sign, for as many rows as are added before the wide integers: were
 * there too many in a double or in 64 bits, sums would be wrong. Of 53 bits they have none below the twelfth of the
 * last slice; so that sums are odd and would be rounded, a few values are small and odd, which fixes the scale, too. */
static void fullest_slices(void **state) {
    (void)state;
    const uint64_t full = ((UINT64_C(1) << 53) - 1) & ~(UINT64_C(1) << 32) & ~(UINT64_C(1) << 10);
    table made = {4096, 9, malloc(4096 * 9 * sizeof(double)), NULL};
    assert_non_null(made.values);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < made.rows * made.columns; i++) {
            double sign = round == 0 ? 1 : round == 1 ? -1 : i / made.columns % 2 ? 1 : -1;
            bool small = i < made.columns || random_below(40) == 0;
            double size = (double)(small ? random_bits() >> 11 | 1 : full ^ UINT64_C(1) << random_below(9));
            made.values[i] = sign * (small ? ldexp(size, -11) : size);
        }
        for_each_way(assert_way, &made);
    }
    table_clear(&made);
}

/* The kernels by themselves, against sums of integers: every lane goes where it should, up to 2^53. */
static void assert_kernel(const crd_i_multiplier *way, void *data) {
    crd_i_points_panel *panels = data;
    for (size_t blocks = 1; blocks <= CRD_I_PRODUCTS_MOST_BLOCKS; blocks++) {
        int64_t totals[CRD_I_PRODUCTS_MOST_BLOCKS][CRD_I_PRODUCTS_BLOCK][CRD_I_PRODUCTS_BLOCK];
        for (size_t k = 0; k < blocks; k++)
            for (size_t j = 0; j < CRD_I_PRODUCTS_BLOCK; j++)
                for (size_t i = 0; i < CRD_I_PRODUCTS_BLOCK; i++)
                    totals[k][j][i] = (int64_t)(100 * k + 10 * j + i) << 50;
        size_t begin = random_below(20), end = begin + random_below(128);
        way->multiply(panels, blocks, panels + CRD_I_PRODUCTS_MOST_BLOCKS, begin, end, totals);
        for (size_t k = 0; k < blocks; k++)
            for (size_t j = 0; j < CRD_I_PRODUCTS_BLOCK; j++)
                for (size_t i = 0; i < CRD_I_PRODUCTS_BLOCK; i++) {
                    int64_t total = (int64_t)(100 * k + 10 * j + i) << 50;
                    for (size_t row = begin; row < end; row++)
                        total += (int64_t)panels[k][row][i] * (int64_t)panels[CRD_I_PRODUCTS_MOST_BLOCKS][row][j];
                    assert_true(totals[k][j][i] == total);
                }
    }
}

static void kernels(void **state) {
    (void)state;
    crd_i_points_panel *panels = calloc(CRD_I_PRODUCTS_MOST_BLOCKS + 1, sizeof *panels);
    assert_non_null(panels);
    for (int round = 0; round < 60; round++) {
        for (size_t i = 0; i < (CRD_I_PRODUCTS_MOST_BLOCKS + 1) * CRD_I_PRODUCTS_ROWS * CRD_I_PRODUCTS_BLOCK; i++) {
            /* 128 times 2^46 is 2^53. */
            double size = (double)((UINT64_C(1) << 23) - random_bits() % (round % 2 ? 1 << 23 : 8));
            ((double *)panels)[i] = round % 3 == 0 || random_below(2) ? size : -size;
        }
        for_each_way(assert_kernel, panels);
    }
    free(panels);
}

/* What all ways make of the same rows. */
typedef struct evaluated {
    double rows[CRD_I_PRODUCTS_ROWS][CRD_I_PRODUCTS_BLOCK];
    crd_i_points_scales scales;
    crd_i_points_panel points[CRD_I_POINTS];
    double sums[CRD_I_SLICES][CRD_I_PRODUCTS_BLOCK];
    bool misfits[CRD_I_PRODUCTS_ROWS * CRD_I_PRODUCTS_BLOCK];
    bool is_first;
} evaluated;

static void assert_evaluates(const crd_i_multiplier *way, void *data) {
    evaluated *expected = data, *own = calloc(1, sizeof *own);
    assert_non_null(own);
    uint16_t left[CRD_I_PRODUCTS_ROWS * CRD_I_PRODUCTS_BLOCK];
    crd_i_points_panel *points[CRD_I_POINTS];
    for (int point = 0; point < CRD_I_POINTS; point++) points[point] = &own->points[point];
    size_t count = way->evaluate(&expected->scales, expected->rows[0], CRD_I_PRODUCTS_BLOCK, CRD_I_PRODUCTS_ROWS,
                                 points, own->sums, left);
    for (size_t i = 0; i < count; i++) own->misfits[left[i]] = true;
    if (expected->is_first) {
        memcpy(expected->points, own->points, sizeof own->points);
        memcpy(expected->sums, own->sums, sizeof own->sums);
        memcpy(expected->misfits, own->misfits, sizeof own->misfits);
        expected->is_first = false;
    }
    assert_memory_equal(own->points, expected->points, sizeof own->points);
    assert_memory_equal(own->sums, expected->sums, sizeof own->sums);
    assert_memory_equal(own->misfits, expected->misfits, sizeof own->misfits);
    free(own);
}

static void ways_evaluate_alike(void **state) {
    (void)state;
    evaluated *data = calloc(1, sizeof *data);
    assert_non_null(data);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        for (size_t column = 0; column < CRD_I_PRODUCTS_BLOCK; column++) {
            int exponent = 0;
            for (size_t row = 0; row < CRD_I_PRODUCTS_ROWS; row++) data->rows[row][column] = random_value(kind);
            if (!crd_i_scales_choose(data->rows[0] + column, CRD_I_PRODUCTS_BLOCK, CRD_I_PRODUCTS_ROWS, &exponent))
                exponent = 0;
            crd_i_scales_set(&data->scales.scales, column, exponent);
            for (int i = 0; i < CRD_I_SLICES; i++) data->scales.units[i][column] = ldexp(1, 20 + 22 * i - exponent);
        }
        data->is_first = true;
        for_each_way(assert_evaluates, data);
    }
    free(data);
}

/* Once there is room, combining and undoing it needs no memory. */
static void reserve_is_enough(void **state) {
    (void)state;
    for (int round = 0; round < 60; round++) {
        size_t columns = 1 + random_below(20);
        table first = table_of(random_below(5), columns, KINDS, false);
        table second = table_of(random_below(5), columns, KINDS, true);
        crd_i_products *a = one_by_one(&first), *b = one_by_one(&second), *expected = one_by_one(&first);
        assert_true(crd_i_products_reserve(a, b));
        int sign = random_below(2) ? 1 : -1;
        size_t calls = memory.calls;
        assert_true(crd_i_products_combine(a, b, sign));
        assert_true(crd_i_products_combine(a, b, -sign));
        assert_int_equal(memory.calls, calls);
        assert_same(a, expected);
        crd_i_products_destroy(a);
        crd_i_products_destroy(b);
        crd_i_products_destroy(expected);
        table_clear(&first);
        table_clear(&second);
    }
}

static bool is_possible(const crd_i_products *products) {
    bool possible;
    assert_true(crd_i_products_possible(products, &possible));
    return possible;
}

static void possible_and_impossible(void **state) {
    (void)state;
    const double rows[] = {1, 2, 1, 3, 1, 7}; /* three rows of two columns, the first of them constant */
    crd_i_products *products = fresh(2);
    assert_true(is_possible(products));
    assert_true(crd_i_products_add(products, NULL, rows, 2, 1, NULL, -1));
    assert_false(is_possible(products)); /* fewer than no rows */
    assert_true(crd_i_products_add(products, NULL, rows + 2, 2, 1, NULL, 1));
    assert_false(is_possible(products)); /* no rows that say something */
    assert_true(crd_i_products_add(products, NULL, rows, 2, 3, NULL, 1));
    assert_true(crd_i_products_add(products, NULL, rows + 2, 2, 1, NULL, -1));
    assert_true(crd_i_products_add(products, NULL, rows, 2, 1, NULL, 1));
    assert_true(is_possible(products));
    /* A constant column that varies together with another. */
    crd_i_comoment_cell at = crd_i_products_cell(products, 0, 1);
    crd_i_sums *product = (crd_i_sums *)at.q;
    assert_true(crd_i_sums_add(product, at.q_cell, 0x1p-1000));
    assert_false(is_possible(products));
    assert_true(crd_i_sums_add(product, at.q_cell, -0x1p-1000));
    assert_true(is_possible(products));
    /* A negative variance. */
    const double other[] = {5, 2};
    assert_true(crd_i_products_add(products, NULL, other, 2, 1, NULL, -1));
    assert_false(is_possible(products));
    crd_i_products_destroy(products);

    /* A covariance larger than the variances allow, though of the right sign. */
    const double line[] = {0, 0, 1, 2, 2, 4};
    products = fresh(2);
    assert_true(crd_i_products_add(products, NULL, line, 2, 3, NULL, 1));
    assert_true(is_possible(products));
    at = crd_i_products_cell(products, 1, 0);
    assert_true(crd_i_sums_add((crd_i_sums *)at.q, at.q_cell, 0x1p-40));
    assert_false(is_possible(products));
    crd_i_products_destroy(products);
}

/* Every allocation fails once; what was allocated is freed again, as tearing down checks. */
static void out_of_memory(void **state) {
    (void)state;
    table drawn = table_of(40, 11, KINDS, false);
    for (size_t fail = 1;; fail++) {
        memory.fail_at = memory.calls + fail;
        crd_i_products *products = crd_i_products_create(context, drawn.columns);
        crd_i_products *other = crd_i_products_create(context, drawn.columns);
        crd_i_products_scratch *scratch = crd_i_products_scratch_create(context, crd_i_multiplier_best());
        bool possible, done = products != NULL && other != NULL && scratch != NULL;
        done = done && crd_i_products_add(products, NULL, drawn.values, drawn.columns, 20, NULL, 1);
        done = done && crd_i_products_add(other, scratch, drawn.values, drawn.columns, 40, NULL, 1);
        done = done && crd_i_products_reserve(products, other) && crd_i_products_combine(products, other, 1);
        done = done && crd_i_products_possible(products, &possible);
        bool failed = memory.calls >= memory.fail_at;
        assert_int_equal(done, !failed);
        memory.fail_at = 0;
        crd_i_products_scratch_destroy(scratch);
        crd_i_products_destroy(products);
        crd_i_products_destroy(other);
        if (!failed) break;
    }
    table_clear(&drawn);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_covariances),
        cmocka_unit_test(orders_and_batches),
        cmocka_unit_test(every_way),
        cmocka_unit_test(one_scratch_for_all),
        cmocka_unit_test(rows_apart),
        cmocka_unit_test(fullest_slices),
        cmocka_unit_test(kernels),
        cmocka_unit_test(ways_evaluate_alike),
        cmocka_unit_test(reserve_is_enough),
        cmocka_unit_test(possible_and_impossible),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests_name("math_products", tests, set_up, tear_down);
}
