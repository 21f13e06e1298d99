"""Notifications between the processes of a user, on Linux: the host center of Herald.

    import herald

    herald.post("com.acme.cache-changed")                    # to all processes, this one included
    herald.post_message("com.acme.saved", "a.txt", type="text/plain")
    herald.post_json("com.acme.saved", {"path": "a.txt"})    # as Swift posts its Codable messages

    with herald.observe("com.acme.saved", lambda message: print(message.text)):
        ...

    for message in herald.watch("com.acme.saved"): ...       # blocks until something is posted
    async for message in herald.watch("com.acme.saved"): ... # asyncio

A plain post carries a name, and coalesces: one call may stand for several posts (`Message.count`). A message carries
bytes, and never coalesces: it is heard once and whole, in one order for all processes, or it is counted as missed.
The headers herald/host.h and herald/message.h have the rules; rule numbers (R10) refer to CONTRACT.md.

Threads. Any thread may call any function. Callbacks run on one thread of Herald's, which takes the GIL for each call.
No post waits for a callback, neither in this process nor in another. A callback that takes long delays the other
observers of its own process. The thread begins with the first observation, and stays until the process ends.

Life. An observation lasts until `end`, until the end of its `with` block, or until the interpreter exits. Only with
`weak=True` does it end with the owner of its callback. At exit the module ends all observations, and waits for calls
that are running.

Fork. The child may post, observe and watch. It does not have the parent's observations: they have ended there, and the
parent goes on with them.

Limits. The module has the host center alone: names and messages between processes. Centers within a process, whose
observers are called inside of the post, are not in it. It needs CPython 3.10 or later with the GIL, and it works in the
main interpreter, not in subinterpreters.

Ordering: `_lock` protects what is known of observations and what waits in watches. No lock is held while user code or a
C function runs, except where a finalizer, or a handler of a signal, interrupts the holder. Such code never waits for C
(`_sweep`), because the thread that it would wait for may need the lock.
Ownership: C calls two functions, `_hear_in_c` and `_began_in_c`, which are never freed. An observer's pointer is a
number that is never used again. An observation stays in `_observations` until C makes no more calls with its number:
until HeraldCenterRemoveTokenAndWait has returned.
"""

from __future__ import annotations

import atexit
import collections
import ctypes
import ctypes.util
import dataclasses
import enum
import inspect
import itertools
import json as _json
import operator
import os
import select
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any, Callable, Optional, Union

if TYPE_CHECKING:
    import asyncio

__all__ = [
    "ANY",
    "Check",
    "Error",
    "Message",
    "Observation",
    "Prefix",
    "Status",
    "Watch",
    "check",
    "forget",
    "is_heard",
    "kept",
    "missed",
    "observe",
    "path",
    "post",
    "post_json",
    "post_message",
    "set_state",
    "state",
    "version",
    "watch",
]

_Bytes = bytes  # Message has a field of this name


# ---- The C library ---------------------------------------------------------------------------------------------------


class _Token(ctypes.Structure):
    """HeraldToken."""

    _fields_ = [("center", ctypes.c_uint64), ("registration", ctypes.c_uint64)]


class _Message(ctypes.Structure):
    """HeraldMessage."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("object", ctypes.c_char_p),
        ("type", ctypes.c_char_p),
        ("bytes", ctypes.c_void_p),
        ("length", ctypes.c_size_t),
        ("sequence", ctypes.c_uint64),
        ("missed", ctypes.c_uint64),
        ("sender", ctypes.c_uint64),
        ("options", ctypes.c_uint),
    ]


_Callback = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p
)
_Began = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
_Take = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


class _ObserverOptions(ctypes.Structure):
    """HeraldObserverOptions."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("suspensionBehavior", ctypes.c_int),
        ("release", ctypes.c_void_p),
        ("retainObject", ctypes.c_void_p),
        ("releaseObject", ctypes.c_void_p),
        ("taggedCallback", ctypes.c_void_p),
        ("prefix", ctypes.c_char_p),
        ("start", ctypes.c_int),
        ("began", _Began),
    ]


_POST_KEEP = 1 << 2  # HeraldPostKeep
_START_KEPT = 1  # HeraldStartKept

