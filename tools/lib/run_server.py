"""Runs the command by forks of one that was started before (tests/support/run_server.c), where its start costs much: with sanitizers.

ICEFSCK_RUN_SERVER names the library to preload. Without it nothing is served.
"""

import os
import selectors
import signal
import socket
import struct
import subprocess
import time

LIBRARY = os.environ.get("ICEFSCK_RUN_SERVER")
MOST_BYTES = 100_000  # of a request; longer ones are left to a start of the command

servers = {}  # (own process id, binary): socket


def connect(binary):
    """The socket of this process to the server of a binary."""
    key = os.getpid(), binary
    if key not in servers:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        env = dict(os.environ, LD_PRELOAD=LIBRARY, ICEFSCK_RUN_SERVER=str(theirs.fileno()))
        env["ASAN_OPTIONS"] = env.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
        subprocess.Popen([binary], env=env, pass_fds=(theirs.fileno(),), stdin=subprocess.DEVNULL)
        theirs.close()
        servers[key] = ours
    return servers[key]


def number(link):
    data = link.recv(4)
    if len(data) != 4:
        raise OSError("the server of the command ended")
    return struct.unpack("i", data)[0]


def request(args, folder, env):
    """The bytes of a request, or None: too many."""
    words = [folder, str(len(args)), *args, *("%s=%s" % pair for pair in env.items())]
    data = b"".join(os.fsencode(word) + b"\0" for word in words)
    return data if LIBRARY and len(data) <= MOST_BYTES else None


class Run:
    """A run that was begun: its process id, and its end."""

    def __init__(self, binary, data, fds):
        self.link = connect(binary)
        socket.send_fds(self.link, [data], fds)
        self.pid = number(self.link)

    def wait(self):
        return os.waitstatus_to_exitcode(number(self.link))


def read_both(child, pipes, seconds):
    """What comes out of two pipes until they are closed."""
    parts = {pipe: [] for pipe in pipes}
    deadline = time.monotonic() + seconds
    with selectors.DefaultSelector() as waiting:
        for pipe in pipes:
            waiting.register(pipe, selectors.EVENT_READ)
        while waiting.get_map():
            ready = waiting.select(deadline - time.monotonic())
            if not ready:
                os.kill(child.pid, signal.SIGKILL)
                child.wait()
                raise subprocess.TimeoutExpired("pid %d" % child.pid, seconds)
            for key, _ in ready:
                piece = os.read(key.fd, 1 << 16)
                parts[key.fd].append(piece)
                if not piece:
                    waiting.unregister(key.fd)
    return [b"".join(parts[pipe]) for pipe in pipes]


def run(args, folder, env, text, seconds):
    """As subprocess.run with both outputs taken; None: it cannot be served."""
    data = request(args, folder, env)
    if data is None:
        return None
    (out, out_end), (err, err_end) = os.pipe(), os.pipe()
    try:
        child = Run(args[0], data, [0, out_end, err_end])
    finally:
        os.close(out_end)
        os.close(err_end)
    try:
        texts = read_both(child, (out, err), seconds)
    finally:
        os.close(out)
        os.close(err)
    if text:
        texts = [t.decode().replace("\r\n", "\n").replace("\r", "\n") for t in texts]
    return subprocess.CompletedProcess(args, child.wait(), *texts)
