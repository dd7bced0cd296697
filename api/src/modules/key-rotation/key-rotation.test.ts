/** @module-tag thorough */
import { logout, refreshTokens, signIn } from '@cellhop/contract/auth';
import { connect, listConnections } from '@cellhop/contract/connections';
import { getReceipt, getReceiptKey } from '@cellhop/contract/receipts';
import { getProfile } from '@cellhop/contract/users';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProxy, createUser, PASSWORD, type TestUser } from '../../../test/factories.ts';
import { createGatewayRun } from '../../../test/gateway-client.ts';
import { activateSecondFactor } from '../../../test/second-factor.ts';
import { startSecondApp, startTestApp, type TestApp } from '../../../test/test-app.ts';
import { checkReceipt } from '../../../../tools/receipt-checker/check.mjs';
import type { SecretKeys } from '../../secrets/keys.ts';
import { registerNode } from '../gateway/gateway.service.ts';
import { order } from '../../../test/operator.ts';
import { replaceKey } from '../../commands/replace-key.ts';
import { recordStart, requireMatch } from '../installation/installation.service.ts';
import { countSecrets, readKeyFigures, reseal } from './key-rotation.service.ts';

const OLD = 'the old secret key of the tests, 1';
const NEW = 'the new secret key of the tests, 2';

let before: TestApp;
let during: TestApp;
let after: TestApp;
beforeAll(async () => {
  before = await startTestApp({ secretKeys: [OLD] });
  [during, after] = [await withKeys([NEW, OLD]), await withKeys([NEW])];
  await registerNode(before.ctx);
});
afterAll(async () => {
  await during.stop();
  await after.stop();
  await before.stop();
});

/** Another API process on the same database. */
const withKeys = (secretKeys: SecretKeys) => startSecondApp(before, { secretKeys });
const buy = async (test: TestApp, user: TestUser) => {
  const body = { id: await createProxy(test), price: 0.8 };
  return (await test.call(connect, { body }, { headers: user.headers })).data;
};
const passwordsOf = async (test: TestApp, user: TestUser) =>
  (await test.call(listConnections, { query: {} }, { headers: user.headers })).data.map(({ password }) => password);
/** Backdates rows, because those of the last minute are skipped. */
const letTimePass = async () => {
  await before.database.query(`update connections set created_at = created_at - interval '2 minutes'`);
  await before.database.query(`update second_factors set created_at = created_at - interval '2 minutes'`);
};
const metricOf = async (test: TestApp, name: string) => {
  const text = await (await fetch(`${test.url}/metrics`)).text();
  const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
  return value === undefined ? undefined : Number(value);
};

