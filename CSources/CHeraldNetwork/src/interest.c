/* The table of interests, and which of them should have subscriptions.
 *
 * Ordering, ownership: The center's lock. Only the loop frees interests, so the loop may use them without the lock.
 * Progress: O(segments) for a subject. A change of a wide interest visits all interests.
 */
#include "interest.h"
#include <stdlib.h>
#include <string.h>

/* ---- The table --------------------------------------------------------------------------------------------------- */

struct wish {
    const char *subject;
    size_t length;
    bool wide;
};

static uint32_t hash_wish(const struct wish *wish) {
    uint64_t hash = wish->wide ? 0xcbf29ce484222325u : 0x84222325cbf29ce4u;
    for (size_t i = 0; i < wish->length; i++) hash = (hash ^ (unsigned char)wish->subject[i]) * 0x100000001b3u;
    return (uint32_t)ground_mix(hash);
}

static uint64_t hash_interest(const void *interest) { return ((const struct herald_net_interest *)interest)->hash; }

static bool is_interest_of(const void *element, const void *context) {
    const struct herald_net_interest *interest = element;
    const struct wish *wish = context;
    return interest->length == wish->length && interest->wide == wish->wide &&
           memcmp(interest->subject, wish->subject, wish->length) == 0;
}

void herald_net_interests_create(struct herald_net_interests *interests) { interests->all.hash = hash_interest; }

struct herald_net_interest *herald_net_interests_find(const struct herald_net_interests *interests, const char *subject,
                                                      size_t length, bool wide) {
    const struct wish wish = {subject, length, wide};
    return ground_table_get(&interests->all, hash_wish(&wish), is_interest_of, &wish);
}

struct herald_net_interest *herald_net_interests_obtain(struct herald_net_interests *interests, const char *subject,
                                                        bool wide) {
    const struct wish wish = {subject, strlen(subject), wide};
    struct herald_net_interest *interest = herald_net_interests_find(interests, subject, wish.length, wide);
    if (interest) return interest;
    interest = calloc(1, sizeof *interest + wish.length + 1);
    if (!interest) return NULL;
    interest->wide = wide;
    interest->hash = hash_wish(&wish);
    interest->length = wish.length;
    memcpy(interest->subject, subject, wish.length + 1);
    return ground_table_add(&interests->all, interest);
}

void herald_net_interests_forget(struct herald_net_interests *interests, struct herald_net_interest *interest) {
    ground_table_remove(&interests->all, ground_table_place(&interests->all, interest));
    free(interest);
}

/* ---- What is wanted ---------------------------------------------------------------------------------------------- */

static bool is_wanted(const struct herald_net_interest *interest) {
    return interest && interest->wanted && !interest->denied;
}

/* Whether the interest has a subscription that is not ending. */
static bool stands(const struct herald_net_interest *interest) {
    return is_wanted(interest) && interest->own && !interest->ends;
}

/* Whether there is a wider interest for which `is_like` holds. */
static bool is_below(const struct herald_net_interests *interests, const char *subject, size_t length,
                     bool (*is_like)(const struct herald_net_interest *interest)) {
    if (!interests->wide || !HERALD_NET_STEP(COVERED)) return false;
    while (length) {
        while (length && subject[length - 1] != '.') length--;
        if (length) length--; /* the dot */
        if (is_like(herald_net_interests_find(interests, subject, length, true))) return true;
    }
    return false;
}

static bool is_covered(const struct herald_net_interests *interests, const char *subject, size_t length) {
    return is_below(interests, subject, length, is_wanted);
}

static bool covers(const struct herald_net_interest *wide, const struct herald_net_interest *interest) {
    if (!wide->length) return interest != wide;
    return interest->length > wide->length && interest->subject[wide->length] == '.' &&
           memcmp(interest->subject, wide->subject, wide->length) == 0;
}

bool herald_net_interest_needs_own(const struct herald_net_interests *interests,
                                   const struct herald_net_interest *interest) {
    return is_wanted(interest) && !is_covered(interests, interest->subject, interest->length);
}

bool herald_net_interests_hear(const struct herald_net_interests *interests, const char *subject) {
    size_t length = strlen(subject);
    return is_wanted(herald_net_interests_find(interests, subject, length, false)) ||
           is_covered(interests, subject, length);
}

bool herald_net_interests_stand(const struct herald_net_interests *interests, const char *subject) {
    size_t length = strlen(subject);
    const struct herald_net_interest *own = herald_net_interests_find(interests, subject, length, false);
    return stands(own) || (own && own->denied) || is_below(interests, subject, length, stands);
}

void herald_net_interest_look_at(struct herald_net_interests *interests, struct herald_net_interest *interest) {
    if (interest->dirty) return;
    interest->dirty = true;
    interest->next_dirty = interests->dirty;
    interests->dirty = interest;
}

