/** A shop whose programs are replaced by those of other releases while customers use it. */
import { signIn } from '@cellhop/contract/auth';
import { type Call, createClient } from '@cellhop/contract/client';
import { setTimeout as pause } from 'node:timers/promises';
import { Problem } from '../tools/problem.mjs';
import { createRandom } from '../tools/random.ts';
import type { Customers } from './customers.ts';
import { EndpointMonitor } from './endpoint-monitor.ts';
import type { Place, ReleasePrograms } from './release-programs.ts';

const CUSTOMERS = 3;
const WAIT_LIMIT_MS = 300_000;
const REQUEST_LIMIT_MS = 15_000;
const ADMINISTRATOR = { email: 'admin@example.com', password: 'demo-password' };

type Product = Awaited<ReturnType<ReleasePrograms['start']>>;

export class Shop {
  readonly violations: string[] = [];
  readonly #place: Place;
  readonly #onStart: (stop: () => Promise<void>) => void;
  #running: Product[] = [];
  #customers: Customers | undefined;
  #monitor: EndpointMonitor | undefined;

  /** @param onStart gets what stops the programs that were started */
  constructor(place: Place, onStart: (stop: () => Promise<void>) => void) {
    this.#place = place;
    this.#onStart = onStart;
  }

  async start(release: ReleasePrograms, parts?: ['worker']): Promise<void> {
    const product = await release.start(this.#place, parts ? { parts } : {});
    this.#onStart(() => product.stop());
    this.#running.push(product);
    void product.failure.then(({ part, code }) =>
      this.violations.push(`the ${part} of release ${release.version} exited unexpectedly with code ${code}`),
    );
  }

  async stop(): Promise<void> {
    for (const product of this.#running) await product.stop();
    this.#running = [];
  }

  async killWorker(): Promise<void> {
    for (const product of this.#running) await product.kill('worker');
  }

  get #url(): string {
    return `http://127.0.0.1:${this.#place.port}`;
  }

  /** Lets customers in, who come from another release when others replace it, as those with open pages do. */
  async open(release: ReleasePrograms) {
    const closing = new AbortController();
    const customers = release.createCustomers({
      urls: [this.#url],
      requestLimitMs: REQUEST_LIMIT_MS,
      gatewayPorts: [[Number(this.#place.env['GATEWAY_PORT'])]],
      gatewayKills: () => 0,
      random: createRandom(1),
      isOpen: () => !closing.signal.aborted,
    });
    await customers.signIn();
    // An older release has served the same account.
    const spentMicros = (await customers.moneyOutMicros()) - customers.moneyInMicros;
    const work = [customers.runTopUps(), ...Array.from({ length: CUSTOMERS }, () => customers.runCustomer())];
    this.#customers = customers;
    const close = async (): Promise<string[]> => {
      closing.abort();
      await Promise.all(work);
      const violations = [...(await customers.close()), ...customers.violations];
      const outMicros = (await customers.moneyOutMicros()) - spentMicros;
      const { bought, ended, downloads, paid } = customers.counts;
      console.log(`${bought} bought, ${ended} ended, ${downloads} downloads, ${paid} payments`);
      if (outMicros !== customers.moneyInMicros)
        violations.push(`$${customers.moneyInMicros / 1e6} were paid in, $${outMicros / 1e6} are charged or left`);
      return violations;
    };
    return { close };
  }

  /** Waits until customers are served, and where endpoints are monitored, all of them too, from now on. */
  async serve(when: string): Promise<void> {
    const startedAt = performance.now();
    const rounds = () => this.#monitor?.rounds ?? Infinity;
    const before = { ...this.#customers!.counts, rounds: this.#monitor?.rounds ?? 0 };
    const read = () => JSON.stringify([before, this.#customers!.counts, this.#monitor?.rounds]);
    await until(
      `customers are served ${when}`,
      () => {
        const { bought, downloads, paid } = this.#customers!.counts;
        const isServed = bought > before.bought + 2 && downloads > before.downloads + 5 && paid > before.paid + 1;
        return isServed && rounds() > before.rounds + 2;
      },
      read,
    );
    console.log(`Customers were served ${when}, within ${Math.round((performance.now() - startedAt) / 1000)} s.`);
  }

  /** Requests all endpoints meanwhile. */
  async monitored(work: (call: Call) => Promise<void>): Promise<void> {
    const { data } = await createClient({ baseUrl: this.#url })(signIn, { body: ADMINISTRATOR });
    this.#monitor = new EndpointMonitor(this.#url, data.accessToken);
    console.log(`${await this.#monitor.start()} endpoints are monitored`);
    let isOpen = true;
    const monitoring = this.#monitor.run(() => isOpen);
    const headers = () => ({ authorization: `Bearer ${data.accessToken}` });
    try {
      await work(createClient({ baseUrl: this.#url, headers, timeoutMs: REQUEST_LIMIT_MS }));
    } finally {
      isOpen = false;
      await monitoring;
    }
    this.violations.push(...this.#monitor.violations);
    this.#monitor = undefined;
  }
}

/** @param read what a failure names */
export async function until(what: string, isTrue: () => boolean | Promise<boolean>, read = () => ''): Promise<void> {
  const deadline = performance.now() + WAIT_LIMIT_MS;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Problem(`Timeout of ${WAIT_LIMIT_MS / 1000} s: ${what} ${read()}`);
    await pause(100);
  }
}
