/* SPDX-License-Identifier: MIT */
/* inference_engine.c - cases that come in parts: see credence/network.h. The tree is compiled once, of the tables
 * that count for what is asked or may be known in some case, so that the bits of an answer do not depend on which
 * other cases come with it. Where a case needs large tables, it gets a tree of its own. Where Gaussian nodes count, trees
 * are compiled for what cases observe: see mixed_cases.h. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "infer/evidence_query.h"
#include "infer/exact/mixed_cases.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

struct crd_network_engine {
    const crd_network *network;
    crd_i_junction *junction;
    crd_i_mixed_cases *mixed; /* in the place of the tree, where Gaussian nodes count */
    unsigned threads;
    double *stated_numbers;     /* by node, of Gaussian nodes with the same number in every case, else NaN; or NULL */
    int32_t *stated;            /* by node, the state that it has in every case, or -1 */
    const double **likelihoods; /* by node, those of every case, in `numbers`, or NULL; NULL: there are none */
    double *numbers;
    bool *known;   /* by node, those of which cases may say something */
    bool *decides; /* by node, decisions that every case has to state, as answers depend on them */
    bool *wanted;  /* by node */
    size_t *nodes;
    size_t node_count;
    bool has_findings; /* that hold in every case */
    bool asks_numbers; /* a Gaussian node is asked for */
};

void crd_network_engine_destroy(crd_network_engine *asker) {
    if (asker == NULL) return;
    crd_context *context = asker->network->context;
    crd_i_junction_destroy(asker->junction);
    crd_i_mixed_cases_destroy(asker->mixed);
    crd_free(context, asker->stated_numbers);
    crd_free(context, asker->stated);
    crd_free(context, (void *)asker->likelihoods);
    crd_free(context, asker->numbers);
    crd_free(context, asker->known);
    crd_free(context, asker->decides);
    crd_free(context, asker->wanted);
    crd_free(context, asker->nodes);
    crd_free(context, asker);
}

/* ---- Making ---- */

static crd_status make_room(crd_network_engine *made, size_t node_count, crd_error *error) {
    crd_context *context = made->network->context;
    size_t count = made->network->count;
    made->stated = crd_i_alloc(context, count, sizeof *made->stated);
    made->known = crd_i_alloc_zeroed(context, count, sizeof *made->known);
    made->decides = crd_i_alloc_zeroed(context, count, sizeof *made->decides);
    made->wanted = crd_i_alloc_zeroed(context, count, sizeof *made->wanted);
    made->nodes = crd_i_alloc(context, node_count, sizeof *made->nodes);
    if (made->stated == NULL || made->known == NULL || made->decides == NULL || made->wanted == NULL ||
        made->nodes == NULL)
        return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) made->stated[i] = -1;
    if (crd_i_network_first_gaussian(made->network) == SIZE_MAX) return CRD_OK;
    made->stated_numbers = crd_i_alloc(context, count, sizeof *made->stated_numbers);
    if (made->stated_numbers == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) made->stated_numbers[i] = NAN;
    return CRD_OK;
}

/* What holds in every case is kept, since the caller's may be gone by then. */
static crd_status keep_findings(crd_network_engine *made, const crd_finding *findings, size_t count, crd_error *error) {
    const crd_network *network = made->network;
    size_t numbers = 0, used = 0;
    made->has_findings = count > 0;
    for (size_t i = 0; i < count; i++) {
        if (network->nodes[findings[i].node].kind == CRD_NODE_GAUSSIAN) {
            made->stated_numbers[findings[i].node] = findings[i].number;
            continue;
        }
        if (findings[i].likelihoods == NULL) made->stated[findings[i].node] = (int32_t)findings[i].state;
        else numbers += crd_i_node_states(&network->nodes[findings[i].node]);
    }
    if (numbers == 0) return CRD_OK;
    made->numbers = crd_i_alloc(network->context, numbers, sizeof *made->numbers);
    made->likelihoods = crd_i_alloc_zeroed(network->context, network->count, sizeof *made->likelihoods);
    if (made->numbers == NULL || made->likelihoods == NULL) return crd_i_fail_memory(error);
    for (size_t i = 0; i < count; i++) {
        if (findings[i].likelihoods == NULL) continue;
        size_t own = crd_i_node_states(&network->nodes[findings[i].node]);
        memcpy(made->numbers + used, findings[i].likelihoods, own * sizeof *made->numbers);
        made->likelihoods[findings[i].node] = made->numbers + used;
        used += own;
    }
    return CRD_OK;
}

