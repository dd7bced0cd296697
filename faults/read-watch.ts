import { setTimeout as pause } from 'node:timers/promises';

const ANSWER_LIMIT_MS = 10_000;
const PAUSE_MS = 20;

/**
 * Asks a running API for everything that can be read without naming a thing, again and again, and remembers each answer
 * that is another than at first. The list comes from the API's own document, so it is that of its version.
 */
export class ReadWatch {
  readonly complaints = new Set<string>();
  rounds = 0;
  readonly #firstStatuses = new Map<string, number>();

  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  /** @returns how many addresses are watched */
  async begin(): Promise<number> {
    const document = (await (await fetch(`${this.url}/docs/json`)).json()) as Document;
    for (const path of ['/health/live', '/health/ready', ...readablePaths(document)])
      this.#firstStatuses.set(path, await this.#ask(path));
    const good = [...this.#firstStatuses].filter(([, status]) => status === 200);
    for (const [path, status] of this.#firstStatuses)
      if (status >= 500) this.complaints.add(`GET ${path} answers ${status} before the migration`);
    return good.length;
  }

  async watch(isOpen: () => boolean): Promise<void> {
    while (isOpen()) {
      for (const [path, expected] of this.#firstStatuses) {
        const status = await this.#ask(path);
        if (status !== expected) this.complaints.add(`GET ${path} answered ${expected} and then ${status}`);
        await pause(PAUSE_MS);
      }
      this.rounds += 1;
    }
  }

  /** @returns the status, 0 without an answer */
  async #ask(path: string): Promise<number> {
    try {
      const headers = { authorization: `Bearer ${this.token}` };
      const response = await fetch(this.url + path, { headers, signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
      await response.arrayBuffer();
      return response.status;
    } catch {
      return 0;
    }
  }
}

interface Document {
  paths: Record<string, { get?: { parameters?: { in: string; required?: boolean }[] } }>;
}

/** A stream of events never ends. */
function readablePaths({ paths }: Document): string[] {
  return Object.entries(paths)
    .filter(([path, { get }]) => get && !path.includes('{') && !path.endsWith('/events'))
    .filter(([, { get }]) => !get!.parameters?.some((parameter) => parameter.in === 'query' && parameter.required))
    .map(([path]) => path);
}
