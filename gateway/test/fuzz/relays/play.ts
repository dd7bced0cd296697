import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { FakeConnection } from '../../control-plane.ts';
import { createPlan } from '../generator.ts';
import type { Plan, RunContext } from '../plan.ts';
import { type Finish, HALF_OPEN_MAX, type RelayCase, type TunnelPlan } from './plans.ts';
import { type EndPoint, type SocketEnd, Unexpected } from './end-point.ts';
import { type Place, TunnelPlay, TURNS } from './tunnel-play.ts';
import type { Line, World } from './world.ts';

/** What one end has seen. */
export interface Seen {
  readonly receivedBytes: number;
  readonly sentBytes: number;
  readonly end: SocketEnd | undefined;
  readonly isResetAfterEnd: boolean;
  readonly wrongAt: number | undefined;
}

export interface TunnelOutcome {
  /** To the login and the request. */
  readonly reply: string;
  readonly client: Seen;
  readonly origin: Seen | undefined;
}

/** Everything that a customer, their destination or the operator can see of a case. */
export interface Outcome {
  readonly tunnels: readonly TunnelOutcome[];
  /** Of clients that get no tunnel. */
  readonly replies: readonly string[];
  readonly usedBytes: number;
  readonly uploadedBytes: number;
  readonly endedAtBytes: number | undefined;
  readonly refusals: readonly string[];
  readonly lines: readonly Line[];
  /** What did not happen as planned. */
  readonly unexpected: readonly string[];
}

const CASE_MS = 180_000;
const PARTS_OF_LOGIN = [Buffer.alloc(0), Buffer.from([5]), Buffer.from([5, 1, 2]), Buffer.from('CONN')];
/** It is answered. */
const WHOLE_GREETING = 2;
const CLOSED_PORT = 9;
const LIMITED = 20_000_000;

export class Play {
  readonly #tunnels: TunnelPlay[] = [];
  readonly #unexpected: string[] = [];
  readonly #replies: string[] = [];
  readonly #clientAddress: string;
  #connection: FakeConnection | undefined;
  #isLate = false;

  constructor(
    private readonly world: World,
    private readonly plan: RelayCase,
    private readonly seed: number,
    /** Of an origin for both gateways, which returns what it gets. */
    private readonly echoPort: number,
  ) {
    this.#clientAddress = addressOf(128, plan.index);
  }

