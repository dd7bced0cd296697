import helmet from '@fastify/helmet';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Config } from '../process/config.ts';
import { inlineScriptHashes } from './web-pages.ts';

/** Pages need no device access. Buttons copy to the clipboard, which the end-to-end tests read. */
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

type SecurityConfig = Pick<Config, 'publicUrl' | 'isHttpsOnSubdomains'>;

/** For responses other than pages. */
const NO_PAGE_POLICY = "default-src 'none';frame-ancestors 'none'";

/** Browsers apply these to documents only. */
const PAGE_HEADERS = [
  'cross-origin-opener-policy',
  'origin-agent-cluster',
  'permissions-policy',
  'x-dns-prefetch-control',
  'x-download-options',
  'x-permitted-cross-domain-policies',
  'x-xss-protection',
];

/** For responses written without Fastify, which are never pages. */
export function staticSecurityHeaders({ publicUrl, isHttpsOnSubdomains }: SecurityConfig): Record<string, string> {
  return {
    'Content-Security-Policy': NO_PAGE_POLICY,
    'Permissions-Policy': PERMISSIONS_POLICY,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    ...(publicUrl.startsWith('https:') && {
      'Strict-Transport-Security': `max-age=${STRICT_TRANSPORT_SECONDS}${isHttpsOnSubdomains ? '; includeSubDomains' : ''}`,
    }),
  };
}

/** Sets security headers for browsers. */
export async function useSecurity(app: FastifyInstance, config: SecurityConfig): Promise<void> {
  const isPlainHttp = config.publicUrl.startsWith('http:');
  await app.register(helmet, {
    referrerPolicy: { policy: 'no-referrer' },
    frameguard: { action: 'deny' },
    contentSecurityPolicy: {
      // Explicit instead of the defaults, so that nothing is allowed by accident: a foreign script could read the tokens in the
      // browser's storage.
      useDefaults: false,
      directives: {
        'default-src': ["'self'"],
        // The pages' own inline scripts, by hash.
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
        // With plain HTTP there is no https:// server to upgrade to.
        'upgrade-insecure-requests': isPlainHttp ? null : [],
      },
    },
    strictTransportSecurity: isPlainHttp
      ? false
      : { maxAge: STRICT_TRANSPORT_SECONDS, includeSubDomains: config.isHttpsOnSubdomains },
  });
  app.addHook('onRequest', async (_request, reply) => void reply.header('permissions-policy', PERMISSIONS_POLICY));
  app.addHook('onSend', async (_request, reply) => {
    if (isJson(reply)) replacePageHeaders(reply);
  });
}

function isJson(reply: FastifyReply): boolean {
  return String(reply.getHeader('content-type')).startsWith('application/json');
}

/** For JSON and assets: a page loads dozens of them, and many are smaller than the headers of a page. */
export function replacePageHeaders(reply: FastifyReply): void {
  reply.raw.setHeader('content-security-policy', NO_PAGE_POLICY);
  removeHeaders(reply, PAGE_HEADERS);
}

/** Of both kinds: set by plugins on Fastify's reply and on Node's response. */
export function removeHeaders(reply: FastifyReply, names: readonly string[]): void {
  for (const name of names) {
    reply.removeHeader(name);
    reply.raw.removeHeader(name);
  }
}
