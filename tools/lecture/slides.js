// Keys that a stepper, a field or a button understands move no slide.  Those of a presenter's remote
// always do, and reveal.js hears none in a field: so it is left first.
const REMOTE = ["PageUp", "PageDown"];
addEventListener("keydown", ({ key, target }) => {
  if (REMOTE.includes(key) && target.matches("input")) target.blur();
}, true);
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
// The numbers of the free cells of a board, and of its columns below, are as large as a program, so that
// the last row can name a cell.  A number in a cell keeps its distance from the corner.
const MUTED = "#5c5c5c", PLATE = "#33475b", SMALLEST = 20;
const enlarge = () => {
  for (const board of Reveal.getCurrentSlide().querySelectorAll("svg:has(> desc):has(> text)")) {
    const scale = board.getBoundingClientRect().width / board.viewBox.baseVal.width / Reveal.getScale();
    if (!scale || !board.querySelector("desc").textContent.startsWith("row 1")) continue;
    const columns = [...board.children].some((one) => one.getAttribute("fill")?.toLowerCase() === PLATE);
    for (const number of board.querySelectorAll(":scope > text")) {
      const size = +number.getAttribute("font-size"), wanted = SMALLEST / scale;
      const muted = number.getAttribute("fill").toLowerCase() === MUTED;
      if (!muted || size > wanted - 0.1 || !/^\d+$/.test(number.textContent)) continue;
      const move = (name, by) => number.setAttribute(name, +number.getAttribute(name) + by * (wanted - size));
      move("x", columns ? 0 : 0.95);
      move("y", columns ? 1.05 : 1.15);
      number.setAttribute("font-size", wanted);
    }
  }
};
const show = () => { fit(); enlarge(); };
Reveal.on("ready", show);
Reveal.on("slidechanged", show);
// A search draws its board again at each step.
new MutationObserver(() => Reveal.isReady() && enlarge())
  .observe(document.querySelector(".slides"), { childList: true, subtree: true });
