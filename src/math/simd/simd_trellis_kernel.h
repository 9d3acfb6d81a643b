/* SPDX-License-Identifier: MIT */
/* simd_trellis_kernel.h - the loops of simd_trellis.h, written once for vectors of any length. Each implementation
 * includes it after defining the macros of simd_lanes.h, and
 *
 *
 *   MAXIMUM(a, b) in each lane a if it is greater, else b
 *   GROUP the number of groups of CRD_I_SIMD sums that are kept in registers at a time */
#include "math/simd/simd_lanes.h"
#include "math/simd/simd_trellis.h"

#include <math.h>

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* Number of vectors for CRD_I_SIMD numbers. */
enum { VECTORS = CRD_I_SIMD / LANES };

/* ---- Reductions by halves, in the same order for every vector length ---- */

TARGET static ALWAYS_INLINE double total(const lanes parts[VECTORS]) {
    lanes sums[VECTORS];
    for (int v = 0; v < VECTORS; v++) sums[v] = parts[v];
    for (int half = VECTORS / 2; half > 0; half /= 2)
        for (int v = 0; v < half; v++) sums[v] += sums[v + half];
    double left[LANES];
    for (int lane = 0; lane < LANES; lane++) left[lane] = sums[0][lane];
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int lane = 0; lane < half; lane++) left[lane] += left[lane + half];
    return left[0];
}

TARGET static ALWAYS_INLINE double greatest_of(const lanes parts[VECTORS]) {
    lanes most = parts[0];
    for (int v = 1; v < VECTORS; v++) most = MAXIMUM(parts[v], most);
    double left[LANES];
    for (int lane = 0; lane < LANES; lane++) left[lane] = most[lane];
    for (int half = LANES / 2; half > 0; half /= 2)
        for (int lane = 0; lane < half; lane++)
            left[lane] = left[lane + half] > left[lane] ? left[lane + half] : left[lane];
    return left[0];
}

TARGET static ALWAYS_INLINE void set_all(lanes parts[VECTORS], double x) {
    for (int v = 0; v < VECTORS; v++) parts[v] = all(x);
}

TARGET static ALWAYS_INLINE double row_total(const double *row, size_t stride) {
    lanes parts[VECTORS];
    set_all(parts, 0);
    for (size_t j = 0; j < stride; j += CRD_I_SIMD)
        for (int v = 0; v < VECTORS; v++) parts[v] += load(row + j + v * LANES);
    return total(parts);
}

TARGET static ALWAYS_INLINE double row_greatest(const double *row, size_t stride) {
    lanes parts[VECTORS];
    set_all(parts, -INFINITY);
    for (size_t j = 0; j < stride; j += CRD_I_SIMD)
        for (int v = 0; v < VECTORS; v++) parts[v] = MAXIMUM(load(row + j + v * LANES), parts[v]);
    return greatest_of(parts);
}

/* ---- Emissions ---- */

/* Returns exp of numbers that are not positive, to within about one unit in the last place. It skips the corrections of
 * exp_of, which would double the time. Arguments whose exponential is not a normal number are passed to exp_of. */
TARGET static ALWAYS_INLINE lanes exp_of_negative(lanes x) {
    const lane_tests is_usual = x > all(-708);
    const lanes shifted = x * ONE_OVER_LN2 + ROUNDER, k = shifted - ROUNDER;
    const lanes r = (x - k * LN2_HIGH) - k * LN2_LOW;
    const lanes result = (1 + (r + r * r * (0.5 + r * exp_series(r)))) * REAL_OF((BITS_OF(shifted) + 1023) << 52);
    return ANY(~is_usual) ? SELECT(is_usual, result, exp_of(x)) : result;
}

/* Makes several passes over all rows, so the CPU always has independent work. While exponentials are computed, zeros
 * replace the padding of each row, because the exponential of -INFINITY takes longer. */
TARGET static void scale(double *logs, size_t count, size_t stride, size_t steps, double *greatest) {
    const size_t last = stride - CRD_I_SIMD;
    lane_tests is_number[VECTORS];
    for (int k = 0; k < CRD_I_SIMD; k++) is_number[k / LANES][k % LANES] = last + (size_t)k < count ? -1 : 0;
    for (size_t t = 0; t < steps; t++) greatest[t] = row_greatest(logs + t * stride, stride);
    for (size_t t = 0; t < steps; t++) {
        double *row = logs + t * stride;
        const lanes shift = all(greatest[t] == -INFINITY ? 0 : greatest[t]);
        for (size_t j = 0; j < last; j += LANES) store(row + j, exp_of_negative(load(row + j) - shift));
        for (int v = 0; v < VECTORS; v++) {
            double *at = row + last + (size_t)v * LANES;
            store(at, SELECT(is_number[v], exp_of_negative(SELECT(is_number[v], load(at) - shift, all(0))), all(0)));
        }
    }
}

