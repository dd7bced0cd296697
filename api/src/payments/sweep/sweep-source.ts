/** A source of a chain that signed transactions are sent to. It needs no key, and learns what will be public anyway. */
import { createEvmSweepSource } from './evm-sweep-source.ts';
import type { SweepChain } from './sweep.ts';
import { createTronSweepSource } from './tron-sweep-source.ts';

export interface SweepSource {
  /** Host and port. */
  readonly name: string;
  /**
   * @returns undefined while the transaction is in no block that the source has
   * @throws ChainUnavailable and SourceRefusal
   */
  find(transactionId: string, signal: AbortSignal): Promise<Inclusion | undefined>;
  /** @throws ChainUnavailable */
  post(raw: string, signal: AbortSignal): Promise<PostResult>;
}

export interface Inclusion {
  height: number;
  /** False: it was executed without an effect, and has cost its fee. */
  isSuccessful: boolean;
}

/** KNOWN: the source had it before. A refusal has the reason in the source's words. */
export type PostResult = 'TAKEN' | 'KNOWN' | { refusal: string };

/** @param url as in the settings, with its secrets */
export function createSweepSource(chain: SweepChain, url: string): SweepSource {
  return chain === 'tron' ? createTronSweepSource(url) : createEvmSweepSource(chain, url);
}
