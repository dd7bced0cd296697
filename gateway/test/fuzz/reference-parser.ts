/** A strict parser of a client's complete input: the reference for what the gateway may do with it. */
import { fieldTokens, readRequest, type RequestMessage, fieldValues } from './messages.ts';
import { addressOfName, type Login } from './plan.ts';

interface Destination {
  readonly address: string;
  readonly port: number;
}

/** An absolute-form request that the gateway may forward. */
export interface ExpectedRequest {
  readonly message: RequestMessage;
  readonly path: string;
  readonly destination: Destination | undefined;
  /** It has valid credentials and the required fields. */
  readonly isAllowed: boolean;
}

export interface ParsedClient {
  readonly protocol: 'socks4' | 'socks5' | 'connect' | 'requests' | 'nothing';
  /** The last stage that a SOCKS client can reach; `tunnel` also for CONNECT. */
  readonly stage: 'method' | 'no-method' | 'login' | 'login-wrong' | 'request' | 'refused' | 'association' | 'tunnel';
  readonly tunnel: Destination | undefined;
  /** The bytes after a request for a tunnel. */
  readonly payload: Buffer;
  readonly requests: readonly ExpectedRequest[];
}

type Logins = ReadonlyMap<string, Login>;

const NOTHING: ParsedClient = {
  protocol: 'nothing',
  stage: 'method',
  tunnel: undefined,
  payload: Buffer.alloc(0),
  requests: [],
};

export function parseClient(bytes: Buffer, logins: Logins): ParsedClient {
  if (bytes[0] === 4) return readSocks4(bytes, logins);
  if (bytes[0] === 5) return readSocks5(bytes, logins);
  const request = withoutLineEnds(bytes);
  const first = request[0] ?? 0;
  if (first < 0x41 || first > 0x5a) return NOTHING;
  return request.toString('latin1', 0, 8) === 'CONNECT ' ? readConnect(request, logins) : readRequests(request, logins);
}

/** Line ends before a request are ignored (RFC 9112, section 2.2). */
function withoutLineEnds(bytes: Buffer): Buffer {
  let start = 0;
  while (bytes[start] === 13 || bytes[start] === 10) start += 1;
  return bytes.subarray(start);
}

function readSocks4(bytes: Buffer, logins: Logins): ParsedClient {
  const result = (stage: ParsedClient['stage']): ParsedClient => ({ ...NOTHING, protocol: 'socks4', stage });
  const userEnd = bytes.indexOf(0, 8);
  if (bytes.length < 9 || userEnd < 0 || userEnd > 8 + 511) return result('method');
  const hasName = bytes.toString('hex', 4, 7) === '000000' && bytes[7] !== 0;
  const nameEnd = hasName ? bytes.indexOf(0, userEnd + 1) : userEnd;
  if (nameEnd < 0 || nameEnd - userEnd > 256 || (hasName && nameEnd === userEnd + 1)) return result('method');
  const [, username = '', password = ''] = /^([^:]+):(.+)$/s.exec(bytes.toString('utf8', 8, userEnd)) ?? [];
  if (password === '' || logins.get(username)?.password !== password) return result('login-wrong');
  if (bytes[1] !== 1) return result('refused');
  const host = hasName ? bytes.toString('utf8', userEnd + 1, nameEnd) : [...bytes.subarray(4, 8)].join('.');
  const tunnel = toDestination(host, bytes.readUInt16BE(2));
  return { ...result('tunnel'), tunnel, payload: bytes.subarray(nameEnd + 1) };
}

function readSocks5(bytes: Buffer, logins: Logins): ParsedClient {
  const result = (stage: ParsedClient['stage']): ParsedClient => ({ ...NOTHING, protocol: 'socks5', stage });
  const methodCount = bytes[1];
  if (methodCount === undefined || bytes.length < 2 + methodCount) return result('method');
  if (!bytes.subarray(2, 2 + methodCount).includes(2)) return result('no-method');
  const login = bytes.subarray(2 + methodCount);
  const userLength = login[1] ?? 0;
  const passwordLength = login[2 + userLength] ?? 0;
  const loginLength = 3 + userLength + passwordLength;
  if (login[0] !== 1 || login.length < loginLength) return result('login');
  const password = login.toString('utf8', 3 + userLength, loginLength);
  if (logins.get(login.toString('utf8', 2, 2 + userLength))?.password !== password) return result('login-wrong');
  const request = login.subarray(loginLength);
  if (request.length < 4 || request[0] !== 5) return result('request');
  const start = request[3] === 3 ? 5 : 4;
  const addressLength = request[3] === 1 ? 4 : request[3] === 4 ? 16 : request[3] === 3 ? request[4] : undefined;
  if (addressLength === undefined) return result(request[3] === 3 ? 'request' : 'refused');
  if (addressLength === 0 || request.length < start + addressLength + 2) return result('request');
  if (request[1] === 3) return result('association');
  if (request[1] !== 1) return result('refused');
  const address = request.subarray(start, start + addressLength);
  const port = request.readUInt16BE(start + addressLength);
  const host = request[3] === 3 ? address.toString('utf8') : [...address].join('.');
  const tunnel = toDestination(request[3] === 4 ? unmapped(address) : host, port);
  return { ...result('tunnel'), tunnel, payload: request.subarray(start + addressLength + 2) };
}

