/** @module-tag long */
import { describe, expect, test } from 'vitest';
import {
  ATTEMPTS_PER_NETWORK_MAX,
  hashPassword,
  passwordHashUsage,
  unknownClient,
  verifyPassword,
} from './passwords.ts';

const PLACE = unknownClient('192.0.2.1');

describe('passwords', () => {
  test('of one network are refused when too many wait; those of other networks are served', async () => {
    const { refused: refusedBefore } = passwordHashUsage();
    const burst = Array.from({ length: 620 }, () => hashPassword('x', PLACE));
    const elsewhere = hashPassword('honest', unknownClient('192.0.2.2'));
    const results = await Promise.allSettled(burst);
    const refused = results.filter((result) => result.status === 'rejected');
    // A hundred wait, the others run.
    expect(refused).toHaveLength(620 - ATTEMPTS_PER_NETWORK_MAX);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 1 });
    expect(await verifyPassword(await elsewhere, 'honest', unknownClient('192.0.2.2'))).toBe(true);
    const refusedCount = refusedBefore + refused.length;
    expect(passwordHashUsage()).toEqual({ running: 0, waiting: 0, refused: refusedCount });
  });
});
