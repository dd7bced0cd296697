/** What visitors can be told of the shop because it has happened. Read every ten minutes, however many visitors there are. */
import { type Ctx, inTurn } from '../../ctx.ts';
import { keepValue } from '../../process/kept-value.ts';
import { sumChecks } from '../gateway/exit-checks.service.ts';
import { getListPrice } from '../proxies/proxies.service.ts';
import { findProof, type ProofRow } from './proof.store.ts';

const MAX_AGE_MS = 600_000;
export const PROOF_DAYS = 30;

export interface Proof extends ProofRow {
  /** The lowest price of a megabyte by the price list, in micro-dollars. */
  priceMicros: bigint | undefined;
  checks: number;
  passed: number;
}

export type ProofReader = () => Promise<Proof | undefined>;

/** The returned function gives undefined while nothing can be read. */
export function createProofReader(ctx: Ctx): ProofReader {
  const read = keepValue(ctx.log, 'the figures for visitors', () => readProof(inTurn(ctx)), MAX_AGE_MS);
  return () => read().catch(() => undefined);
}

async function readProof(ctx: Ctx): Promise<Proof> {
  const [priceMicros, checks, row] = await Promise.all([
    getListPrice(ctx),
    sumChecks(ctx, PROOF_DAYS),
    findProof(ctx, PROOF_DAYS),
  ]);
  return { priceMicros, ...checks, ...row };
}
