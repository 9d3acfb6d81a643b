/* SPDX-License-Identifier: MIT */
/* arrow_type.c - the format strings of the Arrow C Data Interface. See arrow_type.h. */
#include "table/arrow/arrow_type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double MILLISECONDS_A_DAY = 86400e3;

/* The parts of a second, by their letters. */
static bool is_unit(char letter, double *divisor) {
    switch (letter) {
    case 's': *divisor = 1; return true;
    case 'm': *divisor = 1e3; return true;
    case 'u': *divisor = 1e6; return true;
    case 'n': *divisor = 1e9; return true;
    default: return false;
    }
}

static void arrow_type_set_number(crd_i_arrow_type *type, char letter, double divisor) {
    type->layout = CRD_I_ARROW_NUMBER;
    type->letter = letter;
    type->divisor = divisor;
}

static void set_clock(crd_i_arrow_type *type, crd_i_arrow_clock clock, char letter, double divisor) {
    arrow_type_set_number(type, letter, divisor);
    type->clock = clock;
}

static void set_foreign(crd_i_arrow_type *type, const char *description) {
    type->layout = CRD_I_ARROW_FOREIGN;
    type->foreign = description;
}

/* Dates in days; times of day, timestamps and durations in seconds. Intervals of months have no fixed length. */
static void read_temporal(crd_i_arrow_type *type, const char *format) {
    double divisor;
    set_foreign(type, "a time with an unknown unit");
    if (strcmp(format, "tdD") == 0) set_clock(type, CRD_I_ARROW_DATE, 'i', 1);
    else if (strcmp(format, "tdm") == 0) set_clock(type, CRD_I_ARROW_DATE, 'l', MILLISECONDS_A_DAY);
    else if (format[1] == 't' && is_unit(format[2], &divisor) && format[3] == '\0')
        set_clock(type, CRD_I_ARROW_TIME, divisor <= 1e3 ? 'i' : 'l', divisor);
    else if (format[1] == 's' && is_unit(format[2], &divisor) && format[3] == ':')
        set_clock(type, CRD_I_ARROW_TIMESTAMP, 'l', divisor);
    else if (format[1] == 'D' && is_unit(format[2], &divisor) && format[3] == '\0')
        arrow_type_set_number(type, 'l', divisor);
    else if (format[1] == 'i') set_foreign(type, "an interval of months and days");
}

/* d:precision,scale or d:precision,scale,bits */
static void read_decimal(crd_i_arrow_type *type, const char *format) {
    int precision, scale, bits = 128, end = 0;
    set_foreign(type, "a decimal with an unknown width");
    if (sscanf(format, "d:%d,%d%n", &precision, &scale, &end) < 2) return;
    if (format[end] == ',') bits = atoi(format + end + 1);
    else if (format[end] != '\0') return;
    if (bits != 32 && bits != 64 && bits != 128 && bits != 256) return;
    if (scale < -1000 || scale > 1000) return;
    type->layout = CRD_I_ARROW_DECIMAL;
    type->foreign = NULL;
    type->scale = scale;
    type->width = (size_t)bits / 8;
}

static void arrow_type_read_nested(crd_i_arrow_type *type, const char *format) {
    const char *description = "of an unknown nested type";
    if (strcmp(format, "+l") == 0 || strcmp(format, "+L") == 0 || strcmp(format, "+vl") == 0 ||
        strcmp(format, "+vL") == 0)
        description = "a list";
    else if (strncmp(format, "+w:", 3) == 0) description = "a list with a fixed size";
    else if (strcmp(format, "+s") == 0) description = "a struct";
    else if (strcmp(format, "+m") == 0) description = "a map";
    else if (strncmp(format, "+u", 2) == 0) description = "a union";
    set_foreign(type, description);
}

static void arrow_type_read_text(crd_i_arrow_type *type, crd_i_arrow_layout layout, size_t width) {
    type->layout = layout;
    type->width = width;
}

