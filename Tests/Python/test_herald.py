"""Tests of the Python module: python3 -m unittest, by run.sh, which says where the library and the host center's folder
are. No time is a condition: a test waits for an event, at most LONG seconds."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import ctypes
import dataclasses
import faulthandler
import gc
import multiprocessing
import os
import pickle
import re
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
import typing
import unittest
import uuid
import weakref

LONG = float(os.environ.get("LONG", "60"))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MODULE = os.path.join(TOP, "Examples", "Python")
sys.path.insert(0, MODULE)

import herald


def new_name() -> str:
    """A name that no other test has."""
    return "test." + uuid.uuid4().hex


def run(code: str, *arguments: str, **more: typing.Any) -> subprocess.CompletedProcess[str]:
    """Runs a program in another process."""
    return subprocess.run([sys.executable, "-B", "-c", code, *arguments], env={**os.environ, "PYTHONPATH": MODULE},
                          capture_output=True, text=True, timeout=LONG, **more)


def observations() -> dict[int, herald.Observation]:
    """Those that C may still call, without the one that keeps Herald's thread."""
    return {number: each for number, each in herald._observations.items() if number != herald._KEEPER}


class Heard(list):
    """A callback that collects, and knows how to wait."""

    def __init__(self) -> None:
        super().__init__()
        self.changed = threading.Condition()

    def __call__(self, message: typing.Any) -> None:
        with self.changed:
            self.append(message)
            self.changed.notify_all()

    def wait(self, count: int = 1) -> Heard:
        with self.changed:
            if not self.changed.wait_for(lambda: len(self) >= count, LONG):
                raise AssertionError(f"heard {len(self)} of {count}")
        return self


class Base(unittest.TestCase):
    def tearDown(self) -> None:
        gc.collect()
        herald._sweep()
        left = list(observations().values())
        active = [observation for observation in left if not observation.has_ended]
        for observation in left:
            observation.end(wait=True)
        self.assertEqual(active, [], "the test has left observations")
        self.assertEqual(observations(), {})

    def eventually(self, holds: typing.Callable[[], object]) -> None:
        """Waits until something holds."""
        end = time.monotonic() + LONG
        while not holds():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.001)

    def flush(self) -> None:
        """Returns when Herald's thread has heard everything that was posted before."""
        with herald.watch(herald.ANY) as all_names:
            name = new_name()
            herald.post_message(name)
            while all_names.get(LONG).name != name:
                pass


