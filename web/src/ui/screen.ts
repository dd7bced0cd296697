/** Below this width the menu becomes a drawer. */
export const NARROW_SCREEN = '(width < 62em)';
/** Below this width a part of a table of many columns would be out of sight. */
export const TABLET_SCREEN = '(width < 80em)';
/** Below this width tables become lists of cards. */
export const PHONE_SCREEN = '(width < 48em)';
