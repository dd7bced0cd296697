/** Checks the outcome of one input. */
import { failureReplies } from '../../src/statuses.ts';
import type { Transcript } from './client.ts';
import { responseTo, FORBIDDEN, validResponses } from './http-responses.ts';
import {
  type ResponseMessage,
  readResponse,
  readRequest,
  type RequestMessage,
  fieldTokens,
  fieldValues,
} from './messages.ts';
import type { OriginConnection } from './origins.ts';
import type { Plan, RunContext } from './plan.ts';
import type { ExpectedRequest, ParsedClient } from './reference-parser.ts';
import { LIMITS } from './settings.ts';

export interface Trial {
  readonly plan: Plan;
  readonly parsed: ParsedClient;
  readonly connections: OriginConnection[];
  transcript: Transcript | undefined;
}

const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';
const PROXY_FIELDS = /^(?:proxy-.*|keep-alive|te|trailer)$/i;
/** Fields that Node's HTTP client or the gateway write. */
const OWN_FIELDS = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'upgrade', 'max-forwards']);
const gatewayStatuses: ReadonlySet<number> = new Set(
  Object.entries(failureReplies).flatMap(([cause, { http }]) => (cause === 'internal' ? [] : [http])),
);
const REPLIES_MAX = 8;
const SOCKS4_GRANTED = 0x5a;
const SOCKS4_REFUSED = 0x5b;
const SOCKS4_LOGIN_FAILED = 0x5d;
const LOGIN_REFUSED = Buffer.from('05020101', 'hex');
const TLS_ALERT = Buffer.from('15030300020246', 'hex');
/** Shorter than any timeout of the gateway in this run. */
const SLOW_MS = 900;

export function checkTrial(trial: Trial, context: RunContext): string[] {
  const { parsed, transcript, plan } = trial;
  if (!transcript) return ['it has not ended'];
  const faults = checkOrigins(trial);
  if (transcript.end === 'timed-out') faults.push('it has timed out');
  if (transcript.received.includes(FORBIDDEN)) faults.push('the client got bytes that belong to no response');
  if (parsed.protocol === 'socks4') faults.push(...checkSocks4(trial, context));
  else if (parsed.protocol === 'socks5') faults.push(...checkSocks5(trial, context));
  else if (parsed.protocol === 'connect') faults.push(...checkConnect(trial, context));
  else if (parsed.protocol === 'requests') faults.push(...checkResponses(trial, context));
  else faults.push(...checkUnknown(trial));
  if (mustSucceed(trial, context)) faults.push(...checkSuccess(trial));
  return faults.map((fault) => `${fault} (${plan.kind}; ${plan.mutations.join(', ') || 'valid'})`);
}

/** Whether the client has an open tunnel whose connection the origin has not accepted yet. */
export function isOriginPending({ parsed, connections, transcript }: Trial, { originPort }: RunContext): boolean {
  if (connections.length > 0 || !transcript || parsed.tunnel?.port !== originPort) return false;
  return hasTunnel(transcript);
}

const hasTunnel = ({ received }: Transcript) =>
  startsWith(received, Buffer.from(ESTABLISHED)) ||
  (isValidReply(received) && received[5] === 0) ||
  (isValidSocks4Reply(received) && received[1] === SOCKS4_GRANTED);

export function checkOrigins({ parsed, connections, transcript, plan }: Trial): string[] {
  if (parsed.protocol !== 'requests') {
    if (connections.length > 1) return [`${connections.length} connections for one tunnel`];
    return connections.flatMap((connection) => checkUpload(connection, parsed.payload, transcript, plan));
  }
  const faults: string[] = [];
  let next = 0;
  for (const connection of connections) {
    const { received } = connection;
    const message = readRequest(received, 0);
    if (message === 'malformed') faults.push('an origin got a malformed request');
    if (typeof message === 'string') continue;
    const found = parsed.requests.findIndex((request, at) => at >= next && isSameRequest(request, message));
    if (found < 0) faults.push(`an origin got ${message.method} ${message.target}, which the client did not send`);
    const expected = parsed.requests[found];
    if (!expected) continue;
    next = found + 1;
    faults.push(...checkRequest(message, expected, received, parsed));
  }
  return faults;
}

function checkUpload(
  { received, end, hasReset }: OriginConnection,
  payload: Buffer,
  transcript: Transcript | undefined,
  plan: Plan,
) {
  if (!payload.subarray(0, received.length).equals(received)) return ['an origin got other bytes than the client sent'];
  // A dial that is cancelled may have reached the destination: the client has disconnected, or got a refusal after a timeout.
  const isCancelled = plan.leaving !== 'end' || plan.readMode === 'never' || !transcript || !hasTunnel(transcript);
  const isUnused = received.length === 0 && isCancelled;
  const isAll = received.length === payload.length || isUnused;
  const isCut = transcript?.isWritten !== true || (plan.leaving === 'end' && transcript.end !== 'ended');
  return end === 'ended' && !hasReset && !isAll && !isCut ? ['an origin got a clean end before all bytes'] : [];
}

