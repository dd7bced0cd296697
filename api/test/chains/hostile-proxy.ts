/** A source that lies: an HTTP server in front of an honest node, which changes well-formed answers. Repeated requests get the same lie. */
import type http from 'node:http';
import { createRandom, type Random } from '../../../tools/random.ts';
import { type LocalServer, serveBodies } from './local-server.ts';

interface Exchange {
  /** The method of JSON-RPC, or the path. */
  topic: string;
  /** What was asked. */
  body: string;
  /** What the honest node has answered, without the envelope of JSON-RPC. It may be changed. */
  payload: unknown;
  /** What it answered when the same was asked for the first time. */
  earlier: unknown;
  /** What a node of another network answers. */
  askElsewhere: () => Promise<unknown>;
  random: Random;
}

/** @returns what to answer instead; undefined: the connection breaks; a Refused: an error */
export type Lie = (exchange: Exchange) => unknown;

export class Refused {
  constructor(readonly message: string) {}
}

interface Mood {
  lie: Lie;
  /** Undefined: about everything. */
  topic: string | undefined;
  /** How many of a hundred answers are lies. */
  percent: number;
  seed: number;
}

export interface HostileProxy extends LocalServer {
  /** Undefined: it is honest. */
  mood: Mood | undefined;
  /** What it was asked about. */
  topics: Set<string>;
}

interface Answer {
  status: number;
  text: string;
}

export async function startHostileProxy(target: string, elsewhere: string): Promise<HostileProxy> {
  const earlier = new Map<string, string>();

  async function respond(request: http.IncomingMessage, body: string): Promise<string | undefined> {
    const asked = request.url! + bodyWithoutId(body);
    const topic = topicOf(request.url!, body);
    proxy.topics.add(topic);
    const { text } = await ask(target, request, body);
    const { mood } = proxy;
    if (!earlier.has(asked)) earlier.set(asked, text);
    if (!mood || (mood.topic !== undefined && mood.topic !== topic)) return text;
    const random = createRandom(mood.seed ^ hashText(asked));
    if (random.below(100) >= mood.percent) return text;
    const lie = await mood.lie({
      topic,
      body,
      payload: unwrap(text),
      earlier: unwrap(earlier.get(asked)!),
      askElsewhere: async () => unwrap((await ask(elsewhere, request, body)).text),
      random,
    });
    return lie === undefined ? undefined : wrap(text, lie);
  }

  const server = await serveBodies((request, body, response) => {
    const send = (text: string | undefined) =>
      text === undefined
        ? response.destroy()
        : response.writeHead(200, { 'content-type': 'application/json' }).end(text);
    respond(request, body).then(send, () => response.destroy());
  });
  const proxy: HostileProxy = { ...server, mood: undefined, topics: new Set() };
  return proxy;
}

async function ask(target: string, { method = 'POST', url }: http.IncomingMessage, body: string): Promise<Answer> {
  const init = method === 'GET' ? { method } : { method, body, headers: { 'content-type': 'application/json' } };
  const response = await fetch(target.replace(/\/$/, '') + url!, init);
  return { status: response.status, text: await response.text() };
}

interface Envelope {
  jsonrpc?: string;
  result?: unknown;
}

function unwrap(text: string): unknown {
  const value = JSON.parse(text) as Envelope | null;
  return value?.jsonrpc === undefined ? value : value.result;
}

function wrap(honest: string, lie: unknown): string {
  const { jsonrpc } = (JSON.parse(honest) ?? {}) as Envelope;
  if (lie instanceof Refused)
    return JSON.stringify(
      jsonrpc === undefined
        ? { Error: lie.message }
        : { jsonrpc, id: 1, error: { code: -32000, message: lie.message } },
    );
  return JSON.stringify(jsonrpc === undefined ? lie : { jsonrpc, id: 1, result: lie });
}

const bodyWithoutId = (body: string) => body.replace(/"id":\d+,?/, '');

function topicOf(url: string, body: string): string {
  const { method } = (body.startsWith('{') ? JSON.parse(body) : {}) as { method?: string };
  return method ?? new URL(url, 'http://localhost').pathname;
}

function hashText(text: string): number {
  let hash = 0;
  for (let index = 0; index < text.length; index += 1) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0;
  return hash;
}
