"""Makes the README's picture of a report, ``python report_picture.py report.png``; needs playwright and Chromium."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

SOURCE = Path(__file__).with_name("double_buffer.mlu")
KERNEL = ["--kernel", "silu", "--dim", "4", "--arg", "zeros:float32:500000", "zeros:float32:500000", "500000"]
#: An instruction in the middle is selected, with what it waited for.
SELECT = """() => {
    const {store, launches: [launch]} = window.mlusim, timeline = window.mlusimTimeline;
    const middle = store.state.whole / 2, wide = store.state.whole / 7;
    store.set({view: {from: middle - wide, to: middle + wide}});
    const wanted = Array.from({length: launch.count}, (_, at) => at).find((at) => launch.us(launch.start[at]) > middle
        && launch.lanes[launch.lane[at]].name === "compute" && launch.cause(at) >= 0);
    timeline.select(wanted);
}"""


def main(picture: Path) -> None:
    """Run the kernel, open its report, take the picture."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.html")
        command = [sys.executable, "-m", "mlusim.simulator", "run", str(SOURCE), *KERNEL, "--report", str(report)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1400, "height": 1180})
            page.goto(report.as_uri())
            page.wait_for_function("window.mlusimTimeline && window.mlusimTimeline.height > 200")
            page.evaluate(SELECT)
            page.wait_for_timeout(500)
            page.screenshot(path=picture)
            browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
