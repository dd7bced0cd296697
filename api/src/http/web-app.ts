import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { type Brand, serveBrandedPages } from './branded-pages.ts';
import { notFound, writeError } from './errors.ts';
import { findWebRoot } from './web-pages.ts';

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
    setHeaders: (response, path) => {
      const isHashed = path.includes('/assets/');
      void response.setHeader('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
}
