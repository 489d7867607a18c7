// Steps through a recorded search, with no Python behind it.  What is seen is a function of a
// frame's number; a frame is kept as what differs from an earlier one (see stepper_export.py).
"use strict";

const gl = {
  /** Return a function that gives the parts of a frame, as HTML, by its number. */
  frames({ pieces, frames }) {
    const known = [];
    return number => {
      while (known.length <= number) {
        const [before, ...changes] = frames[known.length];
        known.push(changes.map((splices, part) => {
          const shown = before < 0 ? [] : [...known[before][part]];
          for (const [at, gone, ...added] of splices) shown.splice(at, gone, ...added);
          return shown;
        }));
      }
      return known[number].map(part => part.map(piece => pieces[piece]).join(""));
    };
  },

  /** Make of each piece of data of one kind what `mount(root, data, number)` makes of it. */
  mountAll(kind, mount) {
    document.querySelectorAll(`.gl-${kind}.gl-live`).forEach((root, number) =>
      mount(root, JSON.parse(root.querySelector("script").textContent), number));
  },

  /** Return a button; `act` is called when it is pressed. */
  button(name, act, title = name) {
    const button = Object.assign(document.createElement("button"), { type: "button", title });
    button.textContent = name;
    button.onclick = act;
    return button;
  },

  messageHtml: (kind, html) => `<div class="gl-${kind}">${html}</div>`,
  escaped: text => Object.assign(document.createElement("i"), { textContent: text }).innerHTML,

  /** Return what was typed as a list: one number, or with `many` one for each player. */
  numbers(text, many = false) {
    const plain = text.replace(/[\u2010-\u2014\uff0d\u2212]/g, "-").replace(/[\s_]/g, "");
    // "0,5" is a half in many languages: a comma groups digits only where three follow.
    const comma = /^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/.test(plain) ? "" : ".";
    const parts = many ? plain.replace(/^\(+|\)+$/g, "").split(",") : [plain.replaceAll(",", comma)];
    return parts.filter(part => part).map(part => part.replace(/^([+-]?)(inf|∞)$/i, "$1Infinity")
      .split("/").map(Number).reduce((above, below) => above / below));
  },

  inWords: numbers => numbers.length > 1 ? `(${numbers.map(n => gl.inWords([n])).join(", ")})`
    : Number.isInteger(numbers[0]) ? String(numbers[0])
      : String(+numbers[0].toPrecision(4)).replace("Infinity", "∞"),

  same: (given, right) => given.length === right.length && given.every((number, at) =>
    number === right[at] || Math.abs(number - right[at]) <= 1e-4
    || gl.inWords([number]) === gl.inWords([right[at]])),
};

