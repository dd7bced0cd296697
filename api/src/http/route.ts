import { AppError } from '@cellhop/contract/errors';
import type { EndpointDefinition, ServerInput } from '@cellhop/contract/endpoint';
import type { Permission } from '@cellhop/contract/permissions';
import { errorBodySchema } from '@cellhop/contract/schemas';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema, RouteOptions } from 'fastify';
import { Readable } from 'node:stream';
import type { z } from 'zod';
import type { AccessClaims, Actor } from './actor.ts';
import type { Requester } from './requester.ts';
import { type Ctx, inTurn } from '../ctx.ts';
import { clientAddress } from './admission.ts';
import { matchesEtag } from './etag.ts';
import { bodyLimitFor, useRawBodies, valueCountLimitFor } from './body.ts';
import { COMPRESSION } from './responses.ts';
import type { Transfers } from './in-progress.ts';
import type { Listeners } from './listeners.ts';
import type { LimitersByOwner } from '../process/limiters-by-owner.ts';
import { replacePageHeaders } from './security.ts';
import { sendFile, type StoredFile } from './stored-file.ts';
import type { InvalidTokenLimiter } from './invalid-token-limiter.ts';

type NeedsActor<E extends EndpointDefinition> = E['access'] extends 'user' | 'staff' | { permission: Permission }
  ? true
  : false;

/** The input of a handler: validated input, the context, and the actor or node according to the endpoint's `access`. */
export type Request<E extends EndpointDefinition> = ServerInput<E> & {
  ctx: Ctx;
  headers: FastifyRequest['headers'];
  /** GET or HEAD, for endpoints that read. */
  method: string;
  /** Of the client, the widest first. */
  networks: readonly string[];
  requester: Requester;
  /** Adds a Set-Cookie header to a successful answer. */
  setCookie: (cookie: string) => void;
} & (NeedsActor<E> extends true ? { actor: Actor } : unknown) &
  (E['access'] extends 'gateway' ? { nodeId: string } : unknown);

/** Authentication, provided by the modules. */
export interface Access {
  /** Without a query. @returns undefined if this shop has not signed the token */
  readToken(ctx: Ctx, token: string): Promise<AccessClaims | undefined>;
  /** @throws AppError UNAUTHORIZED, ACCOUNT_BLOCKED */
  authenticateUser(ctx: Ctx, claims: AccessClaims): Promise<Actor>;
  /** @returns the node's id. @throws AppError UNAUTHORIZED */
  authenticateNode(ctx: Ctx, token: string | undefined): Promise<string>;
}

declare module 'fastify' {
  interface FastifyInstance {
    ctx: Ctx;
    access: Access;
    listeners: Listeners;
    invalidTokenLimiter: InvalidTokenLimiter;
    downloads: Transfers;
    uploads: Transfers;
    ticketUploads: Transfers;
    shares: LimitersByOwner;
  }
}

/** Serves an endpoint of the contract: checks access, validates the input, calls the handler, serializes declared fields only. */
export function route<const E extends EndpointDefinition>(
  app: FastifyInstance,
  entry: E,
  handler: (request: Request<E>) => Promise<z.input<E['response']>>,
): void {
  serve(app, entry, (request, reply) => {
    reply.code(entry.status ?? 200);
    return handler(request);
  });
}

/** A streamed text response. */
export interface TextStream {
  contentType: string;
  /** File name for browsers to save it; undefined: they show it. */
  fileName?: string;
  chunks: AsyncIterable<string>;
}

/** Serves an endpoint with a text response of any length; only one chunk is in memory. */
export function routeStream<const E extends EndpointDefinition>(
  app: FastifyInstance,
  entry: E,
  handler: (request: Request<E>) => Promise<TextStream>,
): void {
  const handle = async (request: Request<E>, reply: FastifyReply) => {
    const { actor, requester }: { actor?: Actor; requester: Requester } = request;
    app.downloads.begin(actor?.userId ?? requester.ip, reply);
    const { contentType, fileName, chunks } = await handler(request);
    void reply.type(contentType).header('cache-control', 'no-store');
    if (fileName !== undefined) void reply.header('content-disposition', `attachment; filename="${fileName}"`);
    const mayGoOn = async () => {
      if (actor) authorize(entry, await app.access.authenticateUser(app.ctx, { ...actor, isExpired: false }));
    };
    return reply.send(Readable.from(whileAllowed(chunks, mayGoOn)));
  };
  // If a compressed stream failed before its first bytes, the error response would have its Content-Encoding.
  serve<E>(app, entry, handle, { compress: false });
}

