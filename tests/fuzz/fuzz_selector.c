/* SPDX-License-Identifier: MIT */
/* fuzz_selector.c - the text that picks columns, and lists of names: a name picks its own column alone, what is picked
 * ascends, and the items of a list, written as a list again, are the same items.
 *
 * The first byte is the allocation that fails in a run of its own. Then comes a line, the header of a table; the rest is
 * the selector, which is read as a list, too. */
#include "fuzz.h"

#include "settings/settings_internal.h"
#include "table/read/reader.h"

#include <string.h>

enum { MOST_TEXT = 2048 };

static void check_pick(const crd_reader *reader, crd_text selector) {
    size_t columns[MOST_TEXT], count = 0;
    crd_error error = {0};
    crd_status status = crd_reader_select(reader, selector, columns, &count, &error);
    FUZZ_CHECK(status == CRD_OK || (status == CRD_ERROR_COLUMN && error.message[0] != '\0'));
    FUZZ_CHECK(status != CRD_OK || (count > 0 && columns[count - 1] < crd_reader_column_count(reader)));
    for (size_t i = 1; status == CRD_OK && i < count; i++) FUZZ_CHECK(columns[i - 1] < columns[i]);
    for (size_t i = 0; i < crd_reader_column_count(reader); i++) {
        FUZZ_CHECK(crd_reader_select(reader, crd_reader_column_name(reader, i), columns, &count, NULL) == CRD_OK);
        FUZZ_CHECK(count == 1 && columns[0] == i);
    }
}

static void pick(crd_text header, crd_text selector, unsigned refuse) {
    fuzz_accounts accounts;
    crd_context *context = fuzz_context(&accounts, refuse);
    crd_i_source *source = NULL;
    crd_reader *reader = NULL;
    crd_reader_options options = CRD_READER_OPTIONS_INIT;
    crd_error error = {0};
    options.header = CRD_CHOICE_YES;
    crd_status status = crd_i_source_memory(context, header.bytes, header.length, true, &source, &error);
    if (status == CRD_OK) status = crd_i_reader_open_source(context, source, "table", &options, &reader, &error);
    if (status == CRD_OK) check_pick(reader, selector);
    if (status == CRD_OK) status = crd_reader_select_ignored(reader, selector, &error);
    if (status == CRD_OK) status = crd_reader_select_target(reader, crd_text_of("last"), &error);
    if (status == CRD_OK) status = crd_reader_select_weight(reader, selector, &error);
    FUZZ_CHECK(status == CRD_OK || error.message[0] != '\0');
    crd_reader_close(reader);
    fuzz_context_end(context, &accounts);
}

/* The items of a list as a list: `as_pairs` appends each as NAME=1. */
static crd_status rewrite(crd_context *context, crd_text list, bool as_pairs, crd_i_buffer *out, size_t *count,
                          crd_error *error) {
    crd_i_buffer item = {context, NULL, 0, 0};
    crd_status status = CRD_OK;
    *count = 0;
    for (bool more = true; status == CRD_OK && more;) {
        status = crd_i_item_next(&list, &item, &more, error);
        if (status != CRD_OK) break;
        crd_text name = {(const char *)item.bytes, item.length};
        if (as_pairs) { /* without the value, if there is one */
            size_t end = name.length;
            while (end > 0 && name.bytes[end - 1] != '=') end--;
            if (end > 0) name.length = end - 1;
        }
        const bool is_first = (*count)++ == 0;
        if (!(as_pairs ? crd_i_item_append(out, is_first, name, "1") : crd_i_item_append_name(out, is_first, name)))
            status = CRD_ERROR_MEMORY;
    }
    crd_i_buffer_clear(&item);
    return status;
}

static void list_again(crd_text list, bool as_pairs) {
    fuzz_accounts accounts;
    crd_context *context = fuzz_context(&accounts, 0);
    crd_i_buffer once = {context, NULL, 0, 0}, twice = {context, NULL, 0, 0};
    size_t count = 0, again = 0;
    crd_error error = {0};
    crd_status status = rewrite(context, list, as_pairs, &once, &count, &error);
    FUZZ_CHECK(status == CRD_OK || (status == CRD_ERROR_SETTING && error.message[0] != '\0'));
    if (status == CRD_OK) {
        const crd_text canonical = {(const char *)once.bytes, once.length};
        FUZZ_CHECK(rewrite(context, canonical, as_pairs, &twice, &again, &error) == CRD_OK && again == count);
        FUZZ_CHECK(once.length == twice.length);
        FUZZ_CHECK(once.length == 0 || memcmp(once.bytes, twice.bytes, once.length) == 0);
    }
    crd_i_buffer_clear(&once);
    crd_i_buffer_clear(&twice);
    fuzz_context_end(context, &accounts);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    if (length < 2 || length > MOST_TEXT) return 0;
    const uint8_t *text = bytes + 1, *line = memchr(text, '\n', length - 1);
    if (line == NULL) return 0;
    const crd_text header = {(const char *)text, (size_t)(line - text) + 1};
    const crd_text selector = {(const char *)line + 1, length - 1 - header.length};
    pick(header, selector, 0);
    if (bytes[0] != 0) pick(header, selector, bytes[0]);
    list_again(selector, false);
    list_again(selector, true);
    return 0;
}

void fuzz_seeds(fuzz_emit emit, void *user) {
    static const char *const headers[] = {
        "a,b,c,d,petal length,petal width,y\n",
        "3,1,2,last,first,a-b,*\n",
        "a\tb-c\tb\tc\t\xc3\xa9\n",
        "\"a,b\",\" c \",\"say \"\"d\"\"\",-\n",
        "x\n",
    };
    static const char *const selectors[] = {
        "a",
        "1",
        "2-4",
        "c-a",
        "a-b",
        "b-c-c",
        "petal*",
        "*",
        "?",
        "*?*a*?*",
        "first",
        "last",
        "first-last",
        "99999999999999999999",
        "0",
        "",
        "a,b,\"c, d\"",
        "\"a,b\"=0.5,c=1,\" d\"=2",
        "\"unclosed",
        "\"a\"b",
        " a , b ;c",
        "a=b=c,==,\"\"\"=1\"",
    };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        for (size_t j = 0; j < sizeof selectors / sizeof *selectors; j++) {
            unsigned char input[128];
            const size_t head = strlen(headers[i]), tail = strlen(selectors[j]);
            input[0] = (unsigned char)(j % 4 == 0 ? 3 * i : 0);
            memcpy(input + 1, headers[i], head);
            memcpy(input + 1 + head, selectors[j], tail);
            emit(user, input, 1 + head + tail);
        }
}
