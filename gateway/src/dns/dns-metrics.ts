import type { Registry } from 'prom-client';
import type { UpstreamEvent } from '../exits/query-socket.ts';
import { plainCounter } from '../plain-counter.ts';

export type Transport = 'udp' | 'tcp';

/**
 * How a question was answered. `refused`: by this node itself (format, opcode, zone transfer). `failed`: SERVFAIL, because no
 * name server answered. `filtered`: the answer had private addresses.
 */
export type Outcome = 'answered' | 'truncated' | 'refused' | 'failed' | 'filtered';

/** Why a message got no answer. */
export type DropReason =
  | 'client-not-allowed'
  | 'rate-limit'
  | 'in-flight-limit'
  | 'malformed'
  | 'not-a-query'
  | 'no-credit'
  | 'port-closed'
  | 'send-queue-full'
  | 'network-error'
  | 'client-limit'
  | 'client-closed'
  | 'idle';

/** No label contains a connection, a client or a name. */
export class DnsMetrics {
  readonly #answers = new Map<string, number>();
  readonly #drops = new Map<string, number>();
  readonly #upstream = new Map<string, number>();

  constructor(registers: Registry[]) {
    plainCounter(registers, {
      counts: () => byLabels(this.#answers),
      name: 'gateway_dns_queries_total',
      help: 'Questions on DNS ports that were answered',
      labelNames: ['transport', 'outcome'],
    });
    plainCounter(registers, {
      counts: () => byLabels(this.#drops),
      name: 'gateway_dns_dropped_total',
      help: 'Messages and TCP clients on DNS ports that were dropped without an answer',
      labelNames: ['transport', 'reason'],
    });
    plainCounter(registers, {
      counts: () => byLabels(this.#upstream),
      name: 'gateway_dns_upstream_total',
      help: 'Questions to name servers, their answers and failures, and messages that answer no question',
      labelNames: ['event'],
    });
  }

  answered(transport: Transport, outcome: Outcome): void {
    increment(this.#answers, `${transport} ${outcome}`);
  }

  dropped(transport: Transport, reason: DropReason): void {
    increment(this.#drops, `${transport} ${reason}`);
  }

  upstream(event: UpstreamEvent): void {
    increment(this.#upstream, event);
  }
}

const increment = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);

/** The labels of a key are separated by spaces. */
const byLabels = (counts: ReadonlyMap<string, number>) =>
  [...counts].map(([key, count]) => [key.split(' '), count] as const);