/** Ends with the error of `mayGoOn` before the first chunk that the caller may not have any more, which breaks the response off. */
async function* whileAllowed(chunks: AsyncIterable<string>, mayGoOn: () => Promise<void>): AsyncGenerator<string> {
  for await (const chunk of chunks) {
    await mayGoOn();
    yield chunk;
  }
}

/** Serves an endpoint of signed-in users whose body is a file of up to `bytesMax`. The handler gets it as it was sent. */
export function routeUpload<const E extends EndpointDefinition>(
  app: FastifyInstance,
  entry: E,
  bytesMax: number,
  handler: (request: Request<E> & { content: Buffer }) => Promise<z.input<E['response']>>,
  uploads: Transfers = app.uploads,
): void {
  void app.register(async (scope) => {
    useRawBodies(scope);
    // After the permission check, so that refused requests do not count as uploads.
    scope.addHook('preParsing', async (request, reply) => {
      const { actor } = request.getDecorator<Identity>('identity');
      uploads.begin(actor!.userId, reply);
    });
    serve<E>(
      scope,
      entry,
      (request, reply) => {
        const { body } = request as { body?: unknown };
        if (!Buffer.isBuffer(body) || body.length === 0)
          throw AppError.validation([{ path: 'body', message: 'must be a file' }]);
        reply.code(entry.status ?? 200);
        return handler(Object.assign(request, { content: body }));
      },
      { bodyLimit: bytesMax },
    );
  });
}

/** Serves an endpoint whose response is a file that users have made. */
export function routeFile<const E extends EndpointDefinition>(
  app: FastifyInstance,
  entry: E,
  handler: (request: Request<E>) => Promise<StoredFile>,
): void {
  const handle = async (request: Request<E>, reply: FastifyReply) => {
    const { actor, requester }: { actor?: Actor; requester: Requester } = request;
    app.downloads.begin(actor?.userId ?? requester.ip, reply);
    return sendFile(reply, await handler(request));
  };
  serve<E>(app, entry, handle, { compress: false });
}

/** A precomputed response: the JSON body and its ETag. */
export interface CachedResponse {
  body: string;
  etag: string;
}

/** Like `route`, for a precomputed response. Clients that have it already get 304 without a body. */
export function cachedRoute<const E extends EndpointDefinition>(
  app: FastifyInstance,
  entry: E,
  handler: (request: Request<E>) => Promise<CachedResponse>,
): void {
  serve<E>(app, entry, async (request, reply) => {
    const { body, etag } = await handler(request);
    // Weak, because the body may be sent compressed. "no-cache": browsers may store the response, but must revalidate it each time.
    void reply.header('etag', `W/${etag}`).header('cache-control', 'private, no-cache');
    if (matchesEtag(request.headers['if-none-match'], etag)) {
      // Browsers replace the headers of the stored response by these.
      replacePageHeaders(reply);
      return reply.code(304).send();
    }
    return reply.type('application/json; charset=utf-8').serializer(String).send(body);
  });
}

function serve<E extends EndpointDefinition>(
  app: FastifyInstance,
  entry: E,
  handle: (request: Request<E>, reply: FastifyReply) => Promise<unknown>,
  options: Pick<RouteOptions, 'bodyLimit' | 'compress'> = {},
): void {
  if (entry.access === 'development' && !app.ctx.config.isDevelopment) return;
  app.route({
    method: entry.method,
    url: entry.url.replaceAll(/\{(\w+)\}/g, ':$1'),
    schema: toSchema(entry, entry.status ?? 200),
    bodyLimit: bodyLimitFor(entry),
    compress: COMPRESSION,
    ...options,
    config: { bodyValuesMax: valueCountLimitFor(entry) },
    // Before validation, so that unauthorized clients learn nothing about valid requests.
    onRequest: async (request) => {
      request.setDecorator('identity', await identify(app, entry, request));
    },
    handler: async (request, reply) => {
      const { params, query, body, headers, method, networks } = request;
      const identity = request.getDecorator<Identity>('identity');
      const requester = toRequester(request);
      const setCookie = (cookie: string) => void reply.header('set-cookie', cookie);
      const ctx = identity.nodeId === undefined ? inTurn(app.ctx) : app.ctx;
      const input = { params, query, body, headers, method, networks, requester, setCookie, ctx, ...identity };
      return inShare(app, identity, () => handle(input as unknown as Request<E>, reply));
    },
  });
}

