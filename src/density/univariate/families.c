/* SPDX-License-Identifier: MIT */
/* families.c - the table of families, the functions that work for every family, and the setting `family`.
 *
 * Contents:
 *   1. Table of families
 *   2. The setting family
 *   3. Unknown words */
#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "density/univariate/family.h"
#include "settings/settings_internal.h"

#include <credence/number.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

/* ======== 1. Table of families ======== */

/* The first family of each column type is the default. */
/* clang-format off: keep three columns */
static const crd_i_family *const families[] = {
    &crd_i_family_categorical,    &crd_i_family_gaussian,    &crd_i_family_student,
    &crd_i_family_lognormal,      &crd_i_family_exponential, &crd_i_family_uniform,
    &crd_i_family_bernoulli,      &crd_i_family_poisson,     &crd_i_family_histogram,
    &crd_i_family_kernel,         &crd_i_family_mixture,     &crd_i_family_multinomial,
    &crd_i_family_term_bernoulli, &crd_i_family_complement,  &crd_i_family_dirichlet_multinomial,
};
/* clang-format on */

enum { FAMILY_COUNT = sizeof families / sizeof *families };

const crd_i_family crd_i_family_auto = {
    .name = "auto",
    .summary = "the family with the highest held-out likelihood of the classes, for each column",
    .reads = {&crd_i_moments, &crd_i_signs, &crd_i_logs, &crd_i_grid},
};

const crd_i_family *const *crd_i_family_table(size_t *count) {
    *count = FAMILY_COUNT;
    return families;
}

const crd_i_family *crd_i_family_for(crd_column_type type) {
    for (size_t i = 0; i < FAMILY_COUNT; i++)
        if (crd_i_family_column_type(families[i]) == type) return families[i];
    return NULL;
}

const crd_i_family *crd_i_family_named(crd_text name) {
    for (size_t i = 0; i < FAMILY_COUNT; i++)
        if (crd_text_equal(name, crd_text_of(families[i]->name))) return families[i];
    return crd_text_equal(name, crd_text_of(crd_i_family_auto.name)) ? &crd_i_family_auto : NULL;
}

const crd_i_family *crd_i_family_of_type(const crd_i_family *family, crd_column_type type) {
    if (crd_i_family_column_type(family) == type) return family;
    for (size_t i = 0; i < FAMILY_COUNT; i++)
        if (strcmp(families[i]->name, family->name) == 0 && crd_i_family_column_type(families[i]) == type)
            return families[i];
    return NULL;
}

crd_column_type crd_i_family_column_type(const crd_i_family *family) {
    return family->reads[0]->type;
}

/* Returns the optional statistics that the family reads. */
static crd_i_extras family_extras(const crd_i_family *family) {
    crd_i_extras extras = 0;
    for (size_t i = 0; family->reads[i] != NULL; i++) extras |= crd_i_extras_of(family->reads[i]);
    return extras;
}

bool crd_i_family_describe(const crd_i_family *family, crd_family *out) {
    crd_family found_family = CRD_FAMILY_INIT;
    if (family != NULL) {
        found_family.name = family->name;
        found_family.summary = family->summary;
        found_family.type = crd_i_family_column_type(family);
        found_family.is_discrete = family->is_discrete;
    }
    crd_i_copy_out(&found_family, sizeof found_family, out);
    return family != NULL;
}

int crd_family_at(size_t index, crd_family *out) {
    return crd_i_family_describe(index < FAMILY_COUNT ? families[index] : NULL, out);
}

void *crd_i_density_create(crd_context *context, const crd_i_family *family, size_t conditions, size_t size,
                           size_t each) {
    if (each > 0 && conditions > (SIZE_MAX / 2 - size) / each) return NULL;
    crd_i_density *density = crd_i_arena_object(context, size + conditions * each);
    if (density == NULL) return NULL;
    density->family = family;
    density->context = context;
    density->conditions = conditions;
    return density;
}

void crd_i_density_destroy(crd_i_density *density) {
    if (density == NULL) return;
    if (density->family->destroy != NULL) density->family->destroy(density);
    else crd_i_arena_destroy(density->arena);
}

