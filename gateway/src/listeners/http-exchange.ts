import {
  type ClientRequest,
  type IncomingMessage,
  type InformationEvent,
  request as sendRequest,
  type ServerResponse,
} from 'node:http';
import type { EndReason } from '../flows/flow.ts';
import { openTunnel, type Tunnel, waitingStream } from '../flows/tunnel.ts';
import { resetSocket } from '../pipe/handle.ts';
import type { Pipe } from '../pipe/pipe.ts';
import {
  encodeHead,
  hasBody,
  readRequestHead,
  requestFields,
  responseFields,
  fieldValues,
  transferCodings,
  upgradedHead,
} from '../protocol/http-fields.ts';
import { forwardedOnce, lastRecipientAnswer } from '../protocol/max-forwards.ts';
import type { Target } from '../protocol/host.ts';
import { ResponseReader } from '../protocol/http-response.ts';
import { toCause, type FailureCause, httpFailure, TunnelFailure } from '../statuses.ts';
import { whenStalled } from './closing.ts';
import { logInOverHttp } from './authenticate.ts';
import { HttpSide } from './http-side.ts';
import type { ListenerContext } from './listener-context.ts';
import { ResponseSource } from './response-source.ts';
import type { RequestClient } from './request-client.ts';
import type { RequestStream } from './request-stream.ts';

interface Parties {
  readonly client: RequestClient;
  readonly stream: RequestStream;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The client requests an upgrade to another protocol. */
  readonly isUpgrade: boolean;
}

interface OwnResponse {
  readonly status: number;
  readonly fields: Record<string, string>;
  readonly body: string | Buffer;
}

const FINAL_STATUS_MIN = 200;
const PROXY_AUTHENTICATION_REQUIRED = 407;
/** Rewriting `a:` and a line feed to a field of a strict parser adds at most as much. */
const REWRITTEN_GROWTH = 2;

/** The cause for the client if its tunnel ends before a response. For other reasons the origin is the cause. */
const causesOfEnds: Partial<Record<EndReason, FailureCause>> = {
  'out-of-money': 'no-credit',
  'cap-reached': 'cap-reached',
  'grant-timeout': 'control-plane-unavailable',
  idle: 'dial-timeout',
  'destination-refused': 'destination-refused',
  shutdown: 'draining',
};

/**
 * After a request that exceeds a limit, pipelined requests would be refused, too, and each refusal costs more than a new
 * socket. After a request of an unknown version, the following bytes may belong to it.
 */
const causesThatCloseConnection: ReadonlySet<FailureCause> = new Set<FailureCause>([
  'handshake-timeout',
  'too-many-failed-logins',
  'connection-limit',
  'node-full',
  'fair-share-exceeded',
  'descriptors-exhausted',
  'draining',
  'http-version',
]);

/** One absolute-form request and its response, on a separate connection to the origin. */
export class Exchange {
  readonly #reader: ResponseReader;
  readonly #origin: HttpSide;
  #tunnel: Tunnel | undefined;
  #originResponse: IncomingMessage | undefined;
  #isReset = false;
  /** The response is complete or has failed: later events of the origin no longer matter. */
  #isOver = false;

  constructor(
    private readonly context: ListenerContext,
    private readonly parties: Parties,
  ) {
    this.#reader = new ResponseReader(context.limits, parties.request.method ?? '');
    this.#origin = new HttpSide(this.#reader);
  }

