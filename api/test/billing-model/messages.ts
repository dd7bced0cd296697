/** What a gateway run reports of a purchase, and what the oracle reads of it. */
import type { Customer, Purchase } from './fleet.ts';
import type { OracleReport } from './oracle.ts';

export interface Run {
  readonly id: string;
  readonly nodeId: string;
  /** Counters and grants of this process by connection. */
  readonly counters: Map<string, { usedBytes: number; uploadedBytes: number; grantedBytes: number }>;
}

export interface Message {
  readonly kind: 'report' | 'close';
  readonly run: Run;
  readonly customer: Customer;
  readonly purchase: Purchase;
  readonly usedBytes: number;
  readonly uploadedBytes: number;
  readonly wantedBytes: number;
  readonly isExitLost: boolean;
  readonly isAnswerLost: boolean;
}

export const CLOSED = { grantedBytes: 0n, state: 'ended' } as const;
export const idOf = ({ purchase }: Message) => purchase.connection.id;

export function toOracle({ grantedBytes, state }: { grantedBytes: number; state: 'open' | 'final' | 'ended' }) {
  return { grantedBytes: BigInt(grantedBytes), state };
}

export function toOracleReport({ kind, usedBytes, uploadedBytes, wantedBytes, isExitLost }: Message): OracleReport {
  return {
    kind,
    usedBytes: BigInt(usedBytes),
    uploadedBytes: BigInt(uploadedBytes),
    wantedBytes: BigInt(wantedBytes),
    isExitLost,
  };
}

export function brief(facts: object): string {
  const shown = Object.entries(facts).filter(([, value]) => typeof value !== 'object');
  return shown.map(([key, value]) => `${key} ${String(value)}`).join(', ');
}
