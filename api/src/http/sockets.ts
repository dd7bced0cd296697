/** Limits the sockets of this process in total and per network, and closes idle ones when a limit is reached. */
import { clientNetworks, networkLimits } from '@cellhop/contract/network';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Headroom of Node's own limit, which only applies if sockets open faster than they can be closed. */
const CLOSING_SOCKETS_MAX = 256;
/** Browsers and common libraries do not pipeline requests. */
const PIPELINED_MAX = 8;
const UNREAD_CHECK_INTERVAL_MS = 1000;
/** Share of the limit that may be written between two checks: many clients can request large responses within the interval. */
const UNCHECKED_SHARE = 0.25;

export interface SocketLimits {
  total: number;
  perNetwork: number;
  /** Responses buffered in this process for clients that do not read them. */
  unreadBytes: number;
}

export type ClosingReason = 'network' | 'total' | 'pipelining' | 'unread';

/** Sockets that are counted together, ordered by the start of their last request. */
class Group extends Set<GuardedSocket> {
  /** @param isWidest whether no other group contains it, so that those that are together contain each socket once */
  constructor(readonly isWidest: boolean) {
    super();
  }
}

interface GuardedSocket {
  readonly socket: Socket;
  /** The widest first. */
  readonly networks: readonly string[];
  /** Its networks, or what it is counted with instead. */
  groupNames: readonly string[];
  /** Requests in progress with their callbacks on close. */
  readonly responses: Map<ServerResponse, (() => void)[]>;
}

const NODES = ['nodes'];

/**
 * A new socket beyond a limit replaces an idle one: of the same network or, if the whole process is full, of the widest
 * network with the most sockets. It replaces the one with the oldest last request among those that wait for their client. So an attacker
 * who opens idle sockets only harms their own network, and requests in progress are not interrupted.
 */
export class Sockets {
  readonly closed: Record<ClosingReason, number> = { network: 0, total: 0, pipelining: 0, unread: 0 };
  readonly #groups = new Map<string, Group>();
  readonly #sockets = new WeakMap<Socket, GuardedSocket>();
  #count = 0;
  /** Response data that was not read at once, since the last check of all sockets. */
  #uncheckedBytes = 0;

  constructor(private readonly limits: SocketLimits) {}

  get count(): number {
    return this.#count;
  }

