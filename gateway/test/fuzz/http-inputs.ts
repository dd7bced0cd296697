/** Generates HTTP clients: CONNECT and absolute-form requests, persistent, pipelined and upgraded (RFC 9110, RFC 9112). */
import type { Random } from '../../../tools/random.ts';
import { invalidResponses, validResponses } from './http-responses.ts';
import {
  addressFor,
  between,
  chance,
  type Draft,
  type Login,
  nameFor,
  pattern,
  someBytes,
  type RunContext,
} from './plan.ts';
import { pickTunnelLeaving, pickTunnelOrigin } from './socks5-inputs.ts';

const METHODS = ['GET', 'GET', 'GET', 'POST', 'PUT', 'HEAD', 'DELETE', 'OPTIONS', 'PATCH', 'PROPFIND', 'TRACE'];
const PIPELINED_MAX = 4;
/** A body that looks like a request: a parser that loses the boundary would forward it. */
const DECOY = (host: string, login: string) =>
  `GET http://${host}/decoy HTTP/1.1\r\nHost: ${host}\r\nProxy-Authorization: ${login}\r\n\r\n`;

export const basic = ({ username, password }: Login) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

export function connectInput(random: Random, context: RunContext, index: number): Draft {
  const login = pickLogin(random, context);
  const [targetKind, authority] = chance(random, 0.03)
    ? ['ipv6 without brackets', `::ffff:${addressFor(index)}:${context.originPort}`]
    : pickAuthority(random, context, index);
  const fields = shuffled(random, [`Host: ${authority}`, ...login.fields, ...someFields(random)]);
  const version = chance(random, 0.9) ? '1.1' : '1.0';
  const head = `${emptyLines(random)}CONNECT ${authority} HTTP/${version}\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n`;
  const origin = pickTunnelOrigin(random);
  const payload = pattern(origin.behaviour === 'download' ? 1 : someBytes(random));
  return {
    kind: login.kind === 'known' ? `connect ${targetKind}` : `connect ${login.kind}`,
    parts: [Buffer.from(head, 'latin1'), payload],
    origin,
    leaving: pickTunnelLeaving(random),
  };
}

export function requestInput(random: Random, context: RunContext, index: number): Draft {
  const login = pickLogin(random, context);
  const [targetKind, authority] = pickAuthority(random, context, index);
  const count = chance(random, 0.75) ? 1 : between(random, 2, PIPELINED_MAX);
  const isUpgrade = chance(random, 0.08);
  const responses = chance(random, 0.8) ? validResponses : invalidResponses;
  const response = isUpgrade && chance(random, 0.8) ? 'switching' : random.pick(Object.keys(responses));
  const parts = Array.from({ length: count }, (_, nth) => {
    const isLast = nth === count - 1;
    const path = `/${index}/${nth}`;
    return request(random, { authority, path, login: login.fields, isLast, isUpgrade: isLast && isUpgrade });
  });
  const kind = login.kind === 'known' ? `request ${targetKind}` : `request ${login.kind}`;
  const payload = isUpgrade ? [pattern(someBytes(random))] : [];
  const endsEarly = isUpgrade || chance(random, 0.12);
  return {
    kind: isUpgrade ? 'request upgrade' : kind,
    parts: [...parts, ...payload],
    origin: { protocol: 'http', response, bytes: someBytes(random) },
    leaving: endsEarly ? pickTunnelLeaving(random) : 'wait',
  };
}

/** Some clients send them before a request, after the body of the one before. */
const emptyLines = (random: Random) => (chance(random, 0.03) ? random.pick(['\r\n', '\r\n\r\n', '\n']) : '');

interface RequestPlan {
  readonly authority: string;
  readonly path: string;
  readonly login: readonly string[];
  readonly isLast: boolean;
  readonly isUpgrade: boolean;
}

