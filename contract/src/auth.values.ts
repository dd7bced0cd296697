/**
 * An optional header of `signIn` with the `deviceToken` of an earlier one: failed sign-ins of strangers do not count against this device.
 * It is not a field of the body, so an API of the previous release ignores it.
 */
export const DEVICE_TOKEN_HEADER = 'x-device-token';
