#ifndef OPENCOREDATA_CPROCESSES_SHIM_H
#define OPENCOREDATA_CPROCESSES_SHIM_H

/* What the kernel has for a program that measures others, and Foundation's Glibc module does not offer: prctl takes a
   variable number of arguments, and stdout is a variable that all threads share. */
#include <stdio.h>

/* Lines appear as they are printed, also in a pipe. */
static inline void opencoredata_print_by_line(void) { setvbuf(stdout, 0, _IOLBF, 0); }

#ifdef __linux__
#include <sys/prctl.h>

/* Processes whose parent has ended become children of this one, so that their processor time is counted. */
static inline int opencoredata_adopt_orphans(void) { return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); }

/* This process ends with its parent. */
static inline int opencoredata_end_with_parent(void) { return prctl(PR_SET_PDEATHSIG, 9, 0, 0, 0); }
#else
static inline int opencoredata_adopt_orphans(void) { return -1; }
static inline int opencoredata_end_with_parent(void) { return -1; }
#endif

#endif