const isSameRequest = ({ message, path, isAllowed }: ExpectedRequest, { method, target }: RequestMessage) =>
  isAllowed && message.method === method && path === target;

function checkRequest(
  got: RequestMessage,
  { message: sent }: ExpectedRequest,
  received: Buffer,
  parsed: ParsedClient,
): string[] {
  const faults: string[] = [];
  const proxyField = got.fields.find(([name]) => PROXY_FIELDS.test(name));
  if (proxyField) faults.push(`an origin got ${proxyField[0]}`);
  if (fieldValues(got.fields, 'host').length !== 1) faults.push('an origin got no single Host');
  const known = new Set(sent.fields.map(([name, value]) => `${name.toLowerCase()}: ${value}`));
  const unexpected = got.fields.find(
    ([name, value]) => !OWN_FIELDS.has(name.toLowerCase()) && !known.has(`${name.toLowerCase()}: ${value}`),
  );
  if (unexpected) faults.push(`an origin got ${unexpected.join(': ')}, which the client did not send`);
  if (got.state === 'malformed') faults.push('an origin got a malformed body');
  if (got.state === 'complete' && sent.state !== 'complete') faults.push('an origin got the end of an incomplete body');
  if (!sent.body.subarray(0, got.body.length).equals(got.body)) faults.push('an origin got another body');
  if (got.state !== 'complete') return faults;
  if (got.body.length !== sent.body.length) faults.push('an origin got another body');
  const extra = received.subarray(got.end);
  const isUpgrade = fieldTokens(got.fields, 'connection').includes('upgrade');
  const allowed = isUpgrade ? parsed.payload : Buffer.alloc(0);
  if (!allowed.subarray(0, extra.length).equals(extra)) faults.push('an origin got bytes after its request');
  return faults;
}

const startsWith = (whole: Buffer, part: Buffer) => whole.subarray(0, part.length).equals(part);

/** Whether `received` is a prefix of `allowed`. */
const isWithin = (received: Buffer, allowed: Buffer) => startsWith(allowed, received);

/** Bytes of no protocol get a refusal in text, and a client of TLS an alert. */
function checkUnknown({ plan, transcript }: Trial): string[] {
  const { received } = transcript!;
  if (plan.bytes[0] === 0x16) return isWithin(received, TLS_ALERT) ? [] : ['TLS got another reply than an alert'];
  if (received.length === 0) return [];
  const response = readResponse(received, 0, 'GET');
  const isRefusal = typeof response !== 'string' && [400, 408].includes(response.status) && isFromGateway(response);
  return isRefusal && response.end === received.length ? [] : ['an unknown protocol got another reply than a refusal'];
}

function checkSocks4(trial: Trial, { originPort }: RunContext): string[] {
  const received = trial.transcript!.received;
  const { stage } = trial.parsed;
  if (received.length === 0) return [];
  if (!isValidSocks4Reply(received)) return [`replied ${received.toString('hex', 0, 40)}`];
  const code = received[1];
  if (code === SOCKS4_GRANTED)
    return stage === 'tunnel' ? checkDownload(trial, received.subarray(8), originPort) : [`succeeded at ${stage}`];
  if (received.length > 8) return ['bytes after a refusal'];
  // Only a wrong login has another code; that of a connection whose credit has ended is refused as well.
  if (stage === 'login-wrong')
    return code === SOCKS4_LOGIN_FAILED || hasTimedOut(trial) ? [] : [`replied ${code} to a wrong login`];
  const isPoor = trial.plan.kind === 'socks4 poor login';
  return code === SOCKS4_REFUSED || isPoor ? [] : [`replied ${code} at ${stage}`];
}

const isValidSocks4Reply = (received: Buffer) =>
  received.length >= 8 &&
  received[0] === 0 &&
  [SOCKS4_GRANTED, SOCKS4_REFUSED, SOCKS4_LOGIN_FAILED].includes(received[1] ?? 0);

/** The handshake may have timed out before the control plane had answered. */
const hasTimedOut = ({ transcript }: Trial) => transcript!.milliseconds >= LIMITS.handshakeMs;

const NO_METHOD = Buffer.from('05ff', 'hex');

/** A valid login is refused without credit, and when the handshake times out before the control plane has answered. */
const mayRefuseLogin = (trial: Trial) => trial.plan.kind === 'socks5 poor login' || hasTimedOut(trial);

