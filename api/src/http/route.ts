import { AppError } from '@cellhop/contract/errors';
import type { EndpointDefinition, ServerInput } from '@cellhop/contract/endpoint';
import type { Permission } from '@cellhop/contract/permissions';
import { errorBodySchema } from '@cellhop/contract/schemas';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { Readable } from 'node:stream';
import type { z } from 'zod';
import type { Actor } from '../actor.ts';
import type { Client } from '../client.ts';
import type { Ctx } from '../ctx.ts';
import { addressOf } from './admission.ts';
import { bodyLimitOf } from './body.ts';
import { valuesLimitOf } from './body-values.ts';
import type { Downloads } from './downloads.ts';
import type { Listeners } from './listeners.ts';
import type { TokenGuesses } from './token-guesses.ts';

type NeedsActor<E extends EndpointDefinition> = E['access'] extends 'user' | { permission: Permission } ? true : false;

/** What a handler gets: validated input, the context, and the actor or node that the endpoint's `access` promises. */
export type Request<E extends EndpointDefinition> = ServerInput<E> & {
  ctx: Ctx;
  headers: FastifyRequest['headers'];
  client: Client;
} & (NeedsActor<E> extends true ? { actor: Actor } : unknown) &
  (E['access'] extends 'gateway' ? { nodeId: string } : unknown);

/** Who is it? Given by the modules that know; `route` only asks. */
export interface Access {
  /** @throws AppError UNAUTHORIZED */
  authenticateUser(ctx: Ctx, token: string | undefined): Promise<Actor>;
  /** @returns the node's id. @throws AppError UNAUTHORIZED */
  authenticateNode(ctx: Ctx, token: string | undefined): Promise<string>;
}

declare module 'fastify' {
  interface FastifyInstance {
    ctx: Ctx;
    access: Access;
    listeners: Listeners;
    tokenGuesses: TokenGuesses;
    downloads: Downloads;
  }
}

/** Serves one entry of the contract: access check, validation, the handler, and declared fields alone on the way out. */
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

/** A text that is made while it is sent. */
export interface TextStream {
  contentType: string;
  /** Browsers save it under this name; undefined: they show it. */
  fileName?: string;
  chunks: AsyncIterable<string>;
}

/** Serves an entry that answers with a text of any length: no more of it than a chunk is in memory. */
export function routeStream<const E extends EndpointDefinition>(
  app: FastifyInstance,
  entry: E,
  handler: (request: Request<E>) => Promise<TextStream>,
): void {
  serve<E>(app, entry, async (request, reply) => {
    const { actor, client }: { actor?: Actor; client: Client } = request;
    app.downloads.begin(actor?.userId ?? client.ip, reply);
    const { contentType, fileName, chunks } = await handler(request);
    void reply.type(contentType).header('cache-control', 'no-store');
    if (fileName !== undefined) void reply.header('content-disposition', `attachment; filename="${fileName}"`);
    return reply.send(Readable.from(chunks));
  });
}

/** An answer that was made in advance: the whole JSON body of the endpoint, and a tag that changes with it. */
export interface CachedAnswer {
  body: string;
  etag: string;
}

/** Like `route`, for an answer that is sent as it was stored; a client that has it already gets 304 and no body. */
export function cachedRoute<const E extends EndpointDefinition>(
  app: FastifyInstance,
  entry: E,
  handler: (request: Request<E>) => Promise<CachedAnswer>,
): void {
  serve<E>(app, entry, async (request, reply) => {
    const { body, etag } = await handler(request);
    // "no-cache" lets a browser keep the answer and has it ask each time whether it is still the newest.
    void reply.header('etag', etag).header('cache-control', 'private, no-cache');
    if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return reply.type('application/json; charset=utf-8').serializer(String).send(body);
  });
}

/** RFC 9110, 13.1.2: a list of tags, compared weakly. */
function isKnown(header: string | undefined, etag: string): boolean {
  return header?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag) ?? false;
}

function serve<E extends EndpointDefinition>(
  app: FastifyInstance,
  entry: E,
  answer: (request: Request<E>, reply: FastifyReply) => Promise<unknown>,
): void {
  if (entry.access === 'development' && !app.ctx.config.isDevelopment) return;
  app.route({
    method: entry.method,
    url: entry.url.replaceAll(/\{(\w+)\}/g, ':$1'),
    schema: toSchema(entry, entry.status ?? 200),
    bodyLimit: bodyLimitOf(entry),
    config: { bodyValuesMax: valuesLimitOf(entry) },
    // Before validation: a stranger learns nothing about what a valid request would be.
    onRequest: async (request) => {
      request.setDecorator('identity', await identify(app, entry, request));
    },
    handler: async (request, reply) => {
      const { params, query, body, headers } = request;
      const identity = request.getDecorator<Identity>('identity');
      const input = { params, query, body, headers, client: clientOf(request), ctx: app.ctx, ...identity };
      return answer(input as unknown as Request<E>, reply);
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
  if (access === 'user') return { actor };
  if (actor.isSecondFactorDue) throw new AppError('SECOND_FACTOR_REQUIRED');
  if (!actor.permissions.has(access.permission)) throw new AppError('FORBIDDEN');
  return { actor };
}

/** @throws AppError UNAUTHORIZED, ACCOUNT_BLOCKED, RATE_LIMITED */
export function identifyUser({ ctx, access, tokenGuesses }: FastifyInstance, request: FastifyRequest): Promise<Actor> {
  const token = bearerToken(request);
  return tokenGuesses.check(request.network, token, () => access.authenticateUser(ctx, token));
}

async function identifyNode(app: FastifyInstance, request: FastifyRequest): Promise<string> {
  const token = bearerToken(request);
  const check = () => app.access.authenticateNode(app.ctx, token);
  const nodeId = await app.tokenGuesses.check(request.network, token, check);
  app.listeners.noteNode(request);
  return nodeId;
}

/** The address is the connection's; behind a trusted proxy the one that it reports. */
export function clientOf(request: FastifyRequest): Client {
  return { ip: addressOf(request), userAgent: request.headers['user-agent'], requestId: request.id };
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
