/** Server-sent events out of a response body: `EventSource` cannot send the access token, so `fetch` reads them. */
import { createParser } from 'eventsource-parser';

/** Of one event. Ours name a few topics; more than this is something else than our server. */
const EVENT_CHARACTERS_MAX = 64 * 1024;

export interface ServerEvent {
  name: string;
  data: string;
}

/**
 * Resolves when the server has ended the stream; `onChunk` is called for each chunk, signs of life too.
 * @throws ParseError for an event that is too long
 */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  onEvent: (event: ServerEvent) => void,
  onChunk: () => void,
): Promise<void> {
  const decoder = new TextDecoder();
  const parser = createParser({
    maxBufferSize: EVENT_CHARACTERS_MAX,
    onEvent: ({ event: name = 'message', data }) => onEvent({ name, data }),
    onError: (error) => {
      // Fields that are unknown come from a newer server.
      if (error.type === 'max-buffer-size-exceeded') throw error;
    },
  });
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onChunk();
      parser.feed(decoder.decode(value, { stream: true }));
    }
  } finally {
    // Whoever gives up reading closes the connection too.
    reader.cancel().catch(() => undefined);
  }
}
