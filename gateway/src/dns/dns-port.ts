import { canonicalAddress } from '@cellhop/contract/network';
import { createSocket, type RemoteInfo, type Socket as UdpSocket } from 'node:dgram';
import { createServer, type Server, type Socket } from 'node:net';
import { inBackground } from '../background.ts';
import { listen } from '../listen.ts';
import { resetSocket } from '../pipe/handle.ts';
import type { Answers } from './answers.ts';
import type { DnsContext } from './dns-context.ts';
import type { DropReason, Transport } from './dns-metrics.ts';
import { TcpClient } from './tcp-client.ts';

/** Answers that the kernel has not taken: beyond this they are dropped. */
const SEND_QUEUE_BYTES_MAX = 1024 * 1024;

/** What answers a client; undefined for strangers. A promise while the control plane is asked. */
type FindAnswers = (client: string) => Answers | Promise<Answers | undefined> | undefined;

/** The UDP and the TCP socket of one DNS port. Both answer only clients of the connection that has the port. */
export class DnsPort {
  #udp: UdpSocket | undefined;
  #tcp: Server | undefined;
  readonly #tcpClients = new Map<TcpClient, string>();
  #isClosed = false;

  constructor(
    private readonly context: DnsContext,
    readonly number: number,
    private readonly findAnswers: FindAnswers,
  ) {}

  /** @throws the system error if one of the sockets cannot be bound; then none is open */
  async open(): Promise<void> {
    const { host, log } = this.context;
    const udp = await this.#openUdp();
    const tcp = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#accepted(socket));
    try {
      await listen(tcp, this.number, host);
    } catch (error) {
      udp.close();
      throw error;
    }
    tcp.on('error', (error) => log.warn({ err: error }, 'A DNS client could not be accepted'));
    [this.#udp, this.#tcp] = [udp, tcp];
    if (this.#isClosed) this.close();
  }

  /** Closes both sockets, and its TCP clients by a reset, or by an end after the answers that were counted. */
  close({ delivers = false } = {}): void {
    this.#isClosed = true;
    this.#udp?.close();
    this.#tcp?.close();
    this.#udp = undefined;
    this.#tcp = undefined;
    for (const client of this.#tcpClients.keys()) {
      if (delivers) client.end();
      else client.reset();
    }
  }

  /** Closes the TCP clients that may not use the port any more. UDP clients are checked at every message. */
  closeForbiddenClients(isAllowed: (client: string) => boolean): void {
    for (const [client, address] of this.#tcpClients) if (!isAllowed(address)) client.reset();
  }

  #openUdp(): Promise<UdpSocket> {
    const { host, log } = this.context;
    return new Promise((fulfil, reject) => {
      // Answers go to literal addresses; without this each would be looked up by `getaddrinfo`.
      const type = host.includes(':') ? 'udp6' : 'udp4';
      const lookup = (address: string, _options: unknown, done: LookedUp) =>
        done(null, address, type === 'udp6' ? 6 : 4);
      const socket = createSocket({ type, lookup });
      socket.once('error', (error) => {
        socket.close();
        reject(error);
      });
      socket.bind({ port: this.number, address: host, exclusive: true }, () => {
        socket.removeAllListeners('error');
        socket.on('error', (error) => log.warn({ err: error }, 'A DNS port failed to receive'));
        socket.on('message', (message, from) => this.#received(message, from));
        fulfil(socket);
      });
    });
  }

  #received(message: Buffer, { address, port }: RemoteInfo): void {
    const client = canonicalAddress(address);
    const found = client === undefined ? undefined : this.findAnswers(client);
    if (client === undefined || !found) return this.#drop('udp', 'stranger');
    const work =
      found instanceof Promise
        ? found.then((answers) => this.#answer(answers, message, { client, address, port }))
        : this.#answer(found, message, { client, address, port });
    return inBackground(this.context.log, 'DNS question', work);
  }

  async #answer(
    answers: Answers | undefined,
    message: Buffer,
    { client, address, port }: { client: string; address: string; port: number },
  ): Promise<void> {
    if (!answers?.isAllowed(client)) return this.#drop('udp', 'stranger');
    if (!answers.isWithinRate(client)) return this.#drop('udp', 'rate');
    if ((this.#udp?.getSendQueueSize() ?? 0) > SEND_QUEUE_BYTES_MAX) return this.#drop('udp', 'send-queue');
    // An answer that cannot be sent is lost, as on the network; the client asks again.
    await answers.answer({ message, transport: 'udp', client }, (answer) => {
      this.#udp?.send(answer, port, address, () => {});
    });
  }

  #accepted(socket: Socket): void {
    const { context } = this;
    const { remoteAddress = '' } = socket;
    socket.on('error', () => socket.destroy());
    const isFull =
      this.#tcpClients.size >= context.limits.dnsTcpClientsPerPort ||
      context.tcpClients.count >= context.limits.dnsTcpClientsPerNode;
    const client = canonicalAddress(remoteAddress);
    const found = client === undefined || isFull ? undefined : this.findAnswers(client);
    if (client === undefined || !found) {
      this.#drop('tcp', isFull ? 'clients' : 'stranger');
      return resetSocket(socket);
    }
    return this.#serve(socket, client, found);
  }

  #serve(socket: Socket, client: string, found: Answers | Promise<Answers | undefined>): void {
    const { limits, tcpClients } = this.context;
    const tcpClient = new TcpClient(socket, {
      limits,
      isWithinRate: () => found instanceof Promise || found.isWithinRate(client),
      answer: async (message, send) => {
        const answers = await found;
        if (answers?.isAllowed(client)) return answers.answer({ message, transport: 'tcp', client }, send);
        this.#drop('tcp', 'stranger');
        return false;
      },
      dropped: (reason) => this.#drop('tcp', reason),
    });
    this.#tcpClients.set(tcpClient, client);
    tcpClients.count += 1;
    socket.once('close', () => {
      this.#tcpClients.delete(tcpClient);
      tcpClients.count -= 1;
    });
  }

  #drop(transport: Transport, reason: DropReason): void {
    this.context.metrics.dns.dropped(transport, reason);
  }
}

type LookedUp = (error: null, address: string, family: number) => void;
