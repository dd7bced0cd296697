/** The sockets of this process: how many there are at most, of whom, and which are closed when there are too many. */
import { clientNetwork } from '@cellhop/contract/network';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Node refuses only what comes faster than sockets can be closed. */
const CLOSING_SOCKETS_MAX = 256;
/** No browser and no library sends more requests than one before it has read the answers. */
const PIPELINED_MAX = 8;
const SWEEP_INTERVAL_MS = 1000;

export interface SocketLimits {
  total: number;
  perNetwork: number;
  /** Answers that wait in the memory of this process for clients who do not read them. */
  unreadBytes: number;
}

export type ClosingReason = 'network' | 'total' | 'pipelining' | 'unread';

/** Sockets that count together, the one whose last request began first at the head. */
type Group = Set<GuardedSocket>;

interface GuardedSocket {
  readonly socket: Socket;
  readonly network: string;
  groupName: string;
  /** Requests in progress, each with what is to be done when it is over. */
  readonly responses: Map<ServerResponse, (() => void)[]>;
}

const NODES = 'nodes';

/**
 * A newcomer is let in at the cost of a socket of the same network, or, when the whole process is full, of the network that
 * has the most: the one that has begun no request for the longest time, of those on which the client is the one to act.
 * Who opens sockets and leaves them costs himself, therefore, and a client with a request in progress is served.
 */
export class Sockets {
  readonly closed: Record<ClosingReason, number> = { network: 0, total: 0, pipelining: 0, unread: 0 };
  readonly #groups = new Map<string, Group>();
  readonly #sockets = new WeakMap<Socket, GuardedSocket>();
  #count = 0;

  constructor(private readonly limits: SocketLimits) {}

  get count(): number {
    return this.#count;
  }

  /** In progress. */
  get requestCount(): number {
    let sum = 0;
    for (const group of this.#groups.values()) for (const { responses } of group) sum += responses.size;
    return sum;
  }

  /** What Node and the kernel hold of answers. */
  get unreadBytes(): number {
    let sum = 0;
    for (const group of this.#groups.values()) for (const { socket } of group) sum += socket.writableLength;
    return sum;
  }

  has(socket: Socket): boolean {
    return this.#sockets.has(socket);
  }

  /** From now on each socket of this server counts. */
  guard(server: Server): void {
    server.maxConnections = this.limits.total + CLOSING_SOCKETS_MAX;
    server.on('connection', (socket) => this.#add(socket));
    const timer = setInterval(() => this.closeUnread(), SWEEP_INTERVAL_MS).unref();
    server.once('close', () => clearInterval(timer));
  }

  /** @returns whether the request is to be answered */
  admit(request: IncomingMessage, response: ServerResponse): boolean {
    const guarded = this.#sockets.get(request.socket);
    if (!guarded || request.socket.destroyed) return false;
    if (guarded.responses.size >= PIPELINED_MAX) {
      this.#close(guarded, 'pipelining');
      return false;
    }
    guarded.responses.set(response, []);
    response.once('close', () => finish(guarded, response));
    this.#move(guarded, guarded.groupName);
    return true;
  }

  /**
   * Calls back when the request is over, however it ends: Node tells no end of an answer that had to wait for the one
   * before it when the socket closed.
   */
  whenOver(response: ServerResponse, callback: () => void): void {
    const callbacks = this.#sockets.get(response.req.socket)?.responses.get(response);
    if (callbacks) callbacks.push(callback);
    else callback();
  }

  /** A trusted proxy forwards requests of others on it: its number of sockets is bound only by that of all. */
  isForwarding(socket: Socket): void {
    const guarded = this.#sockets.get(socket);
    if (guarded && guarded.groupName === guarded.network) this.#move(guarded, `forwarded by ${guarded.network}`);
  }

  /** A gateway's, which has shown its token: what customers do, it must be able to report. */
  isOfNode(socket: Socket): void {
    const guarded = this.#sockets.get(socket);
    if (guarded && guarded.groupName !== NODES) this.#move(guarded, NODES);
  }

  /** Answers that nobody reads are given up, beginning with those of the client that has the most of them. */
  closeUnread(): void {
    let excessBytes = this.unreadBytes - this.limits.unreadBytes;
    if (excessBytes <= 0) return;
    const unread = [...this.#groups.values()]
      .map((group) => [...group].filter(({ socket }) => socket.writableLength > 0))
      .sort((one, other) => sumOfUnread(other) - sumOfUnread(one))
      .flat();
    for (const guarded of unread) {
      if (excessBytes <= 0) return;
      excessBytes -= guarded.socket.writableLength;
      this.#close(guarded, 'unread');
    }
  }

  #add(socket: Socket): void {
    const network = clientNetwork(socket.remoteAddress ?? '');
    const guarded: GuardedSocket = { socket, network, groupName: network, responses: new Map() };
    this.#sockets.set(socket, guarded);
    this.#enter(guarded, network);
    socket.once('close', () => {
      this.#leave(guarded);
      for (const response of guarded.responses.keys()) finish(guarded, response);
    });
    const group = this.#groups.get(network)!;
    if (group.size > this.limits.perNetwork) this.#close(findIdle(group, guarded) ?? guarded, 'network');
    else if (this.#count > this.limits.total) this.#close(this.#findIdleOfAll(guarded) ?? guarded, 'total');
  }

  #findIdleOfAll(newcomer: GuardedSocket): GuardedSocket | undefined {
    let largest: Group | undefined;
    for (const [name, group] of this.#groups) if (name !== NODES && group.size > (largest?.size ?? 0)) largest = group;
    return largest && findIdle(largest, newcomer);
  }

  #close(guarded: GuardedSocket, reason: ClosingReason): void {
    this.closed[reason] += 1;
    this.#leave(guarded);
    // A reset, so that the kernel keeps nothing for a client that does not read either.
    guarded.socket.resetAndDestroy();
  }

  #enter(guarded: GuardedSocket, groupName: string): void {
    const group = this.#groups.get(groupName) ?? new Set();
    this.#groups.set(groupName, group.add(guarded));
    guarded.groupName = groupName;
    this.#count += 1;
  }

  #leave(guarded: GuardedSocket): void {
    const group = this.#groups.get(guarded.groupName);
    if (!group?.delete(guarded)) return;
    this.#count -= 1;
    if (group.size === 0) this.#groups.delete(guarded.groupName);
  }

  /** To the end of the group: who has begun a request is the last to be closed. */
  #move(guarded: GuardedSocket, groupName: string): void {
    this.#leave(guarded);
    this.#enter(guarded, groupName);
  }
}

function finish({ responses }: GuardedSocket, response: ServerResponse): void {
  const callbacks = responses.get(response) ?? [];
  responses.delete(response);
  for (const callback of callbacks) callback();
}

function findIdle(group: Group, newcomer: GuardedSocket): GuardedSocket | undefined {
  for (const guarded of group) if (guarded !== newcomer && isClientsTurn(guarded)) return guarded;
  return undefined;
}

/** The server waits: for a request or the rest of one, or for what it has written to be read. */
function isClientsTurn({ socket, responses }: GuardedSocket): boolean {
  if (socket.writableLength > 0) return true;
  for (const { req } of responses.keys()) if (req.complete) return false;
  return true;
}

function sumOfUnread(sockets: readonly GuardedSocket[]): number {
  return sockets.reduce((sum, { socket }) => sum + socket.writableLength, 0);
}
