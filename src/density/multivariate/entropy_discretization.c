/* SPDX-License-Identifier: MIT */
/* entropy_discretization.c - Fayyad and Irani's discretization. It cuts where the class entropy is smallest, and
 * recurses into both parts as long as a cut is worth its description length.
 *
 * Let a part have n rows of k classes, with entropy h. A cut into parts 1 and 2 is accepted if its gain exceeds the MDL
 * price:
 *
 *   h - (n_1 h_1 + n_2 h_2) / n > (log(n - 1) + log(3^k - 2) - k h + k_1 h_1 + k_2 h_2) / n
 *
 * (Fayyad and Irani: Multi-interval discretization of continuous-valued attributes for classification learning; 1993).
 * Bins are used together with other columns. A column without an accepted cut may still be informative in such a
 * combination. Therefore crd_i_entropy_bins cuts it once, as close to its median as the cells allow. */
#include "density/multivariate/entropy_discretization.h"

#include "math/functions/elementary.h"

typedef struct discretization_cells {
    size_t classes;
    const double *sums; /* [cell][class], cumulative: counts of all cells before */
} discretization_cells;

/* Summary of a range of cells: the number of rows n, the number of classes that occur, and n times the class
 * entropy. */
typedef struct part {
    double rows, classes, entropy;
} part;

static part entropy_cuts_part(const discretization_cells *cells, size_t begin, size_t end) {
    part found_part = {0, 0, 0};
    double sum = 0;
    for (size_t k = 0; k < cells->classes; k++) {
        double count = cells->sums[end * cells->classes + k] - cells->sums[begin * cells->classes + k];
        if (!(count > 0)) continue;
        found_part.rows += count;
        found_part.classes++;
        sum += count * crd_log(count);
    }
    if (found_part.rows > 0) found_part.entropy = found_part.rows * crd_log(found_part.rows) - sum;
    if (!(found_part.entropy > 0)) found_part.entropy = 0;
    return found_part;
}

/* log(3^k - 2) */
static double log_choices(double k) {
    enum { ALL_BUT_EXACT = 30 };
    double power = 1;
    if (k > ALL_BUT_EXACT) return k * crd_log(3);
    for (int i = 0; i < (int)k; i++) power *= 3;
    return crd_log(power - 2);
}

/* Returns the best cut of the cells from `begin` to `end` - 1, or 0 if it does not pass the MDL test. */
static size_t cut_of(const discretization_cells *cells, size_t begin, size_t end) {
    part whole = entropy_cuts_part(cells, begin, end), first = {0, 0, 0}, second = first;
    size_t index = 0;
    if (whole.rows < 2 || whole.classes < 2) return 0;
    for (size_t cut = begin + 1; cut < end; cut++) {
        part left = entropy_cuts_part(cells, begin, cut), right = entropy_cuts_part(cells, cut, end);
        if (index > 0 && left.entropy + right.entropy >= first.entropy + second.entropy) continue;
        index = cut;
        first = left;
        second = right;
    }
    if (index == 0) return 0;
    double gain = whole.entropy - first.entropy - second.entropy, price = crd_log(whole.rows - 1);
    price += log_choices(whole.classes) - whole.classes * (whole.entropy / whole.rows);
    if (first.rows > 0) price += first.classes * (first.entropy / first.rows);
    if (second.rows > 0) price += second.classes * (second.entropy / second.rows);
    return gain > price ? index : 0;
}

/* Cuts recursively, and marks the first cell of each bin except the first. The recursion is at most as deep as there
 * are cells. */
static bool entropy_cuts_mark(const discretization_cells *cells, size_t begin, size_t end, int32_t *marks) {
    size_t index = end - begin < 2 ? 0 : cut_of(cells, begin, end);
    if (index == 0) return false;
    marks[index] = 1;
    (void)entropy_cuts_mark(cells, begin, index, marks);
    (void)entropy_cuts_mark(cells, index, end, marks);
    return true;
}

/* Makes one cut, at the first cell after half of the rows. */
static void cut_in_half(const double *totals, size_t count, int32_t *marks) {
    double all = 0, before = 0;
    for (size_t i = 0; i < count; i++) all += totals[i];
    for (size_t i = 0; i + 1 < count; i++) {
        before += totals[i];
        if (before < all / 2) continue;
        marks[i + 1] = 1;
        return;
    }
    if (count > 1) marks[count - 1] = 1;
}

static void entropy_cuts_add_up(const double *counts, size_t count, size_t classes, double *sums) {
    for (size_t k = 0; k < classes; k++) {
        sums[k] = 0;
        for (size_t i = 0; i < count; i++)
            sums[(i + 1) * classes + k] = sums[i * classes + k] + counts[i * classes + k];
    }
}

bool crd_i_entropy_cuts(const double *counts, size_t count, size_t classes, double *sums, int32_t *marks) {
    const discretization_cells cells = {classes, sums};
    entropy_cuts_add_up(counts, count, classes, sums);
    for (size_t i = 0; i < count; i++) marks[i] = 0;
    return entropy_cuts_mark(&cells, 0, count, marks);
}

size_t crd_i_entropy_bins(const double *counts, size_t count, size_t classes, double *sums, int32_t *bins) {
    if (!crd_i_entropy_cuts(counts, count, classes, sums, bins)) {
        /* The sums are no longer needed. */
        for (size_t i = 0; i < count; i++) {
            sums[i] = 0;
            for (size_t k = 0; k < classes; k++) sums[i] += counts[i * classes + k];
        }
        if (classes > 0) cut_in_half(sums, count, bins);
    }
    for (size_t i = 1; i < count; i++) bins[i] += bins[i - 1];
    return count == 0 ? 0 : (size_t)bins[count - 1] + 1;
}
