/* The host center: every process of a user hears it, and no daemon runs.
 *
 * It is a HeraldCenterRef like any other (see herald.h), for names, and for messages (message.h):
 *
 *      HeraldCenterRef host = HeraldCenterGetHostCenter();
 *      HeraldNameRef name = HeraldNameCreate("com.acme.cache-changed");
 *      HeraldStatus status = HeraldCenterAddObserver(host, me, refresh, name, NULL, HeraldSuspensionCoalesce);
 *      HeraldCenterPostNotification(host, name, NULL, NULL, false);      -- in this process, or in another
 *
 * WHAT IS CARRIED. Of a plain post that a name was posted, and how often. Its object and userInfo stay with the poster:
 * observers get NULL for both, and a registration for an object does not hear it. Of a message all of it: up to 65,536
 * bytes, and an object and a type of 1,024 together; what is larger is HeraldTooLarge, whether somebody hears it or
 * not. Names are 1 to 512 bytes of UTF-8; a name that has never had an observer is not entered in the table, which has
 * room for about 87,000 of up to 64 bytes. Names that are addresses are refused. Names that begin with "self." stay in
 * the process.
 *
 * MESSAGES (R23). Each is heard by itself, as a copy in memory of the observer's process, in one order for all readers:
 * HeraldMessage.sequence is the place in it, and only rises, until the system is booted again: it goes on in a file
 * that is made in the place of another, and begins at a higher number, which is no loss, in one that is made after the
 * other was removed. (A process that comes from another folder to a file that others have used meanwhile
 * finds that file's lower numbers.) They lie in a log of 8,192 messages, and about 1 MiB for each process that
 * posts. There is no back-pressure: who is too slow loses the oldest, and is told how many of the names that it
 * observes (HeraldMessage.missed, HeraldHostGetMissedMessageCount): exactly, but for messages of a name that no process
 * had observed in a file that was just made anew, and one for each poster that was killed. A message that nobody hears
 * costs what a plain post does, and nothing is written, except in the first 90 seconds of a file: in these all messages
 * are kept for processes that have yet to find it. With the first message the file takes some memory, with each
 * process's first 1 MiB, which is given back when the process has ended and all have read what it posted, and the file
 * is no longer new, and nobody shares a place to sleep at: a process that observes does so when it has nothing else to
 * do, within a minute. The last MiB of the file system is left to others. A process borrows such a MiB for each message
 * where there is no room for its own, or 251 have theirs; as a rule there are four to borrow, and fewer where others
 * have filled the file system. Where there is none, or those who have borrowed all do not come to an end (stopped,
 * say), a message is HeraldQueueFull; plain posts go on, and so do the messages of processes that have a MiB of their
 * own. While another process makes the file again, a message waits for the new one, some milliseconds as a rule; when
 * that process was stopped or killed, the poster makes it after a moment. A message that is posted to a file which has
 * been removed is heard by those who are still in it. A suspended center reads on, and keeps copies as message.h says.
 * Messages count for tokens and descriptors, and make no plain call beside theirs.
 *
 * WHEN OBSERVERS ARE CALLED. On one thread that belongs to Herald, begins with the first observer and ends with the
 * last; those of the poster's own process as well, and the post returns 0. (What a suspended center has held is
 * delivered on the thread that resumes it.) A callback that lingers delays the others of its process, and no other
 * process. All signals except synchronous faults are blocked there. Every post that begins after an add has returned
 * calls the observer, at least once and together with what else was posted meanwhile: posts coalesce, and
 * HeraldHostGetPostCount tells how many one call stands for. A call without a post is possible, rarely. Suspension is
 * the center's (R16).
 *
 * IN WHICH ORDER. Names are heard in the order in which they were posted last: what a thread posts one after the other,
 * as "started" and then "finished", is heard in this order by every process. A name that is posted again before it was
 * heard takes the later place. This is so for posts that begin after the observers were added; and not across a file
 * that is made anew (see below). What one thread posts after it has heard another's post is heard after that, unless
 * the other was interrupted in the middle of it.
 *
 * WHAT IT COSTS. A post is a few memory accesses: no lock, and no system call, unless a process that observes the name
 * sleeps, which takes one to wake it. It costs the same whether ten processes use the center or thousands. Once a
 * second a process that posts or hears checks that its file is still there. One that hears nothing wakes for this after
 * a second, and then after twice as long each time, up to a minute. What others have stopped, killed, suspended or
 * locked costs a poster nothing. 3,968 processes can observe with a place of their own to sleep at; those beyond share
 * 64 places, and wake for each other's names.
 *
 * WHICH PROCESSES MEET. Those with the same user, through a file of shared memory that only this user may open (mode
 * 0600):
 *      herald-3 in $HERALD_HOST_DIRECTORY, when that is set; else
 *      herald-3 in $XDG_RUNTIME_DIR, when it is a folder of the user's that no other user can write to; else
 *      herald-3 in /run/user/UID, likewise; else
 *      herald-UID-3 in /dev/shm, or herald-UID-3.1 to .7 when another user has taken the names before it.
 * A folder in which no file can be made and shared (it is read-only, say) is passed over; where HERALD_HOST_DIRECTORY
 * names it, calls fail. HeraldHostVisitFolders tells which were, and why.
 * HeraldHostGetPath says where a process is; one that has other values of these variables is elsewhere. The user is the
 * effective one of the process's first use; while the process is another one it stays where it is, and what would need
 * a look at the file fails. The 3 is the layout's number: processes with a Herald of another layout do not meet these.
 *      A file of another owner, mode, size or layout is refused with an error, and left as it is. Everything in it is
 * checked before it is used, so whatever another program of the user's writes there can cost posts, but no more. To
 * survive that it is cut short, the center has a handler for SIGBUS, which passes on what is not its own; a thread that
 * has this signal blocked, or a program that puts a handler of its own in its place later, is not protected.
 *      The file is made anew when it is full, with the names that are in use (so those of the past cost nothing), by
 * HeraldHostReset, and when it has been removed. The processes find each other again in the new one, all at once
 * when one of those in the old one has found out. A process that posts or hears looks once a second, an idle one once a
 * minute at least. A process that comes in between makes a file and knows none of the others: messages that are posted
 * there wait for them. So does one that comes to a file that all others have left for the folder of a login, when that
 * has gone. Plain posts do not: names may have been posted in the meantime, so each process posts those
 * again that it has posted since it looked last, and every observer of a name is called at least once when its process
 * comes; observers of any name or a prefix hear plain posts from then on. States go along. A file that was cut short
 * and restored, that has lost what lies behind its header, or that is a copy is made again, too.
 *
 * WHEN PROCESSES DIE. At whatever instruction one is killed or stopped, all others go on, and miss nothing.
 *
 * FORK. The child may post, check and observe. Observers that it has inherited are called again from its next
 * registration of an observer or a file descriptor on (in a child that a callback has forked, at once); tokens with a
 * file descriptor stay with the parent.
 *
 * ERRORS. A call that fails has changed nothing; HeraldHostGetErrorDescription says what was wrong. All calls may be
 * made on any thread. Nothing here is async-signal-safe.
 */
