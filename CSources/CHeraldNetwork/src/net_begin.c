/* Followers (R25): what is kept is found for registrations that begin with it, and what they have missed is mended.
 *
 * The loop asks for a name when the name's subscriptions have been made on the same connection. The server handles both
 * in this order. So a message that was kept before the answer is in the answer, and one that is kept later comes in.
 * Both may be: the core lets a registration hear it once.
 *
 * Ordering: One question about a name is under way at a time. The thread that delivers posts handles its answers, so no
 * message comes in meanwhile. A registration that is added while a question is under way waits for the next one, since
 * other observers may have heard more than that question's answer.
 * The stream's leader may know less than this process has heard: for a moment after its election, or if it is cut off
 * and does not know it. Then it is asked again and again. If the stream was removed and made again, its numbers begin
 * again. They are raised by `kept_base`, so that the numbers that the core gets rise. Such a stream is known by the
 * time at which it was made, or, if another program has made up a number that is far ahead or has removed messages, by
 * a leader that has known less for longer than one that is cut off leads. A leader that does not answer may have died.
 * So what has failed is asked again from time to time. If there is no stream or no permission, it is asked again after
 * the next connection. Progress: Bounded by what is kept for the name. Ownership: See followed.c and question.c.
 */
#include "net.h"
#include "subject.h"
#include <stdlib.h>
#include <string.h>

enum {
    QUESTION_MS = 1000 * HERALD_NET_QUESTION_SECONDS,
    AGAIN_MS = 50,     /* the wait before a leader that knows less, or nothing yet, is asked again */
    RETRY_MS = 2000,   /* the wait before a question that has failed is asked again */
    BEHIND_MS = 30000, /* a leader that is cut off leads for a shorter time */
    NO_LEADER = 10008, /* JetStream's number of the error that there is no leader now */
};

static void finish_begin(struct herald_net_center *network, struct herald_net_question *question);

/* ---- Asking ------------------------------------------------------------------------------------------------------ */

/* Under the lock: whether the server knows of the subscriptions for all posts of the name, or does not allow them. */
static bool is_subscribed(struct herald_net_center *network, HeraldNameRef name) {
    char subject[HERALD_NET_SUBJECT_ROOM + 8];
    size_t length = herald_net_subject_write(subject, network->stream.heard, HeraldNameGetUTF8String(name), NULL);
    if (!herald_net_interests_stand(&network->interests, subject)) return false;
    strcpy(subject + length, ".%.*");
    return herald_net_interests_stand(&network->interests, subject);
}

/* Adds the beginners that wait to those of the question. */
static void take_waiting(struct herald_net_followed *followed, struct herald_net_question *question) {
    struct herald_net_beginner **end = &question->beginners;
    while (*end) end = &(*end)->next;
    *end = followed->waiting;
    followed->waiting = NULL;
}

/* Takes the beginners that wait, and requests what they begin with. Returns why it has failed, or NULL. */
static const char *add_requests(struct herald_net_center *network, struct herald_net_followed *followed,
                                struct herald_net_question *question) {
    char filter[HERALD_NET_SUBJECT_ROOM + 8];
    struct herald_net_heard *heard;
    question->mends = question->mends || followed->mends;
    followed->mends = false;
    bool all = question->mends && followed->any;
    const char *reason = NULL;
    take_waiting(followed, question);
    if (followed->looks || !*network->kept_created) reason = herald_net_question_add(question, HERALD_NET_LOOK, "");
    followed->looks = false;
    for (struct herald_net_beginner *beginner = question->beginners; beginner; beginner = beginner->next)
        all = all || beginner->any;
    if (all) {
        strcpy(stpcpy(filter, followed->subject), ".%.*");
        if (!reason) reason = herald_net_question_add(question, HERALD_NET_LAST, followed->subject);
        return reason ? reason : herald_net_question_add(question, HERALD_NET_LIST, filter);
    }
    for (struct herald_net_beginner *beginner = question->beginners; beginner && !reason; beginner = beginner->next)
        reason = herald_net_question_add(question, HERALD_NET_LAST, beginner->subject);
    for (uint32_t at = 0; question->mends && !reason && (heard = ground_table_next(&followed->heard, &at));)
        reason = herald_net_question_add(question, HERALD_NET_LAST, heard->subject);
    return reason;
}

