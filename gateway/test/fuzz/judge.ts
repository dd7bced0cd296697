/** Says what is wrong with the outcome of one input. */
import { failureReplies } from '../../src/statuses.ts';
import type { Transcript } from './client.ts';
import { answerTo, FORBIDDEN, usualAnswers } from './http-answers.ts';
import { type AnswerMessage, readAnswer, readRequest, type RequestMessage, tokensOf, valuesOf } from './messages.ts';
import type { OriginConnection } from './origins.ts';
import type { Plan, World } from './plan.ts';
import type { EntitledRequest, Reading } from './reading.ts';

export interface Trial {
  readonly plan: Plan;
  readonly reading: Reading;
  readonly connections: OriginConnection[];
  transcript: Transcript | undefined;
}

const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';
const PROXY_FIELDS = /^(?:proxy-.*|keep-alive|te|trailer)$/i;
/** Node writes these itself. */
const OWN_FIELDS = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'upgrade']);
const ourStatuses: ReadonlySet<number> = new Set(
  Object.entries(failureReplies).flatMap(([cause, { http }]) => (cause === 'internal' ? [] : [http])),
);
const REPLIES_MAX = 8;
/** Less than any time limit of the gateway here. */
const SLOW_MS = 900;

export function judge(trial: Trial, world: World): string[] {
  const { reading, transcript, plan } = trial;
  if (!transcript) return ['it has not ended'];
  const faults = judgeOrigins(trial);
  if (transcript.end === 'late') faults.push('it has not ended in time');
  if (transcript.received.includes(FORBIDDEN)) faults.push('the client got bytes that belong to no answer');
  if (reading.protocol === 'socks5') faults.push(...judgeSocks5(trial, world));
  else if (reading.protocol === 'connect') faults.push(...judgeConnect(trial, world));
  else if (reading.protocol === 'requests') faults.push(...judgeAnswers(trial, world));
  else if (transcript.received.length > 0) faults.push('an unknown protocol was answered');
  if (isPromised(trial, world)) faults.push(...judgePromise(trial));
  return faults.map((fault) => `${fault} (${plan.kind}; ${plan.mutations.join(', ') || 'legal'})`);
}

/** The client has seen a tunnel open whose connection has not been accepted here yet. */
export function isAwaited({ reading, connections, transcript }: Trial, { originPort }: World): boolean {
  if (connections.length > 0 || !transcript || reading.tunnel?.port !== originPort) return false;
  const { received } = transcript;
  return startsWith(received, Buffer.from(ESTABLISHED)) || (isLegalReply(received) && received[5] === 0);
}

export function judgeOrigins({ reading, connections, transcript, plan }: Trial): string[] {
  if (reading.protocol !== 'requests') {
    if (connections.length > 1) return [`${connections.length} connections for one tunnel`];
    return connections.flatMap((connection) => judgeUpload(connection, reading.payload, transcript, plan));
  }
  const faults: string[] = [];
  let next = 0;
  for (const connection of connections) {
    const { received } = connection;
    const message = readRequest(received, 0);
    if (message === 'malformed') faults.push('an origin got a malformed request');
    if (typeof message === 'string') continue;
    const found = reading.requests.findIndex((request, at) => at >= next && isSameRequest(request, message));
    if (found < 0) faults.push(`an origin got ${message.method} ${message.target}, which nobody sent`);
    const entitled = reading.requests[found];
    if (!entitled) continue;
    next = found + 1;
    faults.push(...judgeRequest(message, entitled, received, reading));
  }
  return faults;
}

function judgeUpload(
  { received, end, hasReset }: OriginConnection,
  payload: Buffer,
  transcript: Transcript | undefined,
  plan: Plan,
) {
  if (!payload.subarray(0, received.length).equals(received)) return ['an origin got other bytes than were sent'];
  // A dial that is given up for a client that has left may have reached the destination.
  const isUnused = received.length === 0 && (plan.leaving !== 'end' || plan.reading === 'never');
  const isAll = received.length === payload.length || isUnused;
  const isCut = transcript?.isWritten !== true || (plan.leaving === 'end' && transcript.end !== 'ended');
  return end === 'ended' && !hasReset && !isAll && !isCut ? ['an origin got a clean end before all bytes'] : [];
}

const isSameRequest = ({ message, path, isAllowed }: EntitledRequest, { method, target }: RequestMessage) =>
  isAllowed && message.method === method && path === target;

