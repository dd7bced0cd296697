/** Messages of the schemas that forms translate. */
/** The message of the product specification. Forms map it to a translated text. */
export const ONLY_SPACES = 'Field cannot contain only spaces';
/** Forms map it to a translated text, as above. */
export const EASY_PASSWORD = 'Password is too easy to guess';