# Functions that may take a lock of Herald's, or wait. The thread gives up the GIL for the call.
_FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "HeraldCenterAddObserverWithOptions": (
        ctypes.c_int,
        (
            ctypes.c_void_p,
            ctypes.c_void_p,
            _Callback,
            ctypes.c_void_p,
            ctypes.c_void_p,
            ctypes.POINTER(_ObserverOptions),
            ctypes.POINTER(_Token),
        ),
    ),
    "HeraldCenterForget": (ctypes.c_bool, (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)),
    "HeraldCenterGetHostCenter": (ctypes.c_void_p, ()),
    "HeraldCenterIsHeard": (ctypes.c_bool, (ctypes.c_void_p, ctypes.c_void_p)),
    "HeraldCenterPostMessage": (ctypes.c_int, (ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(_Message))),
    "HeraldCenterRemoveToken": (ctypes.c_bool, (ctypes.c_void_p, _Token)),
    "HeraldCenterRemoveTokenAndWait": (ctypes.c_bool, (ctypes.c_void_p, _Token)),
    "HeraldCenterTakeKept": (
        ctypes.c_bool,
        (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, _Take, ctypes.c_void_p),
    ),
    "HeraldHostCancel": (ctypes.c_int, (ctypes.c_uint64,)),
    "HeraldHostCheck": (ctypes.c_int, (ctypes.c_uint64, ctypes.POINTER(ctypes.c_uint64))),
    "HeraldHostGetMissedMessageCount": (ctypes.c_uint64, ()),
    "HeraldHostGetPath": (ctypes.c_char_p, ()),
    "HeraldHostGetState": (ctypes.c_int, (ctypes.c_uint64, ctypes.POINTER(ctypes.c_uint64))),
    "HeraldHostPost": (ctypes.c_int, (ctypes.c_char_p,)),
    "HeraldHostPostState": (ctypes.c_int, (ctypes.c_char_p, ctypes.c_uint64)),
    "HeraldHostRegisterCheck": (ctypes.c_int, (ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint64))),
    "HeraldHostSetState": (ctypes.c_int, (ctypes.c_uint64, ctypes.c_uint64)),
    "HeraldNameCreate": (ctypes.c_void_p, (ctypes.c_char_p,)),
    "HeraldObjectForString": (ctypes.c_void_p, (ctypes.c_char_p,)),
}

# Functions that take no lock and are over at once. The thread keeps the GIL.
_QUICK_FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "HeraldGetCurrentMessage": (ctypes.POINTER(_Message), ()),
    "HeraldGetErrorDescription": (ctypes.c_char_p, ()),
    "HeraldGetVersion": (ctypes.c_char_p, ()),
    "HeraldHostGetCurrentState": (ctypes.c_uint64, (ctypes.POINTER(ctypes.c_bool),)),
    "HeraldHostGetPostCount": (ctypes.c_uint64, ()),
    "HeraldNameGetUTF8String": (ctypes.c_char_p, (ctypes.c_void_p,)),
    "HeraldPostIsKept": (ctypes.c_bool, ()),
    "HeraldStatusGetDescription": (ctypes.c_char_p, (ctypes.c_int,)),
}


def _places() -> list[str]:
    """Where the library may be, the preferred place first."""
    named = os.environ.get("HERALD_LIBRARY")
    if named:
        return [named]
    here = os.path.dirname(os.path.abspath(__file__))
    lib = os.path.dirname(os.path.dirname(here))
    places = ["libherald.so.0"]
    # `make install-python` has put the module into PREFIX/lib/python3.X/site-packages, and the library into PREFIX/lib.
    if os.path.basename(here) in ("site-packages", "dist-packages") and os.path.basename(lib) == "lib":
        beside = os.path.join(lib, "libherald.so.0")
        if os.path.exists(beside):
            places.insert(0, beside)
    return places


def _load() -> tuple[ctypes.CDLL, ctypes.PyDLL]:
    """Loads the library, and declares its functions."""
    problem: Optional[OSError] = None
    places = _places()
    while places:
        place = places.pop(0)
        try:
            waiting, quick = ctypes.CDLL(place), ctypes.PyDLL(place)
            break
        except OSError as error:
            problem = problem or error
            if not places and "HERALD_LIBRARY" not in os.environ:
                found = ctypes.util.find_library("herald")
                places = [found] if found and found != place else []
    else:
        raise ImportError(
            f"herald needs the library libherald.so.0, which cannot be loaded: {problem}. Install it with `make"
            " install` in Herald's folder (then `ldconfig`), or set HERALD_LIBRARY to its path."
        )
    for library, functions in ((waiting, _FUNCTIONS), (quick, _QUICK_FUNCTIONS)):
        for name, (result, arguments) in functions.items():
            try:
                function = getattr(library, name)
            except AttributeError:
                raise ImportError(
                    f"herald needs a newer libherald.so.0: the one that is loaded as {place} has no {name}"
                ) from None
            function.restype, function.argtypes = result, arguments
    return waiting, quick


_python = ctypes.PyDLL(None)  # the interpreter's own functions


def _refuse_subinterpreters() -> None:
    """C calls back into the main interpreter, so the module must not be used in another one."""
    get, main = _python.PyInterpreterState_Get, _python.PyInterpreterState_Main
    get.restype = main.restype = ctypes.c_void_p
    if get() != main():
        raise ImportError("herald cannot be used in a subinterpreter: import it in the main interpreter")


_refuse_subinterpreters()
_c, _quick = _load()


# ---- Errors and texts ------------------------------------------------------------------------------------------------


class Status(enum.IntEnum):
    """Why a call has failed: HeraldStatus of herald.h."""

    OK = 0
    INVALID_ARGUMENT = 1
    OUT_OF_MEMORY = 2
    TRANSPORT_FAILED = 3
    TOO_LARGE = 4
    QUEUE_FULL = 5
    NOT_STORED = 6


class Error(Exception):
    """A call of Herald's has failed, and has changed nothing. The text says what was wrong.

    status: the reason, a `Status` (or an int that a newer library has added).
    """

    def __init__(self, status: int, sentence: str = "") -> None:
        try:
            self.status: int = Status(status)
        except ValueError:
            self.status = status
        if not sentence:
            sentence = _quick.HeraldStatusGetDescription(status).decode("utf-8", "replace")
        super().__init__(sentence)

    def __reduce__(self) -> tuple[Any, ...]:  # exceptions go to other processes, by multiprocessing for instance
        return type(self), (int(self.status), str(self))