  async run(): Promise<void> {
    const { client, request } = this.parties;
    try {
      const head = toHead(request);
      const forwarded = readRequestHead(head, this.context.limits.headFields);
      if (typeof forwarded === 'string') throw new TunnelFailure(forwarded);
      const login = await client.inTurn(async () => logInOverHttp(this.context, client, forwarded.proxyAuthorization));
      if (this.#isOver) return;
      client.authenticated(login.connection);
      const answer = lastRecipientAnswer(head);
      if (answer) return this.#respond(answer, false);
      const opening = { target: forwarded.target, client: waitingStream(client.socket, false) };
      const { tunnel, exit } = await openTunnel(this.context, login, 'http-request', opening);
      this.#tunnel = tunnel;
      const sent = this.#send(tunnel, { ...forwarded, method: head.method });
      const source = new ResponseSource(exit.side, this.#reader, () => this.fail('response-malformed'));
      const pipe = tunnel.join({ client: this.#origin, exit: source, early: Buffer.alloc(0) });
      sent.on('upgrade', (originResponse, _, bytes) => {
        source.passAll();
        this.#joinUpgraded(pipe, originResponse, bytes);
      });
    } catch (error) {
      const cause = toCause(error);
      if (cause === 'internal') this.context.log.error({ err: error }, 'A request failed');
      else this.context.log.debug({ cause, clientAddress: client.address }, 'Request refused');
      this.fail(cause);
    }
  }

  /** Sends a failure response, or aborts a response that has started, so that it does not look complete. */
  fail(cause: FailureCause): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.parties.response.headersSent) this.#abortResponse();
    else {
      this.context.metrics.refusals.inc({ reason: cause });
      this.#respond(httpFailure(cause), causesThatCloseConnection.has(cause));
    }
    this.#tunnel?.flow.close('exit-failed');
  }

  #send(tunnel: Tunnel, { target, path, method }: { target: Target; path: string; method: string }): ClientRequest {
    const { request, response, isUpgrade } = this.parties;
    const { stream } = this.#origin;
    const upgradeTo = isUpgrade ? fieldValues(request.rawHeaders, 'upgrade').join(', ') : undefined;
    const head = toHead(request);
    const headers = forwardedOnce(head, requestFields(head, target, upgradeTo));
    // Must be the first listener: Node's parser treats a reset as the end of a body without a length.
    stream.on('error', () => this.#reset());
    stream.on('end', () => process.nextTick(() => this.#originEnded()));
    response.once('close', () => {
      if (!response.writableFinished) tunnel.flow.close('client-failed');
    });
    const sent = sendRequest({
      method,
      path,
      headers,
      setHost: false,
      createConnection: () => stream,
      insecureHTTPParser: false,
      maxHeaderSize: this.context.limits.responseHeadBytes * REWRITTEN_GROWTH,
    });
    sent.maxHeadersCount = 0; // With a limit, Node silently drops further fields.
    // HTTP/1.0 has no interim responses (RFC 9110, section 15.2).
    if (request.httpVersion !== '1.0') sent.on('information', (interim) => this.#forwardInterim(interim));
    sent.on('response', (originResponse) => this.#forwardResponse(originResponse));
    sent.on('error', (error: NodeJS.ErrnoException) => this.#originFailed(error.code));
    if (isUpgrade) sent.end();
    else request.pipe(sent);
    return sent;
  }

  /** Interim responses are hints, so those that a client does not read are dropped instead of kept in memory. */
  #forwardInterim({ statusCode, statusMessage, rawHeaders }: InformationEvent): void {
    const { stream } = this.parties;
    if (this.#isOver || stream.writableNeedDrain) return;
    stream.write(encodeHead(statusCode, statusMessage, responseFields(rawHeaders)), 'latin1');
  }

  #forwardResponse(originResponse: IncomingMessage): void {
    const { request, response } = this.parties;
    if (this.#isOver) return;
    // A 101 that names no protocol is no upgrade.
    if ((originResponse.statusCode ?? 0) < FINAL_STATUS_MIN) return this.fail('response-malformed');
    const codings = transferCodings(originResponse.rawHeaders).filter((coding) => coding !== 'chunked');
    // HTTP/1.0 has no transfer codings, so the client could not decode the body.
    if (codings.length > 0 && request.httpVersion === '1.0') return this.fail('response-malformed');
    // The client would take a 407 as the gateway's and send its proxy password again.
    if (originResponse.statusCode === PROXY_AUTHENTICATION_REQUIRED) return this.fail('origin-requires-proxy-auth');
    this.#originResponse = originResponse;
    originResponse.on('error', () => this.#originFailed());
    originResponse.on('end', () => this.#responseEnded(originResponse));
    // Otherwise the rest of this request would have to be read before the next one.
    if (isUnfinished(request)) response.shouldKeepAlive = false;
    const fields = responseFields(originResponse.rawHeaders);
    if (codings.length > 0) fields.push('Transfer-Encoding', [...codings, 'chunked'].join(', '));
    response.writeHead(originResponse.statusCode ?? 502, originResponse.statusMessage ?? '', fields);
    originResponse.pipe(response, { end: false });
    this.#sendHead();
  }

  /** Node keeps a head until the first byte of the body, which may come much later. */
  #sendHead(): void {
    const { client, response } = this.parties;
    const writtenBytes = client.socket.bytesWritten;
    setImmediate(() => {
      if (!this.#isOver && client.socket.bytesWritten === writtenBytes) response.flushHeaders();
    });
  }

  #responseEnded(originResponse: IncomingMessage): void {
    if (this.#isOver) return;
    // If the tunnel was closed early, a body without a length also ends like this.
    const isComplete = originResponse.complete && (this.#reader.isComplete || !this.#origin.isTruncated);
    if (!isComplete) return this.fail('connection-terminated');
    this.#isOver = true;
    this.parties.response.end();
    this.#resetWhenStalled();
    this.#tunnel?.flow.close('completed');
  }

  /** All bytes of the origin have been parsed, so an incomplete response stays incomplete. */
  #originEnded(): void {
    const originResponse = this.#originResponse;
    if (this.#isOver || !originResponse || originResponse.complete) return;
    const failWhenForwarded = () => {
      if (originResponse.readableLength === 0) this.fail('connection-terminated');
    };
    originResponse.on('data', failWhenForwarded); // A slow client first receives everything that was counted.
    failWhenForwarded();
  }

  /** A reset by the origin is forwarded after all bytes that arrived before it. */
  #reset(): void {
    const { client, response } = this.parties;
    this.#isReset = true;
    const isStopped = this.#tunnel?.flow.endReason !== undefined;
    if (!this.#isOver && isStopped && response.headersSent) resetSocket(client.socket);
    this.#originFailed();
  }

  #originFailed(code = ''): void {
    const endReason = this.#tunnel?.flow.endReason;
    const cause = endReason && causesOfEnds[endReason];
    this.fail(cause ?? (code.startsWith('HPE_') ? 'response-malformed' : 'connection-terminated'));
  }

  /** After an upgrade (RFC 9110, section 7.8) the pipe continues with the raw socket of the client. */
  #joinUpgraded(pipe: Pipe, originResponse: IncomingMessage, bytes: Buffer): void {
    const { client, stream, response, isUpgrade } = this.parties;
    if (this.#isOver) return;
    if (!isUpgrade || !client.toSide) return this.fail('response-malformed');
    this.#isOver = true;
    response.removeAllListeners('close');
    response.detachSocket(this.parties.request.socket);
    const early = stream.release();
    client.socket.write(upgradedHead(originResponse), 'latin1');
    const unread = this.#origin.release();
    client.socket.write(Buffer.concat([bytes, unread.bytes]));
    pipe.replaceClient(client.toSide(), early, unread.isEnded);
  }

  /** With a length or chunks, an early end marks the response as incomplete; without them only a reset does. */
  #abortResponse(): void {
    const { stream, response } = this.parties;
    const isSelfDelimiting = response.chunkedEncoding || (this.#originResponse && hasLength(this.#originResponse));
    response.flushHeaders(); // It was counted.
    const { endReason = 'exit-failed' } = this.#tunnel?.flow ?? {};
    const isOriginReset = this.#isReset || (this.#origin.isTruncated && endReason === 'exit-failed');
    if (isSelfDelimiting && !isOriginReset) stream.end();
    else stream.endWithReset();
    this.#resetWhenStalled();
  }

  /** Sends a response of the gateway itself. */
  #respond({ status, fields, body }: OwnResponse, isLast: boolean): void {
    const { client, request, response } = this.parties;
    this.#isOver = true;
    if (client.socket.destroyed) return;
    if (isUnfinished(request) || isLast) response.shouldKeepAlive = false;
    response.writeHead(status, fields);
    response.end(body);
    this.#resetWhenStalled();
  }

  /** The tunnel's idle timeout no longer applies, and the client may never read the rest of its response. */
  #resetWhenStalled(): void {
    const { client, response } = this.parties;
    const cancel = whenStalled(client.socket, this.context.limits.flushMs, () => resetSocket(client.socket));
    response.once('close', cancel);
  }
}

const toHead = ({ method = '', url = '', httpVersion, rawHeaders }: IncomingMessage) => ({
  method,
  url,
  httpVersion,
  rawHeaders,
});

/** Node sets `complete` of a request without a body only after the handler has returned. */
const isUnfinished = ({ complete, rawHeaders }: IncomingMessage) => !complete && hasBody(rawHeaders);

const hasLength = ({ rawHeaders }: IncomingMessage) => fieldValues(rawHeaders, 'content-length').length > 0;
