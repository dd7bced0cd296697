import { type ClientRequest, type IncomingMessage, request as sendRequest, type ServerResponse } from 'node:http';
import type { EndReason } from '../flows/flow.ts';
import { openTunnel, type Tunnel } from '../flows/tunnel.ts';
import { resetSocket } from '../pipe/handle.ts';
import type { Pipe } from '../pipe/pipe.ts';
import {
  hasBody,
  isReasonLegal,
  isStatusLegal,
  readRequestHead,
  requestFields,
  responseFields,
  valuesOf,
} from '../protocol/http-fields.ts';
import type { Target } from '../protocol/host.ts';
import { causeOf, type FailureCause, httpFailure, TunnelFailure } from '../statuses.ts';
import type { ClientSocket } from './client-socket.ts';
import { whenStalled } from './closing.ts';
import { logInOverHttp } from './http-login.ts';
import { HttpSide } from './http-side.ts';
import type { ListenerContext } from './listener-context.ts';
import type { RequestStream } from './request-stream.ts';

interface Parties {
  readonly client: ClientSocket;
  readonly stream: RequestStream;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The client asks for another protocol. */
  readonly isUpgrade: boolean;
}

const PROXY_AUTHENTICATION_REQUIRED = 407;

/** What the client is told when its tunnel ended before there was an answer; others ended by the origin's doing. */
const causesOfEnds: Partial<Record<EndReason, FailureCause>> = {
  'out-of-money': 'no-credit',
  'cap-reached': 'cap-reached',
  'grant-late': 'control-plane-away',
  idle: 'dial-timeout',
  shutdown: 'draining',
};

/**
 * What is queued behind a request that was one too many is more of the same, and each refusal costs more than a new socket.
 * What is queued behind a request of an unknown version may be a part of it.
 */
const causesThatEndConnections: ReadonlySet<FailureCause> = new Set<FailureCause>([
  'handshake-slow',
  'too-many-failures',
  'connection-limit',
  'node-full',
  'descriptors-exhausted',
  'http-version',
]);

/** One absolute-form request and its answer, on an origin connection of its own. */
export class Exchange {
  readonly #origin = new HttpSide();
  #tunnel: Tunnel | undefined;
  #answer: IncomingMessage | undefined;
  /** The outcome is decided: what happens now to the origin changes nothing for the client. */
  #isOver = false;

  constructor(
    private readonly context: ListenerContext,
    private readonly parties: Parties,
  ) {}

