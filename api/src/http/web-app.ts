import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import path from 'node:path';
import { type Brand, serveBrandedPages } from './branded-pages.ts';
import { notFound, writeError } from './errors.ts';
import { removeHeaders, replacePageHeaders } from './security.ts';
import { findWebRoot } from './web-pages.ts';

/** Clients of the API use them. */
const RATE_LIMIT_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

/** Unknown paths below these return 404 instead of the web app. */
const SERVER_PATHS = /^\/(?:v1|docs|internal|dev|health|metrics|assets)(?:[/?]|$)/;

/**
 * Serves the built web app: the landing page at the root, and `index.html` for all other paths that are not the server's, because
 * the app routes in the browser.
 */
export async function serveWebApp(app: FastifyInstance, brand: Brand, root = findWebRoot()): Promise<void> {
  app.setNotFoundHandler((request, reply) => {
    const isPage = request.method === 'GET' && !SERVER_PATHS.test(request.url);
    return root && isPage ? reply.sendFile('index.html') : writeError(reply, notFound(request));
  });
  if (!root) {
    app.log.warn('the web app is not built, so only the API is served');
    return;
  }
  serveBrandedPages(app, root, brand);
  await app.register(fastifyStatic, {
    root,
    index: ['landing.html'],
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply) => void reply.header('cache-control', 'no-cache'),
  });
  await app.register(serveAssets, { root: path.join(root, 'assets') });
}

/** Scripts, styles, fonts and images. The path of each contains a hash of its content, or the release of the flags. */
async function serveAssets(app: FastifyInstance, { root }: { root: string }): Promise<void> {
  app.addHook('onSend', async (_request, reply) => {
    if (reply.statusCode >= 400) return;
    replacePageHeaders(reply);
    removeHeaders(reply, RATE_LIMIT_HEADERS);
  });
  await app.register(fastifyStatic, {
    root,
    prefix: '/assets/',
    decorateReply: false,
    index: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply) => void reply.header('cache-control', 'public, max-age=31536000, immutable'),
  });
}
