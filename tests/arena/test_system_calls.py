"""The filter of system calls: interpreted for both processors, and tried on this one."""

import errno
import platform
import re
import struct
import sys
from pathlib import Path
from random import Random

import pytest
from agent_fixtures import linux
from restricted_process import came_of

from arena.sandbox import system_calls
from arena.sandbox.system_calls import ARCHITECTURES, allowed_numbers, filter_program

PID, OTHER, POINTER = 4711, 4712, 0x7F00_1234_0000_0000
MACHINES = [*ARCHITECTURES]
REFUSED = ("EPERM", "ENOSYS")  # as this filter refuses

# What an untrusted program could attack with: a name, its number on x86_64 and on aarch64, and
# arguments for a trial, in which `parent` is another process and `others` a file of another folder.
ATTACKS = """
socket 41 198 (2, 1, 0)
connect 42 203 (0, others, 16)
bind 49 200 (0, others, 16)
listen 50 201 (0, 1)
accept4 288 242 (0, 0, 0, 0)
sendmsg 46 211 (0, bytes(56), 0)
recvmsg 47 212 (0, bytes(56), 0x40)
setsockopt 54 208 (0, 1, 2, others, 4)
ptrace 101 117 (16, parent, 0, 0)
process_vm_readv 310 270 (parent, 0, 0, 0, 0, 0)
process_vm_writev 311 271 (parent, 0, 0, 0, 0, 0)
pidfd_open 434 434 (parent, 0)
pidfd_getfd 438 438 (0, 0, 0)
pidfd_send_signal 424 424 (0, 0, 0, 0)
kcmp 312 272 (parent, parent, 0, 0, 0)
setpgid 109 154 (0, parent)
setsid 112 157 ()
setpriority 141 140 (0, parent, 19)
ioprio_set 251 30 (1, parent, 0)
sched_setaffinity 203 122 (parent, 8, bytes(8))
sched_setparam 142 118 (parent, bytes(8))
sched_setscheduler 144 119 (parent, 0, bytes(8))
sched_setattr 314 274 (parent, bytes(48), 0)
migrate_pages 256 238 (parent, 0, 0, 0)
move_pages 279 239 (parent, 0, 0, 0, 0, 0)
process_madvise 440 440 (0, 0, 0, 0, 0)
process_mrelease 448 448 (0, 0)
clone3 435 435 (bytes(88), 88)
execve 59 221 (b"/bin/true", 0, 0)
execveat 322 281 (-100, b"/bin/true", 0, 0, 0)
unshare 272 97 (0x10000000,)
setns 308 268 (0, 0)
fchmod 91 52 (0, 0o600)
fchmodat 268 53 (-100, others, 0o600)
fchmodat2 452 452 (-100, others, 0o600, 0)
fchown 93 55 (0, 0, 0)
fchownat 260 54 (-100, others, 0, 0, 0)
setxattr 188 5 (others, b"user.a", b"1", 1, 0)
fsetxattr 190 7 (0, b"user.a", b"1", 1, 0)
removexattr 197 14 (others, b"user.a")
utimensat 280 88 (-100, others, 0, 0)
truncate 76 45 (others, 0)
linkat 265 37 (-100, others, -100, b"link", 0)
mknodat 259 33 (-100, b"fifo", 0o10600, 0)
inotify_init1 294 26 (0,)
inotify_add_watch 254 27 (0, others, 2)
fanotify_init 300 262 (0, 0)
name_to_handle_at 303 264 (-100, others, bytes(64), bytes(8), 0)
open_by_handle_at 304 265 (0, bytes(64), 0)
openat2 437 437 (-100, others, bytes(24), 24)
shmget 29 194 (0, 4096, 0o1600)
shmat 30 196 (0, 0, 0)
msgget 68 186 (0, 0o1600)
msgsnd 69 189 (0, bytes(16), 8, 0)
semget 64 190 (0, 1, 0o1600)
mq_open 240 180 (b"queue", 0o102, 0o600, 0)
add_key 248 217 (b"user", b"name", b"1", 1, -3)
request_key 249 218 (b"user", b"name", 0, 0)
keyctl 250 219 (0, -3, 1)
bpf 321 280 (0, bytes(72), 72)
perf_event_open 298 241 (bytes(112), 0, -1, -1, 0)
userfaultfd 323 282 (1,)
io_uring_setup 425 425 (4, bytes(120))
io_setup 206 0 (1, bytes(8))
tkill 200 130 (parent, 0)
rt_sigqueueinfo 129 138 (parent, 10, bytes(128))
rt_tgsigqueueinfo 297 240 (parent, parent, 10, bytes(128))
timer_create 222 107 (0, bytes(64), bytes(4))
signalfd4 289 74 (-1, bytes(8), 8, 0)
memfd_create 319 279 (b"memory", 0)
memfd_secret 447 447 (0,)
personality 135 92 (0x0040000,)
mount 165 40 (b"none", b"/tmp", b"tmpfs", 0, 0)
chroot 161 51 (b".",)
pivot_root 155 41 (b".", b".")
setuid 105 146 (0,)
setgroups 116 159 (0, 0)
capset 126 91 (bytes(8), bytes(24))
setrlimit 160 164 (0, bytes(16))
seccomp 317 277 (1, 0, bytes(16))
init_module 175 105 (bytes(8), 8, b"")
reboot 169 142 (0, 0, 0, 0)
syslog 103 116 (3, bytes(64), 64)
sync 162 81 ()
mlockall 151 230 (3,)
kexec_load 246 104 (0, 0, 0, 0)
quotactl 179 60 (0, 0, 0, 0)
adjtimex 159 171 (bytes(208),)
vmsplice 278 75 (0, 0, 0, 0)
"""
ROWS = [line.split(maxsplit=3) for line in ATTACKS.strip().splitlines()]
OLD_CALLS = {  # that aarch64 lacks
    "fork": 57, "vfork": 58, "chmod": 90, "chown": 92, "lchown": 94, "link": 86, "mknod": 133,
    "utime": 132, "utimes": 235, "futimesat": 261, "inotify_init": 253, "signalfd": 282,
    "modify_ldt": 154, "iopl": 172, "arch_prctl": 158, "epoll_create": 213, "eventfd": 284,
}  # fmt: skip

