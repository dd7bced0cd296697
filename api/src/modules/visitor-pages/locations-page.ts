import { countText } from '@cellhop/contract/number-texts';
import { visitorPath } from '@cellhop/contract/visitor-pages';
import { escapeHtml } from '../../mail/layout.ts';
import { countFree, countOperators } from '../proxies/proxies.service.ts';
import {
  counted,
  figures,
  flag,
  headlinePrice,
  megabytePrice,
  missingStock,
  namesByCount,
  sortedCountries,
  type PageParts,
  type View,
} from './view.ts';

/** Those with the most free proxies. */
const NAMED_OPERATORS = 5;

export function locationsPage(view: View): PageParts {
  const { shop, stock, texts, languageCode } = view;
  const count = (value: number) => countText(languageCode, value);
  const values =
    stock === undefined || stock.countries.length === 0
      ? undefined
      : {
          countries: count(stock.countries.length),
          operators: count(countOperators(stock)),
          free: count(countFree(stock)),
        };
  const missing = missingStock(view);
  return {
    title: texts.locations.title(shop.brandName),
    description: texts.locations.description(values),
    status: stock === undefined ? 503 : 200,
    main: `<section class="intro">
  <h1>${escapeHtml(texts.locations.heading)}</h1>
  <p class="lead">${escapeHtml(texts.locations.lead)}</p>
  ${figures([
    [texts.figures.countries, values?.countries],
    [texts.figures.operators, values?.operators],
    [texts.figures.free, values?.free],
    [texts.figures.megabyte, headlinePrice(view)],
  ])}
</section>
<section class="section" aria-labelledby="places"><h2 id="places" class="hidden">${escapeHtml(texts.figures.countries)}</h2>
${missing ?? `${places(view)}${counted(view)}`}
</section>`,
  };
}

function places(view: View): string {
  const { texts, languageCode, shop } = view;
  const items = sortedCountries(view).map(({ name, countryCode, free, operators, connectionTypes, priceMicros }) => {
    const href = escapeHtml(visitorPath(languageCode, 'locations', countryCode));
    const named = namesByCount(operators);
    const rest = named.length - NAMED_OPERATORS;
    const shown = named.slice(0, NAMED_OPERATORS).join(', ');
    const list = rest > 0 ? `${shown} ${texts.locations.more(countText(languageCode, rest))}` : shown;
    const price =
      priceMicros === undefined ? '' : `<span>${escapeHtml(texts.from(megabytePrice(view, priceMicros)))}</span>`;
    return `<li><h3><a href="${href}">${flag(shop, countryCode)}${escapeHtml(name)}</a></h3>
<p class="facts"><span>${escapeHtml(texts.locations.free(countText(languageCode, free)))}</span>${price}</p>
<p>${escapeHtml(list)}</p>
<p class="types">${escapeHtml(namesByCount(connectionTypes).join(' · '))}</p></li>`;
  });
  return `<ul class="places">${items.join('\n')}</ul>`;
}
