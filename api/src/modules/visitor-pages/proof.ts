/** What visitors can be told of the shop because it has happened. Read every minute or less often, however many visitors there are. */
import { type Ctx, inTurn } from '../../ctx.ts';
import { keepValue } from '../../process/kept-value.ts';
import { sumChecks } from '../gateway/exit-checks.service.ts';
import { getListPrice } from '../proxies/proxies.service.ts';
import { countEnds, type Ends, findMedianLatency } from './proof.store.ts';

const MAX_AGE_MS = 60_000;
/** Counting them reads a row per connection. */
const ENDS_MAX_AGE_MS = 600_000;
const DAYS = 30;

export interface Proof extends Ends {
  /** The lowest price of a megabyte by the price list, in micro-dollars. */
  priceMicros: bigint | undefined;
  checks: number;
  passed: number;
  /** Undefined if no exit works. */
  latencyMs: number | undefined;
}

export type ProofReader = () => Promise<Proof | undefined>;

/** The returned function gives undefined while nothing can be read. */
export function createProofReader(ctx: Ctx): ProofReader {
  const readEnds = keepValue(ctx.log, 'the ended connections', () => countEnds(inTurn(ctx), DAYS), ENDS_MAX_AGE_MS);
  const read = keepValue(ctx.log, 'the figures for visitors', () => readProof(inTurn(ctx), readEnds), MAX_AGE_MS);
  return () => read().catch(() => undefined);
}

async function readProof(ctx: Ctx, readEnds: () => Promise<Ends>): Promise<Proof> {
  const [priceMicros, checks, latencyMs, ends] = await Promise.all([
    getListPrice(ctx),
    sumChecks(ctx, DAYS),
    findMedianLatency(ctx),
    readEnds(),
  ]);
  return { priceMicros, ...checks, latencyMs, ...ends };
}
