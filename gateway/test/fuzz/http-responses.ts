/** The responses of the HTTP origins of the fuzz run: valid ones, and those of hostile or broken origins. */
import { pattern } from './plan.ts';

export interface ServedRequest {
  /** Identifies the request in the response. */
  readonly mark: string;
  readonly method: string;
  readonly hasExpectation: boolean;
}

export interface OriginResponse {
  readonly bytes: Buffer;
  /** `close`: with unread input, this is a reset. */
  readonly ending: 'keep' | 'end' | 'reset' | 'close';
  /** The body that a waiting client must receive; undefined if a failure is also correct. */
  readonly body: Buffer | undefined;
  /** What follows the end of the response in `bytes`: no client may receive it, and it may not be counted. */
  readonly surplusBytes?: number;
}

type Build = (request: ServedRequest, length: number) => OriginResponse;

const NOTHING = Buffer.alloc(0);
/** Sent where no client may ever receive it. */
export const FORBIDDEN = 'FORBIDDEN-BYTES';

const head = (line: string, { mark }: ServedRequest, ...fields: string[]) =>
  Buffer.from([line, `X-Input: ${mark}`, ...fields].map((each) => `${each}\r\n`).join('') + '\r\n', 'latin1');

const createBody = ({ method }: ServedRequest, length: number) => (method === 'HEAD' ? NOTHING : pattern(length));

const whole = (body: Buffer, ending: OriginResponse['ending'], ...bytes: Buffer[]): OriginResponse => ({
  bytes: Buffer.concat(bytes),
  ending,
  body,
});

/** The client gets a failure, or a response that does not look complete. */
const broken = (ending: OriginResponse['ending'], ...bytes: Buffer[]): OriginResponse => ({
  bytes: Buffer.concat(bytes),
  ending,
  body: undefined,
});

function inChunks(body: Buffer, trailer = ''): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; at < body.length; at += 1_000) {
    const piece = body.subarray(at, at + 1_000);
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
  }
  return Buffer.concat([...pieces, Buffer.from(`0\r\n${trailer}\r\n`)]);
}

const withLength: Build = (request, length) => {
  const body = createBody(request, length);
  return whole(body, 'keep', head('HTTP/1.1 200 OK', request, `Content-Length: ${length}`), body);
};

const withChunks: Build = (request, length) => {
  const fields = ['Transfer-Encoding: chunked', 'Trailer: X-End'];
  const body = createBody(request, length);
  const coded = request.method === 'HEAD' ? NOTHING : inChunks(body, 'X-End: 1\r\n');
  return whole(body, 'keep', head('HTTP/1.1 200 OK', request, ...fields), coded);
};

const untilEnd: Build = (request, length) => {
  const body = createBody(request, length);
  return whole(body, 'end', head('HTTP/1.1 200 OK', request), body);
};

const line = (text: string): Build => {
  return (request) => broken('end', head(text, request, 'Content-Length: 2'), Buffer.from('ok'));
};

const fields = (...given: string[]): Build => {
  return (request) => broken('end', head('HTTP/1.1 200 OK', request, ...given), Buffer.from('ok'));
};

const raw = (text: string, ending: OriginResponse['ending'] = 'end'): Build => {
  return () => broken(ending, Buffer.from(text, 'latin1'));
};

