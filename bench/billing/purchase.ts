import { connect as connectEndpoint } from '@cellhop/contract/connections';
import { createClient } from '@cellhop/contract/client';
import { connect } from '../../api/src/modules/connections/connections.service.ts';
import { PRICE_DOLLARS, signInAs, type Bench } from './setup.ts';

/** @returns purchases per second through the service, without HTTP */
export function purchaseInProcess(bench: Bench, clients: number, seconds: number): Promise<number> {
  return purchase(bench, clients, seconds, async (actor, proxyId) => {
    await connect(bench.ctx, actor, { id: proxyId, price: PRICE_DOLLARS }, { idempotencyKey: null, network: null });
  });
}

/** @returns purchases per second through the API; client and server share this process and the machine */
export async function purchaseOverHttp(
  bench: Bench,
  baseUrl: string,
  clients: number,
  seconds: number,
): Promise<number> {
  const calls = await Promise.all(
    bench.actors.slice(0, clients).map(async ({ userId }) => {
      const headers = await signInAs(bench, userId);
      return createClient({ baseUrl, headers: () => headers });
    }),
  );
  let next = 0;
  return purchase(bench, clients, seconds, async (_actor, id) => {
    next += 1;
    await calls[next % clients]!(connectEndpoint, { body: { id, price: PRICE_DOLLARS } });
  });
}

async function purchase(
  { actors, freeProxyIds }: Bench,
  clients: number,
  seconds: number,
  buy: (actor: Bench['actors'][number], proxyId: string) => Promise<void>,
): Promise<number> {
  const startedAt = performance.now();
  const deadline = startedAt + seconds * 1000;
  let bought = 0;
  const client = async () => {
    while (performance.now() < deadline) {
      const proxyId = freeProxyIds.pop();
      if (!proxyId) throw new Error('the catalogue of the benchmark is sold out');
      await buy(actors[bought % actors.length]!, proxyId);
      bought += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return bought / ((performance.now() - startedAt) / 1000);
}
