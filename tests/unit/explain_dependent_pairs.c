/* SPDX-License-Identifier: MIT */
/* Which pairs of attributes depend on each other within a class: against the test of tables, textbook formulas, and
 * draws of which it is known. */
#include "model_support.h"

#include "math_random.h"

#include "counted_fixture.h"

enum { MOST = 2100 };

typedef struct found {
    crd_dependent_pair pairs[MOST];
    size_t count;
    crd_dependence_facts facts;
} found;

/* The pairs of `rows` under the model of `learned`. */
static found look_at(const char *learned, const char *rows) {
    static found result;
    result.facts = (crd_dependence_facts)CRD_DEPENDENCE_FACTS_INIT;
    result.pairs[0].size = sizeof *result.pairs;
    crd_model *model = trained(context, learned, "class");
    crd_dependence *dependence;
    crd_reader *reader;
    crd_error error;
    assert_done(open_text(context, rows, strlen(rows), NULL, &reader, &error), error);
    assert_done(crd_model_bind_to_learn(model, reader, &error), error);
    assert_done(crd_dependence_create(model, &dependence, &error), error);
    crd_model_destroy(model); /* no reference is kept */
    assert_done(crd_dependence_read(dependence, reader, &error), error);
    assert_done(crd_dependence_pairs(dependence, result.pairs, MOST, &result.count, &error), error);
    crd_dependence_facts_of(dependence, &result.facts);
    crd_dependence_destroy(dependence);
    crd_reader_close(reader);
    return result;
}

static const crd_dependent_pair *pair_of(const found *f, size_t a, size_t b) {
    for (size_t i = 0; i < f->count; i++)
        if (f->pairs[i].attributes[0] == a && f->pairs[i].attributes[1] == b) return &f->pairs[i];
    fail_msg("there is no pair %zu, %zu", a, b);
    return NULL;
}

/* ---- Each kind of pair ---- */

static const char CATEGORIES[] = "a,b,class\n"
                                 "u,x,p\nu,x,p\nu,x,p\nu,y,p\nv,y,p\nv,y,p\nv,x,p\nw,x,p\nw,y,p\n"
                                 "u,x,q\nu,y,q\nv,x,q\nv,y,q\nv,y,q\nw,y,q\nw,z,q\n?,x,q\nu,?,q\n";

static void test_categories(void **state) {
    (void)state;
    crd_independence wanted = CRD_INDEPENDENCE_INIT;
    crd_reader *reader;
    crd_table *table, *complete;
    crd_error error;
    const size_t columns[] = {0, 1, 2}, given[] = {2};
    assert_done(open_text(context, CATEGORIES, strlen(CATEGORIES), NULL, &reader, &error), error);
    assert_done(crd_table_read(context, reader, columns, 3, &table, &error), error);
    assert_done(crd_table_given(table, columns, 3, NULL, &complete, &error), error);
    assert_done(crd_table_independence(complete, &(size_t){0}, 1, &(size_t){1}, 1, given, 1, &wanted, &error), error);
    found f = look_at(CATEGORIES, CATEGORIES);
    assert_int_equal(f.count, 1);
    assert_near(f.pairs[0].statistic, wanted.g_squared, 1e-12);
    assert_true(f.pairs[0].degrees == wanted.degrees && f.pairs[0].rows == 16 && f.facts.rows == 18);
    /* The information of the counts, less what chance makes of it: degrees / 2 n nats. */
    assert_near(f.pairs[0].bits, fmax(0, (wanted.information - wanted.degrees / 32) / log(2)), 1e-12);
    crd_table_destroy(complete);
    crd_table_destroy(table);
    crd_reader_close(reader);
}

/* Correlations by hand: x and y are 1 2 3 4 with 1 3 2 4 in p, r = .8; in q they are 1 2 3 4 5 with 2 1 4 3 5, r = .8.
 */
static void test_numbers(void **state) {
    (void)state;
    static const char text[] = "x,y,class\n1,1,p\n2,3,p\n3,2,p\n4,4,p\n10,20,q\n20,10,q\n30,40,q\n40,30,q\n50,50,q\n"
                               "7,?,p\n?,7,q\n";
    found f = look_at(text, text);
    assert_int_equal(f.count, 1);
    assert_near(f.pairs[0].statistic, -(1.5 + 2.5) * log(1 - .64), 1e-3); /* numbers are in steps */
    assert_true(f.pairs[0].degrees == 2 && f.pairs[0].rows == 9);
    assert_false(f.pairs[0].matters); /* so few rows */
}

/* y has the means 2 and 6 for the values u and v, and 8 of its 40 squares are within these. */
static void test_one_of_each(void **state) {
    (void)state;
    static const char text[] = "y,k,class\n1,u,p\n1,u,p\n3,u,p\n3,u,p\n5,v,p\n5,v,p\n7,v,p\n7,v,p\n"
                               "100,w,p\n1,u,q\n2,v,q\n"; /* groups of a single row tell nothing */
    found f = look_at(text, text);
    assert_int_equal(f.count, 1);
    assert_near(f.pairs[0].statistic, -(8 - 2.5) * log(8. / 40), 1e-2);
    assert_true(f.pairs[0].degrees == 1 && f.pairs[0].rows == 11);
}

