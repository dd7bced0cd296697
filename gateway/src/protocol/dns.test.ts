import { describe, expect, it } from 'vitest';
import {
  errorAnswer,
  isAnswerTo,
  parseQuery,
  type Query,
  RANDOM_BYTES,
  responseCodes,
  toClientAnswer,
  truncatedAnswer,
  udpPayloadMax,
  upstreamQuestion,
} from './dns.ts';
import { readAnswer } from './dns-records.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');

// As `dig example.com` sends it: RD and AD, EDNS with 1,232 bytes and a cookie (RFC 7873).
const DIG = `1f5e 0120 0001 0000 0000 0001 07 6578616d706c65 03 636f6d 00 0001 0001
  00 0029 04d0 00 00 0000 000c 000a 0008 a1b2c3d4e5f60718`;
// As a stub resolver sends it: no EDNS.
const PLAIN = 'db42 0100 0001 0000 0000 0000 03 777777 0c 6e6f7274686561737465726e 03 656475 00 0001 0001';
// The answer to it in many textbooks: one A record, compressed name, 155.33.17.68.
const PLAIN_ANSWER = `db42 8180 0001 0001 0000 0000 03 777777 0c 6e6f7274686561737465726e 03 656475 00 0001 0001
  c00c 0001 0001 00000258 0004 9b211144`;

function toQuery(message: Buffer): Query {
  const parsed = parseQuery(message);
  if (parsed.kind === 'dropped') throw new Error(parsed.reason);
  return parsed.query;
}

describe('a question', () => {
  it('with EDNS is read', () => {
    const parsed = parseQuery(hex(DIG));
    expect(parsed).toMatchObject({
      kind: 'query',
      query: { id: 0x1f5e, flags: 0x0120, edns: { payloadBytes: 1_232, version: 0, isDnssecOk: false } },
    });
    expect(toQuery(hex(DIG)).question.toString('hex')).toBe('076578616d706c6503636f6d0000010001');
    expect(udpPayloadMax(toQuery(hex(DIG)))).toBe(1_232);
  });

  it('without EDNS is read', () => {
    expect(parseQuery(hex(PLAIN))).toMatchObject({ kind: 'query', query: { id: 0xdb42, edns: undefined } });
    expect(udpPayloadMax(toQuery(hex(PLAIN)))).toBe(512);
  });

  it.each([DIG, PLAIN])('is not read from any incomplete part of a message', (message) => {
    const whole = hex(message);
    for (let length = 0; length < whole.length; length += 1)
      expect(parseQuery(whole.subarray(0, length))).toEqual({
        kind: 'dropped',
        reason: 'malformed',
      });
    expect(parseQuery(Buffer.concat([whole, hex('00')]))).toEqual({ kind: 'dropped', reason: 'malformed' });
  });

  it.each([
    ['a pointer', 'c00c'],
    ['a label type of RFC 2673', '41 00'],
    ['a name of 256 bytes', `${'3f'.concat('61'.repeat(63)).repeat(4)} 00`],
  ])('with %s as its name is malformed', (_, name) => {
    const message = hex(`0001 0100 0001 0000 0000 0000 ${name} 0001 0001`);
    expect(parseQuery(message)).toEqual({ kind: 'dropped', reason: 'malformed' });
  });

  it('with the longest name, or the root, is read', () => {
    const longest = `${'3f'.concat('61'.repeat(63)).repeat(3)} 3d ${'62'.repeat(61)} 00`;
    for (const name of [longest, '00'])
      expect(parseQuery(hex(`0001 0100 0001 0000 0000 0000 ${name} 00ff 0001`)).kind).toBe('query');
  });

  it.each([
    ['an inverse query', '0001 0900 0001 0000 0000 0000 00 0001 0001', 'notImplemented'],
    ['an update', '0001 2800 0001 0000 0000 0000 00 0006 0001', 'notImplemented'],
    ['no question', '0001 0100 0000 0000 0000 0000', 'formatError'],
    ['two questions', '0001 0100 0002 0000 0000 0000 00 0001 0001 00 0001 0001', 'formatError'],
    ['an answer record', '0001 0100 0001 0001 0000 0000 00 0001 0001', 'formatError'],
    [
      'two OPT records',
      `0001 0100 0001 0000 0000 0002 00 0001 0001 ${'00 0029 04d0 00000000 0000'.repeat(2)}`,
      'formatError',
    ],
    ['EDNS version 1', '0001 0100 0001 0000 0000 0001 00 0001 0001 00 0029 04d0 00010000 0000', 'badVersion'],
    ['AXFR', '0001 0100 0001 0000 0000 0000 00 00fc 0001', 'refused'],
  ] as const)('with %s is refused', (_, message, code) => {
    expect(parseQuery(hex(message))).toMatchObject({ kind: 'refused', code: responseCodes[code] });
  });

  it('that is a response is dropped', () => {
    expect(parseQuery(hex(PLAIN_ANSWER))).toEqual({ kind: 'dropped', reason: 'not-a-query' });
  });
});

