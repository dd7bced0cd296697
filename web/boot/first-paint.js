// Render-blocking, so that the page is never painted in the wrong theme. The same rule as in src/ui/color-scheme.ts.
(function () {
  var mode = 'DARK';
  try {
    mode = JSON.parse(localStorage.getItem('theme')) || mode;
  } catch {
    // Storage may be forbidden; uses the default.
  }
  var hour = new Date().getHours();
  var isLight = mode === 'LIGHT' || (mode === 'AUTO' && hour >= 6 && hour < 18);
  document.documentElement.setAttribute('data-mantine-color-scheme', isLight ? 'light' : 'dark');
})();