function judgeRequest(
  got: RequestMessage,
  { message: sent }: EntitledRequest,
  received: Buffer,
  reading: Reading,
): string[] {
  const faults: string[] = [];
  const proxyField = got.fields.find(([name]) => PROXY_FIELDS.test(name));
  if (proxyField) faults.push(`an origin got ${proxyField[0]}`);
  if (valuesOf(got.fields, 'host').length !== 1) faults.push('an origin got no single Host');
  const known = new Set(sent.fields.map(([name, value]) => `${name.toLowerCase()}: ${value}`));
  const strange = got.fields.find(
    ([name, value]) => !OWN_FIELDS.has(name.toLowerCase()) && !known.has(`${name.toLowerCase()}: ${value}`),
  );
  if (strange) faults.push(`an origin got ${strange.join(': ')}, which nobody sent`);
  if (got.state === 'malformed') faults.push('an origin got a malformed body');
  if (got.state === 'complete' && sent.state !== 'complete')
    faults.push('an origin got the end of a body that has none');
  if (!sent.body.subarray(0, got.body.length).equals(got.body)) faults.push('an origin got another body');
  if (got.state !== 'complete') return faults;
  if (got.body.length !== sent.body.length) faults.push('an origin got another body');
  const behind = received.subarray(got.end);
  const isUpgrade = tokensOf(got.fields, 'connection').includes('upgrade');
  const allowed = isUpgrade ? reading.payload : Buffer.alloc(0);
  if (!allowed.subarray(0, behind.length).equals(behind)) faults.push('an origin got bytes behind its request');
  return faults;
}

const startsWith = (whole: Buffer, part: Buffer) => whole.subarray(0, part.length).equals(part);

/** `received` is a beginning of what was allowed. */
const isWithin = (received: Buffer, allowed: Buffer) => startsWith(allowed, received);

const legalSocks5: Readonly<Record<Exclude<Reading['stage'], 'refused' | 'tunnel'>, string>> = {
  method: '',
  'no-method': '05ff',
  login: '0502',
  'login-wrong': '05020101',
  request: '05020100',
};

function judgeSocks5(trial: Trial, { originPort }: World): string[] {
  const received = trial.transcript!.received;
  const { stage } = trial.reading;
  if (stage !== 'refused' && stage !== 'tunnel') {
    const legal = Buffer.from(legalSocks5[stage], 'hex');
    const isFailure = stage === 'request' && isLegalReply(received) && received[5] !== 0;
    return isWithin(received, legal) || isFailure ? [] : [`answered ${received.toString('hex', 0, 40)} at ${stage}`];
  }
  if (isWithin(received, Buffer.from('05020100', 'hex')) || isWithin(received, Buffer.from('05020101', 'hex')))
    return [];
  if (!isLegalReply(received)) return [`answered ${received.toString('hex', 0, 40)}`];
  if (received[5] !== 0) return received.length === 14 ? [] : ['bytes behind a refusal'];
  return stage === 'tunnel' ? judgeDownload(trial, received.subarray(14), originPort) : ['a refused command succeeded'];
}

/** Method, status and reply. All exits here have IPv4 addresses. */
const isLegalReply = (received: Buffer) =>
  received.length >= 14 &&
  startsWith(received, Buffer.from('0502010005', 'hex')) &&
  (received[5] ?? 255) <= REPLIES_MAX &&
  received[6] === 0 &&
  received[7] === 1;

function judgeConnect(trial: Trial, { originPort }: World): string[] {
  const { received } = trial.transcript!;
  const established = Buffer.from(ESTABLISHED);
  if (isWithin(received, established))
    return received.length === established.length ? judgeDownload(trial, Buffer.alloc(0), originPort) : [];
  if (!startsWith(received, established)) return judgeAnswers(trial, { originPort });
  if (trial.reading.stage !== 'tunnel') return ['a CONNECT that is not legal succeeded'];
  return judgeDownload(trial, received.subarray(established.length), originPort);
}

/** What a client got of a tunnel. Whoever sees a clean end has everything. */
function judgeDownload({ connections, transcript, reading }: Trial, received: Buffer, originPort: number): string[] {
  const [connection] = connections;
  // Behind another port may be another program of this machine.
  const isToUs = reading.tunnel?.port === originPort;
  if (!connection) return isToUs ? ['a tunnel to nowhere was opened'] : [];
  const written = Buffer.concat(connection.written);
  if (!isWithin(received, written)) return ['the client got other bytes than the origin sent'];
  const isClean = transcript!.end === 'ended';
  if (isClean && received.length !== written.length) return ['the client got a clean end before all bytes'];
  return isClean && connection.hasReset ? ['a reset became an end'] : [];
}

