import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { ReservedAddresses } from './reserved-addresses.ts';

const CONTROL_URL = 'http://control.test:3000';

function open({ controlUrl = CONTROL_URL, own = ['198.41.7.7'] } = {}) {
  const names: Record<string, string[]> = { 'control.test': ['198.41.8.8'], 'shop.test': ['198.41.8.8', '198.41.7.7'] };
  const lines: string[] = [];
  const host = { addresses: own, isFailing: false };
  const reserved = new ReservedAddresses({
    controlUrl,
    names: { resolve: () => Promise.reject(new Error('Not used')) },
    log: pino({}, { write: (line) => lines.push(line) }),
    hostAddresses: () => {
      if (host.isFailing) throw new Error('EMFILE');
      return host.addresses;
    },
    resolve: (name) => (names[name] ? Promise.resolve(names[name]) : Promise.reject(new Error('ENOTFOUND'))),
  });
  return { reserved, names, host, lines };
}

describe('reserved addresses', () => {
  it('are the current addresses of the interfaces, in canonical text', () => {
    const { reserved, host } = open({ own: ['198.41.7.7', '2606:4700:0::7', 'fe80::1%eth0', '::ffff:198.41.7.9'] });
    expect(reserved.isReserved('198.41.7.7', 22)).toBe(false);
    reserved.refreshOwn();
    expect([...reserved.own]).toEqual(['198.41.7.7', '2606:4700::7', 'fe80::1', '198.41.7.9']);
    expect(reserved.isReserved('198.41.7.7', 22)).toBe(true);
    host.addresses = ['198.41.7.8'];
    reserved.refreshOwn();
    expect([reserved.isReserved('198.41.7.7', 22), reserved.isReserved('198.41.7.8', 22)]).toEqual([false, true]);
  });

  it('remain if the interfaces cannot be read, which is logged once', () => {
    const { reserved, host, lines } = open();
    reserved.refreshOwn();
    host.isFailing = true;
    for (let time = 0; time < 3; time += 1) reserved.refreshOwn();
    expect(reserved.isReserved('198.41.7.7', 5432)).toBe(true);
    expect(lines.length).toBe(1);
  });

  it('include those of the control plane, and remain while its name cannot be resolved', async () => {
    const { reserved, names } = open();
    await reserved.refreshControlPlane(undefined);
    expect(reserved.isReserved('198.41.8.8', 443)).toBe(true);
    delete names['control.test'];
    await reserved.refreshControlPlane(undefined);
    expect(reserved.isReserved('198.41.8.8', 443)).toBe(true);
    names['control.test'] = ['198.41.9.9'];
    await reserved.refreshControlPlane(undefined);
    expect([reserved.isReserved('198.41.8.8', 443), reserved.isReserved('198.41.9.9', 443)]).toEqual([false, true]);
  });

  it('of the shop may not be upstreams on its ports, under any address of this host', async () => {
    const { reserved, names } = open({ controlUrl: 'http://127.0.0.1:3001' });
    reserved.refreshOwn();
    names['database.test'] = ['10.0.0.5'];
    const refused = ['tcp://database.test:5432', 'tcp://localhost.test:5433'];
    names['localhost.test'] = ['::1'];
    await reserved.refreshControlPlane('https://shop.test', [], refused);
    for (const [address, port] of [
      ['127.0.0.1', 3001],
      ['::1', 3001],
      ['198.41.7.7', 3001],
      ['198.41.8.8', 443],
      ['10.0.0.5', 5432],
      ['127.0.0.2', 5433],
    ] as const) {
      expect(reserved.isRefusedUpstream(address, port), `${address} ${port}`).toBe(true);
      expect(reserved.isRefusedUpstream(address, port + 1), `${address} ${port + 1}`).toBe(false);
    }
    delete names['database.test'];
    names['shop.test'] = ['198.41.8.9'];
    await reserved.refreshControlPlane('https://shop.test', [], refused);
    expect(reserved.isRefusedUpstream('10.0.0.5', 5432)).toBe(true);
    // A name that cannot be resolved keeps no old addresses of another.
    expect(reserved.isRefusedUpstream('198.41.8.9', 443)).toBe(true);
    expect(reserved.isRefusedUpstream('198.41.8.8', 443)).toBe(false);
  });

  it.each([
    ['http://control.test:3001', false],
    ['http://[::1]:3001', true],
    ['http://198.41.7.7:3001', true],
  ])(
    'of a database on localhost are those of this host if the shop is here: with %s %s',
    async (controlUrl, isHere) => {
      const { reserved } = open({ controlUrl });
      reserved.refreshOwn();
      await reserved.refreshControlPlane('http://127.0.0.1:3000', [], ['tcp://127.0.0.1:5432']);
      for (const address of ['127.0.0.1', '::1', '198.41.7.7'])
        for (const port of [3000, 5432]) expect(reserved.isRefusedUpstream(address, port)).toBe(isHere);
      expect(reserved.isRefusedUpstream(isHere ? '127.0.0.1' : '198.41.8.8', 3001)).toBe(true);
    },
  );

  it.each([
    ['https://shop.test', 443],
    ['http://shop.test/', 80],
    ['https://shop.test:8443', 8443],
  ])('allow %s on its own port only', async (publicUrl, port) => {
    const { reserved } = open();
    reserved.refreshOwn();
    await reserved.refreshControlPlane(publicUrl);
    for (const address of ['198.41.7.7', '198.41.8.8']) {
      expect(reserved.isReserved(address, port)).toBe(false);
      for (const other of [22, 5432, port + 1]) expect(reserved.isReserved(address, other)).toBe(true);
    }
  });

  it.each([
    ['http://198.41.6.6:3000', '198.41.6.6'],
    ['http://[2606:4700:0:0::6]:3000', '2606:4700::6'],
  ])('need no name server for %s', async (controlUrl, address) => {
    const { reserved } = open({ controlUrl });
    await reserved.refreshControlPlane(undefined);
    expect(reserved.isReserved(address, 3000)).toBe(true);
  });
});