  async run(): Promise<Outcome> {
    const timer = setTimeout(() => this.#giveUp(), CASE_MS);
    try {
      await this.#play();
    } catch (error) {
      if (!(error instanceof Unexpected)) throw error;
      this.#unexpected.push(error.message);
    }
    await this.#settle();
    clearTimeout(timer);
    const outcome = this.#outcome();
    for (const tunnel of this.#tunnels) tunnel.close();
    const addresses = this.#tunnels.map(({ place }) => place.originAddress);
    this.world.forget(addresses, [this.#connection?.id ?? '', this.#clientAddress]);
    if (this.#connection) this.world.control.connections.delete(this.#connection.id);
    return outcome;
  }

  #giveUp(): void {
    this.#isLate = true;
    this.#unexpected.push('the case took too long');
    for (const tunnel of this.#tunnels) tunnel.giveUp();
  }

  #play(): Promise<void> {
    const { plan } = this;
    switch (plan.kind) {
      case 'tunnels':
        return this.#playTunnels(plan);
      case 'refusal':
        return this.#playRefusal(plan);
      case 'guard':
        return this.#playGuard(plan);
      case 'half-open':
        return this.#playHalfOpen(plan.sent);
      case 'handshake':
        return this.#playHandshake();
    }
  }

  async #playTunnels(plan: RelayCase & { kind: 'tunnels' }): Promise<void> {
    const { allowedBytes, isCap, grantStepBytes, isLimited, exitAddress, isListed } = plan;
    const connection = this.#sell({
      exit: { kind: 'local-address', address: exitAddress },
      grantStepBytes,
      ...(allowedBytes !== undefined && { allowedBytes }),
      ...(isCap && { reason: 'CAP' }),
      ...(isLimited && { limits: { ports: null, tunnels: null, bytesPerSecond: LIMITED } }),
    });
    if (isListed) connection.access = { ...connection.access, allowList: [this.#clientAddress] };
    const plays = plan.tunnels.map((tunnel, nth) => this.#open(tunnel, connection, nth));
    // One after the other, so that they share one login.
    for (const play of plays) {
      await play.logIn(isListed ? undefined : connection);
      await play.opened();
    }
    await Promise.all(
      plays.map(async (play, nth) => {
        for (const step of plan.tunnels[nth]!.steps) await play.step(step);
      }),
    );
    const finishes = plays.map((play, nth) => play.finish(plan.tunnels[nth]!.finish));
    await Promise.all([...finishes, this.#act(plan.tunnels[0]!.finish, connection, plays)]);
    await this.#untilEnded(plays.length);
  }

  async #act(finish: Finish, connection: FakeConnection, plays: readonly TunnelPlay[]): Promise<void> {
    if (finish.how !== 'operator') return;
    const { control } = this.world;
    if (finish.act === 'end') control.announceEnd(connection, 'USER');
    else if (finish.act === 'password') {
      control.changeAccess(connection, { password: 'another-password' });
      control.announceAccess(connection);
    } else for (const { place } of plays) this.world.refuse(`${place.originAddress}/32`);
  }

  async #playRefusal({ why, tunnel }: RelayCase & { kind: 'refusal' }): Promise<void> {
    const { world } = this;
    const connection = this.#sell(why === 'no-credit' ? { allowedBytes: 0 } : {});
    if (why === 'ended') Object.assign(connection, { state: 'ended', reason: 'USER' });
    if (why === 'tunnel-limit') connection.limits = { ports: null, tunnels: 1, bytesPerSecond: null };
    const places: Partial<Record<typeof why, Partial<Place>>> = {
      'closed-port': { originPort: CLOSED_PORT },
      'prohibited-port': { originPort: 25 },
      'refused-destination': { host: '127.99.1.2' },
      'missing-name': { host: 'missing.test' },
    };
    const isFirst = why === 'tunnel-limit';
    const first = isFirst ? this.#open({ ...tunnel, earlyBytes: 0, hasName: false }, connection, 1) : undefined;
    await first?.logIn(connection);
    await first?.opened();
    const play = this.#open({ ...tunnel, earlyBytes: 0 }, connection, 0, places[why]);
    const wrong = { username: connection.username, password: 'wrong' };
    await play.logIn(why === 'unlisted' ? undefined : why === 'wrong-password' ? wrong : connection);
    if (play.isOpen) throw new Unexpected('a tunnel was opened');
    await play.client.ending();
    if (first) {
      await first.finish(tunnel.finish);
      await this.#untilEnded(1);
    }
    await this.#until(() => world.linesOf(this.#clientAddress).length > 0, 'no line of the refusal');
  }

  async #playGuard({ guesses, tunnel }: RelayCase & { kind: 'guard' }): Promise<void> {
    const connection = this.#sell({});
    for (let guess = 0; guess <= guesses; guess += 1) {
      const isRight = guess === guesses;
      const play = this.#open({ ...tunnel, earlyBytes: 0 }, connection, isRight ? 0 : guess + 1);
      await play.logIn(isRight ? connection : { username: connection.username, password: `guess ${guess}` });
      if (play.isOpen) {
        await play.opened();
        await play.finish(tunnel.finish);
        await this.#untilEnded(1);
      } else await play.client.ending();
    }
  }

  /** Nobody has logged in from this address, so the gateway knows none of its clients. */
  async #playHalfOpen(sent: readonly number[]): Promise<void> {
    const ends: SocketEnd[] = [];
    const sockets = [];
    const { gatewayPort: port } = this.world;
    for (const [nth, part] of sent.entries()) {
      const socket = connect({ port, host: '127.0.0.1', localAddress: this.#clientAddress, allowHalfOpen: true });
      sockets.push(socket.on('error', () => socket.destroy()));
      socket
        .on('close', () => (ends[nth] ??= 'reset'))
        .on('data', (chunk) => this.#replies.push(`${nth}: ${chunk.toString('hex')}`));
      await new Promise((fulfil) => socket.once('connect', fulfil));
      socket.write(PARTS_OF_LOGIN[part]!);
      if (part === WHOLE_GREETING)
        await this.#until(() => ends[nth] !== undefined || socket.bytesRead > 0, 'no method');
      // The gateway runs on this event loop: in these turns it has accepted the client and read what it sent.
      for (let turn = 0; turn < TURNS; turn += 1) await new Promise(setImmediate);
    }
    const evicted = sent.length - HALF_OPEN_MAX;
    await this.#until(() => ends.filter((end) => end !== undefined).length >= evicted, 'too few clients were evicted');
    this.#replies.push(`evicted: ${sent.map((_, nth) => (ends[nth] === undefined ? '-' : 'x')).join('')}`);
    for (const socket of sockets) socket.destroy();
  }

  async #playHandshake(): Promise<void> {
    const { world, plan } = this;
    // From this address nothing leaves this host, whatever destination a mutation creates.
    const connection = this.#sell({ exit: { kind: 'local-address', address: '127.0.0.1' } });
    const context = {
      originPort: this.echoPort,
      gatewayPort: world.gatewayPort,
      logins: [connection],
      poorLogin: connection,
    };
    const { bytes, cuts } = createSocksPlan(this.seed, plan.index, context);
    const chunks: Buffer[] = [];
    const socket = connect({
      port: world.gatewayPort,
      host: '127.0.0.1',
      localAddress: this.#clientAddress,
      allowHalfOpen: true,
    });
    let end: string | undefined;
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
    });
    socket
      .on('end', () => (end = 'ended'))
      .on('error', () => socket.destroy())
      .on('close', () => (end ??= 'reset'));
    let at = 0;
    for (const cut of [...cuts, bytes.length]) {
      if (cut > at && socket.writable) socket.write(bytes.subarray(at, cut));
      at = Math.max(at, cut);
      await new Promise(setImmediate);
    }
    const received = () => Buffer.concat(chunks);
    await this.#until(() => end !== undefined || isGranted(received()), 'the handshake does not end');
    // A tunnel was opened, to an origin that returns what it gets.
    if (isGranted(received())) socket.end();
    await this.#until(() => end !== undefined, 'the client got no end');
    if (isGranted(received()))
      await this.#until(
        () => this.#ended() > 0 || world.linesOf(this.#clientAddress).length > 0,
        'no tunnel has ended',
      );
    socket.destroy();
    this.#replies.push(`${withoutPort(received())} ${end}`);
  }

  #sell(overrides: Partial<FakeConnection>): FakeConnection {
    return (this.#connection = this.world.control.sell({ username: usernameOf(this.plan.index), ...overrides }));
  }

  #open(tunnel: TunnelPlan, connection: FakeConnection, nth: number, changes: Partial<Place> = {}): TunnelPlay {
    const originAddress = addressOf(16, 4 * this.plan.index + (nth % 4));
    const host = tunnel.hasName ? nameOf(4 * this.plan.index + (nth % 4)) : originAddress;
    const place = {
      clientAddress: this.#clientAddress,
      originAddress,
      originPort: this.world.originPort,
      host,
      ...changes,
    };
    const play = new TunnelPlay(this.world, tunnel, place, connection);
    this.#tunnels.push(play);
    return play;
  }

