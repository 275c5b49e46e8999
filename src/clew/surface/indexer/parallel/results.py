"""Sending long results from a process to the indexer.

The indexer may be busy for seconds. So a process writes each result to a file in memory and sends
its descriptor. It never blocks on a busy indexer, and no thread is needed on either side.
"""

import os
import socket


def send_result(channel: socket.socket, result: bytes) -> None:
    """Send a result to the indexer.

    Raises:
        OSError: the indexer has ended, or memory is short.
    """
    with open(os.memfd_create("clew result"), "wb", buffering=0) as file:
        data = memoryview(result)
        while data:
            data = data[file.write(data) :]
        socket.send_fds(channel, [b"r"], [file.fileno()])


def receive_result(channel: socket.socket) -> bytes | None:
    """Wait for the next result; ``None`` if the process has ended.

    Raises:
        OSError: the process ended before it received all requests.
    """
    _, descriptors, _, _ = socket.recv_fds(channel, 1, 1, socket.MSG_CMSG_CLOEXEC)
    if not descriptors:
        return None
    with open(descriptors[0], "rb", buffering=0) as file:
        file.seek(0)
        return file.readall()
