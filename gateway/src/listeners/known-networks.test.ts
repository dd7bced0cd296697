import { expect, test } from 'vitest';
import { KnownNetworks } from './known-networks.ts';

test('one connection makes few networks known, and only displaces its own', () => {
  const networks = new KnownNetworks();
  networks.authenticated('192.0.2.1', 'customer');
  for (let index = 0; index < 30_000; index += 1) networks.authenticated(`2001:db8:${index}::/64`, 'attacker');
  expect(networks.size).toBe(65);
  expect(networks.connectionId('192.0.2.1')).toBe('customer');
  expect(networks.connectionId('2001:db8:29936::/64')).toBe('attacker');
  expect(networks.connectionId('2001:db8:29935::/64')).toBeUndefined();
});

test('a network belongs to the connection that has authenticated there last', () => {
  const networks = new KnownNetworks();
  networks.authenticated('192.0.2.1', 'one');
  networks.authenticated('192.0.2.1', 'other');
  expect(networks.connectionId('192.0.2.1')).toBe('other');
  expect(networks.size).toBe(1);
});

test('of too many networks, those are forgotten where no client has authenticated for longest', () => {
  const networks = new KnownNetworks();
  for (let index = 0; index < 20_000; index += 1) networks.authenticated(`network ${index}`, `connection ${index}`);
  networks.authenticated('network 0', 'connection 0');
  networks.authenticated('network 20000', 'connection 20000');
  expect(networks.size).toBe(20_000);
  expect(networks.connectionId('network 0')).toBe('connection 0');
  expect(networks.connectionId('network 1')).toBeUndefined();
});

test('where a connection was bought, its buyer is known until it ends', () => {
  const networks = new KnownNetworks();
  networks.bought(['one', 'two'].map((connectionId) => ({ connectionId, network: '192.0.2.1' })));
  expect(networks.connectionId('192.0.2.1')).toBe('one');
  networks.authenticated('192.0.2.1', 'other');
  expect(networks.connectionId('192.0.2.1')).toBe('other');
  for (let index = 0; index < 64; index += 1) networks.authenticated(`network ${index}`, 'other');
  networks.ended('one');
  expect(networks.connectionId('192.0.2.1')).toBe('two');
  networks.ended('two');
  expect(networks.connectionId('192.0.2.1')).toBeUndefined();
});

test('the list of open purchases replaces what was known, but not what was bought since it was asked for', () => {
  const networks = new KnownNetworks();
  networks.bought([{ connectionId: 'ended', network: '192.0.2.1' }]);
  const askedAt = performance.now() + 1;
  networks.listed([{ connectionId: 'open', network: '192.0.2.2' }], askedAt);
  networks.bought([{ connectionId: 'new', network: '192.0.2.3' }]);
  networks.listed([{ connectionId: 'open', network: '192.0.2.2' }], 0);
  const known = ['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((network) => networks.connectionId(network));
  expect(known).toEqual([undefined, 'open', 'new']);
});

test('of more purchases than a node has connections, the first are forgotten', () => {
  const networks = new KnownNetworks();
  for (let index = 0; index <= 20_000; index += 1)
    networks.bought([{ connectionId: `connection ${index}`, network: `network ${index}` }]);
  expect(networks.connectionId('network 0')).toBeUndefined();
  expect(networks.connectionId('network 1')).toBe('connection 1');
});
