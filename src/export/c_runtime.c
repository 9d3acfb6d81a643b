/* SPDX-License-Identifier: MIT */
/* c_runtime.c - see c_runtime.h. The files of the families and joint densities explain the formulas.
 *
 * Contents:
 *   1. Lookup and posteriors
 *   2. Univariate densities
 *   3. Joint densities
 *   4. Pooling and calibration
 *   5. List of functions */
#include "export/c_runtime.h"

#include <stddef.h>

#define BIT(function) (1u << (function))

const unsigned crd_i_c_uses[CRD_I_C_FUNCTIONS] = {
    [CRD_I_C_JOINT_NORMAL] = BIT(CRD_I_C_ELLIPTIC),
    [CRD_I_C_JOINT_MIXTURE] = BIT(CRD_I_C_ELLIPTIC) | BIT(CRD_I_C_LOG_SUM_EXP),
    [CRD_I_C_AODE] = BIT(CRD_I_C_ITEM) | BIT(CRD_I_C_LOG_SUM_EXP),
    [CRD_I_C_PAIRS] = BIT(CRD_I_C_ITEM),
    [CRD_I_C_PRIOR_RATIO] = BIT(CRD_I_C_LOG_SUM_EXP),
};

/* ======== 1. Lookup and posteriors ======== */

static const char find_sorted[] = "/* Returns the index of a text in an ascending list; -1: not found. */\n"
                                  "static long find_sorted(const char *const *list, long count, const char *text) {\n"
                                  "    long low = 0, high = count - 1;\n"
                                  "    while (low <= high) {\n"
                                  "        long middle = low + (high - low) / 2;\n"
                                  "        int order = strcmp(text, list[middle]);\n"
                                  "        if (order == 0) return middle;\n"
                                  "        if (order < 0) high = middle - 1;\n"
                                  "        else low = middle + 1;\n"
                                  "    }\n"
                                  "    return -1;\n"
                                  "}\n";

static const char find[] = "/* Returns the index of a text in a list; -1: not found. */\n"
                           "static long find(const char *const *list, long count, const char *text) {\n"
                           "    long i;\n"
                           "    for (i = 0; i < count; i++)\n"
                           "        if (strcmp(text, list[i]) == 0) return i;\n"
                           "    return -1;\n"
                           "}\n";

static const char log_sum_exp[] = "static double log_sum_exp(const double *terms, long count) {\n"
                                  "    double most = -INFINITY, sum = 0;\n"
                                  "    long i;\n"
                                  "    for (i = 0; i < count; i++)\n"
                                  "        if (terms[i] > most) most = terms[i];\n"
                                  "    if (most == -INFINITY) return most;\n"
                                  "    for (i = 0; i < count; i++) sum += exp(terms[i] - most);\n"
                                  "    return most + log(sum);\n"
                                  "}\n";

static const char conclude[] = "/* Normalizes log posteriors, and computes probabilities (NULL: not needed). "
                               "Returns the first\n"
                               " * most probable class, with ties within 1e-12; -1: all are impossible. */\n"
                               "static long conclude(double *sums, double *probabilities, long count) {\n"
                               "    double most = -INFINITY, sum = 0;\n"
                               "    long k, decision = -1;\n"
                               "    for (k = 0; k < count; k++) {\n"
                               "        if (sums[k] > most) most = sums[k];\n"
                               "        if (probabilities != NULL) probabilities[k] = 0;\n"
                               "    }\n"
                               "    if (most == -INFINITY) return -1;\n"
                               "    for (k = 0; k < count; k++) {\n"
                               "        sums[k] -= most;\n"
                               "        sum += exp(sums[k]);\n"
                               "    }\n"
                               "    for (k = count - 1; k >= 0; k--) {\n"
                               "        if (probabilities != NULL) probabilities[k] = exp(sums[k]) / sum;\n"
                               "        if (sums[k] >= -1e-12) decision = k;\n"
                               "        sums[k] -= log(sum);\n"
                               "    }\n"
                               "    return decision;\n"
                               "}\n";

/* ======== 2. Univariate densities ======== */

static const char scaled[] = "static double scaled(double x, double half_center, double factor) {\n"
                             "    const double farthest = 2.582249878086908589655919172003e120; /* 2^400 */\n"
                             "    double t = (x * 0.5 - half_center) * factor * 2;\n"
                             "    return t > farthest ? farthest : t < -farthest ? -farthest : t;\n"
                             "}\n";

