/** Plays the same cases against a gateway with and one without native code, and compares all that anybody can see of them. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { startNameServer } from '../../name-server.ts';
import { addressOfName } from '../plan.ts';
import { createCase, createDrainCase } from './cases.ts';
import { comparable, judge } from './judge.ts';
import { addressOfCase, Play } from './play.ts';
import type { RelayCase } from './plans.ts';
import { World } from './world.ts';

export interface RelaySettings {
  readonly seed: number;
  readonly inputs: number;
  readonly first?: number;
  readonly progress?: (line: string) => void;
  /** Called with each fault at once: a run that is stopped has no report. */
  readonly faulted?: (fault: string) => void;
}

export interface RelayReport {
  readonly inputs: number;
  readonly seconds: number;
  readonly byKind: ReadonlyMap<string, number>;
  /** The most tunnels that native code had at a time. */
  readonly acceleratedMax: number;
  readonly faults: readonly string[];
}

/** Cases of one pair of gateways: then both drain, with some tunnels in the middle. */
const GENERATION = 10_000;
const DRAIN_CASES = 24;
const HELD_MS = 180_000;
/** Each has up to twelve descriptors. */
const CONCURRENCY = 80;
const FAULTS_MAX = 25;
const SAMPLE_MS = 200;

export async function compareRelays(settings: RelaySettings): Promise<RelayReport> {
  const run = new RelayRun(settings);
  return run.run();
}

class RelayRun {
  readonly #faults: string[] = [];
  readonly #byKind = new Map<string, number>();
  #acceleratedMax = 0;
  #inputs = 0;
  #echoPort = 0;

  constructor(private readonly settings: RelaySettings) {}

  async run(): Promise<RelayReport> {
    const { inputs, first = 0, progress } = this.settings;
    const startedAt = performance.now();
    const names = await startNameServer((name) => {
      const address = addressOfCase(name) ?? addressOfName(name);
      return address === undefined ? undefined : [address];
    });
    const echo = await startEcho();
    this.#echoPort = (echo.address() as AddressInfo).port;
    for (let done = 0; done < inputs && this.#canContinue(); done += GENERATION) {
      await this.#generation(names.address, first + done, Math.min(GENERATION, inputs - done));
      progress?.(
        `${this.#inputs} cases, ${Math.round((performance.now() - startedAt) / 1000)} s, ${this.#faults.length} faults`,
      );
    }
    names.stop();
    echo.close();
    const seconds = (performance.now() - startedAt) / 1000;
    return {
      inputs: this.#inputs,
      seconds,
      byKind: this.#byKind,
      acceleratedMax: this.#acceleratedMax,
      faults: this.#faults,
    };
  }

  #canContinue(): boolean {
    return this.#faults.length < FAULTS_MAX;
  }

  #fault(what: string): void {
    if (!this.#canContinue()) return;
    this.#faults.push(what);
    this.settings.faulted?.(what);
  }

  async #generation(nameServer: string, first: number, count: number): Promise<void> {
    const worlds = [await World.start('native', nameServer, true), await World.start('TypeScript', nameServer, false)];
    if (!(await worlds[0]!.relay).includes('relay="splice"')) this.#fault('the first gateway has no native code');
    const sampling = setInterval(() => void worlds[0]!.sample(), SAMPLE_MS);
    let next = first;
    const work = async () => {
      while (next < first + count && this.#canContinue()) {
        next += 1;
        await this.#compare(worlds, createCase(this.settings.seed, next - 1));
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
    // From addresses of their own: those of a case that has guessed passwords are blocked for a minute.
    const drainCases = Array.from({ length: DRAIN_CASES }, (_, nth) =>
      createDrainCase(this.settings.seed, first + count + nth),
    );
    const drained = drainCases.map((plan) => this.#compare(worlds, plan));
    await this.#untilHeld(worlds);
    clearInterval(sampling);
    const values = await Promise.all(worlds.map((world) => world.stop()));
    await Promise.all(drained);
    this.#acceleratedMax = Math.max(this.#acceleratedMax, worlds[0]!.acceleratedMax);
    for (const { name, faults } of worlds)
      for (const each of faults) this.#fault(`${name}, cases from ${first} on: ${each}`);
    this.#compareMetrics(first, values);
  }

  /** A case that fails before is reported when the others have drained. */
  async #untilHeld(worlds: readonly World[]): Promise<void> {
    const until = performance.now() + HELD_MS;
    const areHeld = () => worlds.every(({ held }) => held === DRAIN_CASES);
    while (this.#canContinue() && !areHeld()) {
      if (performance.now() > until) return this.#fault('not all cases of the drain have got so far');
      await pause(20);
    }
  }

  async #compare(worlds: readonly World[], plan: RelayCase): Promise<void> {
    const { seed } = this.settings;
    const outcomes = await Promise.all(worlds.map((world) => new Play(world, plan, seed, this.#echoPort).run()));
    const arguments_ = `kind=relays seed=${seed} first=${plan.index} inputs=1`;
    for (const [nth, outcome] of outcomes.entries())
      for (const fault of judge(plan, outcome))
        this.#fault(`${arguments_}: ${worlds[nth]!.name}: ${fault}; ${JSON.stringify(plan)}`);
    const [native, typescript] = outcomes.map((outcome) => comparable(plan, outcome));
    if (native !== typescript)
      this.#fault(`${arguments_}: the outcomes differ: ${JSON.stringify(plan)}\n  ${native}\n  ${typescript}`);
    this.#inputs += 1;
    const kind = plan.kind === 'tunnels' ? `tunnels: ${plan.tunnels[0]!.finish.how}` : plan.kind;
    this.#byKind.set(kind, (this.#byKind.get(kind) ?? 0) + 1);
  }

  #compareMetrics(first: number, [native = {}, typescript = {}]: readonly Record<string, number>[]): void {
    for (const name of new Set([...Object.keys(native), ...Object.keys(typescript)]))
      if (native[name] !== typescript[name])
        this.#fault(
          `cases from ${first} on: ${name} is ${native[name]} with native code and ${typescript[name]} without`,
        );
  }
}

async function startEcho(): Promise<Server> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy()).on('end', () => socket.end());
    socket.on('data', (chunk) => socket.write(chunk));
  });
  server.listen({ port: 0, host: '0.0.0.0', backlog: 4_096 });
  await once(server, 'listening');
  return server;
}
