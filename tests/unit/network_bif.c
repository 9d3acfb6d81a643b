/* Networks as BIF: what is read, what comes back from a round trip, and what errors say and where. */
#include "network_support.h"

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
    allocations counted = {0, 0, 0};
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

static void assert_same(const crd_network *a, const crd_network *b) {
    assert_true(crd_text_equal(a->name, b->name));
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        const crd_i_node *left = &a->nodes[i], *right = &b->nodes[i];
        assert_true(crd_text_equal(left->name, right->name));
        assert_int_equal(crd_i_node_states(left), crd_i_node_states(right));
        for (size_t j = 0; j < crd_i_node_states(left); j++)
            assert_true(
                crd_text_equal(crd_i_dictionary_text(left->states, j), crd_i_dictionary_text(right->states, j)));
        assert_int_equal(left->parent_count, right->parent_count);
        if (left->parent_count > 0)
            assert_memory_equal(left->parents, right->parents, left->parent_count * sizeof *left->parents);
        assert_memory_equal(left->table, right->table, left->rows * crd_i_node_states(left) * sizeof(double));
    }
}

static void round_trip(crd_context *context, const crd_network *network) {
    crd_i_buffer buffer = {.context = context};
    crd_error error;
    crd_network *again = NULL;
    assert_done(crd_i_bif_write(network, &buffer, &error), error);
    crd_text text = {(const char *)buffer.bytes, buffer.length};
    assert_done(crd_i_bif_read(context, text, "written", &again, &error), error);
    assert_same(network, again);
    crd_network_destroy(again);
    crd_i_buffer_clear(&buffer);
}