  #ended(): number {
    const lines = this.world.linesOf(this.#connection?.id ?? '');
    return lines.filter(({ msg }) => msg === 'Tunnel ended').length;
  }

  #untilEnded(tunnels: number): Promise<void> {
    return this.#until(() => this.#ended() >= tunnels, 'a tunnel has not ended');
  }

  async #until(condition: () => boolean, what: string): Promise<void> {
    while (!condition()) {
      if (this.#isLate) throw new Unexpected(what);
      await pause(20);
    }
  }

  /** Unless it was never opened, the connection ends soon after its last tunnel, with a last report. */
  async #settle(): Promise<void> {
    const connection = this.#connection;
    if (!connection || this.#unexpected.length > 0) return;
    // An `authorize` has granted something, or has said that nothing is left.
    if (connection.grantedBytes === 0 && connection.state !== 'final') return;
    const isReported = () => {
      const lines = this.world.linesOf(connection.id);
      const bytes = lines.reduce((sum, { toExit = 0, toClient = 0 }) => sum + toExit + toClient, 0);
      return lines.some(({ msg }) => msg === 'Connection ended') && connection.endedAtBytes === bytes;
    };
    await this.#until(isReported, 'no last report of what was counted').catch(
      (error: Error) => void this.#unexpected.push(error.message),
    );
  }

  #outcome(): Outcome {
    const { world } = this;
    const { usedBytes = 0, uploadedBytes = 0, endedAtBytes, refusals = [], id = '' } = this.#connection ?? {};
    const lines = [...world.linesOf(id), ...world.linesOf(this.#clientAddress)];
    return {
      tunnels: this.#tunnels.map(({ client, origin }) => ({
        reply: withoutPort(client.reply),
        client: seen(client),
        origin: origin && seen(origin),
      })),
      replies: this.#replies,
      usedBytes,
      uploadedBytes,
      endedAtBytes,
      refusals: refusals.map(({ reason }) => reason),
      lines: lines.sort((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other))),
      unexpected: this.#unexpected,
    };
  }
}

