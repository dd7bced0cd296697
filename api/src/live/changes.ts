/**
 * Collects live events and publishes them to all API processes through the database.
 *
 * `pg_notify` takes a server-wide lock at commit, so a notification inside each purchase would serialize all purchases. Here it
 * is a separate statement outside any transaction, at most a few times a second per process. A crash loses the collected events;
 * clients also refetch by themselves.
 */
import { streamedTopics } from '@cellhop/contract/live';
import { type LiveTopic, type StaffTopic, staffTopics } from '@cellhop/contract/live.values';
import { z } from 'zod';
import type { Db } from '../db/db.ts';
import type { Log } from '../process/log.ts';

export const CHANNEL = 'live_events';
/** Minimum time between batches; the first event after a pause is sent at once. */
const BATCH_SPACING_MS = 200;
/** Longer, because some user's data changes all the time, and each event makes every open staff list refetch. */
const STAFF_SPACING_MS = 1000;
/** Shorter, because traffic continues until the gateways are notified. */
const GATEWAY_SPACING_MS = 50;
/** PostgreSQL's limit is 8,000 bytes. */
const PAYLOAD_BYTES_MAX = 7900;

/**
 * The recipient. Code that moves money knows accounts, other code knows users; streams subscribe to both. `STAFF`: everyone with the
 * permission of the topic.
 */
export type Owner = { userId: string } | { accountId: bigint } | { connectionId: string } | typeof STAFF;
export const STAFF = { isStaff: true } as const;

/**
 * Only for API processes, not sent to clients. `session`: the user's sessions have changed. Waiting gateways are notified of the
 * others. `bought`: the connection has begun. `ending`: the connection is ending or has ended. `password`, `allow-list`: access to the connection has changed.
 * `destinations`: those that are refused to all.
 */
const gatewayTopics = ['bought', 'ending', 'password', 'allow-list', 'destinations'] as const;
export type GatewayTopic = (typeof gatewayTopics)[number];
export type Topic = LiveTopic | StaffTopic | 'session' | GatewayTopic;
const topics: readonly Topic[] = [...streamedTopics, 'session', ...gatewayTopics];

export function isGatewayTopic(topic: Topic): topic is GatewayTopic {
  return gatewayTopics.some((each) => each === topic);
}

/** Topic -> keys of owners. */
export type Batch = ReadonlyMap<Topic, ReadonlySet<string>>;

const rulesOfStaffTopics = Object.entries(staffTopics) as [StaffTopic, (typeof staffTopics)[StaffTopic]][];

export interface Changes {
  /** Call it after the commit. */
  add: (owner: Owner, topic: Topic) => void;
  /** Sends what is collected, and nothing afterwards: call it before the database is closed. */
  end: () => Promise<void>;
}

export function collectChanges(db: Db, log: Log): Changes {
  const forUsers = startBatches(db, log);
  const forStaff = startBatches(db, log);
  return {
    add(owner, topic) {
      if ('isStaff' in owner) return forStaff.add(topic, topic, STAFF_SPACING_MS);
      forUsers.add(topic, ownerKey(owner), isGatewayTopic(topic) ? GATEWAY_SPACING_MS : BATCH_SPACING_MS);
      for (const [staffTopic, rules] of rulesOfStaffTopics)
        if ('follows' in rules && rules.follows === topic) forStaff.add(staffTopic, staffTopic, STAFF_SPACING_MS);
    },
    async end() {
      await Promise.all([forUsers.end(), forStaff.end()]);
    },
  };
}

function ownerKey(owner: Exclude<Owner, typeof STAFF>): string {
  if ('connectionId' in owner) return owner.connectionId;
  return 'userId' in owner ? owner.userId : String(owner.accountId);
}

interface Batches {
  /** Adds to the next batch, which is sent `spacingMs` after the last one. */
  add: (topic: Topic, key: string, spacingMs: number) => void;
  end: () => Promise<void>;
}

function startBatches(db: Db, log: Log): Batches {
  let isOver = false;
  /** Of all batches so far. */
  let sent: Promise<unknown> = Promise.resolve();
  let collected = new Map<Topic, Set<string>>();
  let timer: NodeJS.Timeout | undefined;
  let timerAt = 0;
  let sentAt = 0;

  function send(): void {
    clearTimeout(timer);
    timer = undefined;
    sentAt = performance.now();
    const payloads = encode(collected);
    collected = new Map();
    // Not retried: all streams refetch once the database is back.
    const sending = db
      .query('select pg_notify($1, payload) from unnest($2::text[]) as payload', [CHANNEL, payloads])
      .catch((error: unknown) => log.warn({ err: error }, 'live events could not be sent'));
    sent = Promise.all([sent, sending]);
  }

  /** The timer does not keep the process alive. */
  function sendAt(at: number): void {
    if (timer !== undefined && timerAt <= at) return;
    clearTimeout(timer);
    timerAt = at;
    timer = setTimeout(send, Math.max(0, at - performance.now())).unref();
  }

  return {
    add(topic, key, spacingMs) {
      if (isOver) return;
      const keys = collected.get(topic) ?? new Set();
      collected.set(topic, keys.add(key));
      sendAt(sentAt + spacingMs);
    },
    async end() {
      isOver = true;
      if (timer !== undefined) send();
      await sent;
    },
  };
}

/** Encodes payloads of one topic each, `topic key key ...`, below the size limit. */
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

/** @returns undefined for unknown topics, which other versions may send */
export function decode(payload: string): { topic: Topic; owners: string[] } | undefined {
  const [word, ...owners] = payload.split(' ');
  const topic = topicSchema.safeParse(word);
  return topic.success ? { topic: topic.data, owners } : undefined;
}
