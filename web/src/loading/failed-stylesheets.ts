/**
 * Reloads stylesheets that failed to load: the `import()` of a lazy component requests its stylesheets only once, even
 * if the component itself is requested again.
 */
import { onReconnect } from '../data/network.ts';

const failedLinks = new Set<HTMLLinkElement>();

/** Records stylesheets that failed to load, and reloads them when the network is back. */
export function watchStylesheets(): void {
  addEventListener(
    'error',
    ({ target }) => {
      if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') failedLinks.add(target);
    },
    // `error` events of elements do not bubble.
    { capture: true },
  );
  onReconnect(() => void retryFailedStylesheets().catch(() => undefined));
}

/** @throws when one of them fails again */
export async function retryFailedStylesheets(): Promise<void> {
  await Promise.all([...failedLinks].map(retry));
}

async function retry(link: HTMLLinkElement): Promise<void> {
  failedLinks.delete(link);
  const replacement = document.createElement('link');
  replacement.rel = 'stylesheet';
  replacement.href = link.href;
  await new Promise((resolve, reject) => {
    replacement.addEventListener('load', resolve);
    replacement.addEventListener('error', () => reject(new Error(`Unable to preload CSS for ${replacement.href}`)));
    link.replaceWith(replacement);
  });
}
