/** Below this width the menu becomes a drawer. */
export const NARROW_SCREEN = '(width < 62em)';
/** Below this width wide tables would not fit. */
export const TABLET_SCREEN = '(width < 80em)';
/** Below this width tables become lists of cards. */
export const PHONE_SCREEN = '(width < 48em)';
