// Gives the handle of each slider a name for screen readers, which ipywidgets leaves out: its label,
// or else its tooltip.
(() => {
  const LOADING_SECONDS = 30; // at most, until all parts of a widget have appeared
  const script = document.currentScript;
  const nameSliders = place => {
    for (const handle of place.querySelectorAll('.gl-panel .noUi-handle')) {
      const label = handle.closest('.jupyter-widgets').querySelector('label');
      if (label.textContent) {
        label.id ||= `gl-label-${Math.random()}`;
        handle.setAttribute('aria-labelledby', label.id); // its text may change
      } else handle.setAttribute('aria-label', label.title);
    }
  };
  // The area of outputs does not exist yet while JupyterLab builds this output.
  requestAnimationFrame(() => {
    const place = script?.closest('.jp-OutputArea');
    if (!place) return;
    const watcher = new MutationObserver(() => nameSliders(place));
    watcher.observe(place, { childList: true, subtree: true });
    setTimeout(() => watcher.disconnect(), 1000 * LOADING_SECONDS);
    nameSliders(place);
  });
})();
