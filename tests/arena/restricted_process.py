"""A restricted process that tries what a test asks for."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

# It reads what is given as JSON, gives up, and prints what came of each attempt.
PROGRAM = """
import ctypes, fcntl, json, os, resource, struct, shutil, signal, socket, subprocess, sys, threading
from pathlib import Path
import gamelib
from arena.sandbox import containment as module
given = json.loads(sys.argv[1])
parent, others, port, hidden = given["parent"], given["others"], given["port"], given["hidden"]
os.chdir(given["folder"])
exec(given["before"])
said = module.restrict_process(Path(given["folder"]), [Path(hidden)])
libc = ctypes.CDLL(None, use_errno=True)
def called(name, *arguments):
    if getattr(libc, name)(*arguments) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
def through_a_link():
    os.symlink(others, "link")
    return open("link").read()
def own_files():
    os.mkdir("own")
    Path("own/file").write_text("text")
    os.rename("own/file", "file")
    return Path("file").read_text()
def a_thread():
    threading.Thread(target=int).start()
came = {}
for name, text in given["attempts"].items():
    try:
        came[name] = repr(eval(text))
    except BaseException as error:
        came[name] = type(error).__name__
print(json.dumps({"said": said, "came": came}))
"""


def came_of(folder, attempts, before="", python=(sys.executable,), hidden=ROOT / "gamefast"):
    """Return what came of each attempt, a text of Python, and what `restrict_process` said."""
    own, others = folder / "own", folder / "others.jsonl"
    keys = folder / ".ssh" / "id_rsa"
    own.mkdir()
    keys.parent.mkdir()
    keys.write_text("a key")
    own.chmod(0o777)
    others.write_text("results")
    with socket.create_server(("127.0.0.1", 0)) as server:
        given = {
            "folder": str(own),
            "others": str(others),
            "port": server.getsockname()[1],
            "parent": os.getpid(),
            "home": str(Path.home()),
            "keys": str(keys),
            "hidden": str(hidden),
            "before": before,
            "attempts": attempts,
        }
        environment = {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1", "PATH": "/bin"}
        ended = subprocess.run(
            [*python, "-c", PROGRAM, json.dumps(given)],
            env=environment,
            capture_output=True,
            text=True,
        )
    assert ended.returncode == 0, (ended.returncode, ended.stderr)
    assert others.read_text() == "results"
    return json.loads(ended.stdout)
