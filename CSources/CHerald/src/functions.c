/* The table of this copy's functions, and the note by which other copies find it (first.h).
 *
 * Ordering, progress: this file has only data. Ownership: the data belong to the program or library that contains this
 * copy.
 */
#include "first.h"

static const struct herald_functions functions = {.post = herald_post_from,
                                                  .post_topic = herald_topic_post_from,
                                                  .post_message = herald_message_post_from,
                                                  .follow = herald_trace_follow,
#define MEMBER(result, name, parameters, arguments) .name = herald_own_##name,
                                                  HERALD_ENTRY_POINTS(MEMBER)};

HERALD_BEGIN
extern struct herald_copy herald_this_copy;
HERALD_END
__attribute__((used)) struct herald_copy herald_this_copy = {
    .generation = HERALD_GENERATION,
    .level = HERALD_LEVEL,
    .version = HERALD_VERSION,
    .is_first = &herald_first_is_here,
    .functions = &functions,
    .traces = &HeraldTraceCount,
};

/* An ELF note is loaded with the program or library. Even linkers that drop unreferenced sections keep it. The content
 * of this note is a distance: from the content to herald_this_copy. */
__asm__(".pushsection .note.herald, \"a\", %note\n"
        ".balign 4\n"
        ".long 7, 4, 1\n" /* sizes of the name and of the content; HERALD_NOTE */
        ".asciz \"Herald\"\n"
        ".balign 4\n"
        ".long herald_this_copy - .\n"
        ".popsection\n");