/* A type without runs and without a dictionary. */
static void read_plain(crd_i_arrow_type *type, const char *format) {
    bool is_letter = format[0] != '\0' && format[1] == '\0';
    long width;
    set_foreign(type, "of an unknown type");
    if (is_letter && strchr("cCsSiIlLefg", format[0]) != NULL) arrow_type_set_number(type, format[0], 1);
    else if (is_letter && format[0] == 'b') type->layout = CRD_I_ARROW_BOOLEAN;
    else if (is_letter && format[0] == 'n') type->layout = CRD_I_ARROW_NULL;
    else if (is_letter && (format[0] == 'u' || format[0] == 'z')) arrow_type_read_text(type, CRD_I_ARROW_TEXT, 4);
    else if (is_letter && (format[0] == 'U' || format[0] == 'Z')) arrow_type_read_text(type, CRD_I_ARROW_TEXT, 8);
    else if (strcmp(format, "vu") == 0 || strcmp(format, "vz") == 0) arrow_type_read_text(type, CRD_I_ARROW_VIEW, 16);
    else if (strncmp(format, "w:", 2) == 0 && (width = strtol(format + 2, NULL, 10)) > 0)
        arrow_type_read_text(type, CRD_I_ARROW_FIXED, (size_t)width);
    else if (strncmp(format, "d:", 2) == 0) read_decimal(type, format);
    else if (format[0] == 't') read_temporal(type, format);
    else if (format[0] == '+') arrow_type_read_nested(type, format);
    if (type->layout != CRD_I_ARROW_FOREIGN) type->foreign = NULL;
}

static bool is_integer(const char *format, const char *letters) {
    return format[0] != '\0' && strchr(letters, format[0]) != NULL && format[1] == '\0';
}

/* A type without runs. */
static void read_indexed(crd_i_arrow_type *type, const struct ArrowSchema *schema) {
    const char *format = schema->format == NULL ? "" : schema->format;
    if (schema->dictionary == NULL) {
        read_plain(type, format);
        return;
    }
    const char *values = schema->dictionary->format;
    read_plain(type, values == NULL || schema->dictionary->dictionary != NULL ? "" : values);
    if (!is_integer(format, "cCsSiIlL")) set_foreign(type, "a dictionary without integer indices");
    else if (type->foreign != NULL) set_foreign(type, "a dictionary whose values are nested, or have an unknown type");
    type->is_indexed = true;
    type->index_letter = format[0];
}

crd_i_arrow_type crd_i_arrow_type_of(const struct ArrowSchema *schema) {
    crd_i_arrow_type type = {.divisor = 1};
    snprintf(type.format, sizeof type.format, "%s", schema->format == NULL ? "" : schema->format);
    if (strcmp(type.format, "+r") != 0) {
        read_indexed(&type, schema);
        return type;
    }
    bool is_whole = schema->n_children == 2 && schema->children != NULL && schema->children[0] != NULL &&
                    schema->children[1] != NULL && schema->children[0]->format != NULL;
    if (!is_whole || !is_integer(schema->children[0]->format, "sil")) {
        set_foreign(&type, "a run-end encoding without ends or values");
        return type;
    }
    read_indexed(&type, schema->children[1]);
    if (type.foreign != NULL) set_foreign(&type, "runs whose values are nested, or have an unknown type");
    type.is_run_end = true;
    type.run_letter = schema->children[0]->format[0];
    return type;
}

crd_kind crd_i_arrow_type_kind(const crd_i_arrow_type *type) {
    switch (type->layout) {
    case CRD_I_ARROW_NULL:
    case CRD_I_ARROW_FOREIGN: return CRD_KIND_NONE;
    case CRD_I_ARROW_NUMBER:
    case CRD_I_ARROW_DECIMAL: return type->is_indexed ? CRD_KIND_CATEGORY : CRD_KIND_NUMBER;
    case CRD_I_ARROW_BOOLEAN:
    case CRD_I_ARROW_TEXT:
    case CRD_I_ARROW_VIEW:
    case CRD_I_ARROW_FIXED: break;
    }
    return CRD_KIND_CATEGORY;
}
