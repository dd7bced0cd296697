import {
  type Authorization,
  authorize,
  type Credit,
  end,
  GATEWAY_BATCH_MAX,
  update,
  type Usage,
} from '@cellhop/contract/gateway';
import { ApiError, createClient } from '@cellhop/contract/client';
import type { EndpointDefinition, ClientInput, Output } from '@cellhop/contract/endpoint';
import type { ControlHealth } from './control-health.ts';
import type { Credentials } from './protocol/socks5.ts';
import { TunnelFailure } from './statuses.ts';

type LastUsage = Omit<Usage, 'wantedBytes' | 'isExitLost'>;

export interface ControlSettings {
  readonly url: string;
  readonly token: string;
  readonly runId: string;
  readonly timeoutMs: number;
  readonly observed: (seconds: number, outcome: 'answered' | 'failed') => void;
  readonly health: ControlHealth;
}

/** The three calls to the control plane. Every answer is checked against the contract. */
export class ControlClient {
  readonly #request: ReturnType<typeof createClient>;

  constructor(private readonly settings: ControlSettings) {
    this.#request = createClient({
      baseUrl: settings.url.replace(/\/+$/, ''),
      timeoutMs: settings.timeoutMs,
      headers: () => ({ authorization: `Bearer ${settings.token}` }),
    });
  }

  /** @throws TunnelFailure when the control plane does not answer */
  async authorize({ username, password }: Credentials): Promise<Authorization> {
    try {
      const { data } = await this.#call(authorize, { body: { runId: this.settings.runId, username, password } });
      return data;
    } catch (error) {
      // What the contract's bounds refuse is no user that the control plane could know.
      if (isRefusedInput(error)) return { isAuthorized: false };
      throw new TunnelFailure('control-plane-away');
    }
  }

  async update(usages: readonly Usage[]): Promise<Credit[]> {
    const answers: Credit[] = [];
    for (const batch of batches(usages)) {
      const { data } = await this.#call(update, { body: { runId: this.settings.runId, usages: batch } });
      answers.push(...data);
    }
    return answers;
  }

  async end(usages: readonly LastUsage[]): Promise<string[]> {
    const acknowledged: string[] = [];
    for (const batch of batches(usages)) {
      const { data } = await this.#call(end, { body: { runId: this.settings.runId, usages: batch } });
      acknowledged.push(...data.acknowledged);
    }
    return acknowledged;
  }

  async #call<const E extends EndpointDefinition>(definition: E, input: ClientInput<E>): Promise<Output<E>> {
    const begunAt = performance.now();
    let outcome: 'answered' | 'failed' = 'failed';
    try {
      const answer = definition.response.parse(await this.#request(definition, input)) as Output<E>;
      outcome = 'answered';
      this.settings.health.answered();
      return answer;
    } catch (error) {
      if (!isRefusedInput(error)) this.settings.health.failed(error);
      throw error;
    } finally {
      this.settings.observed((performance.now() - begunAt) / 1000, outcome);
    }
  }
}

const isRefusedInput = (error: unknown) => error instanceof ApiError && error.code === 'VALIDATION';

function batches<Item>(items: readonly Item[]): Item[][] {
  const count = Math.max(1, Math.ceil(items.length / GATEWAY_BATCH_MAX));
  return Array.from({ length: count }, (_, index) =>
    items.slice(index * GATEWAY_BATCH_MAX, (index + 1) * GATEWAY_BATCH_MAX),
  );
}