def _succeed(status: int) -> None:
    """Raises an error for a status that is none of success. The sentence is that of this thread's last failure."""
    if status:
        raise Error(status, _quick.HeraldGetErrorDescription().decode("utf-8", "replace"))


_LONGEST_NAME = 512


def _text(text: str, what: str) -> bytes:
    """The UTF-8 of a text for C."""
    if not isinstance(text, str):
        raise TypeError(f"{what} is a str, not {type(text).__name__}")
    try:
        utf8 = text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(f"{what} {text!r} has no UTF-8: {error.reason}") from None
    if b"\0" in utf8:
        raise ValueError(f"{what} {text!r} contains a NUL character")
    return utf8


def _name_text(name: str) -> bytes:
    """The UTF-8 of a name: 1 to 512 bytes."""
    utf8 = _text(name, "a name")
    if not 1 <= len(utf8) <= _LONGEST_NAME:
        raise ValueError(f"a name has 1 to {_LONGEST_NAME} bytes of UTF-8, not {len(utf8)}")
    return utf8


def _name(name: str) -> int:
    """The HeraldNameRef of a name."""
    made: Optional[int] = _c.HeraldNameCreate(_name_text(name))
    if made is None:
        raise Error(Status.OUT_OF_MEMORY)
    return made


def _object(text: Optional[str]) -> Optional[int]:
    """The address that stands for a message's object. None: no object."""
    if text is None:
        return None
    made: Optional[int] = _c.HeraldObjectForString(_text(text, "an object"))
    if made is None:
        raise Error(Status.OUT_OF_MEMORY)
    return made


def _state_number(number: int) -> int:
    """Checks a state: C takes the lowest 64 bits of any number without a word."""
    try:
        number = operator.index(number)
    except TypeError:
        raise TypeError(f"a state is an int, not {type(number).__name__}") from None
    if not 0 <= number < 1 << 64:
        raise ValueError(f"a state is a number from 0 to 2**64 - 1, not {number}")
    return number


_center: int = _c.HeraldCenterGetHostCenter()
if not _center:
    raise ImportError("herald: memory is out")


# ---- Messages --------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, slots=True)
class Message:
    """What an observer hears: a message, or a plain post of a name."""

    name: str
    """The name that was posted."""
    bytes: _Bytes = b""
    """The content; empty for a plain post."""
    type: Optional[str] = None
    """What the bytes are, a media type such as application/json. None: the poster has not said so."""
    object: Optional[str] = None
    """What the message is about. None: nothing in particular."""
    sequence: int = 0
    """The place of a message in the order in which all processes hear messages. 0 for a plain post."""
    missed: int = 0
    """How many messages were lost since the one before: by this process, which was too slow for the names that it
    observes, and by the watch, whose buffer was full."""
    sender: int = 0
    """The number of the sender's process, as the sender gives it. 0 for a plain post."""
    is_kept: bool = False
    """Whether this is what was kept when the observer was added (R25)."""
    is_message: bool = True
    """False for a plain post, which has nothing but the name, the count and perhaps a state."""
    count: int = 1
    """How many posts this call stands for. Plain posts coalesce, messages do not. 0 is possible, but rare."""
    state: Optional[int] = None
    """For a plain post: the number that belongs to the name, if a process has set one."""

    @property
    def text(self) -> str:
        """The bytes as text. Raises UnicodeDecodeError if they are not UTF-8."""
        return self.bytes.decode("utf-8")

    def json(self) -> Any:
        """The value that the bytes stand for as JSON, whatever `type` says. Raises ValueError if they are not JSON."""
        return _json.loads(self.bytes)


def _message(name: str, pointer: Any, is_kept: bool) -> Message:
    """Copies a message of C, which is borrowed for the call."""
    content: _Message = pointer.contents
    return Message(
        name=name,
        bytes=ctypes.string_at(content.bytes, content.length) if content.length else b"",
        type=None if content.type is None else content.type.decode("utf-8", "replace"),
        object=None if content.object is None else content.object.decode("utf-8", "replace"),
        sequence=content.sequence,
        missed=content.missed,
        sender=content.sender,
        is_kept=is_kept,
    )


def _current_message(name: Optional[int]) -> Message:
    """Inside a call of C: what is heard."""
    text = (_quick.HeraldNameGetUTF8String(name) or b"").decode("utf-8", "replace")
    is_kept: bool = _quick.HeraldPostIsKept()
    pointer = _quick.HeraldGetCurrentMessage()
    if pointer:
        return _message(text, pointer, is_kept)
    has_state = ctypes.c_bool()
    number: int = _quick.HeraldHostGetCurrentState(ctypes.byref(has_state))
    return Message(
        name=text,
        is_kept=is_kept,
        is_message=False,
        count=_quick.HeraldHostGetPostCount(),
        state=number if has_state.value else None,
    )


# ---- Posting ---------------------------------------------------------------------------------------------------------


