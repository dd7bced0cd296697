// The whole script of the pages that the API renders; they are complete without it.
(function () {
  var root = document.documentElement;
  function read(key) {
    try {
      return JSON.parse(localStorage.getItem(key));
    } catch {
      return null;
    }
  }
  function store(key, value) {
    try {
      localStorage.setItem(key, JSON.stringify(value));
    } catch {
      // Storage is full or forbidden; the choice applies to this page.
    }
  }
  // The same rule as in src/ui/color-scheme.ts.
  function paint(mode) {
    var hour = new Date().getHours();
    var isLight = mode === 'LIGHT' || (mode === 'AUTO' && hour >= 6 && hour < 18);
    root.setAttribute('data-mantine-color-scheme', isLight ? 'light' : 'dark');
  }
  // Before the first paint.
  paint(read('theme'));
  root.toggleAttribute('data-member', read('tokens') !== null);
  document.addEventListener('DOMContentLoaded', function () {
    var themes = document.querySelector('.segments');
    themes.hidden = false;
    themes.querySelector('[value=' + (read('theme') || 'DARK') + ']').checked = true;
  });
  document.addEventListener('change', function (event) {
    if (event.target.name !== 'theme') return;
    store('theme', event.target.value);
    paint(event.target.value);
  });
  // The app continues in the language that was chosen here.
  document.addEventListener('click', function (event) {
    var link = event.target.closest('a[hreflang]');
    if (link) store('language', link.hreflang);
  });
})();
