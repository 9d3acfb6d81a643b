/* SPDX-License-Identifier: MIT */
/* plot_number.c - see plot_number.h. Powers of ten are parsed from text, because the results of pow differ between C
 * libraries. */
#include "plot/plot_number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MINUS "\xE2\x88\x92"
#define INFINITY_SIGN "\xE2\x88\x9E"

/* Values beyond these limits are drawn as infinite, or as 0. */
static const double LARGEST = 1e300, SMALLEST = 1e-300;

/* Returns 10^exponent, correctly rounded. */
static double plot_number_power_of_ten(int exponent) {
    char text[8] = {'1', 'e'};
    size_t index = 2;
    if (exponent < 0) text[index++] = '-';
    int size = abs(exponent);
    for (int unit = size >= 100 ? 100 : size >= 10 ? 10 : 1; unit > 0; unit /= 10)
        text[index++] = (char)('0' + size / unit % 10);
    double value = 1;
    crd_number_parse((crd_text){text, index}, &value);
    return value;
}

/* Returns the decimal exponent of the first digit of a positive number. */
static int decimal_exponent(double value) {
    int exponent = (int)floor(log10(value));
    if (plot_number_power_of_ten(exponent) > value) exponent--;
    if (plot_number_power_of_ten(exponent + 1) <= value) exponent++;
    return exponent;
}

static void plot_number_append(char out[CRD_I_PLOT_NUMBER_ROOM], const char *text) {
    size_t length = strlen(out), capacity = CRD_I_PLOT_NUMBER_ROOM - 1 - length, more = strlen(text);
    memcpy(out + length, text, more < capacity ? more : capacity);
    out[length + (more < capacity ? more : capacity)] = '\0';
}

/* Appends a nonnegative number, to three significant digits. */
static void append_size(double value, char out[CRD_I_PLOT_NUMBER_ROOM]) {
    char text[CRD_NUMBER_ROOM];
    if (value > LARGEST) {
        plot_number_append(out, INFINITY_SIGN);
        return;
    }
    if (value < SMALLEST) {
        plot_number_append(out, "0");
        return;
    }
    int exponent = decimal_exponent(value);
    if (exponent >= 2 && exponent < 6) {
        crd_number_format(nearbyint(value), text);
        plot_number_append(out, text);
        return;
    }
    double digits =
        exponent >= 2 ? value / plot_number_power_of_ten(exponent - 2) : value * plot_number_power_of_ten(2 - exponent);
    digits = nearbyint(digits);
    if (exponent >= -4 && exponent < 6) {
        crd_number_format(digits / plot_number_power_of_ten(2 - exponent), text);
        plot_number_append(out, text);
        return;
    }
    if (digits >= 1000) {
        digits /= 10;
        exponent++;
    }
    crd_number_format(digits / 100, text);
    plot_number_append(out, text);
    plot_number_append(out, "e");
    if (exponent < 0) plot_number_append(out, MINUS);
    crd_number_format(abs(exponent), text);
    plot_number_append(out, text);
}

const char *crd_i_plot_number(double value, char out[CRD_I_PLOT_NUMBER_ROOM]) {
    out[0] = '\0';
    if (isnan(value)) plot_number_append(out, "?");
    else append_size(fabs(value), out);
    if (value < 0 && strcmp(out, "0") != 0) {
        memmove(out + strlen(MINUS), out, strlen(out) + 1);
        memcpy(out, MINUS, strlen(MINUS));
    }
    return out;
}

const char *crd_i_plot_signed(double value, char out[CRD_I_PLOT_NUMBER_ROOM]) {
    crd_i_plot_number(value, out);
    if (!(value > 0) || strcmp(out, "0") == 0) return out;
    memmove(out + 1, out, strlen(out) + 1);
    out[0] = '+';
    return out;
}

const char *crd_i_plot_percent(double value, char out[CRD_I_PLOT_NUMBER_ROOM]) {
    char text[CRD_NUMBER_ROOM];
    out[0] = '\0';
    if (!(value >= 0 && value <= 1.0000001)) return crd_i_plot_number(value, out);
    if (value > 0 && value < 0.0005) plot_number_append(out, "<0.1");
    else if (value < 1 && value >= 0.9995) plot_number_append(out, ">99.9");
    else {
        crd_number_format(nearbyint(value * 1000) / 10, text);
        plot_number_append(out, text);
    }
    plot_number_append(out, "%");
    return out;
}

/* ---- Axes ---- */

void crd_i_plot_axis_begin(crd_i_plot_axis *axis) {
    *axis = (crd_i_plot_axis){.least = INFINITY, .greatest = -INFINITY};
}

void crd_i_plot_axis_cover(crd_i_plot_axis *axis, const double *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!(fabs(values[i]) <= LARGEST)) continue;
        double value = fabs(values[i]) < SMALLEST ? 0 : values[i];
        if (value < axis->least) axis->least = value;
        if (value > axis->greatest) axis->greatest = value;
    }
}

void crd_i_plot_axis_cover_bars(crd_i_plot_axis *axis, const double *values, size_t count) {
    static const double zero = 0;
    crd_i_plot_axis_cover(axis, &zero, 1);
    crd_i_plot_axis_cover(axis, values, count);
    double size = fmax(fabs(axis->least), fabs(axis->greatest));
    if (size == 0) size = 1;
    for (size_t i = 0; i < count; i++) {
        if (values[i] > LARGEST) axis->greatest = fmax(axis->greatest, size);
        if (values[i] < -LARGEST) axis->least = fmin(axis->least, -size);
    }
}

void crd_i_plot_axis_place(crd_i_plot_axis *axis, double start, double upper, size_t ticks) {
    if (axis->least > axis->greatest) {
        axis->least = 0;
        axis->greatest = 1;
    }
    double smallest = fmax(fabs(axis->least), fabs(axis->greatest)) * 1e-9;
    if (axis->greatest - axis->least <= smallest) {
        double margin = axis->least == 0 ? 0.5 : fabs(axis->least) * 0.1;
        axis->least -= margin;
        axis->greatest += margin;
    }
    axis->start = start;
    axis->end = upper;
    double rough = (axis->greatest - axis->least) / (double)ticks;
    if (rough < SMALLEST) rough = SMALLEST;
    double power = plot_number_power_of_ten(decimal_exponent(rough));
    axis->step = power * (rough <= power ? 1 : rough <= 2 * power ? 2 : rough <= 5 * power ? 5 : 10);
}

bool crd_i_plot_axis_tick(const crd_i_plot_axis *axis, size_t number, double *value,
                          char text[CRD_I_PLOT_NUMBER_ROOM]) {
    double first = ceil(axis->least / axis->step - 1e-9), multiple = first + (double)number;
    *value = multiple * axis->step;
    if (*value > axis->greatest + axis->step * 1e-9) return false;
    /* For a step below 1, divide by its reciprocal, which is a whole number. Ticks are then the doubles nearest to
     * their decimal values. */
    if (axis->step < 1) *value = multiple / nearbyint(1 / axis->step * 5) * 5;
    crd_i_plot_number(*value, text);
    return true;
}

double crd_i_plot_axis_at(const crd_i_plot_axis *axis, double value) {
    double share = (value - axis->least) / (axis->greatest - axis->least);
    if (value > LARGEST || share > 1) share = 1;
    if (value < -LARGEST || share < 0) share = 0;
    return axis->start + share * (axis->end - axis->start);
}
