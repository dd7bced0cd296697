import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { Login } from '../connections/connection.ts';
import type { DescriptorWatch } from '../descriptors.ts';
import { DialAbort, type DialledStream } from '../exits/exit.ts';
import type { Dial } from '../exits/dial.ts';
import type { Limits } from '../limits.ts';
import type { Metrics } from '../metrics.ts';
import type { Pipe, PipeEnd, PipeOwner, Relay, Side, StopMode } from '../pipe/pipe.ts';
import type { Target } from '../protocol/host.ts';
import { toCause, TunnelFailure } from '../statuses.ts';
import type { EndReason, Flow, Protocol, Transport } from './flow.ts';
import type { Flows } from './flows.ts';

/** The parts of the node that tunnels use. */
export interface TunnelContext {
  readonly flows: Flows;
  readonly dial: Dial;
  readonly relay: Relay;
  readonly descriptors: Pick<DescriptorWatch, 'exhausted'>;
  readonly limits: Limits;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** How a pipe is stopped. All other reasons reset it, so that truncated data never looks complete. */
const stopModes: Partial<Record<EndReason, StopMode>> = {
  completed: 'close',
  'out-of-money': 'deliver',
  'cap-reached': 'deliver',
  'grant-timeout': 'deliver',
};

/** A flow over TCP: dials the destination, then pipes between it and the client. */
export class Tunnel implements Transport, PipeOwner {
  readonly flow: Flow;
  /** While it is dialled. */
  #dialAbort: DialAbort | undefined;
  /** Set until the pipe owns it. */
  #dialled: DialledStream | undefined;
  #pipe: Pipe | undefined;

  constructor(
    private readonly context: TunnelContext,
    private readonly login: Login,
    protocol: Protocol,
  ) {
    this.flow = context.flows.open(login, protocol, this);
  }

  /** @throws TunnelFailure; the tunnel is closed then */
  async dial(target: Target): Promise<DialledStream> {
    const { flow } = this;
    const abort = new DialAbort();
    this.#dialAbort = abort;
    const startedAt = performance.now();
    const deadline = setTimeout(() => abort.abort(), this.context.limits.dialMs);
    try {
      const stream = await this.context.dial(this.login.connection.exit, target, abort);
      this.context.metrics.dialSeconds.observe((performance.now() - startedAt) / 1000);
      flow.dialled({ host: target.host, address: stream.address });
      if (flow.endReason === undefined) return (this.#dialled = stream);
      stream.side.close();
    } catch (error) {
      flow.close('dial-failed');
      if (flow.endReason === 'client-failed') throw new TunnelFailure('client-closed');
      throw error;
    } finally {
      clearTimeout(deadline);
      this.#dialAbort = undefined;
    }
    throw new TunnelFailure(flow.endReason === 'client-failed' ? 'client-closed' : 'connection-terminated');
  }

  /** Connects the client to the side of the dialled stream. From now on the tunnel closes both. */
  join({ client, exit, early }: { client: Side; exit: Side; early: Buffer }): Pipe {
    const { flow } = this;
    const pipe = this.context.relay.start({ client, exit, early, meter: flow.meter, owner: this });
    this.#dialled = undefined;
    if (flow.endReason !== undefined) pipe.stop('reset');
    else this.#pipe = pipe;
    return pipe;
  }

  exitClosed(): void {
    this.context.flows.released(this.flow);
  }

  halfClosed(): void {
    this.flow.setIdleTimeout(this.context.limits.halfClosedIdleMs);
  }

  pipeEnded(end: PipeEnd): void {
    this.flow.close(end);
  }

  /** Called by the flow, which alone is closed by others. */
  close(reason: EndReason): void {
    if (this.#pipe) return this.#pipe.stop(stopModes[reason] ?? 'reset');
    this.#dialAbort?.abort();
    this.#dialled?.side.close();
    this.context.flows.released(this.flow);
  }
}

/** Who waits for a tunnel. */
export interface TunnelClient {
  /** No accessor: V8 creates that of an object literal in its old space, where it keeps a closed socket until the next full collection. */
  isGone(): boolean;
  /** @returns a function that cancels it */
  whenGone(callback: () => void): () => void;
}

/** @param isGoneAtEnd whether a half-close means that nobody waits any more; it is not seen behind data, because nothing reads during the dial */
export function waitingStream(stream: Duplex, isGoneAtEnd: boolean): TunnelClient {
  return {
    isGone: () => stream.destroyed || (isGoneAtEnd && stream.readableEnded),
    whenGone: (callback) => {
      stream.once('close', callback);
      if (isGoneAtEnd) stream.once('end', callback);
      return () => {
        stream.off('close', callback).off('end', callback);
      };
    },
  };
}

interface TunnelRequest {
  readonly target: Target | undefined;
  readonly client: TunnelClient;
}

/**
 * Opens a tunnel for an authenticated client and dials its destination. If the client disconnects, the dial is aborted.
 * @throws TunnelFailure
 */
export async function openTunnel(
  context: TunnelContext,
  login: Login,
  protocol: Protocol,
  { target, client }: TunnelRequest,
): Promise<{ tunnel: Tunnel; exit: DialledStream }> {
  try {
    if (client.isGone()) throw new TunnelFailure('client-closed');
    context.flows.admit(login);
    if (!target) throw new TunnelFailure('name-not-found');
    if (!login.connection.limits.allowsPort(target.port)) throw new TunnelFailure('port-prohibited');
    const tunnel = new Tunnel(context, login, protocol);
    const unsubscribe = client.whenGone(() => tunnel.flow.close('client-failed'));
    try {
      return { tunnel, exit: await tunnel.dial(target) };
    } finally {
      unsubscribe();
    }
  } catch (error) {
    const cause = toCause(error);
    if (cause === 'descriptors-exhausted') context.descriptors.exhausted();
    login.connection.lastRefusal.record(cause);
    context.log.info({ connectionId: login.connection.id, protocol, cause }, 'Tunnel refused');
    throw error;
  }
}
