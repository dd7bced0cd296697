import { expect, test } from 'vitest';
import { secondFactorCodeSchema } from './auth.forms.ts';
import { promoCodeFields } from './staff/promo-codes.forms.ts';
import { asciiCode } from './typed-codes.values.ts';

test.each([
  '123456',
  ' 123 456 ',
  '123-456',
  '123–456',
  '１２３４５６',
  '١٢٣٤٥٦',
  '۱۲۳-۴۵۶',
  '123\u00A0456',
  '\u200E123456\u200F',
])('the code %j of a second factor is read as 123456', (typed) => {
  expect(secondFactorCodeSchema.parse(typed)).toBe('123456');
});

test.each([
  'abcd-efgh-jkmn-2345',
  'abcd efgh jkmn 2345',
  'abcd—efgh—jkmn—2345',
  'ａｂｃｄ－ｅｆｇｈ－ｊｋｍｎ－２３４５',
  'abcdefghjkmn٢٣٤٥',
])('the recovery code %j is read without its dashes', (typed) => {
  expect(secondFactorCodeSchema.parse(typed)).toBe('abcdefghjkmn2345');
});

test.each(['HELLO-10', 'ＨＥＬＬＯ－１０', 'HELLO–١٠'])(
  'a customer may type the promo code %j for HELLO-10',
  (typed) => {
    expect(asciiCode(typed)).toBe('HELLO-10');
  },
);

test('a new promo code is refused, not rewritten, where it has other characters', () => {
  expect(promoCodeFields.shape.code.safeParse('HELLO-10').success).toBe(true);
  expect(promoCodeFields.shape.code.safeParse('ＨＥＬＬＯ－１０').success).toBe(false);
});
