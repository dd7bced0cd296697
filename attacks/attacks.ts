/** What strangers and free accounts do to the API; each goes on until it is told to stop. */
import { signIn, refreshTokens } from '@cellhop/contract/auth';
import { LIVE_EVENTS_PATH } from '@cellhop/contract/live';
import { exportTransactions } from '@cellhop/contract/transactions';
import { createTicket } from '@cellhop/contract/support';
import { getProfile } from '@cellhop/contract/users';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, type Target } from './client.ts';

/** How many sockets of the tested attack took 5.7 GB. */
const SOCKETS = 5750;
/** Opened at once; then it is looked how far the server is. */
const BATCH = 50;
const SLICE_MS = 20;
const SIGN_INS_AT_ONCE = 620;
const WORKERS_MIN = 64;

export interface Attack {
  readonly name: string;
  run: (client: Client) => Promise<void>;
}

export const attacks: readonly Attack[] = [
  { name: 'unfinished bodies', run: (client) => holdSockets(client, unfinishedBody(client.target)) },
  {
    name: 'unfinished headers',
    run: (client) => holdSockets(client, `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(8000)}`),
  },
  { name: 'bodies byte by byte', run: (client) => holdSockets(client, byteByByte(client.target)) },
  { name: 'early disconnected streams', run: leaveStreamsEarly },
  { name: 'wrong access tokens', run: (client) => ask(client, () => get(client, getProfile.url, wrongAccessToken())) },
  { name: 'wrong refresh tokens', run: (client) => ask(client, () => wrongRefresh(client)) },
  { name: 'a burst of sign-ins', run: burstOfSignIns },
  { name: 'slow readers of answers', run: (client) => holdSockets(client, get(client, '/docs/json').repeat(8), true) },
  {
    name: 'slow readers of exports',
    run: (client) => holdSockets(client, signed(client, exportTransactions.url), true),
  },
  { name: 'pipelined requests', run: (client) => holdSockets(client, get(client, '/v1/settings').repeat(800), true) },
  { name: 'unknown fields', run: askForUnknownFields },
];

/**
 * Keeps as many sockets as it can get; which the server closes are opened again. Who does not read does not hear of that
 * either, so the oldest are replaced.
 */
async function holdSockets(client: Client, bytes: string, isLazy = false): Promise<void> {
  while (client.isOn()) {
    if (isLazy && client.openCount >= SOCKETS) client.leave(BATCH);
    for (let index = 0; index < BATCH && client.openCount < SOCKETS; index += 1) client.open(bytes, isLazy);
    await pause(SLICE_MS);
  }
}

/** One request after the other on each of some sockets that are kept, from all addresses. */
async function ask(client: Client, request: () => string): Promise<void> {
  await Promise.all(
    Array.from({ length: Math.max(WORKERS_MIN, client.target.addresses.length) }, async () => {
      while (client.isOn()) await client.exchange(request());
    }),
  );
}

/** In one packet with the request goes its end: it has left before it is known who it is. */
async function leaveStreamsEarly(client: Client): Promise<void> {
  while (client.isOn()) {
    for (let index = 0; index < BATCH; index += 1) client.openAndLeave(signed(client, LIVE_EVENTS_PATH));
    await pause(5 * SLICE_MS);
  }
}

async function burstOfSignIns(client: Client): Promise<void> {
  while (client.isOn()) {
    const burst = Array.from({ length: SIGN_INS_AT_ONCE }, () =>
      client.exchange(
        post(client, signIn.url, {
          email: `${randomBytes(6).toString('hex')}@example.com`,
          password: 'not the password',
        }),
      ),
    );
    await Promise.all(burst);
  }
}

function unfinishedBody({ host }: Target): string {
  const body = `{"email":"${'x'.repeat(7900)}`;
  return `POST ${signIn.url} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 8192\r\n\r\n${body}`;
}

function byteByByte({ host }: Target): string {
  const chunks = '1\r\nx\r\n'.repeat(8000);
  return `POST ${signIn.url} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`;
}

function get({ target }: Client, path: string, token?: string): string {
  const authorization = token === undefined ? '' : `Authorization: Bearer ${token}\r\n`;
  return `GET ${path} HTTP/1.1\r\nHost: ${target.host}\r\n${authorization}\r\n`;
}

const signed = (client: Client, path: string) => get(client, path, client.target.accessToken);

function post({ target }: Client, path: string, body: unknown): string {
  const text = JSON.stringify(body);
  const fields = [
    `Host: ${target.host}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `Authorization: Bearer ${target.accessToken}`,
  ];
  return `POST ${path} HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n${text}`;
}

const toPart = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Well-formed, so that its signature has to be looked at. */
function wrongAccessToken(): string {
  const claims = { sub: 'user', sid: 'session', exp: 4_000_000_000 };
  return `${toPart({ alg: 'HS256', typ: 'JWT' })}.${toPart(claims)}.${randomBytes(32).toString('base64url')}`;
}

/** Of a free account's own session, with a refresh token of the right form. */
function wrongRefresh(client: Client): string {
  const { accessToken } = client.target;
  return post(client, refreshTokens.url, { accessToken, refreshToken: randomBytes(32).toString('base64url') });
}

function askForUnknownFields(client: Client): Promise<void> {
  const fields = Array.from({ length: 6000 }, (_, index) => [`f${index}`, 1]);
  const request = post(client, createTicket.url, Object.fromEntries(fields));
  return ask(client, () => request);
}
