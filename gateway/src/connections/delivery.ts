import { GATEWAY_BATCH_MAX } from '@cellhop/contract/gateway';
import type { Logger } from 'pino';
import { type ControlCall, isRefusal } from '../control/control-health.ts';

export interface Delivery<Item> {
  readonly taken: readonly Item[];
  /** Refused when they came alone; all of them if nothing was taken. */
  readonly refused: readonly Item[];
  /** Set if nothing at all was taken: then no item in particular is to blame. */
  readonly refusalOfAll: Error | undefined;
}

/**
 * Sends items in batches. A batch that is refused is halved until those are found that the other side does not take, so
 * one of them cannot hold up the others. What is left when `splitsMax` is used up waits for the next delivery.
 * @throws whatever is no refusal: then the control plane is away
 */
export async function deliver<Item>(
  items: readonly Item[],
  splitsMax: number,
  send: (part: readonly Item[]) => Promise<void>,
): Promise<Delivery<Item>> {
  const parts = batches(items).toReversed();
  const taken: Item[] = [];
  const refused: Item[] = [];
  let refusal: Error | undefined;
  let splitsLeft = splitsMax;
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    try {
      await send(part);
      for (const item of part) taken.push(item);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      refusal = error;
      if (part.length === 1) refused.push(...part);
      else if (part.length > 1 && splitsLeft > 0) {
        splitsLeft -= 1;
        const middle = Math.ceil(part.length / 2);
        parts.push(part.slice(middle), part.slice(0, middle));
      }
    }
  }
  const refusalOfAll = taken.length === 0 ? refusal : undefined;
  return { taken, refused: refusalOfAll ? items : refused, refusalOfAll };
}

/** One empty batch for no items: it tells the control plane that this node is alive. */
function batches<Item>(items: readonly Item[]): (readonly Item[])[] {
  const count = Math.max(1, Math.ceil(items.length / GATEWAY_BATCH_MAX));
  return Array.from({ length: count }, (_, index) =>
    items.slice(index * GATEWAY_BATCH_MAX, (index + 1) * GATEWAY_BATCH_MAX),
  );
}

/** Of the connections that one line of the log names. */
const IDS_LOGGED = 20;

/**
 * Keeps connections whose reports were refused out of the next deliveries, and lets them be tried again after a while.
 * It is logged when that begins for a connection and when its reports are taken again.
 */
export class HeldBack {
  readonly #until = new Map<string, number>();

  constructor(
    private readonly heldMs: number,
    private readonly log: Logger,
    private readonly call: ControlCall,
  ) {}

  get size(): number {
    return this.#until.size;
  }

  has(id: string): boolean {
    return (this.#until.get(id) ?? 0) > performance.now();
  }

  note<Item>({ taken, refused }: Delivery<Item>, idOf: (item: Item) => string): void {
    const released = this.#until.size === 0 ? [] : taken.map(idOf).filter((id) => this.#until.delete(id));
    if (released.length > 0) this.log.info(this.#facts(released), 'The reports of these connections are taken again');
    const ids = refused.map(idOf);
    const held = ids.filter((id) => !this.#until.has(id));
    for (const id of ids) this.#until.set(id, performance.now() + this.heldMs);
    if (held.length > 0)
      this.log.warn(this.#facts(held), 'The reports of these connections are refused; they stop at their window');
  }

  /** Forgets those that nobody reports any more. */
  keep(isReported: (id: string) => boolean): void {
    for (const id of this.#until.keys()) if (!isReported(id)) this.#until.delete(id);
  }

  #facts(ids: readonly string[]) {
    return { call: this.call, count: ids.length, connectionIds: ids.slice(0, IDS_LOGGED) };
  }
}
