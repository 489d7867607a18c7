// Before the program of Python's worker: only it knows how many bytes it has loaded, and says so.
if (typeof document === "undefined") new PerformanceObserver(list => {
  const channel = new BroadcastChannel("python-loads");
  for (const { decodedBodySize } of list.getEntries()) channel.postMessage(decodedBodySize);
}).observe({ type: "resource", buffered: true });