interface Identity {
  actor?: Actor;
  nodeId?: string;
}

async function identify(app: FastifyInstance, entry: EndpointDefinition, request: FastifyRequest): Promise<Identity> {
  const { access } = entry;
  if (access === 'public' || access === 'development') return {};
  if (access === 'gateway') return { nodeId: await identifyNode(app, request) };
  const actor = await identifyUser(app, request);
  authorize(entry, actor);
  return { actor };
}

/** @throws AppError VIEW_ONLY, SECOND_FACTOR_REQUIRED, FORBIDDEN */
function authorize(entry: EndpointDefinition, actor: Actor): void {
  const { access } = entry;
  if (actor.viewerId !== undefined && !isViewable(entry)) throw new AppError('VIEW_ONLY');
  if (typeof access === 'string' && access !== 'staff') return;
  if (actor.isSecondFactorDue) throw new AppError('SECOND_FACTOR_REQUIRED');
  const isAllowed = access === 'staff' ? actor.permissions.size > 0 : actor.permissions.has(access.permission);
  if (!isAllowed) throw new AppError('FORBIDDEN');
}

/** Whether staff may call the endpoint while they see the app as a user: reads only, and no exports. */
function isViewable({ method, access, isExport }: EndpointDefinition): boolean {
  return method === 'GET' && access === 'user' && isExport !== true;
}

/**
 * Only a token that this shop has not signed is a guess. Others continue, however many guesses their network has sent.
 * @throws AppError UNAUTHORIZED, ACCOUNT_BLOCKED, RATE_LIMITED
 */
export async function identifyUser(app: FastifyInstance, request: FastifyRequest): Promise<Actor> {
  const { ctx, access } = app;
  const token = bearerToken(request);
  const claims = token === undefined ? undefined : await access.readToken(ctx, token);
  if (!claims) {
    if (token !== undefined) await app.invalidTokenLimiter.countWrong(request.networks);
    throw new AppError('UNAUTHORIZED');
  }
  return app.shares.run(ownerOf(claims), () => access.authenticateUser(ctx, claims));
}

/** Nodes and unauthenticated requests have queues of their own where they need some. */
function inShare<T>(app: FastifyInstance, { actor }: Identity, work: () => Promise<T>): Promise<T> {
  return actor ? app.shares.run(ownerOf(actor), work) : work();
}

const ownerOf = ({ userId, viewerId }: Pick<Actor, 'userId' | 'viewerId'>) => viewerId ?? userId;

async function identifyNode(app: FastifyInstance, request: FastifyRequest): Promise<string> {
  const token = bearerToken(request);
  const check = () => app.access.authenticateNode(app.ctx, token);
  const nodeId = await app.invalidTokenLimiter.check(request.networks, token, check);
  app.listeners.markNode(request);
  return nodeId;
}

/** The address is that of the connection; behind a trusted proxy, the one that the proxy reports. */
export function toRequester(request: FastifyRequest): Requester {
  return { ip: clientAddress(request), userAgent: request.headers['user-agent'], requestId: request.id };
}

export function bearerToken(request: FastifyRequest): string | undefined {
  return /^Bearer ([^\s]+)$/i.exec(request.headers.authorization ?? '')?.[1];
}

function toSchema(entry: EndpointDefinition, status: number): FastifySchema {
  const isInternal = entry.access === 'gateway' || entry.access === 'development';
  return {
    hide: isInternal,
    summary: entry.summary,
    tags: [entry.url.split('/')[2] ?? 'other'],
    ...(entry.errors && { description: `Errors: ${entry.errors.join(', ')}` }),
    ...(entry.access !== 'public' && { security: [{ bearer: [] }] }),
    ...(entry.params && { params: entry.params }),
    ...(entry.query && { querystring: entry.query }),
    ...(entry.body && { body: entry.body }),
    response: { [status]: entry.response, '4xx': errorBodySchema, '5xx': errorBodySchema },
  };
}
