/** The certificate with which a node serves TLS on its public port. */
import { z } from 'zod';
import { canonicalAddress } from './network.ts';

/** More names than one certificate of a usual authority has. */
export const CERTIFICATE_NAMES_MAX = 100;

/** An end that is nearer needs attention: authorities issue certificates for months, and programs renew them weeks before. */
export const CERTIFICATE_ENDS_SOON_DAYS = 14;

export const nodeCertificateSchema = z.object({
  /** DNS names in lower case; the first label may be `*`. */
  names: z.array(z.string().max(255)).max(CERTIFICATE_NAMES_MAX),
  endsAt: z.iso.datetime(),
});
export type NodeCertificate = z.infer<typeof nodeCertificateSchema>;

/** Until the end of a certificate; negative: it has expired. A matter of the calendar, as nothing else in a gateway. */
export const certificateMillisecondsLeft = (endsAt: string, now = Date.now()): number => Date.parse(endsAt) - now;

/** Whether a client that connects to the host accepts one of the names (RFC 6125, section 6.4). An address has no name. */
export function certificateFits(names: readonly string[], host: string): boolean {
  const wanted = host.toLowerCase().replace(/\.$/, '');
  if (!wanted.includes('.') && wanted !== 'localhost') return false;
  if (canonicalAddress(wanted) !== undefined) return false;
  const wildcard = wanted.replace(/^[^.]+/, '*');
  return names.some((name) => name === wanted || name === wildcard);
}