static const char normal[] =
    "/* The log density of a normal distribution; slope is 1 / (deviation sqrt 2), or 0 if this is out of range. "
    "*/\n"
    "static double normal(double x, double mean, double rest, double deviation, double log_peak, double slope) {\n"
    "    double z;\n"
    "    if (slope > 0) {\n"
    "        z = (x - mean - rest) * slope;\n"
    "        return log_peak - z * z;\n"
    "    }\n"
    "    z = (x * 0.5 - mean * 0.5 - rest * 0.5) / deviation * 2;\n"
    "    return log_peak - 0.5 * z * z;\n"
    "}\n";

static const char student[] =
    "/* Student's t, given its location and the log density there. */\n"
    "static double student(double x, double degrees, double location, double scale, double log_peak) {\n"
    "    double t = fabs((x / 2 - location / 2) / scale * 2), half = (degrees + 1) / 2;\n"
    "    if (t > 1e150) return log_peak - half * (2 * log(t) - log(degrees));\n"
    "    return log_peak - half * log1p(t * t / degrees);\n"
    "}\n";

static const char poisson[] = "static double poisson(double x, double mean) {\n"
                              "    if (mean == 0) return x == 0 ? 0 : -INFINITY;\n"
                              "    if (x > 1e300) return -INFINITY;\n"
                              "    return x * log(mean) - mean - lgamma(x + 1);\n"
                              "}\n";

static const char uniform[] =
    "static double height(double x, double from, double to) {\n"
    "    double half = to / 2 - from / 2;\n"
    "    return x >= from && x <= to && half > 0 ? 0.5 / half : 0;\n"
    "}\n"
    "\n"
    "/* A mixture of a uniform density over the class's range and one over the column's range. */\n"
    "static double uniform(double x, double from, double to, double share, double all_from, double all_to) {\n"
    "    return log(share * height(x, from, to) + (1 - share) * height(x, all_from, all_to));\n"
    "}\n";

static const char histogram[] =
    "/* Uniform within bins, with exponential tails outside. */\n"
    "static double histogram(double t, long bins, const double *edges, const double *probability, const double *logs,\n"
    "                        const double *beyond, double log_unit) {\n"
    "    long b = 0;\n"
    "    double width;\n"
    "    while (b + 1 < bins && edges[b + 1] <= t) b++;\n"
    "    width = edges[b + 1] - edges[b];\n"
    "    if (t < edges[0]) return log(probability[b] * beyond[0] / width) - (edges[0] - t) / width - log_unit;\n"
    "    if (t > edges[bins]) return log(probability[b] * beyond[1] / width) - (t - edges[bins]) / width - log_unit;\n"
    "    return logs[b];\n"
    "}\n";

static const char kernel[] =
    "/* The logarithm of a weighted sum of normal kernels, up to a constant. */\n"
    "static double kernel(double t, long count, const double *cells, const double *weights, double bandwidth) {\n"
    "    double nearest = INFINITY, sum = 0;\n"
    "    long i;\n"
    "    for (i = 0; i < count; i++)\n"
    "        if (weights[i] > 0 && fabs(cells[i] - t) < nearest) nearest = fabs(cells[i] - t);\n"
    "    nearest /= bandwidth;\n"
    "    for (i = 0; i < count; i++) {\n"
    "        double z = fabs(cells[i] - t) / bandwidth;\n"
    "        if (weights[i] > 0) sum += weights[i] * exp((nearest - z) * (nearest + z) / 2);\n"
    "    }\n"
    "    return log(sum) - nearest * nearest / 2;\n"
    "}\n";

static const char mixture[] =
    "/* A mixture of normal densities; the components of all classes are stored one after the other. */\n"
    "static double mixture(double t, const double *components, long k, const double *log_peaks, const double *means,\n"
    "                      const double *deviations) {\n"
    "    double most = -INFINITY, sum = 0;\n"
    "    long first = 0, i, pass;\n"
    "    for (i = 0; i < k; i++) first += (long)components[i];\n"
    "    for (pass = 0; pass < 2; pass++)\n"
    "        for (i = first; i < first + (long)components[k]; i++) {\n"
    "            double z = (t - means[i]) / deviations[i], term = log_peaks[i] - z * z / 2;\n"
    "            if (pass == 0 && term > most) most = term;\n"
    "            if (pass == 1) sum += exp(term - most);\n"
    "        }\n"
    "    return most + log(sum);\n"
    "}\n";