function readConnect(bytes: Buffer, logins: Logins): ParsedClient {
  const result: ParsedClient = { ...NOTHING, protocol: 'connect', stage: 'refused' };
  const headEnd = bytes.indexOf('\r\n\r\n') + 4;
  const message = headEnd < 4 ? 'incomplete' : readRequest(bytes.subarray(0, headEnd), 0);
  if (typeof message === 'string' || message.method !== 'CONNECT') return result;
  if (!hasHost(message) || !hasValidLogin(message, logins)) return result;
  const [, host = '', port = ''] = /^(.*):(\d+)$/.exec(fromUtf8(message.target)) ?? [];
  const tunnel = toDestination(toHost(host), Number(port));
  return { ...result, stage: 'tunnel', tunnel, payload: bytes.subarray(headEnd) };
}

function readRequests(bytes: Buffer, logins: Logins): ParsedClient {
  const requests: ExpectedRequest[] = [];
  const result: ParsedClient = { ...NOTHING, protocol: 'requests', stage: 'request', requests };
  for (let at = 0; ;) {
    at = bytes.length - withoutLineEnds(bytes.subarray(at)).length;
    const message = readRequest(bytes, at);
    if (typeof message === 'string' || message.method === 'CONNECT') return result;
    requests.push(expectedRequest(message, logins));
    const { fields, end } = message;
    if (isUpgrade(fields)) return { ...result, payload: bytes.subarray(end) };
    if (message.state !== 'complete') return result;
    at = end;
  }
}

/** Upgrades to HTTP/2 and TLS, and those of requests with a body, are only offers. */
function isUpgrade(fields: RequestMessage['fields']): boolean {
  const hasBody =
    fieldValues(fields, 'transfer-encoding').length > 0 ||
    fieldValues(fields, 'content-length').some((length) => length !== '0');
  const protocols = fieldTokens(fields, 'upgrade').filter(
    (each) => each !== '' && !/^(?:h2c$|http\/|tls\/)/.test(each),
  );
  return fieldTokens(fields, 'connection').includes('upgrade') && protocols.length > 0 && !hasBody;
}

function expectedRequest(message: RequestMessage, logins: Logins): ExpectedRequest {
  const [, authority = '', rest = ''] = /^(?:http|ws):\/\/([^/?#]*)([^#]*)/i.exec(message.target) ?? [];
  const empty = message.method === 'OPTIONS' ? '*' : '/';
  const path = percentEncoded(rest === '' ? empty : rest.startsWith('/') ? rest : `/${rest}`);
  const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(fromUtf8(authority)) ?? [];
  const destination = toDestination(toHost(host), Number(port === undefined || port === '' ? 80 : port));
  return { message, path, destination, isAllowed: hasHost(message) && hasValidLogin(message, logins) };
}

/** Bytes above ASCII in a request line. */
const percentEncoded = (text: string) =>
  text.replace(/[\x80-\xff]/g, (byte) => `%${Buffer.from(byte, 'latin1').toString('hex').toUpperCase()}`);

const fromUtf8 = (text: string) => Buffer.from(text, 'latin1').toString('utf8');

const hasHost = ({ fields, version }: RequestMessage) => {
  const count = fieldValues(fields, 'host').length;
  return count === 1 || (count === 0 && version === '1.0');
};

function hasValidLogin({ fields }: RequestMessage, logins: Logins): boolean {
  const [value = '', ...more] = fieldValues(fields, 'proxy-authorization');
  const [, encoded] = /^basic +([A-Za-z0-9+/_-]+=*)$/i.exec(value) ?? [];
  if (encoded === undefined || more.length > 0) return false;
  const [, username = '', password = ''] = /^([^:]+):(.+)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  return logins.get(username)?.password === password;
}

function unmapped(address: Buffer): string | undefined {
  const prefix = '00000000000000000000ffff';
  return address.toString('hex', 0, 12) === prefix ? [...address.subarray(12)].join('.') : undefined;
}

/** The IPv4 address or name of a host in a URL or authority. No origin has another IPv6 address. */
function toHost(host: string): string | undefined {
  const [, mapped] = /^\[::ffff:([\d.]+)\]$/i.exec(host) ?? [];
  if (mapped !== undefined) return mapped;
  if (!host.startsWith('[')) return host;
  const canonical = URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '';
  const [, high, low] = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(canonical) ?? [];
  if (high === undefined || low === undefined) return undefined;
  const bytes = Buffer.from(high.padStart(4, '0') + low.padStart(4, '0'), 'hex');
  return [...bytes].join('.');
}

function toDestination(host: string | undefined, port: number): Destination | undefined {
  if (host === undefined || host === '') return undefined;
  const inUrl = host.includes(':') ? toHost(host.startsWith('[') ? host : `[${host}]`) : host;
  if (inUrl === undefined || !URL.canParse(`http://${inUrl}/`)) return undefined;
  const { hostname } = new URL(`http://${inUrl}/`);
  const name = hostname.replace(/\.$/, '');
  const dialled = name === '0.0.0.0' ? '127.0.0.1' : name; // To connect, the unspecified address is this host.
  const address = /^[\d.]+$/.test(dialled) ? dialled : addressOfName(dialled);
  return address === undefined ? undefined : { address, port };
}
