import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import path from 'node:path';
import { readBrandImages, serveBrandImages } from './brand-images.ts';
import { type Brand, createNotFoundPage, serveBrandedPages } from './branded-pages.ts';
import { notFound, writeError } from './errors.ts';
import { readScreenPaths } from './screen-paths.ts';
import { removeHeaders, replacePageHeaders } from './security.ts';
import { findWebRoot, VISITOR_TEMPLATE } from './web-pages.ts';

/** Clients of the API use them. */
const RATE_LIMIT_HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

/** Unknown paths below these return an error instead of a page. */
const SERVER_PATHS = /^\/(?:v1|docs|internal|dev|health|metrics|assets|\.well-known)(?:\/|$)/;
/** A path whose last part looks like the name of a file: no screen has one, and a page is of no use to a program that asks for a file. */
const FILE_PATH = /\.[^/]*$/;
/** What iPhones ask for where a page has no link to an icon. */
const TOUCH_ICONS = ['/apple-touch-icon.png', '/apple-touch-icon-precomposed.png'];

/**
 * Serves the built web app: `index.html` for the paths of its screens, because the app routes in the browser. Other paths get the same page with 404: the app says that there is no such page.
 */
export async function serveWebApp(app: FastifyInstance, brand: Brand, root = findWebRoot()): Promise<void> {
  if (!root) {
    app.setNotFoundHandler((request, reply) => writeError(reply, notFound(request)));
    app.log.warn('the web app is not built, so only the API is served');
    return;
  }
  const isScreen = readScreenPaths(root) ?? withoutList(app);
  const sendNotFoundPage = createNotFoundPage(root);
  app.setNotFoundHandler((request, reply) => {
    const pathname = request.url.split('?', 1)[0]!;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || SERVER_PATHS.test(pathname) || FILE_PATH.test(pathname)) return writeError(reply, notFound(request));
    return isScreen(pathname) ? reply.sendFile('index.html') : sendNotFoundPage(request, reply);
  });
  serveBrandedPages(app, root, brand);
  const images = readBrandImages(brand.brandImagesFolder);
  serveBrandImages(app, images);
  const hasOwnIcons = images.length > 0;
  for (const url of TOUCH_ICONS)
    app.get(url, { schema: { hide: true } }, (_, reply) =>
      hasOwnIcons ? reply.redirect('/icon-180.png') : reply.sendFile('icon-180.png'),
    );
  await app.register(fastifyStatic, {
    root,
    index: false,
    // The template is no page by itself, and what begins with a dot is of the build.
    allowedPath: (pathname) => pathname !== `/${VISITOR_TEMPLATE}` && !pathname.includes('/.'),
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply) => void reply.header('cache-control', 'no-cache'),
  });
  await app.register(serveAssets, { root: path.join(root, 'assets') });
}

/** Serving no page for unknown paths is better than not starting. */
function withoutList(app: FastifyInstance): (pathname: string) => boolean {
  app.log.warn('the build of the web app does not list its screens, so unknown paths are not 404');
  return () => true;
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
