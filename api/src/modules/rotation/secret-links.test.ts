/** @module-tag thorough */
import { disconnect } from '@cellhop/contract/connections';
import { renewRotationLink } from '@cellhop/contract/rotation';
import { startView } from '@cellhop/contract/staff/view-as';
import { exportOwnData } from '@cellhop/contract/users';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createUser, type TestUser } from '../../../test/factories.ts';
import { createRotatedConnection } from '../../../test/rotated-connections.ts';
import { startTestApp, type TestApp } from '../../../test/test-app.ts';
import type { Ctx } from '../../ctx.ts';
import type { SecretKeys } from '../../secrets/keys.ts';
import { HELD_REQUESTS_MAX, readLink, resealSecrets, rotateAndWait } from './secret-links.service.ts';

let testApp: TestApp;
let customer: TestUser;
beforeAll(async () => {
  testApp = await startTestApp({ wrongTokensPerMinute: 20 });
  customer = await createUser(testApp, { balanceMicros: 100_000_000n });
});
afterAll(() => testApp.stop());

/** With its link, as a path of this server. */
async function createLinked() {
  const connection = await createRotatedConnection(testApp, customer);
  const renew = async () => (await customer.call(renewRotationLink, { params: { id: connection.id } })).data.link;
  const link = await renew();
  const open = (options: RequestInit = {}, path = new URL(link).pathname) => fetch(testApp.url + path, options);
  const orders = async () =>
    (await testApp.database.query('select 1 from exit_changes where exit_id = $1', [connection.exit.id])).length;
  return { ...connection, link, renew, open, orders };
}

/** The change that runs. It is awaited by the time that this returns. */
async function join(id: string) {
  const joined = Promise.withResolvers<void>();
  const tx: Ctx['tx'] = async (work, options) => {
    const result = await testApp.ctx.tx(work, options);
    joined.resolve();
    return result;
  };
  const outcome = rotateAndWait({ ...testApp.ctx, tx }, id, new AbortController().signal);
  await Promise.race([joined.promise, outcome]);
  return { outcome };
}

