"""A learner's program over a list, stepped in a browser's Python, as one line of JSON."""

import json

from course import SearchStepper
from course.draw.wording import narration
from tests.browser.max_twice import max_twice

stepper = SearchStepper(max_twice, [*"XO.OX...."], True)
said = {
    "steps": [narration(stepper.timeline[step]) for step in range(len(stepper.timeline))],
    "nodes": len(stepper.trace.visits),
}
stepper.last()
said["drawing"] = stepper.scene.stage.svg
stepper.show_first_wrong()
said["first wrong"] = [stepper.step, stepper.scene.narration]
print(json.dumps(said))
