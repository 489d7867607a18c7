"""Programs that are odd in form: what recording does to them must not change their answers.

`ODD` holds programs that end, `ENDLESS` those that do not.
"""

# ruff: noqa: B012, B018, B028, E501, E722, E731, F841, N805, N806, N818, RUF015, SIM105
import asyncio
import contextlib
import copy
import functools
import gc
import io
import itertools
import pickle
import random
import signal
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

from course.tracing import record
from gamelib import GameTree

ODD, ENDLESS = {}, {}


def odd(program):
    ODD[program.__name__] = program
    return program


def endless(program):
    ENDLESS[program.__name__] = program
    return program


def value_of(s, p=0):
    if s.is_terminal():
        return s.utility(p)
    v = [value_of(s.successor(a), p) for a in s.legal_actions()]
    return max(v) if s.current_player == p else min(v)


@odd
def own_settrace(s):
    sys.settrace(None)
    return value_of(s)


@odd
def own_settrace_fn(s):
    def t(f, e, a):
        return t

    old = sys.gettrace()
    sys.settrace(t)
    try:
        return value_of(s)
    finally:
        sys.settrace(old)


@odd
def own_setprofile(s):
    sys.setprofile(lambda *a: None)
    r = value_of(s)
    sys.setprofile(None)
    return r


@odd
def thread(s):
    out = []
    t = threading.Thread(target=lambda: out.append(value_of(s)))
    t.start()
    t.join()
    return out[0]


@odd
def threads(s):
    out = []
    ts = [
        threading.Thread(target=lambda a=a: out.append(value_of(s.successor(a))))
        for a in s.legal_actions()
    ]
    [t.start() for t in ts]
    [t.join() for t in ts]
    return sorted(out)


@odd
def pool(s):
    with ThreadPoolExecutor(2) as e:
        return list(e.map(value_of, [s.successor(a) for a in s.legal_actions()]))


@odd
def generator(s):
    def g(s):
        if s.is_terminal():
            yield s.utility(0)
            return
        for a in s.legal_actions():
            yield from g(s.successor(a))

    return list(g(s))


@odd
def gen_open(s):
    def g(s):
        while True:
            x = yield value_of(s)
            if x:
                s = x

    it = g(s)
    next(it)
    return it.send(s.successor(1))


@odd
def coroutine(s):
    async def f(s):
        if s.is_terminal():
            return s.utility(0)
        v = [await f(s.successor(a)) for a in s.legal_actions()]
        return max(v) if s.current_player == 0 else min(v)

    c = f(s)
    try:
        c.send(None)
    except StopIteration as e:
        return e.value


@odd
def async_run(s):
    async def f(s):
        if s.is_terminal():
            return s.utility(0)
        v = await asyncio.gather(*[f(s.successor(a)) for a in s.legal_actions()])
        return max(v) if s.current_player == 0 else min(v)

    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(f(s))
    finally:
        loop.close()


@odd
def executed(s):
    ns = {}
    exec(
        "def f(s):\n if s.is_terminal(): return s.utility(0)\n v=[f(s.successor(a)) for a in s.legal_actions()]\n return max(v)",
        ns,
    )
    return ns["f"](s)


@odd
def evaled(s):
    return eval("max(base(s.successor(a)) for a in s.legal_actions())", {"base": value_of, "s": s})


@odd
def cached(s):
    @functools.lru_cache(None)
    def f(s):
        if s.is_terminal():
            return s.utility(0)
        v = [f(s.successor(a)) for a in s.legal_actions()]
        return max(v) if s.current_player == 0 else min(v)

    return f(s)


@odd
def method(s):
    class A:
        def v(self, s):
            if s.is_terminal():
                return s.utility(0)
            v = [self.v(s.successor(a)) for a in s.legal_actions()]
            return max(v) if s.current_player == 0 else min(v)

    return A().v(s)


