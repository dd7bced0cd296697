import { clientNetworks } from '@cellhop/contract/network';
import { describe, expect, it } from 'vitest';
import { LoginGuard } from './login-guard.ts';
import { TokenBucket } from '../connections/token-bucket.ts';

const networks = (number: number) => clientNetworks(`2001:db8:1:${number.toString(16)}::1`);

describe('the login guard', () => {
  const limits = { loginFailuresPerMinute: 3, loginBlockMs: 300_000, loginAddresses: 2 };

  it('blocks an address for five minutes after too many failures in one minute', () => {
    let now = 0;
    const guard = new LoginGuard(limits, () => now);
    for (let count = 0; count < 3; count += 1) guard.recordFailure(['a']);
    expect([guard.isBlocked(['a']), guard.isBlocked(['b'])]).toEqual([true, false]);
    now = 299_999;
    expect(guard.isBlocked(['a'])).toBe(true);
    now = 300_000;
    expect(guard.isBlocked(['a'])).toBe(false);
  });

  it('drops failures after a minute, and evicts the oldest address when the table is full', () => {
    let now = 0;
    const guard = new LoginGuard(limits, () => now);
    guard.recordFailure(['a']);
    guard.recordFailure(['a']);
    now = 60_000;
    guard.recordFailure(['a']);
    expect(guard.isBlocked(['a'])).toBe(false);
    for (const address of ['b', 'b', 'b', 'c', 'd']) guard.recordFailure([address]);
    expect(guard.isBlocked(['b'])).toBe(false);
  });

  it('blocks a /56 after twice as many failures as a /64, and a /48 after four times as many', () => {
    const guard = new LoginGuard({ ...limits, loginAddresses: 100 }, () => 0);
    for (let number = 0; number < 6; number += 1) {
      expect(guard.isBlocked(networks(number))).toBe(false);
      guard.recordFailure(networks(number));
    }
    expect([0xff, 0x100].map((number) => guard.isBlocked(networks(number)))).toEqual([true, false]);
    for (let number = 1; number <= 6; number += 1) guard.recordFailure(networks(number * 0x100));
    expect(guard.isBlocked(networks(0x900))).toBe(true);
    expect(guard.isBlocked(clientNetworks('2001:db8:2::1'))).toBe(false);
  });

  it('is disabled by 0', () => {
    const guard = new LoginGuard({ ...limits, loginFailuresPerMinute: 0 });
    for (let count = 0; count < 1_000; count += 1) guard.recordFailure(['a']);
    expect(guard.isBlocked(['a'])).toBe(false);
  });
});

describe('the token bucket', () => {
  it('allows a burst and then the rate', () => {
    let now = 0;
    const bucket = new TokenBucket(2, 3, () => now);
    expect([bucket.take(), bucket.take(), bucket.take(), bucket.take()]).toEqual([true, true, true, false]);
    now = 500;
    expect([bucket.take(), bucket.take()]).toEqual([true, false]);
  });
});
