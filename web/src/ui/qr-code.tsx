import { QRCodeSVG } from 'qrcode.react';

/** On each side, in modules (ISO/IEC 18004, 6.3.8): cameras need it to find the code between other content. */
const QUIET_ZONE = 4;

interface QrCodeProps {
  value: string;
  /** The width with the quiet zone. */
  pixels: number;
  title: string;
}

/** Dark on light in every theme, as cameras need it. */
export function QrCode({ value, pixels, title }: QrCodeProps) {
  return <QRCodeSVG value={value} size={pixels} marginSize={QUIET_ZONE} title={title} />;
}
