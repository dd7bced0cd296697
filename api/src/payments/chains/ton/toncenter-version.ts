/** The version of an interface of toncenter, by the path of its URL. */
import { parseSourceUrl } from '../source-url.ts';

const VERSION_2 = /\/v2\/?$/;

/** Whether the source of the URL has version 3, which finds transactions by itself. @throws InvalidSourceUrl */
export const hasIndex = (url: string): boolean => !VERSION_2.test(parseSourceUrl(url).base.pathname);
