/* SPDX-License-Identifier: MIT */
/* Networks as BIF: what is read, what comes back from a round trip, and what errors say and where. */
#include "network_files_support.h"

static const char small[] = "// made by hand\n"
                            "network \"two words\" { property author \"somebody; else\"; }\n"
                            "probability ( b | a, \"c d\" ) { /* before\n its variables */\n"
                            "  (no, <=1/2) 0.1 0.9;\n"
                            "  default 0.25, 0.75;\n"
                            "}\n"
                            "variable a { type discrete [ 2 ] { yes, no }; property position = (1, 2) ; }\n"
                            "variable b { type discrete[2] { table, \"de fault\" }; }\n"
                            "variable \"c d\" { type discrete [ 3 ] { <=1/2, +x.y, >z }; }\n"
                            "probability (a) { table 0.3333333, 0.6666666; }\n"
                            "probability (\"c d\" a) { table 0.1 0.2 0.3 0.3 0.6 0.5; }\n";

static void every_form(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_network *network = read_network(context, small);
    assert_true(crd_text_equal(network->name, crd_text_of("two words")));
    assert_int_equal(network->count, 3);
    assert_int_equal(crd_i_network_find(network, crd_text_of("c d")), 2);
    assert_int_equal(crd_i_node_find(&network->nodes[2], crd_text_of(">z")), 2);
    const crd_i_node *b = &network->nodes[1], *c = &network->nodes[2];
    /* Rows of b by (a, c d), the latter fastest: only (no, <=1/2) is given. */
    const double rows[6][2] = {{.25, .75}, {.25, .75}, {.25, .75}, {.1, .9}, {.25, .75}, {.25, .75}};
    assert_int_equal(b->rows, 6);
    assert_memory_equal(b->table, rows, sizeof rows);
    /* A table at once has the node's states slowest. */
    const double whole[2][3] = {{.1, .3, .6}, {.2, .3, .5}};
    assert_memory_equal(c->table, whole, sizeof whole);
    crd_network_destroy(network);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

static void round_trip(crd_context *context, const crd_network *network) {
    crd_network *again = through(context, network, CRD_NETWORK_FORMAT_BIF);
    assert_same_network(network, again, true);
    crd_network_destroy(again);
}

static void round_trips(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_network *network = read_network(context, small);
    round_trip(context, network);
    crd_network_destroy(network);
    for (uint64_t seed = 0; seed < 50; seed++) {
        network = random_network(context, seed, 6, 4, 3);
        round_trip(context, network);
        crd_network_destroy(network);
    }
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

#define A "variable a { type discrete [ 2 ] { x, y }; }\n"
#define B "variable b { type discrete [ 2 ] { x, y }; }\n"

static const wrong_text wrongs[] = {
    {"", CRD_ERROR_EMPTY, 0, 0, "no nodes"},
    {"nonsense", CRD_ERROR_SYNTAX, 1, 1, "found \"nonsense\", expected"},
    {"network x { /* no end", CRD_ERROR_SYNTAX, 1, 13, "comment"},
    {"network x {\n \"no end }\n", CRD_ERROR_SYNTAX, 2, 2, "quoted name"},
    {A A, CRD_ERROR_COLUMN, 2, 10, "two nodes are called a"},
    {A, CRD_ERROR_EMPTY, 0, 0, "the probabilities are missing for a"},
    {"variable a { type discrete [ 3 ] { x, y }; }", CRD_ERROR_SYNTAX, 1, 42, "2 states are named, but 3"},
    {"variable a { type discrete [ 2 ] { x, x }; }", CRD_ERROR_COLUMN, 1, 10, "occurs twice"},
    {"variable a { type continuous; }", CRD_ERROR_SYNTAX, 1, 19, "discrete"},
    {"variable a { }", CRD_ERROR_SYNTAX, 1, 14, "type"},
    {"variable a {", CRD_ERROR_SYNTAX, 1, 13, "unexpected end of file"},
    {A "probability (q) { table 1 0; }", CRD_ERROR_COLUMN, 2, 13, "unknown variable q"},
    {A "probability (a) {\n table 0.5; }", CRD_ERROR_SYNTAX, 3, 2, "expected 2 numbers for a, got 1"},
    {A "probability (a) {\n table 0.5, zwei; }", CRD_ERROR_SYNTAX, 3, 13, "a number"},
    {A "probability (a) {\n table 0.5, 0.6; }", CRD_ERROR_PROBABILITY, 2, 13, "sum to 1.1"},
    {A "probability (a) {\n table -0.5, 1.5; }", CRD_ERROR_PROBABILITY, 2, 13, "not a valid probability"},
    {A B "probability (a) { table 1 0; }\nprobability (b|a) { (x) 1 0; }", CRD_ERROR_EMPTY, 4, 30,
     "1 of 2 rows of the table of b is missing: b given a=y"},
    {A B "probability (b|a) { (x) 1 0; table 1 0 0 1; }", CRD_ERROR_SYNTAX, 3, 30, "rows of b occur twice"},
    {A B "probability (b|a) { default 1 0; default 1 0; }", CRD_ERROR_SYNTAX, 3, 34, "found \"default\""},
    {A B "probability (b|a) { (x) 1 0 0; }", CRD_ERROR_SYNTAX, 3, 21, "expected 2 numbers for b, got 3"},
    {A "probability (a) { table 1 0 }", CRD_ERROR_SYNTAX, 2, 29, "a number or \";\""},
    {A "probability (a) { table 1 0;\r\n", CRD_ERROR_SYNTAX, 3, 1, "unexpected end of file"},
    {A "/* a /* nested */ comment */", CRD_ERROR_SYNTAX, 2, 19, "found \"comment\""},
    {A "probability (a) { table 1 inf; }", CRD_ERROR_SYNTAX, 2, 27, "a number"},
    {"network x { property no semicolon }", CRD_ERROR_SYNTAX, 1, 36, "unexpected end of file: expected \";\""},
    {"variable a { type discrete [ 2 ] { x, y }; } variable u { type discrete [ 1 ] { z }; property \"credence "
     "utility\"; }\nprobability (a | u) { default 1 0; } probability (u) { table 3; }",
     CRD_ERROR_SCHEMA_DIFFERS, 0, 0, "a utility as a parent"},
    {"variable a {\n property credence decison; }", CRD_ERROR_SYNTAX, 2, 11,
     "\"credence decision\" or \"credence utility\""},
    {"variable a {\n property \"credence chance\"; }", CRD_ERROR_SYNTAX, 2, 11, "\"credence utility\""},
    {"variable a { property credence; }", CRD_ERROR_SYNTAX, 1, 23, "\"credence utility\""},
    {"variable a { property credence decision once; }", CRD_ERROR_SYNTAX, 1, 23, "\"credence utility\""},
    {A B "probability (b|a) {\n table 0.9 0.1 0.3 0.7; }", CRD_ERROR_PROBABILITY, 3, 13,
     "only in another order: in \"table\" the states of the node vary slowest"},
    {A B "probability (b|a) {\n table 0.9 0.1 0.3 0.6; }", CRD_ERROR_PROBABILITY, 3, 13, "given a=x sum to 1.2"},
    {A B "probability (b|a) {\n (x) 0.9 0.3; (y) 0.1 0.7; }", CRD_ERROR_PROBABILITY, 3, 13, "sum to 1.2"},
    {A B "probability (b|a) { (z) 1 0; }", CRD_ERROR_COLUMN, 3, 21, "a has no state z"},
    {A B "probability (b|a) { (x, y) 1 0; }", CRD_ERROR_SYNTAX, 3, 21, "b has 1 parent"},
    {A B "probability (b|a) { (x) 1 0; (x) 1 0; }", CRD_ERROR_SYNTAX, 3, 30, "occurs twice"},
    {A "probability (a|a) { table 1 0 1 0; }", CRD_ERROR_CYCLE, 2, 13, "own parent"},
    {A "probability (a) { table 1 0; }\nprobability (a) { table 1 0; }", CRD_ERROR_COLUMN, 3, 13, "occur twice"},
    {A B "probability (a|b) { default 1 0; }\nprobability (b|a) { default 1 0; }", CRD_ERROR_CYCLE, 0, 0,
     "cycle: a <- b <- a"},
};

static void errors_say_where(void **state) {
    (void)state;
    assert_all_wrong(wrongs, sizeof wrongs / sizeof *wrongs, CRD_NETWORK_FORMAT_BIF);
}

static void damaged(void **state) {
    (void)state;
    assert_damage_is_found(small, CRD_NETWORK_FORMAT_BIF);
}

/* What writers of all times have made of the format. */
static void variants(void **state) {
    (void)state;
    static const char *const texts[] = {
        "variable a{type discrete[2]{x y};}variable b{type discrete[2]{p q};}\n"
        "probability(a){table .25 .75;}probability(b a){table 1 1.0e-1 0 9E-1;}",
        "\xEF\xBB\xBFnetwork \"\" { //2 variables\r\n property \"credal-set constant-density-bounded 1.1\" ;\r\n}\r\n"
        "variable  \"a\" { //2 values\r\n\ttype discrete[2] {  \"x\"  \"y\" };\r\n"
        "\tproperty \"position = (7, 2)\" ;\r\n}\r\n"
        "variable b { type discrete [ 2 ] { p, q }; }\r\n"
        "probability (  \"a\"  ) { //1 variable(s) and 2 values\r\n\ttable 0.25 0.75 ;\r\n}\r\n"
        "probability ( b | a ) {\r\n (y) 0.1 , 0.9 ;\r\n (x) 1., 0 ;\r\n}\r\n",
        "// before\nprobability (b | a) { default +1, 0; property what's \"this /* ;\n (y) 1e-1, .9; }\n"
        "variable a { property { (; type discrete [ 2 ] { x, y }; property see http://x.y/z; property credences all;}\n"
        "network { property \"a;b\" c; }\n"
        "variable b { type discrete [ 2 ] { p, q }; } probability (a) { table 0.25,0.75; }",
    };
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_network *wanted = read_as(context, texts[0], CRD_NETWORK_FORMAT_BIF);
    const double rows[2][2] = {{1, 0}, {.1, .9}};
    assert_memory_equal(wanted->nodes[1].table, rows, sizeof rows);
    for (size_t i = 1; i < sizeof texts / sizeof *texts; i++) {
        crd_network *got = read_as(context, texts[i], CRD_NETWORK_FORMAT_BIF);
        assert_same_network(wanted, got, true);
        crd_network_destroy(got);
    }
    crd_network_destroy(wanted);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* Rows of published files miss 1 by what was rounded away; more is a mistake. */
static void sums_of_rows(void **state) {
    (void)state;
    crd_context *context = NULL;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    static const char *const fine[] = {"0.33 0.66", "0.505 0.505", "1.01 0"};
    static const char *const wrong[] = {"0.33 0.65", "0.51 0.51", "1.1 0"};
    for (size_t i = 0; i < 3; i++) {
        char text[200];
        crd_network *network = NULL;
        crd_error error;
        snprintf(text, sizeof text, A "probability (a) { table %s; }", fine[i]);
        crd_network_destroy(read_as(context, text, CRD_NETWORK_FORMAT_BIF));
        snprintf(text, sizeof text, A "probability (a) { table %s; }", wrong[i]);
        assert_int_equal(crd_network_read(context, crd_text_of(text), "text", CRD_NETWORK_FORMAT_BIF, &network, &error),
                         CRD_ERROR_PROBABILITY);
    }
    crd_context_destroy(context);
}

static void decisions(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_network *network = read_as(context,
                                   A "variable d { type discrete [ 3 ] { p, q, r }; property credence decision; }\n"
                                     "variable u { property credence  utility ; type discrete [ 1 ] { anything }; }\n"
                                     "variable e { type discrete [ 1 ] { p }; property \"credence decision\" ; }\n"
                                     "probability (a) { table 1 0; } probability (d | a) { property x; }\n"
                                     "probability (u | d) { (q) -1e10; (p) 12.5; default 0; }\n",
                                   CRD_NETWORK_FORMAT_BIF);
    assert_int_equal(network->nodes[0].kind, CRD_NODE_CHANCE);
    assert_int_equal(network->nodes[1].kind, CRD_NODE_DECISION);
    assert_int_equal(network->nodes[1].parents[0], 0);
    assert_null(network->nodes[1].table);
    assert_int_equal(network->nodes[2].kind, CRD_NODE_UTILITY);
    assert_true(has_state(network, 2, 0, "utility"));
    const double utilities[3] = {12.5, -1e10, 0};
    assert_memory_equal(network->nodes[2].table, utilities, sizeof utilities);
    assert_int_equal(network->nodes[3].parent_count, 0);
    round_trip(context, network);
    crd_network_destroy(network);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* More states than there may be, in one line, are refused in time and memory of the line. */
static void many_states(void **state) {
    (void)state;
    crd_context *context = NULL;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    crd_i_buffer text = {.context = context};
    static const char begin[] = "variable a { type discrete [ 1000000 ] { ", end[] = " }; }";
    assert_true(crd_i_buffer_append(&text, begin, sizeof begin - 1));
    for (int i = 0; i < 1000000; i++) {
        char word[16];
        assert_true(crd_i_buffer_append(&text, word, (size_t)snprintf(word, sizeof word, "s%d, ", i)));
    }
    assert_true(crd_i_buffer_append(&text, end, sizeof end - 1));
    crd_network *network = NULL;
    crd_error error;
    const crd_text bytes = {(const char *)text.bytes, text.length};
    assert_int_equal(crd_network_read(context, bytes, "text", CRD_NETWORK_FORMAT_ANY, &network, &error),
                     CRD_ERROR_LIMIT);
    assert_int_equal(error.field, 10);
    crd_i_buffer_clear(&text);
    crd_context_destroy(context);
}

/* No format has a way for NUL in a name, which the error names; for other bytes each has. */
static void unwritable_names(void **state) {
    (void)state;
    crd_context *context = NULL;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    static const crd_text names[] = {{"a\"b", 3}, {"a\nb", 3}, {"a\rb", 3}, {"a\0b", 3}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        crd_network *network = NULL;
        crd_error error;
        crd_text text;
        size_t node;
        const crd_text states[2] = {{"fine", 4}, names[i]};
        assert_done(crd_i_network_create(context, crd_text_of("n"), &network, &error), error);
        assert_done(crd_i_network_add(network, crd_text_of("d"), states, 2, &node, &error), error);
        crd_i_network_set_kind(network, node, CRD_NODE_DECISION);
        assert_done(crd_i_network_finish(network, &error), error);
        for (int format = CRD_NETWORK_FORMAT_BIF; format <= CRD_NETWORK_FORMAT_NET; format++) {
            const bool is_nul = names[i].bytes[1] == '\0';
            const crd_status status = crd_network_write(network, (crd_network_format)format, &text, &error);
            assert_int_equal(status, is_nul ? CRD_ERROR_SYNTAX : CRD_OK);
            if (is_nul && strstr(error.message, "a\\x00b") == NULL) fail_msg("%s", error.message);
            if (status == CRD_OK) crd_free(context, (void *)text.bytes);
        }
        crd_network_destroy(network);
    }
    crd_context_destroy(context);
}

/* Names with blanks, brackets, commas and marks of the grammar, as R's bnlearn writes them: commas alone separate. */
static void names_between_commas(void **state) {
    (void)state;
    static const char text[] =
        "network unknown {\n}\n"
        "variable Body mass (kg) {\n  type discrete [ 3 ] { No injury, Slight (1-2), > 10000 };\n}\n"
        "variable p[1] {\n  type discrete [ 2 ] { _0_500], _500_1000] };\n}\n"
        "variable range {\n  type discrete [ 2 ] { [0,5), [5,10] };\n}\n"
        "variable c {\n  type discrete [ 2 ] { x=1; y, \"z, z\" };\n}\n"
        "probability ( Body mass (kg) ) {\n  table 0.5, 0.25, 0.25;\n}\n"
        "probability ( p[1] | Body mass (kg) ) {\n  (No injury) 0.5, 0.5;\n"
        "  (Slight (1-2)) 0.25, 0.75;\n  (> 10000) 0.125, 0.875;\n}\n"
        "probability ( range | p[1] ) {\n  (_500_1000]) 0.125, 0.875;\n  (_0_500]) 0.5, 0.5;\n}\n"
        "probability ( c | range, p[1] ) {\n  ([0,5), _0_500]) 0.5, 0.5;\n"
        "  ([5,10], _0_500]) 0.25, 0.75;\n  ([0,5), _500_1000]) 0.125, 0.875;\n"
        "  ([5,10], _500_1000]) 1, 0;\n}\n";
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    crd_network *network = read_network(context, text);
    assert_int_equal(network->name.length, 0);
    assert_int_equal(crd_i_network_find(network, crd_text_of("Body mass (kg)")), 0);
    assert_int_equal(crd_i_network_find(network, crd_text_of("p[1]")), 1);
    assert_int_equal(crd_i_node_find(&network->nodes[0], crd_text_of("> 10000")), 2);
    assert_int_equal(crd_i_node_find(&network->nodes[2], crd_text_of("[0,5)")), 0);
    assert_int_equal(crd_i_node_find(&network->nodes[3], crd_text_of("x=1; y")), 0);
    assert_int_equal(crd_i_node_find(&network->nodes[3], crd_text_of("z, z")), 1);
    const double p[3][2] = {{.5, .5}, {.25, .75}, {.125, .875}}, c[4][2] = {{.5, .5}, {.125, .875}, {.25, .75}, {1, 0}};
    assert_memory_equal(network->nodes[1].table, p, sizeof p);
    assert_memory_equal(network->nodes[3].table, c, sizeof c);
    round_trip(context, network);
    crd_network_destroy(network);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* A table that the text does not have the numbers for is refused before anything is allocated for it. */
static void no_bombs(void **state) {
    (void)state;
    allocations counted = {0};
    crd_context *context = counted_context(&counted);
    char text[8000];
    size_t used = 0;
    for (int i = 0; i < 40; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "variable v%d { type discrete [ 2 ] { x, y }; }\n", i);
    used += (size_t)snprintf(text + used, sizeof text - used, "probability ( v0 |");
    for (int i = 1; i < 40; i++) used += (size_t)snprintf(text + used, sizeof text - used, " v%d", i);
    snprintf(text + used, sizeof text - used, " ) { default 0.5 0.5; }\n");
    crd_network *network = NULL;
    crd_error error;
    assert_int_equal(crd_i_bif_read(context, crd_text_of(text), "bomb", &network, &error), CRD_ERROR_LIMIT);
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* Reads tables of nothing but defaults. */
static void assert_limited(int parents, int tables) {
    crd_context *context = NULL;
    assert_int_equal(crd_context_create(NULL, &context), CRD_OK);
    crd_i_buffer text = {.context = context};
    char line[200];
    for (int i = 0; i < parents + tables; i++)
        assert_true(crd_i_buffer_append(
            &text, line, (size_t)snprintf(line, sizeof line, "variable v%d { type discrete [ 2 ] { x, y }; }\n", i)));
    for (int i = parents; i < parents + tables; i++) {
        assert_true(crd_i_buffer_append(&text, line, (size_t)snprintf(line, sizeof line, "probability ( v%d", i)));
        for (int j = 0; j < parents; j++)
            assert_true(crd_i_buffer_append(&text, line, (size_t)snprintf(line, sizeof line, " v%d", j)));
        assert_true(crd_i_buffer_append(&text, " ) { default 1 0; }\n", 20));
    }
    crd_network *network = NULL;
    crd_error error;
    const crd_text bytes = {(const char *)text.bytes, text.length};
    assert_int_equal(crd_network_read(context, bytes, "bomb", CRD_NETWORK_FORMAT_ANY, &network, &error),
                     CRD_ERROR_LIMIT);
    crd_i_buffer_clear(&text);
    crd_context_destroy(context);
}

/* Defaults take memory that the text does not show: all together they are limited, few large ones and many small ones
 * alike. */
static void no_bombs_of_defaults(void **state) {
    (void)state;
    assert_limited(22, 4);
    assert_limited(14, 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form),       cmocka_unit_test(variants),
        cmocka_unit_test(sums_of_rows),     cmocka_unit_test(decisions),
        cmocka_unit_test(round_trips),      cmocka_unit_test(errors_say_where),
        cmocka_unit_test(damaged),          cmocka_unit_test(many_states),
        cmocka_unit_test(unwritable_names), cmocka_unit_test(names_between_commas),
        cmocka_unit_test(no_bombs),         cmocka_unit_test(no_bombs_of_defaults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
