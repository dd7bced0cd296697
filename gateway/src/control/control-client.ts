import {
  type Authorization,
  authorize,
  authorizeAddress,
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
  type WatchAnswer,
} from '@cellhop/contract/gateway';
import { ApiError, type CallOptions, createClient } from '@cellhop/contract/client';
import type { EndpointDefinition, ClientInput, Output } from '@cellhop/contract/endpoint';
import { z } from 'zod';
import { type ControlCall, type ControlHealth, isRefusal } from './control-health.ts';
import type { Credentials } from '../protocol/socks5.ts';
import { TunnelFailure } from '../statuses.ts';

type LastUsage = Omit<Usage, 'wantedBytes' | 'isExitLost' | 'accessRevision'>;

/** From this version on the control plane knows connections by the addresses of their clients. */
const VERSION_WITH_ADDRESSES = 4;

export interface ControlSettings {
  readonly url: string;
  readonly token: string;
  readonly runId: string;
  readonly timeoutMs: number;
  /** Of `authorizeAddress`. */
  readonly addressTimeoutMs: number;
  readonly observed: (seconds: number, outcome: 'answered' | 'failed') => void;
  readonly refused: (call: ControlCall) => void;
  readonly health: ControlHealth;
}

export type Greeting = Output<typeof hello>['data'];

/** Each answer to a report by itself: one that only a newer version understands does not cost the others theirs. */
const reportAnswer = z.object({ data: z.array(z.unknown()) });

/** The calls to the control plane. Every answer is checked against the contract. */
export class ControlClient {
  readonly #request: ReturnType<typeof createClient>;
  #controlPlaneVersion = 0;

  constructor(private readonly settings: ControlSettings) {
    this.#request = createClient({
      baseUrl: settings.url.replace(/\/+$/, ''),
      timeoutMs: settings.timeoutMs,
      headers: () => ({ authorization: `Bearer ${settings.token}` }),
    });
  }

  /** @returns undefined if the control plane is older than this call */
  async hello(): Promise<Greeting | undefined> {
    try {
      const { data } = await this.#call('hello', hello, { body: { contractVersion: GATEWAY_CONTRACT_VERSION } });
      this.#controlPlaneVersion = data.contractVersion;
      return data;
    } catch (error) {
      if (isUnknownCall(error)) return undefined;
      throw error;
    }
  }

  /** @throws TunnelFailure when the control plane does not answer */
  async authorize({ username, password }: Credentials, clientAddress?: string): Promise<Authorization> {
    const body = authorizeBody.safeParse({ runId: this.settings.runId, username, password, clientAddress });
    // What the contract's bounds refuse is no user that the control plane could know.
    if (!body.success) return { isAuthorized: false };
    try {
      const { data } = await this.#call('authorize', authorize, { body: body.data });
      return data;
    } catch {
      throw new TunnelFailure('control-plane-away');
    }
  }

  /** @throws TunnelFailure when the control plane does not answer */
  async authorizeAddress(clientAddress: string): Promise<Authorization> {
    if (this.#controlPlaneVersion < VERSION_WITH_ADDRESSES) return { isAuthorized: false };
    const body = { runId: this.settings.runId, clientAddress };
    try {
      const timeoutMs = this.settings.addressTimeoutMs;
      const { data } = await this.#call('authorize', authorizeAddress, { body }, { timeoutMs });
      return data;
    } catch {
      throw new TunnelFailure('control-plane-away');
    }
  }

  async update(usages: readonly Usage[]): Promise<Credit[]> {
    const body = { runId: this.settings.runId, usages: [...usages] };
    const { data } = await this.#call('update', update, { body }, { response: reportAnswer });
    const answers = data.map((item) => creditSchema.safeParse(item));
    const unreadable = answers.find(({ success }) => !success);
    if (unreadable) this.#refused('update', unreadable.error);
    return answers.flatMap((answer) => (answer.success ? [answer.data] : []));
  }

  /**
   * Waits for connections that are to end, and for changes of who may use them. Whether the control plane is well is for the other calls to tell: this one hangs
   * on connections that may break at any time.
   * @returns undefined if the control plane is older than this call
   */
  async watch(signal: AbortSignal): Promise<WatchAnswer | undefined> {
    const timeoutMs = GATEWAY_WATCH_HELD_MS + this.settings.timeoutMs;
    try {
      const answer = await this.#request(watch, { body: { runId: this.settings.runId } }, { signal, timeoutMs });
      return watch.response.parse(answer).data;
    } catch (error) {
      if (isUnknownCall(error)) return undefined;
      throw error;
    }
  }

  async end(usages: readonly LastUsage[]): Promise<string[]> {
    const { data } = await this.#call('end', end, { body: { runId: this.settings.runId, usages: [...usages] } });
    return data.acknowledged;
  }

  async #call<const E extends EndpointDefinition, Answer = Output<E>>(
    call: ControlCall,
    definition: E,
    input: ClientInput<E>,
    { response = definition.response, ...options }: CallOptions & { response?: z.ZodType } = {},
  ): Promise<Answer> {
    const begunAt = performance.now();
    let outcome: 'answered' | 'failed' = 'failed';
    try {
      const answer = response.parse(await this.#request(definition, input, options)) as Answer;
      outcome = 'answered';
      this.settings.health.answered();
      return answer;
    } catch (error) {
      // Only reports tell whether this is an older control plane or nobody at all.
      const isOlder = call === 'hello' && isUnknownCall(error);
      if (isOlder) outcome = 'answered';
      else if (isRefusal(error) || error instanceof z.ZodError) this.#refused(call, error);
      else this.settings.health.failed(error);
      throw error;
    } finally {
      this.settings.observed((performance.now() - begunAt) / 1000, outcome);
    }
  }

  #refused(call: ControlCall, error: unknown): void {
    this.settings.health.refused(call, error);
    this.settings.refused(call);
  }
}

const isUnknownCall = (error: unknown) => error instanceof ApiError && error.status === 404;
