#include "CBaseline.h"

// The headers come with valgrind (`bin/setup --valgrind`); without them nothing is ever counted.
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>

int baseline_can_count(void) { return 1; }

void baseline_count(int is_on) {
    if (is_on) {
        CALLGRIND_START_INSTRUMENTATION;
        CALLGRIND_TOGGLE_COLLECT;
    } else {
        CALLGRIND_TOGGLE_COLLECT;
        CALLGRIND_STOP_INSTRUMENTATION;
    }
}
#else
int baseline_can_count(void) { return 0; }

void baseline_count(int is_on) { (void)is_on; }
#endif
