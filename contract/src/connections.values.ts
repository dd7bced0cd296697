export const connectionFileFormats = ['txt', 'csv', 'json'] as const;
export type ConnectionFileFormat = (typeof connectionFileFormats)[number];
