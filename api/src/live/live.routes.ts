/** `GET /v1/events`: tells a signed-in client what has changed, as server-sent events. */
import { LIVE_EVENTS_PATH } from '@cellhop/contract/live';
import { AppError } from '@cellhop/contract/errors';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { decodeJwt } from 'jose';
import type { OutgoingHttpHeaders } from 'node:http';
import { bearerToken, identifyUser } from '../http/route.ts';
import { decode, type GatewayTopic, isGatewayTopic } from './changes.ts';
import { startListener } from './listener.ts';
import { Stream, Streams, type StreamOwner } from './streams.ts';

/** Of one user in this process: browsers share one stream among their tabs. */
const STREAMS_PER_USER_MAX = 10;
const RETRY_SECONDS = 30;
/** Of all sockets; the rest is for requests. */
const STREAMS_SHARE = 0.75;
/** Proxies close what is silent for a minute. */
const KEEP_ALIVE_MS = 20_000;
/** More than Node's timers take would fire at once. */
const LIFETIME_MS_MAX = 24 * 60 * 60 * 1000;

export interface LiveSources {
  /** Of these sessions, those that are still open: the others' streams end. */
  findOpenSessions(sessionIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** What gateways wait for has happened to these connections. */
  connectionsChanged(topic: GatewayTopic, connectionIds: readonly string[]): Promise<void>;
  /** What was told for a while is lost. */
  missed(): void;
}

export function liveRoutes(app: FastifyInstance, sources: LiveSources): void {
  const streams = new Streams();
  const streamsMax = Math.floor(app.ctx.config.socketsMax * STREAMS_SHARE);
  keepStreams(app, streams, sources);

  app.get(LIVE_EVENTS_PATH, { exposeHeadRoute: false, schema: { hide: true } }, async (request, reply) => {
    const actor = await identifyUser(app, request);
    if (streams.size >= streamsMax) throw new AppError('UNAVAILABLE');
    if (streams.countOf(actor.userId) >= STREAMS_PER_USER_MAX) throw AppError.rateLimited(RETRY_SECONDS);
    open(app, reply, streams, actor, lifetimeMs(bearerToken(request)!));
  });
}

/** The token has been checked; only its end is wanted here. */
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
  // From here on the answer is ours: Fastify would wait for its end.
  reply.hijack();
  const { raw } = reply;
  raw.on('error', () => {}); // A client that has gone.
  raw.writeHead(200, {
    ...(reply.getHeaders() as OutgoingHttpHeaders),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    // Proxies such as nginx hold back what they take for a page.
    'x-accel-buffering': 'no',
    // Otherwise the connection would outlive the stream, and a server that closes would wait for it.
    connection: 'close',
  });
  const stream = new Stream(owner, raw);
  streams.add(stream);
  const expiry = setTimeout(() => streams.end(stream), lifetimeMs);
  // The client may have left while it was found out who it is: then this calls back at once.
  listeners.whenOver(raw, () => {
    clearTimeout(expiry);
    streams.remove(stream);
  });
  stream.send('open');
}

/** What the streams live on: the changes of all processes, signs of life, and the end of their sessions. */
function keepStreams(app: FastifyInstance, streams: Streams, sources: LiveSources): void {
  const { config, log } = app.ctx;
  async function endStreamsOfEndedSessions(suspects: readonly Stream[]): Promise<void> {
    if (suspects.length === 0) return;
    const open = await sources.findOpenSessions(suspects.map(({ owner }) => owner.sessionId));
    for (const stream of suspects) if (!open.has(stream.owner.sessionId)) streams.end(stream);
  }
  const check = (suspects: readonly Stream[]) => {
    endStreamsOfEndedSessions(suspects).catch((error: unknown) => log.warn({ err: error }, 'sessions not checked'));
  };

  const tellGateways = (topic: GatewayTopic, connectionIds: readonly string[]) => {
    sources
      .connectionsChanged(topic, connectionIds)
      .catch((error: unknown) => log.warn({ err: error, topic }, 'gateways not told of changes'));
  };

  let stopListening: (() => Promise<void>) | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  app.addHook('onReady', async () => {
    stopListening = startListener(
      { databaseUrl: config.databaseUrl, log },
      {
        onPayload: (payload) => {
          const told = decode(payload);
          if (!told) return;
          if (isGatewayTopic(told.topic)) tellGateways(told.topic, told.owners);
          else check(streams.deliver(told.topic, told.owners));
        },
        onListening: () => {
          for (const stream of streams) stream.refetch();
          sources.missed();
        },
      },
    );
    heartbeat = setInterval(() => {
      for (const stream of streams) stream.keepAlive();
      check([...streams]);
    }, KEEP_ALIVE_MS);
  });
  // The server waits for open answers before it closes.
  app.addHook('preClose', async () => {
    clearInterval(heartbeat);
    for (const stream of streams) streams.end(stream);
    await stopListening?.();
  });
}
