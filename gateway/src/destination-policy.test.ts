import { describe, expect, it } from 'vitest';
import { type DestinationPolicy, isDestinationAllowed, isUpstreamAllowed, ownListeners } from './destination-policy.ts';
import { addressText, authorityText, parseAuthority, parseHost } from './protocol/host.ts';

const strict: DestinationPolicy = { isPrivateAllowed: false, isOwnListener: () => false, isReserved: () => false };
const relaxed: DestinationPolicy = { ...strict, isPrivateAllowed: true };

const rewritten = (text: string) => authorityText(parseAuthority(text, 80) ?? fail(text), 80);

function toBytes(text: string): Uint8Array {
  const host = parseHost(text);
  if (host?.kind !== 'address') throw new Error(`${text} is no address`);
  return host.bytes;
}

const refused = [
  '0.0.0.0 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.0.1 169.254.169.254',
  '172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255',
  '198.51.100.1 203.0.113.1 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255 127.1 0x7f.1 2130706433',
  '0177.0.0.1 0 １２７.0.0.1 127.0.0.1. :: ::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:7f00:1 ::127.0.0.1',
  '64:ff9b::10.0.0.1 64:ff9b:1::1 100::1 2001::1 2001:db8::1 2002:7f00:1:: 3fff::1 5f00::1 fc00::1',
  '168.63.129.16 ::ffff:168.63.129.16 64:ff9b::168.63.129.16 100.100.100.200 192.0.0.192 fd00:ec2::254 fd20:ce::254',
  'fd00::1 fe80::1 fec0::1 ff02::1 2606:4700::5efe:10.0.0.1 2606:4700::200:5efe:127.0.0.1',
].flatMap((line) => line.split(' '));
const allowed = [
  '1.1.1.1 9.255.255.255 100.63.255.255 100.128.0.1 172.15.0.1 172.32.0.1 192.167.0.1 198.17.0.1',
  '168.63.129.15 168.63.129.17 198.20.0.1 223.255.255.255 2606:4700::1111 ::ffff:1.1.1.1 64:ff9b::8.8.8.8 2606:4700::5efe:8.8.8.8',
].flatMap((line) => line.split(' '));

describe('the destination guard', () => {
  it.each(refused)('refuses %s', (text) => {
    expect(isDestinationAllowed(strict, toBytes(text), 443)).toBe(false);
  });

  it.each(allowed)('allows %s', (text) => {
    expect(isDestinationAllowed(strict, toBytes(text), 443)).toBe(true);
  });

  it('always refuses port 25 and port 0', () => {
    for (const policy of [strict, relaxed])
      for (const port of [25, 0]) expect(isDestinationAllowed(policy, toBytes('1.1.1.1'), port)).toBe(false);
  });

  it('allows private ranges, but nothing else, if that is set', () => {
    expect(isDestinationAllowed(relaxed, toBytes('127.0.0.1'), 80)).toBe(true);
    expect(isDestinationAllowed(relaxed, toBytes('::ffff:127.0.0.1'), 25)).toBe(false);
  });

  it('refuses its own listeners under every address of the host', () => {
    const isOwnListener = ownListeners(new Set([1080]), () => new Set(['192.168.7.7']));
    const policy = { ...relaxed, isOwnListener };
    const own = '127.0.0.1 127.9.9.9 0.0.0.0 ::1 :: 192.168.7.7 ::ffff:192.168.7.7 64:ff9b::c0a8:707 2002:c0a8:707::1';
    for (const text of own.split(' ')) {
      expect(isDestinationAllowed(policy, toBytes(text), 1080)).toBe(false);
      expect(isDestinationAllowed(policy, toBytes(text), 1081)).toBe(true);
    }
  });
});

describe('the address of an upstream proxy', () => {
  const own = ownListeners(new Set([1080]), () => new Set(['192.168.7.7']));
  const policy: DestinationPolicy = {
    ...relaxed,
    isOwnListener: own,
    isReserved: (address, port) => address === '10.0.0.5' && port === 5432,
  };

  it.each([
    '127.0.0.1 1080',
    '0x7f.1 1080',
    '::ffff:127.0.0.1 1080',
    '192.168.7.7 1080',
    '64:ff9b::192.168.7.7 1080',
    '10.0.0.5 5432',
    '::ffff:10.0.0.5 5432',
    '169.254.169.254 80',
    '0xa9fea9fe 80',
    '64:ff9b::a9fe:a9fe 80',
    '168.63.129.16 80',
    'fd00:ec2::254 80',
  ])('is refused if it is %s', (text) => {
    const [host = '', port] = text.split(' ');
    expect(isUpstreamAllowed(policy, toBytes(host), Number(port))).toBe(false);
  });

  it.each(['127.0.0.1 1081', '192.168.7.7 3128', '10.0.0.5 3128', '192.168.1.1 1080', '2606:4700::1111 1080'])(
    'may be %s',
    (text) => {
      const [host = '', port] = text.split(' ');
      expect(isUpstreamAllowed(policy, toBytes(host), Number(port))).toBe(true);
    },
  );
});

