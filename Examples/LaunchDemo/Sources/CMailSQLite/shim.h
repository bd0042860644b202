#ifndef MAIL_SQLITE_SHIM_H
#define MAIL_SQLITE_SHIM_H

#include <sqlite3.h>
#include <stdio.h>

/* Lines appear as they are printed, also in a pipe. To Swift, stdout is a variable that all threads share. */
static inline void mail_print_by_line(void) { setvbuf(stdout, 0, _IOLBF, 0); }

#endif