void crd_i_density_add_block(const crd_i_density *density, const crd_i_cells *cells, const crd_i_block *block) {
    if (density->family->add_block != NULL) density->family->add_block(density, cells, block);
    else crd_i_density_add_rows(density, cells, block);
}

void crd_i_density_add_rows(const crd_i_density *density, const crd_i_cells *cells, const crd_i_block *block) {
    size_t conditions = density->conditions;
    for (size_t row = 0; row < block->rows; row++) {
        crd_i_cells one = {.rows = 1};
        if (cells->numbers != NULL) one.numbers = cells->numbers + row;
        if (cells->codes != NULL) one.codes = cells->codes + row;
        if (cells->texts != NULL) one.texts = cells->texts + row;
        if (cells->text_logs != NULL) one.text_logs = cells->text_logs + row * conditions;
        double *sums = block->sums + row;
        for (size_t k = 0; k < conditions; k++) block->row_sums[k] = sums[k * block->stride];
        density->family->add(density, &one, block->row_sums);
        for (size_t k = 0; k < conditions; k++) sums[k * block->stride] = block->row_sums[k];
    }
}

bool crd_i_density_covers(const crd_i_density *density, double x) {
    return density->family->covers == NULL || density->family->covers(density, x);
}

void crd_i_rest_destroy(crd_i_rest *remainder) {
    if (remainder != NULL) remainder->family->rest_destroy(remainder);
}

void crd_i_misfit_text(const crd_i_misfit *misfit, char *buffer, size_t size) {
    char cells[CRD_NUMBER_ROOM];
    crd_number_format(misfit->cells, cells);
    snprintf(buffer, size, "%s of its values %s %s", cells, misfit->cells == 1 ? "is" : "are", misfit->description);
}

bool crd_i_estimates_add(crd_i_estimates *estimates, const char *description, uint64_t count) {
    size_t i = 0;
    while (i < estimates->count && strcmp(estimates->entries[i].what, description) != 0) i++;
    if (i == estimates->count) {
        if (!crd_i_reserve(estimates->context, &estimates->entries, &estimates->capacity, i + 1,
                           sizeof *estimates->entries))
            return false;
        estimates->entries[i].what = description;
        estimates->entries[i].count = 0;
        estimates->count++;
    }
    estimates->entries[i].count += count;
    return true;
}

void crd_i_estimates_clear(crd_i_estimates *estimates) {
    crd_free(estimates->context, estimates->entries);
    estimates->entries = NULL;
    estimates->count = estimates->capacity = 0;
}

double crd_i_log_ratio(double a, double b) {
    double ratio = a / b;
    if (a > 0 && ratio < DBL_MIN) return crd_log(a) - crd_log(b);
    return crd_log(ratio);
}

/* ======== 2. The setting family ========
 *
 * The value is FAMILY, or COL=FAMILY,... with FAMILY or *=FAMILY for all other columns.
 *
 * The canonical text lists the columns in byte order and then the family of the other columns, unless that is the
 * default. */

typedef struct setting_choices {
    crd_context *context;
    crd_i_dictionary *columns;
    const crd_i_family **families; /* the family of each column */
    size_t capacity;
    const crd_i_family *others; /* the family of all other columns; NULL: not specified */
} setting_choices;

static void family_setting_clear(setting_choices *choices) {
    crd_i_dictionary_destroy(choices->columns);
    crd_free(choices->context, choices->families);
    choices->columns = NULL;
    choices->families = NULL;
}

static crd_status family_setting_fail_unknown(crd_text name, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    size_t count;
    const crd_i_family *const *table = crd_i_family_table(&count);
    crd_i_fail(error, CRD_ERROR_SETTING, "unknown family '%s': expected auto, ", crd_i_quote(name, quoted));
    for (size_t i = 0; i < count; i++)
        if (crd_i_family_named(crd_text_of(table[i]->name)) == table[i])
            crd_i_error_item(error, i, crd_text_of(table[i]->name));
    return CRD_ERROR_SETTING;
}

