/** Attacks on the API by anonymous clients and free accounts; each runs until it is stopped. */
import { signIn, refreshTokens } from '@cellhop/contract/auth';
import { LIVE_EVENTS_PATH } from '@cellhop/contract/live.values';
import { checkImport } from '@cellhop/contract/staff/inventory';
import { exportTransactions, listTransactions } from '@cellhop/contract/transactions';
import { createTicket } from '@cellhop/contract/tickets';
import { getProfile } from '@cellhop/contract/users';
import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, type Target } from './client.ts';

/** With this number of sockets, an attack once took 5.7 GB of memory. */
const SOCKETS = 5750;
/** Sockets per step. */
const BATCH = 50;
const SLICE_MS = 20;
const SIGN_INS_AT_ONCE = 620;
const WORKERS_MIN = 64;
const PARALLEL_CALLS = 100;
/** A file of 13 MB. */
const FILE_ROWS = 90_000;

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
  { name: 'early disconnected streams', run: disconnectStreamsEarly },
  {
    name: 'wrong access tokens',
    run: (client) => sendRequests(client, () => get(client, getProfile.url, wrongAccessToken())),
  },
  { name: 'wrong refresh tokens', run: (client) => sendRequests(client, () => wrongRefresh(client)) },
  { name: 'a burst of sign-ins', run: burstOfSignIns },
  {
    name: 'slow readers of responses',
    run: (client) => holdSockets(client, get(client, '/docs/json').repeat(8), true),
  },
  {
    name: 'slow readers of exports',
    run: (client) => holdSockets(client, signed(client, exportTransactions.url), true),
  },
  { name: 'pipelined requests', run: (client) => holdSockets(client, get(client, '/v1/settings').repeat(800), true) },
  { name: 'unknown fields', run: sendUnknownFields },
  { name: 'parallel calls of one customer', run: callInParallel },
  { name: 'minified files of staff', run: (client) => sendFiles(client, minifiedFile()) },
  { name: 'files of brackets by staff', run: (client) => sendFiles(client, `[{"ip":${'['.repeat(5_000_000)}`) },
];

/**
 * Keeps as many sockets open as possible; opens a new one for each that the server closes. A client that never reads does not
 * detect a close either, so the oldest sockets are replaced.
 */
async function holdSockets(client: Client, bytes: string, neverReads = false): Promise<void> {
  while (client.isRunning()) {
    if (neverReads && client.openCount >= SOCKETS) client.resetOldest(BATCH);
    for (let index = 0; index < BATCH && client.openCount < SOCKETS; index += 1) client.open(bytes, neverReads);
    await pause(SLICE_MS);
  }
}

/** Sends requests sequentially on each of some persistent connections, from all addresses. */
async function sendRequests(client: Client, request: () => string): Promise<void> {
  await Promise.all(
    Array.from({ length: Math.max(WORKERS_MIN, client.target.addresses.length) }, async () => {
      while (client.isRunning()) await client.exchange(request());
    }),
  );
}

/** Sends the request and a reset together: the client has disconnected before it is authenticated. */
async function disconnectStreamsEarly(client: Client): Promise<void> {
  while (client.isRunning()) {
    for (let index = 0; index < BATCH; index += 1) client.openAndReset(signed(client, LIVE_EVENTS_PATH));
    await pause(5 * SLICE_MS);
  }
}

async function burstOfSignIns(client: Client): Promise<void> {
  while (client.isRunning()) {
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

/** Well-formed, so that the signature has to be verified. */
function wrongAccessToken(): string {
  const claims = { sub: 'user', sid: 'session', exp: 4_000_000_000 };
  return `${toPart({ alg: 'HS256', typ: 'JWT' })}.${toPart(claims)}.${randomBytes(32).toString('base64url')}`;
}

/** For the session of a free account, with a well-formed refresh token. */
function wrongRefresh(client: Client): string {
  const { accessToken } = client.target;
  return post(client, refreshTokens.url, { accessToken, refreshToken: randomBytes(32).toString('base64url') });
}

/** From one address, regardless of their number: the limits of networks must not be what protects others. */
async function callInParallel(client: Client): Promise<void> {
  await Promise.all(
    Array.from({ length: PARALLEL_CALLS }, async () => {
      while (client.isRunning()) await client.exchange(signed(client, `${listTransactions.url}?size=100`));
    }),
  );
}

/** Without line ends. All of it is read, because only the last row is wrong. */
function minifiedFile(): string {
  const row = { price: 1, countryCode: 'DE', region: 'r', city: 'c', zip: '1', isp: 'i', connectionType: 'LTE' };
  const rows = Array.from({ length: FILE_ROWS }, (_, index) => {
    const ip = `100.${64 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
    return JSON.stringify({ ip, ...row, node: 'default', exitKind: 'local-address', exit: '' });
  });
  return `[${rows.join(',')},{}]`;
}

async function sendFiles(client: Client, content: string): Promise<void> {
  const { host, staffToken } = client.target;
  const path = `${checkImport.url}?format=json&fileName=a.json`;
  const head = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nAuthorization: Bearer ${staffToken}\r\n`;
  const request = `${head}Content-Length: ${Buffer.byteLength(content)}\r\n\r\n${content}`;
  while (client.isRunning()) await client.exchange(request);
}

function sendUnknownFields(client: Client): Promise<void> {
  const fields = Array.from({ length: 6000 }, (_, index) => [`f${index}`, 1]);
  const request = post(client, createTicket.url, Object.fromEntries(fields));
  return sendRequests(client, () => request);
}
