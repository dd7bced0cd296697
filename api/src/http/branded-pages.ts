/**
 * Files of the web app that search engines and installers read without running it: they contain the brand's name or the public
 * address. Filled in at the start, and compressed once, for the first request.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Config } from '../process/config.ts';
import { etagOf, matchesEtag } from './etag.ts';
import { SITEMAP_PATH } from './sitemap.ts';

export type Brand = Pick<Config, 'brandName' | 'publicUrl'> & Partial<Pick<Config, 'brandImagesFolder'>>;

interface BrandedFile {
  urls: readonly string[];
  name: string;
  type: string;
  fill: (text: string, brand: Brand) => string;
}

const files: readonly BrandedFile[] = [
  {
    urls: ['/manifest.webmanifest'],
    name: 'manifest.webmanifest',
    type: 'application/manifest+json',
    fill: fillManifest,
  },
  { urls: ['/robots.txt'], name: 'robots.txt', type: 'text/plain; charset=utf-8', fill: fillRobots },
];

/** Call it before the static files are registered: routes with a full path take precedence. */
export function serveBrandedPages(app: FastifyInstance, root: string, brand: Brand): void {
  for (const { urls, name, type, fill } of files) {
    const place = path.join(root, name);
    if (!existsSync(place)) continue;
    const page = prepare(fill(readFileSync(place, 'utf8'), brand));
    for (const url of urls)
      app.get(url, { schema: { hide: true } }, (request, reply) => send(request, reply, page, type));
  }
}

/** The page of the app, for paths that it has no screen for. Browsers must not keep it: a later release may have one. */
export function createNotFoundPage(root: string): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const page = prepare(readFileSync(path.join(root, 'index.html'), 'utf8'));
  return (request, reply) => {
    void reply.code(404).headers({ 'cache-control': 'no-store', vary: 'accept-encoding' });
    return sendBody(request, reply, page.bodies, 'text/html; charset=utf-8');
  };
}

function fillRobots(text: string, { publicUrl }: Brand): string {
  return `${text}\nSitemap: ${publicUrl}${SITEMAP_PATH}\n`;
}

function fillManifest(json: string, { brandName }: Brand): string {
  return JSON.stringify({ ...(JSON.parse(json) as object), name: brandName, short_name: brandName });
}

const encoders = { br: brotliCompressSync, gzip: gzipSync };
type Encoding = keyof typeof encoders | 'identity';

interface Page {
  etag: string;
  bodies: Partial<Record<Encoding, Buffer>> & { identity: Buffer };
}

function prepare(text: string): Page {
  const identity = Buffer.from(text);
  return { etag: etagOf(identity), bodies: { identity } };
}

function send(request: FastifyRequest, reply: FastifyReply, { etag, bodies }: Page, type: string): FastifyReply {
  // Weak: the encodings share it.
  void reply.headers({ etag: `W/${etag}`, 'cache-control': 'no-cache', vary: 'accept-encoding' });
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
  return sendBody(request, reply, bodies, type);
}

function sendBody(request: FastifyRequest, reply: FastifyReply, bodies: Page['bodies'], type: string): FastifyReply {
  const encoding = chooseEncoding(request.headers['accept-encoding'] ?? '');
  void reply.type(type);
  if (encoding === 'identity') return reply.send(bodies.identity);
  bodies[encoding] ??= encoders[encoding](bodies.identity);
  return reply.header('content-encoding', encoding).send(bodies[encoding]);
}

/** Chooses the smallest encoding that the client accepts (RFC 9110, section 12.5.3); a weight of 0 excludes an encoding. */
function chooseEncoding(accepted: string): Encoding {
  const offers = accepted.split(',').map((offer) => offer.replaceAll(/\s/g, '').toLowerCase());
  const isAccepted = (encoding: Encoding) =>
    offers.some((offer) => offer === encoding || (offer.startsWith(`${encoding};`) && !/;q=0(?:\.0*)?$/.test(offer)));
  return (['br', 'gzip'] as const).find(isAccepted) ?? 'identity';
}
