import { GATEWAY_BATCH_MAX } from '@cellhop/contract/gateway';
import type { Logger } from 'pino';
import { type ControlCall, isRefusal } from '../control/control-health.ts';

export interface Delivery<Item> {
  readonly accepted: readonly Item[];
  /** Refused in a batch of one; all items if none was accepted. */
  readonly refused: readonly Item[];
  /** Set if no item was accepted: then no single item is the cause. */
  readonly totalRefusal: Error | undefined;
}

/**
 * Sends items in batches. A refused batch is bisected to find the refused items, so that one of them cannot block the
 * others. Batches that are left after `splitsMax` splits wait for the next delivery.
 * @throws every error that is not a refusal: then the control plane is unavailable
 */
export async function sendInBatches<Item>(
  items: readonly Item[],
  splitsMax: number,
  send: (batch: readonly Item[]) => Promise<void>,
): Promise<Delivery<Item>> {
  const queue = batches(items).toReversed();
  const accepted: Item[] = [];
  const refused: Item[] = [];
  let refusal: Error | undefined;
  let splitsLeft = splitsMax;
  for (let batch = queue.pop(); batch !== undefined; batch = queue.pop()) {
    try {
      await send(batch);
      for (const item of batch) accepted.push(item);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusal = error;
      if (batch.length === 1) refused.push(...batch);
      else if (batch.length > 1 && splitsLeft > 0) {
        splitsLeft -= 1;
        const middle = Math.ceil(batch.length / 2);
        queue.push(batch.slice(middle), batch.slice(0, middle));
      }
    }
  }
  const totalRefusal = accepted.length === 0 ? refusal : undefined;
  return { accepted, refused: totalRefusal ? items : refused, totalRefusal };
}

/** No items result in one empty batch, which shows the control plane that this node is alive. */
function batches<Item>(items: readonly Item[]): (readonly Item[])[] {
  const count = Math.max(1, Math.ceil(items.length / GATEWAY_BATCH_MAX));
  return Array.from({ length: count }, (_, index) =>
    items.slice(index * GATEWAY_BATCH_MAX, (index + 1) * GATEWAY_BATCH_MAX),
  );
}

/** How many connection ids one log line contains. */
const IDS_LOGGED = 20;

/**
 * Excludes connections whose reports were refused from the next deliveries; they are retried after a while. Logs when a
 * connection is excluded and when its reports are accepted again.
 */
export class RefusedReports {
  readonly #until = new Map<string, number>();

  constructor(
    private readonly retryAfterMs: number,
    private readonly log: Logger,
    private readonly call: ControlCall,
  ) {}

  get size(): number {
    return this.#until.size;
  }

  has(id: string): boolean {
    return (this.#until.get(id) ?? 0) > performance.now();
  }

  update<Item>({ accepted, refused }: Delivery<Item>, toId: (item: Item) => string): void {
    const recovered = this.#until.size === 0 ? [] : accepted.map(toId).filter((id) => this.#until.delete(id));
    if (recovered.length > 0)
      this.log.info(this.#logFields(recovered), 'The reports of these connections are accepted again');
    const ids = refused.map(toId);
    const added = ids.filter((id) => !this.#until.has(id));
    for (const id of ids) this.#until.set(id, performance.now() + this.retryAfterMs);
    if (added.length > 0)
      this.log.warn(this.#logFields(added), 'The reports of these connections are refused; they stop at their window');
  }

  /** Removes connections that are not reported any more. */
  retain(isReported: (id: string) => boolean): void {
    for (const id of this.#until.keys()) if (!isReported(id)) this.#until.delete(id);
  }

  #logFields(ids: readonly string[]) {
    return { call: this.call, count: ids.length, connectionIds: ids.slice(0, IDS_LOGGED) };
  }
}
