/** A source of a chain that signed transactions are sent to. It needs no key, and learns what will be public anyway. */
import { createEvmSweepSource } from './evm-sweep-source.ts';
import type { SignedSweep, SweepChain } from './sweep.ts';
import { createTonSweepSource } from './ton-sweep-source.ts';
import { createTronSweepSource } from './tron-sweep-source.ts';

/** A signed transaction and what it does. */
export interface SentSweep extends SignedSweep {
  raw: string;
}

export interface SweepSource {
  /** Host and port. */
  readonly name: string;
  /**
   * @returns what became of the transaction, or why it must not be sent; undefined if it may be
   * @throws ChainUnavailable and SourceRefusal
   */
  find(sweep: SentSweep, signal: AbortSignal): Promise<FindResult | undefined>;
  /** After `find`. @throws ChainUnavailable */
  post(sweep: SentSweep, signal: AbortSignal): Promise<PostResult>;
}

export interface Inclusion {
  /** Undefined if the source does not say in which block it is. */
  height: number | undefined;
  /** False: it was executed without an effect, and has cost its fee. */
  isSuccessful: boolean;
}

/**
 * EARLY: the chain takes one transaction of an address after the other, and does not have the one before. KNOWN: the source had it before. A
 * refusal has the reason in the source's words.
 */
export type FindResult = Inclusion | 'EARLY' | 'KNOWN' | { refusal: string };
export type PostResult = 'TAKEN' | 'KNOWN' | { refusal: string };

const sources: Record<SweepChain, (url: string) => SweepSource> = {
  ethereum: (url) => createEvmSweepSource('ethereum', url),
  bsc: (url) => createEvmSweepSource('bsc', url),
  tron: createTronSweepSource,
  ton: (url) => createTonSweepSource(url),
};

/** @param url as in the settings, with its secrets */
export function createSweepSource(chain: SweepChain, url: string): SweepSource {
  return sources[chain](url);
}