/* Adds one item of the list: COL=FAMILY, *=FAMILY or FAMILY. The last '=' separates the column from the family. */
static crd_status family_setting_add_item(setting_choices *choices, crd_text item, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    size_t split = item.length;
    while (split > 0 && item.bytes[split - 1] != '=') split--;
    crd_text column = {item.bytes, split == 0 ? 0 : split - 1};
    crd_text after = {item.bytes + split, item.length - split}, name = crd_i_text_trim(after);
    const crd_i_family *family = crd_i_family_named(name);
    if (family == NULL) return family_setting_fail_unknown(name, error);
    if (split == 0 || crd_text_equal(column, crd_text_of("*"))) {
        if (choices->others != NULL)
            return crd_i_fail(error, CRD_ERROR_SETTING, "the family of the other columns is specified twice");
        choices->others = family;
        return CRD_OK;
    }
    if (choices->columns == NULL) choices->columns = crd_i_dictionary_create(choices->context);
    if (choices->columns == NULL) return crd_i_fail_memory(error);
    size_t count = crd_i_dictionary_size(choices->columns);
    if (crd_i_dictionary_find(choices->columns, column) >= 0)
        return crd_i_fail(error, CRD_ERROR_SETTING, "column '%s' is specified twice", crd_i_quote(column, quoted));
    if (!crd_i_reserve(choices->context, &choices->families, &choices->capacity, count + 1,
                       sizeof *choices->families) ||
        crd_i_dictionary_add(choices->columns, column) < 0)
        return crd_i_fail_memory(error);
    choices->families[count] = family;
    return CRD_OK;
}

static bool family_setting_no_numbers(crd_text text, double *value) {
    (void)text;
    *value = 0;
    return false;
}

/* Sorts the columns in byte order, so the order in the setting does not matter. Returns false if memory runs out. */
static bool family_setting_sort(setting_choices *choices) {
    if (choices->columns == NULL) return true;
    setting_choices sorted = {.context = choices->context, .others = choices->others};
    size_t count = crd_i_dictionary_size(choices->columns);
    int32_t *codes = crd_i_alloc(choices->context, count, sizeof *codes);
    sorted.columns = crd_i_dictionary_create(choices->context);
    sorted.families = crd_i_alloc(choices->context, count, sizeof *sorted.families);
    bool done = codes != NULL && sorted.columns != NULL && sorted.families != NULL &&
                crd_i_dictionary_order(choices->columns, NULL, family_setting_no_numbers, codes) != SIZE_MAX;
    for (size_t i = 0; done && i < count; i++) {
        sorted.families[i] = choices->families[codes[i]];
        done = crd_i_dictionary_add(sorted.columns, crd_i_dictionary_text(choices->columns, (size_t)codes[i])) >= 0;
    }
    crd_free(choices->context, codes);
    family_setting_clear(done ? choices : &sorted);
    if (done) *choices = sorted;
    return done;
}

crd_status crd_i_family_parse(crd_context *context, crd_text text, crd_i_dictionary **columns,
                              const crd_i_family ***column_families, const crd_i_family **others, crd_error *error) {
    setting_choices choices = {.context = context};
    crd_i_buffer item = {context, NULL, 0, 0};
    crd_status status = CRD_OK;
    for (bool more = true; status == CRD_OK && more;) {
        status = crd_i_item_next(&text, &item, &more, error);
        crd_text content = {item.bytes == NULL ? "" : (const char *)item.bytes, item.length};
        if (status == CRD_OK) status = family_setting_add_item(&choices, content, error);
    }
    crd_i_buffer_clear(&item);
    if (status == CRD_OK && !family_setting_sort(&choices)) status = crd_i_fail_memory(error);
    if (status != CRD_OK) {
        family_setting_clear(&choices);
        return status;
    }
    *columns = choices.columns;
    *column_families = choices.families;
    *others = choices.others == NULL ? &crd_i_family_gaussian : choices.others;
    return CRD_OK;
}

char *crd_i_family_text(crd_context *context, const crd_settings *settings) {
    const char *others = settings->family_of_others->name;
    if (settings->family_columns == NULL) return (char *)crd_i_text_copy(context, crd_text_of(others)).bytes;
    crd_i_buffer text = {context, NULL, 0, 0};
    size_t count = crd_i_dictionary_size(settings->family_columns);
    bool done = true;
    for (size_t i = 0; done && i < count; i++)
        done = crd_i_item_append(&text, i == 0, crd_i_dictionary_text(settings->family_columns, i),
                                 settings->family_choices[i]->name);
    if (done && settings->family_of_others != &crd_i_family_gaussian)
        done = crd_i_item_append(&text, false, crd_text_of("*"), others);
    if (done && crd_i_buffer_append(&text, "", 1)) return (char *)text.bytes;
    crd_i_buffer_clear(&text);
    return NULL;
}

