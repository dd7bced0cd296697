/** What can break in a fault run, and how each of it is mended. */
import type { startProduct } from '../tools/product.mjs';
import type { startChild } from '../tools/child-process.mjs';
import type { Server } from './database.ts';
import type { Network, NetworkState } from './network.ts';

/** Two of everything but the database: what belongs together has the same index. */
export interface Parts {
  /** The second has no gateway. */
  readonly products: readonly Awaited<ReturnType<typeof startProduct>>[];
  readonly secondGateway: { child: ReturnType<typeof startChild>; readonly start: () => ReturnType<typeof startChild> };
  readonly server: Server;
  /** Between each gateway and its API. */
  readonly controlNetworks: readonly Network[];
  /** Between an API with its worker and the database. */
  readonly databaseNetworks: readonly Network[];
}

export interface Fault {
  readonly name: string;
  /** Processes are killed, networks only break. */
  readonly isKill: boolean;
  /** Which gateway it kills. */
  readonly gateway?: number;
  /** How long it may last; a second unless given. */
  readonly lastsMsMax?: number;
  breakIt(parts: Parts): Promise<void> | void;
  mend(parts: Parts): Promise<void> | void;
}

const ORDINALS = ['first', 'second'] as const;
const BOTH = [0, 1] as const;
/** Longer than an API waits for a connection, and than it takes to find out that nobody answers. */
const DATABASE_NETWORK_MS_MAX = 5000;

const killOf = (part: 'api' | 'worker', index: number): Fault => ({
  name: `${ORDINALS[index]} ${part}`,
  isKill: true,
  breakIt: ({ products }) => products[index]!.kill(part),
  mend: ({ products }) => products[index]!.restart(part),
});

const firstGateway: Fault = {
  name: 'first gateway',
  isKill: true,
  gateway: 0,
  breakIt: ({ products }) => products[0]!.kill('gateway'),
  mend: ({ products }) => products[0]!.restart('gateway'),
};

const secondGateway: Fault = {
  name: 'second gateway',
  isKill: true,
  gateway: 1,
  breakIt: (parts) => parts.secondGateway.child.kill(),
  mend: ({ secondGateway }) => {
    secondGateway.child = secondGateway.start();
  },
};

const databaseFault = (name: string, breakIt: Fault['breakIt'], mend: Fault['mend']): Fault => ({
  name: `PostgreSQL ${name}`,
  isKill: true,
  breakIt,
  mend,
});

const controlFault = (state: NetworkState, index: number): Fault => ({
  name: `gateway network ${state}, ${ORDINALS[index]}`,
  isKill: false,
  breakIt: ({ controlNetworks }) => controlNetworks[index]!.set(state),
  mend: ({ controlNetworks }) => controlNetworks[index]!.set('open'),
});

const databaseNetworkFault = (state: NetworkState, index: number): Fault => ({
  name: `database network ${state}, ${ORDINALS[index]}`,
  isKill: false,
  lastsMsMax: DATABASE_NETWORK_MS_MAX,
  breakIt: ({ databaseNetworks }) => databaseNetworks[index]!.set(state),
  mend: ({ databaseNetworks }) => databaseNetworks[index]!.set('open'),
});

const databaseNetworkReset = (index: number): Fault => ({
  name: `database network reset, ${ORDINALS[index]}`,
  isKill: false,
  breakIt: ({ databaseNetworks }) => databaseNetworks[index]!.reset(),
  mend: () => {},
});

export const faults: readonly Fault[] = [
  firstGateway,
  secondGateway,
  ...BOTH.flatMap((index) => [killOf('api', index), killOf('worker', index)]),
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
