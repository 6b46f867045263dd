import { clientCommands } from '../cli/commands.ts';

/** Scripts that come with the package, `scripts/<name>.ts`, with the line of the usage text. */
export const packedCommands: Readonly<Record<string, string>> = {
  backup: 'back up database, journal and keys while the server runs',
  restore: 'restore a backup, then check every balance',
  books: 'recompute every balance and compare it with the database',
  move: 'move everything from SQLite to PostgreSQL, or back',
  import: 'take over one-hub, done-hub, one-api or new-api',
  export: 'write users, keys, channels, prices, ledger and logs into files',
  'rotate-key': 'encrypt all stored secrets with a new key',
  'reset-second-factor': 'let a locked-out administrator in again',
  health: 'exit with 0 if the server on this machine can serve calls',
};

/** Commands for a running hub, which `scripts/cli.ts` runs by their name. */
export const clientAbouts: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(clientCommands).map(([name, { about }]) => [name, about]),
);
