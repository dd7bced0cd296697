/** The pages that search engines may list. */
import { legalDocuments } from '@cellhop/contract/legal-documents';
import type { FastifyInstance } from 'fastify';
import { escapeHtml } from '../mail/templates.ts';

export const SITEMAP_PATH = '/sitemap.xml';

const pages = ['/', ...legalDocuments.map((document) => `/legal/${document}`)];

/** https://www.sitemaps.org/protocol.html */
export function sitemapRoutes(app: FastifyInstance): void {
  const { publicUrl } = app.ctx.config;
  const entries = pages.map((page) => `<url><loc>${escapeHtml(publicUrl + page)}</loc></url>`);
  const sitemap = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries.join('\n')}
</urlset>
`;
  app.get(SITEMAP_PATH, { schema: { hide: true } }, (_, reply) =>
    reply.type('application/xml; charset=utf-8').header('cache-control', 'no-cache').send(sitemap),
  );
}
