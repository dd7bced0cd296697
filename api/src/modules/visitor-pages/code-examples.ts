/** How a proxy is used from a program, as in the app after a purchase. */
import { escapeHtml } from '../../mail/layout.ts';
import type { View } from './view.ts';

/** @param target a page that says from which address it was requested */
const examples: readonly (readonly [name: string, code: (target: string) => string])[] = [
  ['curl', (target) => `curl -x socks5h://USERNAME:PASSWORD@HOST:PORT \\\n  "${target}"`],
  [
    'Python',
    (target) => `import requests

proxy = "http://USERNAME:PASSWORD@HOST:PORT"
answer = requests.get("${target}", proxies={"http": proxy, "https": proxy})
print(answer.text)`,
  ],
  [
    'Playwright',
    (target) => `import { chromium } from 'playwright';

const browser = await chromium.launch({
  proxy: { server: 'http://HOST:PORT', username: 'USERNAME', password: 'PASSWORD' },
});
const page = await browser.newPage();
await page.goto('${target}');
console.log(await page.innerText('body'));
await browser.close();`,
  ],
];

export function codeExamples({ shop, texts: { home } }: View): string {
  const target = `${shop.publicUrl}/v1/echo?nonce=my-address`;
  const tabs = examples.map(
    ([name], index) =>
      `<label class="segment"><input type="radio" name="code" value="${name}"${index === 0 ? ' checked' : ''}>${name}</label>`,
  );
  const panels = examples.map(
    ([name, code]) => `<pre class="${name}" tabindex="0"><code>${escapeHtml(code(target))}</code></pre>`,
  );
  // The button is shown by the script, which alone can copy.
  return `<section class="section"><h2>${escapeHtml(home.code)}</h2><p class="note">${escapeHtml(home.codeText)}</p>
<div class="code"><div class="code-tools"><fieldset class="segments"><legend class="hidden">${escapeHtml(home.codeFor)}</legend>${tabs.join('')}</fieldset>
<button type="button" class="quiet copy" aria-live="polite" data-copied="${escapeHtml(home.copied)}" hidden>${escapeHtml(home.copy)}</button></div>
${panels.join('\n')}</div></section>`;
}
