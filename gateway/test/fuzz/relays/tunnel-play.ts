import { connect, type Socket } from 'node:net';
import {
  basic,
  type Credentials,
  socks4Request,
  socks5Greeting,
  socks5Login,
  socks5Request,
} from '../../gateway-harness.ts';
import type { FakeConnection } from '../../control-plane.ts';
import type { End, Finish, Step, TunnelPlan } from './plans.ts';
import { EndPoint, Unexpected } from './end-point.ts';
import { sendUrgent } from './urgent.ts';
import type { World } from './world.ts';

export interface Place {
  readonly clientAddress: string;
  readonly originAddress: string;
  readonly originPort: number;
  /** What the client asks for. */
  readonly host: string;
}

export const TURNS = 20;
const SOCKS4_REPLY = 8;
const SOCKS4_GRANTED = 90;
/** After the replies to the greeting and to the password, of two bytes each. */
const SOCKS5_REPLY = 10;

/** A tunnel of one case through one of the gateways. */
export class TunnelPlay {
  readonly client: EndPoint;
  origin: EndPoint | undefined;
  readonly #accepted: Promise<void>;
  #isLate = false;

  constructor(
    private readonly world: World,
    private readonly plan: TunnelPlan,
    readonly place: Place,
    private readonly connection: FakeConnection,
  ) {
    const { clientAddress, originAddress } = place;
    const { gatewayPort: port } = world;
    this.client = new EndPoint(
      connect({ port, host: '127.0.0.1', localAddress: clientAddress, allowHalfOpen: true, noDelay: true }),
      'client',
      replyLength(plan.protocol),
    );
    this.#accepted = new Promise((fulfil) => {
      world.expect(originAddress, (socket) => {
        this.#accept(socket);
        fulfil();
      });
    });
  }

  #accept(socket: Socket): void {
    if (this.origin) {
      this.world.faults.push(`${this.place.originAddress} was dialled twice`);
      socket.destroy();
    } else this.origin = new EndPoint(socket, 'origin');
    if (this.#isLate) this.origin.giveUp();
  }

  giveUp(): void {
    this.#isLate = true;
    this.client.giveUp();
    this.origin?.giveUp();
  }

  close(): void {
    this.client.close();
    this.origin?.close();
  }

  get isOpen(): boolean {
    const { reply } = this.client;
    if (this.plan.protocol === 'http-connect') return reply.toString('latin1', 0, 12) === 'HTTP/1.1 200';
    if (this.plan.protocol === 'socks4') return reply[1] === SOCKS4_GRANTED;
    return reply[reply.length - SOCKS5_REPLY + 1] === 0 && reply.length > SOCKS5_REPLY;
  }

  /** Logs in and asks for the destination. @param login undefined: without a password */
  async logIn(login: Credentials | undefined): Promise<void> {
    const { client, plan } = this;
    const parts = handshake(plan.protocol, login, this.place);
    if (plan.isInSteps) {
      let replyBytes = 0;
      for (const part of parts) {
        await client.until(() => client.reply.length >= replyBytes || client.end !== undefined);
        client.socket.write(part);
        replyBytes += 2;
      }
    } else await this.#sendPieces(Buffer.concat([...parts, client.takeNext(plan.earlyBytes)]));
    await client.replied();
  }

  async #sendPieces(bytes: Buffer): Promise<void> {
    let at = 0;
    for (const cut of [...this.plan.cuts, bytes.length]) {
      const end = Math.min(cut, bytes.length);
      if (end > at) {
        this.client.socket.write(bytes.subarray(at, end));
        await new Promise(setImmediate);
      }
      at = Math.max(at, end);
    }
  }

  /** The early data has arrived. @throws Unexpected */
  async opened(): Promise<void> {
    if (!this.isOpen) throw new Unexpected(`the client got ${this.client.reply.toString('latin1')}`);
    await this.#accepted;
    await this.#end('origin').receive(this.client.sentBytes);
  }

  #end(end: End): EndPoint {
    return end === 'client' ? this.client : this.origin!;
  }

  #other(end: End): EndPoint {
    return this.#end(end === 'client' ? 'origin' : 'client');
  }

  async #arrived(): Promise<void> {
    await this.origin!.receive(this.client.sentBytes);
    await this.client.receive(this.origin!.sentBytes);
  }

  /** @throws Unexpected */
  async step(step: Step): Promise<void> {
    const { client, origin } = this;
    if (step.do === 'speed') await this.#limit(step.bytesPerSecond, step.isAwaited);
    else if (step.do === 'exchange')
      await Promise.all([client.send(step.up, step.pieceBytes), origin!.send(step.down, step.pieceBytes)]);
    else if (step.do === 'urgent') return this.#sendUrgent(step.from, step.times, step.bytes);
    else if (step.do === 'stall') await this.#stall(step.reader, step.bytes);
    else await this.#sendBeyondGrant(step.from, step.bytes);
    await this.#arrived();
  }

  async #limit(bytesPerSecond: number | null, isAwaited: boolean): Promise<void> {
    const { connection, client } = this;
    let sent = 0;
    connection.limits = {
      ports: null,
      tunnels: null,
      get bytesPerSecond() {
        sent += 1;
        return bytesPerSecond;
      },
    };
    // The gateway asks again when it has read the first response with it.
    if (isAwaited) await client.poll(() => sent >= 2);
  }

  async #sendUrgent(from: End, times: number, bytes: number): Promise<void> {
    for (let count = 0; count < times; count += 1) {
      sendUrgent(this.#end(from).socket);
      await this.#end(from).send(bytes);
      await this.#arrived();
    }
  }

  /** More than all buffers between the ends hold. */
  async #stall(reader: End, bytes: number): Promise<void> {
    const [to, from] = [this.#end(reader), this.#other(reader)];
    to.socket.pause();
    await from.send(bytes, bytes / 4);
    // The sender knows that nothing moves when its socket has taken the same number of bytes for a while.
    for (let before = -1, same = 0; same < 5;) {
      const passed = from.socket.bytesWritten - from.socket.writableLength;
      same = passed === before ? same + 1 : 0;
      before = passed;
      await new Promise((fulfil) => setTimeout(fulfil, 5));
    }
    to.socket.resume();
  }

  /** The next grant comes when everything that was granted has arrived. */
  async #sendBeyondGrant(from: End, bytes: number): Promise<void> {
    await this.#useGrant(from, bytes);
    this.connection.grantStepBytes = 1_048_576;
  }

  async #useGrant(from: End, bytes: number): Promise<void> {
    const { connection } = this;
    connection.grantStepBytes = 0;
    const leftBytes = connection.grantedBytes - this.client.receivedBytes - this.origin!.receivedBytes;
    const to = this.#other(from);
    const total = to.receivedBytes + leftBytes;
    await this.#end(from).send(Math.max(bytes, leftBytes + 1));
    await to.receive(total);
  }

  /** Brings the tunnel to its end. @throws Unexpected */
  async finish(finish: Finish): Promise<void> {
    const { client, origin } = this;
    switch (finish.how) {
      case 'ends':
        return this.#endOneByOne(finish.first, finish.last, finish.answer);
      case 'both-end':
        await Promise.all([client.send(finish.up), origin!.send(finish.down)]);
        client.socket.end();
        origin!.socket.end();
        await this.#arrived();
        return this.#ended('ended', 'ended');
      case 'reset':
        if (finish.isAfterEnd) {
          this.#other(finish.by).socket.end();
          await this.#end(finish.by).ending('ended');
        }
        this.#end(finish.by).reset();
        return this.#other(finish.by).ending('reset');
      case 'reset-in-flight':
        await Promise.all([client.send(finish.up), origin!.send(finish.down)]);
        this.#end(finish.by).reset();
        return this.#other(finish.by).ending('reset');
      case 'close':
        this.#end(finish.by).close();
        await this.#other(finish.by).ending('ended');
        if (finish.answer === 0) return void this.#other(finish.by).socket.end();
        return this.#answerNobody(this.#other(finish.by), finish.answer);
      case 'spent':
        await Promise.all([client.send(finish.up), origin!.send(finish.down)]);
        return this.#ended('reset', 'reset');
      case 'operator':
      case 'idle':
        if (finish.how === 'idle' && finish.half !== undefined) return this.#waitHalfClosed(finish.half);
        return this.#ended('reset', 'reset');
      case 'ungranted':
        await this.#useGrant(finish.from, finish.bytes);
        return this.#ended('reset', 'reset');
      case 'drain':
        this.world.held += 1;
        await this.world.draining;
        if (!finish.isInTime) return this.#ended('reset', 'reset');
        return this.#endOneByOne('client', 10_000, 70_000);
    }
  }

  /** The other end has read an end. That a reset follows is seen only when its socket is asked. */
  async #waitHalfClosed(half: End): Promise<void> {
    this.#end(half).socket.end();
    await this.#other(half).ending('ended');
    await this.#end(half).ending('reset');
  }

  /**
   * The first bytes meet a socket that is no more, and the gateway reads no reset from a socket that has ended: the next ones fail. It runs on
   * this event loop, so in these turns it has passed them on.
   */
  async #answerNobody(end: EndPoint, bytes: number): Promise<void> {
    end.writeNext(bytes);
    for (let turn = 0; turn < TURNS; turn += 1) await new Promise(setImmediate);
    end.writeNext(1);
  }

  async #endOneByOne(first: End, last: number, answer: number): Promise<void> {
    const [one, other] = [this.#end(first), this.#other(first)];
    await one.send(last);
    one.socket.end();
    await other.ending('ended');
    await other.send(answer);
    other.socket.end();
    await this.#arrived();
    await this.#ended('ended', 'ended');
  }

  async #ended(client: 'ended' | 'reset', origin: 'ended' | 'reset'): Promise<void> {
    await this.client.ending(client);
    await this.origin!.ending(origin);
  }
}

function handshake(
  protocol: TunnelPlan['protocol'],
  login: Credentials | undefined,
  { host, originPort }: Place,
): Buffer[] {
  if (protocol === 'http-connect') {
    const field = login ? `Proxy-Authorization: ${basic(login)}\r\n` : '';
    return [Buffer.from(`CONNECT ${host}:${originPort} HTTP/1.1\r\nHost: ${host}:${originPort}\r\n${field}\r\n`)];
  }
  if (protocol === 'socks4')
    return [socks4Request(host, originPort, login ? `${login.username}:${login.password}` : '')];
  const request = socks5Request(host, originPort);
  return login ? [socks5Greeting, socks5Login(login), request] : [Buffer.from([5, 1, 0]), request];
}

function replyLength(protocol: TunnelPlan['protocol']): (bytes: Buffer) => number | undefined {
  if (protocol === 'socks4') return () => SOCKS4_REPLY;
  if (protocol === 'socks5') return (bytes) => SOCKS5_REPLY + (bytes[1] === 0 ? 2 : 4);
  return (bytes) => {
    const end = bytes.indexOf('\r\n\r\n');
    // A refusal has a body, until the end.
    return end < 0 || !bytes.includes('HTTP/1.1 200') ? undefined : end + 4;
  };
}