/* Copies: bounded by what the steps of numbers can tell. */
static void test_copies(void **state) {
    (void)state;
    static char text[40000];
    char *cursor = text + sprintf(text, "x,y,k,class\n");
    for (int i = 0; i < 600; i++)
        cursor +=
            sprintf(cursor, "%d,%d,%c,%c\n", i * 37 % 101, 3 * (i * 37 % 101) + 5, 'a' + i * 37 % 101 % 4, 'p' + i % 2);
    found f = look_at(text, text);
    assert_int_equal(f.count, 3);
    assert_true(f.pairs[0].attributes[0] == 0 && f.pairs[0].attributes[1] == 1);
    assert_near(f.pairs[0].bits, -.5 * log2(1e-7), .1);
    assert_true(f.pairs[0].matters);
}

/* ---- Chance and no chance ---- */

/* Standard normal, by twelve uniform numbers: near enough here. */
static double draw_normal(void) {
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += (double)(random_bits() >> 11) * 0x1p-53;
    return sum;
}

/* Four numbers and three categories that only the class connects; `shared` goes into the first two numbers, and copies
 * of the first category into the second in so many of eight rows. */
static void draw_table(char *text, int rows, double shared, size_t copies) {
    char *cursor = text + sprintf(text, "n1,n2,n3,n4,k1,k2,k3,class\n");
    for (int row = 0; row < rows; row++) {
        int class = row % 3;
        double common = shared * draw_normal();
        size_t first = random_below(4), second = random_below(8) < copies ? first : random_below(4);
        cursor += sprintf(cursor, "%.4f,%.4f,", class + common + draw_normal(), class + common + draw_normal());
        cursor += sprintf(cursor, "%.4f,%.4f,", draw_normal() - class, exp(draw_normal()));
        cursor += sprintf(cursor, "k%zu,k%zu,k%zu,c%d\n", first, second, random_below(2 + (size_t) class), class);
    }
}

static void test_noise_and_what_is_none(void **state) {
    (void)state;
    enum { ROWS = 600, TABLES = 40 };
    static char text[ROWS * 64];
    int by_chance = 0;
    double of_numbers = 0, of_categories = 0;
    for (int table = 0; table < TABLES; table++) {
        draw_table(text, ROWS, 0, 0);
        found f = look_at(text, text);
        assert_int_equal(f.count, 21);
        by_chance += f.pairs[0].matters;
        draw_table(text, ROWS, 1, 3);
        f = look_at(text, text);
        assert_true(f.pairs[0].matters && f.pairs[1].matters);
        by_chance += f.pairs[2].matters;
        of_numbers += pair_of(&f, 0, 1)->bits / TABLES;
        of_categories += pair_of(&f, 4, 5)->bits / TABLES;
    }
    /* r = 1/2; and 3/8 copies. Within four standard errors, so that what chance makes of the table would be noticed. */
    double same = 3. / 8 + 5. / 32, other = 5. / 32;
    assert_near(of_numbers, -.5 * log2(.75), .02);
    assert_near(of_categories, 2 + same * log2(same) + 3 * other * log2(other), .02);
    assert_true(by_chance <= 4); /* one in a hundred of 80 tables: more than 4 come up once in a thousand times */
}

/* ---- What it does not depend on ---- */

static void reverse_rows(const char *text, char *destination) {
    const char *end = text + strlen(text), *body = strchr(text, '\n') + 1;
    memcpy(destination, text, (size_t)(body - text));
    destination += body - text;
    while (end > body) {
        const char *line = end - 1;
        while (line > body && line[-1] != '\n') line--;
        memcpy(destination, line, (size_t)(end - line));
        destination += end - line;
        end = line;
    }
    *destination = 0;
}

static void assert_same(const found *a, const found *b) {
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_int_equal(a->pairs[i].attributes[0], b->pairs[i].attributes[0]);
        assert_int_equal(a->pairs[i].attributes[1], b->pairs[i].attributes[1]);
        assert_true(a->pairs[i].bits == b->pairs[i].bits && a->pairs[i].statistic == b->pairs[i].statistic);
        assert_true(a->pairs[i].degrees == b->pairs[i].degrees && a->pairs[i].rows == b->pairs[i].rows);
    }
}

static void test_order_of_rows(void **state) {
    (void)state;
    enum { ROWS = 300 };
    static char text[ROWS * 64], turned[ROWS * 64];
    draw_table(text, ROWS, 1, 3);
    reverse_rows(text, turned);
    found f = look_at(text, text), g = look_at(text, turned);
    assert_same(&f, &g);
}

