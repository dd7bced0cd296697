import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { inlineScriptHashes } from './web-pages.ts';

/** Headers against common attacks on browsers, and the general limit of requests per client address. */
export async function useSecurity(app: FastifyInstance, config: Config): Promise<void> {
  const isPlainHttp = config.publicUrl.startsWith('http:');
  await app.register(helmet, {
    referrerPolicy: { policy: 'no-referrer' },
    contentSecurityPolicy: {
      // Written out, so that nothing is allowed which nobody here has asked for. Tokens lie in the browser's storage: a
      // foreign script would read them.
      useDefaults: false,
      directives: {
        'default-src': ["'self'"],
        // The pages' own inline scripts, by what is in them.
        'script-src': ["'self'", ...inlineScriptHashes()],
        'script-src-attr': ["'none'"],
        // The components set sizes and colours on their elements.
        'style-src': ["'self'", "'unsafe-inline'"],
        'img-src': ["'self'", 'data:'],
        'font-src': ["'self'", 'data:'],
        'connect-src': ["'self'"],
        'object-src': ["'none'"],
        'base-uri': ["'none'"],
        'form-action': ["'self'"],
        'frame-ancestors': ["'none'"],
        // On plain HTTP the browser would ask for https:// addresses that nobody serves.
        'upgrade-insecure-requests': isPlainHttp ? null : [],
      },
    },
    strictTransportSecurity: isPlainHttp ? false : { maxAge: 31_536_000 },
  });
  await app.register(rateLimit, {
    max: config.requestsPerMinute,
    timeWindow: '1 minute',
    // Gateways have their own token, probes their own purpose.
    allowList: (request) => request.url.startsWith('/internal/') || request.url.startsWith('/health/'),
  });
}