/* ======== 3. Joint densities ======== */

static const char elliptic[] =
    "/* The log density of a multivariate normal, or of Student's t if degrees are finite, of the columns that are\n"
    " * present, with a number in x. `work` has space for columns (columns + 2) numbers. */\n"
    "static double elliptic(const double *x, long columns, const double *mean, const double *covariance, double "
    "degrees,\n"
    "                       double *work) {\n"
    "    double *lower = work + 2 * columns, *z = work, *diagonal = work + columns, logs = 0, squares = 0, d;\n"
    "    long i, j, a, b, c, count = 0;\n"
    "    for (i = 0; i < columns; i++) count += !isnan(x[i]);\n"
    "    for (i = 0, a = 0; i < columns; i++) {\n"
    "        double rest = covariance[i * columns + i];\n"
    "        if (isnan(x[i])) continue;\n"
    "        z[a] = x[i] - mean[i];\n"
    "        for (j = 0, b = 0; j < i; j++) {\n"
    "            double part = covariance[i * columns + j];\n"
    "            if (isnan(x[j])) continue;\n"
    "            for (c = 0; c < b; c++) part -= lower[a * count + c] * lower[b * count + c];\n"
    "            part /= diagonal[b];\n"
    "            lower[a * count + b] = part;\n"
    "            rest -= part * part;\n"
    "            z[a] -= part * z[b];\n"
    "            b++;\n"
    "        }\n"
    "        diagonal[a] = sqrt(rest);\n"
    "        z[a] /= diagonal[a];\n"
    "        logs += log(diagonal[a]);\n"
    "        squares += z[a] * z[a];\n"
    "        a++;\n"
    "    }\n"
    "    d = (double)count;\n"
    "    if (isinf(degrees)) return -d / 2 * 1.8378770664093454835606594728112 - logs - squares / 2;\n"
    "    return lgamma((degrees + d) / 2) - lgamma(degrees / 2) -\n"
    "           d / 2 * (log(degrees) + 1.1447298858494001741434273513531) - logs -\n"
    "           (degrees + d) / 2 * log(1 + squares / degrees);\n"
    "}\n";

static const char joint_normal[] =
    "/* A multivariate normal of some values in each class. `work` has space for columns (columns + 3) numbers. */\n"
    "static void joint_normal(const double *cells, long columns, const double *place, const double *exponents,\n"
    "                         const double *center, const double *mean, const double *covariance, long matrices,\n"
    "                         double degrees, double exponent, long classes, double *work, double *sums) {\n"
    "    double doublings = 0;\n"
    "    long i, k, count = 0;\n"
    "    for (i = 0; i < columns; i++) {\n"
    "        double cell = cells[(long)place[i]];\n"
    "        work[i] = ldexp(cell / 2 - center[i] / 2, 1 - (int)exponents[i]);\n"
    "        if (isnan(cell)) continue;\n"
    "        if (fabs(work[i]) > 1e90) work[i] = work[i] < 0 ? -1e90 : 1e90;\n"
    "        doublings += exponents[i];\n"
    "        count++;\n"
    "    }\n"
    "    for (k = 0; k < classes && count > 0; k++)\n"
    "        sums[k] += exponent * (elliptic(work, columns, mean + k * columns,\n"
    "                                        covariance + (matrices == 1 ? 0 : k) * columns * columns, degrees,\n"
    "                                        work + columns) - 0.69314718055994530941723212145818 * doublings);\n"
    "}\n";

static const char joint_mixture[] =
    "/* A mixture of multivariate normals in each class; `work` has space for columns (columns + 3) numbers, and "
    "after\n"
    " * them for one number per component. */\n"
    "static void joint_mixture(const double *cells, long columns, const double *place, const double *first,\n"
    "                          const double *second, const double *center, const double *components,\n"
    "                          const double *log_share, const double *mean, const double *covariance, double degrees,\n"
    "                          double exponent, long classes, double *work, double *sums) {\n"
    "    double doublings = 0, *terms = work + columns * (columns + 3);\n"
    "    long i, k, j = 0, count = 0;\n"
    "    for (i = 0; i < columns; i++) {\n"
    "        double cell = cells[(long)place[i]];\n"
    "        work[i] = ldexp(ldexp(cell, -(int)first[i]) - center[i], -(int)second[i]);\n"
    "        if (isnan(cell)) continue;\n"
    "        if (fabs(work[i]) > 1e60) work[i] = work[i] < 0 ? -1e60 : 1e60;\n"
    "        doublings += first[i] + second[i];\n"
    "        count++;\n"
    "    }\n"
    "    for (k = 0; k < classes && count > 0; k++) {\n"
    "        for (i = 0; i < (long)components[k]; i++, j++)\n"
    "            terms[i] = log_share[j] + elliptic(work, columns, mean + j * columns,\n"
    "                                               covariance + j * columns * columns, degrees, work + columns);\n"
    "        sums[k] += exponent * (log_sum_exp(terms, (long)components[k]) -\n"
    "                               0.69314718055994530941723212145818 * doublings);\n"
    "    }\n"
    "}\n";