def post(name: str, *, state: Optional[int] = None) -> None:
    """Posts a name to all processes of the user, this one included. Observers are called later, on Herald's threads.

    name: 1 to 512 bytes of UTF-8. Names that begin with "self." stay in the process.
    state: a number from 0 to 2**64 - 1 that belongs to the name from now on. Observers find it in `Message.state`,
        and an observer that is added later with `kept=True` hears it first.
    """
    utf8 = _name_text(name)
    if state is None:
        _succeed(_c.HeraldHostPost(utf8))
    else:
        _succeed(_c.HeraldHostPostState(utf8, _state_number(state)))


def post_message(
    name: str,
    content: Union[bytes, bytearray, memoryview, str] = b"",
    *,
    type: Optional[str] = None,
    object: Optional[str] = None,
    keep: bool = False,
) -> None:
    """Posts a message: bytes that all observers of the name hear, in every process of the user.

    name: as in `post`.
    content: at most 65,536 bytes. A str is sent as UTF-8.
    type: what the bytes are, a media type such as "application/json". None: not stated.
    object: what the message is about. The type and the object together have at most 1,024 bytes.
    keep: whether the message is kept for the name and object, for observers that are added later with `kept=True`,
        until a newer one takes its place or `forget` forgets it (R25). Keep state, not events.

    Raises `Error` with Status.TOO_LARGE, Status.QUEUE_FULL or Status.TRANSPORT_FAILED; then nothing was posted.
    """
    if isinstance(content, str):
        content = content.encode("utf-8")
    elif not isinstance(content, bytes):
        try:
            content = memoryview(content).tobytes()
        except TypeError:
            kind = content.__class__.__name__
            raise TypeError(f"the content of a message is bytes or a str, not {kind}") from None
    message = _Message(
        size=ctypes.sizeof(_Message),
        object=None if object is None else _text(object, "an object"),
        type=None if type is None else _text(type, "a type"),
        bytes=ctypes.cast(ctypes.c_char_p(content), ctypes.c_void_p),
        length=len(content),
        options=_POST_KEEP if keep else 0,
    )
    _succeed(_c.HeraldCenterPostMessage(_center, _name(name), ctypes.byref(message)))


def post_json(name: str, value: Any, *, object: Optional[str] = None, keep: bool = False) -> None:
    """Posts a value as JSON, with the type application/json.

    This is how Swift's Codable types travel (HeraldCenter.WireMessage): a dict with the type's fields, posted under its
    `wireName`, is heard in Swift as a value of that type, and `Message.json` gives the fields of what Swift has posted.
    """
    content = _json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    post_message(name, content, type="application/json", object=object, keep=keep)


def is_heard(name: str) -> bool:
    """Whether a post of the name could reach an observer now, in any process. If not, a message need not be made."""
    heard: bool = _c.HeraldCenterIsHeard(_center, _name(name))
    return heard


# ---- Observing -------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, slots=True)
class Prefix:
    """The names that begin with this text and a dot (R26): `herald.watch(herald.Prefix("com.acme"))`."""

    text: str
    """1 to 511 bytes of UTF-8 that do not end with a dot."""


class _AnyName(enum.Enum):
    ANY = "any name"

    def __repr__(self) -> str:
        return "herald.ANY"

    __str__ = __repr__


ANY = _AnyName.ANY
"""All names: `herald.watch(herald.ANY)`. It is never a default, so that a variable that is None does not mean all."""

Names = Union[str, Prefix, _AnyName]
"""What can be observed: a name, the names under a prefix, or all names."""


class _Mine(threading.local):
    depth = 0  # how many callbacks this thread is in
    has_state = False  # the interpreter keeps its state of this thread between callbacks


_mine = _Mine()
_lock = threading.Condition(threading.RLock())  # reentrant: finalizers and handlers of signals interrupt its holder
_numbers = itertools.count(1)
_observations: dict[int, Observation] = {}  # all that C may still call, by number
_ended: collections.deque[Observation] = collections.deque()  # those of them that have ended
_is_leaving = False  # the interpreter exits
_keeper: Optional[Observation] = None
_is_kept_thread = threading.Event()  # Herald's thread has a state that lasts


