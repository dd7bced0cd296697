import { describe, expect, it } from 'vitest';
import { isSpecialName } from './special-names.ts';

const special = [
  'internal db.internal metadata.google.internal local printer.local corp mail.corp home.arpa router.home.arpa lan',
  'invalid a.invalid localhost app.localhost x.onion 10.in-addr.arpa 1.2.3.10.in-addr.arpa 1.0.0.127.in-addr.arpa',
  '4.3.16.172.in-addr.arpa 31.172.in-addr.arpa 1.1.168.192.in-addr.arpa 254.169.254.169.in-addr.arpa',
  '1.64.100.in-addr.arpa 127.100.in-addr.arpa 255.255.255.255.in-addr.arpa lb._dns-sd._udp.0.1.168.192.in-addr.arpa',
  `${'0.'.repeat(32)}ip6.arpa 1.${'0.'.repeat(31)}ip6.arpa d.f.ip6.arpa 1.c.f.ip6.arpa 0.8.e.f.ip6.arpa 8.b.d.0.1.0.0.2.ip6.arpa`,
].flatMap((line) => line.split(' '));
const ordinary = [
  'example.com internal.example.com local.test notlocal mylocal.org com arpa in-addr.arpa 8.8.8.8.in-addr.arpa',
  '15.172.in-addr.arpa 32.172.in-addr.arpa 63.100.in-addr.arpa 128.100.in-addr.arpa 110.in-addr.arpa 1.1.1.1.in-addr.arpa',
  '1.1.1.1.0.0.7.4.6.0.6.2.ip6.arpa 2.ip6.arpa somehome.arpa.test',
].flatMap((line) => line.split(' '));

describe('names that are never sent to a name server', () => {
  it.each(special)('include %s', (name) => {
    expect(isSpecialName(name)).toBe(true);
  });

  it.each(ordinary)('do not include %s', (name) => {
    expect(isSpecialName(name)).toBe(false);
  });
});