# Calls of which some arguments are refused, and their results by the filter.
ARGUMENTS = {
    "a thread": ("clone", (0x3D0F00,), True),
    "a thread with musl": ("clone", (0x7D0F00,), True),
    "a process": ("clone", (0x1200011,), False),
    "a process like vfork": ("clone", (0x4111,), False),
    "a thread in a namespace": ("clone", (0x3D0F00 | 0x10000000,), False),
    "a traced thread": ("clone", (0x3D0F00 | 0x2000,), False),
    "flags": ("fcntl", (0, 3, 0), True),
    "a copy": ("fcntl", (0, 1030, 0), True),
    "F_SETOWN": ("fcntl", (0, 8, OTHER), False),
    "F_SETOWN with upper bits": ("fcntl", (0, 8 | 1 << 32, OTHER), False),
    "F_SETSIG": ("fcntl", (0, 10, 9), False),
    "F_SETOWN_EX": ("fcntl", (0, 15, POINTER), False),
    "F_SETLEASE": ("fcntl", (0, 1024, 1), False),
    "F_NOTIFY": ("fcntl", (0, 1026, 1), False),
    "a terminal": ("ioctl", (0, 0x5401, POINTER), True),
    "FIOSETOWN": ("ioctl", (0, 0x8901, POINTER), False),
    "SIOCSPGRP": ("ioctl", (0, 0x8902, POINTER), False),
    "FIOASYNC": ("ioctl", (0, 0x5452, POINTER), False),
    "type in a terminal": ("ioctl", (0, 0x5412, POINTER), False),
    "share blocks of a file": ("ioctl", (0, 0x40049409, 0), False),
    "name a thread": ("prctl", (15, POINTER), True),
    "outlive the parent": ("prctl", (1, 0), False),
    "be debugged": ("prctl", (0x59616D61, OTHER), False),
    "another filter": ("prctl", (22, 2, POINTER), False),
    "own limits": ("prlimit64", (0, 7, 0, POINTER), True),
    "own limits by id": ("prlimit64", (PID, 7, 0, POINTER), True),
    "limits of others": ("prlimit64", (OTHER, 7, 0, POINTER), False),
    "a signal to itself": ("kill", (PID, 0), True),
    "a signal to others": ("kill", (OTHER, 0), False),
    "a signal to its group": ("kill", (0, 0), False),
    "a signal to all": ("kill", (2**64 - 1, 0), False),
    "a signal to an own thread": ("tgkill", (PID, OTHER, 0), True),
    "a signal to a thread of others": ("tgkill", (OTHER, OTHER, 0), False),
    "two ends": ("socketpair", (1, 0x80001, 0, POINTER), True),
    "datagrams, which can be sent to a name": ("socketpair", (1, 2, 0, POINTER), False),
    "another family": ("socketpair", (16, 1, 0, POINTER), False),
    "send": ("sendto", (0, POINTER, 1, 0, 0, 0), True),
    "send to an address": ("sendto", (0, POINTER, 1, 0, POINTER, 16), False),
    "send to a low address": ("sendto", (0, POINTER, 1, 0, 4096, 16), False),
}


