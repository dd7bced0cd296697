/**
 * Collects what changed for whom, and tells it to all API processes through the database.
 *
 * `pg_notify` takes a lock of the whole server at commit, so a notification inside of each purchase would put all
 * purchases in one queue. Here it is a statement of its own, outside of every transaction, a few times a second at most
 * for each process, however much happens. A crash loses what was collected in that time; clients also look by themselves.
 */
import { liveTopics, type LiveTopic } from '@cellhop/contract/live';
import { z } from 'zod';
import type { Db } from '../db.ts';
import type { Log } from '../log.ts';

export const CHANNEL = 'live_events';
/** At most one batch in this time; the first change after a pause goes out at once. */
const BATCH_SPACING_MS = 200;
/** Gateways wait for it: bytes pass until they know. */
const GATEWAY_SPACING_MS = 50;
/** PostgreSQL refuses a payload of 8,000 bytes. */
const PAYLOAD_BYTES_MAX = 7900;

/** Whose it is. Code that moves money knows accounts, other code knows users; streams listen for both. */
export type Owner = { userId: string } | { accountId: bigint } | { connectionId: string };

/**
 * For the API processes alone, clients do not hear of these. `session`: the user's sessions are no longer what they were.
 * Gateways that wait for it are told of the others. `ending`: the connection is to end, or has ended. `password`, `allow-list`: who may
 * use it has changed.
 */
const gatewayTopics = ['ending', 'password', 'allow-list'] as const;
export type GatewayTopic = (typeof gatewayTopics)[number];
export type Topic = LiveTopic | 'session' | GatewayTopic;
const topics: readonly Topic[] = [...liveTopics, 'session', ...gatewayTopics];

export function isGatewayTopic(topic: Topic): topic is GatewayTopic {
  return gatewayTopics.some((each) => each === topic);
}

/** What travels: topic -> keys of owners. */
export type Batch = ReadonlyMap<Topic, ReadonlySet<string>>;

export interface Changes {
  /** Of something that has been committed. */
  add: (owner: Owner, topic: Topic) => void;
}

function ownerKey(owner: Owner): string {
  if ('connectionId' in owner) return owner.connectionId;
  return 'userId' in owner ? owner.userId : String(owner.accountId);
}

export function collectChanges(db: Db, log: Log): Changes {
  let collected = new Map<Topic, Set<string>>();
  let timer: NodeJS.Timeout | undefined;
  let timerAt = 0;
  let sentAt = 0;

  async function send(): Promise<void> {
    timer = undefined;
    sentAt = performance.now();
    const payloads = encode(collected);
    collected = new Map();
    // Not repeated: when the database is back, all streams are told to look again.
    await db
      .query('select pg_notify($1, payload) from unnest($2::text[]) as payload', [CHANNEL, payloads])
      .catch((error: unknown) => log.warn({ err: error }, 'live events not sent'));
  }

  /** A program that has nothing else to do ends without waiting for this. */
  function sendAt(at: number): void {
    if (timer !== undefined && timerAt <= at) return;
    clearTimeout(timer);
    timerAt = at;
    timer = setTimeout(() => void send(), Math.max(0, at - performance.now())).unref();
  }

  return {
    add(owner, topic) {
      const owners = collected.get(topic) ?? new Set();
      collected.set(topic, owners.add(ownerKey(owner)));
      sendAt(sentAt + (isGatewayTopic(topic) ? GATEWAY_SPACING_MS : BATCH_SPACING_MS));
    },
  };
}

/** Payloads of one topic each, `topic key key ...`, all of them below the limit. */
export function encode(batch: Batch): string[] {
  const payloads: string[] = [];
  for (const [topic, owners] of batch) {
    let payload: string = topic;
    for (const owner of owners) {
      if (payload.length + 1 + owner.length > PAYLOAD_BYTES_MAX) {
        payloads.push(payload);
        payload = topic;
      }
      payload += ` ${owner}`;
    }
    payloads.push(payload);
  }
  return payloads;
}

const topicSchema = z.enum(topics as [Topic, ...Topic[]]);

/** @returns undefined for what another version of this program may have sent */
export function decode(payload: string): { topic: Topic; owners: string[] } | undefined {
  const [word, ...owners] = payload.split(' ');
  const topic = topicSchema.safeParse(word);
  return topic.success ? { topic: topic.data, owners } : undefined;
}