gl.mountAll("stepper", (root, data, count) => {
  const name = count ? `step${count + 1}` : "step"; // in the address
  const frame = gl.frames(data), answered = new Map(), again = new Set(), shown = [];
  const last = data.last;
  let step = data.step, asks; // the question whose fields are there

  root.insertAdjacentHTML("beforeend", `
    <div class="gl-bar"><span class="gl-buttons"></span> <span class="gl-count"></span>
      <input type="range" min="0" max="${last}" aria-label="Step">
      <label><input type="checkbox"> Ask me</label>
      <label class="gl-fold" title="Show or hide the program"><input type="checkbox">Program</label>
      <div class="gl-more" hidden>
        <label>Step <input type="number" min="0" max="${last}"></label></div></div>
    <div class="gl-scene"><div class="gl-words"></div><div class="gl-asked"></div>
      <div class="gl-tree" tabindex="0" role="group" aria-label="Tree"></div></div>`);
  root.tabIndex = -1;
  root.classList.toggle("gl-leaves", data.leaves);
  const part = query => root.querySelector(query);
  const [field, slider, ask] = ["number", "range", "checkbox"].map(t => part(`[type=${t}]`));
  const words = part(".gl-words"), asked = part(".gl-asked"), tree = part(".gl-tree");
  const more = part(".gl-more"), places = [words, tree];

  const question = () => ask.checked ? data.questions[step] : undefined;
  const waits = () => question() && (!answered.has(step) || again.has(step));
  const score = () => `${[...answered.values()].filter(Boolean).length} of ${answered.size} right`;
  const skipTo = () => Math.min(...data.ends.filter(end => end > step), last,
    ...Object.keys(data.questions).filter(at => ask.checked && at > step && !answered.has(+at)));
  const asking = Object.keys(data.questions).length;
  let playing = 0;
  const play = gl.button("Play", () => {
    play.textContent = playing ? "Play" : "Pause";
    if (!playing && step === last) goTo(0);
    playing = playing ? clearInterval(playing) : setInterval(() => moves.next.click(), 1000);
  });
  const moves = {
    back: gl.button("Back", () => goTo(step - 1), "Go one step back: Left"),
    next: gl.button("Next", () => goTo(waits() ? step : step + 1), "Go one step on: Right"),
    first: gl.button("First", () => goTo(0), "Go to the beginning: Home"),
    last: gl.button("Last", () => goTo(waits() ? step : last), "Go to the end: End"),
    skip: gl.button("Skip", () => goTo(waits() ? step : skipTo()), "Go to the end of this simulation"),
  };
  moves.skip.hidden = !data.ends.length;
  moves.next.classList.add("gl-first-choice");
  part(".gl-buttons").append(moves.back, moves.next, play);
  more.prepend(moves.first, moves.last, moves.skip);
  more.before(gl.button("More", () => { more.hidden = !more.hidden; }, "Other ways to go"));

  /** Bring what is marked in a pane into its middle, and nothing else on the page. */
  function centre(pane, mark) {
    if (!mark) return;
    const [outer, inner] = [pane.getBoundingClientRect(), mark.getBoundingClientRect()];
    const scale = outer.width / pane.offsetWidth || 1; // of a slide that fills a larger screen
    pane.scrollTop += (inner.top - outer.top - (outer.height - inner.height) / 2) / scale;
    pane.scrollLeft += (inner.left - outer.left - (outer.width - inner.width) / 2) / scale;
  }

  function show() {
    const here = question();
    const focused = root.contains(document.activeElement) ? document.activeElement : null;
    root.classList.toggle("gl-asks", ask.checked);
    const parts = frame(here ? (waits() ? here.waits : here.told) : step);
    parts.forEach((html, at) => {
      if (shown[at] !== html) places[at].innerHTML = shown[at] = html;
    });
    tree.style.cssText = tree.firstChild.style.cssText; // its size
    root.classList.toggle("gl-wide", data.leaves && tree.style.getPropertyValue("--wide") > 680);
    centre(tree, tree.querySelector(".gl-here:not([style*=none])") ?? tree.querySelector(".node"));
    centre(part(".gl-program"), part(".gl-runs"));
    field.value = slider.value = step;
    part(".gl-count").textContent = `Step ${step} of ${last}`;
    moves.back.disabled = moves.first.disabled = step === 0;
    for (const one of [moves.next, moves.last, moves.skip]) one.disabled = step === last || Boolean(waits());
    if (playing && moves.next.disabled) play.click();
    if (here !== asks) {
      asked.innerHTML = here ? `<b>${here.prompt}</b>` : "";
      if (here) asked.append(...fields(here));
      asks = here;
    }
    if (ask.checked && step === last && asking) {
      part(".gl-sentence").append(` ${score().replace(" right", "")} questions right.`);
    }
    // Keys reach a stepper that has the focus: it must not go with a button that does.
    if (focused && (focused.disabled || !root.contains(focused))) root.focus({ preventScroll: true });
  }

  function goTo(to) {
    step = Math.max(0, Math.min(last, Math.trunc(to) || 0));
    shown[0] = undefined; // a reply stands where the sentence was
    show();
    if (root.closest(".slides")) return; // there the address names the slide
    // A frame of a learning platform may have no address of its own.
    try { history.replaceState(null, "", `#${name}=${step}`); } catch { /* then it is not kept */ }
  }

  /** Return what a question is answered with: a button for each choice, or a field. */
  function fields(here) {
    if (here.choices) {
      return here.choices.map(([choice, ...replies]) => gl.button(choice, () => reply(replies)));
    }
    const given = Object.assign(document.createElement("input"), { size: 10 });
    given.setAttribute("aria-label", "Your answer");
    const check = () => {
      const numbers = gl.numbers(given.value, here.values[0][0].length > 1);
      if (!numbers.length || numbers.some(Number.isNaN)) {
        return say("note", "Enter a number, or one for each player.");
      }
      const known = here.values.find(([value]) => gl.same(numbers, value.flatMap(part => gl.numbers(part))));
      const [right, ...texts] = known ? known.slice(1) : here.other;
      reply([right, ...texts.map(text => text.replace("{}", gl.inWords(numbers)))]);
    };
    given.onkeydown = event => { if (event.key === "Enter") check(); };
    return [given, gl.button("Check", check)];
  }

  function reply([right, first, second]) {
    const begins = !answered.has(step);
    if (begins) answered.set(step, right);
    again.delete(step);
    if (begins && !right) again.add(step);
    show();
    const text = right || begins ? first : second, more = begins && !right ? " Try once more." : "";
    say(right ? "right" : "wrong", `${right ? "Right" : "Not so"}. ${text}${more} (${score()})`);
  }

  function say(kind, html) {
    part(".gl-said").innerHTML = gl.messageHtml(kind, html);
    shown[0] = undefined;
  }

  const KEYS = { Home: "first", ArrowLeft: "back", ArrowRight: "next", End: "last" };
  const alone = document.body.classList.contains("gl-alone");
  (alone ? document : root).addEventListener("keydown", event => {
    const plain = !(event.altKey || event.ctrlKey || event.metaKey || event.shiftKey);
    if (!plain || !(event.key in KEYS) || event.target.matches?.("input:not([type=checkbox])")) return;
    event.preventDefault();
    moves[KEYS[event.key]].click();
  });
  field.onchange = () => goTo(+field.value);
  slider.oninput = () => goTo(+slider.value);
  ask.onchange = () => goTo(step);
  tree.onclick = event => { // what a node is, where the search has been there
    const node = event.target.closest(".node");
    if (node) say("note", gl.escaped(node.querySelector("title").textContent));
  };
  const named = () => {
    const found = location.hash.match(`[#&]${name}=(\\d+)$`);
    if (found) goTo(+found[1]);
    return found;
  };
  addEventListener("hashchange", named);
  ask.checked = data.asks;
  if (!named()) show();
  else if (!alone) root.scrollIntoView();
});
