// Starts the app once the spinner has been drawn: evaluating the app takes a phone long enough to hold the picture up.
// Its files are on their way meanwhile, and are evaluated one by one, so that the spinner turns and a tap is heard between.
(function () {
  // What the app imports, in this order, and last the app itself.
  var parts = PARTS;
  var LONGEST_WAIT_MS = 300; // A page in the background is not drawn.
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
    script.addEventListener('load', goOn);
    script.addEventListener('error', goOn); // Whoever imports it fails as well, and says so.
    document.head.append(script);

    function goOn() {
      if (index + 1 < parts.length) setTimeout(startNext, 0, index + 1);
    }
  }

  requestAnimationFrame(function () {
    setTimeout(start);
  });
  setTimeout(start, LONGEST_WAIT_MS);
})();
