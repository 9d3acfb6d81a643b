/* SPDX-License-Identifier: MIT */
/* Scores of families: values of bnlearn, and a plain enumeration of cells; tables of any size, missing cells and weights;
 * that a family scores the same whichever way it was reached. */
#include "base/memory.h"
#include "cases/case_builder.h"
#include "model_support.h"
#include "structure/structure_search.h"

#include "counted_fixture.h"

/* Park and Miller's generator, which R can compute exactly. */
static double random_state;
static double draw(void) {
    random_state = fmod(random_state * 16807, 2147483647);
    return random_state / 2147483647;
}

enum { ROWS = 200 };
typedef struct scores_draw {
    int32_t a[ROWS], b[ROWS], c[ROWS];
    double x[ROWS], y[ROWS], z[ROWS];
} scores_draw;

static void draw_rows(scores_draw *rows) {
    random_state = 1;
    for (size_t i = 0; i < ROWS; i++) {
        const double k = floor(3 * draw());
        rows->a[i] = (int32_t)k;
        rows->b[i] = draw() < 0.2 + 0.3 * k;
        rows->c[i] = draw() < 0.3 + 0.2 * k + (rows->b[i] ? 0.1 : 0);
        rows->x[i] = draw();
        rows->x[i] = rows->x[i] + draw() + k;
        rows->y[i] = 0.5 * rows->x[i] + draw();
        rows->z[i] = rows->x[i] - 2 * rows->y[i] + (draw() - 0.5) * (rows->b[i] ? 2 : 1);
    }
}

/* A case table of the columns named in a string of letters. */
static crd_i_case_table *table_of(const scores_draw *rows, const char *columns) {
    const crd_text three[] = {crd_text_of("p"), crd_text_of("q"), crd_text_of("r")};
    const crd_text two[] = {crd_text_of("no"), crd_text_of("yes")}, none = {0};
    crd_frame *frame;
    crd_i_case_builder *builder;
    crd_i_case_table *table;
    crd_error error;
    assert_done(crd_frame_create(context, ROWS, &frame, &error), error);
    for (; *columns != '\0'; columns++) {
        const crd_text name = {columns, 1};
        crd_status status = CRD_OK;
        if (*columns == 'a') status = crd_frame_add_codes(frame, name, rows->a, NULL, three, 3, &error);
        if (*columns == 'b') status = crd_frame_add_codes(frame, name, rows->b, NULL, two, 2, &error);
        if (*columns == 'c') status = crd_frame_add_codes(frame, name, rows->c, NULL, two, 2, &error);
        if (*columns == 'x') status = crd_frame_add_numbers(frame, name, rows->x, NULL, &error);
        if (*columns == 'y') status = crd_frame_add_numbers(frame, name, rows->y, NULL, &error);
        if (*columns == 'z') status = crd_frame_add_numbers(frame, name, rows->z, NULL, &error);
        assert_done(status, error);
    }
    assert_done(crd_i_case_builder_create(context, NULL, 0, none, none, &builder, &error), error);
    assert_done(crd_i_case_builder_add(builder, frame, &error), error);
    assert_done(crd_i_case_builder_finish(builder, NULL, &table, &error), error);
    crd_i_case_builder_destroy(builder);
    crd_frame_destroy(frame);
    return table;
}

static crd_i_family_scores *scores_of(const crd_i_case_table *table, const char *name) {
    crd_i_score score;
    crd_i_family_scores *scores;
    crd_error error;
    assert_done(crd_i_score_parse(crd_text_of(name), &score, &error), error);
    assert_done(crd_i_family_scores_create(table, score, &scores, &error), error);
    return scores;
}

/* Nodes in the order of their names, each with the parents in bits. */
typedef struct scores_reference {
    const char *columns, *score;
    unsigned parents[4];
    double values[4];
} scores_reference;

