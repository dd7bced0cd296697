import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { inlineScriptHashes } from './web-pages.ts';

/** No page asks for a device; buttons copy to the clipboard, and the stories read what they copied. */
const PERMISSIONS_POLICY = [
  'accelerometer=()',
  'browsing-topics=()',
  'camera=()',
  'clipboard-read=(self)',
  'clipboard-write=(self)',
  'display-capture=()',
  'geolocation=()',
  'gyroscope=()',
  'magnetometer=()',
  'microphone=()',
  'midi=()',
  'payment=()',
  'usb=()',
].join(', ');
const STRICT_TRANSPORT_SECONDS = 31_536_000;

/** Of an answer that no page is made of, written without Fastify. */
export function bareSecurityHeaders({ publicUrl }: Config): Record<string, string> {
  return {
    'Content-Security-Policy': "default-src 'none';frame-ancestors 'none'",
    'Permissions-Policy': PERMISSIONS_POLICY,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    ...(publicUrl.startsWith('https:') && {
      'Strict-Transport-Security': `max-age=${STRICT_TRANSPORT_SECONDS}; includeSubDomains`,
    }),
  };
}

/** Headers against common attacks on browsers. */
export async function useSecurity(app: FastifyInstance, config: Config): Promise<void> {
  const isPlainHttp = config.publicUrl.startsWith('http:');
  await app.register(helmet, {
    referrerPolicy: { policy: 'no-referrer' },
    frameguard: { action: 'deny' },
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
    strictTransportSecurity: isPlainHttp ? false : { maxAge: STRICT_TRANSPORT_SECONDS },
  });
  app.addHook('onRequest', async (_request, reply) => void reply.header('permissions-policy', PERMISSIONS_POLICY));
}
