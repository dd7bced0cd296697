import { describe, expect, it } from 'vitest';
import { hasIpv6 } from '../../test/sockets.ts';
import { AddressWatch, isBindable } from './address-watch.ts';

const MODEM = '10.64.3.2';
const LOST_AFTER_MS = 30_000;

function watch(address: string, { lostAfterMs = LOST_AFTER_MS, bindable = [] as string[] } = {}) {
  const present = new Set([MODEM, '192.168.1.2']);
  const clock = { now: 0 };
  const addressWatch = new AddressWatch(address, {
    lostAfterMs,
    hostAddresses: () => present,
    isBindable: (address) => Promise.resolve(bindable.includes(address)),
    now: () => clock.now,
  });
  const isLostAt = async (now: number) => {
    clock.now = now;
    await addressWatch.check();
    return addressWatch.isLost;
  };
  return { present, isLostAt };
}

describe('the address watch', () => {
  it('reports an address as lost after it was missing for half a minute', async () => {
    const { present, isLostAt } = watch(MODEM);
    expect(await isLostAt(0)).toBe(false);
    present.delete(MODEM);
    expect(await isLostAt(1_000)).toBe(false);
    expect(await isLostAt(30_999)).toBe(false);
    expect(await isLostAt(31_000)).toBe(true);
  });

  it('restarts the time when the address was present in between', async () => {
    const { present, isLostAt } = watch(MODEM);
    present.delete(MODEM);
    await isLostAt(0);
    present.add(MODEM);
    await isLostAt(29_000);
    present.delete(MODEM);
    expect(await isLostAt(31_000)).toBe(false);
    expect(await isLostAt(60_999)).toBe(false);
    expect(await isLostAt(61_000)).toBe(true);
  });

  it('accepts addresses that can be bound but are on no interface', async () => {
    const bindable = watch('127.0.0.2', { bindable: ['127.0.0.2'] });
    expect([await bindable.isLostAt(0), await bindable.isLostAt(LOST_AFTER_MS)]).toEqual([false, false]);
    const missing = watch('10.9.9.9');
    expect([await missing.isLostAt(0), await missing.isLostAt(LOST_AFTER_MS)]).toEqual([false, true]);
  });

  it('can be disabled', async () => {
    const { isLostAt } = watch('10.9.9.9', { lostAfterMs: 0 });
    expect([await isLostAt(0), await isLostAt(1e9)]).toEqual([false, false]);
  });

  it('tests by default whether the address can be bound', async () => {
    expect(await isBindable('127.0.0.1')).toBe(true);
    expect(await isBindable('127.0.0.2')).toBe(true);
    expect(await isBindable('192.0.2.77')).toBe(false);
    expect(await isBindable('2001:db8::77')).toBe(false);
  });

  it.runIf(hasIpv6)('tests IPv6 addresses too', async () => {
    expect(await isBindable('::1')).toBe(true);
  });

  it.runIf(!hasIpv6)(
    'reports the IPv6 loopback address of this machine, which has no IPv6, as one that cannot be bound',
    async () => {
      expect(await isBindable('::1')).toBe(false);
    },
  );
});