/* score(..., by.node = TRUE) of bnlearn 4.8.3: types loglik, bic, aic, k2, bde, and those ending in -g and -cg, bge. */
static const scores_reference BNLEARN[] = {
    {"abc", "loglik", {0, 1, 3}, {-219.41646466768356, -108.12621519072344, -115.33283746506240}},
    {"abc", "bic", {0, 1, 3}, {-224.71478203423160, -116.07369124054550, -131.22778956470651}},
    {"abc", "aic", {0, 1, 3}, {-221.41646466768356, -111.12621519072344, -121.33283746506240}},
    {"abc", "k2", {0, 1, 3}, {-223.84557338764341, -114.33388597884826, -124.83409737929210}},
    {"abc", "bdeu:7", {0, 1, 3}, {-222.90290028559491, -114.23921595774905, -126.23356684469429}},
    {"xyz", "loglik", {0, 1, 3}, {-260.052748338450044, -41.655723737457031, -116.436798874421612}},
    {"xyz", "bic", {0, 1, 3}, {-265.351065704998064, -49.603199787279081, -127.033433607517679}},
    {"xyz", "aic", {0, 1, 3}, {-262.052748338450044, -44.655723737457031, -120.436798874421612}},
    {"xyz", "bge", {0, 1, 3}, {-266.006059251835666, -49.975249362159616, -133.105571062808338}},
    {"xyz", "bge:3", {0, 1, 3}, {-265.013735987247856, -50.118450773658125, -134.948014174761823}},
    {"abxz",
     "loglik",
     {0, 1, 1, 7},
     {-219.416464667683556, -108.126215190723443, -97.015077256612344, -218.413874247648494}},
    {"abxz", "bic", {0, 1, 1, 7}, {-224.71478203423160, -116.07369124054550, -112.91002935625644, -266.09873054658084}},
    {"abxz", "aic", {0, 1, 1, 7}, {-221.41646466768356, -111.12621519072344, -103.01507725661234, -236.41387424764849}},
};

static size_t list_bits(unsigned bits, uint32_t *list) {
    size_t count = 0;
    for (uint32_t i = 0; i < 32; i++)
        if ((bits >> i & 1) != 0) list[count++] = i;
    return count;
}

static void test_bnlearn(void **state) {
    (void)state;
    scores_draw rows;
    draw_rows(&rows);
    for (size_t i = 0; i < sizeof BNLEARN / sizeof *BNLEARN; i++) {
        crd_i_case_table *table = table_of(&rows, BNLEARN[i].columns);
        crd_i_family_scores *scores = scores_of(table, BNLEARN[i].score);
        for (size_t node = 0; node < table->column_count; node++) {
            uint32_t parents[32];
            crd_error error;
            double score;
            const size_t count = list_bits(BNLEARN[i].parents[node], parents);
            assert_done(crd_i_family_score(scores, node, parents, count, &score, &error), error);
            assert_near(score, BNLEARN[i].values[node], 1e-9);
        }
        crd_i_family_scores_destroy(scores);
        crd_i_case_table_destroy(table);
    }
}

/* ---- Enumeration ---- */

enum { COLUMNS = 5 };

static uint64_t seed = 1;
static size_t below(size_t limit) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (size_t)((seed >> 33) % limit);
}

