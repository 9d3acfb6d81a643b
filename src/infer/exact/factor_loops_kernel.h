/* SPDX-License-Identifier: MIT */
/* factor_loops_kernel.h - the loops of factor_loops.h, compiled for the CPU named by TARGET. The build flags disable
 * fused multiply-add. */

TARGET static void times(double *restrict large, const double *restrict small, size_t count) {
    for (size_t i = 0; i < count; i++) large[i] *= small[i];
}

TARGET static void scale(double *large, double factor, size_t count) {
    for (size_t i = 0; i < count; i++) large[i] *= factor;
}

TARGET static void add(double *restrict small, const double *restrict large, size_t count) {
    for (size_t i = 0; i < count; i++) small[i] += large[i];
}

TARGET static void raise_to(double *restrict small, const double *restrict large, size_t count) {
    for (size_t i = 0; i < count; i++) small[i] = large[i] > small[i] ? large[i] : small[i];
}

TARGET static double sum(const double *cells, size_t count) {
    double parts[4] = {0, 0, 0, 0};
    size_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (size_t j = 0; j < 4; j++) parts[j] += cells[i + j];
    for (; i < count; i++) parts[0] += cells[i];
    return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}

TARGET static double dot(const double *left, const double *right, size_t count) {
    double parts[4] = {0, 0, 0, 0};
    size_t i = 0;
    for (; i + 4 <= count; i += 4)
        for (size_t j = 0; j < 4; j++) parts[j] += left[i + j] * right[i + j];
    for (; i < count; i++) parts[0] += left[i] * right[i];
    return (parts[0] + parts[1]) + (parts[2] + parts[3]);
}
