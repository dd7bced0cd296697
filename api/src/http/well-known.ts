/** Addresses that programs know: where to report a vulnerability (RFC 9116), and where a password is changed (W3C). */
import type { FastifyInstance } from 'fastify';

/** At most a year, so that an abandoned file is not trusted (RFC 9116, section 2.5.5). */
const VALID_MS = 180 * 24 * 60 * 60 * 1000;
const SECURITY_PATH = '/.well-known/security.txt';

export function wellKnownRoutes(app: FastifyInstance): void {
  const { publicUrl, securityContact } = app.ctx.config;
  app.get('/.well-known/change-password', { schema: { hide: true } }, (_, reply) =>
    reply.redirect('/account#password'),
  );
  if (securityContact === undefined) return;
  app.get(SECURITY_PATH, { schema: { hide: true } }, (_, reply) =>
    reply
      .type('text/plain; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send(securityText(securityContact, publicUrl, new Date(Date.now() + VALID_MS))),
  );
}

function securityText(contact: string, publicUrl: string, expiredAt: Date): string {
  return `Contact: ${contact.includes('://') ? contact : `mailto:${contact}`}
Expires: ${expiredAt.toISOString()}
Preferred-Languages: en, ru
Canonical: ${publicUrl}${SECURITY_PATH}
`;
}