class Observation:
    """An observer that `observe` has added. `end` removes it, and so does the end of a `with` block.

    It lasts, and is called, also if nothing in the program refers to it.
    """

    def __init__(
        self,
        names: Names,
        receive: Callable[[], Optional[Callable[[Message], object]]],
        began: Optional[Callable[[int, Optional[Error]], object]],
        buffer: Optional[_Buffer] = None,
    ) -> None:
        """Not for programs: call `observe`."""
        self._names = names
        self._receive: Optional[Callable[[], Optional[Callable[[Message], object]]]] = receive
        self._began = began
        self._buffer = buffer
        self._number = next(_numbers)
        self._token = _Token()
        self._is_adding = False  # C may be about to write the token
        self._has_ended = False
        self._calls = 0  # how many run now

    @property
    def names(self) -> Names:
        """What is observed."""
        return self._names

    @property
    def has_ended(self) -> bool:
        """Whether the observation has ended, for whatever reason. Calls that had begun before may still run."""
        return self._has_ended

    def end(self, *, wait: bool = False) -> None:
        """Removes the observer. No call begins after this. Ending it again does nothing more.

        wait: whether to return only when no call is running any more. Inside a callback of any observer this does not
        wait (R11): two callbacks that end each other would wait for ever. A signal (Ctrl-C) ends the wait.
        """
        self._stop()
        if wait and not _mine.depth:
            with _lock:
                _lock.wait_for(lambda: self._calls <= 0)
        _sweep()

    def __enter__(self) -> Observation:
        return self

    def __exit__(self, *_: object) -> None:
        self.end(wait=True)

    def __repr__(self) -> str:
        return f"<herald.Observation of {self._names!r}{', ended' if self._has_ended else ''}>"

    def _add(self, object: Optional[str], is_kept: bool) -> None:
        """Registers with C."""
        options = _ObserverOptions(size=ctypes.sizeof(_ObserverOptions))
        name: Optional[int] = None
        if isinstance(self._names, Prefix):
            options.prefix = _text(self._names.text, "a prefix")
        elif self._names is not ANY:
            if not isinstance(self._names, str):
                kind = type(self._names).__name__
                raise TypeError(f"what is observed is a name (str), herald.Prefix or herald.ANY, not {kind}")
            name = _name(self._names)
        about = _object(object)
        if is_kept:
            options.start, options.began = _START_KEPT, _began_in_c
        if self._number != _KEEPER:
            _keep_thread()
        try:
            with _lock:
                if _is_leaving:
                    raise RuntimeError("herald: the interpreter exits, so nothing can be observed any more")
                self._is_adding = True
                _observations[self._number] = self
            status = _c.HeraldCenterAddObserverWithOptions(
                _center, self._number, _hear_in_c, name, about, ctypes.byref(options), ctypes.byref(self._token)
            )
            if status:
                _observations.pop(self._number, None)
                _succeed(status)
        except BaseException:
            self._stop()
            raise
        finally:
            with _lock:
                self._is_adding = False
                _lock.notify_all()
        if self._has_ended:  # in the meantime, perhaps before there was a token
            _c.HeraldCenterRemoveToken(_center, self._token)
        _sweep()

    def _stop(self) -> None:
        """Removes the observer, and never waits for C's calls. Finalizers may call this."""
        with _lock:
            if self._has_ended:
                return
            self._has_ended = True
            held = self._receive, self._began, self._buffer  # finalizers of what they hold run when the lock is free
            if self._buffer:
                self._buffer.end()
            self._receive = self._began = self._buffer = None
        _c.HeraldCenterRemoveToken(_center, self._token)
        _ended.append(self)
        del held

    def _hear(self, receive: Callable[[], Optional[Callable[[Message], object]]], name: Optional[int]) -> None:
        callback = receive()
        if callback is not None:  # a callable may be false
            callback(_current_message(name))

    def _begin(self, began: Optional[Callable[[int, Optional[Error]], object]], kept: int, status: int) -> None:
        error = Error(status) if status else None
        if began is not None:
            began(kept, error)
        elif error:
            raise error  # ctypes hands it to sys.unraisablehook


# For a call from a thread of C, the interpreter makes a state of the thread, and deletes it after the call. It makes
# the state under a lock, without the GIL. Some versions of CPython (3.11.2 of Debian 12, for instance) have a defect:
# if another thread forks at this moment, the child waits for that lock for ever, in fork (python/cpython#112275). So
# the state of Herald's thread is kept, and an observer that is called only once keeps the thread. It is added before
# the first observation. A fork waits until the thread has its state.

_KEEPER = 0x48455241  # its number; those of others are counted from 1


def _keep_thread() -> None:
    """Adds the observer that keeps Herald's thread. C calls it once, to say that nothing is kept."""
    global _keeper
    with _lock:
        if _keeper or _is_leaving:
            return
        _keeper = keeper = Observation("self.herald.py", lambda: None, lambda kept, error: None)
        keeper._number = _KEEPER
    try:
        keeper._add(None, True)
    except BaseException:
        _keeper = None
        raise


def _keep_state() -> None:
    """In a call of C: takes the GIL once more than it is given up, so that the interpreter keeps the thread's state."""
    if not _mine.has_state:
        _python.PyGILState_Ensure()
        _mine.has_state = True
    if not _is_kept_thread.is_set():
        _is_kept_thread.set()


def _before_fork() -> None:
    """The bound is for a process in which a callback of C's holds up Herald's thread."""
    if _keeper and not _is_leaving:
        _is_kept_thread.wait(1)


def _sweep() -> None:
    """Forgets observations that have ended, once C calls them no more. Inside a callback, in a finalizer and in a
    handler of a signal this may have to be left to a later call: see the head of the file.

    The wait is short: C waits for calls of this one observation, and these return at once, because it has ended."""
    if _mine.depth or _lock._is_owned():  # type: ignore[attr-defined]
        return
    for _ in range(len(_ended)):
        try:
            observation = _ended.popleft()
        except IndexError:
            return
        if observation._calls > 0 or observation._is_adding:
            _ended.append(observation)
            continue
        _c.HeraldCenterRemoveTokenAndWait(_center, observation._token)
        _observations.pop(observation._number, None)


def _stop(number: int) -> None:
    """Ends an observation whose owner, or whose watch, is gone. Runs in finalizers."""
    observation = _observations.get(number)
    if observation:
        observation._stop()