/* The evidence of every case, and one more for each node that cases may know, whichever state that is: what a question
 * needs of the network is the same for all of them. */
static crd_status open_question(crd_network_engine *made, const crd_finding *findings, size_t count,
                                const size_t *known, size_t known_count, const size_t *nodes, size_t node_count,
                                const crd_inference_options *options, crd_i_evidence_query *question,
                                crd_error *error) {
    const crd_network *network = made->network;
    crd_finding *all = crd_i_alloc(network->context, count + known_count, sizeof *all);
    if (all == NULL) return crd_i_fail_memory(error);
    size_t used = count;
    if (count > 0) memcpy(all, findings, count * sizeof *all);
    for (size_t i = 0; i < count; i++)
        if (findings[i].node < network->count) made->known[findings[i].node] = true;
    for (size_t i = 0; i < known_count; i++) {
        if (known[i] < network->count && made->known[known[i]]) continue;
        if (known[i] < network->count) made->known[known[i]] = true;
        const crd_finding finding = {known[i], 0, NULL, 0};
        all[used++] = finding;
    }
    crd_status status =
        crd_i_evidence_query_open_mixed(network, all, used, nodes, node_count, options, question, error);
    crd_free(network->context, all);
    return status;
}

static void find_decisions(crd_network_engine *made, const crd_i_evidence_query *question) {
    const crd_network *network = made->network;
    for (size_t i = 0; i < network->count; i++) {
        const crd_i_node *node = &network->nodes[i];
        for (size_t j = 0; node->kind == CRD_NODE_DECISION && j < node->child_count; j++)
            made->decides[i] = made->decides[i] || question->tables[node->children[j]];
    }
}

static crd_status compile(crd_network_engine *made, const crd_i_evidence_query *question, crd_error *error) {
    const crd_network *network = made->network;
    const crd_i_evidence findings = {.states = made->stated, .likelihoods = made->likelihoods};
    crd_i_junction_options options = {.tables = question->tables, .memory = question->memory};
    bool *observed = NULL;
    if (made->has_findings) {
        observed = crd_i_alloc(network->context, network->count, sizeof *observed);
        if (observed == NULL) return crd_i_fail_memory(error);
        for (size_t i = 0; i < network->count; i++) observed[i] = made->stated[i] >= 0;
        options.observed = observed;
        options.findings = &findings;
    }
    crd_status status = crd_i_junction_compile(network, &options, &made->junction, error);
    crd_free(network->context, observed);
    return status;
}

