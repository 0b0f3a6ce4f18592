"""The first lines of the worker process, run as a script: it finds modules where its parent found them.

Python starts isolated and without site packages, so that nothing is imported before this: no current folder, no
PYTHONPATH, no .pth file. Needs the standard library only.
"""

import gc
import importlib
import importlib.util
import json
import socket
import struct
import sys
from importlib.machinery import ModuleSpec


class SamePlaces:
    """Finds the modules that the parent has found outside of `sys.path`, or before it."""

    def __init__(self) -> None:
        self.places: dict[str, tuple[str | None, list[str] | None]] = {}  # name -> [file or None, folders or None]

    def look(self, text: str) -> None:
        """Look where the parent says."""
        sys.path[:], places = json.loads(text)
        self.places.update(places)

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """The specification of a module that the parent has named; None for others."""
        if name not in self.places:
            return None
        file, folders = self.places[name]
        if file is None:
            spec = ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations = folders
            return spec
        return importlib.util.spec_from_file_location(name, file, submodule_search_locations=folders)


def _exactly(channel: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        part = channel.recv(count - len(data))
        if not part:
            sys.exit(0)
        data += part
    return data


def main() -> None:
    """Import what every worker needs, read how to begin, import what else is needed, and become the worker."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    channel.setblocking(True)
    finder = SamePlaces()
    finder.look(sys.argv[3])
    sys.meta_path.insert(0, finder)
    gc.disable()  # nothing of what is imported is garbage
    process = importlib.import_module("mlusim.simulator.engines.worker.process")
    _, _, _, _, length = struct.unpack("<4sHHQQ", _exactly(channel, 24))
    start = json.loads(_exactly(channel, length))
    finder.look(start["places"])
    for module in start["modules"]:
        importlib.import_module(module)
    gc.freeze()
    gc.enable()
    process.main(channel, start["runtime"])


if __name__ == "__main__":
    main()
