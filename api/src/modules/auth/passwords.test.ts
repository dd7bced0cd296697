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
  test('are Argon2id with 19 MiB, two passes, and a random salt', async () => {
    const [one, two] = [await hashPassword('the same', PLACE), await hashPassword('the same', PLACE)];
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.toBe(two);
    expect(await verifyPassword(one, 'the same', PLACE)).toBe(true);
    expect(await verifyPassword(one, 'another', PLACE)).toBe(false);
  });

  test('are compared to the last character, in every script', async () => {
    const long = 'пароль🔑'.repeat(50);
    const hash = await hashPassword(long, PLACE);
    expect(await verifyPassword(hash, long, PLACE)).toBe(true);
    expect(await verifyPassword(hash, `${long}.`, PLACE)).toBe(false);
    expect(await verifyPassword(hash, long.slice(0, -2), PLACE)).toBe(false);
  });

  test('of unknown accounts are never accepted, not even the decoy', async () => {
    expect(await verifyPassword(undefined, 'nobody has this password', PLACE)).toBe(false);
  });

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