crd_status crd_network_engine_create(const crd_network *network, const crd_finding *findings, size_t count,
                                     const size_t *known, size_t known_count, const size_t *nodes, size_t node_count,
                                     const crd_inference_options *options, crd_network_engine **out, crd_error *error) {
    crd_i_evidence_query question = {.network = NULL};
    *out = NULL;
    crd_network_engine *made = crd_i_alloc_zeroed(network->context, 1, sizeof *made);
    if (made == NULL) return crd_i_fail_memory(error);
    made->network = network;
    made->node_count = node_count;
    crd_status status = make_room(made, node_count, error);
    if (status == CRD_OK)
        status = open_question(made, findings, count, known, known_count, nodes, node_count, options, &question, error);
    if (status == CRD_OK) status = keep_findings(made, findings, count, error);
    if (status == CRD_OK) {
        made->threads = question.options.threads;
        for (size_t i = 0; i < node_count; i++) {
            made->nodes[i] = nodes[i];
            made->wanted[nodes[i]] = true;
            made->asks_numbers = made->asks_numbers || network->nodes[nodes[i]].kind == CRD_NODE_GAUSSIAN;
        }
        find_decisions(made, &question);
        status = question.parts == NULL
                     ? compile(made, &question, error)
                     : crd_i_mixed_cases_create(network, made->wanted, question.memory, &made->mixed, error);
    }
    crd_i_evidence_query_close(&question);
    if (status == CRD_OK) *out = made;
    else crd_network_engine_destroy(made);
    return status;
}

/* ---- Asking ---- */

static crd_status fail_undecided(const crd_i_node *node, crd_error *error) {
    char quoted[CRD_I_QUOTED_ROOM];
    crd_i_fail(error, CRD_ERROR_COLUMN, "the answer depends on the decision %s: every case has to state its choice",
               crd_i_quote(node->name, quoted));
    crd_i_error_subject(error, node->name);
    return CRD_ERROR_COLUMN;
}

/* Cases are counted from 0, as they are handed over. */
static crd_status check_states(const crd_network_engine *asker, const int32_t *states, size_t cases, crd_error *error) {
    const crd_network *network = asker->network;
    char quoted[CRD_I_QUOTED_ROOM];
    for (size_t j = 0; j < cases; j++, states += network->count) {
        for (size_t i = 0; i < network->count; i++) {
            const crd_i_node *node = &network->nodes[i];
            if (states[i] < 0 && asker->decides[i] && asker->stated[i] < 0) return fail_undecided(node, error);
            if (states[i] < 0 || node->kind == CRD_NODE_GAUSSIAN) continue;
            if ((size_t)states[i] >= crd_i_node_states(node))
                return crd_i_fail(error, CRD_ERROR_ARGUMENT, "%s has no state number %d: case %zu says so",
                                  crd_i_quote(node->name, quoted), (int)states[i], j);
            if (node->kind == CRD_NODE_CHANCE && !asker->known[i])
                return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                                  "case %zu knows %s, which is not among the nodes that cases may know", j,
                                  crd_i_quote(node->name, quoted));
        }
    }
    return CRD_OK;
}

/* The cases with what holds in all of them. */
static int32_t *add_findings(const crd_network_engine *asker, const int32_t *states, size_t cases) {
    size_t count = asker->network->count;
    if (cases > SIZE_MAX / count) return NULL;
    int32_t *all = crd_i_alloc(asker->network->context, cases * count, sizeof *all);
    if (all == NULL) return NULL;
    for (size_t j = 0; j < cases; j++) {
        for (size_t i = 0; i < count; i++) {
            bool is_soft = asker->likelihoods != NULL && asker->likelihoods[i] != NULL;
            int32_t own = is_soft ? -1 : states[j * count + i];
            all[j * count + i] = asker->stated[i] >= 0 ? asker->stated[i] : own;
        }
    }
    return all;
}

/* ---- Cases with numbers ---- */

typedef struct mixed_asking {
    const crd_network_engine *asker;
    const int32_t *states;
    const double *numbers; /* NULL: none are known */
    size_t cases, answer_size;
    double *posteriors, *log_evidence;
    atomic_size_t next;
    pthread_mutex_t lock; /* of what follows */
    size_t failed_at;     /* the first case that failed, as far as known; SIZE_MAX: none */
    crd_status status;
    crd_error *error;
} mixed_asking;

/* Room for one case. */
typedef struct mixed_room {
    double *numbers, *posteriors, *moments;
    size_t *starts;
} mixed_room;

