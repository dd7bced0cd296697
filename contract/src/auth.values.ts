/**
 * An optional header of `signIn` with the `deviceToken` of an earlier one: failed sign-ins of strangers do not count against this device.
 */
export const DEVICE_TOKEN_HEADER = 'x-device-token';
