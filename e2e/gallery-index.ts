/** `SCREENS=usage,landing npm run screens` takes only these. */
export function isWanted(name: string): boolean {
  const wanted = process.env['SCREENS'];
  return wanted === undefined || wanted.split(',').includes(name);
}

/** A page with all pictures: `<screen>-<language>-<theme>-<width>.png`. */
export function toIndex(files: readonly string[]): string {
  const names = [...new Set(files.map((file) => file.replace(/-(?:en|ru)-.*$/, '')))];
  const figures = (name: string) =>
    files
      .filter((file) => file.replace(/-(?:en|ru)-.*$/, '') === name)
      .map(
        (file) =>
          `<figure><a href="${file}"><img loading="lazy" src="${file}" alt=""></a><figcaption>${file}</figcaption></figure>`,
      )
      .join('\n');
  return `<!doctype html>
<meta charset="utf-8"><title>Screens</title>
<style>
  body { margin: 24px; background: #777; color: #fff; font: 14px system-ui; }
  section { display: flex; flex-wrap: wrap; gap: 16px; align-items: start; }
  figure { margin: 0; } img { max-height: 420px; max-width: 420px; }
</style>
${names.map((name) => `<h2>${name}</h2><section>${figures(name)}</section>`).join('\n')}
`;
}
