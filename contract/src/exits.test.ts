import { expect, test } from 'vitest';
import { type ExitKind, exitSchema, formatExit, parseExit } from './exits.ts';

const ID = '00000000-0000-4000-8000-000000000001';
/** What a file says, the key, and what lists show. */
const written: [kind: ExitKind, text: string, key: string, shown: string][] = [
  ['local-address', '', 'local-address://', ''],
  ['local-address', '192.0.2.7', 'local-address://192.0.2.7', '192.0.2.7'],
  ['local-address', '2001:DB8:0:0::7', 'local-address://2001:db8::7', '2001:db8::7'],
  ['socks5', 'socks5://Gate.Test:1080/', 'socks5://gate.test:1080', 'socks5://gate.test:1080'],
  ['socks5', 'socks5://one:%3A@[2001:db8::1]:1', 'socks5://[2001:db8::1]:1', 'socks5://***@[2001:db8::1]:1'],
  ['socks5', 'socks5://***@gate.test:1', 'socks5://gate.test:1', 'socks5://***@gate.test:1'],
  ['http', 'http://0x7f.1:3128', 'http://127.0.0.1:3128', 'http://127.0.0.1:3128'],
  ['socks5', 'socks5://3221225985:3128', 'socks5://192.0.2.1:3128', 'socks5://192.0.2.1:3128'],
  ['http', 'http://one:two@192.0.2.1:8080', 'http://192.0.2.1:8080', 'http://***@192.0.2.1:8080'],
];

test.each(written)(
  'an exit of the kind %s, written %j, has the key %j and is shown as %j',
  (kind, text, key, shown) => {
    const exit = parseExit(kind, text);
    if (typeof exit === 'string') throw new Error(exit);
    expect(exit.key).toBe(key);
    expect(formatExit(kind, exit.parameters, exit.credentials !== undefined)).toBe(shown);
    // The shown text means the same exit.
    expect(parseExit(kind, shown)).toMatchObject({ key, parameters: exit.parameters });
    const credentials = typeof exit.credentials === 'object' ? exit.credentials : undefined;
    const sent = { kind, id: ID, ...exit.parameters, ...(credentials && { credentials }) };
    expect(exitSchema.parse(sent)).toEqual(sent);
  },
);

test('an exit of a kind that only a newer release knows is shown by its kind', () => {
  expect(formatExit('newer', { any: 'thing' })).toBe('newer');
});

test.each([
  '169.254.169.254',
  '0xa9fea9fe',
  '0xa9.0376.43518',
  '[::ffff:a9fe:a9fe]',
  '168.63.129.16',
  '[fd00:ec2::254]',
])('an upstream may not be the metadata service of a cloud: %s', (host) => {
  expect(parseExit('http', `http://${host}:80`)).toBe('REFUSED_UPSTREAM');
});

test('a host that is neither a name nor an address is no upstream', () => {
  expect(parseExit('http', 'http://192.0.2.256:80')).toBe('NOT_AN_UPSTREAM');
});

test.each(['192.0.2.7/24', '192.0.2.256', 'fe80::1%eth0', 'paris'])('%s is no address of a node', (text) => {
  expect(parseExit('local-address', text)).toBe('NOT_AN_ADDRESS');
});
