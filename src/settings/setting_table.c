/* SPDX-License-Identifier: MIT */
/* setting_table.c - the table of settings: name, forms with the type and bounds of their arguments, default, help.
 *
 * settings.c parses and formats settings by this table. The command line, its help and the bindings read it, too. To
 * add a setting whose value is one of several words, possibly with a number, add one row here and one case in
 * setting_values.c. */
#include "settings/settings_internal.h"

#include <credence/number.h>

#include <math.h>

#define WORD(word, help)                                                                                               \
    { word, NULL, NULL, CRD_SETTING_ARGUMENT_NONE, 0, 0, help }
#define NUMBER(word, letter, suffix, least, greatest, help)                                                            \
    { word, letter, suffix, CRD_SETTING_ARGUMENT_NUMBER, least, greatest, help }
#define INTEGER(word, letter, least, greatest, help)                                                                   \
    { word, letter, NULL, CRD_SETTING_ARGUMENT_INTEGER, least, greatest, help }
#define LIST(type, letter, help)                                                                                       \
    { NULL, letter, NULL, type, 0, 0, help }

static const crd_setting_form smoothing[] = {
    WORD("none", "relative frequencies"),
    NUMBER("m", "M", NULL, 0, CRD_I_MOST_STRENGTH, "m-estimate: M pseudo-counts, spread evenly over the values"),
    NUMBER("m", "M", "marginal", 0, CRD_I_MOST_STRENGTH, "M pseudo-counts, spread by the values' overall frequencies"),
    NUMBER("laplace", "L", NULL, 0, CRD_I_MOST_STRENGTH, "L pseudo-counts for each value"),
    NUMBER("bdeu", "S", NULL, 0, CRD_I_MOST_STRENGTH, "S pseudo-counts, spread evenly over a whole table"),
    WORD("k2", "laplace:1")};

static const crd_setting_form prior[] = {
    WORD("frequency", "the relative frequency of each class"),
    NUMBER("laplace", "L", NULL, 0, CRD_I_MOST_STRENGTH, "L pseudo-counts for each class"),
    WORD("uniform", "every class alike"),
    LIST(CRD_SETTING_ARGUMENT_PRIORS, "CLASS=P,...",
         "stated for each class; one may be left out, and has the rest; P is 0.9, 9/10 or 90%")};

static const crd_setting_form variance[] = {WORD("mle", "maximum likelihood: divided by n"),
                                            WORD("sample", "unbiased: divided by n - 1")};

static const crd_setting_form share_variance[] = {
    WORD("none", "a variance for each class and attribute"), WORD("classes", "one for all classes of an attribute"),
    WORD("attributes", "one for all number attributes of a class"), WORD("all", "one for both together")};

static const crd_setting_form min_deviation[] = {
    NUMBER(NULL, "S", NULL, 0, HUGE_VAL, "the least standard deviation of a normal density")};

static const crd_setting_form family[] = {LIST(
    CRD_SETTING_ARGUMENT_FAMILIES, "FAMILY|COL=FAMILY,...",
    "one family for all number columns or texts, or column by column, the rest by *=FAMILY; auto selects one for each "
    "number column")};

static const crd_setting_form histogram[] = {
    WORD("sturges", "equal widths by Sturges' rule"),
    WORD("scott", "equal widths by Scott's rule"),
    WORD("freedman", "equal widths by Freedman and Diaconis' rule"),
    INTEGER("width", "N", 1, 4096, "N bins of equal width"),
    INTEGER("frequency", "N", 1, 4096, "N bins of about equal frequency"),
    {"edges", "A:B:...", NULL, CRD_SETTING_ARGUMENT_NUMBERS, 2, CRD_I_MOST_EDGES,
     "bins between these ascending numbers"},
    WORD("likelihood", "as many of equal frequency as maximise the likelihood")};

static const crd_setting_form bandwidth[] = {
    WORD("weka", "the range over the square root of n, as Weka has it"), WORD("scott", "Scott's rule"),
    WORD("silverman", "Silverman's rule"),
    /* The smallest positive double: a bandwidth of zero is not valid. */
    NUMBER(NULL, "H", NULL, 0x1p-1074, HUGE_VAL, "the standard deviation of the kernel")};

static const crd_setting_form mixture[] = {
    INTEGER("bic", "MOST", 1, CRD_I_MOST_CURVES, "as many components as have the least BIC, at most so many"),
    INTEGER(NULL, "K", 1, CRD_I_MOST_CURVES, "K components")};

