import { listCoins } from '@cellhop/contract/coins';
import { countText, decimalMark } from '@cellhop/contract/number-texts';
import { visitorPath } from '@cellhop/contract/visitor-pages';
import { escapeHtml } from '../../mail/layout.ts';
import { countFree } from '../proxies/proxies.service.ts';
import { codeExamples } from './code-examples.ts';
import { actions } from './frame.ts';
import { hopPicture } from './hop-picture.ts';
import { headlinePrice, type PageParts, type View } from './view.ts';

const DOLLAR_MICROS = 1_000_000n;
const MEGABYTES_PER_PAGE = 2.5;
/** Of fewer checks, the share that passed says nothing. */
const CHECKS_MIN = 100;

/** The landing page. Also while stock or figures cannot be read: it shows what is known. */
export function homePage(view: View): PageParts {
  const { home } = view.texts;
  const pricing = `<a class="quiet" href="${visitorPath(view.languageCode, 'pricing')}">${escapeHtml(home.seePricing)}</a>`;
  return {
    title: home.title(view.shop.brandName),
    description: home.description,
    status: 200,
    main: `<section class="hero">
  <div><h1>${escapeHtml(home.heading)}</h1>
  <p class="lead">${escapeHtml(home.lead)}</p>
  ${actions(view, { more: pricing })}</div>
  ${hopPicture(home.hops)}
  ${facts(view)}
</section>
${steps(view)}
${proofs(view)}
${codeExamples(view)}
${section(home.uses, `<ul class="cards uses">${home.useCases.map((each) => card(each)).join('')}</ul>`)}
${benefits(view)}
${questions(view)}
${seller(view)}`,
  };
}

function section(title: string, content: string): string {
  return `<section class="section"><h2>${escapeHtml(title)}</h2>${content}</section>`;
}

function card({ title, text }: { title: string; text: string }): string {
  return `<li><h3>${escapeHtml(title)}</h3><p>${escapeHtml(text)}</p></li>`;
}

/** What it costs by the price list, and what is for sale. */
function facts(view: View): string {
  const { home } = view.texts;
  const { languageCode, stock, proof } = view;
  const count = (value: number) => countText(languageCode, value);
  const plural = (value: number, forms: Record<string, string>) =>
    forms[new Intl.PluralRules(languageCode).select(value)] ?? forms['other']!;
  const price = headlinePrice(view);
  const megabytes = proof?.priceMicros === undefined ? 0 : Number(DOLLAR_MICROS / proof.priceMicros);
  const shown: [value: string, label: string][] = [];
  if (price !== undefined) shown.push([home.price(price), home.perMegabyte]);
  if (megabytes > 0) shown.push([home.megabytes(count(megabytes)), home.forOneDollar(count(pagesOf(megabytes)))]);
  const free = stock === undefined ? 0 : countFree(stock);
  if (stock !== undefined && free > 0)
    shown.push(
      [count(stock.countries.length), plural(stock.countries.length, home.countries)],
      [count(free), plural(free, home.free)],
    );
  const items = shown.map(([value, label]) => `<div><dt>${escapeHtml(label)}</dt><dd>${escapeHtml(value)}</dd></div>`);
  return `<div class="prices-and-stock">${items.length === 0 ? '' : `<dl>${items.join('')}</dl>`}<p>${escapeHtml(home.rule)}</p></div>`;
}

/** "Some 110": tens from a hundred on. */
function pagesOf(megabytes: number): number {
  const pages = Math.max(1, Math.floor(megabytes / MEGABYTES_PER_PAGE));
  return pages < 100 ? pages : Math.floor(pages / 10) * 10;
}

function steps({ texts: { home }, languageCode }: View): string {
  const items = (['find', 'buy', 'use'] as const).map((name) => {
    const { title, text, picture } = home.step[name];
    const image = (theme: 'dark' | 'light') =>
      `<img class="${theme}" src="/pictures/${name}-${languageCode}-${theme}.webp" alt="${escapeHtml(picture)}" width="390" height="620" loading="lazy" decoding="async">`;
    return `<li>${image('dark')}${image('light')}<h3>${escapeHtml(title)}</h3><p>${escapeHtml(text)}</p></li>`;
  });
  return section(home.steps, `<ol class="steps">${items.join('')}</ol>`);
}

/** A shop shows what it has: a figure that is zero, or not known, is left out. */
function proofs({ texts: { home }, languageCode, proof }: View): string {
  const count = (value: number) => countText(languageCode, value);
  const { checks = 0, passed = 0, latencyMs, refunds = 0, receipts = 0 } = proof ?? {};
  const cards = [
    checks >= CHECKS_MIN &&
      proofCard(percentText(languageCode, passed / checks), home.proofs.checks, ` ${count(checks)}.`),
    checks > 0 && checks < CHECKS_MIN && proofCard(count(checks), home.proofs.firstChecks),
    latencyMs !== undefined && proofCard(home.milliseconds(count(latencyMs)), home.proofs.latency),
    refunds > 0 && proofCard(count(refunds), home.proofs.refunds, '', '/legal/refunds'),
    receipts > 0 && proofCard(count(receipts), home.proofs.receipts, '', '/check-receipt'),
  ].filter((each) => each !== false);
  return cards.length === 0 ? '' : section(home.proof, `<dl class="proofs">${cards.join('')}</dl>`);
}

function proofCard(
  value: string,
  { name, text, link }: { name: string; text: string; link?: string },
  end = '',
  href = '',
): string {
  const more = link === undefined ? '' : ` <a href="${href}">${escapeHtml(link)}</a>`;
  return `<div><dt>${escapeHtml(name)}</dt><dd class="value">${escapeHtml(value)}</dd><dd>${escapeHtml(text + end)}${more}</dd></div>`;
}

/** One decimal, rounded down: 100% is what never failed. */
function percentText(languageCode: View['languageCode'], share: number): string {
  const tenths = Math.floor(share * 1000 + 1e-9);
  const decimals = tenths % 10 === 0 ? '' : `${decimalMark(languageCode)}${tenths % 10}`;
  return `${Math.floor(tenths / 10)}${decimals}%`;
}

function benefits({ shop, texts: { home }, languageCode }: View): string {
  const coins = shop.currencies.length === 0 ? '' : ` ${home.currencies(listCoins(shop.currencies, languageCode))}`;
  const items = home.benefit.map((each) => card(each));
  return section(
    home.benefits,
    `<ul class="cards">${items.join('')}<li><p>${escapeHtml(home.summary(shop.brandName) + coins)}</p></li></ul>`,
  );
}

function questions({ texts: { home } }: View): string {
  const items = home.answers.map(({ question, answer, link }) => {
    const more = link === undefined ? '' : ` <a href="${link.href}">${escapeHtml(link.text)}</a>`;
    return `<details><summary>${escapeHtml(question)}</summary><p>${escapeHtml(answer)}${more}</p></details>`;
  });
  return section(home.questions, `<div class="questions">${items.join('')}</div>`);
}

/** Nothing if the operator has not said it. */
function seller({ shop, texts: { home } }: View): string {
  if (shop.seller === undefined) return '';
  const { name, address, register, vatId } = shop.seller;
  const lines = [name, ...address.split('\n'), register, vatId].filter((line) => line !== '').map(escapeHtml);
  const email = shop.contactEmail === undefined ? '' : escapeHtml(shop.contactEmail);
  const contact = email === '' ? '' : `<br><a href="mailto:${email}">${email}</a>`;
  return section(home.seller, `<address>${lines.join('<br>')}${contact}</address>`);
}
