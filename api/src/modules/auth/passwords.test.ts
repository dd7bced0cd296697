import { hash } from '@node-rs/argon2';
import { describe, expect, test } from 'vitest';
import { hashPassword, limitLookups, unknownClient, verifyPassword, WAITING_MAX } from './passwords.ts';

const LOOKUPS_AT_ONCE = 2;
const PLACE = unknownClient('192.0.2.1');

test('no more strangers wait for a lookup than may wait with a password, so that none of an overload are refused late', async () => {
  const lookedUp = Promise.withResolvers<void>();
  const attempts = Array.from({ length: 2 * WAITING_MAX }, (_, index) =>
    limitLookups(`198.51.${Math.floor(index / 250)}.${index % 250}`, false, () => lookedUp.promise),
  );
  lookedUp.resolve();
  const refused = (await Promise.allSettled(attempts)).filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(WAITING_MAX - LOOKUPS_AT_ONCE);
});

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

  test('accept a letter with an accent as any system types it, also for hashes of before', async () => {
    const [composed, apart] = ['caf\u00E9 au lait', 'cafe\u0301 au lait'];
    const stored = [await hashPassword(composed, PLACE), await hashPassword(apart, PLACE)];
    stored.push(await hash(composed), await hash(apart));
    for (const each of stored)
      for (const typed of [composed, apart]) expect(await verifyPassword(each, typed, PLACE)).toBe(true);
    expect(await verifyPassword(stored[0], 'cafe au lait', PLACE)).toBe(false);
  });
});