static void test_weights(void **state) {
    (void)state;
    static const char repeated[] =
        "x,k,class\n1,u,p\n1,u,p\n1,u,p\n2,v,p\n4,v,p\n4,v,p\n5,u,q\n6,u,q\n6,u,q\n7,v,q\n7,v,q\n";
    static const char weighted[] = "x,k,w,class\n1,u,3,p\n2,v,1,p\n4,v,2,p\n5,u,1,q\n6,u,2,q\n7,v,2,q\n99,v,0,q\n";
    found f = look_at(repeated, repeated), g = {.facts = CRD_DEPENDENCE_FACTS_INIT};
    crd_model *model;
    crd_dependence *dependence;
    crd_reader *reader;
    crd_error error;
    assert_done(open_text(context, weighted, strlen(weighted), "class", &reader, &error), error);
    assert_done(crd_reader_set_weight(reader, 2, &error), error);
    assert_done(crd_model_train(context, reader, NULL, &model, NULL, &error), error);
    crd_reader_close(reader);
    assert_done(open_text(context, weighted, strlen(weighted), NULL, &reader, &error), error);
    assert_done(crd_model_bind_to_learn(model, reader, &error), error);
    assert_done(crd_dependence_create(model, &dependence, &error), error);
    assert_done(crd_dependence_read(dependence, reader, &error), error);
    g.pairs[0].size = sizeof *g.pairs;
    assert_done(crd_dependence_pairs(dependence, g.pairs, MOST, &g.count, &error), error);
    assert_same(&f, &g);
    crd_dependence_destroy(dependence);
    crd_reader_close(reader);
    crd_model_destroy(model);
}

/* Values and classes that the model has never seen are not there. */
static void test_unknown(void **state) {
    (void)state;
    static const char more[] = "a,b,class\n"
                               "u,x,p\nu,x,p\nu,x,p\nu,y,p\nv,y,p\nv,y,p\nv,x,p\nw,x,p\nw,y,p\nnew,x,p\n"
                               "u,x,q\nu,y,q\nv,x,q\nv,y,q\nv,y,q\nw,y,q\nw,z,q\n?,x,q\nu,?,q\nu,x,r\nu,x,?\n";
    found f = look_at(CATEGORIES, CATEGORIES), g = look_at(CATEGORIES, more);
    assert_same(&f, &g);
}

static void test_refused(void **state) {
    (void)state;
    crd_model *model = trained(context, CATEGORIES, "class");
    crd_dependence *dependence;
    crd_dependent_pair pair = CRD_DEPENDENT_PAIR_INIT;
    crd_frame *frame;
    crd_error error;
    size_t count;
    static const double numbers[] = {1, 2};
    static const crd_text classes[] = {{"p", 1}, {"q", 1}};
    assert_done(crd_dependence_create(model, &dependence, &error), error);
    assert_done(crd_frame_create(context, 2, &frame, &error), error);
    assert_int_equal(crd_dependence_add(dependence, frame, &error), CRD_ERROR_COLUMN);
    assert_string_equal(error.subject, "class");
    assert_done(crd_frame_add_texts(frame, crd_text_of("class"), classes, &error), error);
    assert_done(crd_frame_add_numbers(frame, crd_text_of("a"), numbers, NULL, &error), error);
    assert_int_equal(crd_dependence_add(dependence, frame, &error), CRD_ERROR_SCHEMA_DIFFERS);
    assert_string_equal(error.subject, "a");
    assert_done(crd_dependence_pairs(dependence, &pair, 1, &count, &error), error);
    assert_true(count == 1 && pair.rows == 0 && pair.bits == 0 && !pair.matters); /* nothing was added */
    crd_frame_destroy(frame);
    crd_dependence_destroy(dependence);
    crd_model_destroy(model);
}

/* More attributes than are paired: those that tell about the class are chosen. */
static void test_many_columns(void **state) {
    (void)state;
    enum { WIDE = 80, ROWS = 60 };
    static char text[(WIDE * 4 + 8) * (ROWS + 2)];
    char *cursor = text;
    for (int i = 0; i < WIDE; i++) cursor += sprintf(cursor, "x%d,", i);
    cursor += sprintf(cursor, "class\n");
    for (int row = 0; row < ROWS; row++) {
        for (int i = 0; i < WIDE; i++)
            cursor += sprintf(cursor, "%d,", (row * (i + 3) / 2) % 7 + (i >= 78 ? row % 2 * 9 : 0));
        cursor += sprintf(cursor, "%c\n", 'p' + row % 2);
    }
    found f = look_at(text, text);
    assert_int_equal(f.facts.attributes, WIDE);
    assert_int_equal(f.facts.columns, CRD_DEPENDENCE_COLUMNS);
    assert_int_equal(f.facts.pairs, CRD_DEPENDENCE_COLUMNS * (CRD_DEPENDENCE_COLUMNS - 1) / 2);
    assert_int_equal(f.facts.left_out, 0);
    assert_int_equal(f.count, f.facts.pairs);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_categories),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_one_of_each),
        cmocka_unit_test(test_copies),
        cmocka_unit_test(test_noise_and_what_is_none),
        cmocka_unit_test(test_order_of_rows),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_many_columns),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
