import { Counter, type Registry } from 'prom-client';

interface PlainCounterSettings {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** The values of the labels, and the count. */
  readonly counts: () => Iterable<readonly [labels: readonly string[], count: number]>;
}

/** A counter of plain numbers, because they change with each chunk, datagram or question; each scrape copies them. */
export function plainCounter(registers: Registry[], { name, help, labelNames, counts }: PlainCounterSettings): Counter {
  return new Counter({
    name,
    help,
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const [labels, count] of counts()) this.labels(...labels).inc(count);
    },
  });
}