static size_t posterior_size(const crd_network *network, size_t *starts) {
    size_t size = 0;
    for (size_t i = 0; i < network->count; i++) {
        if (starts != NULL) starts[i] = size;
        size += crd_i_node_states(&network->nodes[i]);
    }
    return size;
}

/* How many numbers the answer has for a node. */
static size_t answer_places(const crd_i_node *node) {
    return node->kind == CRD_NODE_GAUSSIAN ? 2 : crd_i_node_states(node);
}

static crd_status ask_mixed_case(const mixed_asking *own, size_t at, const mixed_room *room, crd_error *error) {
    const crd_network_engine *asker = own->asker;
    const crd_network *network = asker->network;
    const crd_i_evidence findings = {.states = own->states + at * network->count, .likelihoods = asker->likelihoods};
    double log_evidence = -INFINITY, *answer = own->posteriors == NULL ? NULL : own->posteriors + at * own->answer_size;
    if (crd_i_context_cancelled(network->context)) return crd_i_fail_cancelled(error);
    for (size_t i = 0; i < network->count; i++) {
        double own_number = own->numbers == NULL ? NAN : own->numbers[at * network->count + i];
        room->numbers[i] = isnan(asker->stated_numbers[i]) ? own_number : asker->stated_numbers[i];
    }
    double *posteriors = answer == NULL ? NULL : room->posteriors, *moments = NULL;
    if (answer != NULL && asker->asks_numbers) moments = room->moments;
    /* Without an error to fill in, nobody looks for what contradicts what. */
    crd_status status =
        crd_i_mixed_cases_ask(asker->mixed, &findings, room->numbers, posteriors, moments, &log_evidence, NULL);
    if (status != CRD_OK && status != CRD_ERROR_PROBABILITY)
        status =
            crd_i_mixed_cases_ask(asker->mixed, &findings, room->numbers, posteriors, moments, &log_evidence, error);
    bool is_possible = status == CRD_OK;
    if (!is_possible && status != CRD_ERROR_PROBABILITY) return status;
    for (size_t i = 0; answer != NULL && i < asker->node_count; i++) {
        const crd_i_node *node = &network->nodes[asker->nodes[i]];
        bool is_gaussian = node->kind == CRD_NODE_GAUSSIAN;
        const double *from =
            is_gaussian ? room->moments + 2 * asker->nodes[i] : room->posteriors + room->starts[asker->nodes[i]];
        for (size_t s = 0; s < answer_places(node); s++) *answer++ = is_possible ? from[s] : 0;
    }
    if (own->log_evidence != NULL) own->log_evidence[at] = is_possible ? log_evidence : -INFINITY;
    return CRD_OK;
}

static void keep_error(mixed_asking *own, size_t at, crd_status status, const crd_error *error) {
    pthread_mutex_lock(&own->lock);
    if (own->failed_at == SIZE_MAX || at < own->failed_at) {
        own->failed_at = at;
        own->status = status;
        if (own->error != NULL) *own->error = *error;
    }
    pthread_mutex_unlock(&own->lock);
}

static void ask_mixed_cases(void *state, unsigned member) {
    mixed_asking *own = state;
    const crd_network *network = own->asker->network;
    crd_context *context = network->context;
    crd_error error;
    mixed_room room = {crd_i_alloc(context, network->count, sizeof *room.numbers), NULL,
                       crd_i_alloc(context, 2 * network->count, sizeof *room.moments),
                       crd_i_alloc(context, network->count, sizeof *room.starts)};
    if (room.starts != NULL)
        room.posteriors = crd_i_alloc(context, posterior_size(network, room.starts), sizeof *room.posteriors);
    bool has_room = room.numbers != NULL && room.posteriors != NULL && room.moments != NULL;
    /* A thread without memory leaves its share to the others, if it is not the caller's. */
    if (!has_room && member == 0) keep_error(own, 0, crd_i_fail_memory(&error), &error);
    for (size_t at; has_room && (at = atomic_fetch_add(&own->next, 1)) < own->cases;) {
        crd_status status = ask_mixed_case(own, at, &room, &error);
        if (status == CRD_OK) continue;
        keep_error(own, at, status, &error);
        break;
    }
    crd_free(context, room.numbers);
    crd_free(context, room.posteriors);
    crd_free(context, room.moments);
    crd_free(context, room.starts);
}

