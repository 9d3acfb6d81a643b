/* SPDX-License-Identifier: MIT */
/* fuzz_given.c - lists that a command takes, such as Outlook=Sunny,"Wind"="Very, very strong": refused, or split into
 * items of which none is longer than the text, and which come back when they are typed in quotes.
 *
 * Bytes up to the first NUL are the list. */
#include "fuzz.h"

#include "core/lists.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 4096, NAMES = 6 };

/* The items as a list in which each stands in quotes. */
static void add_quoted(string *target_string, crd_text item) {
    if (target_string->length > 0) string_add_char(target_string, ',');
    string_add_char(target_string, '"');
    for (size_t i = 0; i < item.length; i++) {
        if (item.bytes[i] == '"') string_add_char(target_string, '"');
        string_add_char(target_string, item.bytes[i]);
    }
    string_add_char(target_string, '"');
}

static void check_items(const char *text, const list *items) {
    string quoted = {0};
    list again;
    size_t length = 0;
    FUZZ_CHECK(items->count > 0);
    for (size_t i = 0; i < items->count; i++) {
        length += items->items[i].length + 1;
        FUZZ_CHECK(items->items[i].bytes[items->items[i].length] == '\0');
        FUZZ_CHECK(list_has(items, items->items[i]));
        add_quoted(&quoted, items->items[i]);
    }
    FUZZ_CHECK(length <= strlen(text) + 1);
    FUZZ_CHECK(list_split(string_text(&quoted), &again) && again.count == items->count);
    for (size_t i = 0; i < items->count; i++)
        FUZZ_CHECK(again.is_quoted[i] && crd_text_equal(again.items[i], items->items[i]));
    list_free(&again);
    string_free(&quoted);
}

/* The name is the longest that the item begins with, and the value ends the item. */
static void check_assignments(const list *items) {
    static const char *const known[NAMES] = {"a", "a=b", "Outlook", "Wind ", "", "x,\"y\""};
    crd_text names[NAMES];
    for (size_t i = 0; i < NAMES; i++) names[i] = crd_text_of(known[i]);
    for (size_t i = 0; i < items->count; i++) {
        const crd_text item = items->items[i];
        size_t name = 0, near = 0;
        crd_text value = {NULL, 0};
        string shown = {0};
        if (list_split_assignment(items, i, names, NAMES, &name, &value)) {
            FUZZ_CHECK(name < NAMES && names[name].length + 1 + value.length <= item.length);
            FUZZ_CHECK(memcmp(item.bytes, names[name].bytes, names[name].length) == 0);
            FUZZ_CHECK(value.bytes + value.length == item.bytes + item.length && value.bytes[-1] != '\0');
        }
        for (size_t k = 0; k < NAMES; k++) {
            FUZZ_CHECK(list_distance(item, names[k]) == list_distance(names[k], item));
            list_add_near(&shown, &near, item, names[k]);
        }
        list_add_typed(&shown, item);
        string_free(&shown);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    if (length > MOST_TEXT) return 0;
    char *text = malloc(length + 1);
    list items;
    FUZZ_CHECK(text != NULL);
    if (length > 0) memcpy(text, bytes, length);
    text[length] = '\0';
    if (list_split(text, &items)) check_items(text, &items);
    else FUZZ_CHECK(items.items == NULL && items.bytes == NULL);
    list_free(&items);
    if (list_split_findings(text, &items)) {
        check_items(text, &items);
        check_assignments(&items);
    } else {
        FUZZ_CHECK(items.items == NULL && items.bytes == NULL);
    }
    list_free(&items);
    free(text);
    return 0;
}

void fuzz_seeds(fuzz_emit emit, void *user) {
    static const char *const lists[] = {
        "Outlook=Sunny,Wind =Strong",
        "\"Outlook\"=\"Sunny, \"\"warm\"\"\",a = \" b \" ",
        "\"Outlook=Sunny\",\"a=b\"=c,a=b=c",
        "a=\"x\":0.5,a=y:0.25,a=\"x\" y",
        "\"x,\"\"y\"\"\"=1,=2, = 3 ",
        "a=\"unclosed",
        "\"unclosed",
        "\"a\"b,c",
        "a==,=,==",
        "a,b , c",
        ",,",
        "",
        "a=",
        "a= ",
        "a=\"",
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) emit(user, lists[i], strlen(lists[i]));
}
