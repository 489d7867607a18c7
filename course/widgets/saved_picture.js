// Shows the picture of a widget only if the widget itself cannot be shown: a reopened notebook has
// no kernel that knows the widget, and some servers lack the extension that shows widgets at all.
(() => {
  const LOADING_SECONDS = 10;
  const script = document.currentScript;
  const picture = script && script.parentElement.querySelector('.gl-saved');
  const output = script && script.closest('.jp-OutputArea-child');
  if (!picture) return;
  if (!output) { picture.hidden = true; return; } // in another front end, which shows widgets
  let watcher = null;

  const show = (shown, advice) => {
    output.style.display = shown ? '' : 'none';
    picture.querySelector('.gl-run').hidden = advice !== 'run';
    picture.querySelector('.gl-install').hidden = advice !== 'install';
    const widget = output.nextElementSibling;
    if (widget) widget.style.display = shown ? 'none' : '';
  };
  const look = late => {
    const widget = output.nextElementSibling;
    const text = widget?.querySelector('.jp-OutputArea-output')?.textContent.trim() ?? '';
    if (!widget) show(false);
    else if (widget.querySelector('.gl-panel')) { show(false); watcher.disconnect(); }
    else if (text.startsWith('Error displaying widget')) show(true, 'run');
    else if (widget.querySelector('.jp-RenderedText')) show(true, 'install');
    else if (late === true) show(true, 'run');
    else show(false);
  };
  watcher = new MutationObserver(look);
  // The area of outputs does not exist yet while JupyterLab builds this output.
  const begin = () => {
    if (!output.parentElement) return;
    watcher.observe(output.parentElement, { childList: true, subtree: true, characterData: true });
    look();
    setTimeout(() => {
      const widget = output.nextElementSibling;
      if (widget && !widget.querySelector('.gl-panel')) look(true);
    }, 1000 * LOADING_SECONDS);
  };
  show(false);
  if (output.parentElement) begin(); else requestAnimationFrame(begin);
})();