TARGET static bool are_below_infinity(const double *x, size_t count) {
    lane_tests are = all(0) == all(0);
    for (size_t i = 0; i < count; i += LANES) are &= load(x + i) < all(INFINITY);
    return !ANY(~are);
}

/* ---- Products of a row and a matrix, in (+, x) and (max, +) arithmetic ---- */

/* Computes a product with the matrix rows that `rows` lists, or with its first rows if `rows` is NULL. */
TARGET static ALWAYS_INLINE void product_of_group(const double *matrix, size_t stride, const uint32_t *rows,
                                                  const double *x, size_t count, double *out, int groups, bool is_max) {
    lanes results[GROUP * VECTORS];
    for (int v = 0; v < groups * VECTORS; v++) results[v] = all(is_max ? -INFINITY : 0);
    for (size_t i = 0; i < count; i++) {
        const lanes factor = all(x[i]);
        const double *row = matrix + (rows == NULL ? i : rows[i]) * stride;
        for (int v = 0; v < groups * VECTORS; v++) {
            lanes entry = load(row + v * LANES);
            results[v] = is_max ? MAXIMUM(entry + factor, results[v]) : results[v] + entry * factor;
        }
    }
    for (int v = 0; v < groups * VECTORS; v++) store(out + v * LANES, results[v]);
}

TARGET static ALWAYS_INLINE void product_of_rows(const double *matrix, size_t stride, const uint32_t *rows,
                                                 const double *x, size_t count, double *out, bool is_max) {
    size_t j = 0;
    for (; j + GROUP * CRD_I_SIMD <= stride; j += GROUP * CRD_I_SIMD)
        product_of_group(matrix + j, stride, rows, x, count, out + j, GROUP, is_max);
    switch ((stride - j) / CRD_I_SIMD) {
    case 3: product_of_group(matrix + j, stride, rows, x, count, out + j, 3 < GROUP ? 3 : GROUP, is_max); break;
    case 2: product_of_group(matrix + j, stride, rows, x, count, out + j, 2 < GROUP ? 2 : GROUP, is_max); break;
    case 1: product_of_group(matrix + j, stride, rows, x, count, out + j, 1, is_max); break;
    default: break;
    }
}

TARGET static ALWAYS_INLINE void product(const double *matrix, size_t stride, const double *x, size_t count,
                                         double *out, bool is_max) {
    product_of_rows(matrix, stride, NULL, x, count, out, is_max);
}

TARGET static void multiply(const double *matrix, size_t stride, const uint32_t *rows, const double *x, size_t count,
                            double *out) {
    product_of_rows(matrix, stride, rows, x, count, out, false);
}

TARGET static void multiply_max(const double *matrix, size_t stride, const uint32_t *rows, const double *x,
                                size_t count, double *out) {
    product_of_rows(matrix, stride, rows, x, count, out, true);
}

/* Computes a product for up to CRD_I_SIMD nodes. These few sums would wait for each other, so even and odd rows are
 * summed in parallel. */
TARGET static ALWAYS_INLINE void narrow_product(const double *matrix, const double *x, size_t count,
                                                lanes results[VECTORS], bool is_max) {
    lanes odd[VECTORS];
    set_all(results, is_max ? -INFINITY : 0);
    set_all(odd, is_max ? -INFINITY : 0);
    for (size_t i = 0; i < count; i += 2) {
        const lanes factor = all(x[i]), next = all(x[i + 1]);
        const double *row = matrix + i * CRD_I_SIMD;
        for (int v = 0; v < VECTORS; v++) {
            const lanes entry = load(row + v * LANES), beside = load(row + CRD_I_SIMD + v * LANES);
            results[v] = is_max ? MAXIMUM(entry + factor, results[v]) : results[v] + entry * factor;
            odd[v] = is_max ? MAXIMUM(beside + next, odd[v]) : odd[v] + beside * next;
        }
    }
    for (int v = 0; v < VECTORS; v++) results[v] = is_max ? MAXIMUM(odd[v], results[v]) : results[v] + odd[v];
}

/* ---- Forward ---- */

/* Runs the forward pass. With up to CRD_I_SIMD nodes (is_narrow), a row stays in registers from its product to its
 * posteriors. */