function seen({ receivedBytes, sentBytes, end, isResetAfterEnd, wrongAt }: EndPoint): Seen {
  return { receivedBytes, sentBytes, end, isResetAfterEnd, wrongAt };
}

const SOCKS4_GRANTED = Buffer.from([0, 90]);
const SOCKS5_GRANTED = Buffer.from([5, 0, 0, 1]);
const SOCKS5_PORT_AT = 8;

/** Where the reply to a request of SOCKS5 begins; undefined without one that grants it. */
function socks5GrantAt(bytes: Buffer): number | undefined {
  if (bytes[0] !== 5) return undefined;
  return [2, 4].find((at) => bytes.subarray(at, at + 4).equals(SOCKS5_GRANTED));
}

const isSocks4Grant = (bytes: Buffer): boolean => bytes.subarray(0, 2).equals(SOCKS4_GRANTED);

const isGranted = (bytes: Buffer): boolean =>
  bytes.toString('latin1', 0, 12) === 'HTTP/1.1 200' || isSocks4Grant(bytes) || socks5GrantAt(bytes) !== undefined;

/** The port of the gateway's own socket is any that is free. */
function withoutPort(bytes: Buffer): string {
  const at = socks5GrantAt(bytes);
  const masked = Buffer.from(bytes);
  if (isSocks4Grant(bytes)) masked.fill('-', 2, 4);
  else if (at !== undefined) masked.fill('-', at + SOCKS5_PORT_AT, at + SOCKS5_PORT_AT + 2);
  return masked.toString('latin1');
}

/** The next input of the other fuzz that is no request in absolute form: of those no byte passes through a relay. */
function createSocksPlan(seed: number, index: number, context: RunContext): Plan {
  for (let attempt = 1; ; attempt += 1) {
    const plan = createPlan(1_000 * seed + attempt, index, context);
    if (plan.kind === 'noise' || plan.kind.startsWith('socks') || plan.kind.startsWith('connect')) return plan;
  }
}

function addressOf(first: number, index: number): string {
  return `127.${first + ((index >> 16) & 15)}.${(index >> 8) & 255}.${index & 255}`;
}

/** A mutation changes few bytes: with the number alone, one case would log in as another one. */
function usernameOf(index: number): string {
  return `case-${index}-${createHash('sha256').update(`${index}`).digest('hex').slice(0, 16)}`;
}

const nameOf = (index: number): string => `relay-${index}.test`;

/** @returns the address of a name of `nameOf` */
export function addressOfCase(name: string): string | undefined {
  const [, digits] = /^relay-(\d+)\.test$/.exec(name) ?? [];
  return digits === undefined ? undefined : addressOf(16, Number(digits));
}
