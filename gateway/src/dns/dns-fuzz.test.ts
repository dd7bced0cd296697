import { describe, expect, it } from 'vitest';
import { mutated, noise, type Random, randomAnswer, randomFor, randomQuestion } from '../../test/fuzz/dns-inputs.ts';
import {
  isAnswerTo,
  parseQuery,
  RANDOM_BYTES,
  toClientAnswer,
  truncatedAnswer,
  udpPayloadMax,
  upstreamQuestion,
} from '../protocol/dns.ts';
import { readAnswer } from '../protocol/dns-records.ts';
import { scaled } from '../../../tools/test-scale.ts';

/** `DNS_FUZZ_INPUTS=200000` is the full run. */
const INPUTS = Number(process.env['DNS_FUZZ_INPUTS'] ?? scaled(500, 50_000));
const SEED = Number(process.env['DNS_FUZZ_SEED'] ?? 1);
/** The longest name, type and class, header and OPT record. */
const QUESTION_MAX = 12 + 255 + 4 + 11;

/** Feeds one message of a client through the forwarder's functions. @returns the last step that it reached */
function forward(random: Random, message: Buffer): 'dropped' | 'refused' | 'asked' | 'answered' {
  const parsed = parseQuery(message);
  if (parsed.kind !== 'query') return parsed.kind;
  const { query } = parsed;
  const asked = upstreamQuestion(query, Buffer.alloc(RANDOM_BYTES, Math.floor(random() * 256)));
  expect(asked.length).toBeLessThanOrEqual(QUESTION_MAX);
  expect(
    asked
      .subarray(12, 12 + query.question.length)
      .toString('latin1')
      .toLowerCase(),
  ).toBe(query.question.toString('latin1').toLowerCase());
  const valid = randomAnswer(random, asked);
  expect(isAnswerTo(asked, valid) && readAnswer(valid) !== undefined).toBe(true);
  const received = random() < 0.5 ? valid : mutated(random, valid);
  const answer = isAnswerTo(asked, received) ? readAnswer(received) : undefined;
  if (!answer) return 'asked';
  const sent = toClientAnswer(answer, query);
  expect(sent.readUInt16BE(0)).toBe(query.id);
  expect(sent.subarray(12, 12 + query.question.length).equals(query.question)).toBe(true);
  expect(truncatedAnswer(sent, query).length).toBeLessThanOrEqual(udpPayloadMax(query));
  return 'answered';
}

function randomMessage(random: Random): Buffer {
  const share = random();
  if (share < 0.1) return noise(random, 64);
  const valid = randomQuestion(random);
  return share < 0.6 ? mutated(random, valid) : valid;
}

describe('the DNS port', () => {
  it(
    `handles ${INPUTS} messages of seed ${SEED}, and answers to them: valid, mutated and noise`,
    { tags: ['long'], timeout: 300_000 },
    () => {
      const counts = { dropped: 0, refused: 0, asked: 0, answered: 0 };
      for (let input = 0; input < INPUTS; input += 1) {
        const random = randomFor(SEED * 1_000_003 + input);
        const message = randomMessage(random);
        try {
          counts[forward(random, message)] += 1;
        } catch (error) {
          throw new Error(`Input ${input} of seed ${SEED}: ${message.toString('hex')}`, { cause: error });
        }
      }
      for (const count of Object.values(counts)) expect(count).toBeGreaterThan(INPUTS / 50);
    },
  );
});
