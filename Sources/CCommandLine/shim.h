#ifndef OPENCOREDATA_CCOMMANDLINE_SHIM_H
#define OPENCOREDATA_CCOMMANDLINE_SHIM_H

/* What the C library has for programs on a command line and Foundation's Glibc module does not offer: getopt_long, which
   the header declares under _GNU_SOURCE alone, and the columns that a character takes. */
#include <getopt.h>
#include <wchar.h>

/* The state of getopt_long is global. One function reads all that a call leaves. */
struct opencoredata_option_result {
    int value;          /* what getopt_long returned */
    int next;           /* optind */
    int refused;        /* optopt */
    const char *_Nullable argument;
};

static inline void opencoredata_options_begin(void) {
    optind = 0;
    opterr = 0;
}

static inline struct opencoredata_option_result opencoredata_next_option(
    int count, char *_Nullable const *_Nonnull arguments, const char *_Nonnull letters,
    const struct option *_Nonnull options) {
    struct opencoredata_option_result result;
    result.value = getopt_long(count, arguments, letters, options, 0);
    result.next = optind;
    result.refused = optopt;
    result.argument = optarg;
    return result;
}

/* Columns of a character on a terminal: 0, 1 or 2; -1 for one that is not printed. The locale has to know UTF-8. */
static inline int opencoredata_columns(unsigned int scalar) {
    int wcwidth(wchar_t character);
    return wcwidth((wchar_t)scalar);
}

#endif
