import { describe, expect, it } from 'vitest';
import { ExitWatch, isBindable } from './exit-watch.ts';

const MODEM = '10.64.3.2';
const LOST_AFTER_MS = 30_000;

function watch({ lostAfterMs = LOST_AFTER_MS, bindable = [] as string[] } = {}) {
  const present = new Set([MODEM, '192.168.1.2']);
  const clock = { now: 0 };
  const exits = new ExitWatch({
    lostAfterMs,
    hostAddresses: () => present,
    isBindable: (address) => Promise.resolve(bindable.includes(address)),
    now: () => clock.now,
  });
  const lookAt = async (now: number, ...addresses: string[]) => {
    clock.now = now;
    await exits.check(new Set(addresses));
    return addresses.map((address) => exits.isLost(address));
  };
  return { present, exits, lookAt };
}

describe('the watch over exits', () => {
  it('takes an address for lost when it has been missing for half a minute', async () => {
    const { present, lookAt } = watch();
    expect(await lookAt(0, MODEM)).toEqual([false]);
    present.delete(MODEM);
    expect(await lookAt(1_000, MODEM)).toEqual([false]);
    expect(await lookAt(30_999, MODEM)).toEqual([false]);
    expect(await lookAt(31_000, MODEM)).toEqual([true]);
  });

  it('begins anew when the address has been back, even for a moment', async () => {
    const { present, lookAt } = watch();
    present.delete(MODEM);
    await lookAt(0, MODEM);
    present.add(MODEM);
    await lookAt(29_000, MODEM);
    present.delete(MODEM);
    expect(await lookAt(31_000, MODEM)).toEqual([false]);
    expect(await lookAt(60_999, MODEM)).toEqual([false]);
    expect(await lookAt(61_000, MODEM)).toEqual([true]);
  });

  it('knows addresses that work without being on an interface, and exits without an address', async () => {
    const { exits, lookAt } = watch({ bindable: ['127.0.0.2'] });
    await lookAt(0, '127.0.0.2', '10.9.9.9');
    expect(await lookAt(LOST_AFTER_MS, '127.0.0.2', '10.9.9.9')).toEqual([false, true]);
    expect(exits.isLost(null)).toBe(false);
  });

  it('forgets what nobody uses any more', async () => {
    const { exits, lookAt } = watch();
    await lookAt(0, '10.9.9.9');
    await lookAt(LOST_AFTER_MS, '192.168.1.2');
    expect(exits.isLost('10.9.9.9')).toBe(false);
  });

  it('can be switched off', async () => {
    const { lookAt } = watch({ lostAfterMs: 0 });
    await lookAt(0, '10.9.9.9');
    expect(await lookAt(1e9, '10.9.9.9')).toEqual([false]);
  });

  it('asks the system itself', async () => {
    expect(await isBindable('127.0.0.1')).toBe(true);
    expect(await isBindable('127.0.0.2')).toBe(true);
    expect(await isBindable('::1')).toBe(true);
    expect(await isBindable('192.0.2.77')).toBe(false);
    expect(await isBindable('2001:db8::77')).toBe(false);
  });
});