describe('the link of a connection', () => {
  test('changes the address without signing in, and answers when a check has seen another one', async () => {
    const { id, find, link, open, call, see, orders } = await createLinked();
    expect((await find()).rotation).toEqual({ state: 'READY', availableAt: null, link, everyMinutes: null });
    const answer = open();
    await expect.poll(async () => (await find()).rotation!.state).toBe('ROTATING');
    const joined = await join(id);
    await call();
    await see('198.51.100.8');
    const data = { state: 'COOLDOWN', oldIp: '198.51.100.1', newIp: '198.51.100.8', seconds: expect.any(Number) };
    const response = await answer;
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(await response.json()).toEqual({ data });
    expect([await joined.outcome, await orders()]).toEqual([data, 1]);
    const again = await open();
    expect([again.status, Number(again.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
    expect(Number(again.headers.get('retry-after'))).toBeGreaterThan(50);
  });

  test('is held for 25 s at most, or until the server stops; then it answers ROTATING, and a repeat joins the change', async () => {
    const { id, orders } = await createLinked();
    let nowMs = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 10_000));
    onTestFinished(() => clock.mockRestore());
    const rotating = { state: 'ROTATING', oldIp: '198.51.100.1', newIp: null, seconds: expect.any(Number) };
    expect(await rotateAndWait(testApp.ctx, id, new AbortController().signal)).toEqual(rotating);
    clock.mockRestore();
    expect(await rotateAndWait(testApp.ctx, id, AbortSignal.abort())).toEqual(rotating);
    expect(await orders()).toBe(1);
  });

  test('holds 500 requests of a process; the next one is answered at once', async () => {
    const { id, call, see, orders } = await createLinked();
    const { signal } = new AbortController();
    const requests = Array.from({ length: HELD_REQUESTS_MAX + 1 }, () => rotateAndWait(testApp.ctx, id, signal));
    expect(await Promise.race(requests)).toMatchObject({ state: 'ROTATING' });
    await call();
    await see('198.51.100.8');
    const states = (await Promise.all(requests)).map(({ state }) => state);
    expect(states.filter((state) => state === 'ROTATING')).toHaveLength(1);
    expect(states.filter((state) => state === 'COOLDOWN')).toHaveLength(500);
    expect(await orders()).toBe(1);
  });

  test('goes on for others when a client that waits for it leaves', async () => {
    const { id, find, open, call, see, orders } = await createLinked();
    const leaving = new AbortController();
    const left = open({ signal: leaving.signal });
    await expect.poll(async () => (await find()).rotation!.state).toBe('ROTATING');
    leaving.abort();
    await expect(left).rejects.toThrow('aborted');
    const { outcome } = await join(id);
    await call();
    await see('198.51.100.8');
    expect(await outcome).toMatchObject({ state: 'COOLDOWN', newIp: '198.51.100.8' });
    expect(await orders()).toBe(1);
  });

  test('changes nothing by HEAD, or when a browser fetches it in advance', async () => {
    const { open, orders } = await createLinked();
    expect((await open({ method: 'HEAD' })).status).toBe(200);
    for (const name of ['sec-purpose', 'purpose'])
      expect(await (await open({ headers: { [name]: 'prefetch;prerender' } })).json()).toMatchObject({
        data: { state: 'READY', newIp: null },
      });
    expect(await orders()).toBe(0);
  });

  test('is replaced by another one, and ends with its connection', async () => {
    const { id, open, renew, orders } = await createLinked();
    const newer = new URL(await renew()).pathname;
    expect((await open()).status).toBe(401);
    expect((await open({ method: 'HEAD' }, newer)).status).toBe(200);
    await customer.call(disconnect, { params: { id } });
    expect((await open({}, newer)).status).toBe(401);
    expect(await orders()).toBe(0);
    await expect(renew()).rejects.toMatchObject({ code: 'NOT_CONNECTED' });
  });

  test('is made by its owner alone, and is stored as a hash and encrypted', async () => {
    const { id, link } = await createLinked();
    const stranger = await createUser(testApp);
    await expect(stranger.call(renewRotationLink, { params: { id } })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const secret = new URL(link).pathname.split('/').at(-1)!;
    const rows = await testApp.database.query<{ hash: Buffer; sealed: Buffer }>(
      'select secret_hash as hash, secret_encrypted as sealed from connection_rotations',
    );
    for (const { hash, sealed } of rows)
      for (const stored of [hash, sealed]) {
        expect(stored.toString('latin1')).not.toContain(secret);
        expect(stored.toString('hex')).not.toContain(secret);
      }
  });

  test('is in no export, and is not shown to staff who see the app as the customer', async () => {
    const { id, link, find } = await createLinked();
    const secret = new URL(link).pathname.split('/').at(-1)!;
    expect((await find()).rotation).toMatchObject({ link });
    const owned = await customer.call(exportOwnData, {});
    expect(owned).toContain(id);
    expect(owned).not.toContain(secret);
    const admin = await createUser(testApp, { roleName: 'ADMIN' });
    const body = { reason: 'they asked for help' };
    const { data: view } = await admin.call(startView, { params: { id: customer.id }, body });
    const authorization = `Bearer ${view.accessToken}`;
    const seen = await fetch(`${testApp.url}/v1/proxies/connections?id=${id}`, { headers: { authorization } });
    expect(await seen.json()).toMatchObject({ data: [{ id, rotation: { state: 'READY', link: null } }] });
  });

  test('is encrypted again with the newest key', async () => {
    const { id, link } = await createLinked();
    await testApp.database.query(`update connection_rotations set created_at = created_at - interval '2 minutes'`);
    const [current] = testApp.ctx.config.secretKeys;
    const newest = 'a newer secret key of this test, 1234';
    const configOf = (...keys: string[]) => ({ ...testApp.ctx.config, secretKeys: keys as unknown as SecretKeys });
    const START = { createdAt: '-infinity', id: '00000000-0000-0000-0000-000000000000' };
    await resealSecrets({ ...testApp.ctx, config: configOf(newest, current) }, START, 1000);
    const [row] = await testApp.database.query<{ sealed: Buffer }>(
      'select secret_encrypted as sealed from connection_rotations where connection_id = $1',
      [id],
    );
    expect(readLink(configOf(newest), id, row!.sealed)).toBe(link);
    expect(readLink(configOf(current), id, row!.sealed)).toBeNull();
  });

  // The last one: this network is refused afterwards.
  test('cannot be guessed: wrong ones count as wrong tokens of their network', async () => {
    const { open } = await createLinked();
    const statuses = new Set<number>();
    for (let guess = 0; guess < 40; guess += 1) statuses.add((await open({}, `/v1/rotate/${'a'.repeat(40)}`)).status);
    expect([...statuses]).toEqual([401, 429]);
  });
});
