import { useEffect, useRef, useState } from 'react';
import classes from './files.module.css';

/** In pixels, twice as many as are shown. */
const EDGE = 112;

/**
 * A small picture of a file. It is drawn, because the content security policy allows no picture from memory. Without it where the file is
 * no picture or cannot be read.
 * @param load called once the place of the picture is in view; must not change
 */
export function Preview({ load }: { load: () => Promise<Blob> }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [isDrawn, setDrawn] = useState(false);
  const loading = useRef(load);
  useEffect(() => {
    const element = canvas.current;
    if (element === null || typeof createImageBitmap === 'undefined') return undefined;
    const watching = new IntersectionObserver(([entry]) => {
      if (entry?.isIntersecting !== true) return;
      watching.disconnect();
      // No preview is no failure: a click on the file says why it cannot be read.
      void draw(element, loading.current).then(setDrawn, () => {});
    });
    watching.observe(element);
    return () => watching.disconnect();
  }, []);
  return <canvas ref={canvas} className={classes['preview']} data-drawn={isDrawn} aria-hidden="true" />;
}

/** The middle of the picture, in a square. */
async function draw(canvas: HTMLCanvasElement, load: () => Promise<Blob>): Promise<boolean> {
  const picture = await createImageBitmap(await load());
  const edge = Math.min(picture.width, picture.height);
  canvas.width = EDGE;
  canvas.height = EDGE;
  const left = (picture.width - edge) / 2;
  const top = (picture.height - edge) / 2;
  canvas.getContext('2d')?.drawImage(picture, left, top, edge, edge, 0, 0, EDGE, EDGE);
  picture.close();
  return true;
}