crd_i_extras crd_i_settings_extras(const crd_settings *settings) {
    crd_i_extras extras = family_extras(settings->family_of_others);
    size_t count = settings->family_columns == NULL ? 0 : crd_i_dictionary_size(settings->family_columns);
    for (size_t i = 0; i < count; i++) extras |= family_extras(settings->family_choices[i]);
    /* The members of a stacked ensemble select the families of numeric columns unless the setting specifies them. */
    if (settings->method == CRD_I_METHOD_STACKING && crd_i_settings_is_default(settings, "family"))
        extras |= family_extras(&crd_i_family_auto);
    return extras;
}

/* ======== 3. Unknown words ========
 *
 * Finds out why the value of a setting was rejected. It may contain a word that a later version supports. Such a word
 * is an unknown family name, or a word that is not in the setting's syntax.
 *
 * A word consists of lowercase letters, digits and hyphens and begins with a letter. It is the whole value, or a colon
 * follows it. The known words of a setting are the words of its syntax string. */

static bool setting_word_is_letter(char byte) {
    return byte >= 'a' && byte <= 'z';
}

/* Returns the word at the beginning of `text`; its length is 0 if there is none. */
static crd_text word_of(crd_text text) {
    crd_text word = {text.bytes, 0};
    if (text.length == 0 || !setting_word_is_letter(text.bytes[0])) return word;
    while (word.length < text.length) {
        char byte = text.bytes[word.length];
        if (!setting_word_is_letter(byte) && !(byte >= '0' && byte <= '9') && byte != '-') break;
        word.length++;
    }
    if (word.length < text.length && text.bytes[word.length] != ':') word.length = 0;
    return word;
}

/* Returns whether one of the alternatives of a syntax string begins with the word. */
static bool setting_word_knows(const char *syntax, crd_text word) {
    for (const char *form = syntax; form != NULL;) {
        if (strncmp(form, word.bytes, word.length) == 0 && memchr("|:[", form[word.length], 4) != NULL) return true;
        form = strchr(form, '|');
        if (form != NULL) form++;
    }
    return false;
}

/* Finds the first unknown family name in a value of the setting `family`. Sets *is_unknown and `quoted`. A value that
 * cannot be split into items is not an error here. */
static crd_status find_family(crd_context *context, crd_text value, char quoted[CRD_I_QUOTED_ROOM], bool *is_unknown,
                              crd_error *error) {
    crd_i_buffer item = {.context = context};
    crd_status status = CRD_OK;
    for (bool more = true; status == CRD_OK && more && !*is_unknown;) {
        status = crd_i_item_next(&value, &item, &more, error);
        crd_text name = {(const char *)item.bytes, item.length};
        for (size_t i = item.length; i > 0 && name.length == item.length; i--) {
            if (item.bytes[i - 1] != '=') continue;
            name.bytes += i;
            name.length -= i;
        }
        crd_text word = item.length == 0 ? name : word_of(name);
        if (status != CRD_OK || word.length == 0 || word.length < name.length) continue;
        *is_unknown = crd_i_family_named(word) == NULL;
        crd_i_quote(word, quoted);
    }
    crd_i_buffer_clear(&item);
    return status == CRD_ERROR_SETTING ? CRD_OK : status;
}

crd_status crd_i_settings_unknown_word(crd_context *context, const crd_setting *setting, crd_text value,
                                       char quoted[CRD_I_QUOTED_ROOM], bool *is_unknown, crd_error *error) {
    *is_unknown = false;
    if (strcmp(setting->name, "family") == 0) return find_family(context, value, quoted, is_unknown, error);
    crd_text word = word_of(value);
    *is_unknown = word.length > 0 && !setting_word_knows(setting->syntax, word);
    if (*is_unknown) crd_i_quote(word, quoted);
    return CRD_OK;
}