/* See struct herald_net_question. */
static enum herald_net_turn prepare_begin(struct herald_net_center *network, struct herald_net_question *question) {
    struct herald_net_followed *followed = herald_net_follows_find(&network->follows, question->name);
    if (!followed || followed->question != question) return HERALD_NET_DROPS; /* it has no observers any more */
    if (!is_subscribed(network, question->name) && HERALD_NET_STEP(SUBSCRIBED)) return HERALD_NET_WAITS;
    question->is_prepared = true;
    question->highest = network->kept_highest;
    const char *reason = add_requests(network, followed, question);
    if (reason) {
        herald_net_question_fail(network, question, reason);
        return HERALD_NET_WAITS;
    }
    return question->count ? HERALD_NET_SENDS : HERALD_NET_DROPS;
}

/* Under the lock: asks about the name, unless a question is under way; then the next one follows it. If memory is out,
 * the loop asks later. */
static void ask_about(struct herald_net_center *network, struct herald_net_followed *followed, uint64_t from,
                      uint64_t till) {
    if (followed->question || network->phase != HERALD_NET_OPEN) return;
    struct herald_net_question *question = herald_net_question_create(followed->name, finish_begin);
    if (!question) {
        network->begins_later = true;
        herald_net_wake(network);
        return;
    }
    question->prepare = prepare_begin;
    question->from = from;
    question->asked_till = till ? till : (from ? from : ground_now()) + QUESTION_MS * GROUND_MILLISECOND;
    question->due = question->asked_till;
    followed->question = question;
    herald_net_question_ask(network, question);
}

HeraldStatus herald_net_begin(struct herald_net_center *network, HeraldNameRef name, const char *subject,
                              const char *about, HeraldToken token) {
    const char *own = about ? about : subject;
    struct herald_net_beginner *beginner = calloc(1, sizeof *beginner + strlen(own) + 1);
    if (!beginner) return HeraldOutOfMemory;
    beginner->token = token;
    beginner->any = !about;
    strcpy(beginner->subject, own);
    pthread_mutex_lock(&network->lock);
    bool open = network->phase == HERALD_NET_OPEN;
    struct herald_net_followed *followed = open ? herald_net_follows_obtain(&network->follows, name, subject) : NULL;
    if (followed) {
        beginner->next = followed->waiting;
        followed->waiting = beginner;
        followed->any = followed->any || beginner->any;
        ask_about(network, followed, 0, 0);
    }
    pthread_mutex_unlock(&network->lock);
    if (followed) return HeraldOK;
    free(beginner);
    return open ? HeraldOutOfMemory : HeraldTransportFailed;
}

void herald_net_begin_later(struct herald_net_center *network) {
    struct herald_net_followed *followed;
    if (!network->begins_later) return;
    network->begins_later = false;
    for (uint32_t at = 0; (followed = ground_table_next(&network->follows.all, &at));)
        if (followed->waiting || followed->mends) ask_about(network, followed, 0, 0);
    if (network->begins_later) herald_net_look_soon(network);
}

/* Those that wait are told that they do not begin. */
static void end_waiting(HeraldCenterRef center, HeraldNameRef name, struct herald_net_beginner *waiting) {
    for (struct herald_net_beginner *beginner = waiting; center && beginner; beginner = beginner->next)
        if (!beginner->is_told) HeraldCenterBegin(center, name, beginner->token, NULL, 0, 0, HeraldTransportFailed);
    herald_net_beginners_destroy(waiting);
}

void herald_net_begin_end(struct herald_net_center *network) {
    HeraldCenterRef center __attribute__((cleanup(herald_net_release_center))) = herald_net_hold_center(network);
    for (;;) {
        struct herald_net_followed *followed;
        struct herald_net_beginner *waiting = NULL;
        HeraldNameRef name = NULL;
        pthread_mutex_lock(&network->lock);
        for (uint32_t at = 0; !waiting && (followed = ground_table_next(&network->follows.all, &at));) {
            name = followed->name;
            waiting = followed->waiting;
            followed->waiting = NULL;
        }
        pthread_mutex_unlock(&network->lock);
        if (!waiting) return;
        end_waiting(center, name, waiting);
    }
}

