"""The trainer of notebook 10 in a browser: train, stop, go on, and the curve is there."""

import re

from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import expect

from tools.refresh_notebooks import METADATA

# The second round waits for the first Stop: no clock decides where the training is stopped.
TRAINER = """
from time import sleep
from course import Trainer
from course.lessons.learning.training import START, Training

class Waiting(Training):
    waited = False
    def round(self, progress, stop):
        while len(self.rounds) == 2 and not self.waited:
            self.waited = stop()
            sleep(0.01)
        super().round(progress, stop)

trainer = Trainer(Waiting(seed=0), rounds=3, positions=[START])
trainer
"""


def test_a_training_is_stopped_and_goes_on(notebook_page) -> None:
    cells = [new_code_cell(TRAINER, id="trainer")]
    notebook_page.open_and_run(new_notebook(cells=cells, metadata=METADATA))
    notebook_page.command("application:toggle-left-area")
    cell = notebook_page.cell("trainer")
    train, stop = (cell.get_by_role("button", name=name, exact=True) for name in ("Train", "Stop"))
    expect(stop).to_be_disabled()
    expect(cell.locator("img")).to_be_hidden()
    train.click()
    expect(cell).to_contain_text("After 48 games")
    expect(train).to_be_disabled()
    stop.click()
    expect(cell).to_contain_text("Stopped. What was learnt is kept")
    expect(cell.locator("img")).to_be_hidden()
    train.click()
    expect(cell).to_contain_text(re.compile(r"After 144 games, optimal choices: by priors \d"))
    expect(cell.locator("img")).to_be_visible()
    assert cell.locator("img").evaluate("image => image.naturalWidth") > 300
    expect(train).to_be_disabled()  # all three rounds are done
    expect(stop).to_be_disabled()
    assert notebook_page.console_errors == []
