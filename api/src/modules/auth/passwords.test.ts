import { describe, expect, test } from 'vitest';
import { hashPassword, verifyPassword } from './passwords.ts';

describe('passwords', () => {
  test('are Argon2id with 19 MiB, two passes, and a salt of their own', async () => {
    const [one, two] = [await hashPassword('the same'), await hashPassword('the same')];
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.toBe(two);
    expect(await verifyPassword(one, 'the same')).toBe(true);
    expect(await verifyPassword(one, 'another')).toBe(false);
  });

  test('count to the last character, in every script', async () => {
    const long = 'пароль🔑'.repeat(50);
    const hash = await hashPassword(long);
    expect(await verifyPassword(hash, long)).toBe(true);
    expect(await verifyPassword(hash, `${long}.`)).toBe(false);
    expect(await verifyPassword(hash, long.slice(0, -2))).toBe(false);
  });

  test('of unknown accounts are never right, not even the decoy itself', async () => {
    expect(await verifyPassword(undefined, 'nobody has this password')).toBe(false);
  });

  test('are refused, not piled up, when too many wait; those in the queue are served', async () => {
    const results = await Promise.allSettled(Array.from({ length: 520 }, () => hashPassword('x')));
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(520 - 503);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'UNAVAILABLE', status: 503 });
    expect(await verifyPassword(await hashPassword('after it'), 'after it')).toBe(true);
  });
});