  async run(): Promise<void> {
    const { client, request } = this.parties;
    try {
      const head = headOf(request);
      const forwarded = readRequestHead(head, this.context.limits.headFields);
      if (typeof forwarded === 'string') throw new TunnelFailure(forwarded);
      const login = await logInOverHttp(this.context, client, forwarded.proxyAuthorization);
      if (this.#isOver) return;
      client.authenticated(login.connection);
      const dialled = { target: forwarded.target, client: client.socket };
      const { tunnel, exit } = await openTunnel(this.context, login, 'http-request', dialled);
      this.#tunnel = tunnel;
      const sent = this.#send(tunnel, { ...forwarded, method: head.method });
      const pipe = tunnel.join({ client: this.#origin, exit, early: Buffer.alloc(0) });
      sent.on('upgrade', (answer, _, bytes) => this.#joinUpgraded(pipe, answer, bytes));
    } catch (error) {
      const cause = causeOf(error);
      if (cause === 'internal') this.context.log.error({ err: error }, 'A request failed');
      else this.context.log.debug({ cause, clientAddress: client.address }, 'Request refused');
      this.fail(cause);
    }
  }

  /** Answers with a failure, or cuts an answer that has begun, so that it does not look complete. */
  fail(cause: FailureCause): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.parties.response.headersSent) this.#cutAnswer();
    else {
      this.context.metrics.refusals.inc({ reason: cause });
      this.#answerFailure(cause);
    }
    this.#tunnel?.flow.close('exit-failed');
  }

  #send(tunnel: Tunnel, { target, path, method }: { target: Target; path: string; method: string }): ClientRequest {
    const { request, response, isUpgrade } = this.parties;
    const { stream } = this.#origin;
    const upgradeTo = isUpgrade ? valuesOf(request.rawHeaders, 'upgrade').join(', ') : undefined;
    const headers = requestFields({ ...headOf(request), method, url: path }, target, upgradeTo);
    // First of all listeners: Node's parser takes a reset for the end of a body that has no length.
    stream.on('error', () => this.#reset());
    stream.on('end', () => process.nextTick(() => this.#originEnded()));
    response.once('close', () => {
      if (!response.writableFinished) tunnel.flow.close('client-failed');
    });
    const sent = sendRequest({ method, path, headers, setHost: false, createConnection: () => stream });
    // HTTP/1.0 knows no interim answers (RFC 9110, section 15.2).
    if (request.httpVersion !== '1.0') sent.on('continue', () => response.writeContinue());
    sent.on('response', (answer) => this.#pass(answer));
    sent.on('error', (error: NodeJS.ErrnoException) => this.#broken(error.code));
    if (isUpgrade) sent.end();
    else request.pipe(sent);
    return sent;
  }

  #pass(answer: IncomingMessage): void {
    const { request, response } = this.parties;
    if (this.#isOver) return;
    if (!isStatusLegal(answer.statusCode, answer.statusMessage)) return this.fail('answer-malformed');
    // The client would take it for ours and send its password again.
    if (answer.statusCode === PROXY_AUTHENTICATION_REQUIRED) return this.fail('origin-asks-for-proxy-login');
    this.#answer = answer;
    answer.on('error', () => this.#broken());
    answer.on('end', () => this.#answered(answer));
    // The rest of the request would have to be received before the next one.
    if (isUnfinished(request)) response.shouldKeepAlive = false;
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? '', responseFields(answer.rawHeaders));
    answer.pipe(response, { end: false });
  }

  #answered(answer: IncomingMessage): void {
    if (this.#isOver) return;
    // A body without a length ends like this when the tunnel is cut, too.
    if (!answer.complete || (this.#origin.isCut && !hasLength(answer))) return this.fail('connection-terminated');
    this.#isOver = true;
    this.parties.response.end();
    this.#watchClient();
    this.#tunnel?.flow.close('completed');
  }

  /** The origin's bytes have all been parsed. An answer that is not complete then never will be. */
  #originEnded(): void {
    const answer = this.#answer;
    if (this.#isOver || !answer || answer.complete) return;
    const failWhenPassed = () => {
      if (answer.readableLength === 0) this.fail('connection-terminated');
    };
    answer.on('data', failWhenPassed); // A slow client gets everything that was counted first.
    failWhenPassed();
  }

  /** A reset stays a reset. */
  #reset(): void {
    const { client, response } = this.parties;
    if (!this.#isOver && response.headersSent) resetSocket(client.socket);
    this.#broken();
  }

  #broken(code = ''): void {
    const endReason = this.#tunnel?.flow.endReason;
    const cause = endReason && causesOfEnds[endReason];
    this.fail(cause ?? (code.startsWith('HPE_') ? 'answer-malformed' : 'connection-terminated'));
  }

  /** Another protocol has begun (RFC 9110, section 7.8): the pipe goes on with the client's socket itself. */
  #joinUpgraded(pipe: Pipe, answer: IncomingMessage, bytes: Buffer): void {
    const { client, stream, response, isUpgrade } = this.parties;
    if (this.#isOver) return;
    if (!isUpgrade || !isReasonLegal(answer.statusMessage)) return this.fail('answer-malformed');
    this.#isOver = true;
    response.removeAllListeners('close');
    response.detachSocket(this.parties.request.socket);
    const early = stream.release();
    client.socket.write(upgradedHead(answer), 'latin1');
    const unread = this.#origin.release();
    client.socket.write(Buffer.concat([bytes, unread.bytes]));
    pipe.replaceClient(client.toSide(), early, unread.isEnded);
  }

  /** A message that has begun cannot be taken back. One with a length or chunks is cut by an end; others need a reset. */
  #cutAnswer(): void {
    const { stream, response } = this.parties;
    const hasEndOfItsOwn =
      response.chunkedEncoding || (this.#answer && hasLength(this.#answer) && !isChunked(this.#answer));
    if (hasEndOfItsOwn) stream.end();
    else stream.cut();
    this.#watchClient();
  }

  #answerFailure(cause: FailureCause): void {
    const { client, request, response } = this.parties;
    if (client.socket.destroyed) return;
    const { status, fields, body } = httpFailure(cause);
    if (isUnfinished(request) || causesThatEndConnections.has(cause)) response.shouldKeepAlive = false;
    response.writeHead(status, fields);
    response.end(body);
    this.#watchClient();
  }

  /** The tunnel's own timer has ended with it, and a client may never take the rest of its answer. */
  #watchClient(): void {
    const { client, response } = this.parties;
    const forget = whenStalled(client.socket, this.context.limits.flushMs, () => resetSocket(client.socket));
    response.once('close', forget);
  }
}

const headOf = ({ method = '', url = '', httpVersion, rawHeaders }: IncomingMessage) => ({
  method,
  url,
  httpVersion,
  rawHeaders,
});

/** Node completes a request without a body a moment after its handler. */
const isUnfinished = ({ complete, rawHeaders }: IncomingMessage) => !complete && hasBody(rawHeaders);

const isChunked = ({ rawHeaders }: IncomingMessage) => valuesOf(rawHeaders, 'transfer-encoding').length > 0;

const hasLength = (answer: IncomingMessage) =>
  isChunked(answer) || valuesOf(answer.rawHeaders, 'content-length').length > 0;

function upgradedHead(answer: IncomingMessage): string {
  const fields = [...responseFields(answer.rawHeaders), 'Connection', 'Upgrade'];
  fields.push('Upgrade', valuesOf(answer.rawHeaders, 'upgrade').join(', '));
  const lines = fields.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${fields[index + 1]}\r\n`] : []));
  return `HTTP/1.1 101 ${answer.statusMessage ?? ''}\r\n${lines.join('')}\r\n`;
}