const SURPLUS = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${FORBIDDEN.length}\r\n\r\n${FORBIDDEN}`);

const followed = (build: Build, surplus = SURPLUS): Build => {
  return (request, length) => {
    const response = build(request, length);
    return {
      ...response,
      bytes: Buffer.concat([response.bytes, surplus]),
      ending: 'keep',
      surplusBytes: surplus.length,
    };
  };
};

const bodiless = (status: string, ...given: string[]): Build => {
  return (request) => whole(NOTHING, 'keep', head(`HTTP/1.1 ${status}`, request, ...given));
};

/** What only tolerant readers accept, as browsers do. */
const odd = (...given: string[]): Build => {
  return (request, length) => {
    const body = createBody(request, length);
    return whole(body, 'keep', head('HTTP/1.1 200 OK', request, ...given, `Content-Length: ${length}`), body);
  };
};

const withLengthAndChunks: Build = (request, length) => {
  const body = createBody(request, length);
  const coded = request.method === 'HEAD' ? NOTHING : inChunks(body);
  const framing = ['Content-Length: 2', 'Transfer-Encoding: chunked'];
  return whole(body, 'keep', head('HTTP/1.1 200 OK', request, ...framing), coded);
};

/** The body ends with the connection, whatever the head says about its length. */
const endless = (line: string, ...given: string[]): Build => {
  return (request, length) => {
    const body = createBody(request, length);
    return whole(body, 'end', head(line, request, ...given), body);
  };
};

const longSize = (bytes: number) => Buffer.from(`${bytes.toString(16).padStart(16, '0')}\r\n`);

/** Chunks with sizes of 16 digits. */
const oddChunks = (...given: string[]): Build => {
  return (request, length) => {
    const body = createBody(request, length);
    const start = head('HTTP/1.1 200 OK', request, ...given);
    if (request.method === 'HEAD') return whole(body, 'keep', start);
    const chunk = length > 0 ? [longSize(length), body, Buffer.from('\r\n')] : [];
    return whole(body, 'keep', start, ...chunk, longSize(0), Buffer.from('\r\n'));
  };
};

const oddResponses: Readonly<Record<string, Build>> = {
  'bare line feeds': (request, length) => {
    const body = createBody(request, length);
    return whole(
      body,
      'keep',
      Buffer.from(`HTTP/1.1 200\nX-Input: ${request.mark}\nContent-Length: ${length}\n\n`),
      body,
    );
  },
  'equal lengths': (request, length) => odd(`Content-Length: ${length}`)(request, length),
  'length and chunks': withLengthAndChunks,
  'chunks with bare line feeds': (request, length) => {
    const body = createBody(request, length);
    const coded = Buffer.concat([
      Buffer.from(`${length.toString(16)}\n`),
      body,
      Buffer.from(length > 0 ? '\n0\n\n' : '\n'),
    ]);
    const start = head('HTTP/1.1 200 OK', request, 'Transfer-Encoding: chunked');
    return whole(body, 'keep', start, request.method === 'HEAD' ? NOTHING : coded);
  },
  'odd names and values': odd('nothing', ': value', 'A b: 1', '(x): 2', 'X-Zero: a\0b', 'X-Control: a\u0001b'),
  'folded line': odd('X-Folded: a', ' b', '\tc'),
  'lone CR in a field': odd('X-Return: a\rb'),
  'head of 60 KB': odd(`X-Long: ${'z'.repeat(60_000)}`),
  'many fields': odd(...Array.from({ length: 300 }, (_, nth) => `X-${nth}: ${nth}`)),
  'more than the length': followed(withLength),
  'a byte more than the length': followed(withLength, Buffer.from(' ')),
  'more than the last chunk': followed(withChunks),
  'length, chunks and more': followed(withLengthAndChunks),
  'body of no content': followed(bodiless('204 No Content', 'Content-Length: 15')),
  'last chunk of no content': followed(bodiless('204 No Content'), Buffer.from('0\r\n\r\n')),
  'body of not modified': followed(bodiless('304 Not Modified')),
  'body of no length': followed(bodiless('404 Not Found', 'Content-Length: 0')),
  'body of HEAD': (request, length) => {
    const isHead = request.method === 'HEAD';
    return isHead ? followed(bodiless('200 OK'), pattern(20))(request, length) : withLength(request, length);
  },
  'empty length': endless('HTTP/1.1 200 OK', 'Content-Length:'),
  'negative length': endless('HTTP/1.1 200 OK', 'Content-Length: -1'),
  'length with a unit': endless('HTTP/1.1 200 OK', 'Content-Length: 5 bytes'),
  'length with a plus': endless('HTTP/1.1 200 OK', 'Content-Length: +5'),
  'huge length': endless('HTTP/1.1 200 OK', 'Content-Length: 99999999999999999999'),
  'no version': endless('HTTP 200 OK'),
  'chunks on two lines': oddChunks('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'),
  'chunks twice': followed(oddChunks('Transfer-Encoding: chunked, CHUNKED', 'Content-Length: 3')),
  'interim responses': (request, length) => {
    const { bytes, body, ending } = withLength(request, length);
    return {
      bytes: Buffer.concat([Buffer.from('HTTP/1.1 102 Wait\n\nHTTP/1.1 103 Early\nX: 1\n\n'), bytes]),
      body,
      ending,
    };
  },
};

export const validResponses: Readonly<Record<string, Build>> = {
  ...oddResponses,
  length: withLength,
  'length again': withLength,
  chunks: withChunks,
  'until the end': untilEnd,
  'HTTP/1.0': (request, length) => {
    const body = createBody(request, length);
    return whole(body, 'end', head('HTTP/1.0 200 OK', request), body);
  },
  'no content': (request) => whole(NOTHING, 'keep', head('HTTP/1.1 204 No Content', request)),
  'not modified': (request) => whole(NOTHING, 'keep', head('HTTP/1.1 304 Not Modified', request, 'ETag: "x"')),
  'own failure': (request) => {
    const body = request.method === 'HEAD' ? NOTHING : Buffer.from('gone');
    return whole(body, 'keep', head('HTTP/1.1 503 Busy', request, 'Content-Length: 4', 'Retry-After: 1'), body);
  },
  /** Sent as soon as the head of the request has arrived. */
  'early refusal': (request) => {
    const body = request.method === 'HEAD' ? NOTHING : Buffer.from('large');
    return whole(body, 'close', head('HTTP/1.1 413 Too Large', request, 'Content-Length: 5'), body);
  },
  'early hints': (request, length) => {
    const { bytes, body, ending } = withLength(request, length);
    return { bytes: Buffer.concat([Buffer.from('HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n'), bytes]), body, ending };
  },
  'hop fields': (request) => {
    const hop = ['Connection: X-Hop, close', 'X-Hop: 1', 'Proxy-Authenticate: Basic', 'Keep-Alive: timeout=1'];
    return whole(NOTHING, 'end', head('HTTP/1.1 200 OK', request, ...hop, 'Content-Length: 0'));
  },
  'no reason': (request) => whole(NOTHING, 'keep', head('HTTP/1.1 200 ', request, 'Content-Length: 0')),
};

const overlong = 'z'.repeat(70_000);

export const invalidResponses: Readonly<Record<string, Build>> = {
  nothing: () => broken('end'),
  'immediate reset': () => broken('reset'),
  'not HTTP': raw('SSH-2.0-OpenSSH_9.6\r\n'),
  'incomplete head': raw('HTTP/1.1 200 OK\r\nContent-Le'),
  zeros: raw('\0'.repeat(64)),
  'proxy authentication required': (request) =>
    broken('end', head('HTTP/1.1 407 Login', request, 'Proxy-Authenticate: Basic')),
  'unrequested upgrade': (request) =>
    broken('end', head('HTTP/1.1 101 Switch', request, 'Connection: Upgrade', 'Upgrade: x')),
  'upgrade without a protocol': (request) => broken('end', head('HTTP/1.1 101 Switch', request)),
  'status 099': line('HTTP/1.1 099 Low'),
  'status 000': line('HTTP/1.1 000 None'),
  'status 600': line('HTTP/1.1 600 High'),
  'status 999': line('HTTP/1.1 999 Highest'),
  'status 1000': line('HTTP/1.1 1000 Long'),
  'control character in the reason': line('HTTP/1.1 200 a\u0001b'),
  'zero in the reason': line('HTTP/1.1 200 a\0b'),
  'line end in the reason': line('HTTP/1.1 200 a\rb'),
  'latin reason': line('HTTP/1.1 200 \u00e9\u00ff'),
  'version 2': line('HTTP/2.0 200 OK'),
  'version 0.9': line('HTTP/0.9 200 OK'),
  'two lengths': fields('Content-Length: 2', 'Content-Length: 3'),
  'other coding and chunks': (request, length) => {
    const framing = 'Transfer-Encoding: gzip, chunked';
    return broken('end', head('HTTP/1.1 200 OK', request, framing), inChunks(createBody(request, length)));
  },
  'a length and a negative one': fields('Content-Length: 2', 'Content-Length: -2'),
  'list of lengths': fields('Content-Length: 2, 2'),
  'unknown coding': fields('Transfer-Encoding: gzip'),
  'chunks and more': fields('Transfer-Encoding: chunked, gzip'),
  'space before a colon': fields('Content-Length : 2'),
  'zero in a field': fields('Content-Length: 2', 'X-Zero: a\0b'),
  'control character in a field': fields('Content-Length: 2', 'X-Control: a\u0001b'),
  'name without a field': fields('Content-Length: 2', ': value'),
  'field without a colon': fields('Content-Length: 2', 'nothing'),
  'head too large': fields('Content-Length: 2', `X-Long: ${overlong}`),
  'connection names the length': fields('Connection: content-length', 'Content-Length: 2'),
  'invalid chunk': (request) =>
    broken('end', head('HTTP/1.1 200 OK', request, 'Transfer-Encoding: chunked'), Buffer.from('2\r\nokzz\r\n')),
  'chunks that stop': (request) =>
    broken('end', head('HTTP/1.1 200 OK', request, 'Transfer-Encoding: chunked'), Buffer.from('5\r\nok')),
  'length that stops': (request) =>
    broken('end', head('HTTP/1.1 200 OK', request, 'Content-Length: 10'), Buffer.from('ok')),
  'length that is reset': (request) =>
    broken('reset', head('HTTP/1.1 200 OK', request, 'Content-Length: 10'), Buffer.from('ok')),
  'reset without a length': (request) => broken('reset', head('HTTP/1.1 200 OK', request), pattern(20)),
  'many interim responses': (request) =>
    broken('end', Buffer.from('HTTP/1.1 102 Wait\r\n\r\n'.repeat(50)), withLength(request, 2).bytes),
};

const SWITCHED = ['Connection: Upgrade', 'Upgrade: chat'];

/** Accepts an upgrade; the origin echoes all further bytes. */
const switching: Build = (request, length) => {
  const welcome = pattern(length % 100);
  return whole(welcome, 'keep', head('HTTP/1.1 101 Switching Protocols', request, ...SWITCHED), welcome);
};

export function responseTo(name: string, request: ServedRequest, length: number): OriginResponse {
  const build = name === 'switching' ? switching : (validResponses[name] ?? invalidResponses[name]);
  if (!build) throw new Error(`There is no response "${name}"`);
  return build(request, length);
}