function judgeAnswers(trial: Trial, { originPort }: Pick<World, 'originPort'>): string[] {
  const { reading, plan, transcript } = trial;
  const { received, end } = transcript!;
  // Behind another port may be another program of this machine.
  const areToUs = reading.requests.every(({ destination }) => destination?.port === originPort);
  let last = -1;
  let nth = 0;
  for (let at = 0; at < received.length;) {
    const answer = readNext(received, at, reading.requests[nth]?.message.method);
    if (answer === 'malformed') return [`a malformed answer: ${received.toString('latin1', at, at + 80)}`];
    if (answer === 'incomplete')
      return end === 'ended' ? [`half a head and a clean end: ${received.toString('latin1', at, at + 300)}`] : [];
    if (answer.state === 'malformed') return ['a malformed answer'];
    if (answer.isUntilEnd && valuesOf(answer.fields, 'x-input').length === 0)
      return ['an answer of ours without an end'];
    if (answer.status === 101) return judgeSwitched(trial, received.subarray(answer.end));
    at = answer.end;
    if (answer.status < 200 && reading.requests[nth]?.message.version === '1.0')
      return ['an interim answer to HTTP/1.0'];
    if (answer.status < 200) continue;
    nth += 1;
    const [mark] = valuesOf(answer.fields, 'x-input');
    if (mark !== undefined && nth > reading.requests.length) return ['more answers than requests'];
    if (mark === undefined) {
      if (!isOurs(answer) && areToUs) return [`an answer of nobody: ${answer.status}`];
      continue;
    }
    const [index, position] = mark.split('/').map(Number);
    if (index !== plan.index || (position ?? 0) <= last) return [`the answer to another request: ${mark}`];
    last = position ?? 0;
  }
  return [];
}

/** A refusal of ours that closes the connection has a body whatever the method is: nobody has read a method. */
function readNext(received: Buffer, at: number, method = 'GET'): ReturnType<typeof readAnswer> {
  const answer = readAnswer(received, at, method);
  if (typeof answer === 'string' || method !== 'HEAD' || !isOurs(answer)) return answer;
  const withBody = readAnswer(received, at, 'GET');
  return typeof withBody !== 'string' && withBody.end === received.length ? withBody : answer;
}

const isOurs = ({ status, fields }: AnswerMessage) =>
  ourStatuses.has(status) &&
  (status === 407 || tokensOf(fields, 'proxy-status').some((value) => value.startsWith('gateway;')));

function judgeSwitched({ connections, transcript }: Trial, received: Buffer): string[] {
  const connection = connections.at(-1);
  if (!connection) return ['a protocol was switched by nobody'];
  const written = Buffer.concat(connection.written);
  const start = written.indexOf('\r\n\r\n') + 4;
  const sent = written.subarray(start);
  if (!isWithin(received, sent)) return ['the client got other bytes than the origin sent'];
  return transcript!.end === 'ended' && received.length !== sent.length
    ? ['the client got a clean end before all bytes']
    : [];
}

/** Nothing hinders this input: it must succeed. */
function isPromised({ plan, reading, connections, transcript }: Trial, { originPort }: World): boolean {
  // A busy machine may have let a time limit of the gateway pass.
  if ((transcript?.milliseconds ?? 0) > SLOW_MS) return false;
  if (plan.mutations.length > 0 || plan.reading === 'never' || plan.kind.includes('login')) return false;
  if (reading.protocol === 'requests') {
    const isUsual = plan.origin.protocol === 'http' && plan.origin.answer in usualAnswers;
    const areAllowed = reading.requests.every(
      ({ destination, isAllowed, message }) =>
        isAllowed && destination?.port === originPort && message.state === 'complete',
    );
    return isUsual && areAllowed && plan.leaving === 'stay' && reading.requests.length > 0;
  }
  const isKind =
    plan.origin.protocol === 'tunnel' && plan.origin.behaviour !== 'reset' && plan.origin.behaviour !== 'refuse';
  const isDialled = reading.stage === 'tunnel' && reading.tunnel?.port === originPort;
  return isKind && isDialled && plan.leaving === 'end' && connections.every(({ hasReset }) => !hasReset);
}

function judgePromise(trial: Trial): string[] {
  const { plan, reading, transcript, connections } = trial;
  if (plan.origin.protocol === 'tunnel') {
    const [connection] = connections;
    if (!connection) return [`a legal tunnel was not opened: ${transcript!.received.toString('latin1', 0, 60)}`];
    if (transcript!.end !== 'ended') return ['a legal tunnel did not end cleanly'];
    return connection.received.length === reading.payload.length ? [] : ['the origin missed bytes'];
  }
  const { answer: name, bytes } = plan.origin;
  let at = 0;
  for (const [nth, { message }] of reading.requests.entries()) {
    const { method } = message;
    let answer = readAnswer(transcript!.received, at, method);
    while (typeof answer !== 'string' && answer.status < 200)
      answer = readAnswer(transcript!.received, answer.end, method);
    if (typeof answer === 'string' || answer.state !== 'complete')
      return [
        `request ${nth} has no whole answer: ${transcript!.received.toString('latin1', at, at + 60)}; ${transcript!.end}`,
      ];
    const { body } = answerTo(name, { mark: `${plan.index}/${nth}`, method, hasExpectation: false }, bytes);
    if (answer.isUntilEnd ? transcript!.end !== 'ended' : false) return ['an answer without a length was cut'];
    if (!body?.equals(answer.body)) return [`request ${nth} got ${answer.status} with another body`];
    // The rest of the requests is the client's to repeat.
    if (tokensOf(answer.fields, 'connection').includes('close')) return [];
    at = answer.end;
  }
  return [];
}
