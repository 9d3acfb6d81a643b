/* SPDX-License-Identifier: MIT */
/* Random tables of sequences, read as they are said to be: the same for any size of blocks, batches and memory, and what a plain
 * reading of the rows gives. */
#include "unit/sequence_support.h"

enum { TABLES = 60, MOST_ROWS = 60, IDS = 5 };

static uint64_t seed;

static size_t draw(size_t below) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(seed >> 33) % below;
}

static void compare(sequence_case *given, const transcript *expected, const char *description) {
    static const size_t BLOCKS[] = {0, 1, 9, 40, 200};
    for (size_t i = 0; i < sizeof BLOCKS / sizeof *BLOCKS; i++) {
        given->reader.block_bytes = BLOCKS[i];
        given->options.batch_rows = draw(20);
        given->options.memory_bytes = draw(2);
        char *output = transcribe_case(given);
        if (strcmp(output, expected->text) != 0)
            print_message("%s\n%.*s\n", description, (int)given->length, given->bytes);
        assert_string_equal(output, expected->text);
        free(output);
    }
}

/* ---- Empty lines ---- */

static void test_tokens_between_empty_lines(void **state) {
    (void)state;
    static const char *const ENDS[] = {"\n", "\r\n"}, *const EMPTY[] = {"", " ", "  "};
    for (size_t table = 0; table < TABLES; table++) {
        transcript text = {NULL, 0, 0}, expected = {NULL, 0, 0};
        size_t rows = draw(MOST_ROWS) + 1, line = 0;
        bool is_open = false;
        const char *end = ENDS[draw(2)];
        say(&expected, "%s", "");
        say(&text, "%s", "");
        for (size_t row = 0; row < rows; row++) {
            while (draw(4) == 0) {
                say(&text, "%s%s", EMPTY[draw(3)], end);
                line++;
                if (is_open) say(&expected, "\n");
                is_open = false;
            }
            const char *token = draw(2) ? "\"" : "w";
            size_t number = draw(100);
            say(&text, "%s\t%zu%s", token, number, row + 1 == rows && draw(2) ? "" : end);
            line++;
            say(&expected, "%s %s,%zu@%zu", is_open ? "" : ":", token, number, line);
            is_open = true;
        }
        say(&expected, "\n");
        sequence_case given = SEQUENCE_CASE(text.text);
        given.options.blank_lines = given.reader.no_quotes = 1;
        given.reader.header = CRD_CHOICE_NO;
        given.reader.separator = CRD_SEPARATOR_TAB;
        compare(&given, &expected, "empty lines");
        given.as_rows_come = true;
        compare(&given, &expected, "empty lines, as rows come");
        free(text.text);
        free(expected.text);
    }
}

/* ---- Times ---- */

typedef struct reading_timed {
    size_t id, time, line;
} reading_timed;

static int by_id_and_time(const void *left, const void *right) {
    const reading_timed *a = left, *b = right;
    return a->id != b->id ? (a->id > b->id) - (a->id < b->id) : (a->time > b->time) - (a->time < b->time);
}

/* Times are all different, so that they are in each sequence. */
static size_t draw_rows(reading_timed *rows) {
    size_t count = draw(MOST_ROWS) + 1;
    for (size_t i = 0; i < count; i++) rows[i] = (reading_timed){draw(IDS), 2 * i, i + 2};
    for (size_t i = count - 1; i > 0 && seed % 3 != 0; i--) {
        size_t other = draw(i + 1), time = rows[i].time;
        rows[i].time = rows[other].time;
        rows[other].time = time;
    }
    return count;
}

/* Halves are rounded to even. */
static size_t round_steps(size_t gap, size_t step) {
    size_t whole = gap / step, remainder = 2 * (gap % step);
    return whole + (remainder > step || (remainder == step && whole % 2 == 1));
}

static void test_rows_in_the_order_of_times(void **state) {
    (void)state;
    for (size_t table = 0; table < TABLES; table++) {
        transcript text = {NULL, 0, 0}, expected = {NULL, 0, 0};
        reading_timed rows[MOST_ROWS];
        size_t count = draw_rows(rows), rank[IDS], next = 0, step = draw(2) * (1 + draw(4));
        for (size_t i = 0; i < IDS; i++) rank[i] = SIZE_MAX;
        say(&text, "t,id,x\n");
        say(&expected, "%s", "");
        for (size_t i = 0; i < count; i++) {
            say(&text, "%zu,i%zu,%zu\n", rows[i].time, rows[i].id, rows[i].line);
            if (rank[rows[i].id] == SIZE_MAX) rank[rows[i].id] = next++;
        }
        /* Sequences come in the order of their first rows. */
        for (size_t i = 0; i < count; i++) rows[i].id = rank[rows[i].id] * IDS + rows[i].id;
        qsort(rows, count, sizeof *rows, by_id_and_time);
        for (size_t i = 0; i < count; i++) {
            bool is_first = i == 0 || rows[i].id != rows[i - 1].id;
            if (is_first) say(&expected, "%si%zu:", i == 0 ? "" : "\n", rows[i].id % IDS);
            size_t steps = is_first || step == 0 ? 1 : round_steps(rows[i].time - rows[i - 1].time, step);
            for (size_t k = 1; k < steps; k++) say(&expected, " _+");
            say(&expected, " %zu@%zu", rows[i].line, rows[i].line);
        }
        say(&expected, "\n");
        sequence_case given = SEQUENCE_CASE(text.text);
        given.options.sequence = crd_text_of("id");
        given.options.time = crd_text_of("t");
        given.options.step = (double)step;
        compare(&given, &expected, "times");
        free(text.text);
        free(expected.text);
    }
}

int main(void) {
    seed = 20240229;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tokens_between_empty_lines),
        cmocka_unit_test(test_rows_in_the_order_of_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
