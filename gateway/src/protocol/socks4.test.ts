import { describe, expect, it } from 'vitest';
import { encodeSocks4Reply, parseSocks4Request, SOCKS4_GRANTED } from './socks4.ts';

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const text = (value: string) => Buffer.from(value).toString('hex');

/** Parses every prefix of a message: the parser must need more until the last byte and then consume exactly the message. */
function readAtEverySplit(hex: string) {
  const whole = bytes(hex);
  for (let length = 0; length < whole.length; length += 1)
    expect(parseSocks4Request(whole.subarray(0, length))).toEqual({ kind: 'more' });
  const parsed = parseSocks4Request(Buffer.concat([whole, bytes('47 45 54')]));
  if (parsed.kind !== 'message') throw new Error(parsed.kind);
  expect(parsed.length).toBe(whole.length);
  return parsed.message;
}

describe('SOCKS4 messages', () => {
  it('reads a request for an address', () => {
    expect(readAtEverySplit(`04 01 0050 01020304 ${text('me:secret')} 00`)).toEqual({
      command: 1,
      target: { host: { kind: 'address', bytes: Uint8Array.of(1, 2, 3, 4) }, port: 80 },
      credentials: { username: 'me', password: 'secret' },
    });
  });

  it('reads a request of 4a for a name, or for a literal that was sent as a name', () => {
    expect(readAtEverySplit(`04 01 01bb 00000001 00 ${text('A.test')} 00`)).toEqual({
      command: 1,
      target: { host: { kind: 'name', name: 'a.test' }, port: 443 },
      credentials: undefined,
    });
    const host = { kind: 'address', bytes: Uint8Array.of(127, 0, 0, 1) };
    expect(readAtEverySplit(`04 01 01bb 000000ff 00 ${text('127.1')} 00`)).toMatchObject({ target: { host } });
    expect(readAtEverySplit(`04 01 01bb 00000001 00 ${text('a b')} 00`).target).toBeUndefined();
  });

  it.each([
    ['me:se:cret', { username: 'me', password: 'se:cret' }],
    ['mé:é', { username: 'mé', password: 'é' }],
    ['me:', { username: 'me', password: '' }],
    ['me', undefined],
    ['', undefined],
  ])('takes credentials from the user id %j', (userId, credentials) => {
    expect(readAtEverySplit(`04 01 0050 01020304 ${text(userId)} 00`).credentials).toEqual(credentials);
  });

  it.each([
    ['another version', '05 01'],
    ['a user id that is too long', `04 01 0050 01020304 ${'61'.repeat(512)}`],
    ['a name that is too long', `04 01 0050 00000001 00 ${'61'.repeat(256)}`],
    ['an empty name', '04 01 0050 00000001 00 00'],
  ])('refuses %s before its end', (_name, hex) => {
    expect(parseSocks4Request(bytes(hex))).toEqual({ kind: 'failure', cause: 'malformed' });
  });

  it('accepts the longest user id and the longest name', () => {
    const request = `04 01 0050 00000001 ${'61'.repeat(511)} 00 ${'62'.repeat(255)} 00`;
    expect(parseSocks4Request(bytes(request))).toMatchObject({ kind: 'message', length: 8 + 512 + 256 });
  });

  it('encodes replies; an IPv6 address has no form in it', () => {
    expect(encodeSocks4Reply(0x5b).toString('hex')).toBe('005b000000000000');
    const bound = { address: Uint8Array.of(10, 0, 0, 1), port: 258 };
    expect(encodeSocks4Reply(SOCKS4_GRANTED, bound).toString('hex')).toBe('005a01020a000001');
    const ipv6 = { address: new Uint8Array(16).fill(7), port: 258 };
    expect(encodeSocks4Reply(SOCKS4_GRANTED, ipv6).toString('hex')).toBe('005a010200000000');
  });
});
