/**
 * Whether the wallets of the token are where we derive them: the issuer may have replaced the code of its contract. Each source is asked for
 * one wallet, at the start and then from time to time.
 */
import { deriveJettonWallet } from './jetton-wallet.ts';
import type { Jetton } from './jetton.ts';
import type { TonSource } from './source.ts';

const ASKED_EVERY_MS = 10 * 60_000;
/** A source that did not tell is asked again sooner. */
const ASKED_AGAIN_AFTER_MS = 60_000;
/** Any owner does. */
const OWNER = `0:${'11'.repeat(32)}`;

/** @throws ChainUnavailable, SourceRefusal @returns undefined if it is the wallet that we derive, or a sentence for the operator */
export async function findOtherWallet(
  source: TonSource,
  jetton: Jetton,
  signal: AbortSignal,
): Promise<string | undefined> {
  const derived = deriveJettonWallet(OWNER, jetton);
  const named = await source.walletOf(jetton.master, OWNER, signal);
  if (named === derived) return undefined;
  const found = named === undefined ? 'names no wallet' : `names the wallet ${named} instead of ${derived}`;
  return `the contract of USDT ${jetton.master} ${found} of ${OWNER}: check PAY_USDT_TON_MASTER and PAY_USDT_TON_WALLET_CODE`;
}

interface Finding {
  /** Undefined: its wallets are those that we derive, or the source has not told. */
  problem: string | undefined;
  untilMs: number;
}

export function createTokenCheck(jetton: Jetton) {
  const findings = new Map<TonSource, Finding>();
  return {
    /** @returns a sentence for the operator, if one of the sources knows other wallets. Never throws: TON goes on without it */
    async findProblem(sources: readonly TonSource[], signal: AbortSignal): Promise<string | undefined> {
      for (const source of sources) {
        const known = findings.get(source);
        if (known && performance.now() < known.untilMs) continue;
        findings.set(source, await ask(source, known?.problem, signal));
      }
      return sources.map((source) => findings.get(source)!.problem).find((problem) => problem !== undefined);
    },
  };

  async function ask(source: TonSource, before: string | undefined, signal: AbortSignal): Promise<Finding> {
    try {
      const problem = await findOtherWallet(source, jetton, signal);
      return {
        problem: problem && `${source.transport.name}: ${problem}`,
        untilMs: performance.now() + ASKED_EVERY_MS,
      };
    } catch {
      // What it said before stands; the poll itself reports a source that fails.
      return { problem: before, untilMs: performance.now() + ASKED_AGAIN_AFTER_MS };
    }
  }
}

export type TokenCheck = ReturnType<typeof createTokenCheck>;
