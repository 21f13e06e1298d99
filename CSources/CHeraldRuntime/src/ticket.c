/* Posts that wait until they have been heard (Ticket.swift). While such a post is on its way, its thread has the post's
 * ticket.
 *
 * A body on the posting thread may post, too. Such a nested post has no ticket, so it is told apart from the outer post
 * by its center, name, object and payload. A nested post that is equal in all four gets the ticket as well. Then the
 * outer post waits for more than it must.
 *
 * Ordering: The count is relaxed; herald_runtime.h says why.
 * Progress: That of a post.
 * Ownership: The ticket is borrowed until the post returns. A mailbox retains it.
 */
#include "ticket.h"
#include "swift.h"

uint32_t herald_swift_ticket_count;

void herald_swift_ticket_made(void) { __atomic_add_fetch(&herald_swift_ticket_count, 1, __ATOMIC_RELAXED); }

void herald_swift_ticket_gone(void) { __atomic_sub_fetch(&herald_swift_ticket_count, 1, __ATOMIC_RELAXED); }

struct ticketed {
    const void *ticket; /* NULL: no post of this thread has one */
    HeraldCenterRef center;
    HeraldNameRef name;
    const void *object, *payload;
    bool is_reached; /* the callback that runs fills a mailbox with this post */
};

static __thread struct ticketed waiting;

HeraldStatus herald_swift_post_with_ticket(const void *ticket, HeraldCenterRef center, HeraldNameRef name,
                                           const void *object, const void *payload, const void *tag, bool keeps) {
    const struct ticketed outer = waiting; /* not empty if a body of the outer post runs the jobs of an executor */
    HeraldStatus status = HeraldOK;
    waiting = (struct ticketed){ticket, center, name, object, payload, false};
    if (keeps) {
        status = HeraldCenterPostKept(center, name, object, payload, tag, 0, NULL);
    } else {
        HeraldCenterPostTagged(center, name, object, payload, tag, 0);
    }
    waiting = outer;
    return status;
}

bool herald_swift_ticket_reach(HeraldCenterRef center, HeraldNameRef name, const void *object, const void *payload) {
    const bool before = waiting.is_reached;
    waiting.is_reached = waiting.ticket && waiting.center == center && waiting.name == name &&
                         waiting.object == object && waiting.payload == payload;
    return before;
}

void herald_swift_ticket_leave(bool before) { waiting.is_reached = before; }

const void *herald_swift_ticket(void) { return waiting.is_reached ? waiting.ticket : NULL; }

uintptr_t herald_swift_task(void) { return (uintptr_t)swift_task_getCurrent(); }
