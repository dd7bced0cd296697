/**
 * A page behind a link of a mail, for what only its button does: mail scanners and link previews open links, and some of them run
 * scripts. It is served by the API and needs no script itself.
 */
import type { LanguageCode } from '@cellhop/contract/schemas';
import { colours, escapeHtml } from '../mail/layout.ts';

export interface LinkPage {
  title: string;
  text: string;
  /** A form with one button. */
  form?: { path: string; fields: Record<string, string>; button: string };
  link?: { href: string; text: string };
}

const STYLE = `:root{color-scheme:light dark}
body{margin:0;padding:48px 16px;background:${colours.page};color:${colours.text};font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif}
main{max-width:480px;margin:0 auto;padding:28px 24px;background:${colours.card};border:1px solid ${colours.border};border-radius:16px}
h1{margin:0 0 12px;font-size:24px;line-height:1.25}
p{margin:0 0 20px;overflow-wrap:anywhere}
a{color:inherit}
button{min-height:44px;padding:10px 22px;border:0;border-radius:10px;background:${colours.accent};color:#fff;font:inherit;font-weight:600;cursor:pointer}
@media (prefers-color-scheme:dark){body{background:#101714;color:#e8f0ec}main{background:#18211d;border-color:#33403a}}`;

/** All values are escaped: anybody may have written the link. */
export function linkPage(languageCode: LanguageCode, brandName: string, { title, text, form, link }: LinkPage): string {
  return `<!doctype html>
<html lang="${languageCode}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<link rel="manifest" href="/manifest.webmanifest"><link rel="apple-touch-icon" href="/icon-180.png"><link rel="icon" href="/favicon.svg" type="image/svg+xml">
<title>${escapeHtml(`${title} – ${brandName}`)}</title><style>${STYLE}</style></head>
<body><main><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>
${form === undefined ? '' : formHtml(form)}${link === undefined ? '' : `<a href="${escapeHtml(link.href)}">${escapeHtml(link.text)}</a>`}</main></body>
</html>
`;
}

function formHtml({ path, fields, button }: NonNullable<LinkPage['form']>): string {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  return `<form method="post" action="${escapeHtml(path)}">${inputs.join('')}
<button type="submit">${escapeHtml(button)}</button></form>`;
}

/** The language of such a page if the link names no user. @param header Accept-Language */
export function browserLanguage(header: string | undefined): LanguageCode {
  return header?.toLowerCase().startsWith('ru') ? 'ru' : 'en';
}
