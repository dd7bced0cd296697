/** Metrics of the chains that payments come from. */
import { Gauge, type Registry } from 'prom-client';

/** The metrics of a watched chain. */
export interface ChainFigures {
  chain: string;
  isHealthy: boolean;
  lagBlocks: number;
  watchedAddresses: number;
  unwatchedAddresses: number;
  openDeposits: number;
  heldDeposits: number;
  differences: number;
}

const chainGauges: { name: string; help: string; read: (figures: ChainFigures) => number }[] = [
  {
    name: 'chain_healthy',
    help: '1 if new invoices can be paid on the chain, else 0',
    read: ({ isHealthy }) => Number(isHealthy),
  },
  { name: 'chain_lag_blocks', help: 'Blocks that are still to be read', read: ({ lagBlocks }) => lagBlocks },
  {
    name: 'chain_addresses_watched',
    help: 'Addresses that are watched at the pace of the chain',
    read: ({ watchedAddresses }) => watchedAddresses,
  },
  {
    name: 'chain_addresses_unwatched',
    help: 'Addresses in their watch window beyond the limit, whose payments are found a day later',
    read: ({ unwatchedAddresses }) => unwatchedAddresses,
  },
  {
    name: 'chain_deposits_open',
    help: 'Payments that were seen and are not credited yet',
    read: ({ openDeposits }) => openDeposits,
  },
  {
    name: 'chain_deposits_held',
    help: 'Payments that the operator must release',
    read: ({ heldDeposits }) => heldDeposits,
  },
  {
    name: 'chain_differences',
    help: 'Addresses whose balance was not explained by deposits at the last comparison',
    read: ({ differences }) => differences,
  },
];

/** @returns sets what was read */
export function useChainMetrics(registers: Registry[]): (chains: readonly ChainFigures[]) => void {
  const gauges = chainGauges.map(({ name, help, read }) => ({
    read,
    gauge: new Gauge({ name, help, labelNames: ['chain'], registers }),
  }));
  return (chains) => {
    for (const { gauge, read } of gauges) {
      gauge.reset();
      for (const figures of chains) gauge.set({ chain: figures.chain }, read(figures));
    }
  };
}