@odd
def metaclass(s):
    class M(type):
        def __call__(cls, s):
            if s.is_terminal():
                return s.utility(0)
            return max(cls(s.successor(a)) for a in s.legal_actions())

    class A(metaclass=M):
        pass

    return A(s)


@odd
def pickled(s):
    if s.is_terminal():
        return s.utility(0)
    return max(pickled(pickle.loads(pickle.dumps(s.successor(a)))) for a in s.legal_actions())


@odd
def deep900(s, n=850):
    return value_of(s) if n == 0 else deep900(s, n - 1)


def _deep(n):
    return 0 if n == 0 else 1 + _deep(n - 1)


@odd
def deep_over(s):
    try:
        return _deep(30000)
    except RecursionError:
        return "deep"


@odd
def deep_exact(s):
    lo = 0
    for n in range(800, 1000):
        try:
            _deep(n)
            lo = n
        except RecursionError:
            break
    return lo >= 800


@odd
def swallow(s):
    try:
        return value_of(s)
    except:
        return None


@odd
def sleep(s):
    time.sleep(0.3)
    return value_of(s)


@odd
def patched(s):
    old = GameTree.successor
    GameTree.successor = lambda self, a: old(self, a)
    try:
        return value_of(s)
    finally:
        GameTree.successor = old


@odd
def prints(s):
    print("x")
    return value_of(s)


@odd
def stdout_replaced(s):
    old = sys.stdout
    sys.stdout = io.StringIO()
    try:
        print("hi")
        return value_of(s), sys.stdout.getvalue()
    finally:
        sys.stdout = old


@odd
def stdout_closed(s):
    old = sys.stdout
    sys.stdout = io.StringIO()
    sys.stdout.close()
    try:
        return value_of(s)
    finally:
        sys.stdout = old


@odd
def exits(s):
    try:
        sys.exit(3)
    except SystemExit as e:
        return e.code


@odd
def stop_iteration(s):
    try:
        raise StopIteration(4)
    except StopIteration as e:
        return e.value


@odd
def signals(s):
    n = [0]
    if threading.current_thread() is not threading.main_thread():
        return
    old = signal.signal(signal.SIGALRM, lambda *a: n.__setitem__(0, n[0] + 1))
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    try:
        r = value_of(s)
        time.sleep(0.05)
        return r, n[0] > 0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


@odd
def f_trace_cleared(s):
    f = sys._getframe()
    while f:
        f.f_trace = None
        f = f.f_back
    return value_of(s)


@odd
def record_inside(s):
    return len(record(value_of, s)), value_of(s)


@odd
def repeat(s):
    return [value_of(x) for x in itertools.islice(itertools.repeat(s), 3)]


@odd
def partial(s):
    return functools.partial(value_of, s)()


@odd
def lambdas(s):
    f = lambda s: (
        s.utility(0) if s.is_terminal() else max(f(s.successor(a)) for a in s.legal_actions())
    )
    return f(s)


@odd
def yc(s):
    Y = lambda f: (lambda x: x(x))(lambda x: f(lambda *a: x(x)(*a)))
    return Y(
        lambda me: (
            lambda s: (
                s.utility(0)
                if s.is_terminal()
                else max(me(s.successor(a)) for a in s.legal_actions())
            )
        )
    )(s)


class BadNotEqual(float):
    def __ne__(s, o):
        raise RuntimeError

    __hash__ = float.__hash__


class BadEqual(float):
    def __eq__(s, o):
        raise RuntimeError

    __hash__ = float.__hash__


class BadBool:
    def __bool__(s):
        raise RuntimeError


class BadRepr:
    def __repr__(s):
        raise RuntimeError


class BadAttributes:
    def __getattribute__(s, n):
        raise RuntimeError(n)


@odd
def ne_local(s):
    x = BadNotEqual(1)
    x = BadNotEqual(2)
    return value_of(s)


@odd
def eq_local(s):
    x = BadEqual(1)
    x = BadEqual(2)
    y = BadBool()
    z = BadRepr()
    g = BadAttributes()
    return value_of(s)


