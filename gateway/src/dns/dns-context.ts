import type { Logger } from 'pino';
import type { Limits } from '../limits.ts';
import type { Metrics } from '../metrics.ts';

/** The parts of the node that DNS ports use. */
export interface DnsContext {
  /** The address on which the public port listens. */
  readonly host: string;
  readonly limits: Limits;
  readonly metrics: Pick<Metrics, 'bytesOf' | 'dns'>;
  readonly log: Logger;
  /** Whether answers may contain an address. */
  readonly isAddressAllowed: (address: Uint8Array) => boolean;
  /** TCP clients of all ports. */
  readonly tcpClients: { count: number };
}
