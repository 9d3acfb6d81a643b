/* SPDX-License-Identifier: MIT */
/* training.c - see training.h. */
#include "training.h"

#include "table/read/reader.h"

#include <math.h>
#include <string.h>

/* 160 numbers of both signs up to near the greatest double, so far apart that cells of any fixed number have to be as
 * wide as they ever are. */
#define TEN_FAR(sign, tenth)                                                                                           \
    sign "1." tenth "0e308,u,p\n" sign "1." tenth "1e308,v,q\n" sign "1." tenth "2e308,u,q\n" sign "1." tenth          \
         "3e308,v,p\n" sign "1." tenth "4e308,u,p\n" sign "1." tenth "5e308,v,q\n" sign "1." tenth "6e308,u,q\n" sign  \
         "1." tenth "7e308,v,p\n" sign "1." tenth "8e308,u,q\n" sign "1." tenth "9e308,v,p\n"
#define EIGHTY_FAR(sign)                                                                                               \
    TEN_FAR(sign, "0")                                                                                                 \
    TEN_FAR(sign, "1")                                                                                                 \
    TEN_FAR(sign, "2")                                                                                                 \
    TEN_FAR(sign, "3") TEN_FAR(sign, "4") TEN_FAR(sign, "5") TEN_FAR(sign, "6") TEN_FAR(sign, "7")

const char *const fuzz_tables[] = {
    "Outlook,Wind,Play\nSunny,Weak,No\nSunny,Strong,No\nOvercast,Weak,Yes\nRain,Weak,Yes\nRain,Strong,No\n",
    "x,y,c\n1,0.5,1\n2,0.25,1\n3,1e300,2\n4,1e-300,2\n-5.5,0,10\n",
    "a,b,e,c\n1,?,?,yes\n?,red,?,no\n3,blue,?,yes\n4,\"a,b\",?,no\n",
    "a,c\nx,only\ny,only\n",
    "a,b,c\n7,x,one\n",
    ("@relation r\n@attribute k {a,b,c}\n@attribute n real\n@attribute e {x,y}\n@attribute y {yes,no,never}\n@data\n"
     "a,1,?,yes\nb,2,?,no\n?,2.5,?,yes\n"),
    "x,b,y\n" EIGHTY_FAR("") EIGHTY_FAR("-"),
};

crd_status fuzz_try_train(crd_context *context, const char *table, const crd_settings *settings, const char *kept,
                          crd_model **out, crd_error *error) {
    crd_i_source *source = NULL;
    crd_reader *reader = NULL;
    FUZZ_CHECK(crd_i_source_memory(context, table, strlen(table), true, &source, error) == CRD_OK);
    FUZZ_CHECK(crd_i_reader_open_source(context, source, "table", NULL, &reader, error) == CRD_OK);
    FUZZ_CHECK(crd_reader_set_target(reader, crd_reader_column_count(reader) - 1, error) == CRD_OK);
    crd_status status = kept == NULL
                            ? crd_model_train(context, reader, settings, out, NULL, error)
                            : crd_model_train_keeping(context, reader, settings, crd_text_of(kept), out, NULL, error);
    crd_reader_close(reader);
    return status;
}

crd_model *fuzz_train(crd_context *context, const char *table, const crd_settings *settings, const char *kept) {
    crd_model *model = NULL;
    FUZZ_CHECK(fuzz_try_train(context, table, settings, kept, &model, NULL) == CRD_OK);
    return model;
}

void fuzz_check_posterior(const double *log_posterior, size_t classes, const crd_answer *answer) {
    double sum = 0;
    for (size_t c = 0; c < classes; c++) {
        FUZZ_CHECK(!isnan(log_posterior[c]));
        sum += crd_exp(log_posterior[c]);
    }
    if (answer->decision < 0) {
        FUZZ_CHECK(answer->decision == -1 && sum == 0 && answer->tied == 0 && isinf(answer->log_evidence));
    } else {
        FUZZ_CHECK((size_t)answer->decision < classes && answer->tied >= 1 && answer->tied <= classes);
        FUZZ_CHECK(fabs(sum - 1) < 1e-9);
        FUZZ_CHECK(!isnan(answer->log_evidence));
        for (size_t c = 0; c < classes; c++)
            FUZZ_CHECK(log_posterior[c] <= log_posterior[answer->decision] + CRD_TIE_MARGIN);
    }
}
