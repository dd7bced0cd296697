import { setTimeout as pause } from 'node:timers/promises';

const REQUEST_TIMEOUT_MS = 10_000;
const PAUSE_MS = 20;

/**
 * Requests all GET endpoints without path parameters repeatedly, and records each status that differs from the first. The list
 * comes from the API's OpenAPI document, so it fits the version of the API.
 */
export class EndpointMonitor {
  readonly violations = new Set<string>();
  rounds = 0;
  readonly #firstStatuses = new Map<string, number>();

  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  /** @returns the number of monitored endpoints with status 200 */
  async start(): Promise<number> {
    const document = (await (await fetch(`${this.url}/docs/json`)).json()) as Document;
    for (const path of ['/health/live', '/health/ready', ...readablePaths(document)])
      this.#firstStatuses.set(path, await this.#request(path));
    const good = [...this.#firstStatuses].filter(([, status]) => status === 200);
    for (const [path, status] of this.#firstStatuses)
      if (status >= 500) this.violations.add(`GET ${path} returns ${status} before the migration`);
    return good.length;
  }

  async run(isOpen: () => boolean): Promise<void> {
    while (isOpen()) {
      for (const [path, expected] of this.#firstStatuses) {
        const status = await this.#request(path);
        if (status !== expected) this.violations.add(`GET ${path} returned ${expected} and then ${status}`);
        await pause(PAUSE_MS);
      }
      this.rounds += 1;
    }
  }

  /** @returns the status, 0 without a response */
  async #request(path: string): Promise<number> {
    try {
      const headers = { authorization: `Bearer ${this.token}` };
      const response = await fetch(this.url + path, { headers, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
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

/** Without event streams, which never end. */
function readablePaths({ paths }: Document): string[] {
  return Object.entries(paths)
    .filter(([path, { get }]) => get && !path.includes('{') && !path.endsWith('/events'))
    .filter(([, { get }]) => !get!.parameters?.some((parameter) => parameter.in === 'query' && parameter.required))
    .map(([path]) => path);
}