/* A table of codes; `shape` is how many states columns have, whether cells are missing, and weights. */
static crd_i_case_table *draw_table(size_t rows, const size_t *states, bool has_missing, int weights) {
    crd_i_case_table *table = crd_i_case_table_create(context, COLUMNS);
    crd_error error;
    char bytes[24];
    assert_non_null(table);
    table->rows = rows;
    table->weights = weights == 0 ? NULL : crd_i_alloc(context, rows, sizeof(double));
    for (size_t i = 0; i < COLUMNS; i++) {
        crd_i_dictionary *texts = crd_i_dictionary_create(context);
        int32_t *codes = calloc(states[i], sizeof *codes);
        for (size_t j = 0; j < states[i]; j++) {
            snprintf(bytes, sizeof bytes, "%zu", j);
            codes[j] = crd_i_dictionary_add(texts, crd_text_of(bytes));
        }
        bytes[0] = (char)('a' + i);
        bytes[1] = '\0';
        table->columns[i].type = CRD_TYPE_CATEGORICAL;
        assert_true(crd_i_case_column_name(table, i, crd_text_of(bytes)));
        assert_true(crd_i_case_column_states(table, i, texts, codes, states[i]));
        assert_true(crd_i_case_column_codes(table, i, rows));
        crd_i_dictionary_destroy(texts);
        free(codes);
        for (size_t row = 0; row < rows; row++) {
            const size_t common = i == 0 ? 0 : crd_i_case_code(&table->columns[0], row);
            const bool is_missing = has_missing && below(10) == 0;
            const uint32_t code = (uint32_t)((common == CRD_I_CASE_MISSING32 ? 0 : common + below(2)) % states[i]);
            crd_i_case_put(&table->columns[i], row,
                           is_missing      ? CRD_I_CASE_MISSING32
                           : below(2) == 0 ? code
                                           : (uint32_t)below(states[i]));
        }
    }
    for (size_t row = 0; row < rows && weights > 0; row++)
        table->weights[row] = weights == 1 ? (double)(1 + below(40)) : (double)(1 + below(9)) / 7;
    assert_done(crd_i_case_table_arrange(table, &error), error);
    return table;
}

static double gamma_term(double pseudo, double count) {
    return lgamma(pseudo + count) - lgamma(pseudo);
}

/* Row by row and cell by cell, as the definition has it, over the rows that have the node, its parents and the columns of
 * `present`, and their weight. */
static double enumerate_complete(const crd_i_case_table *table, const char *name, size_t node, unsigned parents,
                                 unsigned present, double *rows) {
    const double states = (double)table->columns[node].state_count;
    double combinations = 1, sum = 0, complete = 0;
    bool *is_done = calloc(table->rows, sizeof *is_done);
    for (size_t i = 0; i < COLUMNS; i++)
        if ((parents >> i & 1) != 0) combinations *= (double)table->columns[i].state_count;
    const double pseudo = strcmp(name, "k2") == 0 ? 1 : 5 / combinations / states;
    for (size_t row = 0; row < table->rows; row++) {
        double *counts = calloc(table->columns[node].state_count, sizeof *counts), total = 0;
        for (size_t other = is_done[row] ? table->rows : row; other < table->rows; other++) {
            bool is_same = crd_i_case_code(&table->columns[node], other) != CRD_I_CASE_MISSING32;
            for (size_t i = 0; i < COLUMNS; i++) {
                const uint32_t code = crd_i_case_code(&table->columns[i], other);
                if ((present >> i & 1) != 0) is_same = is_same && code != CRD_I_CASE_MISSING32;
                if ((parents >> i & 1) != 0)
                    is_same =
                        is_same && code != CRD_I_CASE_MISSING32 && code == crd_i_case_code(&table->columns[i], row);
            }
            if (!is_same || is_done[other]) continue;
            is_done[other] = true;
            counts[crd_i_case_code(&table->columns[node], other)] += crd_i_case_weight(table, other);
            total += crd_i_case_weight(table, other);
        }
        complete += total;
        for (size_t k = 0; k < table->columns[node].state_count; k++) {
            if (counts[k] == 0) continue;
            if (name[0] == 'b' || name[0] == 'l') sum += counts[k] * log(counts[k] / total);
            else sum += gamma_term(pseudo, counts[k]);
        }
        if (name[0] != 'b' && name[0] != 'l' && total > 0) sum -= gamma_term(pseudo * states, total);
        free(counts);
    }
    free(is_done);
    *rows = complete;
    return sum;
}

/* Of the rows that have the node and all columns of `present`, in proportion to all. */
static double enumerate_present(const crd_i_case_table *table, const char *name, size_t node, unsigned parents,
                                unsigned present) {
    double rows, parameters = (double)table->columns[node].state_count - 1;
    const double sum = enumerate_complete(table, name, node, parents, present, &rows);
    for (size_t i = 0; i < COLUMNS; i++)
        if ((parents >> i & 1) != 0) parameters *= (double)table->columns[i].state_count;
    const bool has_penalty = name[0] == 'b';
    if (rows == 0) return has_penalty ? -log(table->total) / 2 * parameters : 0;
    return (sum - (has_penalty && rows > 1 ? log(rows) / 2 * parameters : 0)) * table->total / rows;
}

