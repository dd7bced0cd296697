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
  // Without a language in its address, the landing page is English: other readers continue at theirs. The same rule as in src/i18n.
  var homes = { en: '/', ru: '/ru/' };
  var tags = [read('language')].concat(navigator.languages).map((tag) => String(tag).toLowerCase().split('-')[0]);
  var home = homes[tags.find((tag) => tag in homes)];
  if (location.pathname === '/' && home && home !== '/') {
    root.hidden = true;
    location.replace(home + location.search + location.hash);
  }
  root.toggleAttribute('data-member', read('tokens') !== null);
  document.addEventListener('DOMContentLoaded', function () {
    var themes = document.querySelector('.themes');
    themes.hidden = false;
    themes.querySelector('[value=' + (read('theme') || 'DARK') + ']').checked = true;
    // Without HTTPS there is no clipboard.
    if (!navigator.clipboard) return;
    var copy = document.querySelector('.copy');
    if (copy) copy.hidden = false;
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
    var copy = event.target.closest('.copy');
    if (copy) void copyCode(copy);
  });
  // The example that is shown.
  async function copyCode(button) {
    var shown = [...document.querySelectorAll('.code pre')].find((each) => each.offsetParent !== null);
    await navigator.clipboard.writeText(shown.textContent);
    var text = button.textContent;
    if (text === button.dataset.copied) return;
    button.textContent = button.dataset.copied;
    setTimeout(() => (button.textContent = text), 2000);
  }
})();
