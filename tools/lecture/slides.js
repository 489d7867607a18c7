// Keys that a stepper, a field or a button understands move no slide.  Those of a presenter's remote
// always do, and reveal.js hears none in a field: so it is left first.
const REMOTE = ["PageUp", "PageDown"];
addEventListener("keydown", ({ key, target }) => {
  if (REMOTE.includes(key) && target.matches("input")) target.blur();
}, true);
// A text that leaves half of its slide empty moves to the slide of the program or the widget that it is
// about, if both fit there.  An answer that no click shows stays on a slide of its own.
const SHOWN = "pre, .gl-live, svg:not(.formula), img, table";
const join = () => {
  const slides = [...document.querySelectorAll(".slides > section > section")];
  const deck = document.querySelector(".reveal");
  deck.classList.add("measured");
  for (const slide of slides.reverse()) {
    const next = slide.nextElementSibling, content = [...slide.childNodes];
    if (!next || slide.querySelector(`h1, ${SHOWN}`) || !next.querySelector(SHOWN)) continue;
    if (next.querySelector(`h1, h2, h3, ${SHOWN}`).matches("h1, h2, h3")) continue;
    if (next.querySelector(".celltag_answer:not(.fragment *):has(.output)")) continue;
    const bottom = (one) => one.lastElementChild.getBoundingClientRect().bottom - one.getBoundingClientRect().top;
    if (bottom(slide) > SLIDE_HEIGHT / 2) continue;
    const before = next.dataset.joined;
    next.prepend(...content);
    next.dataset.joined = [slide.id, before ?? ""].join(" ").trim();
    // Below a question is room for what is said to an answer.
    const reply = next.querySelector(".gl-quiz") ? 150 : next.querySelector(".gl-live:not(.gl-stepper)") ? 70 : 8;
    if (bottom(next) <= SLIDE_HEIGHT - reply) slide.remove();
    else {
      slide.append(...content);
      if (before) next.dataset.joined = before;
      else delete next.dataset.joined;
    }
  }
  deck.classList.remove("measured");
};
join();
Reveal.initialize({
  width: SLIDE_WIDTH, height: SLIDE_HEIGHT, margin: 0, maxScale: 4, center: false, transition: "none",
  hash: true, slideNumber: "c/t", navigationMode: "linear",
  keyboardCondition: ({ key, target }) => REMOTE.includes(key)
    || !target.closest(".gl-stepper, input, button:focus-visible"),
});
// Programs and what they print are as large as their slide has room for; below a question is room
// for what is said to an answer.  A line that is too long for the smallest print is broken in any.
const fit = () => {
  const slide = Reveal.getCurrentSlide(), wide = slide.clientWidth - 60;
  const room = SLIDE_HEIGHT - (slide.querySelector(".gl-live:not(.gl-stepper)") ? 150 : 0);
  const prints = [...slide.querySelectorAll("pre")];
  prints.forEach((one) => one.classList.add("fitting"));
  slide.style.removeProperty("--print");
  const some = prints.filter((one) => one.offsetWidth <= wide);
  prints.forEach((one) => one.classList.toggle("fitting", some.includes(one)));
  const holds = (size) => {
    slide.style.setProperty("--print", size + "px");
    return slide.scrollHeight <= SLIDE_HEIGHT && some.every((one) => one.offsetWidth <= wide)
      && [...slide.children].every((one) => one.offsetTop + one.offsetHeight <= room);
  };
  [28, 26, 24, 22, 20.5].some(holds) || slide.style.removeProperty("--print");
  prints.forEach((one) => one.classList.remove("fitting"));
};
// The numbers of a board's free cells and of its columns are as large as a program, so that the last row
// can name a cell; whose turn it is is nearly as large.  A number in a cell keeps its distance from the
// corner, and what is below the board moves down.
const PLATE = "#33475b", SMALLEST = 20;
const enlarge = () => {
  for (const board of Reveal.getCurrentSlide().querySelectorAll("svg:has(> desc):has(> text)")) {
    const frame = board.viewBox.baseVal, scale = board.getScreenCTM()?.a / Reveal.getScale();
    if (!scale || !board.querySelector("desc").textContent.startsWith("row 1")) continue;
    const columns = [...board.children].some((one) => one.getAttribute("fill")?.toLowerCase() === PLATE);
    const get = (one, name) => +one.getAttribute(name), wanted = SMALLEST / scale;
    const move = (one, name, by) => one.setAttribute(name, get(one, name) + by);
    const texts = [...board.querySelectorAll(":scope > text")], status = texts.at(-1);
    let below = 0;
    for (const text of texts) {
      const growth = wanted - get(text, "font-size");
      if (growth * scale < 0.1 || !(text === status && !board.closest(".gl-board") || /^\d+$/.test(text.textContent))) continue;
      if (text !== status) move(text, "x", columns ? 0 : 0.95 * growth);
      move(text, "y", text === status ? below + 0.7 * growth : (columns ? 1.05 : 1.15) * growth);
      if (columns || text === status) below = Math.max(below, 1.2 * growth + (text === status ? below : 0));
      text.setAttribute("font-size", wanted);
    }
    move(board.querySelector("rect"), "height", below);
    move(board, "height", below);
    board.setAttribute("viewBox", `0 0 ${frame.width} ${frame.height + below}`);
  }
};
// A board that has become higher may be drawn smaller, so that its numbers must grow again.
const show = () => { fit(); [1, 2, 3].forEach(enlarge); reachScrollers(); };
Reveal.on("ready", show);
Reveal.on("slidechanged", show);
// A search draws its board and its program again at each step.
const redrawn = () => { [1, 2, 3].forEach(enlarge); reachScrollers(); };
new MutationObserver(() => Reveal.isReady() && redrawn())
  .observe(document.querySelector(".slides"), { childList: true, subtree: true });