static crd_status ask_mixed(const crd_network_engine *asker, const int32_t *states, const double *numbers, size_t cases,
                            double *posteriors, double *log_evidence, crd_error *error) {
    const crd_network *network = asker->network;
    mixed_asking own = {.asker = asker,
                        .states = states,
                        .numbers = numbers,
                        .cases = cases,
                        .posteriors = asker->node_count == 0 ? NULL : posteriors,
                        .log_evidence = log_evidence,
                        .failed_at = SIZE_MAX,
                        .error = error};
    atomic_init(&own.next, 0);
    for (size_t i = 0; i < asker->node_count; i++) own.answer_size += answer_places(&network->nodes[asker->nodes[i]]);
    int refused = pthread_mutex_init(&own.lock, NULL);
    if (refused != 0) return crd_i_fail_system(error, refused, "no lock for the threads");
    unsigned threads = crd_i_thread_pool_size(asker->threads);
    crd_i_thread_pool_run(network->context, threads > cases ? (unsigned)cases : threads, ask_mixed_cases, &own);
    pthread_mutex_destroy(&own.lock);
    return own.status;
}

static crd_status check_numbers(const crd_network_engine *asker, const double *numbers, size_t cases,
                                crd_error *error) {
    const crd_network *network = asker->network;
    char quoted[CRD_I_QUOTED_ROOM];
    for (size_t at = 0; numbers != NULL && at < cases * network->count; at++) {
        size_t i = at % network->count;
        const crd_i_node *node = &network->nodes[i];
        if (node->kind != CRD_NODE_GAUSSIAN || isnan(numbers[at])) continue;
        if (isinf(numbers[at]))
            return crd_i_fail(error, CRD_ERROR_ARGUMENT, "%g is no number that %s can have: case %zu has it",
                              numbers[at], crd_i_quote(node->name, quoted), at / network->count);
        if (!asker->known[i])
            return crd_i_fail(error, CRD_ERROR_ARGUMENT,
                              "case %zu knows %s, which is not among the nodes that cases may know",
                              at / network->count, crd_i_quote(node->name, quoted));
    }
    return CRD_OK;
}

crd_status crd_network_engine_posteriors(const crd_network_engine *asker, const int32_t *states, const double *numbers,
                                         size_t cases, double *posteriors, double *log_evidence, crd_error *error) {
    int32_t *all = NULL;
    crd_status status = check_states(asker, states, cases, error);
    if (status == CRD_OK && asker->stated_numbers != NULL) status = check_numbers(asker, numbers, cases, error);
    if (status != CRD_OK || cases == 0) return status;
    if (asker->has_findings) {
        all = add_findings(asker, states, cases);
        if (all == NULL) return crd_i_fail_memory(error);
    }
    if (asker->mixed != NULL) {
        status = ask_mixed(asker, all == NULL ? states : all, numbers, cases, posteriors, log_evidence, error);
        crd_free(asker->network->context, all);
        return status;
    }
    const crd_i_junction_cases asked = {.count = cases,
                                        .states = all == NULL ? states : all,
                                        .likelihoods = asker->likelihoods,
                                        .wanted = asker->wanted,
                                        .threads = asker->threads,
                                        .posteriors = asker->node_count == 0 ? NULL : posteriors,
                                        .log_evidence = log_evidence,
                                        .nodes = asker->nodes,
                                        .node_count = asker->node_count};
    status = crd_i_junction_ask_cases(asker->junction, &asked, error);
    crd_free(asker->network->context, all);
    return status;
}
