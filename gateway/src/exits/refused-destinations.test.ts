import { destinationOfLine, parseRefusedDestination } from '@cellhop/contract/refused-destinations';
import { describe, expect, it } from 'vitest';
import { parseHost } from '../protocol/host.ts';
import { RefusedDestinations } from './refused-destinations.ts';

function refusing(...entries: string[]) {
  const refused = new RefusedDestinations();
  refused.replace(
    '1',
    entries.map((entry) => parseRefusedDestination(entry) ?? entry),
  );
  return (text: string) => {
    const host = parseHost(text)!;
    return refused.refuses({ host, address: host.kind === 'address' ? host.bytes : undefined });
  };
}

const toNumber = (text: string) => text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

describe('an entry', () => {
  it.each([
    [' Example.COM. ', 'example.com'],
    ['*.example.com', '.example.com'],
    ['.onion', '.onion'],
    ['пример.рф', 'xn--e1afmkfd.xn--p1ai'],
    ['https://user@bad.example:8443/login?x=1', 'bad.example'],
    ['http://203.0.113.9/', '203.0.113.9/32'],
    ['203.0.113.77/24', '203.0.113.0/24'],
    ['::ffff:203.0.113.7', '203.0.113.7/32'],
    ['[2001:db8::1]', '2001:db8::1/128'],
    ['_service.example.com', '_service.example.com'],
  ])('%s is %s', (text, canonical) => {
    expect(parseRefusedDestination(text)).toBe(canonical);
  });

  it.each([
    '',
    'example',
    'exa mple.com',
    '0.0.0.0/0',
    '10.0.0.0/7',
    '::/0',
    '1.2.3',
    'a..b',
    '-a.com',
    'user@bad.example',
  ])('%j is none', (text) => {
    expect(parseRefusedDestination(text)).toBeUndefined();
  });

  it('is read from lines of lists and of hosts files', () => {
    const lines = ['# all', '', '0.0.0.0 ads.example # why', '  bad.example  ', '127.0.0.1\tmore.example', '192.0.2.1'];
    expect(lines.map(destinationOfLine)).toEqual(['', '', 'ads.example', 'bad.example', 'more.example', '192.0.2.1']);
  });
});

describe('a list', () => {
  it('refuses a name alone, or with everything below it', () => {
    const isRefused = refusing('exact.example', '.below.example', 'both.example', '.both.example');
    for (const name of ['exact.example', 'below.example', 'a.b.below.example', 'x.both.example', 'EXACT.example.'])
      expect([name, isRefused(name)]).toEqual([name, true]);
    for (const name of ['www.exact.example', 'example', 'notbelow.example', 'below.example.org'])
      expect([name, isRefused(name)]).toEqual([name, false]);
  });

  it('refuses addresses of its networks, also those that are within another one, or that embed one', () => {
    const isRefused = refusing('198.51.100.0/24', '198.51.100.64/26', '203.0.113.7', '2001:db8:1::/48');
    for (const address of [
      '198.51.100.0',
      '198.51.100.255',
      '203.0.113.7',
      '::ffff:203.0.113.7',
      '64:ff9b::203.0.113.7',
    ])
      expect([address, isRefused(address)]).toEqual([address, true]);
    expect(isRefused('2001:db8:1:ffff::')).toBe(true);
    for (const address of ['198.51.99.255', '198.51.101.0', '203.0.113.6', '203.0.113.8', '2001:db8:2::', '0.0.0.0'])
      expect([address, isRefused(address)]).toEqual([address, false]);
  });

  it('finds the same networks as a comparison with each of them', () => {
    const networks = Array.from({ length: 500 }, (_, index) => {
      const bits = 8 + ((index * 7) % 25);
      return `${(index * 37) % 224}.${(index * 91) % 256}.${(index * 13) % 256}.${(index * 5) % 256}/${bits}`;
    }).map((text) => parseRefusedDestination(text)!);
    const isRefused = refusing(...networks);
    for (let index = 0; index < 2_000; index += 1) {
      const address = [(index * 53) % 224, (index * 17) % 256, (index * 101) % 256, index % 256].join('.');
      const expected = networks.some((network) => {
        const [first = '', bits] = network.split('/');
        const size = 2 ** (32 - Number(bits));
        return Math.floor(toNumber(first) / size) === Math.floor(toNumber(address) / size);
      });
      expect([address, isRefused(address)]).toEqual([address, expected]);
    }
  });

  it('without entries refuses nothing, and leaves out what only a newer version knows', () => {
    expect(refusing()('example.com')).toBe(false);
    const isRefused = refusing('asn:64500/all', 'known.example');
    expect(isRefused('known.example')).toBe(true);
    expect(isRefused('192.0.2.1')).toBe(false);
  });
});
