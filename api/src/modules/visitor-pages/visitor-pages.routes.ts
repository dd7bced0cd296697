/**
 * Pages for visitors and search engines: the landing page, prices and locations. They are complete in the HTML. A page is rendered again only
 * when what it shows has been read again, so that many visitors cost little.
 */
import { languageCodeSchema, type LanguageCode } from '@cellhop/contract/schemas';
import { visitorPath } from '@cellhop/contract/visitor-pages';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Ctx } from '../../ctx.ts';
import { etagOf, matchesEtag } from '../../http/etag.ts';
import { logoHtml } from '../../http/logo.ts';
import { COMPRESSION } from '../../http/responses.ts';
import { readVisitorTemplate } from '../../http/visitor-template.ts';
import { findWebRoot } from '../../http/web-pages.ts';
import { listEnabledCurrencies } from '../invoices/invoices.service.ts';
import type { Stock } from '../proxies/proxies.service.ts';
import { createOfferReader } from '../referrals/referrals.service.ts';
import { countryPage } from './country-page.ts';
import { type Address, renderFrame } from './frame.ts';
import { homePage } from './home-page.ts';
import { locationsPage } from './locations-page.ts';
import { pricingPage } from './pricing-page.ts';
import { createProofReader, type ProofReader } from './proof.ts';
import { countryName, createView, type PageParts, type Shop, type View } from './view.ts';

interface RenderedPage {
  status: PageParts['status'];
  html: string;
  etag: string;
}

/** Without a built web app there are no pages, and no styles for them. */
export function visitorPagesRoutes(app: FastifyInstance): void {
  const root = findWebRoot();
  if (root !== undefined) serveVisitorPages(app, root);
}

/** @param root of the built web app */
export function serveVisitorPages(app: FastifyInstance, root: string, readProof?: ProofReader): void {
  const template = readVisitorTemplate(root);
  if (template === undefined) return;
  const shop = createShop(app.ctx, root);
  const read = readProof ?? createProofReader(app.ctx);
  const readPage = createPageReader(app, template, shop, read);
  for (const languageCode of languageCodeSchema.options) {
    for (const [page, render] of [
      ['home', homePage],
      ['pricing', pricingPage],
      ['locations', locationsPage],
    ] as const)
      serve(app, visitorPath(languageCode, page), () => readPage(languageCode, { page }, render));
    serve(app, `${visitorPath(languageCode, 'locations')}/:countryCode`, async ({ params }) => {
      const countryCode = (params as { countryCode: string }).countryCode.toUpperCase();
      // Also a country that has no proxy, if there is one of this code.
      if (countryName(languageCode, countryCode) === countryCode) return undefined;
      const address = { page: 'locations', countryCode } as const;
      return readPage(languageCode, address, (view) => countryPage(view, countryCode));
    });
  }
}

function serve(
  app: FastifyInstance,
  url: string,
  read: (request: FastifyRequest) => Promise<RenderedPage | undefined>,
): void {
  app.get(url, { schema: { hide: true }, compress: COMPRESSION }, async (request, reply) => {
    const page = await read(request);
    return page === undefined ? reply.callNotFound() : send(request, reply, page);
  });
  if (url === '/') return;
  // The same address with the slash at the end that it has not, or without.
  const other = url.endsWith('/') ? url.slice(0, -1) : `${url}/`;
  app.get(other, { schema: { hide: true } }, (request, reply) => {
    const end = url.endsWith('/') ? '/' : '';
    return reply.redirect(request.url.replace(/^([^?]*?)\/?(?=\?|$)/, `$1${end}`), 301);
  });
}

function send(request: FastifyRequest, reply: FastifyReply, { status, html, etag }: RenderedPage): FastifyReply {
  if (status === 503) void reply.header('retry-after', '60');
  // Weak: the encodings share it.
  void reply.headers({ etag: `W/${etag}`, 'cache-control': status === 200 ? 'no-cache' : 'no-store' });
  if (status === 200 && matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return reply.code(status).type('text/html; charset=utf-8').send(html);
}

type PageReader = (
  languageCode: LanguageCode,
  address: Address,
  render: (view: View) => PageParts,
) => Promise<RenderedPage>;

/** Keeps what it has rendered as long as what it shows is the same: at most a page per language and country. */
function createPageReader(app: FastifyInstance, template: string, shop: Shop, readProof: ProofReader): PageReader {
  const readOffer = createOfferReader(app.ctx);
  const pages = new Map<string, RenderedPage>();
  let shown: Pick<View, 'stock' | 'offer' | 'proof'> | undefined;
  return async (languageCode, address, render) => {
    const [stock, offer, proof] = await Promise.all([readStock(app), readOffer(), readProof()]);
    if (shown?.stock !== stock || shown?.offer !== offer || shown?.proof !== proof) pages.clear();
    shown = { stock, offer, proof };
    const url = visitorPath(languageCode, address.page, address.countryCode);
    const known = pages.get(url);
    if (known !== undefined) return known;
    const view = createView(shop, languageCode, shown);
    const parts = render(view);
    const html = renderFrame(template, view, address, parts);
    const page = { status: parts.status, html, etag: etagOf(html) };
    pages.set(url, page);
    return page;
  };
}

/** The page says it if the stock cannot be read. */
async function readStock(app: FastifyInstance): Promise<Stock | undefined> {
  try {
    return await app.readStock();
  } catch (error) {
    app.log.warn({ err: error }, 'the stock could not be read');
    return undefined;
  }
}

function createShop(ctx: Ctx, root: string): Shop {
  const { brandName, publicUrl, contactEmail, abuseEmail, seller, refundWindowMs } = ctx.config;
  return {
    brandName,
    publicUrl,
    contactEmail,
    abuseEmail,
    logo: logoHtml(ctx.config),
    seller,
    refundSeconds: refundWindowMs / 1000,
    currencies: listEnabledCurrencies(ctx),
    findFlag: readFlags(path.join(root, 'assets')),
  };
}

/** The build has a folder of flags, whose name contains their release. */
function readFlags(assets: string): Shop['findFlag'] {
  const folder = existsSync(assets) ? readdirSync(assets).find((name) => name.startsWith('flags-')) : undefined;
  if (folder === undefined) return () => undefined;
  const files = new Set(readdirSync(path.join(assets, folder)));
  return (countryCode) => {
    const file = `${countryCode.toLowerCase()}.svg`;
    return files.has(file) ? `/assets/${folder}/${file}` : undefined;
  };
}
