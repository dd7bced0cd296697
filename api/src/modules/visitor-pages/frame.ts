/** What the pages for visitors have in common: head, header and footer. */
import { legalDocuments } from '@cellhop/contract/legal-documents';
import { languageCodeSchema, type LanguageCode } from '@cellhop/contract/schemas';
import { dollarText } from '@cellhop/contract/number-texts';
import { toDollars } from '@cellhop/contract/units';
import { visitorPages, visitorPath, type VisitorPage } from '@cellhop/contract/visitor-pages';
import { fillTemplate } from '../../http/visitor-template.ts';
import { escapeHtml } from '../../mail/layout.ts';
import { visitorTexts } from './texts.ts';
import { type PageParts, type View } from './view.ts';

export interface Address {
  page: VisitorPage;
  countryCode?: string | undefined;
}

const languageCodes = languageCodeSchema.options;
const OPEN_GRAPH_LOCALES: Record<LanguageCode, string> = { en: 'en_US', ru: 'ru_RU' };

/** @param template visitor.html of the built web app */
export function renderFrame(template: string, view: View, address: Address, parts: PageParts): string {
  const html = { head: head(view, address, parts), body: body(view, address, parts.main) };
  return fillTemplate(template, view.languageCode, html);
}

function head({ shop, languageCode }: View, { page, countryCode }: Address, { title, description, status }: PageParts) {
  const url = (language: LanguageCode) => escapeHtml(shop.publicUrl + visitorPath(language, page, countryCode));
  const texts = `<title>${escapeHtml(title)}</title>
    <meta name="description" content="${escapeHtml(description)}" />`;
  if (status !== 200) return `${texts}\n    <meta name="robots" content="noindex" />`;
  const alternates = languageCodes.map((each) => `<link rel="alternate" hreflang="${each}" href="${url(each)}" />`);
  return `${texts}
    <link rel="canonical" href="${url(languageCode)}" />
    ${alternates.join('\n    ')}
    <link rel="alternate" hreflang="x-default" href="${url('en')}" />
    <meta property="og:type" content="website" />
    <meta property="og:url" content="${url(languageCode)}" />
    <meta property="og:title" content="${escapeHtml(title)}" />
    <meta property="og:description" content="${escapeHtml(description)}" />
    <meta property="og:image" content="${escapeHtml(`${shop.publicUrl}/social-image.png`)}" />
    <meta property="og:locale" content="${OPEN_GRAPH_LOCALES[languageCode]}" />
    <meta name="twitter:card" content="summary_large_image" />`;
}

function body(view: View, address: Address, main: string): string {
  return `<div class="page">
      ${header(view, address)}
      <main>
${main}
${closing(view)}
      </main>
      ${footer(view)}
    </div>`;
}

/** One row, on phones without the links to the pages, which the footer has too. */
function header(view: View, address: Address): string {
  const { shop, texts, languageCode } = view;
  return `<header class="header">
        <a class="logo" href="${visitorPath(languageCode, 'home')}">${shop.logo}</a>
        <nav class="pages" aria-label="${escapeHtml(texts.navigation)}">${pageLinks(view, address)}</nav>
        ${languages(view, address)}
        <a class="quiet visitor" href="/sign-in">${escapeHtml(texts.signIn)}</a>
        <a class="quiet member" href="/proxies">${escapeHtml(texts.openApp)}</a>
      </header>`;
}

function pageLinks({ languageCode, texts }: View, address?: Address): string {
  const links = visitorPages.map((page) => {
    const isHere = address?.page === page && address.countryCode === undefined;
    const current = isHere ? ' aria-current="page"' : '';
    return `<a href="${visitorPath(languageCode, page)}"${current}>${escapeHtml(texts.pages[page])}</a>`;
  });
  return links.join('');
}

function languages({ languageCode, texts }: View, { page, countryCode }: Address): string {
  const links = languageCodes.map((each) => {
    const current = each === languageCode ? ' aria-current="true"' : '';
    const { languageName } = visitorTexts[each];
    return `<a href="${visitorPath(each, page, countryCode)}" hreflang="${each}" lang="${each}" title="${languageName}"${current}><span aria-hidden="true">${each.toUpperCase()}</span><span class="hidden">${languageName}</span></a>`;
  });
  return `<nav class="languages" aria-label="${escapeHtml(texts.otherLanguages)}">${links.join('')}</nav>`;
}

/** Shown by the script, which alone can remember the choice. */
function themes({ texts }: View): string {
  const choices = (['LIGHT', 'DARK', 'AUTO'] as const).map((theme) => {
    const name = escapeHtml(texts.themes[theme]);
    return `<label class="segment" title="${name}"><input type="radio" name="theme" value="${theme}" aria-label="${name}">${icon(THEME_ICONS[theme])}</label>`;
  });
  return `<fieldset class="segments themes" hidden><legend class="hidden">${escapeHtml(texts.theme)}</legend>${choices.join('')}</fieldset>`;
}

function closing(view: View): string {
  return `<section class="closing">
  <h2>${escapeHtml(view.texts.closing)}</h2>
  ${actions(view)}
</section>`;
}

interface ActionLinks {
  /** The link to the app, for signed-in users. */
  back?: string;
  /** HTML: a further link. */
  more?: string;
}

/** The links to sign up and sign in. */
export function actions(view: View, { back = '/proxies', more = '' }: ActionLinks = {}): string {
  const { texts, offer } = view;
  const path = offer === undefined ? '/sign-up' : `/sign-up?rc=${encodeURIComponent(offer.code)}`;
  // "$1" instead of "$1.00".
  const credit = offer?.creditMicros
    ? dollarText(view.languageCode, toDollars(offer.creditMicros)).replace(/[.,]00$/, '')
    : undefined;
  const label = credit === undefined ? texts.signUp : texts.signUpWithCredit(credit);
  return `<div class="actions"><a class="button visitor" href="${escapeHtml(path)}">${escapeHtml(label)}</a><a class="button member" href="${escapeHtml(back)}">${escapeHtml(texts.openApp)}</a>${more}</div>`;
}

const mailto = (email: string | undefined, text: string) =>
  email === undefined ? '' : `<a href="mailto:${escapeHtml(email)}">${escapeHtml(text)}</a>`;

function footer(view: View): string {
  const { shop, texts } = view;
  const documents = legalDocuments.map((name) => `<a href="/legal/${name}">${escapeHtml(texts.legal[name])}</a>`);
  const contacts = mailto(shop.contactEmail, texts.contact) + mailto(shop.abuseEmail, texts.abuse);
  return `<footer class="footer"><nav aria-label="${escapeHtml(texts.links)}">${pageLinks(view)}${documents.join('')}${contacts}</nav>${themes(view)}</footer>`;
}

/** As in the app: of Tabler. */
const THEME_ICONS = {
  LIGHT:
    'M8 12a4 4 0 1 0 8 0a4 4 0 1 0 -8 0M3 12h1m8 -9v1m8 8h1m-9 8v1m-6.4 -15.4l.7 .7m12.1 -.7l-.7 .7m0 11.4l.7 .7m-12.1 -.7l-.7 .7',
  DARK: 'M12 3c.132 0 .263 0 .393 0a7.5 7.5 0 0 0 7.92 12.446a9 9 0 1 1 -8.313 -12.454l0 .008',
  AUTO: 'M3 12a9 9 0 1 0 18 0a9 9 0 1 0 -18 0M12 12l3 2M12 7v5',
} as const;

function icon(path: string): string {
  return `<svg viewBox="0 0 24 24" width="17" height="17" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${path}"/></svg>`;
}
