/** Parses server-sent events from a response body: `EventSource` cannot send the access token, so `fetch` is used. */
import { createParser } from 'eventsource-parser';

/** The largest event. Events of our API only list a few topics. */
const MAX_EVENT_CHARACTERS = 64 * 1024;

export interface ServerEvent {
  name: string;
  data: string;
}

/**
 * Resolves when the server closes the stream. `onChunk` is called for each chunk, keep-alives included.
 * @throws ParseError for an event that is too long
 */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  onEvent: (event: ServerEvent) => void,
  onChunk: () => void,
): Promise<void> {
  const decoder = new TextDecoder();
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARACTERS,
    onEvent: ({ event: name = 'message', data }) => onEvent({ name, data }),
    onError: (error) => {
      // Unknown fields may come from a newer server.
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
    // Also closes the connection after an error.
    reader.cancel().catch(() => undefined);
  }
}
