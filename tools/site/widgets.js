// Trees to fill in, quizzes, guesses and games on a page without a kernel.  What is said to an
// answer comes with the page; see fragments.py.  `gl` is made by stepper_export.js.
"use strict";

{
  const make = html => {
    const template = document.createElement("template");
    template.innerHTML = html.trim();
    return template.content.firstChild;
  };

  /** Ask with a list of answers; `check` gets the numbers of those that are chosen. */
  function askWith(root, data, answers, several, label, check) {
    const kind = several ? "checkbox" : "radio", name = `gl-${Math.random()}`;
    const list = answers.map((answer, number) => make(
      `<label><input type="${kind}" name="${name}" value="${number}"> <span>${answer}</span></label>`));
    const note = make('<div class="gl-reply" role="status"></div>');
    const button = gl.button(label, () => {
      const chosen = [...root.querySelectorAll("input:checked")].map(input => input.value);
      note.innerHTML = chosen.length ? check(chosen) : gl.messageHtml("note", "Choose an answer first.");
    });
    root.append(make(`<p class="gl-question">${data.question}</p>`), ...list, button, note);
  }

  /** Keep what was answered, so that it is there when the page is opened again. */
  const kept = (kind, number) => {
    const name = `${location.pathname} ${kind} ${number}`;
    return {
      read: () => { try { return JSON.parse(localStorage.getItem(name)); } catch { return null; } },
      write: value => { try { localStorage.setItem(name, JSON.stringify(value)); } catch { /* full */ } },
    };
  };

  /** Hide an output until a question is answered, or a reader asks for it; return what shows it. */
  const folded = output => {
    if (!output || !document.body.classList.contains("lesson")) return () => {};
    const show = () => { output.hidden = false; button.remove(); };
    const button = gl.button("Show what was measured", show, "Guess first: it is more fun");
    button.className = "gl-show";
    output.hidden = true;
    output.before(button);
    return show;
  };

  gl.mountAll("quiz", (root, data, number) => {
    const memory = kept("quiz", number);
    const check = chosen => {
      const [right, said] = data.replies[chosen.join(",")];
      memory.write(chosen);
      return gl.messageHtml(right ? "right" : "wrong", said);
    };
    askWith(root, data, data.answers, data.several, "Check", check);
    for (const one of memory.read() ?? []) root.querySelectorAll("input")[one].checked = true;
    if (memory.read()) root.querySelector(".gl-reply").innerHTML = check(memory.read());
  });

  // A guess has the name of the output that compares it with what was measured.
  gl.mountAll("predict", (root, data, number) => {
    const places = document.querySelectorAll(`.gl-guess[data-of="${data.name}"]`);
    const place = [...places].find(one => root.compareDocumentPosition(one) & 4); // it follows
    const memory = kept("guess", number), show = folded(place?.closest(".output"));
    const take = guess => {
      if (place) place.textContent = `your guess: ${guess}`;
      show();
      memory.write(guess);
      return gl.messageHtml("note", `Your guess: ${gl.escaped(guess)}. It is measured below.`);
    };
    const again = () => {
      if (memory.read()) root.querySelector(".gl-reply").innerHTML = take(memory.read());
    };
    if (data.board) root.append(make(`<div class="gl-card">${data.board}</div>`));
    if (data.choices) {
      const shown = data.choices.map(gl.escaped);
      askWith(root, data, shown, false, "Keep my guess", ([one]) => take(data.choices[one]));
      return again();
    }
    const note = make('<div class="gl-reply" role="status"></div>');
    const field = make('<input size="18" aria-label="Your guess" placeholder="your guess, a number">');
    const keep = () => {
      const [guess] = gl.numbers(field.value);
      note.innerHTML = Number.isFinite(guess) ? take(guess.toLocaleString("en"))
        : gl.messageHtml("note", "Enter a number first.");
    };
    field.onkeydown = event => { if (event.key === "Enter") keep(); };
    root.append(make(`<p class="gl-question">${data.question}</p>`), field,
      gl.button("Keep my guess", keep), note);
    again();
  });

  // A board that the kernels play on; they are loaded when the reader comes near.  In a file of
  // slides, which may load nothing, it is a picture.
  gl.mountAll("play", (root, data, number) => {
    if (location.protocol === "file:") {
      root.innerHTML = data.picture;
      return;
    }
    new IntersectionObserver(async ([seen], observer) => {
      if (!seen.isIntersecting) return;
      observer.disconnect();
      try {
        const { Play, files } = await import("./play.mjs"), { games } = (await files).table;
        new Play(root, games, { ...data, memory: kept("game", number) });
      } catch (error) {
        root.innerHTML = gl.messageHtml("wrong", `The board could not be loaded (${gl.escaped(`${error}`)}).
          Is this page still connected? Then load it again.`);
      }
    }, { rootMargin: "400px" }).observe(root);
  });

  /** Show a tree with parts laid over it, a button to check, and a place for what is said. */
  function overTree(root, data, drawing, parts, check) {
    const size = `--wide: ${data.wide}; --high: ${data.high}`;
    const over = make(`<div class="gl-over" style="${size}">${drawing}</div>`);
    const note = make('<div class="gl-reply" role="status"></div>');
    const button = gl.button("Check", () => { note.innerHTML = check(); });
    over.append(...parts);
    const scroll = make('<div class="gl-scroll"></div>');
    scroll.append(over);
    root.append(make(`<p class="gl-question">${data.task}</p>`), scroll, button, note,
      make(`<p class="gl-small-print">${gl.escaped(data.legend)}</p>`));
    return over;
  }

  /** Of what is wrong say a hint first, and the answer after another try at it. */
  const patience = () => {
    const tried = new Map();
    return (what, given) => {
      if (!tried.has(what)) tried.set(what, new Set());
      return tried.get(what).add(given).size > 1;
    };
  };
  const markOnly = (parts, wrong) => parts.forEach(part =>
    part.classList.toggle("gl-wrong-one", part === wrong));

  gl.mountAll("values", (root, data, number) => {
    const told = patience(), memory = kept("values", number);
    const parts = data.fields.map(({ name, at }) => make(`<input class="gl-at gl-field"
      placeholder="?" aria-label="Value of ${gl.escaped(name)}"
      style="${at} width: ${100 * data.field}%;">`));
    const near = (given, value, tolerance) => given.length === value.length
      && given.every((number, at) => Math.abs(number - value[at]) <= tolerance);

    function check() {
      markOnly(parts, null);
      const given = parts.map(part => part.value.trim() ? gl.numbers(part.value, data.many) : null);
      const bad = given.findIndex(numbers => numbers && (!numbers.length || numbers.some(isNaN)));
      const named = at => data.fields[at].name.replace(/^./, letter => letter.toUpperCase());
      if (bad >= 0) {
        markOnly(parts, parts[bad]);
        const text = gl.escaped(`'${parts[bad].value}'`);
        return gl.messageHtml("note", `Not yet. ${named(bad)}: ${text} ${data.none}`);
      }
      for (const [at, field] of data.fields.entries()) {
        const numbers = given[at];
        if (!numbers || near(numbers, field.right.map(Number), 1e-4)) continue;
        markOnly(parts, parts[at]);
        const [, , hint, answer] = field.replies.find(([value, tolerance], number) =>
          number === field.replies.length - 1 || near(numbers, value.map(Number), tolerance));
        const said = told(at, String(numbers)) ? answer : hint;
        return gl.messageHtml("wrong", `Not yet. ${said.replace("{}", gl.inWords(numbers))}`);
      }
      const many = given.filter(Boolean).length, all = many === parts.length;
      const kind = all ? "right" : many ? "wrong" : "note";
      return gl.messageHtml(kind, `${all ? "Right" : "Not yet"}. ${data.sums[many]}`);
    }
    overTree(root, data, data.drawing, parts, check);
    parts.forEach((part, at) => {
      part.value = memory.read()?.[at] ?? "";
      part.oninput = () => {
        part.classList.remove("gl-wrong-one");
        memory.write(parts.map(one => one.value));
      };
      part.onkeydown = event => { if (event.key === "Enter") root.querySelector("button").click(); };
    });
  });

  gl.mountAll("cuts", (root, data, number) => {
    const told = patience(), memory = kept("cuts", number), cut = make(`<div>${data.drawing}</div>`);
    const parts = data.branches.map(branch => {
      const part = make(`<button type="button" class="gl-at gl-branch" aria-pressed="false"
        title="Cut the edge to ${gl.escaped(branch.name)}" style="${branch.over}"></button>`);
      const edge = within => [...within.querySelectorAll(".edge")].find(
        one => one.dataset.path === branch.key);
      part.onclick = () => {
        const pressed = part.getAttribute("aria-pressed") !== "true";
        part.setAttribute("aria-pressed", pressed);
        part.classList.remove("gl-wrong-one");
        edge(over).replaceWith(edge(pressed ? cut : whole).cloneNode(true));
        memory.write(parts.map((_, at) => at).filter(isMarked));
      };
      return part;
    });
    const isMarked = at => parts[at].getAttribute("aria-pressed") === "true";

    function check() {
      markOnly(parts, null);
      const marked = parts.map((_, at) => at).filter(isMarked);
      const cuts = data.branches.map((_, at) => at).filter(at => data.branches[at].cut);
      if (cuts.length && !marked.length) return gl.messageHtml("note", `Not yet. ${data.none}`);
      const judged = marked.filter(at => data.branches[at].replies);
      const wrong = judged.find(at => !data.branches[at].cut) ?? cuts.find(at => !isMarked(at));
      if (wrong === undefined) return gl.messageHtml("right", `Right. ${data.all}`);
      const again = told(wrong, String(marked)), [hint, answer] = data.branches[wrong].replies;
      if (again || isMarked(wrong)) markOnly(parts, parts[wrong]);
      return gl.messageHtml("wrong", `Not yet. ${again ? answer : hint}`);
    }
    const over = overTree(root, data, data.whole, parts, check);
    const whole = make(`<div>${data.whole}</div>`);
    for (const at of memory.read() ?? []) parts[at].click();
  });
}

// What is larger than its place can be scrolled by keyboard, too.
function reachScrollers() {
  const parts = "pre, table, .output_area, .drawing, .gl-scroll, .gl-program, .gl-scores";
  for (const part of document.querySelectorAll(`main :is(${parts})`)) {
    const isLarger = part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight + 1;
    if (isLarger) part.tabIndex = 0;
    else part.removeAttribute("tabindex");
  }
}
addEventListener("load", reachScrollers);
addEventListener("resize", reachScrollers);