static const crd_setting_form student[] = {
    WORD("smoothing", "M of smoothing m:M"), WORD("likelihood", "by marginal likelihood"),
    NUMBER(NULL, "K", NULL, 0, CRD_I_MOST_STRENGTH, "K pseudo-counts of the whole column")};

static const crd_setting_form method[] = {
    WORD("naive", "naive Bayes: attributes are independent given the class"),
    WORD("joint", "joint densities: numbers by a multivariate normal, categories by a full table"),
    WORD("a1de", "AODE: averaged one-dependence estimators"),
    WORD("pairs", "a pairwise log-linear model with fitted weights"),
    INTEGER("bagging", "N", 1, CRD_I_MOST_MEMBERS, "an ensemble of N bootstrap samples"),
    INTEGER("boosting", "N", 1, CRD_I_MOST_MEMBERS, "an ensemble of N boosting rounds"),
    WORD("committee", "a stacked ensemble of several methods"),
    WORD("network", "a Bayesian network"),
    WORD("tan", "tree-augmented naive Bayes: a network in which attributes have the class and one another for parents"),
    INTEGER("kdb", "K", 0, CRD_I_MOST_DEPENDENCE, "k-dependence Bayes: the class and up to K others for parents"),
    WORD("sequence", "a hidden Markov model of sequences of rows")};

static const crd_setting_form joint[] = {
    WORD("none", "every attribute by itself"), WORD("all", "numbers in one block, categories in another"),
    WORD("numbers", "all number attributes in one block"), WORD("categories", "all categories in one block"),
    LIST(CRD_SETTING_ARGUMENT_COLUMNS, "COL,COL,...[;COL,COL,...]", "blocks of columns, by name")};

static const crd_setting_form normal[] = {
    WORD("auto", "selected by held-out likelihood; of sequences full:0"),
    WORD("full", "a covariance matrix for each class (QDA), shrinkage by held-out likelihood"),
    NUMBER("full", "S", NULL, 0, 1, "a covariance matrix for each class (QDA), shrunk by S"),
    WORD("shared", "one covariance matrix for all classes (LDA), shrinkage by held-out likelihood"),
    NUMBER("shared", "S", NULL, 0, 1, "one covariance matrix for all classes (LDA), shrunk by S"),
    WORD("diagonal", "no covariances"),
    WORD("mixture", "a mixture of normals in each class, their number by held-out rows"),
    INTEGER("mixture", "K", 1, CRD_I_MOST_CURVES, "a mixture of K normals in each class")};

static const crd_setting_form exponents[] = {WORD("none", "all 1: plain naive Bayes"),
                                             WORD("fitted", "maximum conditional likelihood, ridge-penalised")};

static const crd_setting_form calibration[] = {WORD("none", "probabilities as computed"),
                                               WORD("isotonic", "isotonic regression for each class"),
                                               WORD("scaling", "Platt scaling of the log probabilities"),
                                               WORD("known-words", "texts: each word unseen in training cancels a "
                                                                   "known one")};

static const crd_setting_form structure[] = {
    WORD("none", "from the target to every category"),
    WORD("hill-climb", "greedy hill climbing for the best score"),
    WORD("tabu", "tabu search for the best score"),
    WORD("pc", "PC-stable: by tests of independence"),
    WORD("exact", "the best score of all, for up to about 25 nodes"),
    WORD("chow-liu", "the tree of the greatest mutual information"),
    WORD("tan", "tree-augmented naive Bayes"),
    INTEGER("kdb", "K", 0, CRD_I_MOST_DEPENDENCE, "k-dependence Bayes"),
    LIST(CRD_SETTING_ARGUMENT_ARCS, "A->B,C->B,D,...", "arcs from parents to children, and nodes without arcs")};

static const crd_setting_form estimator[] = {
    WORD("counts", "relative frequencies: a row counts for a node where the node and all its parents are present"),
    WORD("em", "EM: maximum likelihood, or posterior, of all that the rows have; 10 starts where nodes are hidden"),
    INTEGER("em", "N", 1, 1000, "EM from N starts"), WORD("gradient", "the same by gradient ascent"),
    INTEGER("gradient", "N", 1, 1000, "gradient ascent from N starts")};

static const crd_setting_form hidden[] = {
    WORD("none", "every node is a column"),
    LIST(CRD_SETTING_ARGUMENT_HIDDEN, "NAME:K,...", "nodes that are no columns, with K states each")};