/** What a client may receive before its request, and at a refusal that it may also get (a timeout, a malformed message). */
const validSocks5: Readonly<Record<Exclude<ParsedClient['stage'], 'refused' | 'association' | 'tunnel'>, string>> = {
  method: '05ff',
  'no-method': '05ff',
  login: '05020101',
  'login-wrong': '05020101',
  request: '05020100',
};

function checkSocks5(trial: Trial, { originPort }: RunContext): string[] {
  const received = trial.transcript!.received;
  const { stage } = trial.parsed;
  // Also before the gateway has read the greeting of a client that sends it slowly, whatever the client has sent since.
  if (hasTimedOut(trial) && received.equals(NO_METHOD)) return [];
  const isAfterLogin = stage === 'request' || stage === 'refused' || stage === 'association' || stage === 'tunnel';
  if (isAfterLogin && received.equals(LOGIN_REFUSED)) return mayRefuseLogin(trial) ? [] : ['refused a valid login'];
  if (stage !== 'refused' && stage !== 'association' && stage !== 'tunnel') {
    const valid = Buffer.from(validSocks5[stage], 'hex');
    const isFailure = stage === 'request' && isValidReply(received) && received[5] !== 0;
    return isWithin(received, valid) || isFailure ? [] : [`replied ${received.toString('hex', 0, 40)} at ${stage}`];
  }
  if (isWithin(received, Buffer.from('05020100', 'hex'))) return [];
  if (!isValidReply(received)) return [`replied ${received.toString('hex', 0, 40)}`];
  if (received[5] !== 0) return received.length === 14 ? [] : ['bytes after a refusal'];
  if (stage === 'association') return received.length === 14 ? [] : ['bytes on a control connection'];
  return stage === 'tunnel' ? checkDownload(trial, received.subarray(14), originPort) : ['a refused command succeeded'];
}

/** Whether method, status and reply are valid. All exits of this run have IPv4 addresses. */
const isValidReply = (received: Buffer) =>
  received.length >= 14 &&
  startsWith(received, Buffer.from('0502010005', 'hex')) &&
  (received[5] ?? 255) <= REPLIES_MAX &&
  received[6] === 0 &&
  received[7] === 1;

function checkConnect(trial: Trial, { originPort }: RunContext): string[] {
  const { received } = trial.transcript!;
  const established = Buffer.from(ESTABLISHED);
  if (isWithin(received, established))
    return received.length === established.length ? checkDownload(trial, Buffer.alloc(0), originPort) : [];
  if (!startsWith(received, established)) return checkResponses(trial, { originPort });
  if (trial.parsed.stage !== 'tunnel') return ['an invalid CONNECT succeeded'];
  return checkDownload(trial, received.subarray(established.length), originPort);
}

/** Checks what the client received from a tunnel: after a clean end it must be complete. */
function checkDownload({ connections, transcript, parsed }: Trial, received: Buffer, originPort: number): string[] {
  const [connection] = connections;
  // Another port may belong to another program on this host.
  const isFuzzOrigin = parsed.tunnel?.port === originPort;
  if (!connection) return isFuzzOrigin ? ['a tunnel was opened without a connection to its origin'] : [];
  const written = Buffer.concat(connection.written);
  if (!isWithin(received, written)) return ['the client got other bytes than the origin sent'];
  const isClean = transcript!.end === 'ended';
  if (isClean && received.length !== written.length) return ['the client got a clean end before all bytes'];
  return isClean && connection.hasReset ? ['a reset was forwarded as an end'] : [];
}

function checkResponses(trial: Trial, { originPort }: Pick<RunContext, 'originPort'>): string[] {
  const { parsed, plan, transcript } = trial;
  const { received, end } = transcript!;
  // Another port may belong to another program on this host.
  const areFuzzOrigins = parsed.requests.every(({ destination }) => destination?.port === originPort);
  let last = -1;
  let nth = 0;
  for (let at = 0; at < received.length;) {
    const response = readNext(received, at, parsed.requests[nth]?.message.method);
    if (response === 'malformed') return [`a malformed response: ${received.toString('latin1', at, at + 80)}`];
    if (response === 'incomplete')
      return end === 'ended'
        ? [`an incomplete head and a clean end: ${received.toString('latin1', at, at + 300)}`]
        : [];
    if (response.state === 'malformed') return ['a malformed response'];
    if (response.isUntilEnd && fieldValues(response.fields, 'x-input').length === 0)
      return ['a response of the gateway without a length'];
    if (response.status === 101) return checkUpgraded(trial, received.subarray(response.end));
    at = response.end;
    if (response.status < 200 && parsed.requests[nth]?.message.version === '1.0')
      return ['an interim response to HTTP/1.0'];
    if (response.status < 200) continue;
    nth += 1;
    const [mark] = fieldValues(response.fields, 'x-input');
    if (mark !== undefined && nth > parsed.requests.length) return ['more responses than requests'];
    if (mark === undefined) {
      if (!isFromGateway(response) && areFuzzOrigins)
        return [`a response of neither origin nor gateway: ${response.status}`];
      continue;
    }
    const [index, position] = mark.split('/').map(Number);
    if (index !== plan.index || (position ?? 0) <= last) return [`the response to another request: ${mark}`];
    last = position ?? 0;
  }
  return [];
}