static const char joint_table[] =
    "/* The joint probability table: the rows of each combination that occurred, and pseudo-counts. */\n"
    "static void joint_table(const double *cells, long columns, const double *values, const double *combinations,\n"
    "                        const double *rows, long met, const double *class_rows, double strength, double mass,\n"
    "                        int is_laplace, const double *shares, double borrowed, const double *naive,\n"
    "                        long classes, double *counts, double *sums) {\n"
    "    double assumed = strength, all = 0, total = 0, product, below;\n"
    "    long i, k, c, present = 0, at = 0;\n"
    "    for (k = 0; k < classes; k++) {\n"
    "        counts[k] = 0;\n"
    "        total += class_rows[k];\n"
    "    }\n"
    "    for (c = 0; c < columns; c++) {\n"
    "        if (values[c] == 0) continue;\n"
    "        if (isnan(cells[c])) {\n"
    "            if (is_laplace) assumed *= values[c];\n"
    "        } else {\n"
    "            present++;\n"
    "            if (shares != NULL) assumed *= shares[at + (long)cells[c]];\n"
    "            else if (!is_laplace) assumed /= values[c];\n"
    "        }\n"
    "        at += (long)values[c];\n"
    "    }\n"
    "    if (present == 0 || (total == 0 && mass == 0 && borrowed == 0)) return;\n"
    "    for (i = 0; i < met; i++) {\n"
    "        for (c = 0; c < columns; c++)\n"
    "            if (values[c] != 0 && !isnan(cells[c]) && combinations[i * columns + c] != cells[c]) break;\n"
    "        for (k = 0; c == columns && k < classes; k++) counts[k] += rows[i * classes + k];\n"
    "    }\n"
    "    for (k = 0; k < classes; k++) all += counts[k];\n"
    "    for (k = 0; k < classes; k++) {\n"
    "        product = borrowed;\n"
    "        for (c = 0, at = 0; borrowed > 0 && c < columns; c++) {\n"
    "            if (values[c] != 0 && !isnan(cells[c])) product *= naive[at + k * (long)values[c] + (long)cells[c]];\n"
    "            at += (long)values[c] * classes;\n"
    "        }\n"
    "        below = class_rows[k] + mass + borrowed;\n"
    "        sums[k] += below > 0 ? log((counts[k] + assumed + product) / below) : log(all / total);\n"
    "    }\n"
    "}\n";

static const char item[] =
    "/* Returns the item of a value, -1: none. Items are the values and bins of all columns, in one numbering. */\n"
    "static long item_of(const double *cells, long column, const double *items, const double *is_number,\n"
    "                    const double *cuts) {\n"
    "    long c, first = 0, item = 0;\n"
    "    for (c = 0; c < column; c++) {\n"
    "        first += (long)items[c];\n"
    "        if (is_number[c] != 0 && items[c] > 0) cuts += (long)items[c] - 1;\n"
    "    }\n"
    "    if (items[column] == 0 || isnan(cells[column])) return -1;\n"
    "    if (is_number[column] == 0) return first + (long)cells[column];\n"
    "    while (item < (long)items[column] - 1 && cells[column] >= cuts[item]) item++;\n"
    "    return first + item;\n"
    "}\n"
    "\n"
    "/* log P(item | parent, class) for all classes; `owner` is the parent's column. */\n"
    "static const double *given(const double *logs, const double *items, long columns, long owner, long parent, long "
    "item,\n"
    "                           long classes) {\n"
    "    long c, all = 0, first = 0, begin = 0, others;\n"
    "    for (c = 0; c < columns; c++) all += (long)items[c];\n"
    "    for (c = 0; c < owner; c++) {\n"
    "        first += (long)items[c];\n"
    "        begin += (long)items[c] * (all - (long)items[c]);\n"
    "    }\n"
    "    others = all - (long)items[owner];\n"
    "    return logs + (begin + (parent - first) * others + (item < first ? item : item - (long)items[owner])) * "
    "classes;\n"
    "}\n";