/* Where a parent has missing cells, the least of what parents gain in the rows that have all, on top of the others. */
static double enumerate(const crd_i_case_table *table, const char *name, size_t node, unsigned parents) {
    bool has_missing = false;
    double least = INFINITY, parameters = (double)table->columns[node].state_count - 1;
    const double score = enumerate_present(table, name, node, parents, parents);
    for (size_t i = 0; i < COLUMNS; i++)
        has_missing = has_missing || ((parents >> i & 1) != 0 && table->columns[i].has_missing);
    if (!has_missing) return score;
    for (size_t i = 0; i < COLUMNS; i++) {
        if ((parents >> i & 1) == 0) continue;
        const unsigned others = parents & ~(1u << i);
        parameters *= (double)table->columns[i].state_count;
        least = fmin(least, enumerate(table, name, node, others) + score -
                                enumerate_present(table, name, node, others, parents));
    }
    return fmin(least, name[0] == 'b' ? -log(table->total) / 2 * parameters : 0);
}

/* Every family of five columns, alone and reached from its neighbors. */
static void check_families(const crd_i_case_table *table, const char *name, const char *reference_name) {
    crd_i_family_scores *alone = scores_of(table, name), *reached;
    crd_error error;
    assert_done(crd_i_family_scores_share(alone, &reached, &error), error);
    for (size_t node = 0; node < COLUMNS; node++)
        for (unsigned set = 0; set < 1u << COLUMNS; set++) {
            uint32_t parents[32], candidates[COLUMNS];
            double score, toggled[COLUMNS];
            size_t count = list_bits(set, parents), candidate_count = 0;
            if ((set >> node & 1) != 0) continue;
            assert_done(crd_i_family_score(alone, node, parents, count, &score, &error), error);
            const double wanted = enumerate(table, reference_name, node, set);
            assert_near(score, wanted, 1e-9 * (1 + fabs(wanted)));
            for (uint32_t i = 0; i < COLUMNS; i++)
                if (i != node) candidates[candidate_count++] = i;
            assert_done(
                crd_i_family_scores_toggle(reached, node, parents, count, candidates, candidate_count, toggled, &error),
                error);
            for (size_t i = 0; i < candidate_count; i++) {
                count = list_bits(set ^ 1u << candidates[i], parents);
                assert_done(crd_i_family_score(alone, node, parents, count, &score, &error), error);
                assert_true(score == toggled[i]);
            }
        }
    assert_true(crd_i_family_scores_computed(alone) <= COLUMNS << (COLUMNS - 1));
    crd_i_family_scores_destroy(reached);
    crd_i_family_scores_destroy(alone);
}

static void test_enumeration(void **state) {
    (void)state;
    static const size_t FEW[COLUMNS] = {2, 3, 2, 4, 3}, MANY[COLUMNS] = {300, 40, 35, 3, 1},
                        ONE[COLUMNS] = {1, 1, 2, 1, 2};
    static const struct {
        size_t rows;
        const size_t *states;
        bool has_missing;
        int weights; /* none, whole, fractions */
    } SHAPES[] = {{400, FEW, false, 0}, {130, FEW, true, 0},   {90, FEW, true, 1},
                  {60, FEW, false, 2},  {150, MANY, false, 0}, {120, MANY, true, 1},
                  {100, MANY, true, 2}, {40, ONE, false, 0},   {1, FEW, false, 0}};
    for (size_t i = 0; i < sizeof SHAPES / sizeof *SHAPES; i++) {
        crd_i_case_table *table =
            draw_table(SHAPES[i].rows, SHAPES[i].states, SHAPES[i].has_missing, SHAPES[i].weights);
        check_families(table, "bic", "bic");
        check_families(table, "k2", "k2");
        check_families(table, "bdeu:5", "5");
        crd_i_case_table_destroy(table);
    }
}

/* ---- What is degenerate, and what is refused ---- */