static void round_trips(void **state) {
    (void)state;
    static const char *const names[] = {"alarm",     "asia",   "cancer", "child",  "earthquake", "hailfinder",
                                        "insurance", "hepar2", "sachs",  "survey", "water",      "win95pts"};
    allocations counted = {0, 0, 0};
    crd_context *context = counted_context(&counted);
    crd_network *network = read_network(context, small);
    round_trip(context, network);
    crd_network_destroy(network);
    for (uint64_t seed = 0; seed < 50; seed++) {
        network = random_network(context, seed, 6, 4, 3);
        round_trip(context, network);
        crd_network_destroy(network);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        network = load_network(context, names[i]);
        if (network == NULL) {
            printf("skipped: the network %s is not here\n", names[i]);
            continue;
        }
        round_trip(context, network);
        crd_network_destroy(network);
    }
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

typedef struct wrong {
    const char *text;
    crd_status status;
    uint64_t line, column;
    const char *part; /* of the message */
} wrong;

#define A "variable a { type discrete [ 2 ] { x, y }; }\n"
#define B "variable b { type discrete [ 2 ] { x, y }; }\n"

static const wrong wrongs[] = {
    {"", CRD_ERROR_EMPTY, 0, 0, "no nodes"},
    {"nonsense", CRD_ERROR_SYNTAX, 1, 1, "\"nonsense\" stands where"},
    {"network x { /* no end", CRD_ERROR_SYNTAX, 1, 13, "comment"},
    {"network x {\n \"no end }\n", CRD_ERROR_SYNTAX, 2, 2, "quoted name"},
    {A A, CRD_ERROR_COLUMN, 2, 10, "two nodes are called a"},
    {A, CRD_ERROR_EMPTY, 0, 0, "no probabilities are given for a"},
    {"variable a { type discrete [ 3 ] { x, y }; }", CRD_ERROR_SYNTAX, 1, 42, "2 states are named where 3"},
    {"variable a { type discrete [ 2 ] { x, x }; }", CRD_ERROR_COLUMN, 1, 10, "named twice"},
    {"variable a { type continuous; }", CRD_ERROR_SYNTAX, 1, 19, "discrete"},
    {"variable a { }", CRD_ERROR_SYNTAX, 1, 14, "type"},
    {"variable a {", CRD_ERROR_SYNTAX, 1, 13, "file ends"},
    {A "probability (q) { table 1 0; }", CRD_ERROR_COLUMN, 2, 13, "no variable is called q"},
    {A "probability (a) {\n table 0.5; }", CRD_ERROR_SYNTAX, 3, 2, "1 numbers stand here where a needs 2"},
    {A "probability (a) {\n table 0.5, zwei; }", CRD_ERROR_SYNTAX, 3, 13, "a number"},
    {A "probability (a) {\n table 0.5, 0.6; }", CRD_ERROR_PROBABILITY, 2, 13, "add up to 1.1"},
    {A "probability (a) {\n table -0.5, 1.5; }", CRD_ERROR_PROBABILITY, 2, 13, "no probability"},
    {A B "probability (a) { table 1 0; }\nprobability (b|a) { (x) 1 0; }", CRD_ERROR_EMPTY, 4, 30, "1 of 2 rows"},
    {A B "probability (b|a) { (z) 1 0; }", CRD_ERROR_COLUMN, 3, 21, "a has no state z"},
    {A B "probability (b|a) { (x, y) 1 0; }", CRD_ERROR_SYNTAX, 3, 21, "1 parents"},
    {A B "probability (b|a) { (x) 1 0; (x) 1 0; }", CRD_ERROR_SYNTAX, 3, 30, "given twice"},
    {A "probability (a|a) { table 1 0 1 0; }", CRD_ERROR_SCHEMA_DIFFERS, 2, 13, "own parent"},
    {A "probability (a) { table 1 0; }\nprobability (a) { table 1 0; }", CRD_ERROR_COLUMN, 3, 13, "given twice"},
    {A B "probability (a|b) { default 1 0; }\nprobability (b|a) { default 1 0; }", CRD_ERROR_SCHEMA_DIFFERS, 0, 0,
     "circle: a <- b <- a"},
};

static void errors_say_where(void **state) {
    (void)state;
    allocations counted = {0, 0, 0};
    crd_context *context = counted_context(&counted);
    for (size_t i = 0; i < sizeof wrongs / sizeof *wrongs; i++) {
        crd_network *network = NULL;
        crd_error error;
        crd_status status = crd_i_bif_read(context, crd_text_of(wrongs[i].text), "file.bif", &network, &error);
        if (status != wrongs[i].status || error.line != wrongs[i].line || error.field != wrongs[i].column ||
            strstr(error.message, wrongs[i].part) == NULL || strcmp(error.place, "file.bif") != 0)
            fail_msg("%s\n-> %s %s:%d:%d: %s", wrongs[i].text, crd_status_name(status), error.place, (int)error.line,
                     (int)error.field, error.message);
        assert_null(network);
    }
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* Every beginning of a file, and every file with one byte changed, is read or refused, and nothing leaks. */
static void damaged(void **state) {
    (void)state;
    allocations counted = {0, 0, 0};
    crd_context *context = counted_context(&counted);
    char text[sizeof small];
    size_t length = sizeof small - 1;
    for (size_t i = 0; i < length; i++)
        for (size_t kind = 0; kind < 12; kind++) {
            crd_network *network = NULL;
            memcpy(text, small, sizeof text);
            text[i] = "{}()[];,\"/*9"[kind];
            crd_text whole = {text, kind == 0 ? i : length};
            if (crd_i_bif_read(context, whole, "damaged", &network, NULL) == CRD_OK) crd_network_destroy(network);
        }
    crd_context_destroy(context);
    assert_int_equal(counted.live, 0);
}

/* A table that the text does not have the numbers for is refused before anything is allocated for it. */
static void no_bombs(void **state) {
    (void)state;
    allocations counted = {0, 0, 0};
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form), cmocka_unit_test(round_trips), cmocka_unit_test(errors_say_where),
        cmocka_unit_test(damaged),    cmocka_unit_test(no_bombs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
