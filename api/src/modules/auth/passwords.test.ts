import { describe, expect, test } from 'vitest';
import { ATTEMPTS_OF_ONE_MAX, hashPassword, passwordHashesUse, stranger, verifyPassword } from './passwords.ts';

const ORIGIN = stranger('192.0.2.1');

describe('passwords', () => {
  test('are Argon2id with 19 MiB, two passes, and a salt of their own', async () => {
    const [one, two] = [await hashPassword('the same', ORIGIN), await hashPassword('the same', ORIGIN)];
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.toBe(two);
    expect(await verifyPassword(one, 'the same', ORIGIN)).toBe(true);
    expect(await verifyPassword(one, 'another', ORIGIN)).toBe(false);
  });

  test('count to the last character, in every script', async () => {
    const long = 'пароль🔑'.repeat(50);
    const hash = await hashPassword(long, ORIGIN);
    expect(await verifyPassword(hash, long, ORIGIN)).toBe(true);
    expect(await verifyPassword(hash, `${long}.`, ORIGIN)).toBe(false);
    expect(await verifyPassword(hash, long.slice(0, -2), ORIGIN)).toBe(false);
  });

  test('of unknown accounts are never right, not even the decoy itself', async () => {
    expect(await verifyPassword(undefined, 'nobody has this password', ORIGIN)).toBe(false);
  });

  test('of one network are refused, not piled up, when too many wait; its others and those of other networks are served', async () => {
    const burst = Array.from({ length: 620 }, () => hashPassword('x', ORIGIN));
    const elsewhere = hashPassword('honest', stranger('192.0.2.2'));
    const results = await Promise.allSettled(burst);
    const refused = results.filter((result) => result.status === 'rejected');
    // A hundred wait, beside those that run.
    expect(refused).toHaveLength(620 - ATTEMPTS_OF_ONE_MAX);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 1 });
    expect(await verifyPassword(await elsewhere, 'honest', stranger('192.0.2.2'))).toBe(true);
    expect(passwordHashesUse()).toEqual({ running: 0, waiting: 0, refused: 620 - ATTEMPTS_OF_ONE_MAX });
  }, 60_000);
});