def _odd_args(s, x, y, z, g):
    return (
        s.utility(0)
        if s.is_terminal()
        else max(_odd_args(s.successor(a), x, y, z, g) for a in s.legal_actions())
    )


@odd
def odd_args(s):
    return _odd_args(s, BadNotEqual(1), BadBool(), BadRepr(), BadAttributes())


@odd
def odd_args2(s):
    return _odd_args(s, BadEqual(1), BadBool(), BadRepr(), BadAttributes())


@odd
def odd_return(s):
    if s.is_terminal():
        return BadNotEqual(s.utility(0))
    return BadNotEqual(max(float(odd_return(s.successor(a))) for a in s.legal_actions()))


@odd
def eq_return(s):
    if s.is_terminal():
        return BadEqual(s.utility(0))
    return BadEqual(max(float(eq_return(s.successor(a))) for a in s.legal_actions()))


@odd
def big(s):
    if s.is_terminal():
        return 10**5000
    return max(big(s.successor(a)) for a in s.legal_actions())


@odd
def nan(s):
    if s.is_terminal():
        return float("nan")
    return max(nan(s.successor(a)) for a in s.legal_actions())


@odd
def none(s):
    if s.is_terminal():
        return None
    return [none(s.successor(a)) for a in s.legal_actions()] and None


@odd
def objects(s):
    return object if s.is_terminal() else [objects(s.successor(a)) for a in s.legal_actions()][0]


class BadStr(Exception):
    def __str__(self):
        raise RuntimeError

    __repr__ = __str__


@odd
def bad_str(s):
    try:
        if s.is_terminal():
            raise BadStr
        return [bad_str(s.successor(a)) for a in s.legal_actions()]
    except BadStr:
        return 7


@odd
def nonlocal_(s):
    n = 0

    def f(s):
        nonlocal n
        n += 1
        if s.is_terminal():
            return s.utility(0)
        return max(f(s.successor(a)) for a in s.legal_actions())

    return f(s), n


@odd
def rand(s):
    r = random.Random(1)

    def f(s):
        return s.utility(0) if s.is_terminal() else f(s.successor(r.choice(s.legal_actions())))

    return [f(s) for _ in range(10)]


@odd
def contexts(s):
    with contextlib.suppress(ZeroDivisionError):
        1 / 0
    return value_of(s)


@odd
def warns(s):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            warnings.warn("x")
        except UserWarning:
            return value_of(s)


@odd
def gcs(s):
    gc.collect()
    return value_of(s)


@odd
def deepcopied(s):
    if s.is_terminal():
        return s.utility(0)
    return max(deepcopied(copy.deepcopy(s).successor(a)) for a in s.legal_actions())


@odd
def excs(s):
    if s.is_terminal():
        raise ValueError(s.utility(0))
    out = []
    for a in s.legal_actions():
        try:
            excs(s.successor(a))
        except ValueError as e:
            out.append(e.args[0])
    raise ValueError(max(out))


@odd
def excs_outer(s):
    try:
        excs(s)
    except ValueError as e:
        return e.args


@odd
def dels(s):
    x = 1
    del x
    return value_of(s)


@odd
def compiled_class(s):
    class X(GameTree):
        pass

    return value_of(s)


@odd
def recursion_limit(s):
    old = sys.getrecursionlimit()
    sys.setrecursionlimit(old + 500)
    try:
        return value_of(s)
    finally:
        sys.setrecursionlimit(old)


@endless
def forever(s):
    while True:
        pass


@endless
def finally_deep(s):
    try:
        return finally_deep(s)
    finally:
        finally_deep(s)


@endless
def finally_loop(s):
    while True:
        try:
            finally_loop(s)
        except BaseException:
            pass


@endless
def finally_loop2(s):
    while True:
        try:
            finally_loop2(s)
        finally:
            continue


@endless
def sleepy(s):
    while True:
        time.sleep(0.05)


@endless
def no_position(s):
    def f(n):
        try:
            return f(n + 1)
        finally:
            f(n + 1)

    return f(0)
