import { randomInt } from 'node:crypto';
import type { PortRange } from '@cellhop/contract/network';
import { isWithin } from '../exits/source-ports.ts';
import type { Limits } from '../limits.ts';
import { TunnelFailure } from '../statuses.ts';
import { type DatagramPort, openUdpSocket } from './udp-socket.ts';

interface ClientPortSettings {
  readonly range: PortRange;
  /** Ports within the range that are used otherwise. */
  readonly reserved: PortRange;
  readonly limits: Pick<Limits, 'udpBufferBytes' | 'udpQueueBytes' | 'clientPortAttempts'>;
}

interface ClientPort {
  readonly socket: DatagramPort;
  readonly port: number;
}

/**
 * The UDP ports to which clients send. Each association has its own one, because a shared port could not distinguish two
 * customers behind one address. They are chosen at random, so that others cannot predict them.
 */
export class ClientPorts {
  readonly #ports: readonly number[];

  /** @throws Error if all ports are reserved */
  constructor(private readonly settings: ClientPortSettings) {
    const { range, reserved } = settings;
    const ports = Array.from({ length: range.last - range.first + 1 }, (_, index) => range.first + index);
    this.#ports = ports.filter((port) => !isWithin(port, reserved));
    if (this.#ports.length === 0) throw new Error('All UDP ports are DNS ports, too');
  }

  /**
   * @param address the address of this host to which the client connected
   * @throws TunnelFailure `node-full`, or the system error
   */
  async open(address: string): Promise<ClientPort> {
    const { limits } = this.settings;
    for (let attempt = 0; attempt < limits.clientPortAttempts; attempt += 1) {
      const port = this.#ports[randomInt(this.#ports.length)]!;
      try {
        return { port, socket: await openUdpSocket({ address, port, limits }) };
      } catch (error) {
        if (!isPortInUse(error)) throw error;
      }
    }
    throw new TunnelFailure('node-full');
  }
}

const isPortInUse = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
