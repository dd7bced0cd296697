import { constants } from 'node:os';
import type { Credit } from '../metering/credit.ts';
import type { ByteTotals, Outlet } from '../metering/outlet.ts';
import { checkNativeFile } from './native-file.ts';
import type { NativeSockets } from './native-sockets.ts';
import { NativeTable } from './native-table.ts';
import { RawSockets } from './raw-sockets.ts';

/** Of gateway/native/accelerator.c, which explains them. */
interface Native extends NativeSockets {
  start(onNotices: (count: number) => void, notices: Float64Array, numbers: Float64Array): boolean;
  configure(pipes: number, readsOfStream: number): void;
  openAccount(): number;
  closeAccount(account: number): void;
  allow(account: number, bytes: number, askAt: number): void;
  readAccount(account: number): void;
  attach(client: number, exit: number, account: number): number;
  readFlow(id: number): void;
  resume(id: number): boolean;
  detach(id: number): [toExit: Buffer | undefined, toClient: Buffer | undefined];
  measure(): number;
  unacknowledged(descriptor: number): number;
}

/** Kinds of notices. All others mean that TypeScript has to go on. */
const ENDED = 0;
const FAILED = 1;
const STARVED = 2;
const LOW = 4;
const NUMBERS_PER_NOTICE = 4;
const NUMBERS = 4;
const NOTICES = 256;
/** How often totals are counted, and tunnels are asked whether they may stay. Reports count sooner. */
const COLLECT_MS = 1_000;
/** More than the messages of a handshake. */
const READS_OF_STREAM = 8;

/** Of `failed`: the side whose error was consumed, and the system's number of the error. Of `ended`: the side whose end was read. */
export type Notice =
  | { readonly kind: 'starved' | 'stopped' }
  | { readonly kind: 'ended'; readonly side: 'client' | 'exit' }
  | { readonly kind: 'failed'; readonly side: 'client' | 'exit'; readonly error: number };

/** A tunnel whose bytes pass here. */
export interface FlowUser {
  /** The flow stands still until it is resumed or left. */
  noticed(notice: Notice): void;
  /** Counts, and leaves if it may not stay. */
  collect(): void;
}

export interface FlowTotals extends ByteTotals {
  /** When the last byte was read, by the clock of `performance`. */
  readonly lastAt: number;
}

/** Loads native code. @throws Error if the file is of another platform or Node.js, not whole, or none at all */
export function loadNative(file: string): Native {
  checkNativeFile(file);
  const module = { exports: {} };
  // A function that this Node.js lacks is missed now, and not by the first tunnel that needs it, which would end the process.
  process.dlopen(module, file, constants.dlopen.RTLD_NOW);
  return module.exports as Native;
}

/** The native code, its accounts and its flows. It runs on this thread, between turns of JavaScript: nothing changes while JavaScript runs. */
export class Accelerator {
  readonly #notices = arrayOf(NOTICES * NUMBERS_PER_NOTICE);
  readonly #numbers = arrayOf(NUMBERS);
  readonly #users = new NativeTable<FlowUser>();
  readonly #accounts = new Map<Credit, Account>();
  readonly #byNumber = new Map<number, Account>();
  /** Its clock and that of `performance` begin at different times. */
  readonly #clockOffset: number;
  #timer: NodeJS.Timeout | undefined;
  /** The sockets of clients and destinations. */
  readonly sockets: RawSockets;

