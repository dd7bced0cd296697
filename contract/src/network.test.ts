import { expect, test } from 'vitest';
import {
  canonicalAddress,
  clientNetwork,
  clientNetworks,
  isPrivateAddress,
  isPrivateHost,
  networkLimits,
  networkShare,
  parseAddressPrefix,
  parseNetwork,
} from './network.ts';

test.each([
  [
    true,
    ['127.0.0.1', '10.0.0.1', '172.16.0.1', '192.168.1.1', '169.254.1.1', '100.64.0.1', '::1', 'fd00::1', 'fe80::1'],
  ],
  [false, ['203.0.113.7', '1.1.1.1', '172.32.0.1', '2606:4700::1', '::ffff:1.1.1.1', 'localhost', '']],
])('%s: addresses that are not public', (isPrivate, addresses) => {
  expect(addresses.map(isPrivateAddress)).toEqual(addresses.map(() => isPrivate));
});

test.each([
  [true, ['127.0.0.1', '[fd00::1]', '10.0.0.1.', 'api', 'localhost', 'API.internal', 'node.lan.', 'a.b.home.arpa']],
  [false, ['203.0.113.7', '[2606:4700::1]', 'shop.example.com', 'localhost.example.com', 'internal.example.com.']],
])('%s: hosts that nobody else reads', (isPrivate, hosts) => {
  expect(hosts.map(isPrivateHost)).toEqual(hosts.map(() => isPrivate));
});

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
  ['nonsense', 'nonsense'],
])('%s counts as the network %s', (text, network) => {
  expect(clientNetwork(text)).toBe(network);
});

test('an IPv6 client counts in three networks, with a half, three quarters and all of a limit', () => {
  const networks = clientNetworks('2001:db8:1:203:4::5');
  expect(networks).toEqual(['2001:db8:1::/48', '2001:db8:1:200::/56', '2001:db8:1:203::/64']);
  expect(networks.map((_, level) => networkShare(30, level))).toEqual([30, 23, 15]);
  expect(clientNetworks('::ffff:203.0.113.7')).toEqual(['203.0.113.7']);
  expect(clientNetworks('nonsense')).toEqual(['nonsense']);
});

test('a /64 may cause as much load as an IPv4 address, its /56 twice and its /48 four times as much', () => {
  expect(networkLimits(clientNetworks('2001:db8:1:203:4::5'), 30)).toEqual([
    { name: '2001:db8:1:203::/64', limit: 30 },
    { name: '2001:db8:1:200::/56', limit: 60 },
    { name: '2001:db8:1::/48', limit: 120 },
  ]);
  expect(networkLimits(clientNetworks('203.0.113.7'), 30)).toEqual([{ name: '203.0.113.7', limit: 30 }]);
});

test.each([
  ['203.0.113.7', '203.0.113.7/32'],
  ['203.0.113.7/32', '203.0.113.7/32'],
  ['203.0.113.7/24', '203.0.113.0/24'],
  ['0.0.0.0/0', '0.0.0.0/0'],
  ['::ffff:203.0.113.7', '203.0.113.7/32'],
  ['2001:DB8::1', '2001:db8::1/128'],
  ['2001:db8:1:2ff::/56', '2001:db8:1:200::/56'],
  ['::ffff:203.0.113.0/120', undefined],
  ['::ffff:203.0.113.0/24', undefined],
  ['fe80::1%eth0', undefined],
  ['203.0.113.0/33', undefined],
  ['2001:db8::/129', undefined],
  ['203.0.113.0/024', undefined],
  ['203.0.113.0/-1', undefined],
  ['203.0.113.0/', undefined],
  ['203.0.113.0/24/24', undefined],
  ['127.1/24', undefined],
  ['', undefined],
])('the network %s is %s', (text, network) => {
  expect(parseNetwork(text)?.text).toBe(network);
});

test.each([
  ['203.0.113.0/24', '203.0.113.255', true],
  ['203.0.113.0/24', '::ffff:203.0.113.1', true],
  ['203.0.113.0/24', '203.0.114.0', false],
  ['203.0.113.7', '203.0.113.7', true],
  ['203.0.113.7', '203.0.113.8', false],
  ['2001:db8:1:200::/56', '2001:db8:1:2ff::9', true],
  ['2001:db8:1:200::/56', '2001:db8:1:300::', false],
  ['0.0.0.0/0', '2001:db8::1', false],
  ['::/0', '203.0.113.7', false],
  ['0.0.0.0/0', 'nonsense', false],
])('of %s the address %s is a part: %s', (network, address, isPart) => {
  expect(parseNetwork(network)!.contains(address)).toBe(isPart);
});

test.each([
  ['192.0.2.7', '192.0.2.7/32'],
  ['192.0.2', '192.0.2.0/24'],
  ['192.0.2.', '192.0.2.0/24'],
  ['10', '10.0.0.0/8'],
  ['192.0.2.0/25', '192.0.2.0/25'],
  ['2001:db8:', '2001:db8::/32'],
  ['2001:DB8::/32', '2001:db8::/32'],
  ['2001:db8::1', '2001:db8::1/128'],
  ['256', undefined],
  ['192.0.2.7.', undefined],
  ['1.2.3.4.5', undefined],
  ['berlin', undefined],
  ['', undefined],
])('the start of addresses %s is %s', (text, network) => {
  expect(parseAddressPrefix(text)).toBe(network);
});