describe('the question to a name server', () => {
  it('has a random id and spelling, and no options of the client', () => {
    const zeros = upstreamQuestion(toQuery(hex(DIG)), Buffer.alloc(RANDOM_BYTES));
    expect(zeros.toString('hex')).toBe(
      hex('0000 0120 0001 0000 0000 0001 076578616d706c65 03636f6d 00 0001 0001 00 0029 04d0 00000000 0000').toString(
        'hex',
      ),
    );
    const ones = upstreamQuestion(toQuery(hex(DIG)), Buffer.alloc(RANDOM_BYTES, 0xff));
    expect(ones.toString('hex')).toBe(
      hex('ffff 0120 0001 0000 0000 0001 074558414d504c45 03434f4d 00 0001 0001 00 0029 04d0 00000000 0000').toString(
        'hex',
      ),
    );
  });

  it('changes the case of letters only: no digit, no length, no type', () => {
    const message = hex('0001 0100 0001 0000 0000 0000 06 61315f2d5b7a 01 40 00 4161 4161');
    const asked = upstreamQuestion(toQuery(message), Buffer.alloc(RANDOM_BYTES, 0xff));
    expect(asked.subarray(12).toString('hex')).toBe('0641315f2d5b5a01400041614161');
  });

  it('keeps the DNSSEC bits of the client', () => {
    const message = hex('0001 0110 0001 0000 0000 0001 00 0030 0001 00 0029 1000 00008000 0000');
    const asked = upstreamQuestion(toQuery(message), Buffer.alloc(RANDOM_BYTES));
    expect(asked.toString('hex')).toBe(
      hex('0000 0110 0001 0000 0000 0001 00 0030 0001 00 0029 04d0 00008000 0000').toString('hex'),
    );
  });
});

/** An answer whose question is F.ISI.ARPA (RFC 1035, section 4.1.4), with a record for each name. */
const withNames = (names: readonly string[]) =>
  hex(`0000 8180 0001 ${names.length.toString(16).padStart(4, '0')} 0000 0000 01 46 03 495349 04 41525041 00 0001 0001
    ${names.map((name) => `${name} 0010 0001 00000000 0002 0161`).join(' ')}`);

describe('an answer', () => {
  const asked = hex(PLAIN);

  it('is that of a question if id, name, type, class and spelling are equal', () => {
    expect(isAnswerTo(asked, hex(PLAIN_ANSWER))).toBe(true);
    expect(isAnswerTo(asked, asked)).toBe(false);
    // All but flags and the counts of other sections.
    const compared = [...asked.keys()].filter((at) => at < 2 || at === 4 || at === 5 || at >= 12);
    for (const at of compared) {
      const changed = hex(PLAIN_ANSWER);
      changed[at] = changed[at]! ^ 0x20;
      expect(isAnswerTo(asked, changed)).toBe(false);
    }
  });

  it('is read to its last record, and no part of it is an answer', () => {
    const answer = hex(PLAIN_ANSWER);
    expect(readAnswer(answer)?.addresses).toEqual([hex('9b211144')]);
    for (let length = asked.length; length < answer.length; length += 1)
      expect(readAnswer(answer.subarray(0, length))).toBeUndefined();
  });

  it('gets the id and the spelling of the client', () => {
    const client = hex('0007 0100 0001 0000 0000 0000 03 575757 0c 4e6f7274686561737465726e 03 656475 00 0001 0001');
    const answer = toClientAnswer(readAnswer(hex(PLAIN_ANSWER))!, toQuery(client));
    expect(answer.toString('hex')).toBe(
      hex(`0007 8180 0001 0001 0000 0000 03 575757 0c 4e6f7274686561737465726e 03 656475 00 0001 0001
        c00c 0001 0001 00000258 0004 9b211144`).toString('hex'),
    );
    expect(truncatedAnswer(answer, toQuery(client)).toString('hex')).toBe(
      hex('0007 8380 0001 0000 0000 0000 03 575757 0c 4e6f7274686561737465726e 03 656475 00 0001 0001').toString('hex'),
    );
  });

  it('may have compressed names with backward pointers, as in RFC 1035', () => {
    expect(readAnswer(withNames(['c00c', '03 464f4f c00c', 'c012', '00']))).toBeDefined();
    for (const loop of ['c01c', 'c01d', 'c0ff', 'ffff', '01 61 c01c', 'c000', '80 00'])
      expect(readAnswer(withNames([loop]))).toBeUndefined();
  });

  it('with an address record of a wrong length is malformed', () => {
    for (const data of ['0003 9b2111', '0005 9b21114400', '0000', '0010 20010db8000000000000000000000001'])
      expect(
        readAnswer(hex(`0001 8180 0001 0001 0000 0000 00 0001 0001 c00c 0001 0001 00000000 ${data}`)),
      ).toBeUndefined();
  });

  it('without records repeats the fields that RFC 1035 and RFC 6891 require', () => {
    const query = toQuery(hex(DIG));
    expect(errorAnswer(query, responseCodes.serverFailure).toString('hex')).toBe(
      hex('1f5e 8182 0001 0000 0000 0001 076578616d706c65 03636f6d 00 0001 0001 00 0029 04d0 00000000 0000').toString(
        'hex',
      ),
    );
    expect(errorAnswer(query, responseCodes.badVersion).toString('hex')).toBe(
      hex('1f5e 8180 0001 0000 0000 0001 076578616d706c65 03636f6d 00 0001 0001 00 0029 04d0 01000000 0000').toString(
        'hex',
      ),
    );
  });
});
