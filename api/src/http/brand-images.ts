/** The operator's own logo, icons and social image: the files of BRAND_IMAGES_FOLDER, in place of those of the web app. */
import type { Settings } from '@cellhop/contract/settings';
import type { FastifyInstance } from 'fastify';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PNG_SIGNATURE } from '../files/png.ts';
import { etagOf, matchesEtag } from './etag.ts';

interface Kind {
  type: string;
  kilobytesMax: number;
  /** @returns what is wrong with the content */
  findProblem: (content: Buffer) => string | undefined;
}

const png = (width: number, height: number, kilobytesMax: number): Kind => ({
  type: 'image/png',
  kilobytesMax,
  findProblem: (content) => {
    if (!content.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE) || content.length < 24) return 'is no PNG';
    const [actualWidth, actualHeight] = [content.readUInt32BE(16), content.readUInt32BE(20)];
    const fits = actualWidth === width && actualHeight === height;
    return fits ? undefined : `has ${actualWidth} x ${actualHeight} pixels instead of ${width} x ${height}`;
  },
});

/** What runs, loads or expands something. */
const ACTIVE =
  /<!(?:doctype|entity)|<(?:script|foreignobject|iframe)\b|\son\w+\s*=|javascript:|href\s*=\s*["'](?!#|data:image\/)/i;
const VIEW_BOX = /<svg\b[^>]*\sviewBox\s*=\s*["']\s*[-\d.]+[\s,]+[-\d.]+[\s,]+([\d.]+)[\s,]+([\d.]+)\s*["']/;

const svg: Kind = {
  type: 'image/svg+xml',
  kilobytesMax: 64,
  findProblem: (content) => {
    const text = content.toString('utf8');
    if (!/^\uFEFF?\s*(?:<\?xml[^>]*>\s*|<!--[\s\S]*?-->\s*)*<svg\b/.test(text)) return 'is no SVG';
    if (ACTIVE.test(text)) return 'has a script, an entity or a link to another file';
    return VIEW_BOX.test(text) ? undefined : 'has no viewBox';
  },
};

const ico: Kind = {
  type: 'image/vnd.microsoft.icon',
  kilobytesMax: 200,
  findProblem: (content) => (content.readUInt32LE(0) === 0x10000 ? undefined : 'is no ICO'),
};

const required: Record<string, Kind> = {
  'logo.svg': svg,
  'favicon.svg': svg,
  'favicon.ico': ico,
  'icon-180.png': png(180, 180, 200),
  'icon-192.png': png(192, 192, 200),
  'icon-512.png': png(512, 512, 500),
  'social-image.png': png(1200, 630, 1000),
};
const known: Record<string, Kind> = { ...required, 'logo-dark.svg': svg };

interface BrandImage {
  name: string;
  type: string;
  content: Buffer;
}

/** @throws Error with a sentence if the folder or a file is missing, has another name, or is not what its name says */
export function readBrandImages(folder: string | undefined): BrandImage[] {
  if (folder === undefined) return [];
  if (!existsSync(folder)) throw new Error(`BRAND_IMAGES_FOLDER: there is no folder ${folder}`);
  // Hidden files are of other programs.
  const names = readdirSync(folder).filter((name) => !name.startsWith('.'));
  const missing = Object.keys(required).filter((name) => !names.includes(name));
  if (missing.length > 0) throw new Error(`BRAND_IMAGES_FOLDER lacks ${missing.join(', ')}`);
  return names.map((name) => {
    const kind = known[name];
    if (!kind) throw new Error(`BRAND_IMAGES_FOLDER has ${name}: its files are named ${Object.keys(known).join(', ')}`);
    const content = readFileSync(path.join(folder, name));
    const problem = content.length > kind.kilobytesMax * 1024 ? `is larger than ${kind.kilobytesMax} KB` : undefined;
    const wrong = content.length < 4 ? 'is empty' : (problem ?? kind.findProblem(content));
    if (wrong !== undefined) throw new Error(`BRAND_IMAGES_FOLDER: ${name} ${wrong}`);
    return { name, type: kind.type, content };
  });
}

/** A logo that is much wider than high has the name in it. */
const WIDE = 1.5;

type Logo = NonNullable<Settings['logo']> | null;
const logos = new Map<string | undefined, Logo>();

/** How headers show it; null: that of Cellhop. The folder is read once, as for the other images. */
export function findLogo(folder: string | undefined): Logo {
  let logo = logos.get(folder);
  if (logo === undefined) logos.set(folder, (logo = describeLogo(readBrandImages(folder))));
  return logo;
}

export function describeLogo(images: readonly BrandImage[]): Logo {
  const logo = images.find(({ name }) => name === 'logo.svg');
  if (!logo) return null;
  const [, width, height] = VIEW_BOX.exec(logo.content.toString('utf8'))!;
  return {
    isWide: Number(width) > WIDE * Number(height),
    hasDark: images.some(({ name }) => name === 'logo-dark.svg'),
  };
}

/** Call it before the static files are registered: routes with a full path take precedence. */
export function serveBrandImages(app: FastifyInstance, images: readonly BrandImage[]): void {
  for (const { name, type, content } of images) {
    const etag = etagOf(content);
    app.get(`/${name}`, { schema: { hide: true } }, (request, reply) => {
      void reply.headers({ etag, 'cache-control': 'no-cache' });
      if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
      return reply.type(type).send(content);
    });
  }
}