#ifndef HERALD_HOST_H
#define HERALD_HOST_H

#include <herald/message.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The host center. It never dies: retaining and releasing it does nothing. NULL when memory is out. It opens its file
 * with the first call that needs it: adding an observer fails with HeraldTransportFailed when that cannot be had, with
 * HeraldInvalidArgument for a name that cannot be carried; posting then calls no observer. */
HERALD_EXPORT HeraldCenterRef HeraldCenterGetHostCenter(void);

/** Observes the names that begin with the prefix and a dot, not the prefix itself: "com.acme" means com.acme.saved, and
 *  neither com.acme nor com.acmesoft.saved. Such observers, and those of any name (NULL as name), hear each post by
 *  itself, in one order with messages, while they cost every poster as much as a message does. Names that others have
 *  made become names of this process, 65,536 at most: posts of further ones are dropped and counted as missed, as is
 *  all that was overwritten before it was read, whatever its name; except plain posts of names that this process
 *  observes by their names as well, for which one call stands then, as ever (HeraldHostGetPostCount). Of
 *  posts that are lost in the two seconds after a process's first such observer came, beside plain posts, 64 may not be
 *  counted. The registration is removed by its token alone. */
HERALD_ADDS HeraldStatus HeraldHostAddObserverUnder(const void *observer, HeraldCallback callback, const char *prefix,
                                                    const HeraldObserverOptions *options, HeraldToken *token);

