import { registerTexts, type TextFile } from './setup.ts';

registerTexts(import.meta.glob<TextFile>('./locales/*/staff*.json'));
