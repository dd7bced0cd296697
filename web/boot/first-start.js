// Starts the app once the spinner has been drawn: evaluating the app takes a phone long enough to hold the picture up.
// Its files are on their way meanwhile.
(function () {
  var LONGEST_WAIT_MS = 300; // A page in the background is not drawn.
  var isStarted = false;

  function start() {
    if (isStarted) return;
    isStarted = true;
    var script = document.createElement('script');
    script.type = 'module';
    script.crossOrigin = '';
    script.src = ENTRY;
    document.head.append(script);
  }

  requestAnimationFrame(function () {
    setTimeout(start);
  });
  setTimeout(start, LONGEST_WAIT_MS);
})();
