import type { Exit as ExitDescription } from '@cellhop/contract/gateway';
import type { Exit } from './exit.ts';

interface OpenExit {
  readonly exit: Exit;
  /** The fields that the control plane sent, as text. */
  readonly description: string;
}

/** The exits of this node. Each is opened once and shared by its connections. */
export class Exits {
  readonly #byId = new Map<string, OpenExit>();
  readonly #open = new Set<Exit>();

  constructor(private readonly openExit: (description: ExitDescription) => Exit) {}

  /**
   * Returns the exit with this id, and opens it if necessary. A changed exit is opened again; existing connections keep the
   * old one.
   */
  get(exit: ExitDescription): Exit {
    const { id, ...fields } = exit;
    const description = JSON.stringify(fields);
    const known = this.#byId.get(id);
    if (known?.description === description) return known.exit;
    const opened = this.openExit(exit);
    this.#byId.set(id, { exit: opened, description });
    this.#open.add(opened);
    return opened;
  }

  /** Closes unused exits and checks the others. */
  async check(inUse: ReadonlySet<Exit>): Promise<void> {
    for (const exit of this.#open) if (!inUse.has(exit)) this.#close(exit);
    for (const exit of this.#open) await exit.check();
  }

  #close(exit: Exit): void {
    this.#open.delete(exit);
    for (const [id, open] of this.#byId) if (open.exit === exit) this.#byId.delete(id);
    exit.close();
  }
}
