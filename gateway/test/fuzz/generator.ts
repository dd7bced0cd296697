/** Generates the inputs of the fuzz run, deterministically from seed and index. */
import { createRandom, type Random } from '../../../tools/random.ts';
import { connectInput, requestInput } from './http-inputs.ts';
import { byteMutations, httpMutations } from './mutations.ts';
import { between, chance, type Draft, type Leaving, type Plan, randomBytes, type RunContext } from './plan.ts';
import { socks4Input } from './socks4-inputs.ts';
import { socks5Input } from './socks5-inputs.ts';

const MUTATED_SHARE = 0.45;
const DISCONNECT_SHARE = 0.08;
/** Writing each byte separately costs as much as fifty inputs. */
const SINGLE_BYTES_MAX = 600;
const SLOW_MS_MAX = 15;
const LEAVE_AFTER_MS = [0, 0, 0, 1, 3, 10];

export function createPlan(seed: number, index: number, context: RunContext): Plan {
  const random = createRandom(Math.imul(seed, 0x85ebca6b) ^ Math.imul(index + 1, 0x9e3779b1));
  const draft = createDraft(random, context, index);
  const { bytes, mutations } = chance(random, MUTATED_SHARE) ? mutate(random, draft) : whole(draft);
  const truncated = chance(random, DISCONNECT_SHARE) ? bytes.subarray(0, random.below(bytes.length + 1)) : undefined;
  const leavings: readonly Leaving[] = ['end', 'reset', 'destroy'];
  return {
    index,
    kind: draft.kind,
    mutations: truncated ? [...mutations, 'disconnected'] : mutations,
    bytes: truncated ?? bytes,
    ...createSplits(random, (truncated ?? bytes).length),
    leaving: truncated ? random.pick(leavings) : draft.leaving,
    leaveAfterMs: random.pick(LEAVE_AFTER_MS),
    readMode: chance(random, 0.92) ? 'immediately' : chance(random, 0.75) ? 'delayed' : 'never',
    origin: draft.origin,
  };
}

function createDraft(random: Random, context: RunContext, index: number): Draft {
  const kind = random.below(100);
  if (kind < 8) return socks4Input(random, context, index);
  if (kind < 36) return socks5Input(random, context, index);
  if (kind < 60) return connectInput(random, context, index);
  if (kind < 97) return requestInput(random, context, index);
  return {
    kind: 'noise',
    parts: [randomBytes(random, between(random, 0, 300))],
    origin: { protocol: 'tunnel', behaviour: 'echo', bytes: 0 },
    leaving: random.pick(['wait', 'end', 'reset'] as const),
  };
}

const whole = ({ parts }: Draft) => ({ bytes: Buffer.concat(parts), mutations: [] as string[] });

function mutate(random: Random, { kind, parts }: Draft): { bytes: Buffer; mutations: string[] } {
  const mutations: string[] = [];
  let bytes: Buffer = Buffer.concat(rearranged(random, parts, mutations));
  const isHttp = !kind.startsWith('socks');
  for (let count = chance(random, 0.75) ? 1 : 2; count > 0; count -= 1) {
    const ways = isHttp && chance(random, 0.7) ? httpMutations : byteMutations;
    const name = random.pick(Object.keys(ways));
    bytes = ways[name]?.(random, bytes) ?? bytes;
    mutations.push(name);
  }
  return { bytes, mutations };
}

/** Duplicates, drops or reorders messages. */
function rearranged(random: Random, parts: readonly Buffer[], mutations: string[]): readonly Buffer[] {
  const kind = random.below(100);
  if (kind >= 20 || parts.length === 0) return parts;
  const at = random.below(parts.length);
  const part = parts[at]!;
  if (kind < 8) {
    mutations.push('duplicated message');
    return [...parts.slice(0, at), part, ...parts.slice(at)];
  }
  if (kind < 14) {
    mutations.push('dropped message');
    return parts.filter((each) => each !== part);
  }
  mutations.push('reversed messages');
  return parts.toReversed();
}

function createSplits(random: Random, length: number): Pick<Plan, 'cuts' | 'pauseMs'> {
  const kind = random.below(1_000);
  const places = (count: number) => Array.from({ length: count }, () => random.below(length + 1)).sort((a, b) => a - b);
  if (kind < 450) return { cuts: [], pauseMs: 0 };
  if (kind < 800) return { cuts: places(1), pauseMs: 0 };
  if (kind < 950) return { cuts: places(between(random, 2, 8)), pauseMs: 0 };
  if (kind < 980) return { cuts: places(between(random, 1, 4)), pauseMs: between(random, 1, SLOW_MS_MAX) };
  const cuts = Array.from({ length: Math.min(length, SINGLE_BYTES_MAX) }, (_, at) => at + 1);
  return { cuts, pauseMs: 0 };
}