/* Called when an interest becomes wanted, unwanted or denied. Puts the interest, and all interests below it, on the
 * list of interests to look at. */
static void change(struct herald_net_interests *interests, struct herald_net_interest *interest) {
    herald_net_interest_look_at(interests, interest);
    struct herald_net_interest *other;
    for (uint32_t at = 0; interest->wide && (other = ground_table_next(&interests->all, &at));)
        if (covers(interest, other)) herald_net_interest_look_at(interests, other);
}

void herald_net_interest_want(struct herald_net_interests *interests, struct herald_net_interest *interest,
                              bool is_wanted, uint64_t version) {
    if (version < interest->version) return;
    interest->version = version;
    if (is_wanted == interest->wanted) return;
    interest->wanted = is_wanted;
    interests->wide += interest->wide ? (is_wanted ? 1 : UINT32_MAX) : 0;
    if (!is_wanted) interest->denied = false;
    change(interests, interest);
}

static struct herald_net_interest *find_text(struct herald_net_interests *interests, const char *text) {
    size_t length = strlen(text);
    bool wide = length && text[length - 1] == '>' && (length == 1 || text[length - 2] == '.');
    if (wide) length -= length == 1 ? 1 : 2;
    return herald_net_interests_find(interests, text, length, wide);
}

void herald_net_interests_deny(struct herald_net_interests *interests, const char *text) {
    struct herald_net_interest *interest = find_text(interests, text);
    if (!interest || interest->denied || !HERALD_NET_STEP(DENIED)) return;
    interest->denied = true;
    change(interests, interest);
}

/* Reads how many posts the interest's own subscription has dropped. A dropped post does not count if another
 * subscription has brought the same post. A closed subscription does not report the number any more; then the last
 * known number is returned. */
static uint64_t count_dropped(struct herald_net_interest *interest) {
    int64_t dropped = 0;
    if (!interest->own || natsSubscription_GetDropped(interest->own, &dropped) != NATS_OK || dropped <= 0)
        return interest->dropped;
    if (interest->is_doubled) {
        interest->doubled = (uint64_t)dropped - interest->dropped;
    } else {
        interest->dropped = (uint64_t)dropped - interest->doubled;
    }
    return interest->dropped;
}

void herald_net_interest_note_double(struct herald_net_interest *interest) {
    count_dropped(interest);
    interest->is_doubled = HERALD_NET_STEP(DOUBLED);
}

void herald_net_interest_go_on(struct herald_net_interest *interest) {
    if (interest->is_doubled) count_dropped(interest);
    interest->is_doubled = false;
    interest->ends_after = interest->ends_at = 0;
}

uint64_t herald_net_interest_tell_dropped(struct herald_net_interest *interest) {
    uint64_t more = count_dropped(interest) - interest->told;
    interest->told = interest->dropped;
    return more;
}

natsSubscription *herald_net_interest_end(struct herald_net_interests *interests,
                                          struct herald_net_interest *interest) {
    natsSubscription *own = interest->own;
    interests->dropped += count_dropped(interest);
    interest->dropped = interest->told = interest->doubled = 0;
    interest->is_doubled = interest->ends = false;
    interest->ends_after = interest->ends_at = 0;
    interest->own = NULL;
    herald_net_interest_look_at(interests, interest); /* it may be wanted again */
    return own;
}

void herald_net_interests_lose_all(struct herald_net_interests *interests) {
    struct herald_net_interest *interest;
    for (uint32_t at = 0; (interest = ground_table_next(&interests->all, &at));) {
        natsSubscription_Destroy(herald_net_interest_end(interests, interest));
        interest->denied = false;
    }
}

uint64_t herald_net_interests_dropped(const struct herald_net_interests *interests) {
    uint64_t sum = interests->dropped;
    struct herald_net_interest *interest;
    for (uint32_t at = 0; (interest = ground_table_next(&interests->all, &at));) sum += count_dropped(interest);
    return sum;
}

enum herald_net_place herald_net_interest_place(struct herald_net_interests *interests,
                                                const struct herald_net_interest *interest) {
    if (is_covered(interests, interest->subject, interest->length))
        return is_below(interests, interest->subject, interest->length, stands) ? HERALD_NET_TAKEN : HERALD_NET_AWAITED;
    enum herald_net_place place = interest->wanted ? HERALD_NET_TAKEN : HERALD_NET_VACANT;
    struct herald_net_interest *other;
    for (uint32_t at = 0; interest->wide && (other = ground_table_next(&interests->all, &at));) {
        if (!is_wanted(other) || !covers(interest, other)) continue;
        if (!stands(other) && !is_below(interests, other->subject, other->length, stands)) return HERALD_NET_AWAITED;
        place = HERALD_NET_TAKEN;
    }
    return place;
}
