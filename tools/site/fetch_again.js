// Ask for a file again after a pause, and name the file if it cannot be had.  The page of a
// notebook and several programs of its kernel begin with this one.  `tell` gets "again" or "file", and a name.
globalThis.fetchAgain ??= (fetchOnce, tell, failed) => async (what, ...options) => {
  const url = new URL(what?.url ?? what, location.href), file = url.pathname.split("/").pop();
  const method = options[0]?.method ?? what?.method ?? "GET";
  if (method !== "GET" || url.origin !== location.origin) return fetchOnce(what, ...options);
  for (const seconds of [1, 3, 9, null]) {
    let response = null, error = null;
    try { response = await fetchOnce(what, ...options); } catch (caught) { error = caught; }
    if (response && !failed(response)) return response;
    if (seconds === null || error?.name === "AbortError") {
      tell("file", file);
      if (error) throw error;
      return response;
    }
    tell("again", file);
    await new Promise(done => { setTimeout(done, 1000 * seconds); });
  }
};
