/** The texts of the landing page. What `/pricing` and `/locations` say is not repeated here. */
import type { HopLabels } from './hop-picture.ts';

/** By the categories of `Intl.PluralRules`. */
type Plural = Record<string, string>;

interface Titled {
  title: string;
  text: string;
}

export interface HomeTexts {
  title: (brandName: string) => string;
  description: string;
  heading: string;
  lead: string;
  seePricing: string;
  hops: HopLabels;
  price: (price: string) => string;
  perMegabyte: string;
  megabytes: (count: string) => string;
  forOneDollar: (pages: string) => string;
  countries: Plural;
  free: Plural;
  rule: string;
  steps: string;
  step: Record<'find' | 'buy' | 'use', Titled & { picture: string }>;
  proof: string;
  proofs: Record<
    'checks' | 'firstChecks' | 'latency' | 'refunds' | 'receipts',
    { name: string; text: string; link?: string }
  >;
  milliseconds: (count: string) => string;
  code: string;
  codeText: string;
  codeFor: string;
  copy: string;
  copied: string;
  uses: string;
  useCases: Titled[];
  benefits: string;
  benefit: Titled[];
  summary: (brandName: string) => string;
  currencies: (list: string) => string;
  questions: string;
  answers: { question: string; answer: string; link?: { href: string; text: string } }[];
  seller: string;
}
