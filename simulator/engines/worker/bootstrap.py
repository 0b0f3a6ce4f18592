"""The first lines of a process that runs code of strangers, as a script: it finds modules where its parent found them.

Its words are the places of modules, the module whose `main` it runs, and what that is given. Python starts isolated
and without site packages, so that nothing is imported before this: no current folder, no PYTHONPATH, no .pth file.
Needs the standard library only.
"""

import gc
import importlib
import importlib.util
import json
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


def main() -> None:
    """Import a module, and run it."""
    places, module, *words = sys.argv[1:]
    finder = SamePlaces()
    finder.look(places)
    sys.meta_path.insert(0, finder)
    gc.disable()  # nothing of what is imported is garbage
    importlib.import_module(module).main(finder.look, words)


if __name__ == "__main__":
    main()