TARGET static ALWAYS_INLINE void forward_steps(crd_i_forward_pass *pass, bool is_narrow, bool has_tails,
                                               bool is_counted) {
    const size_t stride = is_narrow ? CRD_I_SIMD : pass->stride, nodes = pass->nodes;
    const double *matrix = pass->matrix;
    double *filtered = pass->filtered, *predicted = pass->predicted;
    double sum = pass->sum, least = pass->least, overlap = pass->overlap;
    for (size_t t = 0; t < pass->steps; t++) {
        const bool is_first = t == 0 && pass->start != NULL;
        double *emissions = pass->emissions + t * stride;
        const double *tails = has_tails ? pass->tails + t * stride : NULL;
        double *weighted = is_counted ? pass->weighted + t * stride : NULL;
        const double before = is_first ? 1 : sum, inverse = 1 / before;
        const double *source = is_first ? pass->start : predicted;
        lanes held[VECTORS], sums[VECTORS], overlaps[VECTORS];
        if (is_narrow && is_first)
            for (int v = 0; v < VECTORS; v++) held[v] = load(source + (size_t)v * LANES);
        else if (is_narrow) narrow_product(matrix, filtered, nodes, held, false);
        else if (!is_first) product(matrix, stride, filtered, nodes, predicted, false);
        set_all(sums, 0);
        set_all(overlaps, 0);
        for (size_t j = 0; j < stride; j += CRD_I_SIMD)
            for (int v = 0; v < VECTORS; v++) {
                const size_t index = j + (size_t)v * LANES;
                const lanes p = (is_narrow ? held[v] : load(source + index)) * all(inverse),
                            a = p * load(emissions + index);
                sums[v] += a;
                if (is_counted) store(weighted + index, load(filtered + index));
                store(filtered + index, a);
                if (!has_tails) continue;
                held[v] = p * load(tails + index);
                overlaps[v] += held[v];
                if (!is_narrow) store(emissions + index, held[v]);
            }
        pass->sums[t] = sum = total(sums);
        if (!has_tails) continue;
        overlap = total(overlaps);
        if (!(overlap * before >= least)) least = overlap * before;
        const lanes share = all(1 / overlap), weight = all(is_first ? 0 : inverse / overlap);
        for (size_t j = 0; j < stride; j += LANES) {
            store(emissions + j, (is_narrow ? held[j / LANES] : load(emissions + j)) * share);
            if (is_counted) store(weighted + j, load(weighted + j) * weight);
        }
    }
    pass->sum = sum;
    pass->least = least;
    pass->overlap = overlap;
}

TARGET static void forward(crd_i_forward_pass *pass) {
    const bool is_narrow = pass->stride == CRD_I_SIMD;
    if (pass->tails == NULL && is_narrow) forward_steps(pass, true, false, false);
    else if (pass->tails == NULL) forward_steps(pass, false, false, false);
    else if (pass->weighted == NULL && is_narrow) forward_steps(pass, true, true, false);
    else if (pass->weighted == NULL) forward_steps(pass, false, true, false);
    else if (is_narrow) forward_steps(pass, true, true, true);
    else forward_steps(pass, false, true, true);
}

TARGET static ALWAYS_INLINE void count_group(const double *weighted, const double *tails, size_t i, size_t stride,
                                             size_t steps, double *totals, int groups) {
    lanes sums[GROUP * VECTORS];
    for (int v = 0; v < groups * VECTORS; v++) sums[v] = load(totals + v * LANES);
    for (size_t t = 0; t < steps; t++) {
        const lanes factor = all(weighted[t * stride + i]);
        for (int v = 0; v < groups * VECTORS; v++) sums[v] += load(tails + t * stride + v * LANES) * factor;
    }
    for (int v = 0; v < groups * VECTORS; v++) store(totals + v * LANES, sums[v]);
}

TARGET static void count(const double *weighted, const double *tails, size_t nodes, size_t stride, size_t steps,
                         double *totals) {
    for (size_t i = 0; i < nodes; i++) {
        double *row = totals + i * stride;
        size_t j = 0;
        for (; j + GROUP * CRD_I_SIMD <= stride; j += GROUP * CRD_I_SIMD)
            count_group(weighted, tails + j, i, stride, steps, row + j, GROUP);
        switch ((stride - j) / CRD_I_SIMD) {
        case 3: count_group(weighted, tails + j, i, stride, steps, row + j, 3 < GROUP ? 3 : GROUP); break;
        case 2: count_group(weighted, tails + j, i, stride, steps, row + j, 2 < GROUP ? 2 : GROUP); break;
        case 1: count_group(weighted, tails + j, i, stride, steps, row + j, 1); break;
        default: break;
        }
    }
}

/* ---- Backward ---- */

TARGET static ALWAYS_INLINE void backward_steps(const double *matrix, size_t nodes, size_t given_stride,
                                                const double *emissions, size_t steps, const double *next, double *rows,
                                                bool is_narrow) {
    const size_t stride = is_narrow ? CRD_I_SIMD : given_stride;
    double sum = row_total(next, stride);
    for (size_t t = steps; t-- > 0;) {
        double *row = rows + t * stride;
        lanes held[VECTORS], sums[VECTORS];
        if (is_narrow) narrow_product(matrix, next, nodes, held, false);
        else product(matrix, stride, next, nodes, row, false);
        const lanes inverse = all(1 / sum);
        set_all(sums, 0);
        for (size_t j = 0; j < stride; j += CRD_I_SIMD)
            for (int v = 0; v < VECTORS; v++) {
                const size_t index = j + (size_t)v * LANES;
                const lanes u =
                    load(emissions + t * stride + index) * ((is_narrow ? held[v] : load(row + index)) * inverse);
                sums[v] += u;
                store(row + index, u);
            }
        sum = total(sums);
        next = row;
    }
}

