"""What a function does in a forked child."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from typing import Any


def in_child(act: Callable[[], Any]) -> Any:
    """What a function gives in a forked child; its exception where it raises one."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            result = act()
        except BaseException as error:
            result = error
        try:
            with open(write, "wb") as file:
                file.write(pickle.dumps(result))
        finally:
            os._exit(0)
    os.close(write)
    with open(read, "rb") as file:
        data = file.read()
    assert os.waitpid(child, 0)[1] == 0
    return pickle.loads(data)
