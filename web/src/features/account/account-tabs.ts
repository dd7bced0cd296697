/** The sections of each tab, by their fragments in links such as `/account#password`. */
const sections = {
  profile: ['profile', 'company'],
  security: ['password', 'second-factor', 'sessions'],
  alerts: ['alerts'],
  data: ['deletion'],
} as const;

export type AccountTab = keyof typeof sections;

export const accountTabs = Object.keys(sections) as AccountTab[];

/** @param fragment of the URL, without `#`: a tab, or one of its sections */
export function tabOf(fragment: string): AccountTab {
  const isIn = (tab: AccountTab) => tab === fragment || sections[tab].some((section) => section === fragment);
  return accountTabs.find(isIn) ?? 'profile';
}
