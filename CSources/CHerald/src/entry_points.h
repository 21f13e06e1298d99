/* The functions that a copy of the library passes on to the first copy (R22), as one list: result, name, parameters,
 * arguments. Three things are made from the list: the struct of pointers by which copies call each other (first.h),
 * this copy's table (functions.c), and the public functions (public.c). A public function calls the first copy's
 * function or this copy's own.
 *
 * The order is that of the table and of Tests/Api/functions.txt. It never changes; new functions go to the end.
 *
 * Functions that post are not in the list: the table has members of its own for them (first.h). Except: those that keep
 * a post are in it, as private functions that get the caller's address, because they came later.
 */
#ifndef HERALD_ENTRY_POINTS_H
#define HERALD_ENTRY_POINTS_H

#include "platform.h"
#include <herald/inspect.h>

/* clang-format off */
#define HERALD_ENTRY_POINTS(_) \
    _(HeraldNameRef, HeraldNameCreate, (const char *utf8), (utf8)) \
    _(HeraldNameRef, HeraldNameFind, (const char *utf8), (utf8)) \
    _(const char *, HeraldNameGetUTF8String, (HeraldNameRef name), (name)) \
    _(HeraldCenterRef, HeraldCenterGetLocalCenter, (void), ()) \
    _(HeraldCenterRef, HeraldCenterCreate, (const HeraldCenterOptions *options), (options)) \
    _(HeraldCenterRef, HeraldCenterRetain, (HeraldCenterRef center), (center)) \
    _(void, HeraldCenterRelease, (HeraldCenterRef center), (center)) \
    _(HeraldStatus, HeraldCenterAddObserver, (HeraldCenterRef center, const void *observer, HeraldCallback callback, \
          HeraldNameRef name, const void *object, HeraldSuspensionBehavior suspensionBehavior), \
          (center, observer, callback, name, object, suspensionBehavior)) \
    _(HeraldStatus, HeraldCenterAddObserverWithOptions, (HeraldCenterRef center, const void *observer, \
          HeraldCallback callback, HeraldNameRef name, const void *object, const HeraldObserverOptions *options, \
          HeraldToken *token), \
          (center, observer, callback, name, object, options, token)) \
    _(void, HeraldCenterRemoveObserver, (HeraldCenterRef center, const void *observer, HeraldNameRef name, const \
          void *object), \
          (center, observer, name, object)) \
    _(void, HeraldCenterRemoveEveryObserver, (HeraldCenterRef center, const void *observer), (center, observer)) \
    _(void, HeraldCenterRemoveEveryObserverAndWait, (HeraldCenterRef center, const void *observer), \
          (center, observer)) \
    _(bool, HeraldCenterRemoveToken, (HeraldCenterRef center, HeraldToken token), (center, token)) \
    _(bool, HeraldCenterRemoveTokenAndWait, (HeraldCenterRef center, HeraldToken token), (center, token)) \
    _(const void *, HeraldGetCurrentTag, (void), ()) \
    _(HeraldStatus, HeraldTagSetOptions, (const void *tag, const HeraldTagOptions *options), (tag, options)) \
    _(HeraldTopicRef, HeraldTopicCreate, (HeraldCenterRef center, HeraldNameRef name, const void *object), \
          (center, name, object)) \
    _(bool, HeraldTopicTryPost, (HeraldTopicRef topic, const void *userInfo, size_t *called), \
          (topic, userInfo, called)) \
    _(void, HeraldTopicRelease, (HeraldTopicRef topic), (topic)) \
    _(void, HeraldCenterSetSuspended, (HeraldCenterRef center, bool suspended), (center, suspended)) \
    _(bool, HeraldCenterIsSuspended, (HeraldCenterRef center), (center)) \
    _(uint64_t, HeraldCenterGetDroppedPostCount, (HeraldCenterRef center), (center)) \
    _(HeraldStatus, HeraldCenterCreateWithTransport, (const HeraldCenterOptions *options, const HeraldTransport \
          *transport, HeraldCenterRef *center), \
          (options, transport, center)) \
    _(size_t, HeraldCenterDeliver, (HeraldCenterRef center, HeraldNameRef name, const void *object, const void \
          *userInfo, const void *tag, unsigned options), \
          (center, name, object, userInfo, tag, options)) \
    _(size_t, HeraldCenterDeliverMessage, (HeraldCenterRef center, HeraldNameRef name, const HeraldMessage \
          *message), \
          (center, name, message)) \
    _(bool, HeraldCenterTryRetain, (HeraldCenterRef center), (center)) \
    _(HeraldStatus, HeraldCenterAddObserverUnder, (HeraldCenterRef center, const void *observer, HeraldCallback \
          callback, const char *prefix, const HeraldObserverOptions *options, void (*ended)(void *context), void \
          *context, HeraldToken *token), \
          (center, observer, callback, prefix, options, ended, context, token)) \
    _(bool, HeraldCenterHasObservers, (HeraldCenterRef center, HeraldNameRef name), (center, name)) \
    _(const HeraldMessage *, HeraldGetCurrentMessage, (void), ()) \
    _(bool, HeraldCenterIsHeard, (HeraldCenterRef center, HeraldNameRef name), (center, name)) \
    _(const void *, HeraldObjectForString, (const char *utf8), (utf8)) \
    _(HeraldStatus, HeraldTraceStart, (HeraldCenterRef center, HeraldNameRef name, HeraldTraceHook hook, void \
          *context, void (*release)(void *context), HeraldToken *trace), \
          (center, name, hook, context, release, trace)) \
    _(bool, HeraldTraceStop, (HeraldToken trace), (trace)) \
    _(void, HeraldTraceCarry, (const void *carrier, uint64_t message, uint64_t begin, uint64_t end), \
          (carrier, message, begin, end)) \
    _(void, HeraldTraceLose, (const void *carrier, uint64_t message, HeraldTraceOutcome outcome), \
          (carrier, message, outcome)) \
    _(void, HeraldTraceSend, (uint64_t sender, uint64_t sequence), (sender, sequence)) \
    _(void, HeraldVisitCenters, (bool (*visit)(void *context, HeraldCenterRef center), void *context), \
          (visit, context)) \
    _(size_t, HeraldCenterVisitRegistrations, (HeraldCenterRef center, bool (*visit)(void *context, const \
          HeraldRegistrationInfo *info), void *context), \
          (center, visit, context)) \
    _(size_t, HeraldCenterGetRegistrationCount, (HeraldCenterRef center, size_t *held), (center, held)) \
    _(void, HeraldVisitRunning, (bool (*visit)(void *context, const HeraldRunningInfo *info), void *context), \
          (visit, context)) \
    _(void, HeraldCenterSetLabel, (HeraldCenterRef center, const char *utf8), (center, utf8)) \
    _(size_t, HeraldCenterGetLabel, (HeraldCenterRef center, char *buffer, size_t size), (center, buffer, size)) \
    _(uint64_t, HeraldCenterGetNumber, (HeraldCenterRef center), (center)) \
    _(void, HeraldCenterSetObserverLimit, (HeraldCenterRef center, size_t limit), (center, limit)) \
    _(void, HeraldSetDescriber, (HeraldCallback callback, void (*describe)(const void *observer, HeraldDescription \
          *description)), \
          (callback, describe)) \
    _(void, HeraldSetNameDescriber, (size_t (*describe)(HeraldNameRef name, char *buffer, size_t size)), (describe)) \
    _(void, HeraldSetTagDescriber, (const void *tag, size_t (*describe)(HeraldNameRef name, char *buffer, size_t \
          size)), \
          (tag, describe)) \
    _(size_t, HeraldNameDescribe, (HeraldNameRef name, const void *tag, char *buffer, size_t size), \
          (name, tag, buffer, size)) \
    _(HeraldStatus, HeraldInspectorStart, (void), ()) \
    _(void, HeraldInspectorStop, (void), ()) \
    _(void, HeraldInspectorSetService, (const HeraldInspectorService *service), (service)) \
    _(const char *, HeraldGetErrorDescription, (void), ()) \
    _(HeraldStatus, HeraldSetErrorDescription, (HeraldStatus status, const char *description), (status, description)) \
    _(HeraldStatus, HeraldCenterRemoveTokenThen, (HeraldCenterRef center, HeraldToken token, void (*then)(void \
          *context), void *context), \
          (center, token, then, context)) \
    _(HeraldStatus, herald_kept_post_from, (HeraldCenterRef center, HeraldNameRef name, const void *object, const void \
          *userInfo, const void *tag, unsigned options, size_t *called, const void *caller), \
          (center, name, object, userInfo, tag, options, called, caller)) \
    _(HeraldStatus, herald_kept_topic_post_from, (HeraldTopicRef topic, const void *userInfo, const void *tag, size_t \
          *called, const void *caller), \
          (topic, userInfo, tag, called, caller)) \
    _(bool, HeraldPostIsKept, (void), ()) \
    _(bool, HeraldCenterTakeKept, (HeraldCenterRef center, HeraldNameRef name, const void *object, void (*take)(void \
          *context, const void *userInfo, const void *tag), void *context), \
          (center, name, object, take, context)) \
    _(bool, HeraldCenterForget, (HeraldCenterRef center, HeraldNameRef name, const void *object), \
          (center, name, object)) \
    _(void, HeraldCenterVisitKept, (HeraldCenterRef center, void (*visit)(void *context, HeraldNameRef name, const void \
          *object, const void *userInfo, const void *tag), void *context), \
          (center, visit, context)) \
    _(size_t, HeraldCenterGetKeptCount, (HeraldCenterRef center, size_t *limit, uint64_t *messageBytes), \
          (center, limit, messageBytes)) \
    _(size_t, HeraldCenterDeliverKept, (HeraldCenterRef center, HeraldNameRef name, const HeraldMessage *message, \
          uint64_t number), \
          (center, name, message, number)) \
    _(void, HeraldCenterBegin, (HeraldCenterRef center, HeraldNameRef name, HeraldToken token, const HeraldKeptPost \
          *kept, size_t count, uint64_t delivered, HeraldStatus status), \
          (center, name, token, kept, count, delivered, status)) \
    _(HeraldTopicRef, HeraldTopicCreateUnnamed, (HeraldCenterRef center), (center)) \
    _(HeraldStatus, HeraldTopicAddObserver, (HeraldTopicRef topic, const void *observer, HeraldTaggedCallback \
          taggedCallback, void (*release)(void *observer), HeraldToken *token), \
          (topic, observer, taggedCallback, release, token)) \
    _(void, HeraldTopicRemoveEveryObserver, (HeraldTopicRef topic), (topic)) \
    _(size_t, HeraldTopicGetObserverCount, (HeraldTopicRef topic), (topic)) \
    _(bool, HeraldCenterHasToken, (HeraldCenterRef center, HeraldToken token), (center, token)) \
    _(bool, HeraldCenterSetTokenBlocked, (HeraldCenterRef center, HeraldToken token, bool blocked), \
          (center, token, blocked)) \
    _(bool, HeraldCenterIsTokenBlocked, (HeraldCenterRef center, HeraldToken token), (center, token)) \
    _(HeraldCenterRef, HeraldTokenRetainCenter, (HeraldToken token), (token)) \
    _(bool, HeraldTokenRemove, (HeraldToken token), (token)) \
    _(bool, HeraldTokenRemoveAndWait, (HeraldToken token), (token)) \
    _(HeraldToken, HeraldGetCurrentToken, (void), ())
/* clang-format on */

HERALD_BEGIN
/* Version 0.2.0 declared this in its public header. So programs may call it, and older copies have it in their
 * tables. */
HERALD_EXPORT bool HeraldTopicTryPost(HeraldTopicRef topic, const void *userInfo, size_t *called);

/* Kept posts with the code address that they were made from, for traces. */
HeraldStatus herald_kept_post_from(HeraldCenterRef center, HeraldNameRef name, const void *object, const void *userInfo,
                                   const void *tag, unsigned options, size_t *called, const void *caller);
HeraldStatus herald_kept_topic_post_from(HeraldTopicRef topic, const void *userInfo, const void *tag, size_t *called,
                                         const void *caller);

/* This copy's own functions, which run if this copy is the first. Each is defined in the file for its subject: those
 * for names in name.c, for example. */
#define HERALD_DECLARE_OWN(result, name, parameters, arguments) result herald_own_##name parameters;
HERALD_ENTRY_POINTS(HERALD_DECLARE_OWN)
#undef HERALD_DECLARE_OWN
HERALD_END

#endif
