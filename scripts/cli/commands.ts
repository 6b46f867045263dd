/** Commands for a running hub, near or far: `relay-hub <name>`, in the repository `npm run cli -- <name>`. */
export const clientCommands = {
  'export-config': {
    about: 'write the configuration of a hub into YAML files',
    load: () => import('./config-commands.ts').then(({ exportCommand }) => exportCommand),
  },
  plan: {
    about: 'compare a hub with YAML files; changes nothing',
    load: () => import('./config-commands.ts').then(({ planCommand }) => planCommand),
  },
  apply: {
    about: 'make a hub as YAML files say',
    load: () => import('./config-commands.ts').then(({ applyCommand }) => applyCommand),
  },
  status: {
    about: 'whether a hub works: account, channels, incidents',
    load: () => import('./read-commands.ts').then(({ statusCommand }) => statusCommand),
  },
  balance: {
    about: 'the balance of the account of the access key',
    load: () => import('./read-commands.ts').then(({ balanceCommand }) => balanceCommand),
  },
  usage: {
    about: 'calls, tokens and charges of some days',
    load: () => import('./read-commands.ts').then(({ usageCommand }) => usageCommand),
  },
  logs: {
    about: 'the newest calls; with --follow also those to come',
    load: () => import('./read-commands.ts').then(({ logsCommand }) => logsCommand),
  },
  keys: {
    about: 'list, create, disable, enable or remove API keys of the account',
    load: () => import('./write-commands.ts').then(({ keysCommand }) => keysCommand),
  },
  users: {
    about: 'list, disable or enable accounts',
    load: () => import('./write-commands.ts').then(({ usersCommand }) => usersCommand),
  },
  channels: {
    about: 'list, test, disable or enable channels',
    load: () => import('./write-commands.ts').then(({ channelsCommand }) => channelsCommand),
  },
  login: {
    about: 'keep the address of a hub and an access key for these commands',
    load: () => import('./login.ts').then(({ loginCommand }) => loginCommand),
  },
} as const satisfies Record<string, ClientCommand>;

interface ClientCommand {
  /** Line of the usage text. */
  about: string;
  /** The command: reads its arguments, and resolves with its exit status. */
  load(): Promise<() => Promise<number>>;
}
