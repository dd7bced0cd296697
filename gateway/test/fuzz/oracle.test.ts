import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FakeConnection } from '../control-plane.ts';
import { type Harness, socks5Greeting, socks5Login, startHarness } from '../gateway-harness.ts';
import { runClient, type Transcript } from './client.ts';
import { checkTrial } from './oracle.ts';
import type { Plan } from './plan.ts';
import { parseClient } from './reference-parser.ts';
import { LIMITS } from './settings.ts';

const TIMEOUT_MS = 60_000;

describe('the oracle of a SOCKS5 client with a valid login and no valid request', () => {
  let harness: Harness;
  let connection: FakeConnection;
  beforeAll(async () => {
    harness = await startHarness({ limits: LIMITS });
  });
  afterAll(() => harness.stop());

  function createPlan(): Plan {
    connection = harness.control.sell();
    return {
      index: 0,
      kind: 'socks5 other command',
      mutations: ['duplicated message'],
      bytes: Buffer.concat([socks5Greeting, socks5Login(connection), socks5Login(connection)]),
      cuts: [],
      pauseMs: 0,
      leaving: 'wait',
      leaveAfterMs: 0,
      readMode: 'immediately',
      origin: { protocol: 'tunnel', behaviour: 'echo', bytes: 0 },
    };
  }

  function check(plan: Plan, transcript: Transcript): string[] {
    const parsed = parseClient(plan.bytes, new Map([[connection.username, connection]]));
    expect(parsed.stage).toBe('request');
    const context = { originPort: 1, gatewayPort: harness.gateway.port, logins: [connection], poorLogin: connection };
    return checkTrial({ plan, parsed, connections: [], transcript }, context);
  }

  it('accepts a refusal of the request when the control plane answers', async () => {
    const plan = createPlan();
    const transcript = await runClient(plan, harness.gateway.port, TIMEOUT_MS);
    expect(transcript.received.subarray(0, 6).toString('hex')).toBe('050201000501');
    expect(check(plan, transcript)).toEqual([]);
  });

  it('accepts a refusal of the login when the handshake times out before the control plane has answered', async () => {
    const plan = createPlan();
    harness.control.isUnresponsive = true;
    const transcript = await runClient(plan, harness.gateway.port, TIMEOUT_MS);
    harness.control.isUnresponsive = false;
    expect(transcript.received.toString('hex')).toBe('05020101');
    expect(check(plan, transcript)).toEqual([]);
    const sooner = { ...transcript, milliseconds: LIMITS.handshakeMs - 1 };
    expect(check(plan, sooner)).toEqual(['refused a valid login (socks5 other command; duplicated message)']);
  });

  it('accepts the refusal of a greeting that the gateway has read too late, and of none that came sooner', () => {
    const received = Buffer.from('05ff', 'hex');
    const late: Transcript = { received, end: 'ended', isWritten: true, milliseconds: LIMITS.handshakeMs };
    expect(check(createPlan(), late)).toEqual([]);
    const sooner = { ...late, milliseconds: LIMITS.handshakeMs - 1 };
    expect(check(createPlan(), sooner)).toEqual(['replied 05ff at request (socks5 other command; duplicated message)']);
  });
});
