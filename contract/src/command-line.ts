/** How the operator calls a command, for all texts that name one. */
export function commandLine(name: string, ...values: string[]): string {
  if (name === 'start') return 'npm start';
  return ['npm run', name, ...(values.length > 0 ? ['--', ...values] : [])].join(' ');
}