/** Inside a callback of the host center: how many posts the call stands for, those of all processes taken together.
 *  Elsewhere 1. While or after the center is suspended it says nothing about posts that were held. */
HERALD_EXPORT uint64_t HeraldHostGetPostCount(void);

/** How many messages of names that this process observes it has missed: they were overwritten before it has read them,
 *  or it had no memory for them. While it observes any name or a prefix, posts of any name count. Exact when it is
 *  asked; of a name whose first observer was added just while the file was made anew, messages in files that this
 * process never came to are not counted. Those that observers have been told of (HeraldMessage.missed) are counted. */
HERALD_EXPORT uint64_t HeraldHostGetMissedMessageCount(void);

/** Posts a name given as text, without making a HeraldNameRef of it. HeraldInvalidArgument for an empty or too long
 * text, HeraldTransportFailed when the file cannot be had. */
HERALD_EXPORT HeraldStatus HeraldHostPost(const char *name);

/** A sentence about why this thread's last failing call of a function of this header, or its last failing add to the
 *  host center, failed; "" before the first. An add's HeraldOutOfMemory may leave it as it was. Valid until the
 * thread's next call. */
HERALD_EXPORT const char *HeraldHostGetErrorDescription(void);

/** Where the file is, or would be. Valid until this thread's next call of this function. NULL when the place cannot be
 *  told. */
HERALD_EXPORT const char *HeraldHostGetPath(void);

/** The folder in which processes that let the user's tools look into them (inspect.h) have their sockets. Each is
 *  named NUMBER.IDENTITY: its process number, which two processes may have where containers share the folder, and 16
 *  hexadecimal digits. Copies its path, and returns its length; 0: no process has made it. */
HERALD_EXPORT size_t HeraldHostGetInspectorFolder(char *buffer, size_t size);

/** Puts a new, empty file in the place of the user's, also when that is damaged or cannot be used. All processes that
 * use it go on in the new one at once, and each observer is called once; states go along. It waits a moment for another
 * process that is making it, and then makes it itself. HeraldTransportFailed when the new one cannot be made. */
HERALD_EXPORT HeraldStatus HeraldHostReset(void);

/* ---- Tokens: asking, in place of being called ------------------------------------------------------------------- */

/** One registration made by a call below; 0 names nothing; numbers are never reused. */
typedef uint64_t HeraldHostToken;

/** Registers for HeraldHostCheck. No thread is begun. */
HERALD_ADDS HeraldStatus HeraldHostRegisterCheck(const char *name, HeraldHostToken *token);

/** Registers for a file descriptor that becomes readable when the name is posted, for poll and epoll. A read of eight
 *  bytes from it gives a uint64_t, the number of posts since the last read (it is an eventfd, non-blocking and
 *  close-on-exec). With `reuse` the descriptor in `*descriptor`, which an earlier call made, serves this name too, and
 *  the number is the sum; HeraldHostCheck tells the names apart. Herald owns the descriptor and closes it with its last
 *  token. The thread that serves it is the one that calls observers. */
HERALD_ADDS HeraldStatus HeraldHostRegisterFileDescriptor(const char *name, bool reuse, int *descriptor,
                                                          HeraldHostToken *token);

/** How many posts there were since the last check of this token, for the price of a few loads. A token's first check
 *  says 1 and the posts since it was registered, so that a program that reads its settings when a check tells it to
 *  reads them once. When the file had to be made anew it says at least 1 again. 0 while the token is suspended. */