static const char aode[] =
    "/* Averaged one-dependence estimators. `at` has space for one item per column, `terms` for one number per "
    "column\n"
    " * and class. */\n"
    "static void aode(const double *cells, long columns, const double *items, const double *is_number,\n"
    "                 const double *weights, const double *log_weights, const double *cuts, const double *rows,\n"
    "                 const double *singles, const double *pairs, const double *implies, long implications, long "
    "classes,\n"
    "                 long *at, double *terms, double *sums) {\n"
    "    double weight = 0;\n"
    "    long c, p, i, k, parents = 0;\n"
    "    for (c = 0; c < columns; c++) at[c] = item_of(cells, c, items, is_number, cuts);\n"
    "    for (c = 0; c < columns; c++)\n"
    "        for (i = 0; at[c] >= 0 && i < implications; i++)\n"
    "            for (p = 0; (long)implies[2 * i] == at[c] && p < columns; p++)\n"
    "                if (p != c && at[p] == (long)implies[2 * i + 1]) at[p] = -1;\n"
    "    for (p = 0; p < columns; p++) {\n"
    "        if (at[p] < 0 || !(rows[at[p]] > 0)) continue;\n"
    "        for (k = 0; k < classes; k++) terms[k * columns + parents] = singles[at[p] * classes + k];\n"
    "        for (c = 0; c < columns; c++)\n"
    "            for (k = 0; c != p && at[c] >= 0 && k < classes; k++)\n"
    "                terms[k * columns + parents] += given(pairs, items, columns, p, at[p], at[c], classes)[k];\n"
    "        for (k = 0; k < classes; k++) terms[k * columns + parents] += log_weights[p];\n"
    "        weight += weights[p];\n"
    "        parents++;\n"
    "    }\n"
    "    for (k = 0; parents > 0 && k < classes; k++) sums[k] += log_sum_exp(terms + k * columns, parents) - "
    "log(weight);\n"
    "    for (c = 0; parents == 0 && c < columns; c++)\n"
    "        for (k = 0; at[c] >= 0 && k < classes; k++) sums[k] += singles[at[c] * classes + k];\n"
    "}\n";

static const char pairs[] =
    "static double bound(double term) { return term > 50 ? 50 : term > -50 ? term : -50; }\n"
    "\n"
    "/* A log-linear model of single items and of pairs of items. `at` has space for one item per column. */\n"
    "static void pairs(const double *cells, long columns, const double *items, const double *is_number, const double "
    "*cuts,\n"
    "                  const double *rows, const double *singles, const double *logs, const double *weights, long "
    "classes,\n"
    "                  long *at, double *sums) {\n"
    "    const double *weight = weights + columns;\n"
    "    long i, j, k;\n"
    "    for (i = 0; i < columns; i++) at[i] = item_of(cells, i, items, is_number, cuts);\n"
    "    for (i = 0; i < columns; i++)\n"
    "        for (k = 0; at[i] >= 0 && weights[i] > 0 && k < classes; k++)\n"
    "            sums[k] += weights[i] * bound(singles[at[i] * classes + k]);\n"
    "    for (i = 0; i < columns; i++)\n"
    "        for (j = i + 1; j < columns; j++, weight++) {\n"
    "            const double *with;\n"
    "            if (at[i] < 0 || at[j] < 0 || !(rows[at[i]] > 0) || !(*weight > 0)) continue;\n"
    "            with = given(logs, items, columns, i, at[i], at[j], classes);\n"
    "            for (k = 0; k < classes; k++) {\n"
    "                double alone = singles[at[j] * classes + k];\n"
    "                if (alone > -INFINITY) sums[k] += *weight * bound(with[k] - alone);\n"
    "            }\n"
    "        }\n"
    "}\n";

