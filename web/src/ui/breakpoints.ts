/** Below this width the menu becomes a drawer. */
export const NARROW_SCREEN = '(width < 62em)';
/** Below this width dense tables give their columns the widths of their values. */
export const TABLET_SCREEN = '(width < 80em)';
/** A touch screen, which rarely has a keyboard. */
export const TOUCH_SCREEN = '(pointer: coarse)';
/** Below this width tables become lists of cards. */
export const PHONE_SCREEN = '(width < 48em)';
