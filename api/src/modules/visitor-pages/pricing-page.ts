import { listCoins } from '@cellhop/contract/coins';
import { INVOICE_DOLLARS_MIN, PREPAID_MEGABYTES } from '@cellhop/contract/limits';
import { countText, durationText, groupThousands } from '@cellhop/contract/number-texts';
import { visitorPath } from '@cellhop/contract/visitor-pages';
import { escapeHtml } from '../../mail/layout.ts';
import { actions } from './frame.ts';
import {
  counted,
  figures,
  flag,
  headlinePrice,
  MEGABYTES_PER_GIGABYTE,
  megabytePrice,
  megabytesPrice,
  missingStock,
  sortedCountries,
  type PageParts,
  type View,
} from './view.ts';

export function pricingPage(view: View): PageParts {
  const { shop, stock, texts } = view;
  const lowest = view.proof?.priceMicros;
  const price = headlinePrice(view);
  const countries = stock?.countries.length ?? 0;
  return {
    title: texts.pricing.title(shop.brandName),
    description: texts.pricing.description(price),
    status: stock === undefined ? 503 : 200,
    main: `<section class="intro">
  <h1>${escapeHtml(texts.pricing.heading)}</h1>
  <p class="lead">${escapeHtml(texts.pricing.lead)}</p>
  ${figures([
    [texts.figures.megabyte, price],
    [texts.figures.gigabyte, lowest === undefined ? undefined : megabytesPrice(view, lowest, MEGABYTES_PER_GIGABYTE)],
    [texts.figures.countries, countries === 0 ? undefined : countText(view.languageCode, countries)],
  ])}
  ${actions(view)}
</section>
${charging(view, lowest)}
${table(view)}
${rules(view)}`,
  };
}

function charging(view: View, lowest: bigint | undefined): string {
  const { pricing } = view.texts;
  const values = {
    megabytes: String(PREPAID_MEGABYTES),
    prepaid: lowest === undefined ? undefined : megabytesPrice(view, lowest, PREPAID_MEGABYTES),
    refundTime: durationText(view.languageCode, view.shop.refundSeconds),
  };
  const steps = pricing.steps.map(
    ({ title, text }) => `<li><h3>${escapeHtml(title)}</h3><p>${escapeHtml(text(values))}</p></li>`,
  );
  return `<section class="section"><h2>${escapeHtml(pricing.charged)}</h2><ol class="grid">${steps.join('')}</ol></section>`;
}

function table(view: View): string {
  const { pricing } = view.texts;
  const missing = missingStock(view);
  return `<section class="section" aria-labelledby="prices"><h2 id="prices">${escapeHtml(pricing.table)}</h2>
${missing ?? `<p class="note">${escapeHtml(pricing.tableNote)}</p>${rows(view)}${counted(view)}`}
</section>`;
}

function rows(view: View): string {
  const { columns } = view.texts.pricing;
  const lines = sortedCountries(view).map(({ name, countryCode, free, priceMicros }) => {
    const href = escapeHtml(visitorPath(view.languageCode, 'locations', countryCode));
    const prices =
      priceMicros === undefined
        ? ['–', '–']
        : [megabytePrice(view, priceMicros), megabytesPrice(view, priceMicros, MEGABYTES_PER_GIGABYTE)];
    const cells = [...prices, countText(view.languageCode, free)].map((text) => `<td>${text}</td>`);
    return `<tr><th scope="row"><a href="${href}">${flag(view.shop, countryCode)}${escapeHtml(name)}</a></th>${cells.join('')}</tr>`;
  });
  const head = [columns.country, columns.megabyte, columns.gigabyte, columns.free].map(
    (name) => `<th scope="col">${escapeHtml(name)}</th>`,
  );
  return `<table class="prices" aria-labelledby="prices"><thead><tr>${head.join('')}</tr></thead><tbody>${lines.join('')}</tbody></table>`;
}

function rules(view: View): string {
  const { pricing } = view.texts;
  const { currencies } = view.shop;
  const minimum = `$${groupThousands(view.languageCode, String(INVOICE_DOLLARS_MIN))}`;
  const payment = [
    pricing.minimum(minimum),
    ...(currencies.length > 0 ? [pricing.currencies(listCoins(currencies, view.languageCode))] : []),
    pricing.late,
  ];
  return `<section class="section columns">
<div><h2>${escapeHtml(pricing.counting)}</h2>${paragraphs(pricing.countingTexts)}</div>
<div><h2>${escapeHtml(pricing.paying)}</h2>${paragraphs(payment)}
<p>${escapeHtml(pricing.receipts)} <a href="/check-receipt">${escapeHtml(pricing.checkReceipt)}</a></p></div>
</section>`;
}

function paragraphs(texts: readonly string[]): string {
  return texts.map((text) => `<p>${escapeHtml(text)}</p>`).join('');
}
