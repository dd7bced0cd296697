/** The real API on PostgreSQL and a real gateway, as customers and staff use them; only the internet is simulated. */
import { connect, listConnections, type Connection } from '@cellhop/contract/connections';
import { PREPAID_MEGABYTES } from '@cellhop/contract/limits';
import { getReceipt } from '@cellhop/contract/receipts';
import { listTransactions } from '@cellhop/contract/transactions';
import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { type Gateway, type GatewaySettings, startGateway } from '../../../gateway/src/gateway.ts';
import { checkInvariants } from '../../src/db/check-invariants.ts';
import type { Config } from '../../src/process/config.ts';
import { createLog } from '../../src/process/log.ts';
import { registerNode } from '../../src/modules/gateway/gateway.service.ts';
import { createProxy, createUser, defaultExit, type TestUser } from '../factories.ts';
import { GATEWAY_TOKEN, startTestApp, type TestApp } from '../test-app.ts';

export const MB = 1_048_576;
/** US dollars for 100 MB: the price of the examples of docs/billing.md. */
export const PRICE = 0.8;
const MEGABYTE_MICROS = 8_000;

export interface Product extends TestApp {
  readonly gateway: Gateway;
  /** Another process of the same node. The caller closes it. */
  startNextProcess(): Promise<Gateway>;
  /** An exit that leaves by the route of this machine. */
  readonly exitId: string;
  /** The logs of the API and the gateway, at the most verbose level. */
  logged(): string;
}

/** Call `stopProduct` at the end. */
export async function startProduct(api: Partial<Config> = {}, node: Partial<GatewaySettings> = {}): Promise<Product> {
  const lines: string[] = [];
  const sink = new Writable({
    write: (line: Buffer, _encoding, done) => {
      lines.push(line.toString());
      done();
    },
  });
  const testApp = await startTestApp(api, createLog('api', 'trace', false, sink));
  // The test's own port, where checks of exits find the echo.
  testApp.ctx.config.publicUrl = testApp.url;
  await registerNode(testApp.ctx);
  const exitId = await defaultExit(testApp);
  const settings: GatewaySettings = {
    host: '127.0.0.1',
    port: 0,
    controlUrl: testApp.url,
    token: GATEWAY_TOKEN,
    allowPrivate: true,
    // Keeps this machine's descriptor limit from lowering the limits of a test.
    descriptors: 1_000_000,
    log: pino({ name: 'gateway', level: 'trace' }, sink),
    ...node,
    limits: {
      exitChecksPollMs: 50,
      exitChecksRetryMs: 50,
      workingMs: 1_000,
      // On a busy machine the API must not seem unavailable.
      controlRequestMs: 60_000,
      handshakeMs: 60_000,
      ...node.limits,
    },
  };
  const gateway = await startGateway(settings);
  return {
    ...testApp,
    gateway,
    startNextProcess: () => startGateway(settings),
    exitId,
    logged: () => lines.join(''),
  };
}

/** @returns the violated invariants of the stored data */
export async function stopProduct(product: Product): Promise<string[]> {
  await product.gateway.close();
  const violations = await checkInvariants(product.ctx);
  // The gateway's HTTP client keeps connections without a request, and to Node's server those are not idle.
  product.app.server.closeAllConnections();
  await product.stop();
  return violations;
}

/** A connection with its password, as a customer's program needs it. */
export type UsableConnection = Connection & { password: string };

export async function buy({ call }: TestUser, proxyId: string): Promise<UsableConnection> {
  const { data } = await call(connect, { body: { id: proxyId, price: PRICE } });
  assert(data.password !== null);
  return { ...data, password: data.password };
}

/** A customer who has bought a proxy that leaves by the route of this machine. */
export async function createBuyer(product: Product, balanceMicros: bigint) {
  const customer = await createUser(product, { balanceMicros });
  const { exitId } = product;
  const proxyId = await createProxy(product, { priceMicros: BigInt(PRICE * 1e6), exitId });
  return { customer, connection: await buy(customer, proxyId) };
}

export async function find({ call }: TestUser, id: string): Promise<Connection> {
  const { data } = await call(listConnections, { query: { id } });
  assert(data[0]);
  return data[0];
}

/** The price of traffic by the rules of docs/billing.md: the first 50 MB, and each further megabyte that has begun. In US dollars. */
export const chargeFor = (usedBytes: number) => dollars(Math.max(PREPAID_MEGABYTES, begun(usedBytes)));
/** The same for a connection that ends within the refund window. */
export const chargeWithRefundFor = (usedBytes: number) => dollars(begun(usedBytes));

const begun = (usedBytes: number) => Math.ceil(usedBytes / MB);
const dollars = (megabytes: number) => (megabytes * MEGABYTE_MICROS) / 1e6;

/** The cost of a connection by the list of transactions and by the signed receipt, and the traffic of the receipt. */
export async function readCharges({ call }: TestUser, id: string) {
  const { data } = await call(listTransactions, { query: { size: 100 } });
  const amounts = data.filter(({ subject }) => subject?.id === id).map(({ amount }) => Math.round(amount * 1e6));
  const { data: receipt } = await call(getReceipt, { params: { id } });
  return {
    paid: amounts.reduce((sum, micros) => sum - micros, 0) / 1e6,
    receiptTotal: receipt.total,
    uploadedBytes: receipt.uploadedBytes,
    downloadedBytes: receipt.downloadedBytes,
  };
}
