import { describe, expect, it } from 'vitest';
import { addressText } from './host.ts';
import { DATAGRAM_BYTES_MAX, encodeUdpHeader, readUdpTarget, udpHeaderLength } from './socks5.ts';

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');

/** Host, port and payload of a datagram, or why it must be dropped. */
function read(hex: string) {
  const datagram = bytes(hex);
  const length = udpHeaderLength(datagram);
  if (typeof length === 'string') return length;
  const target = readUdpTarget(datagram.subarray(0, length));
  const host = target && (target.host.kind === 'name' ? target.host.name : addressText(target.host.bytes));
  return { host, port: target?.port, payload: datagram.toString('hex', length) };
}

// Written by hand from RFC 1928, section 7: RSV (2), FRAG, ATYP, DST.ADDR, DST.PORT (2), DATA.
describe('the header of a datagram', () => {
  it.each([
    ['IPv4', '0000 00 01 08080808 0035 abcd', { host: '8.8.8.8', port: 53, payload: 'abcd' }],
    ['IPv4 without a payload', '0000 00 01 c0000201 01bb', { host: '192.0.2.1', port: 443, payload: '' }],
    ['IPv4 with the highest port', '0000 00 01 01010101 ffff 00', { host: '1.1.1.1', port: 65_535, payload: '00' }],
    [
      'IPv6',
      '0000 00 04 20010db8000000000000000000000001 01bb c3ff00000001',
      { host: '2001:db8::1', port: 443, payload: 'c3ff00000001' },
    ],
    ['a name', '0000 00 03 0b 6578616d706c652e6f7267 01bb 01', { host: 'example.org', port: 443, payload: '01' }],
    ['a name of one byte', '0000 00 03 01 61 0050', { host: 'a', port: 80, payload: '' }],
    ['an address as a name', '0000 00 03 07 312e322e332e34 0050 00', { host: '1.2.3.4', port: 80, payload: '00' }],
    ['an unusual address as a name', '0000 00 03 05 3132372e31 0050', { host: '127.0.0.1', port: 80, payload: '' }],
    // What Python's PySocks 1.7.1 and the npm package socks 2.8 send for 127.0.0.1, port 9.
    ['PySocks', '000000017f00000100097069 6e67', { host: '127.0.0.1', port: 9, payload: '70696e67' }],
  ])('is read: %s', (_name, hex, expected) => {
    expect(read(hex)).toEqual(expected);
  });

  it.each([
    ['nothing', '', 'malformed'],
    ['a reserved byte', '0100 00 01 08080808 0035', 'malformed'],
    ['the other reserved byte', '0001 00 01 08080808 0035', 'malformed'],
    ['the first fragment', '0000 01 01 08080808 0035 ab', 'fragment'],
    ['the last fragment', '0000 ff 01 08080808 0035 ab', 'fragment'],
    ['address type 0', '0000 00 00 08080808 0035', 'malformed'],
    ['address type 2', '0000 00 02 08080808 0035', 'malformed'],
    ['address type 5', '0000 00 05 08080808 0035', 'malformed'],
    ['port 0', '0000 00 01 08080808 0000 ab', 'malformed'],
    ['an empty name', '0000 00 03 00 0035 ab', 'malformed'],
    ['a name longer than the datagram', '0000 00 03 ff 61 0035', 'malformed'],
    ['a SOCKS5 greeting', '05 01 00', 'malformed'],
  ])('is refused: %s', (_name, hex, fault) => {
    expect(read(hex)).toBe(fault);
  });

  it('has no usable name if its bytes are no valid name', () => {
    expect(read('0000 00 03 03 612062 0035')).toEqual({ host: undefined, port: undefined, payload: '' });
    expect(read('0000 00 03 02 fffe 0035')).toMatchObject({ host: undefined });
  });

  it.each(['0000 00 01 08080808 0035', `0000 00 04 ${'20'.repeat(16)} 01bb`, '0000 00 03 03 612e62 0050'])(
    'is refused if it is cut anywhere: %s',
    (hex) => {
      const whole = bytes(hex);
      expect(udpHeaderLength(whole)).toBe(whole.length);
      for (let length = 0; length < whole.length; length += 1)
        expect(udpHeaderLength(whole.subarray(0, length))).toBe('malformed');
    },
  );

  it('is written for replies', () => {
    expect(encodeUdpHeader(Uint8Array.of(8, 8, 4, 4), 443).toString('hex')).toBe('000000010808040401bb');
    const ipv6 = bytes('20010db8000000000000000000000001');
    expect(encodeUdpHeader(ipv6, 53).toString('hex')).toBe('0000000420010db80000000000000000000000010035');
  });

  it('fits into the largest datagram: 65,535 bytes without the headers of IPv4 and UDP', () => {
    expect(DATAGRAM_BYTES_MAX).toBe(65_535 - 20 - 8);
  });
});
