/** The faults of a fault run: how each is injected and repaired. */
import type { startProduct } from '../tools/product.mjs';
import type { startChild } from '../tools/child-process.mjs';
import type { Server } from './database.ts';
import type { Network, NetworkState } from './network.ts';

/** Two of each part except the database; related parts have the same index. */
export interface Parts {
  /** The second has no gateway. */
  readonly products: readonly Awaited<ReturnType<typeof startProduct>>[];
  readonly secondGateway: { child: ReturnType<typeof startChild>; readonly start: () => ReturnType<typeof startChild> };
  readonly server: Server;
  /** The networks between each gateway and its API. */
  readonly controlNetworks: readonly Network[];
  /** The networks between each API with its worker and the database. */
  readonly databaseNetworks: readonly Network[];
}

export interface Fault {
  readonly name: string;
  /** Processes are killed; networks are disturbed. */
  readonly isKill: boolean;
  /** The index of the gateway that it kills. */
  readonly gateway?: number;
  /** The maximum duration; by default a second. */
  readonly durationMsMax?: number;
  inject(parts: Parts): Promise<void> | void;
  repair(parts: Parts): Promise<void> | void;
}

const ORDINALS = ['first', 'second'] as const;
const BOTH = [0, 1] as const;
/** Longer than an API's timeout for a database connection and its detection of dead connections. */
const DATABASE_NETWORK_MS_MAX = 5000;

const createKill = (part: 'api' | 'worker', index: number): Fault => ({
  name: `${ORDINALS[index]} ${part}`,
  isKill: true,
  inject: ({ products }) => products[index]!.kill(part),
  repair: ({ products }) => products[index]!.restart(part),
});

const firstGateway: Fault = {
  name: 'first gateway',
  isKill: true,
  gateway: 0,
  inject: ({ products }) => products[0]!.kill('gateway'),
  repair: ({ products }) => products[0]!.restart('gateway'),
};

const secondGateway: Fault = {
  name: 'second gateway',
  isKill: true,
  gateway: 1,
  inject: (parts) => parts.secondGateway.child.kill(),
  repair: ({ secondGateway }) => {
    secondGateway.child = secondGateway.start();
  },
};

const databaseFault = (name: string, inject: Fault['inject'], repair: Fault['repair']): Fault => ({
  name: `PostgreSQL ${name}`,
  isKill: true,
  inject,
  repair,
});

const controlFault = (state: NetworkState, index: number): Fault => ({
  name: `gateway network ${state}, ${ORDINALS[index]}`,
  isKill: false,
  inject: ({ controlNetworks }) => controlNetworks[index]!.set(state),
  repair: ({ controlNetworks }) => controlNetworks[index]!.set('open'),
});

const databaseNetworkFault = (state: NetworkState, index: number): Fault => ({
  name: `database network ${state}, ${ORDINALS[index]}`,
  isKill: false,
  durationMsMax: DATABASE_NETWORK_MS_MAX,
  inject: ({ databaseNetworks }) => databaseNetworks[index]!.set(state),
  repair: ({ databaseNetworks }) => databaseNetworks[index]!.set('open'),
});

const databaseNetworkReset = (index: number): Fault => ({
  name: `database network reset, ${ORDINALS[index]}`,
  isKill: false,
  inject: ({ databaseNetworks }) => databaseNetworks[index]!.reset(),
  repair: () => {},
});

export const faults: readonly Fault[] = [
  firstGateway,
  secondGateway,
  ...BOTH.flatMap((index) => [createKill('api', index), createKill('worker', index)]),
  databaseFault(
    'backend',
    ({ server }) => server.killBackend(),
    () => {},
  ),
  databaseFault(
    'postmaster',
    ({ server }) => server.killPostmaster(),
    ({ server }) => server.restart(),
  ),
  databaseFault(
    'immediate stop',
    ({ server }) => server.stopImmediately(),
    ({ server }) => server.restart(),
  ),
  ...BOTH.flatMap((index) => [
    ...(['cut', 'slow', 'silent'] as const).map((state) => controlFault(state, index)),
    ...(['refused', 'blackholed', 'one-way', 'slow'] as const).map((state) => databaseNetworkFault(state, index)),
    databaseNetworkReset(index),
  ]),
];
