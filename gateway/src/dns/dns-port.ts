import { canonicalAddress } from '@cellhop/contract/network';
import { createServer, type Server, type Socket } from 'node:net';
import { inBackground } from '../background.ts';
import { listen } from '../listen.ts';
import { resetSocket } from '../pipe/handle.ts';
import { type DatagramPort, openUdpSocket, type Sender } from '../udp/udp-socket.ts';
import type { Answers, DnsContext } from './answers.ts';
import type { DropReason, Transport } from '../metrics.ts';
import { TcpClient } from './tcp-client.ts';

/** Finds the answers for a client; undefined for unknown clients. A promise if the control plane has to be asked. */
type FindAnswers = (client: string) => Answers | Promise<Answers | undefined> | undefined;

/** The UDP and the TCP socket of one DNS port. Both answer only clients of the connection that has the port. */
export class DnsPort {
  #udp: DatagramPort | undefined;
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
    const { host, limits, log } = this.context;
    const port = this.number;
    const tcp = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#accepted(socket));
    // The host may be a name, which only the TCP listener resolves.
    const { address } = await listen(tcp, port, host);
    tcp.on('error', (error) => log.warn({ err: error }, 'A DNS client could not be accepted'));
    this.#tcp = tcp;
    try {
      this.#udp = await openUdpSocket({ address, port, isDualStack: true, limits });
    } catch (error) {
      this.#closeSockets();
      throw error;
    }
    this.#udp.open({
      received: (message, from) => this.#received(message, from),
      failed: () => this.#drop('udp', 'network-error'),
    });
    if (this.#isClosed) this.close();
  }

  /** Closes both sockets, and its TCP clients by a reset, or by an end after the answers that were counted. */
  close({ delivers = false } = {}): void {
    this.#isClosed = true;
    this.#closeSockets(delivers);
  }

  /** Closes the TCP clients that may not use the port any more. UDP clients are checked at every message. */
  closeForbiddenClients(isAllowed: (client: string) => boolean): void {
    for (const [client, address] of this.#tcpClients) if (!isAllowed(address)) client.reset();
  }

  #closeSockets(delivers = false): void {
    this.#udp?.close();
    this.#tcp?.close();
    this.#udp = undefined;
    this.#tcp = undefined;
    for (const client of this.#tcpClients.keys()) {
      if (delivers) client.end();
      else client.reset();
    }
  }

  #received(message: Buffer, { address, port }: Sender): void {
    const client = canonicalAddress(address);
    const found = client === undefined ? undefined : this.findAnswers(client);
    if (client === undefined || !found) return this.#drop('udp', 'client-not-allowed');
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
    if (!answers?.isAllowed(client)) return this.#drop('udp', 'client-not-allowed');
    if (!answers.isWithinRate(client)) return this.#drop('udp', 'rate-limit');
    if (this.#udp?.isCongested) return this.#drop('udp', 'send-queue-full');
    await answers.answer({ message, transport: 'udp', client }, (answer) => this.#udp?.send([answer], port, address));
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
      this.#drop('tcp', isFull ? 'client-limit' : 'client-not-allowed');
      return resetSocket(socket);
    }
    return this.#serve(socket, client, found);
  }

  #serve(socket: Socket, client: string, found: Answers | Promise<Answers | undefined>): void {
    const { limits, tcpClients } = this.context;
    const isGone = () => socket.destroyed || socket.writableEnded;
    const tcpClient = new TcpClient(socket, {
      limits,
      isWithinRate: () => found instanceof Promise || found.isWithinRate(client),
      answer: async (message, send) => {
        const answers = await found;
        if (answers?.isAllowed(client)) return answers.answer({ message, transport: 'tcp', client, isGone }, send);
        this.#drop('tcp', 'client-not-allowed');
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
