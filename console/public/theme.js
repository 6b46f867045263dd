// Runs before the first paint, so that neither the theme nor the language of the page flashes.
(function () {
  var root = document.documentElement;
  var stored = {};
  try {
    stored = { theme: localStorage.getItem('theme'), language: localStorage.getItem('appLanguage') };
  } catch {
    // storage can be forbidden; the system's theme is used then
  }
  var dark = stored.theme ? stored.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'dark' : 'light';
  if (stored.language) root.lang = stored.language.replace('_', '-');
})();
