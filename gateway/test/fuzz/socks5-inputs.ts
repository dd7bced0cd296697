/** Generates SOCKS5 clients (RFC 1928, RFC 1929). */
import type { Random } from '../../../tools/random.ts';
import {
  addressFor,
  between,
  chance,
  type Draft,
  type Leaving,
  type Login,
  nameFor,
  pattern,
  randomBytes,
  someBytes,
  type TunnelOrigin,
  type RunContext,
} from './plan.ts';

const GREETINGS = [[2], [2], [2], [0, 2], [2, 0, 1], [0, 1, 2, 3, 128, 254]];
const METHODS_MAX = 255;
const CONNECT = 1;
const COMMANDS = [2, 3, 0, 4, 255];

export function socks5Input(random: Random, context: RunContext, index: number): Draft {
  const login = pickLogin(random, context);
  const command = chance(random, 0.9) ? CONNECT : random.pick(COMMANDS);
  const [targetKind, target] = pickTarget(random, context, index);
  const request = Buffer.concat([Buffer.from([5, command, chance(random, 0.95) ? 0 : random.below(256)]), target]);
  const origin = pickTunnelOrigin(random);
  const payload = pattern(origin.behaviour === 'download' ? 1 : someBytes(random));
  const kind = command === CONNECT ? `socks5 ${targetKind}` : 'socks5 other command';
  return {
    kind: login.kind === 'known' ? kind : `socks5 ${login.kind}`,
    parts: [greeting(random), login.bytes, request, payload],
    origin,
    leaving: pickTunnelLeaving(random),
  };
}

/** A client must end its tunnel; otherwise the tunnel would stay open until its idle timeout. */
export const pickTunnelLeaving = (random: Random): Leaving => {
  const kind = random.below(100);
  if (kind < 78) return 'end';
  return kind < 90 ? 'reset' : 'destroy';
};

export function pickTunnelOrigin(random: Random): TunnelOrigin {
  const kind = random.below(100);
  const bytes = someBytes(random);
  if (kind < 50) return { protocol: 'tunnel', behaviour: 'echo', bytes };
  if (kind < 62) return { protocol: 'tunnel', behaviour: 'greet', bytes };
  if (kind < 80) return { protocol: 'tunnel', behaviour: 'download', bytes };
  if (kind < 90) return { protocol: 'tunnel', behaviour: 'half-close', bytes };
  return { protocol: 'tunnel', behaviour: kind < 95 ? 'reset' : 'refuse', bytes };
}

function greeting(random: Random): Buffer {
  if (chance(random, 0.03)) {
    const methods = Array.from({ length: between(random, 0, 4) }, () => random.pick([0, 1, 3, 128, 255]));
    return Buffer.from([5, methods.length, ...methods]);
  }
  if (chance(random, 0.01)) {
    const methods = Array.from({ length: METHODS_MAX }, (_, method) => method);
    return Buffer.from([5, METHODS_MAX, ...methods]);
  }
  const methods = random.pick(GREETINGS);
  return Buffer.from([5, methods.length, ...methods]);
}

function pickLogin(random: Random, { logins, poorLogin }: RunContext): { kind: string; bytes: Buffer } {
  const kind = random.below(100);
  if (kind < 90) return { kind: 'known', bytes: encodeLogin(random.pick(logins)) };
  if (kind < 93) return { kind: 'poor login', bytes: encodeLogin(poorLogin) };
  if (kind < 96) {
    const { username } = random.pick(logins);
    return { kind: 'wrong password', bytes: encodeLogin({ username, password: `wrong-${random.below(100_000)}` }) };
  }
  if (kind < 98) return { kind: 'unknown user', bytes: encodeLogin({ username: 'nobody', password: 'x'.repeat(255) }) };
  const bytes = Buffer.concat([
    Buffer.from([1, 200]),
    randomBytes(random, 200),
    Buffer.from([5]),
    Buffer.from('abcde'),
  ]);
  return { kind: 'binary login', bytes };
}

function encodeLogin({ username, password }: Login): Buffer {
  const [user, secret] = [Buffer.from(username), Buffer.from(password)];
  return Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([secret.length]), secret]);
}

/** ATYP, DST.ADDR and DST.PORT. */
function pickTarget(random: Random, { originPort, gatewayPort }: RunContext, index: number): [string, Buffer] {
  const address = addressFor(index).split('.').map(Number);
  const ipv4 = Buffer.from([1, ...address]);
  const kind = random.below(100);
  if (kind < 60) return ['ipv4', withPort(ipv4, originPort)];
  if (kind < 72) return ['ipv4 as a name', withPort(encodeName(addressFor(index)), originPort)];
  if (kind < 78) return ['name', withPort(encodeName(nameFor(index)), originPort)];
  if (kind < 86) {
    const mapped = Buffer.from([4, ...Array.from({ length: 10 }, () => 0), 255, 255, ...address]);
    return ['ipv6', withPort(mapped, originPort)];
  }
  if (kind < 88) return ['closed port', withPort(ipv4, 1)];
  if (kind < 90) return ['refused port', withPort(ipv4, random.pick([0, 25]))];
  if (kind < 92) return ['own port', withPort(Buffer.from([1, 127, 0, 0, 1]), gatewayPort)];
  if (kind < 94) return ['unknown name', withPort(encodeName(`unknown-${index}.test`), originPort)];
  if (kind < 96) return ['impossible name', withPort(encodeName(impossibleName(random)), originPort)];
  if (kind < 98) return ['no name', withPort(Buffer.from([3, 0]), originPort)];
  return ['address type', withPort(Buffer.from([random.pick([0, 2, 5, 255]), ...address]), originPort)];
}

function impossibleName(random: Random): Buffer {
  const kind = random.below(5);
  if (kind === 0) return randomBytes(random, between(random, 1, 255));
  if (kind === 1) return Buffer.from('x'.repeat(255));
  if (kind === 2) return Buffer.from('a\0b.test');
  return Buffer.from(
    random.pick(['a..test', '.', '-', 'a b.test', 'http://a.test/', '%31.test', '[::1]', 'é\u0301.test']),
  );
}

const encodeName = (name: string | Buffer) => Buffer.concat([Buffer.from([3, name.length]), Buffer.from(name)]);

const withPort = (address: Buffer, port: number) => Buffer.concat([address, Buffer.from([port >> 8, port & 255])]);