  /** Requests in progress. */
  get requestCount(): number {
    let sum = 0;
    for (const group of this.#widestGroups()) for (const { responses } of group) sum += responses.size;
    return sum;
  }

  /** Response data in Node's buffers. */
  get unreadBytes(): number {
    let sum = 0;
    for (const group of this.#widestGroups()) for (const { socket } of group) sum += socket.writableLength;
    return sum;
  }

  has(socket: Socket): boolean {
    return this.#sockets.has(socket);
  }

  /** Counts all sockets of this server from now on. */
  guard(server: Server): void {
    server.maxConnections = this.limits.total + CLOSING_SOCKETS_MAX;
    server.on('connection', (socket) => this.#add(socket));
    const timer = setInterval(() => this.closeUnread(), UNREAD_CHECK_INTERVAL_MS).unref();
    server.once('close', () => clearInterval(timer));
  }

  /** @returns whether to handle the request */
  admit(request: IncomingMessage, response: ServerResponse): boolean {
    const guarded = this.#sockets.get(request.socket);
    if (!guarded || request.socket.destroyed) return false;
    if (guarded.responses.size >= PIPELINED_MAX) {
      this.#close(guarded, 'pipelining');
      return false;
    }
    guarded.responses.set(response, []);
    response.once('close', () => finish(guarded, response));
    response.once('prefinish', () => this.#countUnread(response.writableLength));
    this.#move(guarded, guarded.groupNames);
    return true;
  }

  /**
   * Calls back when the response is closed, for any reason; at once if it already was. Node emits no `close` for a pipelined
   * response that was queued behind another one when the socket closed.
   */
  onceClosed(response: ServerResponse, callback: () => void): void {
    const callbacks = this.#sockets.get(response.req.socket)?.responses.get(response);
    if (callbacks) callbacks.push(callback);
    else callback();
  }

  /** The socket belongs to a trusted proxy, so the limit per network does not apply. */
  markForwarding(socket: Socket): void {
    const guarded = this.#sockets.get(socket);
    if (!guarded || guarded.groupNames !== guarded.networks) return;
    this.#move(guarded, [`forwarded by ${guarded.networks.at(-1)}`]);
  }

  /** The socket belongs to an authenticated gateway, so it is not closed in favour of clients. */
  markNode(socket: Socket): void {
    const guarded = this.#sockets.get(socket);
    if (guarded && guarded.groupNames !== NODES) this.#move(guarded, NODES);
  }

  /** Closes sockets with unread responses while they take too much memory, starting with the network that has the most. */
  closeUnread(): void {
    this.#uncheckedBytes = 0;
    let excessBytes = this.unreadBytes - this.limits.unreadBytes;
    if (excessBytes <= 0) return;
    const unread = [...this.#widestGroups()]
      .map((group) => [...group].filter(({ socket }) => socket.writableLength > 0))
      .sort((one, other) => sumOfUnread(other) - sumOfUnread(one))
      .flat();
    for (const guarded of unread) {
      if (excessBytes <= 0) return;
      excessBytes -= guarded.socket.writableLength;
      this.#close(guarded, 'unread');
    }
  }

  /**
   * For the end of the process: Node closes idle sockets then, but not those that browsers opened in advance and never used, for
   * which it would wait.
   */
  closeUnused(): void {
    for (const group of this.#widestGroups())
      for (const { socket } of group) if (socket.bytesRead === 0) socket.destroy();
  }

  #countUnread(bytes: number): void {
    const checkAt = this.limits.unreadBytes * UNCHECKED_SHARE;
    const wasBelow = this.#uncheckedBytes < checkAt;
    this.#uncheckedBytes += bytes;
    // On the next tick: before the next request, but after Node has ended this response.
    if (wasBelow && this.#uncheckedBytes >= checkAt) process.nextTick(() => this.closeUnread());
  }

  #add(socket: Socket): void {
    const networks = clientNetworks(socket.remoteAddress ?? '');
    const guarded: GuardedSocket = { socket, networks, groupNames: networks, responses: new Map() };
    this.#sockets.set(socket, guarded);
    this.#enter(guarded, networks);
    socket.once('close', () => {
      this.#leave(guarded);
      for (const response of guarded.responses.keys()) finish(guarded, response);
    });
    const full = networkLimits(networks, this.limits.perNetwork).find(
      ({ name, limit }) => this.#groups.get(name)!.size > limit,
    );
    if (full) this.#close(findIdle(this.#groups.get(full.name)!, guarded) ?? guarded, 'network');
    else if (this.#count > this.limits.total) this.#close(this.#findIdleOfAll(guarded) ?? guarded, 'total');
  }

  #findIdleOfAll(newcomer: GuardedSocket): GuardedSocket | undefined {
    let largest: Group | undefined;
    const nodes = this.#groups.get(NODES[0]!);
    for (const group of this.#widestGroups()) if (group !== nodes && group.size > (largest?.size ?? 0)) largest = group;
    return largest && findIdle(largest, newcomer);
  }

  #close(guarded: GuardedSocket, reason: ClosingReason): void {
    this.closed[reason] += 1;
    this.#leave(guarded);
    // A reset also frees the kernel's send buffer.
    guarded.socket.resetAndDestroy();
  }

  *#widestGroups(): Generator<Group> {
    for (const group of this.#groups.values()) if (group.isWidest) yield group;
  }

  #enter(guarded: GuardedSocket, groupNames: readonly string[]): void {
    for (const [level, name] of groupNames.entries()) {
      const group = this.#groups.get(name) ?? new Group(level === 0);
      this.#groups.set(name, group.add(guarded));
    }
    guarded.groupNames = groupNames;
    this.#count += 1;
  }

  #leave(guarded: GuardedSocket): void {
    let isCounted = false;
    for (const name of guarded.groupNames) {
      const group = this.#groups.get(name);
      if (!group?.delete(guarded)) continue;
      isCounted = true;
      if (group.size === 0) this.#groups.delete(name);
    }
    if (isCounted) this.#count -= 1;
  }

  /** Moves the socket to the end of its groups, because it started a request last. */
  #move(guarded: GuardedSocket, groupNames: readonly string[]): void {
    this.#leave(guarded);
    this.#enter(guarded, groupNames);
  }
}

function finish({ responses }: GuardedSocket, response: ServerResponse): void {
  const callbacks = responses.get(response) ?? [];
  responses.delete(response);
  for (const callback of callbacks) callback();
}

function findIdle(group: Group, newcomer: GuardedSocket): GuardedSocket | undefined {
  for (const guarded of group) if (guarded !== newcomer && isWaitingForClient(guarded)) return guarded;
  return undefined;
}

/** The server waits for a request or the rest of one, or for the client to read a response. */
function isWaitingForClient({ socket, responses }: GuardedSocket): boolean {
  if (socket.writableLength > 0) return true;
  for (const { req } of responses.keys()) if (req.complete) return false;
  return true;
}

function sumOfUnread(sockets: readonly GuardedSocket[]): number {
  return sockets.reduce((sum, { socket }) => sum + socket.writableLength, 0);
}
