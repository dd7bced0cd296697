/** Server-sent events out of a response body: `EventSource` cannot send the access token, so `fetch` reads them. */
export interface ServerEvent {
  name: string;
  data: string;
}

/** The parser's state between two chunks of text. */
export function eventParser(onEvent: (event: ServerEvent) => void): (chunk: string) => void {
  let rest = '';
  return (chunk) => {
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = parseBlock(block);
      if (event !== undefined) onEvent(event);
    }
  };
}

/** Resolves when the server has ended the stream; each chunk, signs of life too, is told to `onLife`. */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  onEvent: (event: ServerEvent) => void,
  onLife: () => void,
): Promise<void> {
  const decoder = new TextDecoder();
  const take = eventParser(onEvent);
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onLife();
    take(decoder.decode(value, { stream: true }));
  }
}

/** Lines that begin with a colon are comments. */
function parseBlock(block: string): ServerEvent | undefined {
  let name = 'message';
  const data: string[] = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('event:')) name = line.slice('event:'.length).trim();
    if (line.startsWith('data:')) data.push(line.slice('data:'.length).trim());
  }
  return data.length === 0 ? undefined : { name, data: data.join('\n') };
}
