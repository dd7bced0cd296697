import type { Exit as ExitDescription } from '@cellhop/contract/exits';
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Exit } from './exit.ts';
import { Exits } from './exits.ts';

function registry() {
  const events: string[] = [];
  const exits = new Exits((exit) => {
    const address = 'host' in exit ? exit.host : (exit as { address?: string | null }).address;
    events.push(`open ${address}`);
    const check = () => Promise.resolve(void events.push(`check ${address}`));
    return { close: () => void events.push(`close ${address}`), check } as Exit;
  });
  const ids = new Map<string | null, string>();
  const get = (address: string | null, id = ids.get(address) ?? randomUUID()) => {
    ids.set(address, id);
    return exits.get({ kind: 'local-address', id, address });
  };
  return { exits, get, events };
}

it('opens an exit once for all connections with its id', () => {
  const { get, events } = registry();
  const id = randomUUID();
  expect(get('10.0.0.1', id)).toBe(get('10.0.0.1', id));
  expect(get('10.0.0.1', randomUUID())).not.toBe(get('10.0.0.1', id));
  expect(events).toEqual(['open 10.0.0.1', 'open 10.0.0.1']);
});

it('checks used exits, closes unused ones, and opens them again on demand', async () => {
  const { exits, get, events } = registry();
  const used = get('10.0.0.1');
  get('10.0.0.2');
  await exits.check(new Set([used]));
  expect(events.slice(2)).toEqual(['close 10.0.0.2', 'check 10.0.0.1']);
  await exits.check(new Set());
  expect(events.slice(4)).toEqual(['close 10.0.0.1']);
  get('10.0.0.1');
  expect(events.slice(5)).toEqual(['open 10.0.0.1']);
});

it('opens a changed exit again, and keeps the old one for existing connections', async () => {
  const { exits, get, events } = registry();
  const id = randomUUID();
  const before = get('10.0.0.1', id);
  const after = get('10.0.0.2', id);
  expect(after).not.toBe(before);
  await exits.check(new Set([before]));
  expect(events.slice(2)).toEqual(['close 10.0.0.2', 'check 10.0.0.1']);
  expect(get('10.0.0.2', id)).not.toBe(after);
  await exits.check(new Set());
  expect(events.filter((event) => event.startsWith('close'))).toHaveLength(3);
});

it('tells an open exit where its names are resolved now, and opens no other for it', () => {
  const { exits, events } = registry();
  const upstream: ExitDescription = { kind: 'http', id: randomUUID(), host: 'a.test', port: 8080 };
  const opened = exits.get({ ...upstream, names: 'exit' });
  for (const names of ['node', 'exit', undefined] as const) {
    expect(exits.get({ ...upstream, ...(names && { names }) })).toBe(opened);
    expect(opened.resolvesNames).toBe(names === 'exit');
  }
  expect(events).toEqual(['open a.test']);
});

it('opens another exit when the credentials or the id change, even for the same host', () => {
  const { exits, events } = registry();
  const id = randomUUID();
  const upstream = (password: string, own?: string): ExitDescription => {
    return { kind: 'socks5', id: own ?? id, host: 'a.test', port: 1080, credentials: { username: 'u', password } };
  };
  const first = exits.get(upstream('one'));
  expect(exits.get(upstream('one'))).toBe(first);
  expect(exits.get(upstream('two'))).not.toBe(first);
  expect(exits.get(upstream('two', randomUUID()))).not.toBe(exits.get(upstream('two')));
  expect(events).toEqual(['open a.test', 'open a.test', 'open a.test']);
});