void herald_net_begin_mend(struct herald_net_center *network, struct herald_net_followed *followed) {
    followed->mends = true;
    ask_about(network, followed, 0, 0);
}

void herald_net_begin_connected(struct herald_net_center *network, bool is_again) {
    struct herald_net_followed *followed;
    for (uint32_t at = 0; (followed = ground_table_next(&network->follows.all, &at));) {
        for (struct herald_net_beginner *failed; (failed = followed->failed);) {
            followed->failed = failed->next;
            failed->next = followed->waiting;
            followed->waiting = failed;
        }
        followed->failed_count = 0;
        followed->is_told = false;
        if (is_again && followed->has_begun && HERALD_NET_STEP(MENDED)) followed->mends = true;
        if (followed->waiting || followed->mends) ask_about(network, followed, 0, 0);
    }
}

/* ---- Answers ----------------------------------------------------------------------------------------------------- */

/* What is delivered for a question that is over. */
struct begun {
    HeraldNameRef name;
    struct herald_net_question *question;
    HeraldKeptPost *posts;
    bool *mended; /* which of the question's messages were missed */
    uint64_t base;
};

static int compare_kept(const void *a, const void *b) {
    uint64_t one = (*(struct herald_net_kept *const *)a)->sequence,
             two = (*(struct herald_net_kept *const *)b)->sequence;
    return one < two ? -1 : one > two;
}

/* Whether the leader should have answered something about a subject of which it has answered nothing. What was heard
 * after the question was asked does not count, nor what another stream had. */
static bool should_be_known(const struct herald_net_center *network, const struct herald_net_question *question,
                            const struct herald_net_heard *heard) {
    return heard && heard->answered != question->number && heard->heard > network->kept_base &&
           heard->heard <= question->highest;
}

/* Under the lock: whether the leader knows less than has been heard here. */
static bool is_behind(struct herald_net_center *network, struct herald_net_followed *followed,
                      const struct herald_net_question *question) {
    struct herald_net_heard *heard;
    bool lists = false;
    for (uint32_t i = 0; i < question->kept_count; i++) {
        const struct herald_net_kept *kept = question->kept[i];
        heard = herald_net_heard_obtain(&network->follows, followed, kept->subject);
        if (!heard) continue;
        heard->answered = question->number;
        if (network->kept_base + kept->sequence < heard->heard) return true;
    }
    /* The subjects of which nothing is kept: */
    for (uint32_t i = 0; i < question->count; i++) {
        lists = lists || question->requests[i].kind == HERALD_NET_LIST;
        if (question->requests[i].kind != HERALD_NET_LAST) continue;
        if (should_be_known(network, question, herald_net_heard_find(followed, question->requests[i].text)))
            return true;
    }
    for (uint32_t at = 0; lists && (heard = ground_table_next(&followed->heard, &at));)
        if (should_be_known(network, question, heard)) return true;
    return false;
}

/* Under the lock: puts back what the question was to find, and asks again soon. `till`: as in ask_about. */
static void ask_again(struct herald_net_center *network, struct herald_net_followed *followed,
                      struct herald_net_question *question, uint64_t till) {
    take_waiting(followed, question);
    followed->waiting = question->beginners;
    question->beginners = NULL;
    followed->mends = followed->mends || question->mends;
    ask_about(network, followed, ground_now() + AGAIN_MS * GROUND_MILLISECOND, till);
}

/* Under the lock: notes what the leader has answered, and which of it was missed here. */
static void note_answers(struct herald_net_center *network, struct herald_net_followed *followed, struct begun *begun) {
    const struct herald_net_question *question = begun->question;
    struct herald_net_heard *heard;
    for (uint32_t i = 0; i < question->count; i++)
        if (question->requests[i].kind == HERALD_NET_LAST &&
            (heard = herald_net_heard_obtain(&network->follows, followed, question->requests[i].text)) &&
            !question->mends)
            heard->is_new = false;
    for (uint32_t i = 0; i < question->kept_count; i++) {
        const struct herald_net_kept *kept = question->kept[i];
        uint64_t number = network->kept_base + kept->sequence;
        if (number > network->kept_highest) network->kept_highest = number;
        heard = herald_net_heard_obtain(&network->follows, followed, kept->subject);
        if (!heard) continue;
        bool is_newer = number > heard->heard && number > heard->known;
        begun->mended[i] = question->mends && followed->has_begun && is_newer && !kept->is_forgotten;
        if (question->mends && is_newer) heard->heard = number;
        if (number > heard->known) heard->known = number;
        heard->is_new = false;
        network->counts.missed += begun->mended[i];
    }
    followed->has_begun = followed->has_begun || question->beginners;
}