def _enter(number: int) -> Optional[Observation]:
    """Begins a call. None: the observation has ended."""
    _keep_state()
    _mine.depth += 1
    with _lock:
        observation = _observations.get(number)
        if observation is not None and not observation._has_ended:
            observation._calls += 1
            return observation
    _mine.depth -= 1
    return None


def _leave_call(observation: Observation) -> None:
    _mine.depth -= 1
    with _lock:
        observation._calls -= 1
        if observation._has_ended:
            _lock.notify_all()


# An exception of a callback leaves these functions, and ctypes gives it to sys.unraisablehook. Herald then calls the
# next observer.


def _hear(center: int, number: int, name: Optional[int], object: Optional[int], info: Optional[int]) -> None:
    observation = _enter(number)
    if observation is None:
        return
    try:
        receive = observation._receive
        if receive is not None:
            observation._hear(receive, name)
    finally:
        receive = None
        _leave_call(observation)


def _hear_began(number: int, kept: int, status: int) -> None:
    observation = _enter(number)
    if observation is None:
        return
    try:
        observation._begin(observation._began, kept, status)
    finally:
        _leave_call(observation)


_hear_in_c = _Callback(_hear)
_began_in_c = _Began(_hear_began)
for _function in (_hear_in_c, _began_in_c):  # never freed, not even when the interpreter clears its modules
    _python.Py_IncRef(ctypes.py_object(_function))


def observe(
    names: Names,
    callback: Callable[[Message], object],
    *,
    object: Optional[str] = None,
    kept: bool = False,
    began: Optional[Callable[[int, Optional[Error]], object]] = None,
    weak: bool = False,
) -> Observation:
    """Calls `callback` with a `Message` for each message, and for posts, of a name, from now on.

    names: a name; `herald.Prefix("com.acme")` for the names below it; or `herald.ANY`.
    callback: is called on Herald's thread. An exception goes to sys.unraisablehook, and the next observers are called.
    object: hears only messages about this object. None: all messages, and plain posts.
    kept: whether to begin with what is kept for the name: messages (`Message.is_kept`) and the state (R25).
    began: with `kept`; is called once with the number of kept posts, after they were heard and before any later one.
        Its second argument is an `Error` if what is kept cannot be had. Then `began` may be called again. Without
        `began`, such an error goes to sys.unraisablehook.
    weak: whether the observation ends when the callback is gone. A bound method goes with its object.

    The observation lasts until `Observation.end`, also if the result is dropped.
    """
    for function, what in ((callback, "callback"), (began, "began")):
        if function is None and what == "began":
            continue
        if not callable(function):
            raise TypeError(f"{what} is a function, not {function.__class__.__name__}")
        if inspect.iscoroutinefunction(function):
            raise TypeError(f"{what} is a coroutine function, which nobody would await: use async for and herald.watch")
    if began is not None and not kept:
        raise ValueError("began needs kept=True")
    receive: Callable[[], Optional[Callable[[Message], Any]]] = lambda: callback
    observation = Observation(names, receive, began)
    if weak:
        number = observation._number
        kind = weakref.WeakMethod if inspect.ismethod(callback) else weakref.ref
        try:
            if inspect.isbuiltin(callback):  # [].append is an object of its own, which is gone at once
                raise TypeError
            observation._receive = kind(callback, lambda _: _stop(number))
        except TypeError:
            raise TypeError(f"{callback!r} cannot be held weakly: leave weak out") from None
    observation._add(object, kept)
    return observation


# ---- Watching --------------------------------------------------------------------------------------------------------


