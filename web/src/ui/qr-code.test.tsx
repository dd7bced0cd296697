import { render } from '@testing-library/react';
import decodeQR from 'qr/decode.js';
import { expect, it } from 'vitest';
import { QrCode } from './qr-code.tsx';

const PIXELS_PER_MODULE = 4;
/** The page around the code is as dark as its modules. */
const DARK = 0;
const LIGHT = 255;

interface Area {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** The rectangles of a path, in modules. */
function toAreas(path: Element): Area[] {
  return [...path.getAttribute('d')!.matchAll(/M(\d+)[ ,](\d+) ?h(\d+)v(\d+)H\d+z/g)].map((match) => {
    const [, left, top, width, height] = match.map(Number) as [number, number, number, number, number];
    return { left, top, right: left + width, bottom: top + height };
  });
}

/** The code as a camera sees it, on a dark page. */
function toPicture(background: readonly Area[], modules: readonly Area[]) {
  const width = (Math.max(...background.map(({ right }) => right)) + 2) * PIXELS_PER_MODULE;
  const data = new Uint8Array(width * width * 4).fill(DARK);
  const toPixel = (module: number) => (module + 1) * PIXELS_PER_MODULE;
  const draw = ({ left, top, right, bottom }: Area, shade: number) => {
    for (let y = toPixel(top); y < toPixel(bottom); y += 1)
      data.fill(shade, (y * width + toPixel(left)) * 4, (y * width + toPixel(right)) * 4);
  };
  for (const area of background) draw(area, LIGHT);
  for (const area of modules) draw(area, DARK);
  return { width, height: width, data };
}

it.each([
  'bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq?amount=0.00049',
  'otpauth://totp/Cellhop:customer%40example.com?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Cellhop',
  'tg://socks?server=gate.example.com&port=1080&user=u_0123456789abcdef&pass=p_0123456789abcdef0123',
])('is read from its picture, with a quiet zone of 4 modules on a dark page: %s', (value) => {
  const { container } = render(<QrCode value={value} pixels={160} title="QR code" />);
  const [background, modules] = [...container.querySelectorAll('path')].map(toAreas) as [Area[], Area[]];
  expect(decodeQR(toPicture(background, modules))).toBe(value);
  const size = background[0]!.right;
  expect(background).toEqual([{ left: 0, top: 0, right: size, bottom: size }]);
  expect(Math.min(...modules.flatMap(({ left, top }) => [left, top]))).toBe(4);
  expect(Math.max(...modules.flatMap(({ right, bottom }) => [right, bottom]))).toBe(size - 4);
});
