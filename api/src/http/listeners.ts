/** The ports of the API: the public one and, if it is set, an internal one for gateways. */
import type { FastifyRequest } from 'fastify';
import { once } from 'node:events';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Config } from '../process/config.ts';
import { createHttpServer } from './http-server.ts';
import { Sockets, type SocketLimits } from './sockets.ts';

/** Paths of the internal port: the gateway API and monitoring. */
const SERVED_INTERNALLY = /^\/(?:internal|health|metrics)(?:\/|$)/;
const UNREAD_BYTES_MAX = 64 * 1024 * 1024;

export class Listeners {
  readonly #public: Sockets;
  readonly #internal: Sockets | undefined;
  #internalServer: Server | undefined;

  constructor(
    private readonly config: Config,
    private readonly headers: Readonly<Record<string, string>>,
  ) {
    const limits: SocketLimits = {
      total: config.socketsMax,
      perNetwork: config.socketsPerNetwork,
      unreadBytes: UNREAD_BYTES_MAX,
    };
    this.#public = new Sockets(limits);
    // No limit per network on the internal port: gateways are few, and may share a reverse proxy.
    if (config.internalPort !== undefined) this.#internal = new Sockets({ ...limits, perNetwork: limits.total });
  }

  /** Fastify creates several servers if it listens on a host name with several addresses. */
  readonly createServer = (listener: RequestListener): Server => {
    if (this.#internal) this.#internalServer ??= createHttpServer(this.#internal, this.headers, listener);
    return createHttpServer(this.#public, this.headers, listener);
  };

  /** @returns the internal port, if there is one */
  async listenInternally(): Promise<number | undefined> {
    const server = this.#internalServer;
    if (!server) return undefined;
    server.listen({ host: this.config.internalHost, port: this.config.internalPort });
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  /** When the process ends, before Fastify closes the public server. */
  async close(): Promise<void> {
    const server = this.#internalServer;
    if (server?.listening) {
      const closed = once(server, 'close');
      server.close();
      this.#internal?.closeUnused();
      await closed;
    }
    this.#public.closeUnused();
  }

  /** @param path path of the route, not of the request: `/%69nternal/` matches the same route */
  serves(socket: Socket, path: string | undefined): boolean {
    if (!this.#internal) return true;
    const isServedInternally = path !== undefined && SERVED_INTERNALLY.test(path);
    if (this.#internal.has(socket)) return isServedInternally;
    return path === undefined || !path.startsWith('/internal/');
  }

  /** Marks a socket of a trusted proxy: its address is not that of the client. */
  markForwarding({ raw, ips }: FastifyRequest): void {
    if (ips !== undefined && ips.length > 1) this.#socketsFrom(raw.socket).markForwarding(raw.socket);
  }

  markNode({ raw }: FastifyRequest): void {
    this.#socketsFrom(raw.socket).markNode(raw.socket);
  }

  /** Calls back when the response is closed, for any reason. */
  onceClosed(response: ServerResponse, callback: () => void): void {
    this.#socketsFrom(response.req.socket).onceClosed(response, callback);
  }

  /** By name of the port, for the metrics. */
  get sockets(): Readonly<Record<string, Sockets>> {
    return { public: this.#public, ...(this.#internal && { internal: this.#internal }) };
  }

  #socketsFrom(socket: Socket): Sockets {
    return this.#internal?.has(socket) ? this.#internal : this.#public;
  }
}
