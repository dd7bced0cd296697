/**
 * What Vite makes of `import()` asks for the stylesheets of a part only once: one that did not arrive would be missing
 * from then on, also when the part itself arrives at the next try. Here it is asked for again.
 */
const missing = new Set<HTMLLinkElement>();

/** Tells of stylesheets that did not arrive, and asks again once the network is back. */
export function watchStyles(): void {
  addEventListener(
    'error',
    ({ target }) => {
      if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') missing.add(target);
    },
    // Errors of elements do not bubble.
    { capture: true },
  );
  addEventListener('online', () => void loadMissingStyles().catch(() => undefined));
}

/** @throws when one of them did not arrive this time either */
export async function loadMissingStyles(): Promise<void> {
  await Promise.all([...missing].map(loadAgain));
}

async function loadAgain(link: HTMLLinkElement): Promise<void> {
  missing.delete(link);
  const again = document.createElement('link');
  again.rel = 'stylesheet';
  again.href = link.href;
  await new Promise((resolve, reject) => {
    again.addEventListener('load', resolve);
    again.addEventListener('error', () => reject(new Error(`Unable to preload CSS for ${again.href}`)));
    link.replaceWith(again);
  });
}