def interpret(program, number, arguments=(), architecture=ARCHITECTURES["x86_64"]):
    """Return what a filter returns for a call: seccomp(2) and bpf(4) in the few steps it uses."""
    arguments = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<IIQ6Q", number, architecture, 0, *arguments)
    lines = [struct.unpack_from("<HBBI", program, at) for at in range(0, len(program), 8)]
    accumulator = position = 0
    while True:
        code, if_true, if_false, value = lines[position]
        position += 1
        match code:
            case 0x20:  # load a word
                (accumulator,) = struct.unpack_from("<I", data, value)
            case 0x54:  # and
                accumulator &= value
            case 0x15:  # jump if equal
                position += if_true if accumulator == value else if_false
            case 0x35:  # jump if at least
                position += if_true if accumulator >= value else if_false
            case 0x06:  # return
                return value
            case _:
                raise AssertionError(f"the filter has the instruction {code:#x}")


def result(machine, number, arguments=()):
    """Return "allow", or the name of the error with which a call is refused."""
    value = interpret(filter_program(machine, PID), number, arguments, ARCHITECTURES[machine])
    if value == system_calls.ALLOW:
        return "allow"
    assert value & 0xFFFF0000 == system_calls.ERROR
    return errno.errorcode[value & 0xFFFF]


def attack_numbers(machine):
    numbers = {row[0]: int(row[1 + MACHINES.index(machine)]) for row in ROWS}
    return numbers | (OLD_CALLS if machine == "x86_64" else {})


@pytest.mark.parametrize("machine", MACHINES)
def test_no_attack_is_allowed_with_any_arguments(machine):
    rng = Random(1)
    arguments = [[rng.choice((0, 1, PID, rng.getrandbits(64))) for _ in range(6)] for _ in range(5)]
    found = {
        name: {result(machine, number, each) for each in arguments}
        for name, number in attack_numbers(machine).items()
    }
    assert {name for name, results in found.items() if not results <= {*REFUSED}} == set()


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("case", ARGUMENTS)
def test_arguments_decide(machine, case):
    name, arguments, is_allowed = ARGUMENTS[case]
    expected = "allow" if is_allowed else "EPERM"
    assert result(machine, allowed_numbers(machine)[name], arguments) == expected


@pytest.mark.parametrize("machine", MACHINES)
def test_new_calls_get_the_answer_of_old_kernels(machine):
    assert [result(machine, number) for number in (435, 1000, 0x40000000)] == ["ENOSYS"] * 3


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_of_another_processor_end_the_process(machine):
    program = filter_program(machine, PID)
    others = {0x40000003, 0x40000028, *ARCHITECTURES.values()} - {ARCHITECTURES[machine]}
    assert {interpret(program, 0, (), other) for other in others} == {system_calls.KILL}


HEADERS = {
    "x86_64": "/usr/include/x86_64-linux-gnu/asm/unistd_64.h",
    "aarch64": "/usr/include/asm-generic/unistd.h",
}


@pytest.mark.parametrize("machine", MACHINES)
def test_numbers_are_those_of_the_kernel(machine):
    header = Path(HEADERS[machine])
    if not header.exists():
        pytest.skip("the headers of Linux are not installed")
    # The generic header gives some calls the names that they have with 32 bits, too.
    pattern = r"#define __NR(?:3264)?_(\w+)\s+(\d+)"
    known = dict(re.findall(pattern, header.read_text()))
    known |= {"newfstatat": known.get("newfstatat", known.get("fstatat"))}
    named = attack_numbers(machine) | allowed_numbers(machine)
    named = {name: str(number) for name, number in named.items() if name in known}
    assert len(named) > 150
    assert named == {name: known[name] for name in named}


