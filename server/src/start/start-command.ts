import { readCommand, text, whole } from '#process/command-line.ts';

/** Reads the arguments of `npm start`, as environment variables: an argument counts more than a variable. */
export function readStartCommand(): Record<string, string> {
  const { port, host } = readCommand({
    name: 'start',
    about:
      'Runs the server. Environment variables configure it, see docs/configuration.md; its data is in ./data or DATA_DIR.',
    options: {
      port: whole('<number>', 'port to listen on, instead of PORT; default: 3000', undefined),
      host: text('<address>', 'address to listen on, instead of HOST; default: all', undefined),
    },
  });
  return { ...(port !== undefined && { PORT: String(port) }), ...(host !== undefined && { HOST: host }) };
}
