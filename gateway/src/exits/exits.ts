import type { Exit as ExitDescription } from '@cellhop/contract/gateway';
import type { Exit } from './exit.ts';

interface Named {
  readonly exit: Exit;
  /** What the control plane said of it. */
  readonly description: string;
}

/** The exits of this node, each opened once however many connections use it. */
export class Exits {
  readonly #named = new Map<string, Named>();
  readonly #open = new Set<Exit>();

  constructor(private readonly openExit: (description: ExitDescription) => Exit) {}

  /**
   * The exit of this id, opened if it is not yet. One that has been changed since is opened anew; the old one stays with
   * the connections that have it. A control plane that names no ids tells exits apart by what they are.
   */
  get(exit: ExitDescription): Exit {
    const description = `${exit.kind} ${exit.address}`;
    const id = exit.id ?? description;
    const known = this.#named.get(id);
    if (known?.description === description) return known.exit;
    const opened = this.openExit(exit);
    this.#named.set(id, { exit: opened, description });
    this.#open.add(opened);
    return opened;
  }

  /** Closes exits that are not in use, and has the others look whether they still work. */
  async check(inUse: ReadonlySet<Exit>): Promise<void> {
    for (const exit of this.#open) if (!inUse.has(exit)) this.#close(exit);
    for (const exit of this.#open) await exit.check();
  }

  #close(exit: Exit): void {
    this.#open.delete(exit);
    for (const [id, named] of this.#named) if (named.exit === exit) this.#named.delete(id);
    exit.close();
  }
}