/** A refusal that closes the connection has a body even for HEAD, because the gateway may not have parsed a method. */
function readNext(received: Buffer, at: number, method = 'GET'): ReturnType<typeof readResponse> {
  const response = readResponse(received, at, method);
  if (typeof response === 'string' || method !== 'HEAD' || !isFromGateway(response)) return response;
  const withBody = readResponse(received, at, 'GET');
  return typeof withBody !== 'string' && withBody.end === received.length ? withBody : response;
}

const isFromGateway = ({ status, fields }: ResponseMessage) =>
  gatewayStatuses.has(status) &&
  (status === 407 || fieldTokens(fields, 'proxy-status').some((value) => value.startsWith('gateway;')));

function checkUpgraded({ connections, transcript }: Trial, received: Buffer): string[] {
  const connection = connections.at(-1);
  if (!connection) return ['an upgrade without a connection to the origin'];
  const written = Buffer.concat(connection.written);
  const start = written.indexOf('\r\n\r\n') + 4;
  const sent = written.subarray(start);
  if (!isWithin(received, sent)) return ['the client got other bytes than the origin sent'];
  return transcript!.end === 'ended' && received.length !== sent.length
    ? ['the client got a clean end before all bytes']
    : [];
}

/** Whether the input is valid and has no reason to fail. */
function mustSucceed({ plan, parsed, connections, transcript }: Trial, { originPort }: RunContext): boolean {
  // On a busy machine a timeout of the gateway may have expired.
  if (!transcript || transcript.milliseconds > SLOW_MS) return false;
  if (plan.mutations.length > 0 || plan.readMode === 'never' || plan.kind.includes('login')) return false;
  if (parsed.protocol === 'requests') {
    const hasValidResponse = plan.origin.protocol === 'http' && plan.origin.response in validResponses;
    const areAllowed = parsed.requests.every(
      ({ destination, isAllowed, message }) =>
        isAllowed && destination?.port === originPort && message.state === 'complete',
    );
    return hasValidResponse && areAllowed && plan.leaving === 'wait' && parsed.requests.length > 0;
  }
  const hasValidOrigin =
    plan.origin.protocol === 'tunnel' && plan.origin.behaviour !== 'reset' && plan.origin.behaviour !== 'refuse';
  const isDialled = parsed.stage === 'tunnel' && parsed.tunnel?.port === originPort;
  // The end of a client that has sent no data is a disconnect if it comes before the reply.
  if (parsed.payload.length === 0 && !hasTunnel(transcript)) return false;
  return hasValidOrigin && isDialled && plan.leaving === 'end' && connections.every(({ hasReset }) => !hasReset);
}

function checkSuccess(trial: Trial): string[] {
  const { plan, parsed, transcript, connections } = trial;
  if (plan.origin.protocol === 'tunnel') {
    const [connection] = connections;
    if (!connection) return [`a valid tunnel was not opened: ${transcript!.received.toString('latin1', 0, 60)}`];
    if (transcript!.end !== 'ended') return ['a valid tunnel did not end cleanly'];
    return connection.received.length === parsed.payload.length ? [] : ['the origin did not receive all bytes'];
  }
  const { response: name, bytes } = plan.origin;
  let at = 0;
  for (const [nth, { message }] of parsed.requests.entries()) {
    const { method } = message;
    let response = readResponse(transcript!.received, at, method);
    while (typeof response !== 'string' && response.status < 200)
      response = readResponse(transcript!.received, response.end, method);
    if (typeof response === 'string' || response.state !== 'complete')
      return [
        `request ${nth} has no complete response: ${transcript!.received.toString('latin1', at, at + 60)}; ${transcript!.end}`,
      ];
    const { body } = responseTo(name, { mark: `${plan.index}/${nth}`, method, hasExpectation: false }, bytes);
    if (response.isUntilEnd ? transcript!.end !== 'ended' : false) return ['a response without a length was truncated'];
    if (!body?.equals(response.body)) return [`request ${nth} got ${response.status} with another body`];
    // The client must repeat the remaining requests.
    if (fieldTokens(response.fields, 'connection').includes('close')) return [];
    at = response.end;
  }
  return [];
}
