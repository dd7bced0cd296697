/** `GET /v1/events`: live updates for signed-in clients as server-sent events. */
import { LIVE_EVENTS_PATH } from '@cellhop/contract/live.values';
import { AppError } from '@cellhop/contract/errors';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { decodeJwt } from 'jose';
import type { OutgoingHttpHeaders } from 'node:http';
import { bearerToken, identifyUser } from '../http/route.ts';
import { findOpenSessions } from '../modules/auth/sessions.service.ts';
import { respondToWatches } from '../modules/gateway/watches.service.ts';
import { decode, type GatewayTopic, isGatewayTopic } from './changes.ts';
import { startListener } from './listener.ts';
import { Stream, Streams, type StreamOwner } from './streams.ts';

/** Per process. Browsers share one stream among their tabs. */
const STREAMS_PER_USER_MAX = 10;
const RETRY_SECONDS = 30;
/** Share of all sockets; the rest is for requests. */
const STREAMS_SHARE = 0.75;
/** Reverse proxies close connections that are silent for a minute. */
const KEEP_ALIVE_MS = 20_000;
/** Node's timers would fire at once if the delay overflows. */
const LIFETIME_MS_MAX = 24 * 60 * 60 * 1000;

declare module 'fastify' {
  interface FastifyInstance {
    /** Resolves once this process gets the events of all processes. Streams that were opened before refetch then. */
    liveEventsReady: Promise<void>;
  }
}

export function liveRoutes(app: FastifyInstance): void {
  const streams = new Streams();
  const streamsMax = Math.floor(app.ctx.config.socketsMax * STREAMS_SHARE);
  keepStreams(app, streams);

  app.get(LIVE_EVENTS_PATH, { exposeHeadRoute: false, schema: { hide: true } }, async (request, reply) => {
    const actor = await identifyUser(app, request);
    // Streams end with the user's own sessions.
    if (actor.viewerId !== undefined) throw new AppError('VIEW_ONLY');
    if (streams.size >= streamsMax) throw new AppError('UNAVAILABLE');
    if (streams.countFor(actor.userId) >= STREAMS_PER_USER_MAX) throw AppError.rateLimited(RETRY_SECONDS);
    open(app, reply, streams, actor, lifetimeMs(bearerToken(request)!));
  });
}

/** The token has already been verified; this only reads its expiry. */
function lifetimeMs(token: string): number {
  const endsAt = (decodeJwt(token).exp ?? 0) * 1000;
  return Math.min(LIFETIME_MS_MAX, Math.max(0, endsAt - Date.now()));
}

function open(
  { listeners }: FastifyInstance,
  reply: FastifyReply,
  streams: Streams,
  owner: StreamOwner,
  lifetimeMs: number,
): void {
  // Takes the response over, because Fastify would wait for its end.
  reply.hijack();
  const { raw } = reply;
  raw.on('error', () => {}); // A client that has gone.
  raw.writeHead(200, {
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    // Disables the response buffering of nginx.
    'x-accel-buffering': 'no',
    // Otherwise the connection would outlive the stream and delay the shutdown of the server.
    connection: 'close',
  });
  const stream = new Stream(owner, raw);
  streams.add(stream);
  const expiry = setTimeout(() => streams.end(stream), lifetimeMs);
  // Calls back at once if the client disconnected during authentication.
  listeners.onceClosed(raw, () => {
    clearTimeout(expiry);
    streams.remove(stream);
  });
  stream.send('open');
}

/** Delivers events of all processes to the streams, keeps them alive, and ends those whose session has ended. */
function keepStreams(app: FastifyInstance, streams: Streams): void {
  const { ctx, longPolls } = app;
  const { config, log } = ctx;
  async function endStreamsOfEndedSessions(suspects: readonly Stream[]): Promise<void> {
    if (suspects.length === 0) return;
    const open = await findOpenSessions(
      ctx,
      suspects.map(({ owner }) => owner.sessionId),
    );
    for (const stream of suspects) if (!open.has(stream.owner.sessionId)) streams.end(stream);
  }
  const check = (suspects: readonly Stream[]) => {
    endStreamsOfEndedSessions(suspects).catch((error: unknown) =>
      log.warn({ err: error }, 'sessions of streams could not be checked'),
    );
  };

  const notifyGateways = (topic: GatewayTopic, connectionIds: readonly string[]) => {
    respondToWatches(ctx, longPolls, topic, connectionIds).catch((error: unknown) =>
      log.warn({ err: error, topic }, 'gateways could not be notified of changed connections'),
    );
  };

  const ready = Promise.withResolvers<void>();
  app.decorate('liveEventsReady', ready.promise);
  let stopListening: (() => Promise<void>) | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  app.addHook('onReady', async () => {
    stopListening = startListener(
      { databaseUrl: config.databaseUrl, log, timeLimitMs: config.databaseAcquireLimitMs },
      {
        onPayload: (payload) => {
          const event = decode(payload);
          if (!event) return;
          if (isGatewayTopic(event.topic)) notifyGateways(event.topic, event.owners);
          else check(streams.deliver(event.topic, event.owners));
        },
        onListening: () => {
          for (const stream of streams) stream.refetch();
          longPolls.respondToAll();
          ready.resolve();
        },
      },
    );
    heartbeat = setInterval(() => {
      for (const stream of streams) stream.keepAlive();
      check([...streams]);
    }, KEEP_ALIVE_MS);
  });
  // Closing the server waits for open responses.
  app.addHook('preClose', async () => {
    clearInterval(heartbeat);
    for (const stream of streams) streams.end(stream);
    await stopListening?.();
  });
}
