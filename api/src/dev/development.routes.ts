import { type Mail, DOWNLOAD_MEGABYTES_MAX, payInvoice } from '@cellhop/contract/development';
import { BYTES_PER_MEGABYTE } from '@cellhop/contract/limits';
import type { FastifyInstance } from 'fastify';
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { escapeHtml } from '../mail/layout.ts';
import { route } from '../http/route.ts';
import { payOnSandbox } from '../modules/invoices/sandbox-payment.service.ts';
import { listMails } from './mail-sink.ts';

/** The mails of the mail sink, as an HTML page or as JSON. */
export function mailboxRoutes(app: FastifyInstance): void {
  app.get('/dev/mailbox', { schema: { hide: true } }, (request, reply) => {
    void reply.header('cache-control', 'no-store').header('vary', 'accept');
    if (request.headers.accept?.includes('application/json')) return reply.send(listMails());
    return reply.type('text/html; charset=utf-8').send(page(listMails(), app.ctx.config.brandName));
  });
}

function page(mails: readonly Mail[], brandName: string): string {
  const list = mails.length === 0 ? '<p>No mail yet. Sign up, and look again.</p>' : mails.map(article).join('\n');
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Mailbox - ${escapeHtml(brandName)}</title>
<style>
  body { margin: 0 auto; max-width: 44rem; padding: 1rem; font: 16px/1.5 system-ui, sans-serif; color: #1f2933; background: #f8f9fa; }
  article { margin: 0 0 1rem; padding: 1rem; background: #fff; border: 1px solid #dee2e6; border-radius: 8px; overflow-wrap: anywhere; }
  h2 { margin: 0; font-size: 1.1rem; } p { margin: 0.25rem 0; }
  iframe { width: 100%; height: 34rem; border: 1px solid #dee2e6; border-radius: 8px; }
</style></head>
<body><h1>Mailbox</h1><p>Every mail that this service sent since it started. It exists in development only.</p>
${list}
</body></html>
`;
}

/** The HTML of a mail is untrusted: the sandboxed iframe runs no scripts and cannot access this page. */
function article({ to, subject, text, html, links }: Mail): string {
  const targets = links.map((link) => `<p><a href="${escapeHtml(link)}">${escapeHtml(link)}</a></p>`).join('');
  const body =
    html === ''
      ? `<pre>${escapeHtml(text)}</pre>`
      : `<details><summary>Show the mail</summary><iframe title="${escapeHtml(subject)}" loading="lazy"
 sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="${escapeHtml(html)}"></iframe></details>`;
  return `<article><h2>${escapeHtml(subject)}</h2><p>To ${escapeHtml(to)}</p>${targets}${body}</article>`;
}

const params = z.strictObject({ megabytes: z.coerce.number().int().min(1).max(DOWNLOAD_MEGABYTES_MAX) });
/** Random, so that it cannot be compressed on the way. */
const chunk = randomBytes(65_536);
const CHUNKS_PER_MEGABYTE = BYTES_PER_MEGABYTE / chunk.length;

/** A download to try proxies without internet access. */
export function downloadRoutes(app: FastifyInstance): void {
  app.get<{ Params: z.output<typeof params> }>(
    '/dev/download/:megabytes',
    // HEAD would generate the whole body.
    { exposeHeadRoute: false, schema: { hide: true, params } },
    (request, reply) => {
      const { megabytes } = request.params;
      return reply
        .type('application/octet-stream')
        .header('content-length', megabytes * BYTES_PER_MEGABYTE)
        .header('cache-control', 'no-store')
        .send(Readable.from(repeatChunk(megabytes * CHUNKS_PER_MEGABYTE), { objectMode: false }));
    },
  );
}

/** A generator, so that back pressure and disconnects stop it. */
function* repeatChunk(times: number): Generator<Buffer> {
  for (let index = 0; index < times; index++) yield chunk;
}

export function payInvoiceRoutes(app: FastifyInstance): void {
  route(app, payInvoice, async ({ ctx, params, body }) => ({
    data: await payOnSandbox(ctx, params.id, body?.amountInCurrency),
  }));
}
