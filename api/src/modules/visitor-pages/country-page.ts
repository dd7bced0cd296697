import { countText } from '@cellhop/contract/number-texts';
import { visitorPath } from '@cellhop/contract/visitor-pages';
import { escapeHtml } from '../../mail/layout.ts';
import { actions } from './frame.ts';
import {
  counted,
  countryName,
  figures,
  flag,
  MEGABYTES_PER_GIGABYTE,
  megabytePrice,
  megabytesPrice,
  missingStock,
  namesByCount,
  type PageParts,
  type View,
} from './view.ts';

/** Those with the most free proxies; the app has all of them. */
const NAMES_MAX = 60;

/** @param countryCode upper case */
export function countryPage(view: View, countryCode: string): PageParts {
  const { shop, texts, languageCode, stock } = view;
  const name = countryName(languageCode, countryCode);
  const country = stock?.countries.find((each) => each.countryCode === countryCode);
  const title = texts.country.title(name, shop.brandName);
  const intro = (rest: string) => `<section class="intro">
  <nav class="path" aria-label="${escapeHtml(texts.country.path)}"><a href="${visitorPath(languageCode, 'locations')}">${escapeHtml(texts.country.all)}</a></nav>
  <h1>${flag(shop, countryCode)}${escapeHtml(texts.country.heading(name))}</h1>
  ${rest}
</section>`;
  if (country === undefined) {
    const notice = missingStock(view) ?? `<p class="notice">${escapeHtml(texts.country.none(name))}</p>`;
    return { title, description: '', status: stock === undefined ? 503 : 404, main: intro(notice) };
  }
  const { priceMicros } = country;
  const price = priceMicros === undefined ? undefined : megabytePrice(view, priceMicros);
  const count = (value: number) => countText(languageCode, value);
  const description = texts.country.description(name, {
    operators: namesByCount(country.operators).slice(0, 3).join(', '),
    free: count(country.free),
    price,
  });
  const main = `${intro(`<p class="lead">${escapeHtml(texts.country.lead)}</p>
  ${figures([
    [texts.figures.free, count(country.free)],
    [texts.figures.operators, count(country.operators.size)],
    [texts.figures.cities, count(country.cities.size)],
    [texts.figures.megabyte, price],
    [
      texts.figures.gigabyte,
      priceMicros === undefined ? undefined : megabytesPrice(view, priceMicros, MEGABYTES_PER_GIGABYTE),
    ],
  ])}
  ${actions(view, { back: `/proxies?country=${countryCode}` })}`)}
<section class="section columns">
${names(view, texts.country.operators, country.operators)}
${names(view, texts.country.cities, country.cities)}
${names(view, texts.country.connectionTypes, country.connectionTypes)}
</section>
<div class="section">${counted(view)}</div>`;
  return { title, description, status: 200, main };
}

function names({ texts, languageCode }: View, title: string, counts: ReadonlyMap<string, number>): string {
  const listed = namesByCount(counts).slice(0, NAMES_MAX);
  const items = listed.map(
    (name) => `<li>${escapeHtml(name)} <span>${countText(languageCode, counts.get(name)!)}</span></li>`,
  );
  const rest = counts.size - listed.length;
  const more = rest > 0 ? `<p class="note">${escapeHtml(texts.country.more(countText(languageCode, rest)))}</p>` : '';
  return `<div><h2>${escapeHtml(title)}</h2><ul class="names">${items.join('')}</ul>${more}</div>`;
}