@pytest.fixture(scope="module", params=["Landlock", "no Landlock"])
def tried(request, tmp_path_factory):
    """Return what came of all attacks on this machine, by name."""
    if platform.machine() not in ARCHITECTURES or sys.platform != "linux":
        pytest.skip("this machine has another filter, or none")
    column = 1 + MACHINES.index(platform.machine())
    attempts = {row[0]: f"error_of({row[column]}, *{row[3]})" for row in ROWS}
    known = {*allowed_numbers(platform.machine()).values(), *UNFILTERED}
    unlisted = sorted(set(range(600)) - known)
    attempts["all"] = f"sorted({{error_of(number, *[-1] * 6) for number in {unlisted}}})"
    attempts |= HARMLESS | HONEST
    before = TRIAL
    if request.param == "no Landlock":
        before += "module._landlock_version = lambda: 0"
    folder = tmp_path_factory.mktemp("tried")
    return came_of(folder, attempts, before, hidden=folder / "nothing")["came"]


# Newer kernels do not ask a filter about these numbers of x86_64, by which probes return.  A
# process that makes the call itself gets a SIGILL.
UNFILTERED = (335, 336)
# Text for the restricted process: a function that returns the name of the error of a call.
TRIAL = """
import errno
def error_of(number, *arguments):
    own = [each.encode() if each is others else each for each in arguments]
    own = [each if type(each) is bytes else ctypes.c_void_p(each) for each in own]
    ctypes.set_errno(0)
    libc.syscall(ctypes.c_long(number), *own)
    return errno.errorcode.get(ctypes.get_errno(), "none")
"""
# Calls that are allowed: what they do to the process itself, or tell it, harms nobody else.
HARMLESS = {
    "ask for the priority of the parent": "os.getpriority(os.PRIO_PROCESS, parent)",
    "ask for the group of the parent": "os.getpgid(parent)",
    "ask for the session of the parent": "os.getsid(parent)",
    "ask for the processors of the parent": "os.sched_getaffinity(parent)",
    "ask for the scheduler of the parent": "os.sched_getscheduler(parent)",
    "run data as code": "__import__('mmap').mmap(-1, 99, prot=7)",
    "ignore an alarm": "signal.signal(signal.SIGALRM, signal.SIG_IGN)",
    "name a thread": "called('prctl', 15, b'another', 0, 0, 0)",
    "see no terminal": "os.isatty(0)",
    "change the mode of new files": "os.umask(0)",
    "lock a file of Python": "fcntl.flock(open(json.__file__), fcntl.LOCK_EX)",
    "talk to itself": "[each.send(b'1') for each in socket.socketpair()]",
}
HONEST = {
    "threads": "__import__('concurrent.futures').futures.ThreadPoolExecutor().submit(int).result()",
    "asyncio": "(loop := __import__('asyncio')).run(loop.to_thread(sum, [1, 2]))",
    "a database": "__import__('sqlite3').connect('file').execute('create table a (b)')",
    "temporary files": "__import__('tempfile').TemporaryDirectory(dir='.').cleanup()",
    "a callback of C": "ctypes.CFUNCTYPE(ctypes.c_int)(int)()",
    "a search": "gamelib.mcts(gamelib.TicTacToe(), simulations=99, rng=1).action",
    "seconds": "gamelib.mcts(gamelib.TicTacToe(), seconds=0.01).action",
    "a recording": "__import__('course').record(gamelib.minimax, gamelib.Nim((1, 2)))",
    "numpy": "__import__('numpy').linalg.inv([[2.0, 1.0], [1.0, 2.0]])",
    "compiled code": "__import__('gamefast').mcts(gamelib.ConnectFour(), simulations=9, rng=1)",
}


@linux
@pytest.mark.parametrize("name", [row[0] for row in ROWS])
def test_attack_is_refused_by_this_kernel(tried, name):
    assert tried[name].strip("'") in REFUSED


@linux
def test_every_call_off_the_list_is_refused(tried):
    assert tried["all"] == str(sorted(REFUSED))


@linux
@pytest.mark.parametrize("name", HARMLESS | HONEST)
def test_harmless_and_honest_calls_work(tried, name):
    assert not tried[name].endswith("Error")