static const crd_setting_form iterations[] = {INTEGER(NULL, "N", 1, 1000000, "steps of EM or gradient ascent")};

static const crd_setting_form tolerance[] = {NUMBER(NULL, "T", NULL, 0, 1, "relative to the log-likelihood")};

static const crd_setting_form score[] = {
    WORD("bic", "log-likelihood less log(n) / 2 for each parameter"),
    WORD("aic", "log-likelihood less 1 for each parameter"),
    /* The smallest positive double. */
    NUMBER("bdeu", "S", NULL, 0x1p-1074, CRD_I_MOST_STRENGTH,
           "Bayesian Dirichlet: marginal likelihood with S pseudo-counts, spread evenly over each table"),
    WORD("k2", "marginal likelihood with one pseudo-count for each state"), WORD("loglik", "log-likelihood"),
    WORD("bge", "Bayesian Gaussian equivalent, of numbers"),
    NUMBER("bge", "S", NULL, 0x1p-1074, CRD_I_MOST_STRENGTH, "the same with S pseudo-rows for the means (1)")};

static const crd_setting_form test[] = {
    WORD("auto", "g2 of categories, z of numbers"), WORD("g2", "likelihood ratio, against chi-squared"),
    WORD("x2", "Pearson's chi-squared"), WORD("z", "Fisher's z of partial correlations")};

static const crd_setting_form alpha[] = {NUMBER(NULL, "P", NULL, 0, 1, "the level of significance")};

static const crd_setting_form constraint[] = {
    WORD("none", "none"), LIST(CRD_SETTING_ARGUMENT_ARCS, "A->B,...", "arcs from parents to children")};

static const crd_setting_form tiers[] = {
    WORD("none", "any column may be before any other"),
    LIST(CRD_SETTING_ARGUMENT_COLUMNS, "COL,...;COL,...", "no arc leads from a later tier to an earlier")};

static const crd_setting_form most_parents[] = {WORD("none", "as many as there are columns"),
                                                INTEGER(NULL, "N", 1, 1000000, "parents of a node")};

static const crd_setting_form max_conditioning[] = {INTEGER(NULL, "N", 0, 1000000, "columns that a test conditions on"),
                                                    WORD("none", "as many as there are neighbors")};

static const crd_setting_form restarts[] = {
    WORD("auto", "10 to 30 for up to 500 nodes, fewer for more"),
    INTEGER(NULL, "N", 0, 1000000, "climbs after the first, from perturbed and random networks")};

static const crd_setting_form states[] = {WORD("auto", "as many as the criterion of training selects"),
                                          INTEGER(NULL, "K", 1, CRD_I_MOST_HIDDEN_STATES, "K hidden states")};

static const crd_setting_form order[] = {
    INTEGER(NULL, "N", 1, CRD_I_MOST_ORDER, "states that the next one depends on")};

static const crd_setting_form topology[] = {
    WORD("ergodic", "any state may follow any other"),
    WORD("left-to-right", "sequences begin in the first state, and no state is followed by an earlier one"),
    INTEGER("left-to-right", "SKIP", 0, CRD_I_MOST_HIDDEN_STATES, "the same, and at most SKIP states are skipped")};

static const crd_setting_form ends[] = {WORD("none", "sequences may stop anywhere"),
                                        WORD("counted", "the end has a probability after each state")};

static const crd_setting_form transitions[] = {
    WORD("auto", "as smoothing in order 1, interpolated in higher orders"),
    WORD("smoothing", "as the setting smoothing"),
    WORD("none", "relative frequencies"),
    NUMBER("m", "M", NULL, 0, CRD_I_MOST_STRENGTH, "m-estimate: M pseudo-counts, spread evenly over the next states"),
    NUMBER("laplace", "L", NULL, 0, CRD_I_MOST_STRENGTH, "L pseudo-counts for each next state"),
    WORD("interpolated", "deleted interpolation of the frequencies after 0 to N states")};

static const crd_setting_form components[] = {
    INTEGER(NULL, "K", 1, CRD_I_MOST_COMPONENTS, "mixture components of each state")};

static const crd_setting_form unseen_words[] = {
    WORD("auto", "by suffix and shape where a column looks like words"), WORD("none", "their factor is left out"),
    INTEGER("suffix", "N", 1, CRD_I_MOST_SUFFIX, "by suffixes of up to N letters and by shape")};

