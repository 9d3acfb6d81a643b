/* SPDX-License-Identifier: MIT */
/* Drawings of random graphs, read back: each line is followed from the name that it leaves to the names that it comes to,
 * and what is found are the arcs of the graph. Catches lines that end nowhere, that meet those of another node, or that
 * run through names. */
#include "core/graph_drawing.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 12, ROWS = 400, WIDTH = 120, UP = 1, DOWN = 2, LEFT = 4, RIGHT = 8, ARROW = 16, PASSED = 32 };

/* The picture: what goes through each cell, and the node, plus 1, whose name or brackets are there. */
typedef struct picture {
    unsigned char lines[ROWS][WIDTH];
    unsigned char names[ROWS][WIDTH];
    size_t rows;
} picture;

static const struct {
    const char *bytes;
    unsigned lines;
} characters[] = {{"│", UP | DOWN | PASSED},
                  {"─", LEFT | RIGHT},
                  {"┘", UP | LEFT},
                  {"┐", DOWN | LEFT},
                  {"└", UP | RIGHT},
                  {"┌", DOWN | RIGHT},
                  {"├", UP | DOWN | RIGHT},
                  {"┤", UP | DOWN | LEFT},
                  {"┬", DOWN | LEFT | RIGHT},
                  {"┴", UP | LEFT | RIGHT},
                  {"┼", UP | DOWN | LEFT | RIGHT},
                  {"▼", ARROW}};

/* Names are letters from A on, repeated; brackets belong to the name between them. */
static void read_picture(picture *p, const char *text) {
    memset(p, 0, sizeof *p);
    size_t column = 0, bracket = SIZE_MAX;
    for (; *text != '\0'; column++) {
        assert_true(p->rows < ROWS && column < WIDTH);
        if (*text == '\n') {
            p->rows++;
            column = SIZE_MAX;
        } else if (*text == '[') {
            bracket = column;
        } else if (*text >= 'A' && *text <= 'Z') {
            for (size_t i = bracket; i < column; i++) p->names[p->rows][i] = (unsigned char)(*text - 'A' + 1);
            p->names[p->rows][column] = (unsigned char)(*text - 'A' + 1);
            bracket = SIZE_MAX;
        } else if (*text == ']') {
            size_t first = column;
            while (p->names[p->rows][first - 1] == 0) first--;
            for (size_t i = first; i <= column; i++) p->names[p->rows][i] = p->names[p->rows][first - 1];
        } else if ((unsigned char)*text >= 0x80) {
            size_t i = 0;
            while (strncmp(text, characters[i].bytes, strlen(characters[i].bytes)) != 0) i++;
            p->lines[p->rows][column] = (unsigned char)characters[i].lines;
            text += strlen(characters[i].bytes) - 1;
        } else {
            assert_int_equal(*text, ' ');
        }
        text++;
    }
}

/* The name at or nearest to a column of a row: lines may come to the blank beside a short name. */
static size_t name_near(const picture *p, size_t row, size_t column) {
    for (size_t off = 0; off <= 1; off++) {
        if (p->names[row][column + off] != 0) return p->names[row][column + off] - 1U;
        if (column >= off && p->names[row][column - off] != 0) return p->names[row][column - off] - 1U;
    }
    return SIZE_MAX;
}

/* Follows a line that goes on in a direction to a cell. */
static void follow(const picture *p, size_t row, size_t column, unsigned direction, size_t first,
                   bool links[MOST][MOST]) {
    unsigned lines = p->lines[row][column];
    assert_true(row < p->rows && column < WIDTH && lines != 0);
    if ((lines & ARROW) != 0) {
        size_t target = name_near(p, row + 1, column);
        assert_true(target != SIZE_MAX);
        links[first][target] = true;
        return;
    }
    /* A line that runs across one that goes down passes below it. */
    if ((lines & PASSED) != 0 && (direction == LEFT || direction == RIGHT)) lines = direction;
    else lines &= ~(unsigned)(direction == DOWN ? UP : direction == LEFT ? RIGHT : direction == RIGHT ? LEFT : DOWN);
    if ((lines & UP) != 0) fail_msg("a line goes up");
    if ((lines & DOWN) != 0) follow(p, row + 1, column, DOWN, first, links);
    if ((lines & LEFT) != 0) follow(p, row, column - 1, LEFT, first, links);
    if ((lines & RIGHT) != 0) follow(p, row, column + 1, RIGHT, first, links);
}

static void read_back(const char *text, bool links[MOST][MOST]) {
    static picture p;
    read_picture(&p, text);
    for (size_t row = 0; row + 1 < p.rows; row++)
        for (size_t column = 0; column < WIDTH; column++)
            if (p.names[row][column] != 0 && (p.lines[row + 1][column] & UP) != 0)
                follow(&p, row + 1, column, DOWN, p.names[row][column] - 1U, links);
}

static size_t random_below(uint64_t *state, size_t limit) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(*state >> 33) % limit;
}

static void every_arc_is_drawn(void **state) {
    (void)state;
    size_t drawn = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        uint64_t random = seed;
        size_t count = 2 + random_below(&random, MOST - 1), percent = 10 + 10 * random_below(&random, 3);
        size_t length = 1 + random_below(&random, 9), arc_count = 0;
        char texts[MOST][16] = {0};
        const char *names[MOST];
        crd_result_arc arcs[MOST * MOST];
        bool wanted[MOST][MOST] = {0}, links[MOST][MOST] = {0};
        for (size_t i = 0; i < count; i++) {
            memset(texts[i], 'A' + (int)i, length);
            names[i] = texts[i];
            for (size_t k = 0; k < i; k++) {
                if (random_below(&random, 100) >= percent) continue;
                /* Numbers say nothing of the order. */
                size_t first = (k * 5 + 3) % count, limit = (i * 5 + 3) % count;
                if (count % 5 == 0) first = k, limit = i;
                arcs[arc_count++] = (crd_result_arc){first, limit, false};
                wanted[first][limit] = true;
            }
        }
        string text = {0};
        graph_draw(&text, &(crd_result_graph){names, count, arcs, arc_count}, WIDTH - 20, 2, false);
        if (strstr(string_text(&text), "Layer") == NULL) {
            char *without = strstr(text.bytes, "  Without arcs:");
            if (without != NULL) *without = '\0';
            read_back(string_text(&text), links);
            if (memcmp(wanted, links, sizeof wanted) != 0) fail_msg("seed %d:\n%s", (int)seed, string_text(&text));
            drawn++;
        }
        string_free(&text);
    }
    assert_true(drawn > 350);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_arc_is_drawn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
