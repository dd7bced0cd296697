import { expect, test } from 'vitest';
import { canonicalAddress, clientNetwork } from './network.ts';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['::ffff:cb00:7107', '203.0.113.7'],
  ['::FFFF:203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113', undefined],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['127.1', undefined],
  ['0x7f.0.0.1', undefined],
  ['010.0.0.1', undefined],
  ['unknown', undefined],
  ['', undefined],
  ["1.2.3.4'; drop table users", undefined],
])('the canonical address of %s is %s', (text, address) => {
  expect(canonicalAddress(text)).toBe(address);
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['::1', '::/64'],
  ['nonsense', 'unknown'],
])('%s counts as the network %s', (text, network) => {
  expect(clientNetwork(text)).toBe(network);
});