/* A row goes through each tree. Missing values divide it into parts, each with a node and a weight. */
static const char trees[] =
    "/* The weight of a part that goes left at a node. */\n"
    "static double left_weight(double x, long bin, int is_category, double test, double left_share,\n"
    "                          const double *members, long words) {\n"
    "    if (is_category ? bin == 0 : isnan(x)) return left_share;\n"
    "    if (!is_category) return x <= test;\n"
    "    return (double)((unsigned long)members[(long)test * words + bin / 32] >> bin % 32 & 1);\n"
    "}\n"
    "\n"
    "/* The mean prediction of trees. A missing value can divide a row among both children of a node. */\n"
    "static void trees(const double *cells, long columns, const double *values, const double *bin, const double "
    "*root,\n"
    "                  long count, const double *column, const double *test, const double *left_share,\n"
    "                  const double *right, const double *members, double words, const double *value, double scale,\n"
    "                  const double *log_share, long classes, long *bins, double *means, double *sums) {\n"
    "    enum { DEPTH = 50 };\n"
    "    long i, k, t, known = 0, nodes[DEPTH], waiting;\n"
    "    double weights[DEPTH], wholeness = 0;\n"
    "    for (i = 0; i < columns; i++) {\n"
    "        known += !isnan(cells[i]);\n"
    "        bins[i] = isnan(cells[i]) || values[i] == 0 ? 0 : (long)bin[(long)cells[i]];\n"
    "        bin += (long)values[i];\n"
    "    }\n"
    "    if (known == 0) return;\n"
    "    for (k = 0; k < classes; k++) means[k] = 0;\n"
    "    for (t = 0; t < count; t++) {\n"
    "        nodes[0] = (long)root[t];\n"
    "        weights[0] = 1;\n"
    "        for (waiting = 1; waiting > 0;) {\n"
    "            long node = nodes[--waiting], split = (long)column[node];\n"
    "            double weight = weights[waiting], left;\n"
    "            if (split < 0) {\n"
    "                for (k = 0; k < classes; k++) means[k] += weight * value[(long)test[node] * classes + k];\n"
    "                wholeness += weight * weight;\n"
    "                continue;\n"
    "            }\n"
    "            left = left_weight(cells[split], bins[split], values[split] > 0, test[node], left_share[node],\n"
    "                               members, (long)words);\n"
    "            if (left < 1) {\n"
    "                nodes[waiting] = (long)right[node];\n"
    "                weights[waiting++] = weight * (1 - left);\n"
    "            }\n"
    "            if (left > 0) {\n"
    "                nodes[waiting] = node + 1;\n"
    "                weights[waiting++] = weight * left;\n"
    "            }\n"
    "        }\n"
    "    }\n"
    "    scale = 1 + (scale - 1) * wholeness / (double)count;\n"
    "    for (k = 0; k < classes; k++) sums[k] += scale * log(means[k] / (double)count) - log_share[k];\n"
    "}\n";

/* ======== 4. Pooling and calibration ======== */

/* The pooling functions get the log posteriors of all members as a members x classes matrix. A member for which the row
 * is impossible has -INFINITY in every class. */
static const char average[] =
    "/* The weighted mean of the members' probabilities. */\n"
    "static void pool_average(const double *logs, const double *weights, long members, long classes, double *sums) {\n"
    "    long i, k;\n"
    "    for (k = 0; k < classes; k++) {\n"
    "        sums[k] = 0;\n"
    "        for (i = 0; i < members; i++) sums[k] += weights[i] * exp(logs[i * classes + k]);\n"
    "        sums[k] = log(sums[k]);\n"
    "    }\n"
    "}\n";

static const char product[] =
    "/* The members' probabilities to the power of their weights, times a factor for each class. */\n"
    "static void pool_product(const double *logs, const double *weights, long members, long classes,\n"
    "                         const double *log_factors, double *sums) {\n"
    "    long i, k, answers = 0;\n"
    "    for (k = 0; k < classes; k++) sums[k] = log_factors[k];\n"
    "    for (i = 0; i < members; i++) {\n"
    "        double most = -INFINITY;\n"
    "        for (k = 0; k < classes; k++)\n"
    "            if (logs[i * classes + k] > most) most = logs[i * classes + k];\n"
    "        if (weights[i] == 0 || most == -INFINITY) continue;\n"
    "        answers++;\n"
    "        for (k = 0; k < classes; k++)\n"
    "            sums[k] += weights[i] * (logs[i * classes + k] > -50 ? logs[i * classes + k] : -50);\n"
    "    }\n"
    "    for (k = 0; answers == 0 && members > 0 && k < classes; k++) sums[k] = -INFINITY;\n"
    "}\n";

