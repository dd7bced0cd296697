/** Answers that the page asked for before its code had arrived (boot/first-requests.js). Each serves one call. */
interface EarlyAnswer {
  authorization?: string | undefined;
  answer: Promise<Response>;
}

/** Afterwards an answer is no longer what the server would say now. */
const GOOD_FOR_MS = 10_000;

declare global {
  interface Window {
    earlyAnswers?: Record<string, EarlyAnswer>;
  }
}

/** @returns undefined when nobody asked for it with the same token */
export function takeEarlyAnswer(url: string, init: RequestInit): Promise<Response> | undefined {
  const answers = globalThis.window?.earlyAnswers;
  const early = answers?.[url];
  if (answers === undefined || early === undefined || (init.method ?? 'GET') !== 'GET') return undefined;
  delete answers[url];
  const authorization = new Headers(init.headers).get('authorization') ?? undefined;
  if (early.authorization !== authorization || performance.now() > GOOD_FOR_MS) return undefined;
  return unlessAborted(early.answer, init.signal);
}

async function unlessAborted(answer: Promise<Response>, signal: AbortSignal | null | undefined): Promise<Response> {
  if (!signal) return answer;
  signal.throwIfAborted();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([answer, aborted]);
}