function request(random: Random, { authority, path, login, isLast, isUpgrade }: RequestPlan): Buffer {
  const method = random.pick(METHODS);
  const url = `${chance(random, 0.97) ? 'http' : 'ws'}://${authority}${path}${chance(random, 0.2) ? '?query=a/b?c&d=%20' : ''}`;
  const host = chance(random, 0.8) ? authority : 'elsewhere.test';
  const fields = [`Host: ${host}`, ...login, ...someFields(random)];
  const version = chance(random, 0.93) ? '1.1' : '1.0';
  if (isUpgrade) {
    fields.push('Connection: Upgrade', 'Upgrade: chat', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==');
    return head(random, `GET ${url} HTTP/1.1`, fields);
  }
  if (isLast && chance(random, 0.95)) fields.push('Connection: close');
  else if (version === '1.0') fields.push('Connection: keep-alive');
  const canHaveBody = method !== 'GET' && method !== 'HEAD' && method !== 'TRACE';
  if (!canHaveBody && !chance(random, 0.03)) return head(random, `${method} ${url} HTTP/${version}`, fields);
  const body = chance(random, 0.3) ? Buffer.from(DECOY(authority, 'Basic eA==')) : pattern(someBytes(random));
  if (chance(random, 0.1) && version === '1.1') fields.push('Expect: 100-continue');
  if (chance(random, 0.5) && version === '1.1') {
    fields.push('Transfer-Encoding: chunked');
    return Buffer.concat([head(random, `${method} ${url} HTTP/${version}`, fields), chunked(random, body)]);
  }
  fields.push(`Content-Length: ${body.length}`);
  return Buffer.concat([head(random, `${method} ${url} HTTP/${version}`, fields), body]);
}

function head(random: Random, line: string, fields: readonly string[]): Buffer {
  const all = shuffled(random, fields).map((field) => `${field}\r\n`);
  return Buffer.from(`${emptyLines(random)}${line}\r\n${all.join('')}\r\n`, 'latin1');
}

function chunked(random: Random, body: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length;) {
    const size = Math.min(body.length - at, between(random, 1, Math.max(1, body.length)));
    const extension = chance(random, 0.1) ? random.pick([';a=b', ';a="0"', ';a']) : '';
    const digits = chance(random, 0.1) ? size.toString(16).toUpperCase().padStart(4, '0') : size.toString(16);
    pieces.push(Buffer.from(`${digits}${extension}\r\n`), body.subarray(at, at + size), Buffer.from('\r\n'));
    at += size;
  }
  const trailer = chance(random, 0.1) ? random.pick(['X-Trailer: 1\r\n', 'Proxy-Authorization: Basic eDp5\r\n']) : '';
  return Buffer.concat([...pieces, Buffer.from(`0\r\n${trailer}\r\n`)]);
}

function pickLogin(random: Random, { logins, poorLogin }: RunContext): { kind: string; fields: string[] } {
  const kind = random.below(100);
  const field = (value: string) => [`${random.pick(['Proxy-Authorization', 'proxy-authorization'])}: ${value}`];
  if (kind < 90) return { kind: 'known', fields: field(basic(random.pick(logins))) };
  if (kind < 93) return { kind: 'poor login', fields: field(basic(poorLogin)) };
  if (kind < 95) return { kind: 'no login', fields: [] };
  const { username } = random.pick(logins);
  if (kind < 97) return { kind: 'wrong password', fields: field(basic({ username, password: 'wrong' })) };
  return { kind: 'malformed login', fields: field(random.pick(['Basic', 'Bearer x', 'Basic !!', 'Basic eA==', ''])) };
}

function pickAuthority(random: Random, { originPort, gatewayPort }: RunContext, index: number): [string, string] {
  const kind = random.below(100);
  const address = addressFor(index);
  if (kind < 75) return ['ipv4', `${address}:${originPort}`];
  if (kind < 81) return ['name', `${nameFor(index)}:${originPort}`];
  if (kind < 86) return ['ipv6', `[::ffff:${address}]:${originPort}`];
  if (kind < 91) return ['closed port', `${address}:1`];
  if (kind < 93) return ['refused port', `${address}:25`];
  if (kind < 95) return ['own port', `127.0.0.1:${gatewayPort}`];
  if (kind < 97) return ['unknown name', `unknown-${index}.test:${originPort}`];
  return [
    'impossible name',
    random.pick(['a b:1', 'a..b:1', '[::1', 'x@y:1', ':1', '%41:1', '[::1%25eth0]:1', 'a:0', 'a:65536']),
  ];
}

/** Fields without influence on the framing of the request. */
function someFields(random: Random): string[] {
  const fields = [
    'User-Agent: fuzz',
    'Accept: */*',
    'X-Empty:',
    'X-Spaces: \t a  b \t',
    'X-Latin: \u00e9\u00ff',
    'Cookie: a=b; c=d',
    'Proxy-Connection: keep-alive',
    'Keep-Alive: timeout=5',
    'TE: trailers',
    'X-Named: 1',
    'Max-Forwards: 3',
    'Connection: Upgrade, X-Named\r\nUpgrade: h2c',
    `X-Long: ${'y'.repeat(500)}`,
    "!#$%&'*+-.^_`|~1a: token",
  ];
  return fields.filter(() => chance(random, 0.15));
}

function shuffled<Item>(random: Random, items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, at: random.below(1_000_000) }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
