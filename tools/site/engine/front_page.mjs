// The first page: a board to play on at once, and behind a click the playground and the labs.

import { Play, files } from "./play.mjs";

const root = document.getElementById("play"), labs = document.getElementById("labs");
try {
  const { games } = (await files).table;
  root.replaceChildren();
  const memory = {
    read: () => { try { return JSON.parse(localStorage.getItem("first page")); } catch { return null; } },
    write: game => { try { localStorage.setItem("first page", JSON.stringify(game)); } catch { /* full */ } },
  };
  const play = new Play(root, games, { memory });
  labs.ontoggle = async () => {
    const place = labs.querySelector("div");
    if (!labs.open || place.childElementCount) return;
    const { DepthLab, Playground, StabilityLab } = await import("./labs.mjs");
    for (const Lab of [Playground, DepthLab, StabilityLab]) new Lab(place, play);
  };
} catch (error) {
  const refused = /Content Security Policy/i.test(error.message);
  root.textContent = `The board could not be loaded. You can read the lessons below without it.
    (For the publisher of this site: ${refused ? "the header Content-Security-Policy must allow script-src 'unsafe-eval'" : error}.)`;
}