static const char vote[] =
    "/* The total weight of the members that predict each class. */\n"
    "static void pool_votes(const double *logs, const double *weights, long members, long classes, double *sums) {\n"
    "    long i, k, answers = 0;\n"
    "    for (k = 0; k < classes; k++) sums[k] = 0;\n"
    "    for (i = 0; i < members; i++) {\n"
    "        long most = 0;\n"
    "        for (k = 1; k < classes; k++)\n"
    "            if (logs[i * classes + k] > logs[i * classes + most]) most = k;\n"
    "        if (weights[i] == 0 || logs[i * classes + most] == -INFINITY) continue;\n"
    "        answers++;\n"
    "        sums[most] += weights[i];\n"
    "    }\n"
    "    for (k = 0; answers == 0 && k < classes; k++) sums[k] = -INFINITY;\n"
    "}\n";

static const char prior_ratio[] =
    "/* Log posteriors as if the prior were the relative frequencies used when calibration was fitted. */\n"
    "static void take_out_prior(double *sums, const double *log_prior_ratio, long classes) {\n"
    "    double all;\n"
    "    long k;\n"
    "    for (k = 0; k < classes; k++)\n"
    "        if (log_prior_ratio[k] > -INFINITY) sums[k] -= log_prior_ratio[k];\n"
    "    all = log_sum_exp(sums, classes);\n"
    "    for (k = 0; k < classes; k++) sums[k] -= all;\n"
    "}\n";

static const char scaling[] =
    "/* Calibration by scaled log posteriors. */\n"
    "static void calibrate_scaling(double *sums, double slope, const double *offset, long classes) {\n"
    "    long k;\n"
    "    for (k = 0; k < classes; k++) sums[k] = slope * (sums[k] > -50 ? sums[k] : -50) + offset[k];\n"
    "}\n";

static const char isotonic[] =
    "/* Isotonic calibration: linear interpolation between points for each class. */\n"
    "static void calibrate_isotonic(double *sums, const double *points, const double *from, const double *to,\n"
    "                               long classes) {\n"
    "    long k, i;\n"
    "    for (k = 0; k < classes; k++) {\n"
    "        double x = exp(sums[k]), y;\n"
    "        long count = (long)points[k];\n"
    "        for (i = 0; i < count && from[i] <= x; i++) {}\n"
    "        if (i == 0) y = to[0];\n"
    "        else if (i == count) y = to[count - 1];\n"
    "        else y = to[i - 1] + (x - from[i - 1]) / (from[i] - from[i - 1]) * (to[i] - to[i - 1]);\n"
    "        sums[k] = log(y);\n"
    "        from += count;\n"
    "        to += count;\n"
    "    }\n"
    "}\n";

/* ======== 5. List of functions ======== */

const char *const crd_i_c_texts[CRD_I_C_FUNCTIONS] = {
    [CRD_I_C_FIND_SORTED] = find_sorted,
    [CRD_I_C_FIND] = find,
    [CRD_I_C_LOG_SUM_EXP] = log_sum_exp,
    [CRD_I_C_CONCLUDE] = conclude,
    [CRD_I_C_SCALED] = scaled,
    [CRD_I_C_NORMAL] = normal,
    [CRD_I_C_STUDENT] = student,
    [CRD_I_C_POISSON] = poisson,
    [CRD_I_C_UNIFORM] = uniform,
    [CRD_I_C_HISTOGRAM] = histogram,
    [CRD_I_C_KERNEL] = kernel,
    [CRD_I_C_MIXTURE] = mixture,
    [CRD_I_C_ELLIPTIC] = elliptic,
    [CRD_I_C_JOINT_NORMAL] = joint_normal,
    [CRD_I_C_JOINT_MIXTURE] = joint_mixture,
    [CRD_I_C_JOINT_TABLE] = joint_table,
    [CRD_I_C_ITEM] = item,
    [CRD_I_C_AODE] = aode,
    [CRD_I_C_PAIRS] = pairs,
    [CRD_I_C_TREES] = trees,
    [CRD_I_C_AVERAGE] = average,
    [CRD_I_C_PRODUCT] = product,
    [CRD_I_C_VOTE] = vote,
    [CRD_I_C_PRIOR_RATIO] = prior_ratio,
    [CRD_I_C_SCALING] = scaling,
    [CRD_I_C_ISOTONIC] = isotonic,
};
