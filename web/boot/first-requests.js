// Asks at once for what the first screen needs, while the code that will use it is on its way. Which files these are
// the build writes into `plan` (build/boot-plugin.ts); responses are picked up by src/lib/early-responses.ts.
(function () {
  var plan = PLAN;
  var MARGIN_MS = 10000;

  function stored(key) {
    try {
      return JSON.parse(localStorage.getItem(key));
    } catch {
      return null; // Storage is forbidden, or something else wrote under our key.
    }
  }

  function preload(file) {
    var link = document.createElement('link');
    var isStyle = file.endsWith('.css');
    link.rel = isStyle ? 'preload' : 'modulepreload';
    if (isStyle) link.as = 'style';
    else link.fetchPriority = 'low'; // What draws the spinner goes first.
    link.crossOrigin = '';
    link.href = '/assets/' + file;
    document.head.append(link);
  }

  function ask(url, authorization) {
    var headers = authorization === undefined ? {} : { authorization: authorization };
    var response = fetch(url, { headers: headers });
    response.catch(function () {}); // Whoever picks it up is told.
    window.earlyResponses[url] = { authorization: authorization, response: response };
  }

  /** The same choice as src/i18n makes. */
  function languageOf() {
    var known = Object.keys(plan.texts);
    var tags = [stored('language')].concat(navigator.languages);
    var found = tags.map((tag) => String(tag).toLowerCase().split('-')[0]).find((tag) => known.includes(tag));
    return found || known[0];
  }

  window.earlyResponses = {};
  ask('/v1/settings');
  var tokens = stored('tokens');
  var screen = plan.screens[location.pathname];
  var isMember = tokens !== null;
  if (screen === undefined || (screen.isForMembers ?? isMember) !== isMember) return;
  var texts = plan.texts[languageOf()];
  screen.files.forEach((index) => preload(plan.files[index]));
  screen.texts.forEach((name) => preload(texts[name]));
  if (!screen.isForMembers || !(tokens.accessTokenExpiredAt - Date.now() > MARGIN_MS)) return;
  // With search parameters the catalogue is asked for something else.
  var requests = location.search === '' ? screen.requests : [];
  ['/v1/profile'].concat(requests).forEach((url) => ask(url, 'Bearer ' + tokens.accessToken));
})();
