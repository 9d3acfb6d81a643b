/* SPDX-License-Identifier: MIT */
/* family_setting.c - parses and formats the setting `family`: FAMILY, or COL=FAMILY,... with FAMILY or *=FAMILY for all
 * other columns.
 *
 * The canonical text lists the columns in byte order and then the family of the other columns, unless that is the
 * default. */
#include "density/univariate/family.h"
#include "settings/list_items.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

#include <string.h>

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
                              const crd_i_family ***families, const crd_i_family **others, crd_error *error) {
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
    *families = choices.families;
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
    crd_i_extras extras = crd_i_family_extras(settings->family_of_others);
    size_t count = settings->family_columns == NULL ? 0 : crd_i_dictionary_size(settings->family_columns);
    for (size_t i = 0; i < count; i++) extras |= crd_i_family_extras(settings->family_choices[i]);
    /* The members of a stacked ensemble select the families of numeric columns unless the setting specifies them. */
    if (settings->method == CRD_I_METHOD_COMMITTEE && crd_i_settings_is_default(settings, "family"))
        extras |= crd_i_family_extras(&crd_i_family_auto);
    return extras;
}