describe('addresses of the node and of the control plane', () => {
  const OWN = '198.41.7.7';
  const reserved: DestinationPolicy = {
    ...strict,
    isReserved: (address, port) => [OWN, '2606:4700::7'].includes(address) && port !== 443,
  };
  // 198.41.7.7 is c629:0707; with inverted bits, as in Teredo, 39d6:f8f8.
  const forms = [
    `${OWN} ::ffff:${OWN} ::ffff:c629:707 64:ff9b::${OWN} 64:ff9b::c629:707 ::${OWN} 2606:4700::7`,
    '2606:4700::5efe:c629:707 2606:4700::200:5efe:c629:707',
  ].flatMap((line) => line.split(' '));

  it.each(forms)('are refused as %s, except the published port', (text) => {
    for (const port of [22, 80, 5432]) expect(isDestinationAllowed(reserved, toBytes(text), port)).toBe(false);
    expect(isDestinationAllowed(reserved, toBytes(text), 443)).toBe(true);
  });

  it.each([
    '64:ff9b:1:c629:7:700::',
    '64:ff9b:1:c6:29:707::',
    '64:ff9b:1:0:c6:2907:700::',
    '64:ff9b:1::c629:707',
    '2002:c629:707::1',
    '2001:0:c629:707::1',
    '2001:0:808:808::39d6:f8f8',
  ])('are detected in %s', (text) => {
    const checked: string[] = [];
    const isOwnListener = (address: string) => checked.push(address) < 0;
    isDestinationAllowed({ ...reserved, isOwnListener }, toBytes(text), 443);
    expect(checked).toContain(OWN);
    expect(isDestinationAllowed(reserved, toBytes(text), 443)).toBe(false);
  });

  it('are allowed if private destinations are allowed', () => {
    expect(isDestinationAllowed({ ...reserved, isPrivateAllowed: true }, toBytes(OWN), 5432)).toBe(true);
  });

  it('do not include neighbouring addresses', () => {
    expect(isDestinationAllowed(reserved, toBytes('198.41.7.8'), 5432)).toBe(true);
    expect(isDestinationAllowed(reserved, toBytes('2606:4700::8'), 5432)).toBe(true);
  });
});

describe('hosts', () => {
  it('accepts names and removes a trailing dot', () => {
    expect(parseHost('Example.TEST.')).toEqual({ kind: 'name', name: 'example.test' });
    expect(parseHost('_srv.bücher.test')).toEqual({ kind: 'name', name: '_srv.xn--bcher-kva.test' });
  });

  it.each([
    ['💩.test', 'xn--ls8h.test'],
    ['bücher。test', 'xn--bcher-kva.test'],
    ['ｅｘａｍｐｌｅ．test', 'example.test'],
    ['exam\u00adple.test', 'example.test'],
    ['faß.test', 'xn--fa-hia.test'],
  ])('maps %j as browsers do (UTS 46)', (text, name) => {
    expect(parseHost(text)).toEqual({ kind: 'name', name });
    expect(parseHost(name)).toEqual({ kind: 'name', name });
  });

  it('checks an address in other digits as the one that it is', () => {
    expect(parseHost('１２７。０.0.1')).toEqual({ kind: 'address', bytes: Uint8Array.of(127, 0, 0, 1) });
  });

  it.each(['a／b', 'a＠b', 'a％2eb', 'a：80', 'a\u3000b', 'a\u0085b', 'a\ufffdb', '。'])('refuses %j', (text) => {
    expect(parseHost(text)).toBeUndefined();
  });

  it.each(['', ' ', 'a b', 'a/b', 'a@b', '%31', 'a..b', '.', '1.2.3.4.5', '256.1.1.1', 'fe80::1%eth0', ':::', 'x:y'])(
    'refuses %j',
    (text) => {
      expect(parseHost(text)).toBeUndefined();
    },
  );

  it('refuses names and labels that are too long', () => {
    expect(parseHost(`${'a'.repeat(64)}.test`)).toBeUndefined();
    expect(parseHost(`${'a'.repeat(60)}.`.repeat(5))).toBeUndefined();
  });

  it('formats authorities for Host fields', () => {
    expect(rewritten('A.test:80')).toBe('a.test');
    expect(rewritten('a.test:8080')).toBe('a.test:8080');
    expect(rewritten('[::1]')).toBe('[::1]');
    expect(rewritten('[0:0:0:0:0:0:0:1]:8080')).toBe('[::1]:8080');
  });

  it.each([
    '::',
    '::1',
    '1::',
    '2606:4700::1111',
    '1:0:2::3',
    '1::2:0:0:3:4',
    '10:0:1:2::3:4',
    '1:2:3:4:5:6:7:8',
    '1:0:2:0:3:0:4:0',
    '::ffff:7f00:1',
  ])('formats IPv6 addresses as usual (RFC 5952): %s', (text) => {
    expect(addressText(toBytes(text))).toBe(text);
  });

  it('accept brackets of a URL in a name', () => {
    expect(parseHost('[::1]')).toEqual(parseHost('::1'));
    for (const text of ['[::1', '::1]', '[]', '[a.test]', '[127.0.0.1]']) expect(parseHost(text)).toBeUndefined();
  });

  it.each([
    ['::1:443', '[::1]:443'],
    ['2001:db8::5:80', '[2001:db8::5]:80'],
    ['1:2:3:4:5:6:7:8:443', '[1:2:3:4:5:6:7:8]:443'],
    ['::ffff:127.0.0.1:443', '[::ffff:7f00:1]:443'],
  ])('accept an IPv6 address without brackets if the port is required: %s', (text, expected) => {
    const target = parseAuthority(text);
    expect(target && authorityText(target)).toBe(expected);
    expect(parseAuthority(text, 80)).toBeUndefined();
  });

  it.each(['::1', '::::443', '1:2:3:4:5:6:7:443', '::1:', '::1:65536', 'a:b:443', '127.0.0.1::80', ':'.repeat(16_000)])(
    'refuse %j as an authority with a port',
    (text) => {
      expect(parseAuthority(text)).toBeUndefined();
    },
  );
});

function fail(text: string): never {
  throw new Error(`${text} is not an authority`);
}
