/** What can break in a fault run, and how each of it is mended. */
import type { startProduct } from '../tools/product.mjs';
import type { startChild } from '../tools/child-process.mjs';
import type { Server } from './database.ts';
import type { Network } from './network.ts';

export interface Parts {
  readonly product: Awaited<ReturnType<typeof startProduct>>;
  readonly secondGateway: { child: ReturnType<typeof startChild>; readonly start: () => ReturnType<typeof startChild> };
  readonly server: Server;
  /** Between each gateway and the API. */
  readonly controlNetworks: readonly Network[];
}

export interface Fault {
  readonly name: string;
  /** Processes are killed, networks only break. */
  readonly isKill: boolean;
  /** Which gateway it kills. */
  readonly gateway?: number;
  breakIt(parts: Parts): Promise<void> | void;
  mend(parts: Parts): Promise<void> | void;
}

const killOf = (part: 'api' | 'worker' | 'gateway'): Fault => ({
  name: part,
  isKill: true,
  ...(part === 'gateway' && { gateway: 0 }),
  breakIt: ({ product }) => product.kill(part),
  mend: ({ product }) => product.restart(part),
});

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

const networkFault = (state: 'cut' | 'slow' | 'silent', index: number): Fault => ({
  name: `network ${state}`,
  isKill: false,
  breakIt: ({ controlNetworks }) => controlNetworks[index]!.set(state),
  mend: ({ controlNetworks }) => controlNetworks[index]!.set('open'),
});

export const faults: readonly Fault[] = [
  killOf('gateway'),
  secondGateway,
  killOf('api'),
  killOf('worker'),
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
  ...([0, 1] as const).flatMap((index) =>
    (['cut', 'slow', 'silent'] as const).map((state) => networkFault(state, index)),
  ),
];
