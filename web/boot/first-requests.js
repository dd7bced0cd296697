// Requests files and data of the first screen while the app's code is loading. The build inserts the list of files as
// `plan` (build/boot-plugin.ts); src/data/early-responses.ts passes the responses on.
(function () {
  var plan = PLAN;
  var MARGIN_MS = 10000;

  function readStorage(key) {
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
    else link.fetchPriority = 'low'; // The spinner's resources load first.
    link.crossOrigin = '';
    link.href = '/assets/' + file;
    document.head.append(link);
  }

  function request(url, authorization) {
    var headers = authorization === undefined ? {} : { authorization: authorization };
    var response = fetch(url, { headers: headers });
    response.catch(function () {}); // Its user handles the error.
    window.earlyResponses[url] = { authorization: authorization, response: response };
  }

  /** The same rule as in src/i18n. */
  function languageOf() {
    var known = Object.keys(plan.texts);
    var tags = [readStorage('language')].concat(navigator.languages);
    var found = tags.map((tag) => String(tag).toLowerCase().split('-')[0]).find((tag) => known.includes(tag));
    return found || known[0];
  }

  window.earlyResponses = {};
  request('/v1/settings');
  var tokens = readStorage('tokens');
  var screen = plan.screens[location.pathname];
  var isMember = tokens !== null;
  if (screen === undefined || (screen.isForMembers ?? isMember) !== isMember) return;
  var texts = plan.texts[languageOf()];
  screen.files.forEach((index) => preload(plan.files[index]));
  screen.texts.forEach((name) => preload(texts[name]));
  if (!screen.isForMembers || !(tokens.accessTokenExpiredAt - Date.now() > MARGIN_MS)) return;
  // With search parameters the screen sends other requests.
  var requests = location.search === '' ? screen.requests : [];
  ['/v1/profile'].concat(requests).forEach((url) => request(url, 'Bearer ' + tokens.accessToken));
})();
