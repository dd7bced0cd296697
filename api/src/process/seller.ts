/** Who runs the shop, for its papers and pages. */
import type { Environment } from '@cellhop/contract/environment';
import type { Seller } from '@cellhop/contract/settings';
import { z } from 'zod';

/** A setting is one line: `\n` begins another one. */
const text = (maximum: number) =>
  z
    .string()
    .trim()
    .max(maximum)
    .regex(/^\P{Cc}*$/u, 'must be one line without control characters')
    .transform((value) => value.replaceAll(/ *\\n */g, '\n'))
    .default('');

export function readSeller({ read, problems }: Environment) {
  const seller: Seller = {
    name: read('SELLER_NAME', text(200)),
    address: read('SELLER_ADDRESS', text(500)),
    register: read('SELLER_REGISTER', text(200)),
    vatId: read('SELLER_VAT_ID', text(50)),
    note: read('SELLER_NOTE', text(1000)),
  };
  const isNamed = seller.name !== '';
  if (!isNamed && Object.values(seller).some(Boolean))
    problems.push('SELLER_NAME is not set, but another setting of the seller is');
  return {
    /** Undefined: papers name the brand alone. */
    seller: isNamed ? seller : undefined,
    /** Where to report abuse of a proxy; undefined: `contactEmail`. */
    abuseEmail: read('ABUSE_EMAIL', z.email().optional()),
  };
}
