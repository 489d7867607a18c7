// Answers every question of a file by the searches of a page: node think.mjs FOLDER QUESTIONS
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, questions] = process.argv.slice(2);
const load = name => import(pathToFileURL(`${folder}/${name}`));
const [{ engine }, { rules }, { Searches }] =
  await Promise.all(["kernels.mjs", "games.mjs", "searches.mjs"].map(load));
const table = JSON.parse(fs.readFileSync(`${folder}/engine.json`, "utf8"));
const library = fs.readFileSync(`${folder}/kernels.wasm`);
const made = {};
for (const [key, shape] of Object.entries(table.games)) {
  const game = rules(shape);
  made[key] = { game, searches: new Searches(await engine(table, library, key), game, table.openings) };
}
const answers = [];
for (const { key, actions, search, options } of JSON.parse(fs.readFileSync(questions, "utf8"))) {
  const { game, searches } = made[key];
  const state = actions.reduce((now, action) => game.play(now, action), game.start);
  if ("seed" in options) options.seed = BigInt(options.seed);
  const going = searches[search](state, options);
  let step = going.next();
  while (!step.done) step = going.next();
  const { visits, action, values, nodes, leaves, evaluations, cutoffs } = step.value;
  answers.push(search === "mcts" ? [visits, action] : search === "solve" ? step.value
    : [action, values[action], nodes, leaves, evaluations, cutoffs]);
}
console.log(JSON.stringify(answers));