/* Under the lock: keeps copies of a failed question's beginners, to ask for them again. */
static void keep_failed(struct herald_net_followed *followed, const struct herald_net_question *question, bool soon) {
    int count = 0;
    for (const struct herald_net_beginner *beginner = question->beginners; beginner; beginner = beginner->next) {
        size_t size = sizeof *beginner + strlen(beginner->subject) + 1;
        struct herald_net_beginner *copy = malloc(size);
        if (!copy) continue;
        memcpy(copy, beginner, size);
        copy->is_told = true;
        if (!soon || ++count > HERALD_NET_FAILED_MOST) {
            herald_net_followed_fail(followed, copy);
            continue;
        }
        copy->next = followed->waiting;
        followed->waiting = copy;
    }
}

/* Under the lock: the question has failed. `soon`: it is asked again without another connection. */
static void note_failure_to_begin(struct herald_net_center *network, struct herald_net_followed *followed,
                                  struct herald_net_question *question, bool soon) {
    bool is_told = followed->is_told;
    if (!question->is_prepared || network->phase != HERALD_NET_OPEN) take_waiting(followed, question);
    for (struct herald_net_beginner *beginner = question->beginners; beginner; beginner = beginner->next)
        is_told = is_told && beginner->is_told;
    if (!is_told) herald_net_tell(network, HeraldNetworkUnkept, question->name, 1, "%s", question->reason);
    followed->is_told = true;
    followed->mends = followed->mends || question->mends; /* with the next question */
    bool others = followed->waiting;                      /* they have come since */
    keep_failed(followed, question, soon);
    if (soon && !others) ask_about(network, followed, ground_now() + RETRY_MS * GROUND_MILLISECOND, 0);
    if (others) ask_about(network, followed, 0, 0);
}

/* Under the lock: notes when the stream was made, and whether it is another one than before. */
static void note_created(struct herald_net_center *network, const struct herald_net_question *question) {
    struct herald_net_json created;
    char text[sizeof network->kept_created];
    if (!question->look.at || !herald_net_json_member(question->look, "created", &created) ||
        !herald_net_json_text(created, text, sizeof text) || strcmp(text, network->kept_created) == 0)
        return;
    if (*network->kept_created) network->kept_base = network->kept_highest;
    strcpy(network->kept_created, text);
}

/* Under the lock: whether what the leader has answered counts. */
static bool is_believed(struct herald_net_center *network, struct herald_net_followed *followed,
                        const struct herald_net_question *question) {
    note_created(network, question);
    uint64_t now = ground_now();
    if (is_behind(network, followed, question)) {
        if (!followed->behind_since) followed->behind_since = now;
        if (now - followed->behind_since < (uint64_t)BEHIND_MS * GROUND_MILLISECOND) return false;
        network->kept_base = network->kept_highest;
    }
    followed->behind_since = 0;
    return true;
}

static const char knows_less[] = "the stream's leader knows less than was heard here";