static const crd_setting_form term_smoothing[] = {
    WORD("auto", "multinomial: by how terms spread over the classes; complement 1, others 0.1"),
    NUMBER(NULL, "A", NULL, CRD_I_LEAST_TERM_SMOOTHING, CRD_I_MOST_STRENGTH, "A pseudo-counts for each term")};

static const crd_setting_form tf[] = {WORD("count", "x, how often the text has the term"), WORD("log", "1 + log x"),
                                      WORD("binary", "1 for each term that the text has")};

static const crd_setting_form length[] = {
    WORD("none", "every occurrence of a term counts in full"),
    WORD("root", "terms count so that they add up to the square root of the length"),
    WORD("unit", "terms count so that their squares add up to 1"),
    /* The smallest positive double: a length of zero would mean no evidence. */
    NUMBER(NULL, "N", NULL, 0x1p-1074, CRD_I_MOST_STRENGTH, "terms count so that they add up to at most N")};

static const crd_setting_form complement_weights[] = {
    WORD("normalised", "weights of each class add up to the same, in absolute values"),
    WORD("plain", "logarithms of probabilities in the other classes")};

static const crd_setting_form min_documents[] = {
    NUMBER(NULL, "N", NULL, 0, CRD_I_MOST_STRENGTH, "texts that have the term; below 1, the fraction of them")};

static const crd_setting_form max_documents[] = {
    WORD("all", "any number of texts"),
    NUMBER(NULL, "N", NULL, 0x1p-1074, CRD_I_MOST_STRENGTH, "texts that have the term; below 1, the fraction of them")};

static const crd_setting_form stop_words[] = {
    WORD("none", "every term counts"),
    WORD("auto", "terms of a tenth of the texts that have next to no information about the class"),
    LIST(CRD_SETTING_ARGUMENT_WORDS, "WORD,...", "these words")};

static const crd_setting_form vocabulary[] = {
    WORD("all", "every term"), INTEGER(NULL, "N", 1, 1e15, "the N terms of the most information about the class")};
static const crd_setting_form tokens[] = {
    WORD("words", "words by the rules of Unicode (UAX #29) that have a letter or a digit"),
    WORD("blanks", "whatever is between blanks"), WORD("characters", "single characters")};

static const crd_setting_form letter_case[] = {WORD("fold", "A is a, by Unicode's case folding"),
                                               WORD("keep", "A is not a")};

static const crd_setting_form stem[] = {
    WORD("none", "words as they are"),
    {NULL, "LANGUAGE", NULL, CRD_SETTING_ARGUMENT_LANGUAGE, 0, 0, "stems by Snowball's rules, such as english"}};

static const crd_setting_form ngrams[] = {{NULL, "N|N-M", NULL, CRD_SETTING_ARGUMENT_RANGE, 1, CRD_I_MOST_NGRAM,
                                           "runs of N, or of N to M, words or characters"}};

static const crd_setting_form sparse_bigrams[] = {
    INTEGER(NULL, "N", 0, CRD_I_MOST_SPARSE, "pairs of words at most N apart, each distance by itself")};

static const crd_setting_form hash[] = {
    WORD("none", "terms as they are"),
    INTEGER(NULL, "BITS", CRD_I_LEAST_HASH_BITS, CRD_I_MOST_HASH_BITS, "2^BITS buckets of terms")};

#define FORMS(forms) forms, sizeof forms / sizeof *forms