TARGET static void backward(const double *matrix, size_t nodes, size_t stride, const double *emissions, size_t steps,
                            const double *next, double *rows) {
    if (stride == CRD_I_SIMD) backward_steps(matrix, nodes, stride, emissions, steps, next, rows, true);
    else backward_steps(matrix, nodes, stride, emissions, steps, next, rows, false);
}

TARGET static ALWAYS_INLINE void backward_max_steps(const double *matrix, size_t nodes, size_t given_stride,
                                                    const double *logs, size_t steps, const double *next, double *rows,
                                                    bool is_narrow) {
    const size_t stride = is_narrow ? CRD_I_SIMD : given_stride;
    double most = row_greatest(next, stride);
    for (size_t t = steps; t-- > 0;) {
        double *row = rows + t * stride;
        lanes held[VECTORS], parts[VECTORS];
        if (is_narrow) narrow_product(matrix, next, nodes, held, true);
        else product(matrix, stride, next, nodes, row, true);
        const lanes shift = all(most == -INFINITY ? 0 : most);
        set_all(parts, -INFINITY);
        for (size_t j = 0; j < stride; j += CRD_I_SIMD)
            for (int v = 0; v < VECTORS; v++) {
                const size_t index = j + (size_t)v * LANES;
                const lanes value =
                    load(logs + t * stride + index) + ((is_narrow ? held[v] : load(row + index)) - shift);
                parts[v] = MAXIMUM(value, parts[v]);
                store(row + index, value);
            }
        most = greatest_of(parts);
        next = row;
    }
}

TARGET static void backward_max(const double *matrix, size_t nodes, size_t stride, const double *logs, size_t steps,
                                const double *next, double *rows) {
    if (stride == CRD_I_SIMD) backward_max_steps(matrix, nodes, stride, logs, steps, next, rows, true);
    else backward_max_steps(matrix, nodes, stride, logs, steps, next, rows, false);
}

TARGET static size_t greatest_at(const double *row, const double *more, size_t stride) {
    lanes parts[VECTORS];
    set_all(parts, -INFINITY);
    for (size_t j = 0; j < stride; j += CRD_I_SIMD)
        for (int v = 0; v < VECTORS; v++) {
            const size_t at = j + (size_t)v * LANES;
            parts[v] = MAXIMUM(load(row + at) + load(more + at), parts[v]);
        }
    const double most = greatest_of(parts);
    size_t j = 0;
    for (; !ANY(load(row + j) + load(more + j) == all(most)); j += LANES)
        if (j + LANES >= stride) return 0; /* no number equals it */
    while (row[j] + more[j] != most) j++;
    return j;
}

/* ---- Sums of functions of steps ---- */

/* The number of functions whose sums fit in registers. */
enum { FUNCTIONS = 8 / VECTORS };

TARGET static ALWAYS_INLINE void sum_tile(const double *weights, size_t weight_stride, size_t steps,
                                          const double *values, size_t value_stride, int functions,
                                          double *const *totals, size_t j) {
    lanes sums[FUNCTIONS][VECTORS];
    for (int f = 0; f < functions; f++) set_all(sums[f], 0);
    for (size_t t = 0; t < steps; t++) {
        lanes w[VECTORS];
        for (int v = 0; v < VECTORS; v++) w[v] = load(weights + t * weight_stride + j + v * LANES);
        for (int f = 0; f < functions; f++) {
            const lanes x = all(values[(size_t)f * value_stride + t]);
            for (int v = 0; v < VECTORS; v++) sums[f][v] += w[v] * x;
        }
    }
    for (int f = 0; f < functions; f++)
        for (int v = 0; v < VECTORS; v++) {
            double *destination = totals[f] + j + v * LANES;
            store(destination, load(destination) + sums[f][v]);
        }
}

TARGET static void sum(const double *weights, size_t weight_stride, size_t stride, size_t steps, const double *values,
                       size_t value_stride, size_t functions, double *const *totals) {
    for (size_t j = 0; j < stride; j += CRD_I_SIMD) {
        size_t f = 0;
        for (; f + FUNCTIONS <= functions; f += FUNCTIONS)
            sum_tile(weights, weight_stride, steps, values + f * value_stride, value_stride, FUNCTIONS, totals + f, j);
        for (; f < functions; f++)
            sum_tile(weights, weight_stride, steps, values + f * value_stride, value_stride, 1, totals + f, j);
    }
}
