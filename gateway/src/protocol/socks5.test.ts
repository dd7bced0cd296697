import { describe, expect, it } from 'vitest';
import type { Parsed } from './message-reader.ts';
import { encodeReply, parseGreeting, parseRequest, parseUserPassword } from './socks5.ts';

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');

/**
 * Parses every prefix of a message: the parser must need more until the last byte and then consume exactly the message.
 * @returns the message, or the length of the prefix that failed
 */
function readAtEverySplit<Message>(parse: (input: Buffer) => Parsed<Message>, hex: string): Message | number {
  const whole = bytes(hex);
  for (let length = 0; length < whole.length; length += 1)
    if (parse(whole.subarray(0, length)).kind !== 'more') return length;
  const parsed = parse(Buffer.concat([whole, bytes('47 45 54')]));
  return parsed.kind === 'message' && parsed.length === whole.length ? parsed.message : whole.length;
}

describe('SOCKS5 messages', () => {
  it('reads a greeting', () => {
    expect(readAtEverySplit(parseGreeting, '05 02 00 02')).toEqual([0, 2]);
    expect(readAtEverySplit(parseGreeting, '05 00')).toEqual([]);
  });

  it('reads user and password in UTF-8', () => {
    expect(readAtEverySplit(parseUserPassword, '01 03 616263 02 c3a9')).toEqual({ username: 'abc', password: 'é' });
  });

  it.each([
    ['01 01 61 00', 'a', ''],
    ['01 00 01 61', '', 'a'],
    ['01 00 00', '', ''],
  ])('reads user and password of which one is empty: %s', (hex, username, password) => {
    expect(readAtEverySplit(parseUserPassword, hex)).toEqual({ username, password });
  });

  it('reads requests of all address types', () => {
    const ipv4 = { kind: 'address' as const, bytes: Uint8Array.of(1, 2, 3, 4) };
    expect(readAtEverySplit(parseRequest, '05 01 00 01 01020304 0050')).toEqual({
      command: 1,
      target: { host: ipv4, port: 80 },
    });
    const name = { kind: 'name' as const, name: 'a.test' };
    expect(readAtEverySplit(parseRequest, '05 01 00 03 06 612e74657374 01bb')).toEqual({
      command: 1,
      target: { host: name, port: 443 },
    });
    const ipv6 = { kind: 'address' as const, bytes: Uint8Array.from([...bytes('20010db8'), ...Array(11).fill(0), 1]) };
    expect(readAtEverySplit(parseRequest, `05 01 00 04 20010db8 ${'00'.repeat(11)} 01 0050`)).toEqual({
      command: 1,
      target: { host: ipv6, port: 80 },
    });
  });

  it('parses an address literal that was sent as a name', () => {
    const parsed = parseRequest(bytes('05 01 00 03 05 3132372e31 0050'));
    const host = { kind: 'address', bytes: Uint8Array.of(127, 0, 0, 1) };
    expect(parsed).toMatchObject({ message: { target: { host } } });
    const bracketed = { kind: 'address', bytes: Uint8Array.from([...Array(15).fill(0), 1]) };
    expect(parseRequest(bytes('05 01 00 03 05 5b3a3a315d 0050'))).toMatchObject({
      message: { target: { host: bracketed } },
    });
  });

  it.each([
    [parseGreeting, '04 01', 'malformed'],
    [parseUserPassword, '05', 'malformed'],
    [parseRequest, '04', 'malformed'],
    [parseRequest, '05 01 00 03 00', 'malformed'],
    [parseRequest, '05 01 00 02', 'address-type'],
  ] as const)('%o refuses %s', (parse, hex, cause) => {
    expect(parse(bytes(hex))).toEqual({ kind: 'failure', cause });
  });

  it('encodes replies with and without an address', () => {
    expect(encodeReply(5).toString('hex')).toBe('05050001000000000000');
    const bound = { address: Uint8Array.of(10, 0, 0, 1), port: 258 };
    expect(encodeReply(0, bound).toString('hex')).toBe('050000010a0000010102');
  });
});
