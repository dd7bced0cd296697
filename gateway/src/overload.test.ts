/** @module-tag thorough */
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../tools/ports.mjs';
import { basic, type Credentials, type Harness, openClient, readMetric } from '../test/gateway-harness.ts';
import { type Reader, until } from '../test/sockets.ts';
import { startNode } from '../test/udp-harness.ts';
import { defaultLimits } from './limits.ts';

const { authorizationsAtOnce } = defaultLimits;
const GUESSERS = 3 * authorizationsAtOnce;

/** Opens a client of another network, which asks for a destination where nothing listens: 502 means that it was let in. */
async function request({ gateway }: Harness, login: Credentials | undefined, index = 0): Promise<Reader> {
  const client = await openClient(gateway.port, `127.30.${index >> 7}.${1 + (index & 127)}`);
  onTestFinished(() => void client.socket.destroy());
  const field = login ? `Proxy-Authorization: ${basic(login)}\r\n` : '';
  client.socket.write(`CONNECT 127.0.0.1:${await freePort()} HTTP/1.1\r\nHost: x\r\n${field}\r\n`);
  return client;
}

const statusOf = async (client: Reader) => Number((await client.takeUntil('\r\n\r\n')).slice(9, 12));

/** Strangers send unknown passwords, while the control plane answers none of them. */
async function overload(harness: Harness, login: (index: number) => Credentials | undefined) {
  const { control } = harness;
  const { promise, resolve: end } = Promise.withResolvers<void>();
  control.delaysAuthorizationsUntil = promise;
  const guessers: Reader[] = [];
  for (let index = 0; index < GUESSERS; index += 1) guessers.push(await request(harness, login(index), index));
  return { guessers, end };
}

const guess = (index: number) => ({ username: `unknown-${index}`, password: 'guessed' });

describe('an overload of unknown passwords', () => {
  it('has a bounded number of calls at once, so that reports and right passwords are not shed by the control plane', async () => {
    const harness = await startNode({ limits: { updateIntervalMs: 20 } });
    const { control } = harness;
    control.authorizationsAtOnceMax = authorizationsAtOnce;
    const connection = control.sell();
    const { guessers, end } = await overload(harness, guess);
    await until(() => control.authorizationsRequested === authorizationsAtOnce);
    for (const guesser of guessers) guesser.socket.destroy();
    const customer = await request(harness, connection, GUESSERS);
    // What came later is answered, so the password is waiting.
    expect(await statusOf(await request(harness, { username: '', password: 'x' }, GUESSERS + 1))).toBe(407);
    await until(() => control.calls.update > 1);
    end();
    expect(await statusOf(customer)).toBe(502);
    // Whoever came last is asked for first: nobody waits behind clients that have left.
    expect(control.authorizedNames.indexOf(connection.username)).toBeLessThanOrEqual(authorizationsAtOnce);
    expect(control.authorizationsShed).toBe(0);
  });

  it('whose calls the control plane sheds leaves nothing behind: the next right password gets in', async () => {
    const harness = await startNode();
    const { control } = harness;
    const [customer, other] = [control.sell(), control.sell()];
    control.authorizationsAtOnceMax = 0;
    const { guessers } = await overload(harness, guess);
    for (const guesser of guessers) expect(await statusOf(guesser)).toBe(503);
    expect(await statusOf(await request(harness, customer))).toBe(503);
    control.authorizationsAtOnceMax = authorizationsAtOnce;
    control.delaysAuthorizationsUntil = undefined;
    expect(await statusOf(await request(harness, customer))).toBe(502);
    expect(await statusOf(await request(harness, other, 1))).toBe(502);
    expect(await readMetric(harness.gateway, 'gateway_refusals_total', { reason: 'control-plane-unavailable' })).toBe(
      GUESSERS + 1,
    );
  });
});
