import { describe, expect, it } from 'vitest';
import { formErrorMap } from '../../data/form-errors.ts';
import { type BroadcastForm, broadcastForm, emptyBroadcast } from './broadcast-form.ts';

const id = '6f1f3a52-55b1-4c2e-9a0e-0a4d1d3b7c11';
const other = '0b0b8f0e-9a4e-4d8e-8a63-3e3f3c7e4d22';

const fill = (audience: Partial<BroadcastForm['audience']>): BroadcastForm => ({
  en: { description: 'News', content: ' ' },
  ru: { description: 'Новости', content: 'Подробнее' },
  audience: { ...emptyBroadcast.audience, ...audience },
  when: 'NOW',
  minute: '',
  isMailed: false,
});
/** In the time zone of the test: `2026-11-21T14:05`. */
function toMinute(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}
const parseAudience = (audience: Partial<BroadcastForm['audience']>) => broadcastForm.parse(fill(audience)).audience;
const findErrors = (values: BroadcastForm) => {
  const { error } = broadcastForm.safeParse(values, { error: formErrorMap });
  return [...new Set(error?.issues.map(({ path }) => path.join('.')))];
};
const at = (days: number) => toMinute(new Date(Date.now() + days * 86_400_000));
const later = (minute: string | undefined): BroadcastForm => ({ ...fill({}), when: 'LATER', minute });

describe('broadcastForm', () => {
  it('leaves out empty details and filters that are not used', () => {
    expect(broadcastForm.parse(fill({}))).toEqual({
      texts: { en: { description: 'News' }, ru: { description: 'Новости', content: 'Подробнее' } },
      audience: {},
      isMailed: false,
    });
  });

  it('needs only the text of the language that the filter has', () => {
    const form = { ...fill({ languageCode: 'ru' }), en: { description: '', content: '' } };
    expect(broadcastForm.parse(form)).toMatchObject({
      texts: { ru: { description: 'Новости', content: 'Подробнее' } },
      audience: { languageCode: 'ru' },
    });
    expect(findErrors({ ...form, ru: { description: '', content: '' } })).toEqual(['ru.description']);
  });

  it('has a time in the next 90 days, if it is sent later', () => {
    const minute = at(1);
    expect(broadcastForm.parse(later(minute)).scheduledAt).toBe(new Date(minute).toISOString());
    for (const wrong of [undefined, '', at(-1), at(91)]) expect(findErrors(later(wrong))).toEqual(['minute']);
  });

  it('translates each filter', () => {
    expect(parseAudience({ status: 'BLOCKED', confirmed: 'NO', connection: 'NO', roleName: ' USER ' })).toEqual({
      status: 'BLOCKED',
      isConfirmed: false,
      hasOpenConnection: false,
      roleName: 'USER',
    });
    expect(parseAudience({ languageCode: 'ru', balanceFrom: '0', balanceBelow: '1,000.50' })).toEqual({
      languageCode: 'ru',
      balanceFrom: 0,
      balanceBelow: 1000.5,
    });
    expect(parseAudience({ userIds: ` ${id},\n${other}\n` })).toEqual({ userIds: [id, other] });
  });

  it('includes the last day', () => {
    expect(parseAudience({ firstDay: '2026-11-01', lastDay: '2026-11-30' })).toEqual({
      registeredFrom: new Date(2026, 10, 1).toISOString(),
      registeredBefore: new Date(2026, 11, 1).toISOString(),
    });
  });

  it('has the rules of the API', () => {
    expect(findErrors(emptyBroadcast)).toEqual(['en.description', 'ru.description']);
    expect(findErrors(fill({ userIds: 'somebody' }))).toEqual(['audience.userIds.0']);
    expect(findErrors(fill({ balanceFrom: 'much' }))).toEqual(['audience.balanceFrom']);
  });
});