static const crd_setting table[CRD_I_SETTING_COUNT] = {
    {"smoothing", "none|m:M|m:M:marginal|laplace:L|bdeu:S|k2", "m:1",
     "additive smoothing: M pseudo-counts (m-estimate) spread over the values evenly or by overall frequency, L for "
     "each "
     "value (Laplace), or S over a whole table (BDeu); k2 is laplace:1; M also shrinks a number's mean and variance "
     "towards those of its whole column",
     FORMS(smoothing)},
    {"prior", "frequency|laplace:L|uniform|CLASS=P,...", "frequency",
     "prior probability of each class; P is 0.9, 9/10 or 90%", FORMS(prior)},
    {"variance", "mle|sample", "mle", "variance divided by n (maximum likelihood) or by n - 1 (sample)",
     FORMS(variance)},
    {"share-variance", "none|classes|attributes|all", "none",
     "pooled variance: one for all classes, for all number attributes, or for both", FORMS(share_variance)},
    {"min-deviation", "S", "0", "lower bound of standard deviations", FORMS(min_deviation)},
    {"family", "FAMILY|COL=FAMILY,...", "gaussian",
     "family of densities of number columns, and of texts: one for all, or column by column, the rest by *=FAMILY; "
     "auto "
     "selects one for each number column by held-out likelihood of the classes",
     FORMS(family)},
    {"histogram", "sturges|scott|freedman|width:N|frequency:N|edges:A:B:...|likelihood", "sturges",
     "bins of the family histogram: equal widths by rule, N of equal width or frequency, given edges, or as many of "
     "equal frequency as maximise the likelihood",
     FORMS(histogram)},
    {"bandwidth", "weka|scott|silverman|H", "weka", "kernel bandwidth of the family kernel: by rule, or a number",
     FORMS(bandwidth)},
    {"mixture", "bic:MOST|K", "bic:3",
     "normal components of the family mixture: K, or as many as have the least BIC, up to MOST", FORMS(mixture)},
    {"student", "smoothing|likelihood|K", "smoothing",
     "pseudo-counts of the whole column in the family student: M of smoothing m:M, by marginal likelihood, or K",
     FORMS(student)},
    {"method", "auto|naive|joint|a1de|pairs|bagging:N|boosting:N|committee|network|tan|kdb:K|sequence", "naive",
     "classifier: auto (compare methods and take the best), naive Bayes, joint densities, AODE (a1de), pairwise "
     "log-linear model, bagging or boosting of N "
     "models, stacked ensemble (committee), Bayesian network, tree-augmented naive Bayes (tan), k-dependence Bayes, or "
     "hidden "
     "Markov model of sequences",
     FORMS(method)},
    {"joint", "none|all|numbers|categories|COL,COL,...[;COL,COL,...]", "none",
     "columns with a joint density given the class: all of a kind, or blocks of named columns", FORMS(joint)},
    {"normal", "auto|full|full:S|shared|shared:S|diagonal|mixture|mixture:K", "auto",
     "multivariate normal density of joint numbers: covariance for each class (full, QDA), for all (shared, LDA) or "
     "none (diagonal), with shrinkage S; or a mixture of K normals",
     FORMS(normal)},
    {"exponents", "none|fitted", "none",
     "attribute weights (weighted naive Bayes), fitted to held-out rows by maximum conditional likelihood",
     FORMS(exponents)},
    {"calibration", "none|isotonic|scaling|known-words", "none",
     "calibration of probabilities, fitted to held-out rows, or by the words of a text that training has seen",
     FORMS(calibration)},
    {"structure", "none|hill-climb|tabu|pc|exact|chow-liu|tan|kdb:K|A->B,C->B,D,...", "none",
     "arcs of a Bayesian network, from parent to child, and nodes without arcs, or the search by which they are found; "
     "none: from the target to every category",
     FORMS(structure)},
    {"estimator", "counts|em|em:N|gradient|gradient:N", "counts",
     "estimator of the tables of a network from rows with missing cells: counts of complete families, EM, or gradient "
     "ascent on the likelihood, from N starts; with smoothing the posterior is maximised (MAP)",
     FORMS(estimator)},
    {"hidden", "none|NAME:K,...", "none",
     "nodes of a network that are no columns, with K states each, which are fitted by the estimator em unless it is "
     "gradient; without a structure the K latent classes of a table, for train also NAME alone",
     FORMS(hidden)},
    {"iterations", "N", "1000", "steps of the estimators em and gradient at most, and of EM over sequences",
     FORMS(iterations)},
    {"tolerance", "T", "1e-07",
     "gain of the log-likelihood, relative to it, below which the estimators em and gradient end, and EM over "
     "sequences",
     FORMS(tolerance)},
    {"score", "bic|aic|bdeu:S|k2|loglik|bge|bge:S", "bic",
     "score of a network that hill-climb, tabu and exact maximise", FORMS(score)},
    {"test", "auto|g2|x2|z", "auto", "test of conditional independence of the structure pc", FORMS(test)},
    {"alpha", "P", "0.05", "level of significance of the structure pc's tests", FORMS(alpha)},
    {"required", "none|A->B,...", "none", "arcs that a search must have", FORMS(constraint)},
    {"forbidden", "none|A->B,...", "none",
     "arcs that a search must not have; of sequences, transitions between states that are impossible, also start->A "
     "and "
     "A->end",
     FORMS(constraint)},
    {"tiers", "none|COL,...;COL,...", "none",
     "columns in the order of causes: a search has no arc from a later tier to an earlier", FORMS(tiers)},
    {"most-parents", "none|N", "none", "parents of a node at most, in a search", FORMS(most_parents)},
    {"max-conditioning", "N|none", "3", "columns that a test of the structure pc conditions on, at most",
     FORMS(max_conditioning)},
    {"restarts", "auto|N", "auto",
     "climbs of hill-climb and tabu after the first; of sequences, the starts of EM (auto: 10, of categories 20)",
     FORMS(restarts)},
    {"states", "auto|K", "auto",
     "hidden states of a sequence model; with a target, of the model of each class of whole sequences; auto: by BIC",
     FORMS(states)},
    {"order", "N", "1", "order of the Markov chain of states, 1 to 3: how many states the next one depends on",
     FORMS(order)},
    {"topology", "ergodic|left-to-right|left-to-right:SKIP", "ergodic",
     "states of a sequence that may follow one another: any, or none before itself, in the order of their "
     "names, with at most SKIP states skipped",
     FORMS(topology)},
    {"ends", "none|counted", "none", "whether the end of a sequence has a probability after each state", FORMS(ends)},
    {"transitions", "auto|smoothing|none|m:M|laplace:L|interpolated", "auto",
     "probabilities of starts, transitions and ends of sequences from their counts: smoothed (auto: as smoothing), or "
     "interpolated between orders (auto in orders 2 and 3 of labelled states)",
     FORMS(transitions)},
    {"components", "K", "1", "mixture components in the density of each hidden state", FORMS(components)},
    {"unseen-words", "auto|none|suffix:N", "auto",
     "categories of a sequence that training did not have: by the suffixes and shapes of rare words, or left out",
     FORMS(unseen_words)},
    {"term-smoothing", "auto|A", "auto",
     "smoothing of texts: A pseudo-counts for each term under each class, of words-dirichlet A texts of that term "
     "alone; "
     "auto: in the family multinomial estimated from how terms spread over the classes (empirical Bayes)",
     FORMS(term_smoothing)},
    {"tf", "count|log|binary", "log",
     "what x occurrences of a term count for in the families multinomial and complement: x, 1 + log x, or 1",
     FORMS(tf)},
    {"length", "none|root|unit|N", "20",
     "length transform: the log-likelihood of a text is scaled as if its terms added up to at most N, to the square "
     "root "
     "of the length (root), or their squares to 1 (unit)",
     FORMS(length)},
    {"complement-weights", "normalised|plain", "normalised",
     "weights of the family complement: divided by the sum of their absolute values under the class, or plain",
     FORMS(complement_weights)},
    {"min-documents", "N", "1", "texts that have a term, or their fraction below 1, under which it is left out",
     FORMS(min_documents)},
    {"max-documents", "all|N", "all", "texts that have a term, or their fraction below 1, over which it is left out",
     FORMS(max_documents)},
    {"stop-words", "none|auto|WORD,...", "none",
     "words of texts that are left out: those listed, or terms that a tenth of the texts have and that hardly tell "
     "classes apart (auto)",
     FORMS(stop_words)},
    {"vocabulary", "all|N", "all",
     "terms of texts that count: all, or the N whose presence has the most information about the class",
     FORMS(vocabulary)},
    {"tokens", "words|blanks|characters", "words",
     "tokens of texts: words by the rules of Unicode, what is between blanks, or characters; fixed at training",
     FORMS(tokens)},
    {"letter-case", "fold|keep", "fold", "whether letters of texts differ by case; fixed at training",
     FORMS(letter_case)},
    {"stem", "none|LANGUAGE", "none", "stemming of the words of texts by Snowball's rules; fixed at training",
     FORMS(stem)},
    {"ngrams", "N|N-M", "1",
     "terms of texts: runs of N, or of N to M, words, or characters where tokens are these; fixed at training",
     FORMS(ngrams)},
    {"sparse-bigrams", "N", "0",
     "further terms of texts: pairs of words at most N apart, those at each distance by themselves; fixed at training",
     FORMS(sparse_bigrams)},
    {"hash", "none|BITS", "none",
     "terms of texts in 2^BITS buckets, in bounded memory, instead of each by itself; fixed at training", FORMS(hash)},
};

size_t crd_setting_count(void) {
    return CRD_I_SETTING_COUNT;
}

const crd_setting *crd_setting_at(size_t index) {
    return index < CRD_I_SETTING_COUNT ? &table[index] : NULL;
}