HERALD_EXPORT HeraldStatus HeraldHostCheck(HeraldHostToken token, uint64_t *posts);

/** The number that goes with a name, 0 at first. Setting it posts nothing. It outlives registrations and processes,
 *  unlike macOS's, and ends with the file: when that is removed and no process that uses it is left. */
HERALD_EXPORT HeraldStatus HeraldHostGetState(HeraldHostToken token, uint64_t *state);
HERALD_EXPORT HeraldStatus HeraldHostSetState(HeraldHostToken token, uint64_t state);

/** Nothing is told by this token until it has been resumed as often as it was suspended; then, what was posted
 * meanwhile is told at once. Resuming what is not suspended is HeraldInvalidArgument. */
HERALD_EXPORT HeraldStatus HeraldHostSuspend(HeraldHostToken token);
HERALD_EXPORT HeraldStatus HeraldHostResume(HeraldHostToken token);

/** Ends a token. HeraldInvalidArgument for one that has ended. */
HERALD_EXPORT HeraldStatus HeraldHostCancel(HeraldHostToken token);

/* ---- What there is ---------------------------------------------------------------------------------------------- */

/** A name in the table. */
typedef struct {
    size_t size;      /**< sizeof(HeraldHostNameInfo) of the library that calls */
    const char *name; /**< borrowed for the call */
    uint64_t posts;   /**< since the name was first observed, or the file made */
    uint64_t state;
    uint32_t watchers;         /**< processes with observers or descriptors; those beyond 3,968 count as at most 64 */
    uint32_t processCount;     /**< of these, */
    const uint32_t *processes; /**< their numbers, as they say them themselves; borrowed for the call */
} HeraldHostNameInfo;

/** How many processes observe any name, or names under a prefix, this one among them: they hear posts of names of which
 *  HeraldHostNameInfo.watchers says 0. Which prefixes these are is known to each process alone, so the number is the
 *  same for every name: it says how many processes may hear a post that no process observes by its name. Processes
 *  beyond 60 count as at most 4. 0 also when the file cannot be had. */
HERALD_EXPORT uint32_t HeraldHostGetPrefixWatcherCount(void);

/** How many names the table has room for. */
HERALD_EXPORT uint32_t HeraldHostGetNameLimit(void);

/** Calls `visit` with the path of every file of another layout, in the same folder, that some process uses: processes
 * of another version of Herald, which do not meet these. */
HERALD_EXPORT HeraldStatus HeraldHostVisitOtherFiles(void (*visit)(void *context, const char *path), void *context);

/** A folder in which the user's file can be. */
typedef struct {
    size_t size;         /**< sizeof(HeraldHostFolderInfo) of the library that calls */
    const char *path;    /**< the texts are borrowed for the call */
    const char *source;  /**< why it is one: "HERALD_HOST_DIRECTORY", "XDG_RUNTIME_DIR" or a few words */
    const char *problem; /**< why the file cannot be there; NULL: it can */
    bool isChosen;       /**< it is the first in which it can be */
    const char *file;    /**< a file of the user's that is there; NULL: none */
    bool isFileInUse;    /**< some process observes in that, or posts messages */
} HeraldHostFolderInfo;

/** Calls `visit` for each folder in which the user's file can be, in their order: HERALD_HOST_DIRECTORY alone, when
 * that is set. Those before the one that is chosen were passed over; processes that use a file in another one, because
 * they see other folders or have other variables, do not meet those that use the chosen one's. */
HERALD_EXPORT HeraldStatus HeraldHostVisitFolders(void (*visit)(void *context, const HeraldHostFolderInfo *info),
                                                  void *context);

/** Calls `visit` for every name in the table that `self.` does not keep in its process. */
HERALD_EXPORT HeraldStatus HeraldHostVisitNames(void (*visit)(void *context, const HeraldHostNameInfo *info),
                                                void *context);

#ifdef __cplusplus
}
#endif
#endif
