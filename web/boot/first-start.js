// Starts the app after the spinner was painted, because evaluating the app blocks rendering on slow phones. Its files are
// preloaded meanwhile and evaluated one by one, each in its own task, so that the spinner turns and taps are handled.
(function () {
  // The app's imports in order of evaluation, then the app itself.
  var parts = PARTS;
  var MAX_WAIT_MS = 300; // Pages in the background are not painted.
  var isStarted = false;

  function start() {
    if (isStarted) return;
    isStarted = true;
    startNext(0);
  }

  function startNext(index) {
    var script = document.createElement('script');
    script.type = 'module';
    script.crossOrigin = '';
    script.src = parts[index];
    script.addEventListener('load', continueWithNext);
    script.addEventListener('error', continueWithNext); // The import of this file fails, too, and reports it.
    document.head.append(script);

    function continueWithNext() {
      if (index + 1 < parts.length) setTimeout(startNext, 0, index + 1);
    }
  }

  requestAnimationFrame(function () {
    setTimeout(start);
  });
  setTimeout(start, MAX_WAIT_MS);
})();
