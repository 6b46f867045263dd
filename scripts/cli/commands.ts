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