static void test_degenerate(void **state) {
    (void)state;
    scores_draw rows;
    crd_error error;
    double score, alone;
    const uint32_t parents[] = {0, 1};
    draw_rows(&rows);
    memcpy(rows.y, rows.x, sizeof rows.y);
    for (size_t i = 0; i < ROWS; i++) rows.z[i] = 3;
    crd_i_case_table *table = table_of(&rows, "xyz");
    crd_i_family_scores *scores = scores_of(table, "loglik");
    assert_done(crd_i_family_score(scores, 0, NULL, 0, &alone, &error), error);
    assert_done(crd_i_family_score(scores, 1, parents, 1, &score, &error), error);
    assert_true(score == -INFINITY); /* a copy */
    assert_done(crd_i_family_score(scores, 2, NULL, 0, &score, &error), error);
    assert_true(score == 0); /* never varies */
    assert_done(crd_i_family_score(scores, 2, parents, 2, &score, &error), error);
    assert_true(score == -INFINITY);
    const uint32_t constant = 2;
    assert_done(crd_i_family_score(scores, 0, &constant, 1, &score, &error), error);
    assert_near(score, alone, 1e-9);
    crd_i_family_scores_destroy(scores);
    crd_i_case_table_destroy(table);
    table = table_of(&rows, "ax");
    scores = scores_of(table, "bic");
    assert_false(crd_i_family_scores_fit(scores, 1, 0));
    assert_true(crd_i_family_scores_fit(scores, 0, 1));
    assert_done(crd_i_family_score(scores, 0, &parents[1], 1, &score, &error), error);
    assert_true(score == -INFINITY);
    crd_i_family_scores_destroy(scores);
    crd_i_score kind;
    assert_done(crd_i_score_parse(crd_text_of("bge"), &kind, &error), error);
    assert_int_equal(crd_i_family_scores_create(table, kind, &scores, &error), CRD_ERROR_SETTING);
    assert_done(crd_i_score_parse(crd_text_of("k2"), &kind, &error), error);
    assert_int_equal(crd_i_family_scores_create(table, kind, &scores, &error), CRD_ERROR_SETTING);
    crd_i_case_table_destroy(table);
    static const char *const WRONG[] = {"", "bayes", "bdeu:0", "bdeu:", "bdeu:-1", "bdeu:inf", "bic:2", "bdeu:1e13"};
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++)
        assert_int_equal(crd_i_score_parse(crd_text_of(WRONG[i]), &kind, &error), CRD_ERROR_SETTING);
}

static void test_memory(void **state) {
    (void)state;
    static const size_t STATES[COLUMNS] = {3, 300, 300, 2, 2};
    scores_draw rows;
    draw_rows(&rows);
    crd_i_case_table *tables[] = {draw_table(80, STATES, true, 1), table_of(&rows, "abxz")};
    static const char *const NAMES[] = {"bdeu:2", "bic"};
    for (size_t round = 0; round < 2; round++) {
        bool is_done = false;
        for (size_t fail = 1; !is_done; fail++) {
            const long live = counted.live;
            crd_i_score kind;
            crd_i_family_scores *scores;
            crd_error error;
            double score, toggled[3];
            const uint32_t parents[] = {1, 2}, candidates[] = {1, 2, 3};
            assert_done(crd_i_score_parse(crd_text_of(NAMES[round]), &kind, &error), error);
            counted.fail_at = counted.calls + fail;
            crd_status status = crd_i_family_scores_create(tables[round], kind, &scores, &error);
            if (status == CRD_OK) status = crd_i_family_score(scores, 3, parents, 2, &score, &error);
            if (status == CRD_OK)
                status = crd_i_family_scores_toggle(scores, 0, parents, 1, candidates, 3, toggled, &error);
            is_done = counted.calls < counted.fail_at;
            counted.fail_at = 0;
            crd_i_family_scores_destroy(scores);
            assert_int_equal(counted.live, live);
            assert_true(status == CRD_OK || status == CRD_ERROR_MEMORY);
        }
        crd_i_case_table_destroy(tables[round]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bnlearn), cmocka_unit_test(test_enumeration),
                                       cmocka_unit_test(test_degenerate), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
