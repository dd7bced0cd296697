/** Generates clients of SOCKS4 and 4a. */
import type { Random } from '../../../tools/random.ts';
import { addressFor, chance, type Draft, nameFor, pattern, type RunContext, someBytes } from './plan.ts';
import { pickTunnelLeaving, pickTunnelOrigin } from './socks5-inputs.ts';

const CONNECT = 1;
const NAME_NEXT = [0, 0, 0, 1];

export function socks4Input(random: Random, context: RunContext, index: number): Draft {
  const [loginKind, userId] = pickUserId(random, context);
  const command = chance(random, 0.95) ? CONNECT : random.pick([2, 0, 3]);
  const [targetKind, port, address, name] = pickTarget(random, context, index);
  const request = Buffer.concat([
    Buffer.from([4, command, port >> 8, port & 255, ...address]),
    Buffer.from(`${userId}\0`),
    name === undefined ? Buffer.alloc(0) : Buffer.from(`${name}\0`),
  ]);
  const origin = pickTunnelOrigin(random);
  const payload = pattern(origin.behaviour === 'download' ? 1 : someBytes(random));
  const kind = command === CONNECT ? `socks4 ${targetKind}` : 'socks4 other command';
  return {
    kind: loginKind === 'known' ? kind : `socks4 ${loginKind}`,
    parts: [request, payload],
    origin,
    leaving: pickTunnelLeaving(random),
  };
}

function pickUserId(random: Random, { logins, poorLogin }: RunContext): [kind: string, userId: string] {
  const kind = random.below(100);
  const { username, password } = random.pick(logins);
  if (kind < 90) return ['known', `${username}:${password}`];
  if (kind < 93) return ['poor login', `${poorLogin.username}:${poorLogin.password}`];
  if (kind < 96) return ['wrong login', `${username}:wrong-${random.below(100_000)}`];
  return ['no login', random.pick(['', 'alice', 'alice:', ':', ':x', 'x'.repeat(600)])];
}

function pickTarget(
  random: Random,
  { originPort, gatewayPort }: RunContext,
  index: number,
): [kind: string, port: number, address: number[], name?: string] {
  const address = addressFor(index).split('.').map(Number);
  const kind = random.below(100);
  if (kind < 60) return ['ipv4', originPort, address];
  if (kind < 70) return ['ipv4 as a name', originPort, NAME_NEXT, addressFor(index)];
  if (kind < 84) return ['name', originPort, [0, 0, 0, 255], nameFor(index)];
  if (kind < 86) return ['ipv6 as a name', originPort, NAME_NEXT, `[::ffff:${addressFor(index)}]`];
  if (kind < 89) return ['closed port', 1, address];
  if (kind < 91) return ['refused port', random.pick([0, 25]), address];
  if (kind < 93) return ['own port', gatewayPort, [127, 0, 0, 1]];
  if (kind < 96) return ['unknown name', originPort, NAME_NEXT, `unknown-${index}.test`];
  return ['impossible name', originPort, NAME_NEXT, random.pick(['', 'a b', 'a..b', '[::1', 'x'.repeat(300)])];
}
