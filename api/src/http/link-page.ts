/**
 * A page behind a link of a mail, for what only its button does: mail scanners and link previews open links, and some of them run
 * scripts. It is served by the API and needs no script itself.
 */
import type { LanguageCode } from '@cellhop/contract/schemas';
import { visitorPath } from '@cellhop/contract/visitor-pages';
import { escapeHtml } from '../mail/layout.ts';
import { type Brand, logoHtml } from './logo.ts';
import { fillTemplate, readVisitorTemplate } from './visitor-template.ts';
import { findWebRoot } from './web-pages.ts';

export interface LinkPage {
  title: string;
  text: string;
  /** A form with one button. */
  form?: { path: string; fields: Record<string, string>; button: string };
  link?: { href: string; text: string };
}

/** Without a built web app there are no styles. */
const PLAIN =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><!-- head --></head><body><!-- body --></body></html>';
let template: string | undefined;

/** Without its script: the page has the theme of new visitors. */
function readTemplate(): string {
  const root = findWebRoot();
  return root === undefined ? PLAIN : (readVisitorTemplate(root)?.replaceAll(/<script[^]*?<\/script>/g, '') ?? PLAIN);
}

/** All values are escaped: anybody may have written the link. */
export function linkPage(languageCode: LanguageCode, brand: Brand, { title, text, form, link }: LinkPage): string {
  template ??= readTemplate();
  return fillTemplate(template, languageCode, {
    head: `<title>${escapeHtml(`${title} – ${brand.brandName}`)}</title><meta name="robots" content="noindex" />`,
    body: `<div class="page"><header class="header"><a class="logo" href="${visitorPath(languageCode, 'home')}">${logoHtml(brand)}</a></header>
<main class="card"><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>
${form === undefined ? '' : formHtml(form)}${link === undefined ? '' : `<a href="${escapeHtml(link.href)}">${escapeHtml(link.text)}</a>`}</main></div>`,
  });
}

function formHtml({ path, fields, button }: NonNullable<LinkPage['form']>): string {
  const inputs = Object.entries(fields).map(
    ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
  );
  return `<form method="post" action="${escapeHtml(path)}">${inputs.join('')}
<button type="submit" class="button">${escapeHtml(button)}</button></form>`;
}

/** The language of such a page if the link names no user. @param header Accept-Language */
export function browserLanguage(header: string | undefined): LanguageCode {
  return header?.toLowerCase().startsWith('ru') ? 'ru' : 'en';
}
