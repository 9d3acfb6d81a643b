/* SPDX-License-Identifier: MIT */
/* fuzz_event.c - the text of an event: refused, or an event whose text parses to an equal one, and which holds in as many
 * rows of a table however they are counted.
 *
 * The first byte is the allocation that fails in a run of its own; the rest is the event. */
#include "fuzz.h"
#include "query/event.h"

#include "table/read/reader.h"

#include <credence/query.h>

#include <string.h>

enum { MOST_TEXT = 2048, MOST_COMPARISONS = 1024, COLUMNS = 7 };

/* Names that are words of the language, begin others, or need quotes; categories, numbers and missing cells. */
static const char TABLE[] = "a,a b,n,not,P(x,\"q\"\"r,\",-\n"
                            "1x,x,1,y,u,\"k, \"\"l\"\"\",or\n"
                            ",and,-2.5,n,v,m,x\n"
                            "2x,(x),1e308,,u,m,\n"
                            "1x,x y,,y,,k,=\n";

static crd_table *read_table(crd_context *context) {
    crd_i_source *source = NULL;
    crd_reader *reader = NULL;
    crd_table *table = NULL;
    size_t columns[COLUMNS];
    for (size_t i = 0; i < COLUMNS; i++) columns[i] = i;
    FUZZ_CHECK(crd_i_source_memory(context, TABLE, sizeof TABLE - 1, true, &source, NULL) == CRD_OK);
    FUZZ_CHECK(crd_i_reader_open_source(context, source, "table", NULL, &reader, NULL) == CRD_OK);
    FUZZ_CHECK(crd_reader_column_count(reader) == COLUMNS);
    FUZZ_CHECK(crd_table_read(context, reader, columns, COLUMNS, &table, NULL) == CRD_OK);
    crd_reader_close(reader);
    return table;
}

/* The same comparisons, and the same truth under some assignments of truth to them. */
static void check_equal(const crd_event *one, const crd_event *other) {
    unsigned char are_true[MOST_COMPARISONS];
    const size_t count = crd_event_comparison_count(one);
    FUZZ_CHECK(count > 0 && count == crd_event_comparison_count(other));
    if (count > MOST_COMPARISONS) return;
    for (size_t i = 0; i < count; i++) {
        const crd_column_comparison left = crd_event_comparison(one, i), right = crd_event_comparison(other, i);
        FUZZ_CHECK(left.column < COLUMNS && left.column == right.column && left.relation == right.relation);
        FUZZ_CHECK(crd_text_equal(left.value, right.value));
    }
    for (size_t assignment = 0; assignment < 64; assignment++) {
        for (size_t i = 0; i < count; i++) are_true[i] = assignment >> i % 6 & 1;
        FUZZ_CHECK(!crd_i_event_is_true(one, are_true) == !crd_i_event_is_true(other, are_true));
    }
}

static void check_again(crd_context *context, const crd_event *event, const crd_text *names) {
    crd_event *again = NULL;
    FUZZ_CHECK(crd_event_parse(context, crd_event_text(event), names, COLUMNS, &again, NULL) == CRD_OK);
    FUZZ_CHECK(crd_text_equal(crd_event_text(event), crd_event_text(again)));
    check_equal(event, again);
    crd_event_destroy(again);
}

/* The comparisons of the parts, one part after the other, are those of the whole. */
static void check_parts(const crd_event *event) {
    for (int join = CRD_EVENT_OR; join <= CRD_EVENT_AND; join++) {
        size_t comparisons = 0;
        const size_t count = crd_event_part_count(event, (crd_event_join)join);
        for (size_t i = 0; i < count; i++) {
            const crd_event *part = crd_event_part(event, i);
            FUZZ_CHECK(crd_event_text(part).length > 0);
            comparisons += crd_event_comparison_count(part);
        }
        FUZZ_CHECK(count == 0 || (count > 1 && comparisons == crd_event_comparison_count(event)));
    }
}

static void check_counts(const crd_table *table, const crd_event *event) {
    const crd_event *const twice[] = {event, event};
    uint64_t once_rows = 0, twice_rows = 0;
    crd_table *given = NULL;
    crd_error error = {0};
    crd_status status = crd_table_count(table, twice, 1, &once_rows, &error);
    FUZZ_CHECK(status == CRD_OK || (status == CRD_ERROR_COLUMN && error.message[0] != '\0'));
    FUZZ_CHECK(crd_table_count(table, twice, 2, &twice_rows, &error) == status && once_rows == twice_rows);
    FUZZ_CHECK(crd_table_given(table, NULL, 0, event, &given, &error) == status &&
               (given != NULL) == (status == CRD_OK));
    if (status == CRD_OK) {
        FUZZ_CHECK(crd_table_rows(given) == once_rows);
        FUZZ_CHECK(once_rows + crd_table_left_out(given) <= crd_table_rows(table));
    }
    crd_table_destroy(given);
}

static void parse(crd_text text, unsigned refuse) {
    fuzz_accounts accounts;
    crd_context *context = fuzz_context(&accounts, 0);
    crd_table *table = read_table(context);
    crd_text names[COLUMNS];
    crd_event *event = NULL;
    crd_error error = {0};
    for (size_t i = 0; i < COLUMNS; i++) names[i] = crd_table_column_name(table, i);
    accounts.refuse = refuse == 0 ? 0 : accounts.ullong + refuse;
    crd_status status = crd_event_parse(context, text, names, COLUMNS, &event, &error);
    accounts.refuse = 0;
    FUZZ_CHECK((status == CRD_OK) == (event != NULL));
    if (status != CRD_OK) {
        FUZZ_CHECK(error.status == status && error.message[0] != '\0');
        FUZZ_CHECK(status == CRD_ERROR_SYNTAX || status == CRD_ERROR_COLUMN || status == CRD_ERROR_LIMIT ||
                   (status == CRD_ERROR_MEMORY && refuse != 0));
    } else if (refuse == 0) {
        check_again(context, event, names);
        check_parts(event);
        check_counts(table, event);
    }
    crd_event_destroy(event);
    crd_table_destroy(table);
    fuzz_context_end(context, &accounts);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    if (length < 1 || length > MOST_TEXT) return 0;
    const crd_text text = {(const char *)bytes + 1, length - 1};
    parse(text, 0);
    if (bytes[0] != 0) parse(text, bytes[0]);
    return 0;
}

void fuzz_seeds(fuzz_emit emit, void *user) {
    static const char *const events[] = {
        "a=1x",
        " a b = x y and n>=-2.5 or not (n != 1, not=y) ",
        "P(a=1x && -=or || NOT(a=2x))",
        "P(x=u",
        "P(P(x=u)",
        "\"q\"\"r,\"=\"k, \"\"l\"\"\"",
        "\"a=1x\",\"n<1e308\"",
        "n<=1e308 AND n>-1e309 OR n==nan",
        "a b=(x) or (a b=and)",
        "not not not not a=1x",
        "((((((a=1x))))))",
        "a=1x,a=2x,n=1,not=n",
        "unknown=1",
        "a=1x and",
        "a=\"x",
        "a b=x and y",
        "a=",
        "(",
        "",
    };
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        for (unsigned char refuse = 0; refuse < 9; refuse = (unsigned char)(refuse + 2)) {
            unsigned char input[128];
            const size_t length = strlen(events[i]);
            input[0] = refuse;
            memcpy(input + 1, events[i], length);
            emit(user, input, 1 + length);
        }
}
