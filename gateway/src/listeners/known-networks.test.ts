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