describe('after a change of SECRET_KEY', () => {
  test('existing tokens work while the old key is in the setting, and are exchanged for ones of the new key', async () => {
    const user = await createUser(before);
    const session = (await before.call(signIn, { body: { email: user.email, password: PASSWORD } })).data;
    const headers = { authorization: `Bearer ${session.accessToken}` };
    await during.call(getProfile, {}, { headers });
    await expect(after.call(getProfile, {}, { headers })).rejects.toMatchObject({ status: 401 });
    const { accessToken, refreshToken } = session;
    const next = (await during.call(refreshTokens, { body: { accessToken, refreshToken } })).data;
    await after.call(logout, {}, { headers: { authorization: `Bearer ${next.accessToken}` } });
  });

  test('an existing receipt can be verified with its key, which stays published', async () => {
    const user = await createUser(before, { balanceMicros: 5_000_000n });
    const { id } = await buy(before, user);
    const { data: receipt } = await before.call(getReceipt, { params: { id } }, { headers: user.headers });
    for (const test of [during, after]) {
      const { data: keys } = await test.call(getReceiptKey, {});
      expect(keys.keyId).not.toBe(receipt.keyId);
      const key = keys.olderKeys.find(({ keyId }) => keyId === receipt.keyId);
      expect(await checkReceipt(receipt, { publicKey: key!.publicKey })).toBeUndefined();
    }
    const { data: newer } = await during.call(getReceipt, { params: { id } }, { headers: user.headers });
    const { data: keys } = await during.call(getReceiptKey, {});
    expect(await checkReceipt(newer, { publicKey: keys.publicKey })).toBeUndefined();
  });

  test('stored passwords, their hashes and second factors get the new key, and the old one can be removed', async () => {
    const user = await createUser(before, { balanceMicros: 5_000_000n });
    const guarded = await createUser(before);
    const { freshCode } = await activateSecondFactor(before, guarded);
    const connection = await buy(before, user);
    expect(await passwordsOf(during, user)).toEqual([connection.password]);
    await letTimePass();
    await reseal(during.ctx);
    expect(await passwordsOf(during, user)).toEqual([connection.password]);
    expect(await metricOf(during, 'secrets_to_reseal')).toBe(0);
    expect(await metricOf(during, 'recovery_codes_of_older_keys')).toBe(10);
    expect(await metricOf(after, 'secrets_to_reseal')).toBeUndefined();
    expect(await createGatewayRun(after).authorize(connection)).toMatchObject({ isAuthorized: true });
    const body = { email: guarded.email, password: PASSWORD, secondFactorCode: await freshCode() };
    const { data } = await after.call(signIn, { body });
    const listed = await after.call(getProfile, {}, { headers: { authorization: `Bearer ${data.accessToken}` } });
    expect(listed.data.id).toBe(guarded.id);
  });

  test('rows that a process with the old setting adds meanwhile are found too', async () => {
    const user = await createUser(before, { balanceMicros: 5_000_000n });
    await letTimePass();
    await reseal(during.ctx);
    const connection = await buy(before, user);
    await before.database.query(`update connections set created_at = now() - interval '90 seconds' where id = $1`, [
      connection.id,
    ]);
    await reseal(during.ctx);
    expect(await createGatewayRun(after).authorize(connection)).toMatchObject({ isAuthorized: true });
  });

  test('the new key is that of the database once everything is encrypted with it, and either fits until then', async () => {
    await recordStart(before.ctx);
    await letTimePass();
    for (const { ctx } of [before, during]) await requireMatch(ctx);
    await expect(requireMatch(after.ctx)).rejects.toThrow('SECRET_KEY does not contain the key of this database');
    await reseal(during.ctx);
    for (const { ctx } of [during, after]) await requireMatch(ctx);
    await expect(requireMatch(before.ctx)).rejects.toThrow('SECRET_KEY does not contain the key of this database');
  });

  test('a lost key can be replaced', async () => {
    const user = await createUser(before, { balanceMicros: 5_000_000n });
    await buy(before, user);
    await letTimePass();
    await before.database.query('delete from installation');
    const stranger = await withKeys(['a third secret key of the tests, 3']);
    await recordStart(before.ctx);
    const { passwords, secondFactors, recoveryCodes } = await countSecrets(stranger.ctx);
    const lost = `${passwords} passwords of connections, ${secondFactors} second factors with ${recoveryCodes} recovery codes`;
    expect(await order(stranger.ctx, replaceKey, [])).toMatchObject({ output: expect.stringContaining(lost) });
    await expect(requireMatch(stranger.ctx)).rejects.toThrow('SECRET_KEY does not contain the key');
    await order(stranger.ctx, replaceKey, ['--lost']);
    await requireMatch(stranger.ctx);
    await stranger.stop();
  });

  test('a locked row is skipped, reported as remaining, and processed later', async () => {
    const user = await createUser(before, { balanceMicros: 5_000_000n });
    const connection = await buy(before, user);
    await before.database.query('delete from resealings');
    await letTimePass();
    const holder = new pg.Client({ connectionString: before.ctx.config.databaseUrl });
    await holder.connect();
    await holder.query('begin');
    await holder.query('select from connections where id = $1 for update', [connection.id]);
    await reseal(during.ctx);
    expect((await readKeyFigures(during.ctx)).secretsToReseal).toBeGreaterThan(0);
    await holder.end();
    await reseal(during.ctx);
    expect(await readKeyFigures(during.ctx)).toMatchObject({ secretsToReseal: 0, unreadableSecrets: 0 });
    expect(await createGatewayRun(after).authorize(connection)).toMatchObject({ isAuthorized: true });
  });
});

describe('a row that no key decrypts', () => {
  test('is shown without its password and counted', async () => {
    const user = await createUser(before, { balanceMicros: 5_000_000n });
    const lost = await buy(before, user);
    // A session signed with the newest key.
    const { data } = await after.call(signIn, { body: { email: user.email, password: PASSWORD } });
    const owner = { ...user, headers: { authorization: `Bearer ${data.accessToken}` } };
    const kept = await buy(after, owner);
    const passwords = await passwordsOf(after, owner);
    expect(passwords).toHaveLength(2);
    expect(passwords).toEqual(expect.arrayContaining([null, kept.password]));
    const third = await withKeys([NEW, 'a third secret key of the tests, 3']);
    await before.database.query('delete from resealings');
    await letTimePass();
    await reseal(third.ctx);
    expect(await metricOf(third, 'secrets_unreadable')).toBe(1);
    await third.stop();
    expect(await passwordsOf(during, owner)).toContain(lost.password);
  });

  test('of a second factor refuses the code without a server error', async () => {
    const user = await createUser(before);
    const { freshCode } = await activateSecondFactor(before, user);
    const body = { email: user.email, password: PASSWORD, secondFactorCode: await freshCode() };
    await expect(after.call(signIn, { body })).rejects.toMatchObject({ status: 400, code: 'SECOND_FACTOR_INVALID' });
  });
});
