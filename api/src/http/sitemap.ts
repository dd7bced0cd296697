/** The pages that search engines may list. */
import { legalDocuments } from '@cellhop/contract/legal-documents';
import { languageCodeSchema, type LanguageCode } from '@cellhop/contract/schemas';
import { visitorPages, visitorPath } from '@cellhop/contract/visitor-pages';
import type { FastifyInstance } from 'fastify';
import { escapeHtml } from '../mail/layout.ts';
import { COMPRESSION } from './responses.ts';

export const SITEMAP_PATH = '/sitemap.xml';

/** The browser chooses the language of these. */
const pages = legalDocuments.map((document) => `/legal/${document}`);
const languageCodes = languageCodeSchema.options;

/** https://www.sitemaps.org/protocol.html */
export function sitemapRoutes(app: FastifyInstance): void {
  app.get(SITEMAP_PATH, { schema: { hide: true }, compress: COMPRESSION }, async (_, reply) => {
    const countryCodes = await readCountries(app);
    const translated = [
      ...(['home', ...visitorPages] as const).map((page) => (language: LanguageCode) => visitorPath(language, page)),
      ...countryCodes.map((code) => (language: LanguageCode) => visitorPath(language, 'locations', code)),
    ];
    const sitemap = renderSitemap(app.ctx.config.publicUrl, translated);
    return reply.type('application/xml; charset=utf-8').header('cache-control', 'no-cache').send(sitemap);
  });
}

/** The other pages are listed also while the stock cannot be read. */
async function readCountries(app: FastifyInstance): Promise<string[]> {
  try {
    return (await app.readStock()).countries.map(({ countryCode }) => countryCode);
  } catch (error) {
    app.log.warn({ err: error }, 'the stock could not be read');
    return [];
  }
}

/** @param translated the path of each page that has one in each language */
function renderSitemap(publicUrl: string, translated: readonly ((language: LanguageCode) => string)[]): string {
  const url = (path: string) => escapeHtml(publicUrl + path);
  const entries = translated.flatMap((path) => {
    const links = languageCodes.map(
      (language) => `<xhtml:link rel="alternate" hreflang="${language}" href="${url(path(language))}"/>`,
    );
    return languageCodes.map((language) => `<url><loc>${url(path(language))}</loc>${links.join('')}</url>`);
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">
${[...pages.map((page) => `<url><loc>${url(page)}</loc></url>`), ...entries].join('\n')}
</urlset>
`;
}
