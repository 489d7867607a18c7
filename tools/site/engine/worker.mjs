// Searches in a thread of its own, so that the page never waits.  It gets {table, library} first,
// what a page has loaded for all its workers, and then {id, key, state, search, options}; it answers {id, known} now and then and {id, found} at the end; a newer id, or
// {stop: true}, ends the search that runs.

import { engine } from "./kernels.mjs";
import { rules } from "./games.mjs";
import { Searches } from "./searches.mjs";

const OFTEN = 60;  // ms between two looks at what is known
let wanted = 0, made = null, files = null;

/** Return the searches of a game; those of the game before are dropped, with their memory. */
async function searchesOf(key) {
  const { table, library } = files;
  if (made?.key !== key) {
    const game = rules(table.games[key]);
    made = { key, searches: new Searches(await engine(table, library, key), game, table.openings) };
  }
  return made.searches;
}

const channel = new MessageChannel(), waiting = [];
channel.port1.onmessage = () => waiting.shift()();
/** Let a message come in, such as a stop. */
const breath = () => new Promise(go => { waiting.push(go); channel.port2.postMessage(0); });

async function answer({ id, key, state, search, options }) {
  const going = (await searchesOf(key))[search](state, options);
  let told = performance.now();
  for (let step = going.next(); ; step = going.next()) {
    if (step.done) return postMessage({ id, found: step.value });
    if (performance.now() - told > OFTEN) {
      postMessage({ id, known: step.value });
      told = performance.now();
    }
    await breath();
    if (id !== wanted) return postMessage({ id, found: step.value, stopped: true });
  }
}

let last = Promise.resolve();
onmessage = ({ data }) => {
  if (data.table) return void (files = data);
  wanted = data.stop ? 0 : data.id;
  if (data.stop) return;
  last = last.then(() => answer(data)).catch(error => postMessage({ id: data.id, error: `${error}` }));
};