class LayoutTests(Base):
    def test_structs_are_those_of_the_headers(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "layout")
            includes = ["-I" + os.path.join(TOP, "CSources", p, "include") for p in ("CHerald", "CHeraldHost")]
            source = os.path.join(TOP, "Tests", "Python", "layout.c")
            compiler = os.environ.get("CC", "cc").split()
            subprocess.run([*compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", *includes, source, "-o", program],
                           check=True)
            printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
        ours = []
        for struct in (herald._Token, herald._Message, herald._ObserverOptions):
            name = "Herald" + struct.__name__[1:]
            ours.append(f"{name} {ctypes.sizeof(struct)}")
            for field, *_ in struct._fields_:
                ours.append(f"{name}.{field} {getattr(struct, field).offset} {getattr(struct, field).size}")
        ours += [f"keep {herald._POST_KEEP}", f"kept {herald._START_KEPT}", f"last {int(max(herald.Status))}"]
        self.assertEqual(printed.splitlines(), ours)

    def test_annotations_and_docstrings(self) -> None:
        for name in herald.__all__:
            public = getattr(herald, name)
            if name == "ANY":
                continue
            self.assertTrue(public.__doc__, name)
            members = [public]
            if isinstance(public, type):
                typing.get_type_hints(public)
                for member in vars(public).values():
                    function = getattr(member, "fget", member)
                    if callable(function) and getattr(function, "__module__", "") == "herald":
                        members.append(function)
            for member in members:
                if isinstance(member, type):
                    continue
                if dataclasses.is_dataclass(public) and member.__name__.startswith("__"):
                    continue  # written without annotations
                hints = typing.get_type_hints(member, {**vars(herald), "asyncio": asyncio})
                self.assertIn("return", hints, member)
                if not member.__name__.startswith("_"):
                    self.assertTrue(member.__doc__, member)
        self.assertIs(typing.get_type_hints(herald.Message)["bytes"], bytes)


class PostTests(Base):
    def test_R23_a_message_arrives_whole(self) -> None:
        name = new_name()
        with herald.watch(name) as watch:
            contents: list[typing.Any] = [b"", b"\0\1\2", "hé", bytearray(b"ab"), memoryview(b"abcdef")[::2]]
            for content in contents + [b"x" * 65536]:
                herald.post_message(name, content, type="text/plain", object="übér")
            last = 0
            for content in [b"", b"\0\1\2", "hé".encode(), b"ab", b"ace", b"x" * 65536]:
                heard = watch.get(LONG)
                expected = herald.Message(name, content, "text/plain", "übér", heard.sequence, 0, os.getpid(), False)
                self.assertEqual(heard, expected)
                self.assertEqual((heard.is_message, heard.count, heard.state), (True, 1, None))
                self.assertGreater(heard.sequence, last)
                last = heard.sequence
            herald.post_message(name)
            heard = watch.get(LONG)
            self.assertEqual((heard.bytes, heard.type, heard.object), (b"", None, None))
            self.assertEqual(pickle.loads(pickle.dumps(heard)), heard)

    def test_plain_posts_coalesce_and_are_counted(self) -> None:
        name = new_name()
        with herald.watch(name) as watch:
            for _ in range(10):
                herald.post(name)
            total = 0
            while total < 10:
                heard = watch.get(LONG)
                self.assertEqual((heard.is_message, heard.bytes, heard.sender), (False, b"", 0))
                total += heard.count
            self.assertEqual(total, 10)

    def test_states(self) -> None:
        name = new_name()
        self.assertEqual(herald.state(name), 0)
        herald.set_state(name, 2**64 - 1)
        self.assertEqual(herald.state(name), 2**64 - 1)
        with herald.watch(name) as watch:
            herald.post(name, state=5)
            self.assertEqual(watch.get(LONG).state, 5)
        self.assertEqual(herald.state(name), 5)
        with herald.watch(name, kept=True) as late:
            first = late.get(LONG)
            self.assertEqual((first.state, first.is_kept, first.is_message), (5, True, False))
        with herald.check(name) as check:
            self.assertEqual(check.state, 5)
            check.state = 6
            self.assertEqual(herald.state(name), 6)

    def test_checks(self) -> None:
        name = new_name()
        check = herald.check(name)
        self.assertEqual((check.name, check.posts(), check.posts()), (name, 1, 0))
        herald.post(name)
        herald.post(name)
        self.assertEqual((check.posts(), check.posts()), (2, 0))
        check.end()
        check.end()
        with self.assertRaises(herald.Error) as raised:
            check.posts()
        self.assertEqual(raised.exception.status, herald.Status.INVALID_ARGUMENT)

    def test_json_as_swift_sends_it(self) -> None:
        name = new_name()
        with herald.watch(name) as watch:
            herald.post_json(name, {"path": "a/b.txt", "über": [1, None, True]}, object="o")
            heard = watch.get(LONG)
            self.assertEqual((heard.type, heard.object), ("application/json", "o"))
            self.assertEqual(heard.bytes, '{"path":"a/b.txt","über":[1,null,true]}'.encode())
            self.assertEqual(heard.json(), {"path": "a/b.txt", "über": [1, None, True]})
            for bad, kind in ((float("nan"), ValueError), (object(), TypeError)):
                with self.assertRaises(kind):
                    herald.post_json(name, bad)

    def test_bad_input_raises_a_sentence_and_changes_nothing(self) -> None:
        name = new_name()
        hear = Heard()
        with herald.observe(herald.ANY, hear):
            bad_names: list[typing.Any] = [None, 5, b"a", "", "a\0b", "\ud800", "x" * 513, "é" * 257]
            for bad in bad_names:
                expected = ValueError if isinstance(bad, str) else TypeError
                for call in (herald.post, herald.post_message, herald.state, herald.check, herald.kept, herald.forget,
                             herald.is_heard, herald.watch, lambda n: herald.observe(n, hear)):
                    with self.assertRaises(expected) as raised:
                        call(bad)
                    self.assertGreater(len(str(raised.exception)), 20)
            cases: list[tuple[type, typing.Callable[[], typing.Any]]] = [
                (TypeError, lambda: herald.post_message(name, 5)),
                (TypeError, lambda: herald.post_message(name, ["a"])),
                (TypeError, lambda: herald.post_message(name, None)),
                (TypeError, lambda: herald.post_message(name, b"", type=b"text/plain")),
                (ValueError, lambda: herald.post_message(name, b"", type="a\0b")),
                (ValueError, lambda: herald.post_message(name, b"", object="a\0b")),
                (ValueError, lambda: herald.post_message(name, "\ud800")),
                (TypeError, lambda: herald.post(name, state="1")),
                (TypeError, lambda: herald.post(name, state=1.5)),
                (ValueError, lambda: herald.post(name, state=-1)),
                (ValueError, lambda: herald.set_state(name, 2**64)),
                (TypeError, lambda: herald.observe(name, None)),
                (TypeError, lambda: herald.observe(name, self.coroutine)),
                (ValueError, lambda: herald.observe(name, hear, began=hear)),
                (TypeError, lambda: herald.observe(name, hear, kept=True, began=5)),
                (TypeError, lambda: herald.observe(name, hear, object=5)),
                (TypeError, lambda: herald.observe(name, [].append, weak=True)),
                (TypeError, lambda: herald.observe(herald.Prefix(5), hear)),
                (ValueError, lambda: herald.watch(name, limit=0)),
                (TypeError, lambda: herald.watch(name, limit="1")),
            ]
            for kind, call in cases:
                with self.assertRaises(kind) as raised:
                    call()
                self.assertGreater(len(str(raised.exception)), 20)
            errors: list[tuple[int, typing.Callable[[], typing.Any]]] = [
                (herald.Status.TOO_LARGE, lambda: herald.post_message(name, b"x" * 65537)),
                (herald.Status.TOO_LARGE, lambda: herald.post_message(name, type="x" * 1025)),
                (herald.Status.INVALID_ARGUMENT, lambda: herald.post_message("self." + name, b"", keep=True)),
                (herald.Status.INVALID_ARGUMENT, lambda: herald.observe(herald.Prefix(""), hear)),
                (herald.Status.INVALID_ARGUMENT, lambda: herald.observe(herald.Prefix("a."), hear)),
                (herald.Status.INVALID_ARGUMENT, lambda: herald.watch(herald.Prefix("a"), kept=True)),
                (herald.Status.INVALID_ARGUMENT, lambda: herald.watch(herald.ANY, kept=True)),
            ]
            for status, call in errors:
                with self.assertRaises(herald.Error) as failed:
                    call()
                self.assertEqual(failed.exception.status, status)
                self.assertGreater(len(str(failed.exception)), 20)
                self.assertEqual(str(pickle.loads(pickle.dumps(failed.exception))), str(failed.exception))
            self.assertIsNone(herald.kept(name))
            self.assertEqual(herald.state(name), 0)
            self.assertEqual(len(observations()), 1)
            self.flush()
            self.assertEqual([m for m in hear if m.name == name], [])

    async def coroutine(self, message: herald.Message) -> None:
        pass

    def test_is_heard(self) -> None:
        for name in (new_name(), "self." + new_name()):
            with herald.observe(name, Heard()):
                self.assertTrue(herald.is_heard(name))
        self.assertIsInstance(herald.is_heard(new_name()), bool)  # in a new file True: others have yet to find the file

    def test_what_there_is(self) -> None:
        self.assertTrue(herald.path().startswith(os.environ["HERALD_HOST_DIRECTORY"]))
        with open(os.path.join(TOP, "CSources", "CHerald", "include", "herald", "herald.h")) as header:
            self.assertIn(f'#define HERALD_VERSION "{herald.version()}"', header.read())
        self.assertEqual(herald.missed(), 0)


class ObserveTests(Base):
    def test_R01_names_prefixes_objects_and_any(self) -> None:
        name, other = new_name(), new_name()
        one, under, every, about = Heard(), Heard(), Heard(), Heard()
        with contextlib.ExitStack() as stack:
            stack.enter_context(herald.observe(name, one))
            stack.enter_context(herald.observe(herald.Prefix(name), under))
            stack.enter_context(herald.observe(herald.ANY, every))
            stack.enter_context(herald.observe(name, about, object="a"))
            herald.post_message(name, "1", object="a")
            herald.post_message(name, "2", object="b")
            herald.post_message(name + ".below", "3")
            herald.post_message(name + "beside", "4")
            herald.post_message(other, "5")
            herald.post(name + ".below")
            every.wait(6)
            self.flush()
            self.assertEqual([m.text for m in one], ["1", "2"])
            self.assertEqual([(m.text, m.is_message) for m in under], [("3", True), ("", False)])
            self.assertEqual([m.text for m in every][:6], ["1", "2", "3", "4", "5", ""])
            self.assertEqual([m.text for m in about], ["1"])

    def test_R02_in_the_order_of_registration_on_one_thread_that_is_not_the_posters(self) -> None:
        name, heard = new_name(), Heard()
        observations = [herald.observe(name, lambda m, i=i: heard((i, threading.get_ident()))) for i in range(5)]
        herald.post_message(name)
        self.assertEqual([i for i, _ in heard.wait(5)], list(range(5)))
        self.assertEqual(len({thread for _, thread in heard}), 1)
        self.assertNotIn(threading.get_ident(), [thread for _, thread in heard])
        for observation in observations:
            observation.end(wait=True)

    def test_an_exception_is_reported_and_the_next_observer_is_called(self) -> None:
        name, heard, reports = new_name(), Heard(), Heard()
        before, sys.unraisablehook = sys.unraisablehook, lambda report: reports(repr(report.exc_value))
        try:
            with herald.observe(name, lambda m: 1 / 0), herald.observe(name, lambda m: sys.exit(3)), \
                    herald.observe(name, heard):
                herald.post_message(name)
                herald.post_message(name)
                heard.wait(2)
            self.assertEqual(reports.wait(4)[:2], ["ZeroDivisionError('division by zero')", "SystemExit(3)"])
        finally:
            sys.unraisablehook = before

    def test_R11_no_call_begins_after_end_and_wait_waits_for_the_running_one(self) -> None:
        name, go, inside, done = new_name(), threading.Event(), threading.Event(), []

        def slow(message: herald.Message) -> None:
            inside.set()
            go.wait(LONG)
            done.append(message)

        observation = herald.observe(name, slow)
        herald.post(name)  # returns, although the observer blocks
        self.assertTrue(inside.wait(LONG))
        herald.post(name)
        self.assertEqual(done, [])
        observation.end()
        self.assertTrue(observation.has_ended)
        self.assertEqual(done, [])
        threading.Timer(0.05, go.set).start()
        observation.end(wait=True)  # the callback needs the GIL while this thread waits
        self.assertEqual(len(done), 1)
        self.flush()
        self.assertEqual(len(done), 1)

    def test_R11_an_end_does_not_wait_for_a_call_of_another_observer_of_the_name(self) -> None:
        name, go, inside = new_name(), threading.Event(), threading.Event()
        blocked = herald.observe(name, lambda m: (inside.set(), go.wait(LONG)))
        others = [herald.observe(name, Heard()) for _ in range(3)]
        herald.post(name)
        self.assertTrue(inside.wait(LONG))
        for other in others:
            other.end(wait=True)
            self.assertNotIn(other._number, herald._observations)
        go.set()
        blocked.end(wait=True)

    def test_R11_in_a_callback_end_does_not_wait(self) -> None:
        name, heard = new_name(), Heard()
        observations: list[herald.Observation] = []

        def end_all(message: herald.Message) -> None:
            for observation in observations:
                observation.end(wait=True)
            heard(message)

        observations += [herald.observe(name, end_all) for _ in range(3)]
        herald.post_message(name)
        heard.wait(1)
        self.flush()
        self.assertEqual(len(heard), 1)

    def test_callbacks_may_observe_and_post(self) -> None:
        name, heard = new_name(), Heard()
        inner: list[herald.Observation] = []

        def outer(message: herald.Message) -> None:
            inner.append(herald.observe(name + ".2", heard))
            herald.post_message(name + ".2", message.bytes)

        with herald.observe(name, outer):
            herald.post_message(name, "a")
            self.assertEqual(heard.wait()[0].text, "a")
        inner[0].end(wait=True)

    def test_an_observation_that_nobody_holds_goes_on(self) -> None:
        name, heard = new_name(), Heard()
        herald.observe(name, heard)
        gc.collect()
        herald.post_message(name)
        heard.wait()
        for observation in list(observations().values()):
            observation.end(wait=True)

    def test_weak_ends_with_the_owner(self) -> None:
        name, heard = new_name(), Heard()

        class Owner:
            def hear(self, message: herald.Message) -> None:
                heard(message)

        owner = Owner()
        observation = herald.observe(name, owner.hear, weak=True)
        herald.post_message(name)
        heard.wait()
        gone = weakref.ref(owner)
        self.flush()
        del owner
        gc.collect()
        self.assertIsNone(gone())
        self.assertTrue(observation.has_ended)
        herald.post_message(name)
        self.flush()
        self.assertEqual(len(heard), 1)

        strong = Owner()
        observation = herald.observe(name, strong.hear)
        gone = weakref.ref(strong)
        del strong
        gc.collect()
        self.assertIsNotNone(gone())
        observation.end(wait=True)
        gc.collect()
        self.assertIsNone(gone())

    def test_R10_nothing_leaks_in_many_rounds(self) -> None:
        name = new_name()

        class Callback:
            def __call__(self, message: herald.Message) -> None:
                pass

        def rounds(count: int, holds: bool) -> None:
            for i in range(count):
                callback = Callback()
                observation = herald.observe(name, callback, weak=holds and i % 2 == 0)
                if i % 10 == 0:
                    herald.post_message(name)
                if i % 3:
                    observation.end(wait=i % 3 == 2)
                else:
                    del callback
                    observation.end()

        def objects() -> int:
            gc.collect()
            herald._sweep()
            return len(gc.get_objects())

        def memory() -> int:
            with open("/proc/self/statm") as statm:
                return int(statm.read().split()[1])

        rounds(1000, True)
        self.flush()
        before, pages = objects(), memory()
        rounds(10000, True)
        self.flush()
        self.assertLess(objects() - before, 500)
        self.assertLess(memory() - pages, 2000)  # pages of 4 KiB: less than a kilobyte a round
        self.assertEqual(sum(isinstance(each, Callback) for each in gc.get_objects()), 0)
        self.eventually(lambda: herald._sweep() or (len(observations()), len(herald._ended)) == (0, 0))

    def test_many_threads_observe_post_and_end(self) -> None:
        name, problems = new_name(), []

        def work(i: int) -> None:
            try:
                for j in range(100):
                    heard = Heard()
                    observation = herald.observe(name, heard)
                    herald.post_message(name, f"{i} {j}")
                    heard.wait()
                    observation.end(wait=j % 2 == 0)
            except BaseException as error:
                problems.append(error)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(LONG)
        self.assertEqual(problems, [])
        self.assertFalse(any(thread.is_alive() for thread in threads))

    def test_garbage_that_ends_observations_while_others_are_called(self) -> None:
        name, other = new_name(), new_name()

        class Owner:
            def __init__(self) -> None:
                self.me = self  # only the collector finds it, on whichever thread it runs

            def hear(self, message: herald.Message) -> None:
                [dict() for _ in range(50)]

        thresholds = gc.get_threshold()
        gc.set_threshold(20, 2, 2)
        try:
            with herald.watch(other, limit=10**6) as watch:
                for i in range(500):
                    herald.observe(name, Owner().hear, weak=True)
                    herald.watch(name).me = herald  # a watch that is dropped at once
                    herald.post_message(name)
                    herald.post_message(other)
                for i in range(500):
                    watch.get(LONG)
        finally:
            gc.set_threshold(*thresholds)


class KeptTests(Base):
    def test_R25_kept_messages_come_first(self) -> None:
        name, heard, began = new_name(), Heard(), Heard()
        self.assertIsNone(herald.kept(name))
        herald.post_message(name, "old", type="t", object="a", keep=True)
        herald.post_message(name, "new", type="t", object="a", keep=True)
        herald.post_message(name, "none", keep=True)
        kept = herald.kept(name, "a")
        assert kept
        self.assertEqual((kept.name, kept.text, kept.type, kept.object, kept.is_kept), (name, "new", "t", "a", True))
        with herald.observe(name, heard, kept=True, began=lambda count, error: (began((count, error)), heard("began"))):
            self.assertEqual(began.wait()[0], (2, None))
            herald.post_message(name, "later")
            heard.wait(4)
            self.assertEqual([m if m == "began" else (m.text, m.is_kept) for m in heard],
                             [("new", True), ("none", True), "began", ("later", False)])
        with herald.watch(name, object="a", kept=True) as watch:
            self.assertEqual(watch.get(LONG).text, "new")
        self.assertTrue(herald.forget(name, "a"))
        self.assertFalse(herald.forget(name, "a"))
        self.assertIsNone(herald.kept(name, "a"))
        self.assertTrue(herald.forget(name))

    def test_R25_what_is_kept_and_cannot_be_had_is_an_error(self) -> None:
        name, began, reports = new_name(), Heard(), Heard()
        before, sys.unraisablehook = sys.unraisablehook, lambda report: reports(report.exc_value)
        try:
            silent = herald.observe(name, Heard(), kept=True)
            told = herald.observe(name, Heard(), kept=True, began=lambda count, error: began((count, error)))
            watch = herald.watch(name, kept=True)
            began.wait()
            for number in (silent._number, told._number, watch._observation._number):
                herald._hear_began(number, 0, int(herald.Status.QUEUE_FULL))
        except herald.Error as error:  # ctypes would report it
            reports(error)
            for number in (told._number, watch._observation._number):
                herald._hear_began(number, 0, int(herald.Status.QUEUE_FULL))
        finally:
            sys.unraisablehook = before
        self.assertEqual([type(error) for error in reports], [herald.Error])
        self.assertEqual([error if error is None else error.status for _, error in began],
                         [None, herald.Status.QUEUE_FULL])
        with self.assertRaises(herald.Error):
            watch.get(LONG)
        herald.post_message(name, "on")
        self.assertEqual(watch.get(LONG).text, "on")
        for observation in (silent, told, watch):
            observation.end(wait=True)


class WatchTests(Base):
    def test_a_loop_takes_messages_in_order_and_ends_when_it_is_left(self) -> None:
        name = new_name()
        watch = herald.watch(name)
        for i in range(200):
            herald.post_message(name, str(i))
        taken = []
        for message in watch:
            taken.append(int(message.text))
            if len(taken) == 200:
                break
        self.assertEqual(taken, list(range(200)))
        self.assertIsNone(watch.take())
        descriptor = watch.fileno()
        del watch
        gc.collect()
        self.eventually(lambda: herald._sweep() or not observations())  # the last call may still run
        with self.assertRaises(OSError):
            os.fstat(descriptor)

    def test_losses_are_counted(self) -> None:
        name = new_name()
        with herald.watch(name, limit=3) as watch:
            for i in range(10):
                herald.post_message(name, str(i))
            self.flush()
            self.assertEqual(watch.missed, 7)
            self.assertEqual([(m.text, m.missed) for m in (watch.get(LONG) for _ in range(3))],
                             [("7", 7), ("8", 0), ("9", 0)])
            herald.post_message(name, "10")
            self.assertEqual(watch.get(LONG).missed, 0)

    def test_the_descriptor_is_readable_while_something_waits(self) -> None:
        name = new_name()
        watch = herald.watch(name)

        def readable(seconds: float) -> bool:
            return bool(select.select([watch], [], [], seconds)[0])

        self.assertFalse(readable(0))
        herald.post_message(name)
        herald.post_message(name)
        self.assertTrue(readable(LONG))
        self.flush()
        watch.take()
        self.assertTrue(readable(0))
        watch.take()
        self.assertFalse(readable(0))
        with self.assertRaises(TimeoutError):
            watch.get(0)
        watch.end()
        self.assertTrue(readable(0))
        with self.assertRaises(EOFError):
            watch.get()
        self.assertEqual(list(watch), [])

    def test_end_on_another_thread_ends_the_loop(self) -> None:
        watch = herald.watch(new_name())
        taken: list[herald.Message] = []
        thread = threading.Thread(target=lambda: taken.extend(watch))
        thread.start()
        watch.end()
        thread.join(LONG)
        self.assertFalse(thread.is_alive())
        self.assertEqual(taken, [])

    def test_several_threads_share_a_watch(self) -> None:
        name, heard = new_name(), Heard()
        watch = herald.watch(name, limit=1000)

        def take() -> None:
            for message in watch:
                heard(int(message.text))

        threads = [threading.Thread(target=take) for _ in range(3)]
        for thread in threads:
            thread.start()
        for i in range(300):
            herald.post_message(name, str(i))
        self.assertEqual(sorted(heard.wait(300)), list(range(300)))
        watch.end()
        for thread in threads:
            thread.join(LONG)

    def test_asyncio(self) -> None:
        name, answers = new_name(), new_name()

        async def collect(watch: herald.Watch, count: int) -> list[str]:
            taken = []
            async for message in watch:
                taken.append(message.text)
                if len(taken) == count:
                    break
            return taken

        async def main() -> None:
            one, two = herald.watch(name), herald.watch(name)
            tasks = [asyncio.create_task(collect(one, 50)), asyncio.create_task(collect(two, 50))]
            for i in range(50):
                herald.post_message(name, str(i))
                await asyncio.sleep(0)
            for task in tasks:
                self.assertEqual(await asyncio.wait_for(task, LONG), [str(i) for i in range(50)])
            # Two tasks share a watch. A task that is cancelled takes nothing along.
            with herald.watch(name) as shared:
                waits = [asyncio.create_task(shared.__anext__()) for _ in range(3)]
                await asyncio.sleep(0)
                waits[0].cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await waits[0]
                herald.post_message(name, "a")
                herald.post_message(name, "b")
                got = await asyncio.wait_for(asyncio.gather(*waits[1:]), LONG)
                self.assertEqual(sorted(m.text for m in got), ["a", "b"])
                self.assertEqual(shared._waiting, {})
                # The end wakes those who wait.
                waiting = asyncio.create_task(collect(shared, 1))
                await asyncio.sleep(0)
                shared.end()
                self.assertEqual(await asyncio.wait_for(waiting, LONG), [])

        asyncio.run(main())

    def test_a_signal_interrupts_a_wait(self) -> None:
        code = (
            "import herald, sys\n"
            "watch = herald.watch('never.posted')\n"
            "try:\n"
            "    print('ready', flush=True)\n"
            "    for message in watch: pass\n"
            "except KeyboardInterrupt:\n"
            "    print('interrupted')\n"
        )
        with started(code) as process:
            assert process.stdout
            self.assertEqual(process.stdout.readline(), "ready\n")
            process.send_signal(signal.SIGINT)
            out, error = process.communicate(timeout=LONG)
            self.assertEqual((process.returncode, out, error), (0, "interrupted\n", ""))

    def test_a_watch_whose_descriptor_the_program_has_closed_ends_all_the_same(self) -> None:
        name = new_name()
        watch = herald.watch(name)
        os.close(watch.fileno())
        herald.post_message(name, b"x")
        watch.end()
        with herald.watch(name) as other:
            herald.post_message(name, b"y")
            self.assertEqual(next(iter(other)).bytes, b"y")


@contextlib.contextmanager
def started(code: str, *arguments: str) -> typing.Iterator[subprocess.Popen[str]]:
    """Starts a program, and kills it at the end of the block if it has not ended."""
    code = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n" + code
    with subprocess.Popen([sys.executable, "-B", "-u", "-c", code, *arguments],
                          env={**os.environ, "PYTHONPATH": MODULE}, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


def interrupt(code: str) -> tuple[int, str, str]:
    """Runs a program. After its first line, Ctrl-C is pressed until it ends."""
    with started(code) as process:
        assert process.stdout
        assert process.stdout.readline()
        for _ in range(int(LONG * 2)):
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                out, error = process.communicate(timeout=0.5)
                return process.returncode, out, error
        raise AssertionError("Ctrl-C does not end the program")


class ProcessTests(Base):
    def test_two_processes_talk(self) -> None:
        name = new_name()
        code = (
            "import herald, sys\n"
            "name = sys.argv[1]\n"
            "with herald.watch(name + '.question') as questions:\n"
            "    herald.post_message(name + '.ready', keep=True)\n"
            "    for question in questions:\n"
            "        if not question.is_message: break\n"
            "        herald.post_json(name + '.answer', [question.text, question.sender], object=question.object)\n"
            "herald.post(name + '.answer', state=9)\n"
        )
        with herald.watch(name + ".ready", kept=True) as ready, herald.watch(name + ".answer") as answers:
            with started(code, name) as process:
                self.assertEqual(ready.get(LONG).sender, process.pid)
                for i in range(100):
                    herald.post_message(name + ".question", f"q{i}", object=f"o{i}")
                for i in range(100):
                    answer = answers.get(LONG)
                    self.assertEqual((answer.json(), answer.object), ([f"q{i}", os.getpid()], f"o{i}"))
                    self.assertEqual((answer.sender, answer.type), (process.pid, "application/json"))
                herald.post(name + ".question")
                self.assertEqual(answers.get(LONG).state, 9)
                _, error = process.communicate(timeout=LONG)
                self.assertEqual((process.returncode, error), (0, ""))

    def test_a_callback_that_blocks_holds_up_no_other_process(self) -> None:
        name = new_name()
        go, inside = threading.Event(), threading.Event()
        with herald.observe(name, lambda m: (inside.set(), go.wait(LONG))):
            herald.post(name)
            self.assertTrue(inside.wait(LONG))
            code = "import herald, sys\nfor _ in range(999): herald.post(sys.argv[1]); herald.post_message(sys.argv[1])"
            self.assertEqual(run(code, name).stderr, "")
            go.set()

    def test_exit_with_observers_that_are_called_all_the_time(self) -> None:
        code = (
            "import herald, threading, sys\n"
            "heard = threading.Semaphore(0)\n"
            "for _ in range(3): herald.observe(sys.argv[1], lambda m: heard.release())\n"
            "watch = herald.watch(herald.ANY)\n"
            "def post():\n"
            "    while True:\n"
            "        herald.post_message(sys.argv[1])\n"
            "        try: herald.observe(sys.argv[1], repr).end()\n"
            "        except RuntimeError: pass\n"
            "for _ in range(2): threading.Thread(target=post, daemon=True).start()\n"
            "for _ in range(50): heard.acquire(timeout=60)\n"
            "print('over')\n"
        )
        for _ in range(10):
            done = run(code, new_name())
            self.assertEqual((done.returncode, done.stderr, done.stdout.splitlines()[-1]), (0, "", "over"))

    def test_exit_waits_for_a_call_and_then_nothing_can_be_observed(self) -> None:
        code = (
            "import atexit, sys, threading\n"
            "def late():\n"
            "    try: herald.observe('late', print)\n"
            "    except RuntimeError as error: print(error)\n"
            "    herald.post('late')\n"
            "atexit.register(late)\n"
            "import herald\n"
            "inside, go = threading.Event(), threading.Event()\n"
            "def hear(message):\n"
            "    inside.set(); go.wait(60); print('heard')\n"
            "herald.observe(sys.argv[1], hear)\n"
            "herald.post(sys.argv[1])\n"
            "inside.wait(60)\n"
            "threading.Timer(0.05, go.set).start()\n"
        )
        done = run(code, new_name())
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout.splitlines(),
                         ["heard", "herald: the interpreter exits, so nothing can be observed any more"])

    def test_exit_with_a_callback_that_never_returns(self) -> None:
        for body in ("threading.Event().wait()", "[time.sleep(0.001) for _ in iter(int, 1)]"):
            code = (
                "import herald, threading, time\n"
                "inside = threading.Event()\n"
                f"def hear(message): inside.set(); {body}\n"
                "herald.observe('stuck', hear)\n"
                "herald.post('stuck')\n"
                "inside.wait(60)\n"
                "print('ready', flush=True)\n"
            )
            status, _, error = interrupt(code)
            self.assertIn(status, (0, 130, -signal.SIGINT), error)  # by where the first one came
            self.assertIn("KeyboardInterrupt", error)

    def test_R18_the_child_of_a_fork_begins_without_observers(self) -> None:
        name, heard = new_name(), Heard()
        watch = herald.watch(name)
        observation = herald.observe(name, heard)
        answers = herald.watch(name + ".answer")
        child = os.fork()
        if child == 0:
            status = 1
            with contextlib.suppress(BaseException):
                assert watch.has_ended and observation.has_ended and not observations()
                assert list(watch) == [] and select.select([watch], [], [], 0)[0]
                observation.end(wait=True)
                with herald.watch(name) as own:
                    herald.post_message(name + ".answer", "ready")
                    herald.post_message(name + ".answer", own.get(LONG).text)
                status = len(heard)
            os._exit(status)
        self.assertEqual(answers.get(LONG).text, "ready")
        self.assertFalse(select.select([watch], [], [], 0)[0], "the child has touched the parent's descriptor")
        herald.post_message(name, "hello")
        self.assertEqual((answers.get(LONG).text, answers.missed), ("hello", 0))
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertEqual((watch.get(LONG).text, heard.wait()[0].text), ("hello", "hello"))
        herald.post(name)
        heard.wait(2)
        for each in (watch, observation, answers):
            each.end(wait=True)

    def test_R18_fork_beside_threads_that_observe_and_post(self) -> None:
        name, over, problems = new_name(), threading.Event(), []

        def work() -> None:
            try:
                while not over.is_set():
                    with herald.observe(name, lambda m: None), herald.watch(name):
                        herald.post_message(name)
            except BaseException as error:
                problems.append(error)

        threads = [threading.Thread(target=work) for _ in range(2)]
        for thread in threads:
            thread.start()
        for i in range(30):
            child = os.fork()
            if child == 0:
                status = 1
                with contextlib.suppress(BaseException):
                    with herald.watch(name + str(i)) as watch:
                        herald.post_message(name + str(i), "mine")
                        status = 0 if watch.get(LONG).text == "mine" else 2
                os._exit(status)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        over.set()
        for thread in threads:
            thread.join(LONG)
        self.assertEqual(problems, [])

    def test_R18_fork_in_a_callback(self) -> None:
        name, statuses = new_name(), Heard()

        def fork(message: herald.Message) -> None:
            child = os.fork()
            if child == 0:
                status = 1
                with contextlib.suppress(BaseException):
                    assert not observations()
                    herald.post_message(name + ".child", "posted")
                    status = 0
                os._exit(status)
            statuses(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

        with herald.observe(name, fork), herald.watch(name + ".child") as watch:
            herald.post(name)
            self.assertEqual(statuses.wait(), [0])
            self.assertEqual(watch.get(LONG).text, "posted")

    def test_multiprocessing(self) -> None:
        for method in ("fork", "spawn"):
            name = new_name()
            with herald.watch(name) as watch:
                process = multiprocessing.get_context(method).Process(target=herald.post_message, args=(name, method))
                process.start()
                self.assertEqual(watch.get(LONG).text, method)
                process.join(LONG)
                self.assertEqual(process.exitcode, 0)


class ImportTests(Base):
    def test_a_library_that_is_not_there(self) -> None:
        done = subprocess.run(
            [sys.executable, "-B", "-c", "import herald"], capture_output=True, text=True, timeout=LONG,
            env={**os.environ, "PYTHONPATH": MODULE, "HERALD_LIBRARY": "/nowhere/libherald.so.0"})
        self.assertIn("ImportError: herald needs the library libherald.so.0", done.stderr)
        self.assertIn("make install", done.stderr)

    def test_a_library_that_is_too_old(self) -> None:
        done = subprocess.run(
            [sys.executable, "-B", "-c", "import herald"], capture_output=True, text=True, timeout=LONG,
            env={**os.environ, "PYTHONPATH": MODULE, "HERALD_LIBRARY": "libc.so.6"})
        self.assertIn("ImportError: herald needs a newer libherald.so.0", done.stderr)

    def test_subinterpreters_are_refused(self) -> None:
        done = run("import _xxsubinterpreters as s\ns.run_string(s.create(), 'import herald')")
        if "No module named" in done.stderr:
            self.skipTest("this interpreter shows no subinterpreters")
        self.assertRegex(done.stderr, "subinterpreter|does not support loading in subinterpreters")
        self.assertNotEqual(done.returncode, 0)
        self.assertGreater(done.returncode, 0, "a crash")


def blocks(*path: str) -> list[str]:
    """The Python code of a page."""
    with open(os.path.join(TOP, *path), encoding="utf-8") as page:
        return re.findall(r"^```python\n(.*?)^```$", page.read(), re.MULTILINE | re.DOTALL)


class ExampleTests(Base):
    def test_the_code_of_the_documents(self) -> None:
        first, *others = blocks("Examples", "Python", "README.md")
        for block in [first, *others]:
            compile(block, "README.md", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            for called in re.findall(r"herald\.(\w+)", block):
                self.assertIn(called, herald.__all__)
        with started(first) as process:
            over = threading.Event()

            def post() -> None:
                while not over.wait(0.05):
                    herald.post_json("com.acme.saved", {"path": "notes.txt"})

            thread = threading.Thread(target=post)
            thread.start()
            try:
                assert process.stdout
                self.assertEqual(process.stdout.readline(), "notes.txt\n")
            finally:
                over.set()
                thread.join()

    def test_the_programs(self) -> None:
        name = new_name()
        for program in ("watch.py", "tasks.py"):
            with herald.watch(herald.ANY) as seen:
                with subprocess.Popen([sys.executable, "-B", "-u", os.path.join(MODULE, program), "--count", "2", name],
                                      stdout=subprocess.PIPE, text=True) as process:
                    while not herald.is_heard(name + ".x") or seen.get(LONG).name != name + ".ready":
                        pass
                    for arguments in ([name, "--json", '{"a": 1}'], [name, "hello", "--object", "o"]):
                        subprocess.run([sys.executable, "-B", os.path.join(MODULE, "post.py"), *arguments], check=True)
                    out, _ = process.communicate(timeout=LONG)
                    self.assertEqual(process.returncode, 0)
                    self.assertIn('{"a":1}', out)
                    self.assertIn("hello", out)


if __name__ == "__main__":
    faulthandler.dump_traceback_later(10 * LONG, exit=True)  # a test that hangs says where
    unittest.main()