class _Buffer:
    """What waits in a watch. Under `_lock`. The descriptor is readable if and only if there is something to take, or
    the watch has ended. It is closed when nobody refers to the buffer: a thread may still poll it after the end."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.items: collections.deque[Union[Message, Error]] = collections.deque()
        self.has_ended = False
        self.lost = 0  # since the message that was taken last
        self.dropped = 0
        self.descriptor = -1
        self.descriptor = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)

    def put(self, item: Union[Message, Error]) -> None:
        with _lock:
            if self.has_ended:
                return
            if len(self.items) >= self.limit:
                oldest = self.items.popleft()
                if isinstance(oldest, Message):
                    self.lost += oldest.count + oldest.missed
                    self.dropped += oldest.count
            self.items.append(item)
            if len(self.items) == 1:
                self._make_readable()

    def take(self) -> Union[Message, Error, None]:
        """The oldest; None: nothing is there."""
        with _lock:
            if not self.items:
                return None
            item = self.items.popleft()
            if not self.items and not self.has_ended:
                try:
                    os.eventfd_read(self.descriptor)
                except OSError:
                    pass  # the program has read it, or has closed it
            lost = 0
            if isinstance(item, Message):
                lost, self.lost = self.lost, 0
        if lost and isinstance(item, Message):
            return dataclasses.replace(item, missed=item.missed + lost)
        return item

    def end(self) -> None:
        self.has_ended = True
        if not self.items:
            self._make_readable()
        self.items.clear()

    def _make_readable(self) -> None:
        try:
            os.eventfd_write(self.descriptor, 1)
        except OSError:
            pass  # the program has closed it, as daemons close all descriptors

    def end_in_child(self) -> None:
        """The descriptor is the parent's, too: the child puts one of its own in its place."""
        self.has_ended = True
        self.items.clear()
        try:
            own = os.eventfd(1, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        except OSError:
            return  # no descriptor is left: the child's watch is never readable
        os.dup2(own, self.descriptor, inheritable=False)
        os.close(own)

    def __del__(self, close: Callable[[int], None] = os.close) -> None:
        if self.descriptor >= 0:
            try:
                close(self.descriptor)
            except OSError:
                pass  # the program has closed it


class Watch:
    """What is posted, one `Message` after the other: `for message in herald.watch(name)`, or `async for`.

    A watch hears everything from its making on, and keeps at most `limit` messages for the program to take. If more
    come, it drops the oldest. `Message.missed` is how many were lost before a message, and `missed` counts what the
    watch has dropped. A watch ends with `end`, with its `with` block, or when nothing refers to it: so a loop that is
    left ends its watch. Several threads and tasks may take from one watch; each message goes to one of them.
    """

    def __init__(self, names: Names, object: Optional[str], kept: bool, limit: int) -> None:
        """Not for programs: call `herald.watch`."""
        try:
            limit = operator.index(limit)
        except TypeError:
            raise TypeError(f"limit is an int, not {limit.__class__.__name__}") from None
        if limit < 1:
            raise ValueError(f"limit is at least 1, not {limit}")
        self._waiting: dict[asyncio.AbstractEventLoop, list[asyncio.Future[None]]] = {}
        buffer = self._buffer = _Buffer(limit)

        # The observation holds the buffer and not the watch, so that a watch that is dropped ends.
        def began(kept: int, error: Optional[Error]) -> None:
            if error:
                buffer.put(error)

        self._observation = Observation(names, lambda: buffer.put, began if kept else None, buffer)
        self._observation._add(object, kept)
        weakref.finalize(self, _stop, self._observation._number).atexit = False

    @property
    def names(self) -> Names:
        """What is watched."""
        return self._observation.names

    @property
    def missed(self) -> int:
        """How many messages and posts the watch has dropped, because the program took them too slowly."""
        return self._buffer.dropped

    @property
    def has_ended(self) -> bool:
        """Whether the watch has ended."""
        return self._buffer.has_ended

    def fileno(self) -> int:
        """A descriptor that is readable while there is something to take, for select, poll and epoll. Do not read it:
        take with `take`. It is also readable after the end. It is closed when the watch is dropped."""
        return self._buffer.descriptor

    def take(self) -> Optional[Message]:
        """Returns the next message without waiting. None: nothing is there now, or the watch has ended."""
        item = self._buffer.take()
        if isinstance(item, Error):
            raise item  # what is kept cannot be had; the watch goes on
        return item

    def get(self, timeout: Optional[float] = None) -> Message:
        """Returns the next message, and waits for it. Raises TimeoutError when `timeout` seconds are over, and EOFError
        when the watch has ended."""
        deadline = None if timeout is None else time.monotonic() + timeout
        poll = select.poll()
        poll.register(self._buffer.descriptor, select.POLLIN)
        while True:
            message = self.take()
            if message is not None:
                return message
            if self._buffer.has_ended:
                raise EOFError("the watch has ended")
            rest = None if deadline is None else max(0.0, deadline - time.monotonic())
            if not poll.poll(None if rest is None else rest * 1000) and rest is not None:
                raise TimeoutError(f"nothing was posted in {timeout} seconds")

    def end(self, *, wait: bool = False) -> None:
        """Ends the watch. What it holds is dropped; loops over it end, also those of other threads and tasks."""
        self._observation.end(wait=wait)

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def __iter__(self) -> Watch:
        return self

    def __next__(self) -> Message:
        try:
            return self.get()
        except EOFError:
            raise StopIteration from None

    def __aiter__(self) -> Watch:
        return self

    async def __anext__(self) -> Message:
        import asyncio  # already imported by a program that comes here

        loop = asyncio.get_running_loop()
        while True:
            message = self.take()
            if message is not None:
                return message
            if self._buffer.has_ended:
                raise StopAsyncIteration
            future: asyncio.Future[None] = loop.create_future()
            waiting = self._waiting.setdefault(loop, [])
            if not waiting:
                loop.add_reader(self._buffer.descriptor, self._wake, waiting)
            waiting.append(future)
            try:
                await future  # if the task is cancelled here, nothing was taken
            finally:
                waiting.remove(future)
                if not waiting:
                    loop.remove_reader(self._buffer.descriptor)
                    self._waiting.pop(loop, None)

    @staticmethod
    def _wake(waiting: list[asyncio.Future[None]]) -> None:
        for future in waiting:
            if not future.done():
                future.set_result(None)

    def __repr__(self) -> str:
        return f"<herald.Watch of {self.names!r}{', ended' if self.has_ended else ''}>"


def watch(names: Names, *, object: Optional[str] = None, kept: bool = False, limit: int = 256) -> Watch:
    """Watches a name, from now on: `for message in herald.watch(name)`, or `async for` with asyncio.

    names, object, kept: as in `observe`. If what is kept cannot be had, taking the next message raises `Error` once.
    limit: how many messages wait at most for the program to take them; of more, the oldest are dropped and counted.
    """
    return Watch(names, object, kept, limit)


# ---- State, checks and what is kept ----------------------------------------------------------------------------------


class Check:
    """Asks, in place of being called: how often was a name posted? `herald.check` makes it. It starts no thread.

    A check that is dropped has ended. In the child of a fork it goes on.
    """

    def __init__(self, name: str) -> None:
        """Not for programs: call `herald.check`."""
        token = ctypes.c_uint64()
        _succeed(_c.HeraldHostRegisterCheck(_name_text(name), ctypes.byref(token)))
        self._name = name
        self._token: int = token.value
        self._end = weakref.finalize(self, _c.HeraldHostCancel, self._token)
        self._end.atexit = False

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    def posts(self) -> int:
        """How many posts there were since the last call. The first call gives 1 more than there were since the check
        was made, so a program that reads its settings when this is not 0 reads them once at the start."""
        posts = ctypes.c_uint64()
        _succeed(_c.HeraldHostCheck(self._token, ctypes.byref(posts)))
        return posts.value

    @property
    def state(self) -> int:
        """The number that belongs to the name, 0 at first. Setting it posts nothing: see `post` with `state`."""
        number = ctypes.c_uint64()
        _succeed(_c.HeraldHostGetState(self._token, ctypes.byref(number)))
        return number.value

    @state.setter
    def state(self, number: int) -> None:
        _succeed(_c.HeraldHostSetState(self._token, _state_number(number)))

    def end(self) -> None:
        """Ends the check. Later calls of `posts` raise `Error`."""
        self._end()

    def __enter__(self) -> Check:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def __repr__(self) -> str:
        return f"<herald.Check of {self._name!r}{'' if self._end.alive else ', ended'}>"


def check(name: str) -> Check:
    """Makes a `Check`: `if changed.posts(): reload()`."""
    return Check(name)


def state(name: str) -> int:
    """The number that belongs to a name, 0 if no process has set one. It outlives processes, and ends with the file in
    which they meet."""
    with Check(name) as check:
        return check.state


def set_state(name: str, number: int) -> None:
    """Sets the number that belongs to a name, and posts nothing. `post` with `state` sets it and posts the name."""
    number = _state_number(number)
    with Check(name) as check:
        check.state = number


def kept(name: str, object: Optional[str] = None) -> Optional[Message]:
    """The message that is kept for exactly this name and object (R25). None: nothing is kept. An object that is None
    stands for messages without one."""
    taken: list[Message] = []

    def take(context: Optional[int], info: Optional[int], tag: Optional[int]) -> None:
        if info:
            taken.append(_message(name, ctypes.cast(info, ctypes.POINTER(_Message)), True))

    _c.HeraldCenterTakeKept(_center, _name(name), _object(object), _Take(take), None)
    return taken[0] if taken else None


def forget(name: str, object: Optional[str] = None) -> bool:
    """Forgets what is kept for exactly this name and object, and calls no observer. Returns whether something was."""
    forgotten: bool = _c.HeraldCenterForget(_center, _name(name), _object(object))
    return forgotten


# ---- What there is ---------------------------------------------------------------------------------------------------


def missed() -> int:
    """How many messages this process has missed, of the names that it observes, because it was too slow."""
    count: int = _c.HeraldHostGetMissedMessageCount()
    return count


def path() -> str:
    """The file of shared memory in which the processes of the user meet. Raises `Error` if there is no place for it."""
    found: Optional[bytes] = _c.HeraldHostGetPath()
    if found is None:
        _succeed(Status.TRANSPORT_FAILED)
    return os.fsdecode(found or b"")


def version() -> str:
    """The version of the library, "major.minor.patch"."""
    text: bytes = _quick.HeraldGetVersion()
    return text.decode()


# ---- Exit and fork ---------------------------------------------------------------------------------------------------


def _at_exit() -> None:
    """Ends all observations. After this C calls no function of the interpreter, which is about to go.

    Calls of C that have begun need the GIL, which this thread gives up while it waits. A signal (Ctrl-C) ends the wait
    for a callback that does not return. Then the interpreter ends the callback's thread, as it ends its daemon threads,
    when that thread wants the GIL."""
    global _is_leaving
    with _lock:
        _is_leaving = True  # from here on nothing is added
        mine = list(_observations.values())
    for each in mine:
        each._stop()
    with _lock:
        _lock.wait_for(lambda: all(each._calls <= 0 and not each._is_adding for each in mine))
    for each in mine:
        _c.HeraldCenterRemoveTokenAndWait(_center, each._token)


def _in_child() -> None:
    """In the child of a fork. Another thread of the parent may have had the lock, and calls that it was in are over."""
    global _lock, _keeper, _is_kept_thread
    _lock, _keeper, _is_kept_thread = threading.Condition(threading.RLock()), None, threading.Event()
    inherited = list(_observations.values())
    _observations.clear()
    _ended.clear()
    for each in inherited:
        each._has_ended, each._is_adding, each._calls = True, False, 0
        each._receive = each._began = None
        _c.HeraldCenterRemoveToken(_center, each._token)
        if each._buffer and not each._buffer.has_ended:
            each._buffer.end_in_child()


atexit.register(_at_exit)
os.register_at_fork(before=_before_fork, after_in_child=_in_child)
