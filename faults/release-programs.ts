/** A release, or this checkout, as programs on a database, with the simulated customers that its API expects. */
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildChanged } from '../tools/build.mjs';
import { freePort } from '../tools/ports.mjs';
import type { startProduct } from '../tools/product.mjs';
import { checkOutRelease, installRelease } from '../tools/releases.mjs';
import { type Customers, type CustomersOptions, ONE_BUYER } from './customers.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

type Product = Awaited<ReturnType<typeof startProduct>>;

export interface Release {
  version: string;
  commit: string;
}

/** What all releases of a test share, so that one replaces the other. */
export interface Place {
  databaseUrl: string;
  logFile: string;
  port: number;
  env: Record<string, string>;
}

/** @param mailPort takes the mails of all releases, so that no worker has mails for an API that was stopped before it */
export async function choosePlace(databaseUrl: string, logFile: string, mailPort: number): Promise<Place> {
  const env = {
    SECRET_KEY: randomBytes(32).toString('hex'),
    GATEWAY_TOKEN: randomBytes(32).toString('hex'),
    GATEWAY_PORT: String(await freePort()),
    MAIL_SINK_PORT: String(mailPort),
    GATEWAY_ALLOW_PRIVATE: 'true',
    LOG_LEVEL: 'error',
    ...ONE_BUYER,
    // On a busy machine, programs that start take the time of those that serve.
    DATABASE_POOL_TIMEOUT_SECONDS: '60',
  };
  return { databaseUrl, logFile, port: await freePort(), env };
}

export interface ReleasePrograms {
  version: string;
  /** Migrates, as `npm start` of the release does. */
  start: (place: Place, options?: { parts?: ('api' | 'worker' | 'gateway')[] }) => Promise<Product>;
  createCustomers: (options: CustomersOptions) => Customers;
}

/** @param onRemove gets what deletes its checkout again */
export async function buildRelease(release: Release, onRemove: (remove: () => void) => void): Promise<ReleasePrograms> {
  const { directory, remove } = checkOutRelease(root, release);
  onRemove(remove);
  installRelease(root, directory);
  buildChanged(directory, ['gateway', 'api']);
  return loadPrograms(release.version, directory);
}

export async function buildThisCheckout(): Promise<ReleasePrograms> {
  buildChanged(root, ['gateway', 'api']);
  return loadPrograms('of this checkout', root);
}

/** Uses the release's own tools and customers, which match its settings and responses. */
async function loadPrograms(version: string, directory: string): Promise<ReleasePrograms> {
  const load = (file: string) => import(pathToFileURL(path.join(directory, file)).href);
  const tools = (await load('tools/product.mjs')) as { startProduct: typeof startProduct };
  const { Customers: Own } = (await load('faults/customers.ts')) as {
    Customers: new (options: CustomersOptions) => Customers;
  };
  return {
    version,
    start: (place, options = {}) => tools.startProduct({ ...place, ...options }),
    createCustomers: (options) => new Own(options),
  };
}
