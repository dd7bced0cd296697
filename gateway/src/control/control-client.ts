import { checkExits, type ExitChecksResponse, rotationOrderSchema } from '@cellhop/contract/exit-checks';
import { exitSchema } from '@cellhop/contract/exits';
import {
  type Authorization,
  authorize,
  authorizeAddress,
  authorizeBody,
  type Credit,
  creditSchema,
  dnsPorts,
  end,
  GATEWAY_CONTRACT_VERSION,
  GATEWAY_WATCH_HELD_MS,
  hello,
  update,
  type Usage,
  watch,
  type WatchResponse,
} from '@cellhop/contract/gateway';
import { type CallOptions, createClient } from '@cellhop/contract/client';
import { readRefusedPage } from '@cellhop/contract/refused-pages';
import type { SealedWitness } from '@cellhop/contract/sealed-witness';
import type { EndpointDefinition, ClientInput, Output } from '@cellhop/contract/endpoint';
import type { NodeStatus } from '@cellhop/contract/node-status';
import { z } from 'zod';
import { controlFetch } from './control-fetch.ts';
import { type ControlCall, type ControlHealth, isRefusal } from './control-health.ts';
import type { Credentials } from '../protocol/socks5.ts';
import { TunnelFailure } from '../statuses.ts';
import { Turns } from './turns.ts';

type FinalUsage = Omit<Usage, 'wantedBytes' | 'isExitLost' | 'accessRevision'>;

export interface ControlClientSettings {
  readonly url: string;
  readonly token: string;
  readonly runId: string;
  readonly timeoutMs: number;
  /** The timeout of `authorizeAddress`. */
  readonly addressTimeoutMs: number;
  /** Of passwords, and of addresses. */
  readonly authorizationsAtOnce: number;
  readonly onDuration: (seconds: number, outcome: 'answered' | 'failed') => void;
  readonly onRefusal: (call: ControlCall) => void;
  readonly health: ControlHealth;
}

export type HelloResponse = Output<typeof hello>['data'];

/** Each credit is parsed separately: one that only a newer version can parse must not invalidate the others. */
const updateResponse = z.object({ data: z.array(z.unknown()) });

/** The same for exits that are due: a newer version may have other kinds. */
const exitChecksResponse = z.object({
  data: checkExits.response.shape.data.extend({
    due: z.array(z.unknown()),
    rotations: z.array(z.unknown()).optional(),
  }),
});

/** The calls to the control plane. Every response is validated against the contract. */
export class ControlClient {
  readonly #request: ReturnType<typeof createClient>;
  readonly #passwordTurns: Turns;
  readonly #addressTurns: Turns;

  constructor(private readonly settings: ControlClientSettings) {
    this.#passwordTurns = new Turns(settings.authorizationsAtOnce);
    this.#addressTurns = new Turns(settings.authorizationsAtOnce);
    this.#request = createClient({
      baseUrl: settings.url.replace(/\/+$/, ''),
      timeoutMs: settings.timeoutMs,
      fetch: controlFetch,
      headers: () => ({ authorization: `Bearer ${settings.token}` }),
    });
  }

  async hello(known: { status: NodeStatus; witness: SealedWitness | undefined }) {
    const body = { ...known, contractVersion: GATEWAY_CONTRACT_VERSION, runId: this.settings.runId };
    return (await this.#call('hello', hello, { body })).data;
  }

  /** @throws TunnelFailure if the control plane is unavailable */
  async authorize({ username, password }: Credentials, clientAddress?: string): Promise<Authorization> {
    const body = authorizeBody.safeParse({ runId: this.settings.runId, username, password, clientAddress });
    // Credentials outside the contract's bounds cannot exist.
    if (!body.success) return { isAuthorized: false };
    const call = () => this.#call('authorize', authorize, { body: body.data });
    try {
      return (await this.#passwordTurns.run(this.settings.timeoutMs, call)).data;
    } catch {
      throw new TunnelFailure('control-plane-unavailable');
    }
  }

  /** @throws TunnelFailure if the control plane is unavailable */
  async authorizeAddress(clientAddress: string, dnsPort?: number): Promise<Authorization> {
    const body = { runId: this.settings.runId, clientAddress, dnsPort };
    const timeoutMs = this.settings.addressTimeoutMs;
    const call = () => this.#call('authorize', authorizeAddress, { body }, { timeoutMs });
    try {
      return (await this.#addressTurns.run(timeoutMs, call)).data;
    } catch {
      throw new TunnelFailure('control-plane-unavailable');
    }
  }

  /** @returns the DNS ports of connections that list clients */
  async dnsPorts(): Promise<Output<typeof dnsPorts>['data']> {
    return (await this.#call('dns-ports', dnsPorts, { body: { runId: this.settings.runId } })).data;
  }

  async update(usages: readonly Usage[]): Promise<Credit[]> {
    const body = { runId: this.settings.runId, usages: [...usages] };
    const { data } = await this.#call('update', update, { body }, { schema: updateResponse });
    const credits = data.map((item) => creditSchema.safeParse(item));
    const invalid = credits.find(({ success }) => !success);
    if (invalid) this.#refused('update', invalid.error);
    return credits.flatMap((credit) => (credit.success ? [credit.data] : []));
  }

  /**
   * Long poll for connections that must end, for changes of access and for purchases. It does not affect the health of the control plane,
   * because a long-lived request may break at any time; the other calls do.
   */
  async watch(signal: AbortSignal): Promise<WatchResponse> {
    const timeoutMs = GATEWAY_WATCH_HELD_MS + this.settings.timeoutMs;
    const body = { runId: this.settings.runId, arePurchasesWanted: true } as const;
    const response = await this.#request(watch, { body }, { signal, timeoutMs });
    return watch.response.parse(response).data;
  }

  /** Reports checks of exits and fetches due ones. Does not affect the health of the control plane: traffic goes on without. */
  async checkExits(body: ClientInput<typeof checkExits>['body']): Promise<ExitChecksResponse> {
    const { data } = exitChecksResponse.parse(await this.#request(checkExits, { body }));
    return { ...data, due: parsed(exitSchema, data.due), rotations: parsed(rotationOrderSchema, data.rotations) };
  }

  /** A page of what no customer may reach. Does not affect the health of the control plane: traffic goes on with the list before. */
  async readRefusedPage(after: string | undefined): Promise<Output<typeof readRefusedPage>['data']> {
    const response = await this.#request(readRefusedPage, { body: { after } });
    return readRefusedPage.response.parse(response).data;
  }

  async end(usages: readonly FinalUsage[]): Promise<string[]> {
    const { data } = await this.#call('end', end, { body: { runId: this.settings.runId, usages: [...usages] } });
    return data.acknowledged;
  }

  async #call<const E extends EndpointDefinition, Response = Output<E>>(
    call: ControlCall,
    definition: E,
    input: ClientInput<E>,
    { schema = definition.response, ...options }: CallOptions & { schema?: z.ZodType } = {},
  ): Promise<Response> {
    const startedAt = performance.now();
    let outcome: 'answered' | 'failed' = 'failed';
    try {
      const response = schema.parse(await this.#request(definition, input, options)) as Response;
      outcome = 'answered';
      this.settings.health.succeeded();
      return response;
    } catch (error) {
      if (isRefusal(error) || error instanceof z.ZodError) this.#refused(call, error);
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

/** Leaves out what only a newer version can parse. */
function parsed<T>(schema: z.ZodType<T>, items: readonly unknown[] = []): T[] {
  return items.map((item) => schema.safeParse(item)).flatMap((item) => (item.success ? [item.data] : []));
}
