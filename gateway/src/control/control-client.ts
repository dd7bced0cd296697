import {
  type Authorization,
  authorize,
  authorizeBody,
  type Credit,
  creditSchema,
  end,
  GATEWAY_CONTRACT_VERSION,
  GATEWAY_WATCH_HELD_MS,
  hello,
  update,
  type Usage,
  watch,
} from '@cellhop/contract/gateway';
import { ApiError, createClient } from '@cellhop/contract/client';
import type { EndpointDefinition, ClientInput, Output } from '@cellhop/contract/endpoint';
import { z } from 'zod';
import { type ControlCall, type ControlHealth, isRefusal } from './control-health.ts';
import type { Credentials } from '../protocol/socks5.ts';
import { TunnelFailure } from '../statuses.ts';

type FinalUsage = Omit<Usage, 'wantedBytes' | 'isExitLost'>;

export interface ControlClientSettings {
  readonly url: string;
  readonly token: string;
  readonly runId: string;
  readonly timeoutMs: number;
  readonly onDuration: (seconds: number, outcome: 'answered' | 'failed') => void;
  readonly onRefusal: (call: ControlCall) => void;
  readonly health: ControlHealth;
}

export type HelloResponse = Output<typeof hello>['data'];

/** Each credit is parsed separately: one that only a newer version can parse must not invalidate the others. */
const updateResponse = z.object({ data: z.array(z.unknown()) });

/** The calls to the control plane. Every response is validated against the contract. */
export class ControlClient {
  readonly #request: ReturnType<typeof createClient>;

  constructor(private readonly settings: ControlClientSettings) {
    this.#request = createClient({
      baseUrl: settings.url.replace(/\/+$/, ''),
      timeoutMs: settings.timeoutMs,
      headers: () => ({ authorization: `Bearer ${settings.token}` }),
    });
  }

  /** @returns undefined if the control plane is older than this call */
  async hello(): Promise<HelloResponse | undefined> {
    try {
      const { data } = await this.#call('hello', hello, { body: { contractVersion: GATEWAY_CONTRACT_VERSION } });
      return data;
    } catch (error) {
      if (isUnknownCall(error)) return undefined;
      throw error;
    }
  }

  /** @throws TunnelFailure if the control plane is unavailable */
  async authorize({ username, password }: Credentials): Promise<Authorization> {
    const body = authorizeBody.safeParse({ runId: this.settings.runId, username, password });
    // Credentials outside the contract's bounds cannot exist.
    if (!body.success) return { isAuthorized: false };
    try {
      const { data } = await this.#call('authorize', authorize, { body: body.data });
      return data;
    } catch {
      throw new TunnelFailure('control-plane-away');
    }
  }

  async update(usages: readonly Usage[]): Promise<Credit[]> {
    const body = { runId: this.settings.runId, usages: [...usages] };
    const { data } = await this.#call('update', update, { body }, updateResponse);
    const credits = data.map((item) => creditSchema.safeParse(item));
    const invalid = credits.find(({ success }) => !success);
    if (invalid) this.#refused('update', invalid.error);
    return credits.flatMap((credit) => (credit.success ? [credit.data] : []));
  }

  /**
   * Long poll for connections that must end. It does not affect the health of the control plane, because a long-lived
   * request may break at any time; the other calls do.
   * @returns their ids; undefined if the control plane is older than this call
   */
  async watch(signal: AbortSignal): Promise<string[] | undefined> {
    const timeoutMs = GATEWAY_WATCH_HELD_MS + this.settings.timeoutMs;
    try {
      const response = await this.#request(watch, { body: { runId: this.settings.runId } }, { signal, timeoutMs });
      return watch.response.parse(response).data.ended;
    } catch (error) {
      if (isUnknownCall(error)) return undefined;
      throw error;
    }
  }

  async end(usages: readonly FinalUsage[]): Promise<string[]> {
    const { data } = await this.#call('end', end, { body: { runId: this.settings.runId, usages: [...usages] } });
    return data.acknowledged;
  }

  async #call<const E extends EndpointDefinition, Response = Output<E>>(
    call: ControlCall,
    definition: E,
    input: ClientInput<E>,
    schema: z.ZodType = definition.response,
  ): Promise<Response> {
    const startedAt = performance.now();
    let outcome: 'answered' | 'failed' = 'failed';
    try {
      const response = schema.parse(await this.#request(definition, input)) as Response;
      outcome = 'answered';
      this.settings.health.succeeded();
      return response;
    } catch (error) {
      // A 404 to `hello` means an older control plane; a 404 to a report means that no control plane is at this address.
      const isOlder = call === 'hello' && isUnknownCall(error);
      if (isOlder) outcome = 'answered';
      else if (isRefusal(error) || error instanceof z.ZodError) this.#refused(call, error);
      else this.settings.health.failed(error);
      throw error;
    } finally {
      this.settings.onDuration((performance.now() - startedAt) / 1000, outcome);
    }
  }

  #refused(call: ControlCall, error: unknown): void {
    this.settings.health.refused(call, error);
    this.settings.onRefusal(call);
  }
}

const isUnknownCall = (error: unknown) => error instanceof ApiError && error.status === 404;
