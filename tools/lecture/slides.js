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
Reveal.on("ready", fit);
Reveal.on("slidechanged", fit);
