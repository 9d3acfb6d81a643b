/* SPDX-License-Identifier: MIT */
/* No table is taken for a network or for a hidden Markov model, whatever words its names and values have. */
#include "random_table.h"
#include "sanitizer_support.h"
#include "sequence/stated_hmm.h"

#include <credence/network.h>

enum { TABLES = FEWER_IF_SANITIZED(2000), ROOM = 1 << 16 };

static const char *const hostile[] = {
    "<smile>",
    "a <smile> b",
    "<smile version=\"1.0\" id=\"n\">",
    "<BIF>",
    "<BIF VERSION",
    "<!DOCTYPE BIF [",
    "network {",
    "network x {",
    "network",
    "variable x {",
    "variable",
    "probability(rain)",
    "probability (x",
    "probability (x) {",
    "probability ( x | y ) {mm}",
    "net {",
    "net {a=1}",
    "node x {",
    "class x {",
    "class",
    "discrete node x {",
    "utility u {",
    "bnet x {",
    "bnet",
    "BAYES",
    "MARKOV",
    "{",
    "{1}",
    "credence_hmm",
    "states",
    "start",
    "transitions",
    "</smile>",
    "<nodes/",
    "<?xml version='1.0'?><a/> b",
    "3",
};
enum { HOSTILE = sizeof hostile / sizeof *hostile };

typedef struct recognition_rendering {
    char *bytes;
    size_t length;
} recognition_rendering;

static void put(recognition_rendering *rendering, const char *text) {
    const size_t length = strlen(text);
    assert_true(rendering->length + length < ROOM);
    memcpy(rendering->bytes + rendering->length, text, length + 1);
    rendering->length += length;
}

/* A value as a field of a delimited table, or a string of JSON. */
static void put_value(recognition_rendering *recognition, const char *text, char separator) {
    const bool is_json = separator == '{', is_quoted = is_json || strpbrk(text, ",;\t\"\n") != NULL ||
                                                       (separator == ' ' && strpbrk(text, " ") != NULL);
    if (is_quoted) put(recognition, "\"");
    for (; *text != '\0'; text++) {
        const char byte[] = {*text, '\0'};
        if (is_quoted && *text == '"') put(recognition, is_json ? "\\\"" : "\"\"");
        else put(recognition, is_json && *text == '\n' ? "\\n" : byte);
    }
    if (is_quoted) put(recognition, "\"");
}

/* The value of a row, or the column's name. */
static void put_cell(recognition_rendering *recognition, const random_table *table, size_t row, size_t column,
                     char separator) {
    char number[CRD_NUMBER_ROOM];
    const bool is_number = table->is_number[column], is_hostile = table_below(4) == 0;
    crd_number_format(table->numbers[column][row], number);
    const char *text = is_number ? number : table->texts[column][row];
    if (is_hostile && !is_number) text = hostile[table_below(HOSTILE)];
    put_value(recognition, text == NULL || text[0] == '\0' ? "NA" : text, separator);
}

static void render(recognition_rendering *recognition, const random_table *table, const size_t *names, char separator) {
    const char between[] = {separator == '{' ? ',' : separator, '\0'};
    recognition->length = 0;
    for (size_t row = 0; row <= table->rows; row++) {
        if (separator == '{' && row == 0) continue;
        if (separator == '{') put(recognition, "{");
        for (size_t column = 0; column < table->columns; column++) {
            if (column > 0) put(recognition, between);
            if (row == 0 || separator == '{') put_value(recognition, hostile[names[column]], separator);
            if (separator == '{') put(recognition, ":");
            if (row > 0) put_cell(recognition, table, row - 1, column, separator);
        }
        put(recognition, separator == '{' ? "}\n" : "\n");
    }
}

static void tables_stay_tables(void **state) {
    static const char separators[] = {',', '\t', ';', ' ', '{'};
    recognition_rendering text = {.bytes = malloc(ROOM)};
    (void)state;
    assert_non_null(text.bytes);
    for (uint64_t seed = 0; seed < TABLES; seed++) {
        random_table table;
        size_t names[TABLE_COLUMNS];
        make_table(&table, seed);
        if (table.rows < 2) continue;
        if (table_below(4) == 0) table.columns = 1;
        for (size_t i = 0; i < table.columns; i++) names[i] = table_below(HOSTILE);
        for (size_t i = 0; i < sizeof separators; i++) {
            render(&text, &table, names, separators[i]);
            const crd_network_format format = crd_network_recognize((crd_text){text.bytes, text.length});
            if (format != CRD_NETWORK_FORMAT_ANY)
                fail_msg("taken for a network of format %d:\n%s", (int)format, text.bytes);
            if (separators[i] == '{' && strstr(text.bytes, "\"credence_hmm\":") != NULL) continue;
            if (crd_i_stated_hmm_recognize((const unsigned char *)text.bytes, text.length))
                fail_msg("taken for a hidden Markov model:\n%s", text.bytes);
        }
    }
    free(text.bytes);
}

/* One column of whole numbers, of any name. */
static void columns_of_counts(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < TABLES; seed++) {
        char text[256];
        table_random_state = seed;
        size_t length = (size_t)snprintf(text, sizeof text, "%s\n", hostile[table_below(HOSTILE)]);
        for (size_t rows = 1 + table_below(30); rows > 0; rows--)
            length += (size_t)snprintf(text + length, sizeof text - length, "%zu\n", table_below(4));
        const crd_network_format format = crd_network_recognize((crd_text){text, length});
        if (format != CRD_NETWORK_FORMAT_ANY) fail_msg("taken for a network of format %d:\n%s", (int)format, text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_stay_tables),
        cmocka_unit_test(columns_of_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