/* Under the lock: takes the answers. Returns false if nothing is to be delivered. */
static bool take_answers(struct herald_net_center *network, struct begun *begun) {
    struct herald_net_question *question = begun->question;
    struct herald_net_followed *followed = herald_net_follows_find(&network->follows, question->name);
    if (!followed || followed->question != question) return false;
    followed->question = NULL;
    bool soon = (question->is_late && network->connected) || question->error == NO_LEADER;
    if (question->status == HeraldOK && !is_believed(network, followed, question)) {
        question->status = HeraldTransportFailed;
        strcpy(question->reason, knows_less);
        soon = followed->looks = true;
    }
    /* Earlier answers have known less, and the last has not come in what was left of the time. */
    if (question->is_late && network->connected && followed->behind_since) strcpy(question->reason, knows_less);
    /* What is asked at the last moment would be called late, which is not why it has failed. An answer that comes after
     * the time, and is not late, has waited while an observer was called: it tells what the leader knew then. */
    uint64_t now = ground_now();
    bool has_time = now + (uint64_t)2 * AGAIN_MS * GROUND_MILLISECOND < question->asked_till;
    bool has_waited = now >= question->asked_till && !question->is_late;
    bool open = network->phase == HERALD_NET_OPEN; /* else nothing is asked any more */
    if (question->status != HeraldOK && soon && (has_time || has_waited) && open) {
        ask_again(network, followed, question, has_waited ? 0 : question->asked_till);
        return false;
    }
    begun->base = network->kept_base;
    if (question->status != HeraldOK) {
        note_failure_to_begin(network, followed, question, soon);
        return true;
    }
    followed->is_told = false;
    note_answers(network, followed, begun);
    if (followed->waiting || followed->mends) ask_about(network, followed, 0, 0);
    return true;
}

static void mend(struct herald_net_center *network, HeraldCenterRef center, struct begun *begun) {
    for (uint32_t i = 0; i < begun->question->kept_count; i++) {
        struct herald_net_kept *kept = begun->question->kept[i];
        if (!begun->mended[i]) continue;
        uint64_t missed = 0;
        if (kept->message.sender) {
            pthread_mutex_lock(&network->hearing);
            herald_net_senders_note(&network->senders, begun->name, kept->message.sender, kept->message.sequence,
                                    &missed);
            pthread_mutex_unlock(&network->hearing);
        }
        kept->message.missed = missed ? missed : 1;
        network->received++;
        HeraldCenterDeliverKept(center, begun->name, &kept->message, begun->base + kept->sequence);
    }
}

static void begin_one(HeraldCenterRef center, struct begun *begun, const struct herald_net_beginner *beginner) {
    const struct herald_net_question *question = begun->question;
    size_t count = 0;
    if (question->status != HeraldOK && beginner->is_told) return;
    for (uint32_t i = 0; i < question->kept_count && question->status == HeraldOK; i++) {
        struct herald_net_kept *kept = question->kept[i];
        if (kept->is_forgotten || (!beginner->any && strcmp(beginner->subject, kept->subject) != 0)) continue;
        kept->message.missed = 0;
        begun->posts[count++] = (HeraldKeptPost){&kept->message, begun->base + kept->sequence};
    }
    HeraldCenterBegin(center, begun->name, beginner->token, begun->posts, count, 0, question->status);
}

static void end_begun(struct begun *begun) {
    free(begun->posts);
    free(begun->mended);
    herald_net_question_destroy(begun->question);
}

/* The center may have ended since the question was over, and be there still: then the beginners are told of it. */
static HeraldCenterRef hold_ended(struct herald_net_center *network) {
    pthread_mutex_lock(&network->lock);
    HeraldCenterRef center = network->center;
    if (center && !HeraldCenterTryRetain(center)) center = NULL;
    pthread_mutex_unlock(&network->lock);
    return center;
}

static void finish_begin(struct herald_net_center *network, struct herald_net_question *question) {
    struct begun begun __attribute__((cleanup(end_begun))) = {.name = question->name, .question = question};
    size_t room = question->kept_count + 1u;
    begun.posts = calloc(room, sizeof *begun.posts);
    begun.mended = calloc(room, sizeof *begun.mended);
    if (!begun.posts || !begun.mended) {
        question->status = HeraldTransportFailed;
        strcpy(question->reason, "out of memory");
    }
    if (question->kept_count) qsort(question->kept, question->kept_count, sizeof(void *), compare_kept);
    pthread_mutex_lock(&network->lock);
    bool delivers = take_answers(network, &begun);
    pthread_mutex_unlock(&network->lock);
    HeraldCenterRef center __attribute__((cleanup(herald_net_release_center))) = NULL;
    if (delivers) center = herald_net_hold_center(network);
    if (delivers && !center) {
        question->status = HeraldTransportFailed;
        center = hold_ended(network);
    }
    if (center && question->status == HeraldOK) mend(network, center, &begun);
    for (struct herald_net_beginner *beginner = question->beginners; center && beginner; beginner = beginner->next)
        begin_one(center, &begun, beginner);
}
