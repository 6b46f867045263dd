/** How an operator types a command: with npm in the repository, with the program in the package. */
export const commandLine = (name: string): string =>
  import.meta.filename.endsWith('.ts') ? `npm run ${name} --` : `relay-hub ${name}`;
