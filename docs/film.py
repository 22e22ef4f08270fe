"""Makes the film of `exactformer play` in the README: python docs/film.py (needs Chromium)."""

from __future__ import annotations

import base64
import io
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image

from exactformer.model.tokens import Tokens
from exactformer.play.server import PlayServer

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent / "tests" / "cli"))
from browser import Browser, browser  # noqa: E402

#: the window, the width of the film, and seconds per frame
WIDTH, HEIGHT, SMALL, PACE = 1180, 760, 760, 0.125
#: a square with a token on its way to the middle of a side
SQUARE = Tokens([[1, 1], [-1, 1], [-1, -1], [1, -1], ["3/10", "2/5"], ["-1/2", 0]], alpha="1/2")
#: a pointer to be seen; screenshots have none
POINTER = """{
const dot = document.createElement('div');
dot.id = 'pointer';
Object.assign(dot.style, {position: 'fixed', width: '22px', height: '22px', borderRadius: '50%', zIndex: 99,
  background: '#0007', border: '2px solid white', transform: 'translate(-50%, -50%)', pointerEvents: 'none'});
document.body.append(dot);
}"""
READY = "!app.busy && !app.pending && app.result && app.proof && !app.proofStale && !app.frame"


class Camera:
    """Takes the frames of a tab."""

    def __init__(self, tab: Browser) -> None:
        self.tab, self.frames, self.at = tab, list[Image.Image](), (500.0, 600.0)

    def shoot(self, count: int = 1) -> None:
        """So many equal frames."""
        data = base64.b64decode(self.tab.call("Page.captureScreenshot", format="png")["data"])
        picture = Image.open(io.BytesIO(data)).convert("RGB")
        small = picture.resize((SMALL, round(SMALL * picture.height / picture.width)), Image.Resampling.LANCZOS)
        self.frames += [small] * count

    def glide(self, end: tuple[float, float], steps: int, *, held: bool = False) -> None:
        """Moves the pointer, with the button held or not."""
        start = self.at
        for k in range(1, steps + 1):
            share = k / steps
            share = share * share * (3 - 2 * share)
            self.at = (start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1]))
            self._mouse("mouseMoved", held)
            self.tab.wait(f"!!({READY})")
            self.shoot()

    def drag(self, token: int, by: tuple[float, float], steps: int = 14) -> None:
        """Takes hold of a token and moves it by so many pixels."""
        x, y = self.tab.value(f"app.plane.screen(app.start[{token}])")
        box = self.tab.value(
            "(() => { const b = document.getElementById('picture').getBoundingClientRect(); return [b.x, b.y]; })()"
        )
        self.glide((x + box[0], y + box[1]), 6)
        self._mouse("mousePressed", held=True)
        self.glide((self.at[0] + by[0], self.at[1] + by[1]), steps, held=True)
        self._mouse("mouseReleased", held=True)
        self.tab.wait(f"!!({READY})")
        self.shoot(4)

    def click(self, element: str, *, after: int = 4) -> None:
        """Clicks at an element."""
        box = f"document.querySelector('{element}').getBoundingClientRect()"
        self.glide((self.tab.value(f"{box}.x + {box}.width / 2"), self.tab.value(f"{box}.y + {box}.height / 2")), 6)
        self._mouse("mousePressed", held=True)
        self._mouse("mouseReleased", held=True)
        self.tab.wait(f"!!({READY})")
        self.shoot(after)

    def _mouse(self, kind: str, held: bool) -> None:
        x, y = self.at
        self.tab.value(f"Object.assign(document.getElementById('pointer').style, {{left: '{x}px', top: '{y}px'}})")
        button = "left" if held else "none"
        clicks = 0 if kind == "mouseMoved" else 1
        self.tab.call(
            "Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons=int(held), clickCount=clicks
        )


def play(camera: Camera) -> None:
    """A token goes to the middle of a side; everything is turned; float64 ends elsewhere; a corner is moved."""
    tab = camera.tab
    tab.wait(f"!!({READY})")
    tab.value(POINTER)
    camera.shoot(6)
    scale = tab.value("app.plane.scale")
    camera.drag(4, (0.2 * scale, 0.4 * scale))  # to (1/2, 0): a tie of two corners
    camera.click("#float")
    tab.value("{const t = document.getElementById('turn'); t.value = '0'; t.dispatchEvent(new Event('change'))}")
    tab.wait(f"!!({READY})")
    camera.shoot(10)
    for layer in range(1, 13):
        tab.value(f"app.setLayer({layer})")
        tab.wait(f"!!({READY})")
        camera.shoot(2 if layer < 12 else 8)
    camera.drag(3, (-70, 60), steps=24)
    camera.drag(0, (60, 50), steps=20)
    camera.shoot(10)


def palette(frames: list[Image.Image]) -> Image.Image:
    """128 colours of the film; those of tokens and floats cover few pixels and are given more."""
    rare = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#C62828", "#E08A8A", "#00614A")
    width, height = frames[0].size
    sheet = Image.new("RGB", (2 * width, height))
    sheet.paste(frames[len(frames) // 2], (0, 0))
    for k, colour in enumerate(rare):
        sheet.paste(Image.new("RGB", (width // len(rare), height), colour), (width + k * (width // len(rare)), 0))
    return sheet.quantize(128, kmeans=1)


def main() -> None:
    """Writes docs/pictures/play.gif."""
    server = PlayServer(SQUARE)
    server.begin()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, browser(Path(folder)) as tab:
        tab.open(server.url)
        tab.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)
        time.sleep(1)
        camera = Camera(tab)
        play(camera)
    server.end()
    colours = palette(camera.frames)
    first, *rest = (frame.quantize(palette=colours, dither=Image.Dither.NONE) for frame in camera.frames)
    path = DOCS / "pictures" / "play.gif"
    first.save(path, save_all=True, append_images=rest, duration=round(1000 * PACE), loop=0, optimize=True)
    print(f"{path}: {len(camera.frames)} frames, {len(camera.frames) * PACE:.0f} s, {path.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