  /**
   * @param pipes how many may be open; each has two descriptors
   * @param readsOfStream how many small reads in a row make a stream, which is read at ticks
   * @throws Error if the system refuses what it needs
   */
  constructor(
    private readonly native: Native,
    pipes: number,
    readsOfStream = READS_OF_STREAM,
  ) {
    if (!native.start((count) => this.#noticed(count), this.#notices, this.#numbers))
      throw new Error('The system refuses epoll');
    native.configure(pipes, readsOfStream);
    this.sockets = new RawSockets(native);
    this.#clockOffset = performance.now() - native.measure();
  }

  /** `passedBytes`: through pipes, since the start. `streams`: directions of tunnels that are read at ticks now. */
  measure(): { tunnels: number; pipes: number; passedBytes: number; streams: number } {
    this.native.measure();
    const [tunnels = 0, pipes = 0, passedBytes = 0, streams = 0] = this.#numbers;
    return { tunnels, pipes, passedBytes, streams };
  }

  /** @returns undefined if nothing may pass now, or the sockets cannot be watched */
  open(credit: Credit, descriptors: { client: number; exit: number }, user: FlowUser): number | undefined {
    const account = this.#accounts.get(credit) ?? this.#openAccount(credit);
    const id = credit.refillOutlet()
      ? this.native.attach(descriptors.client, descriptors.exit, account.number)
      : Number.NaN;
    if (!(id >= 0)) {
      this.#closeIfUnused(account);
      return undefined;
    }
    account.users += 1;
    this.#users.add(id, user);
    this.#timer ??= setInterval(() => this.collect(), COLLECT_MS).unref();
    return id;
  }

  read(id: number): FlowTotals {
    this.native.readFlow(id);
    const [toExit = 0, toClient = 0, lastAt = 0] = this.#numbers;
    return { toExit, toClient, lastAt: lastAt + this.#clockOffset };
  }

  /** @returns what the peer of a socket has not acknowledged; undefined if the system does not tell */
  unacknowledgedBytes(descriptor: number): number | undefined {
    const bytes = this.native.unacknowledged(descriptor);
    return bytes < 0 ? undefined : bytes;
  }

  /** @returns false if its sockets cannot be watched */
  resume(id: number): boolean {
    return this.native.resume(id);
  }

  /** @returns what was counted and not written */
  close(id: number, credit: Credit): ReturnType<Native['detach']> {
    const pending = this.native.detach(id);
    this.#users.delete(id);
    const account = this.#accounts.get(credit);
    if (account) {
      account.users -= 1;
      this.#closeIfUnused(account);
    }
    if (this.#users.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    return pending;
  }

  collect(): void {
    for (const user of this.#users.values()) user.collect();
  }

  #openAccount(credit: Credit): Account {
    const account = new Account(credit, this.native, this.#numbers);
    this.#accounts.set(credit, account);
    this.#byNumber.set(account.number, account);
    credit.openOutlet(account);
    return account;
  }

  #closeIfUnused(account: Account): void {
    if (account.users > 0) return;
    this.#accounts.delete(account.credit);
    this.#byNumber.delete(account.number);
    account.credit.closeOutlet();
    this.native.closeAccount(account.number);
  }

  /** Copied first, because what they cause may end flows and begin others. Ids are never used again, numbers of accounts are. */
  #noticed(count: number): void {
    const notices = this.#notices.slice(0, count * NUMBERS_PER_NOTICE);
    for (let at = 0; at < notices.length; at += NUMBERS_PER_NOTICE) {
      const [kind, id] = [notices[at]!, notices[at + 1]!];
      if (kind === LOW) this.#byNumber.get(id)?.credit.refillOutlet();
      else this.#users.get(id)?.noticed(toNotice(kind, notices[at + 2]!, notices[at + 3]!));
    }
  }
}

function toNotice(kind: number, side: number, error: number): Notice {
  const name = side === 0 ? 'client' : 'exit';
  if (kind === FAILED) return { kind: 'failed', side: name, error };
  if (kind === ENDED) return { kind: 'ended', side: name };
  return { kind: kind === STARVED ? 'starved' : 'stopped' };
}

/** An account of native code as the outlet of a credit. */
class Account implements Outlet {
  readonly number: number;
  users = 0;

  constructor(
    readonly credit: Credit,
    private readonly native: Native,
    private readonly numbers: Float64Array,
  ) {
    this.number = native.openAccount();
  }

  allow(bytes: number, askAt: number): void {
    this.native.allow(this.number, bytes, askAt);
  }

  get passedBytes(): ByteTotals {
    this.native.readAccount(this.number);
    const [toExit = 0, toClient = 0] = this.numbers;
    return { toExit, toClient };
  }
}

/** Outside of V8's heap, where it does not move. */
const arrayOf = (length: number) => new Float64Array(new ArrayBuffer(length * Float64Array.BYTES_PER_ELEMENT));
